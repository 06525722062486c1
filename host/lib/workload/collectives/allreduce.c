/* SPDX-License-Identifier: Apache-2.0
 *
 * Allreduce and barrier. */
#include <stdlib.h>

#include "algorithms.h"

/* Reduce to rank 0 and broadcast from there. */
static void reduce_and_broadcast(xt_play_t *play, const char *algorithm)
{
	xt_collective_t part = *play->c;

	part.root = 0;
	part.algorithm = algorithm;
	part.segment = algorithm ? 0 : XT_SEGMENT_BY_RULES;
	part.kind = XT_COLLECTIVE_REDUCE;
	play->part(play, part);
	part.kind = XT_COLLECTIVE_BROADCAST;
	play->part(play, part);
}

static void linear(xt_play_t *play)
{
	reduce_and_broadcast(play, "linear");
}

static void nonoverlapping(xt_play_t *play)
{
	reduce_and_broadcast(play, NULL);
}

/* Both get what the other has, and wait for both. */
static void swap_vectors(xt_program_t *p, uint32_t with, uint64_t bytes)
{
	uint32_t received = xt_program_recv(p, with, bytes);

	xt_program_wait_both(p, received, xt_send_bytes(p, with, 0, bytes, 1));
}

/* The largest power of two that is not above n. */
static uint32_t power_below(uint32_t n)
{
	uint32_t power = 1;

	while (power <= n / 2) {
		power *= 2;
	}
	return power;
}

/* The even ones of the first 2 * extra ranks give theirs to their neighbours and get the result at the end. */
static void doubling_of_rank(xt_program_t *p, uint64_t bytes)
{
	uint32_t power = power_below(p->ranks), extra = p->ranks - power, r = p->rank;
	uint32_t place = r < 2 * extra ? r / 2 : r - extra;

	if (r < 2 * extra && r % 2 == 0) {
		xt_program_wait_one(p, xt_send_bytes(p, r + 1, 0, bytes, 1));
		xt_program_wait_one(p, xt_program_recv(p, r + 1, bytes));
		return;
	}
	if (r < 2 * extra) {
		xt_program_wait_one(p, xt_program_recv(p, r - 1, bytes));
	}
	for (uint32_t distance = 1; distance < power; distance *= 2) {
		uint32_t other = place ^ distance;

		swap_vectors(p, other < extra ? 2 * other + 1 : other + extra, bytes);
	}
	if (r < 2 * extra) {
		xt_program_wait_one(p, xt_send_bytes(p, r - 1, 0, bytes, 0));
	}
}

static void recursive_doubling(xt_play_t *play)
{
	for (uint32_t r = 0; r < play->c->ranks; r++) {
		doubling_of_rank(&play->programs[r], play->c->bytes);
	}
}

/* The vector in as many blocks as ranks, each in `phases` parts; the first blocks and parts have an element more if it
 * does not divide. */
typedef struct {
	uint64_t elements;
	uint32_t ranks, element, phases;
} blocks_t;

static uint64_t share_at(uint64_t all, uint64_t parts, uint64_t i)
{
	return all / parts * i + (i < all % parts ? i : all % parts);
}

/* Bytes from and to of phase `phase` of a block. */
static void part_of(const blocks_t *b, uint32_t block, uint32_t phase, uint64_t *from, uint64_t *length)
{
	uint64_t start = share_at(b->elements, b->ranks, block);
	uint64_t size = share_at(b->elements, b->ranks, block + 1) - start;
	uint64_t low = share_at(size, b->phases, phase), high = share_at(size, b->phases, phase + 1);

	*from = (start + low) * b->element;
	*length = (high - low) * b->element;
}

static uint64_t part_bytes(const blocks_t *b, uint32_t block, uint32_t phase)
{
	uint64_t from, length;

	part_of(b, block, phase, &from, &length);
	return length;
}

/* Each block goes once round, and every rank adds its own, the next block's receive posted before. */
static void reduce_round(xt_program_t *p, const blocks_t *b, uint32_t phase)
{
	uint32_t n = p->ranks, r = p->rank, next = (r + 1) % n, previous = (r + n - 1) % n;
	uint64_t from, length;
	uint32_t posted = xt_program_recv(p, previous, part_bytes(b, previous, phase));

	part_of(b, r, phase, &from, &length);
	xt_program_wait_one(p, xt_send_bytes(p, next, from, length, 1));
	for (uint32_t k = 2; k < n; k++) {
		uint32_t later = xt_program_recv(p, previous, part_bytes(b, (r + n - k) % n, phase));

		xt_program_wait_one(p, posted);
		part_of(b, (r + n - k + 1) % n, phase, &from, &length);
		xt_program_wait_one(p, xt_send_bytes(p, next, from, length, 1));
		posted = later;
	}
	xt_program_wait_one(p, posted);
}

/* Then the sums go round. */
static void copy_round(xt_program_t *p, const blocks_t *b)
{
	uint32_t n = p->ranks, r = p->rank, next = (r + 1) % n, previous = (r + n - 1) % n;
	blocks_t whole = *b;

	whole.phases = 1;
	for (uint32_t k = 0; k + 1 < n; k++) {
		uint64_t from, length;
		uint32_t received = xt_program_recv(p, previous, part_bytes(&whole, (r + n - k) % n, 0));

		part_of(&whole, (r + 1 + n - k) % n, 0, &from, &length);
		xt_program_wait_both(p, received, xt_send_bytes(p, next, from, length, 0));
	}
}

static void by_ring(xt_play_t *play, uint32_t phases)
{
	const xt_collective_t *c = play->c;
	blocks_t b = {c->bytes / c->element, c->ranks, c->element, phases};

	if (b.elements < c->ranks) {
		recursive_doubling(play);
		return;
	}
	for (uint32_t r = 0; r < c->ranks; r++) {
		for (uint32_t phase = 0; phase < phases; phase++) {
			reduce_round(&play->programs[r], &b, phase);
		}
		copy_round(&play->programs[r], &b);
	}
}

static void ring(xt_play_t *play)
{
	by_ring(play, 1);
}

static void segmented_ring(xt_play_t *play)
{
	const xt_collective_t *c = play->c;
	uint64_t elements = c->bytes / c->element;
	uint64_t segment = xt_cut(c->bytes, c->segment, c->element).segment / c->element;
	uint64_t round = segment * c->ranks, phases;

	if (elements < round) {
		ring(play);
		return;
	}
	phases = elements / round;
	if (elements % round >= c->ranks && elements % round > round / 2) {
		phases++;
	}
	by_ring(play, (uint32_t)(phases > UINT32_MAX ? UINT32_MAX : phases));
}

const xt_algorithm_entry_t xt_allreduce_algorithms[] = {
	{"linear", linear, XT_TREE_NONE},
	{"nonoverlapping", nonoverlapping, XT_TREE_NONE},
	{"recursive-doubling", recursive_doubling, XT_TREE_NONE},
	{"ring", ring, XT_TREE_NONE},
	{"segmented-ring", segmented_ring, XT_TREE_NONE},
	{NULL, NULL, XT_TREE_NONE},
};

/* ---------------------------------------------------------------- barrier */

static void meet(xt_program_t *p, uint32_t to, uint32_t from)
{
	uint32_t received = xt_program_recv(p, from, 0);

	xt_program_wait_both(p, received, xt_program_send(p, to, 0));
}

static void tell(xt_program_t *p, uint32_t to)
{
	xt_program_wait_one(p, xt_program_send(p, to, 0));
}

static void hear(xt_program_t *p, uint32_t from)
{
	xt_program_wait_one(p, xt_program_recv(p, from, 0));
}

static void barrier_linear(xt_play_t *play)
{
	uint32_t n = play->c->ranks;
	uint32_t *heard = malloc(n * sizeof(*heard));

	if (!heard) {
		play->w->status = XT_ERR_NOMEM;
		return;
	}
	heard[0] = XT_NO_EVENT;
	for (uint32_t r = 1; r < n; r++) {
		heard[r] = xt_program_recv(&play->programs[0], r, 0);
	}
	xt_program_wait(&play->programs[0], heard, n);
	for (uint32_t r = 1; r < n; r++) {
		xt_program_send(&play->programs[0], r, 0);
		tell(&play->programs[r], 0);
		hear(&play->programs[r], 0);
	}
	free(heard);
}

/* A token goes round twice. */
static void double_ring(xt_play_t *play)
{
	uint32_t n = play->c->ranks;

	for (uint32_t r = 0; r < n; r++) {
		xt_program_t *p = &play->programs[r];
		uint32_t left = (r + n - 1) % n, right = (r + 1) % n;

		for (unsigned round = 0; round < 2; round++) {
			if (r > 0) {
				hear(p, left);
			}
			tell(p, right);
			if (r == 0) {
				hear(p, left);
			}
		}
	}
}

static void barrier_doubling(xt_play_t *play)
{
	uint32_t n = play->c->ranks, power = power_below(n);

	for (uint32_t r = 0; r < n; r++) {
		xt_program_t *p = &play->programs[r];

		if (r >= power) {
			meet(p, r - power, r - power);
			continue;
		}
		if (r < n - power) {
			hear(p, r + power);
		}
		for (uint32_t distance = 1; distance < power; distance *= 2) {
			meet(p, r ^ distance, r ^ distance);
		}
		if (r < n - power) {
			tell(p, r + power);
		}
	}
}

static void barrier_bruck(xt_play_t *play)
{
	uint32_t n = play->c->ranks;

	for (uint32_t r = 0; r < n; r++) {
		for (uint32_t distance = 1; distance < n; distance *= 2) {
			meet(&play->programs[r], (r + distance) % n, (r + n - distance) % n);
		}
	}
}

static void barrier_two(xt_play_t *play)
{
	meet(&play->programs[0], 1, 1);
	meet(&play->programs[1], 0, 0);
}

static void barrier_tree(xt_play_t *play)
{
	uint32_t n = play->c->ranks, depth = power_below(n) < n ? 2 * power_below(n) : n;

	for (uint32_t r = 0; r < n; r++) {
		xt_program_t *p = &play->programs[r];

		for (uint32_t jump = 1; jump < depth; jump *= 2) {
			uint32_t other = r ^ jump;

			if (!(other & (jump - 1)) && other < n) {
				other > r ? hear(p, other) : tell(p, other);
			}
		}
		for (uint32_t jump = depth / 2; jump > 0; jump /= 2) {
			uint32_t other = r ^ jump;

			if (!(other & (jump - 1)) && other < n) {
				other > r ? tell(p, other) : hear(p, other);
			}
		}
	}
}

/* Up a tree, the far children first, and down again. */
static void up_and_down(const xt_play_t *play, const xt_tree_t *tree, xt_program_t *p)
{
	uint32_t first = tree->first[p->rank], last = tree->first[p->rank + 1];

	(void)play;
	for (uint32_t i = last; i-- > first;) {
		hear(p, tree->child[i]);
	}
	if (p->rank != tree->root) {
		tell(p, tree->parent[p->rank]);
		hear(p, tree->parent[p->rank]);
	}
	for (uint32_t i = first; i < last; i++) {
		tell(p, tree->child[i]);
	}
}

static void barrier_binomial(xt_play_t *play)
{
	xt_play_tree(play, up_and_down);
}

const xt_algorithm_entry_t xt_barrier_algorithms[] = {
	{"linear", barrier_linear, XT_TREE_NONE},
	{"double-ring", double_ring, XT_TREE_NONE},
	{"recursive-doubling", barrier_doubling, XT_TREE_NONE},
	{"bruck", barrier_bruck, XT_TREE_NONE},
	{"two-proc", barrier_two, XT_TREE_NONE},
	{"tree", barrier_tree, XT_TREE_NONE},
	{"binomial", barrier_binomial, XT_TREE_BINOMIAL},
	{NULL, NULL, XT_TREE_NONE},
};
