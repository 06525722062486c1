/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the network share. */
#pragma once

#include "network.h"

#define NO_CARD UINT32_MAX

/* Cycles after which a register that does not answer is given up. */
enum { NETWORK_AXI_TIMEOUT = 1000 };

/* ---------------------------------------------------------------- sets of cards
 *
 * A bit per card, and behind these words a bit per word, which is set if the word is not zero: a network in which
 * little happens is not looked at card by card. */

static inline void insert(const xt_engine_t *network, uint64_t *set, unsigned card)
{
	set[card / 64] |= UINT64_C(1) << card % 64;
	set[network->words + card / 4096] |= UINT64_C(1) << card / 64 % 64;
}

static inline void erase(const xt_engine_t *network, uint64_t *set, unsigned card)
{
	set[card / 64] &= ~(UINT64_C(1) << card % 64);
	if (!set[card / 64]) {
		set[network->words + card / 4096] &= ~(UINT64_C(1) << card / 64 % 64);
	}
}

static inline int is_empty(const xt_engine_t *network, const uint64_t *set)
{
	for (unsigned w = network->words; w < network->set_words; w++) {
		if (set[w]) {
			return 0;
		}
	}
	return 1;
}

/* Those to which something comes in a cycle. */
static inline uint64_t *arriving_at(xt_engine_t *network, uint64_t cycle)
{
	return &network->arriving[cycle % network->slots * network->set_words];
}

/* Links to cards that are not here, which would train for ever: they are disabled. */
static inline uint32_t network_ports_beyond(const xt_engine_t *network, unsigned card)
{
	uint32_t ports = 0;

	for (unsigned p = 0; network->present && p < LINKS; p++) {
		const xt_peer_t peer = network->peers[card * LINKS + p];

		ports |= (uint32_t)(peer.card != XT_NO_CARD && !network_has(network, peer.card)) << p;
	}
	return ports;
}

/* ---------------------------------------------------------------- arrivals.c */

/* What crosses from one shard to another. */
void crossing_add(xt_engine_t *network, const crossing_t *crossing);
void crossing_arrive(xt_engine_t *network, const crossing_t *crossing);

/* ---------------------------------------------------------------- cycle.c */

static inline unsigned fast_link_slot(const xt_engine_t *network, uint64_t cycle)
{
	return (unsigned)cycle & (network->fast_links.slots - 1);
}

/* One cycle, cell by cell; `client` NULL: outside a run. */
void network_step(xt_engine_t *network, const xt_client_t *client);
/* Nothing is under way. */
int network_is_quiet(const xt_engine_t *network);

/* ---------------------------------------------------------------- link_faults.c */

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

/* ---------------------------------------------------------------- register_access.c */

/* Before each cycle of a run. */
static inline void network_note_moves(xt_engine_t *network, uint64_t cycle)
{
	if (network->moves_noted != network->moves) {
		network->moves_noted = network->moves;
		network->last_move = cycle;
	}
}
/* Whether it has failed. */
int network_check(const xt_engine_t *network, xt_diag_t *diag);
