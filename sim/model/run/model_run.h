/* SPDX-License-Identifier: Apache-2.0
 *
 * A run of a network, cell by cell or by events. */
#pragma once

#include "model/network/network.h"

int network_run(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag);
/* A run by events is over; what it works out late is lost. */
void network_end_run(xt_engine_t *network);
