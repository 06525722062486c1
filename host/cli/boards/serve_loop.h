/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of `serve`: one host has the board, others are refused at once. */
#pragma once

#include "extorus/server.h"
#include "listener.h"
#include "metrics_server.h"

/* `once`: ends when the first host has gone. `idle_s`: ends a session from which nothing has come for so long; 0:
 * never. `metrics` may be NULL. */
int xt_serve(
	xt_server_t *server, const xt_listener_t *listener, xt_metrics_server_t *metrics, bool once, uint64_t idle_s);
