/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a network cell by cell, whatever a run by events works out late. */
#pragma once

#include "model/network/network.h"

/* For tests: the network in its present state with the state of every part, whatever the run works out late; valid
 * until the next cycle. NULL: out of memory. */
const xt_engine_t *network_cell_by_cell(xt_engine_t *network);
void cell_state_free(xt_engine_t *network);
