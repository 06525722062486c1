/* SPDX-License-Identifier: Apache-2.0
 *
 * A run on several ranks: each steps the cards of its own range in shards. After an epoch each rank sends its
 * neighbours what arrives at their cards, and rank 0 what the client is to be told. Rank 0 says up to which cycle all
 * go on, and what its client decides then. */
#pragma once

#include "rank_run.h"

/* Of the engine, until its next run. XT_OK and nothing without client->ranks. */
int rank_run_open(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag);
void rank_run_close(xt_engine_t *network);
/* The least of what all ranks say; *status: of the messages. Without ranks `own`. */
uint64_t rank_least(xt_engine_t *network, uint64_t own, int *status, xt_diag_t *diag);
/* After an epoch of all own shards; `until`: of rank 0, for the next ones. Returns whether all is well. */
int rank_exchange(shards_t *shards, uint64_t until);
/* Rank 0: to all others. */
int rank_command(rank_run_t *run, const rank_command_t *command);
int rank_command_take(rank_run_t *run, rank_command_t *command, xt_diag_t *diag);
/* Rank 0, after RANK_SETTLE and RANK_STOP: the client is told, port_cells and the network's count of evaluated cards
 * are those of all. The others' side is rank_settle_answer. */
int rank_settle_ask(xt_engine_t *network, const rank_command_t *command, uint64_t *port_cells);
int rank_settle_answer(xt_engine_t *network, uint64_t *port_cells, xt_diag_t *diag);
/* Registers of any card, by rank 0 once the run is over. */
int rank_read(xt_engine_t *network, uint32_t card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag);
int rank_write(
	xt_engine_t *network, uint32_t card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag);
/* A message of any size. */
int rank_take(rank_run_t *run, unsigned from, unsigned tag, double timeout, xt_bytes_t *bytes, xt_diag_t *diag);
void rank_registers_close(rank_run_t *run);
/* Another rank, once the run is over: until rank 0 needs no more registers. */
int rank_serve(xt_engine_t *network, xt_diag_t *diag);
