/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the network share: network.c, cycle.c, faults.c and run.c. */
#ifndef EXTORUS_MODEL_NETWORK_PARTS_H
#define EXTORUS_MODEL_NETWORK_PARTS_H

#include "network.h"

#define NO_CARD UINT32_MAX

/* ---------------------------------------------------------------- sets of cards */

static inline void insert(uint64_t *set, unsigned card)
{
	set[card / 64] |= UINT64_C(1) << card % 64;
}

static inline void erase(uint64_t *set, unsigned card)
{
	set[card / 64] &= ~(UINT64_C(1) << card % 64);
}

static inline int is_empty(const xt_engine_t *network, const uint64_t *set)
{
	for (unsigned w = 0; w < network->words; w++) {
		if (set[w]) {
			return 0;
		}
	}
	return 1;
}

/* ---------------------------------------------------------------- cycle.c */

/* One cycle, cell by cell; `client` NULL: outside a run. */
void network_step(xt_engine_t *network, const xt_client_t *client);
/* Nothing is under way. */
int network_is_quiet(const xt_engine_t *network);

/* ---------------------------------------------------------------- faults.c */

/* Room for what links meet; 0: out of memory. */
int faults_make_troubles(xt_engine_t *network);
/* What the link does to a frame, in the same order of draws as the co-simulation. 0: it is lost. */
int faults_spoil(xt_engine_t *network, trouble_t *trouble, double rate, frame_t *frame);
/* A bit of a cell is to be flipped. With a link layer that is noticed; a plain link, which has no acks, takes the
 * number of the bit along. */
void faults_spoil_cell(xt_engine_t *network, unsigned card, unsigned port, frame_t *frame);
/* Cells that were altered on plain links: for good. */
void faults_alter_cells(xt_engine_t *network, arrivals_t *arrivals);
int faults_lose_credit(xt_engine_t *network, unsigned card, unsigned port);
/* Those that begin at a cycle. */
void faults_start(xt_engine_t *network);

/* ---------------------------------------------------------------- network.c */

/* Whether it has failed. */
int network_check(const xt_engine_t *network, xt_diag_t *diag);

#endif
