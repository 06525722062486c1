/* SPDX-License-Identifier: Apache-2.0
 *
 * Allgather and alltoall. */
#include <stdlib.h>

#include "algorithms.h"

/* Sends `count` blocks from `first` on, receives `expected` blocks, and waits for both. */
static void swap_blocks(
	xt_program_t *p, uint32_t to, uint32_t first, uint32_t count, uint32_t from, uint32_t expected, uint64_t bytes)
{
	uint32_t received = xt_program_recv(p, from, expected * bytes);

	xt_program_wait_both(p, received, xt_send_blocks(p, to, first, count, bytes));
}

/* Gather to rank 0 and broadcast from there. */
static void gather_and_broadcast(xt_play_t *play)
{
	xt_collective_t part = *play->c;

	part.root = 0;
	part.algorithm = NULL;
	part.segment = XT_SEGMENT_BY_RULES;
	part.kind = XT_COLLECTIVE_GATHER;
	play->part(play, part);
	part.kind = XT_COLLECTIVE_BROADCAST;
	part.bytes *= part.ranks;
	play->part(play, part);
}

static void bruck(xt_play_t *play)
{
	uint32_t n = play->c->ranks;

	for (uint32_t r = 0; r < n; r++) {
		for (uint32_t distance = 1; distance < n; distance *= 2) {
			uint32_t count = distance <= n / 2 ? distance : n - distance;

			swap_blocks(&play->programs[r], (r + n - distance) % n, r, count, (r + distance) % n, count,
				play->c->bytes);
		}
	}
}

static void recursive_doubling(xt_play_t *play)
{
	uint32_t n = play->c->ranks;

	if (n & (n - 1)) {
		bruck(play);
		return;
	}
	for (uint32_t r = 0; r < n; r++) {
		for (uint32_t distance = 1; distance < n; distance *= 2) {
			uint32_t other = r ^ distance;

			swap_blocks(&play->programs[r], other, r & ~(distance - 1), distance, other, distance,
				play->c->bytes);
		}
	}
}

static void ring(xt_play_t *play)
{
	uint32_t n = play->c->ranks;

	for (uint32_t r = 0; r < n; r++) {
		for (uint32_t i = 0; i + 1 < n; i++) {
			swap_blocks(&play->programs[r], (r + 1) % n, (r + n - i) % n, 1, (r + n - 1) % n, 1,
				play->c->bytes);
		}
	}
}

/* Pairs of neighbours swap, then pairs shifted by one, and so on, each passing on the two blocks that it got last. */
static void neighbor_exchange(xt_play_t *play)
{
	uint32_t n = play->c->ranks;

	if (n % 2) {
		ring(play);
		return;
	}
	for (uint32_t r = 0; r < n; r++) {
		xt_program_t *p = &play->programs[r];
		int even = r % 2 == 0;
		uint32_t neighbor[2] = {even ? (r + 1) % n : r - 1, even ? (r + n - 1) % n : (r + 1) % n};
		uint32_t from[2] = {even ? r : r - 1, even ? r : r - 1};
		uint32_t last = from[0];

		swap_blocks(p, neighbor[0], r, 1, neighbor[0], 1, play->c->bytes);
		for (uint32_t i = 1; i < n / 2; i++) {
			unsigned side = i % 2;

			/* Two further each time: upwards from the one neighbour, downwards from the other. */
			from[side] = (from[side] + ((side == 0) == even ? 2 : n - 2)) % n;
			swap_blocks(p, neighbor[side], last, 2, neighbor[side], 2, play->c->bytes);
			last = from[side];
		}
	}
}

static void two_ranks(xt_play_t *play)
{
	swap_blocks(&play->programs[0], 1, 0, 1, 1, 1, play->c->bytes);
	swap_blocks(&play->programs[1], 0, 1, 1, 0, 1, play->c->bytes);
}

const xt_algorithm_entry_t xt_allgather_algorithms[] = {
	{"linear", gather_and_broadcast, XT_TREE_NONE},
	{"bruck", bruck, XT_TREE_NONE},
	{"recursive-doubling", recursive_doubling, XT_TREE_NONE},
	{"ring", ring, XT_TREE_NONE},
	{"neighbor-exchange", neighbor_exchange, XT_TREE_NONE},
	{"two-proc", two_ranks, XT_TREE_NONE},
	{NULL, NULL, XT_TREE_NONE},
};

/* ---------------------------------------------------------------- alltoall */

static uint32_t send_block(xt_program_t *p, uint32_t to, uint64_t bytes)
{
	return xt_send_bytes(p, to, ((uint64_t)p->rank * p->ranks + to) * bytes, bytes, 0);
}

/* At most `limit` receives and sends at a time: the next one starts when the one `limit` before it is done. */
static void all_at_once(xt_program_t *p, uint64_t bytes, uint32_t limit, uint32_t *receives, uint32_t *sends)
{
	uint32_t n = p->ranks, r = p->rank;

	for (uint32_t i = 1; i < n; i++) {
		receives[i] = xt_program_recv(p, (r + i) % n, bytes);
		if (i > limit) {
			xt_workload_depend(p->w, receives[i], receives[i - limit]);
		}
	}
	for (uint32_t i = 1; i < n; i++) {
		sends[i] = send_block(p, (r + n - i) % n, bytes);
		if (i > limit) {
			xt_workload_depend(p->w, sends[i], sends[i - limit]);
		}
	}
}

static void with_limit(xt_play_t *play, uint32_t limit)
{
	uint32_t n = play->c->ranks;
	uint32_t *receives = malloc(2 * (size_t)n * sizeof(*receives));

	if (!receives) {
		play->w->status = XT_ERR_NOMEM;
		return;
	}
	for (uint32_t r = 0; r < n; r++) {
		all_at_once(&play->programs[r], play->c->bytes, limit, receives, receives + n);
	}
	free(receives);
}

static void linear(xt_play_t *play)
{
	with_limit(play, UINT32_MAX);
}

/* Open MPI's own limit is none; `fanout` sets one. */
static void linear_sync(xt_play_t *play)
{
	with_limit(play, play->c->fanout);
}

static void pairwise(xt_play_t *play)
{
	uint32_t n = play->c->ranks;

	for (uint32_t r = 0; r < n; r++) {
		xt_program_t *p = &play->programs[r];

		for (uint32_t step = 1; step < n; step++) {
			uint32_t received = xt_program_recv(p, (r + n - step) % n, play->c->bytes);

			xt_program_wait_both(p, received, send_block(p, (r + step) % n, play->c->bytes));
		}
	}
}

/* The block for the rank d further is sent on by each power of two in d. */
static void alltoall_bruck(xt_play_t *play)
{
	uint32_t n = play->c->ranks;
	uint64_t bytes = play->c->bytes;

	for (uint32_t r = 0; r < n; r++) {
		xt_program_t *p = &play->programs[r];

		for (uint32_t distance = 1; distance < n; distance *= 2) {
			uint32_t received, sent;
			uint64_t blocks = 0;

			for (uint32_t i = distance; i < n; i++) {
				blocks += (i & distance) != 0;
			}
			received = xt_program_recv(p, (r + n - distance) % n, blocks * bytes);
			sent = xt_program_send(p, (r + distance) % n, blocks * bytes);
			for (uint32_t i = distance; i < n && play->w->with_pieces; i++) {
				uint32_t source = (r + n - (i & (distance - 1))) % n;

				if (i & distance) {
					xt_workload_carry(play->w, sent,
						((uint64_t)source * n + (source + i) % n) * bytes, bytes, 0);
				}
			}
			xt_program_wait_both(p, received, sent);
		}
	}
}

static void alltoall_two(xt_play_t *play)
{
	pairwise(play);
}

const xt_algorithm_entry_t xt_alltoall_algorithms[] = {
	{"linear", linear, XT_TREE_NONE},
	{"pairwise", pairwise, XT_TREE_NONE},
	{"bruck", alltoall_bruck, XT_TREE_NONE},
	{"linear-sync", linear_sync, XT_TREE_NONE},
	{"two-proc", alltoall_two, XT_TREE_NONE},
	{NULL, NULL, XT_TREE_NONE},
};
