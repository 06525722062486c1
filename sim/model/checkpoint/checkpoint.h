/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints of a run. */
#pragma once

#include "model/network/network.h"

/* Rank 0, or the only process, between two cycles: has all parts made, and hands them to the client. `quiet`: as the
 * client was told. */
int checkpoint_make(xt_engine_t *network, const xt_client_t *client, int quiet, xt_diag_t *diag);
/* Another rank makes its part, and sends it. */
int checkpoint_send(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag);

/* A run that goes on. */
typedef struct checkpoint_load checkpoint_load_t;

/* NULL: it begins, or this fails. */
int checkpoint_open(xt_engine_t *network, const xt_client_t *client, checkpoint_load_t **out, xt_diag_t *diag);
void checkpoint_close(checkpoint_load_t *load);
/* Whether the run went by events. */
int checkpoint_has_events(const checkpoint_load_t *load);
/* The state of the own cards, once the links are prepared and the events, if any, are open; before there are shards. */
int checkpoint_load_cards(checkpoint_load_t *load, xt_diag_t *diag);
/* What belongs to shards, once there are. */
int checkpoint_load_events(checkpoint_load_t *load, xt_diag_t *diag);
