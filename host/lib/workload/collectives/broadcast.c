/* SPDX-License-Identifier: Apache-2.0
 *
 * Broadcast and scatter. */
#include "algorithms.h"

static void linear(xt_play_t *play)
{
	const xt_collective_t *c = play->c;
	xt_program_t *root = &play->programs[c->root];

	for (uint32_t r = 0; r < c->ranks; r++) {
		if (r != c->root) {
			xt_send_bytes(root, r, 0, c->bytes, 0);
			xt_program_wait_one(&play->programs[r], xt_program_recv(&play->programs[r], c->root, c->bytes));
		}
	}
}

static void send_to_children(xt_program_t *p, const xt_tree_t *tree, uint64_t offset, uint64_t length)
{
	uint32_t sends[64], count = 0;

	for (uint32_t i = tree->first[p->rank]; i < tree->first[p->rank + 1] && count < 64; i++) {
		sends[count++] = xt_send_bytes(p, tree->child[i], offset, length, 0);
	}
	xt_program_wait(p, sends, count);
}

/* Down a tree, segment by segment, the next one's receive posted before the last one is passed on. */
static void down(const xt_play_t *play, const xt_tree_t *tree, xt_program_t *p)
{
	const xt_collective_t *c = play->c;
	const xt_segments_t cut = xt_cut(c->bytes, c->segment, c->element), *s = &cut;
	uint32_t parent = tree->parent[p->rank], received;

	if (p->rank == tree->root) {
		for (uint64_t i = 0; i < s->count; i++) {
			send_to_children(p, tree, i * s->segment, xt_segment_bytes(s, i));
		}
		return;
	}
	received = xt_program_recv(p, parent, xt_segment_bytes(s, 0));
	for (uint64_t i = 1; i <= s->count; i++) {
		uint32_t next = i < s->count ? xt_program_recv(p, parent, xt_segment_bytes(s, i)) : XT_NO_EVENT;

		xt_program_wait_one(p, received);
		send_to_children(p, tree, (i - 1) * s->segment, xt_segment_bytes(s, i - 1));
		received = next;
	}
}

static void by_tree(xt_play_t *play)
{
	xt_play_tree(play, down);
}

/* One half of the vector goes down each side of a binary tree, with blocking sends. */
static void down_half(xt_program_t *p, const xt_tree_t *tree, const xt_segments_t half[2], unsigned side)
{
	uint32_t parent = tree->parent[p->rank], received = XT_NO_EVENT;
	const xt_segments_t *s = &half[side];
	uint64_t base = side ? half[0].bytes : 0;

	if (p->rank == tree->root) {
		for (uint64_t i = 0; i < half[0].count; i++) {
			for (uint32_t k = 0; k < xt_tree_children(tree, p->rank); k++) {
				if (i < half[k].count) {
					xt_program_wait_one(p, xt_send_bytes(p, tree->child[tree->first[p->rank] + k],
								       (k ? half[0].bytes : 0) + i * half[k].segment,
								       xt_segment_bytes(&half[k], i), 0));
				}
			}
		}
		return;
	}
	for (uint64_t i = 0; i <= s->count; i++) {
		uint32_t next = i < s->count ? xt_program_recv(p, parent, xt_segment_bytes(s, i)) : XT_NO_EVENT;

		xt_program_wait_one(p, received);
		for (uint32_t k = tree->first[p->rank]; i > 0 && k < tree->first[p->rank + 1]; k++) {
			xt_program_wait_one(p, xt_send_bytes(p, tree->child[k], base + (i - 1) * s->segment,
						       xt_segment_bytes(s, i - 1), 0));
		}
		received = next;
	}
}

/* Then those at the same place on both sides swap halves; the last of an even number gets its second half from the
 * root.
 */
static void swap_halves(xt_program_t *p, uint32_t root, const xt_segments_t half[2], unsigned side)
{
	uint32_t n = p->ranks, last = (root + n - 1) % n;
	uint32_t pair = side == 0 ? (p->rank + 1) % n : (p->rank + n - 1) % n;
	uint32_t received;

	if (p->rank == root) {
		if (n % 2 == 0) {
			xt_program_wait_one(p, xt_send_bytes(p, last, half[0].bytes, half[1].bytes, 0));
		}
	} else if (n % 2 == 0 && p->rank == last) {
		xt_program_wait_one(p, xt_program_recv(p, root, half[1].bytes));
	} else {
		received = xt_program_recv(p, pair, half[!side].bytes);
		xt_program_wait_both(
			p, received, xt_send_bytes(p, pair, side ? half[0].bytes : 0, half[side].bytes, 0));
	}
}

/* Returns 0 if the vector is too short. */
static int cut_in_halves(const xt_collective_t *c, xt_segments_t half[2])
{
	uint64_t elements = c->bytes / c->element, first = (elements + 1) / 2 * c->element;
	uint64_t segment = c->segment && c->segment < c->element ? c->element : c->segment;

	half[0].bytes = first;
	half[1].bytes = c->bytes - first;
	if (half[1].bytes == 0 || segment > half[1].bytes) {
		return 0;
	}
	for (int i = 0; i < 2; i++) {
		half[i].segment = segment ? segment / c->element * c->element : half[i].bytes;
		half[i].count = (half[i].bytes + half[i].segment - 1) / half[i].segment;
	}
	return 1;
}

static void down_and_swap(const xt_play_t *play, const xt_tree_t *tree, xt_program_t *p)
{
	const xt_collective_t *c = play->c;
	unsigned side = ((p->rank + c->ranks - c->root) % c->ranks + 1) % 2;
	xt_segments_t half[2];

	cut_in_halves(c, half);
	down_half(p, tree, half, side);
	swap_halves(p, c->root, half, side);
}

static void split_binary(xt_play_t *play)
{
	xt_segments_t half[2];

	if (cut_in_halves(play->c, half)) {
		xt_play_tree(play, down_and_swap);
	} else {
		play->tree = XT_TREE_PIPELINE;
		by_tree(play);
	}
}

const xt_algorithm_entry_t xt_broadcast_algorithms[] = {
	{"linear", linear, XT_TREE_NONE},
	{"chain", by_tree, XT_TREE_CHAIN},
	{"pipeline", by_tree, XT_TREE_PIPELINE},
	{"split-binary", split_binary, XT_TREE_BINARY},
	{"binary", by_tree, XT_TREE_BINARY},
	{"binomial", by_tree, XT_TREE_BINOMIAL},
	{NULL, NULL, XT_TREE_NONE},
};

/* ---------------------------------------------------------------- scatter */

static void scatter_linear(xt_play_t *play)
{
	const xt_collective_t *c = play->c;
	xt_program_t *root = &play->programs[c->root];

	for (uint32_t r = 0; r < c->ranks; r++) {
		if (r != c->root) {
			xt_program_wait_one(root, xt_send_blocks(root, r, r, 1, c->bytes));
			xt_program_wait_one(&play->programs[r], xt_program_recv(&play->programs[r], c->root, c->bytes));
		}
	}
}

static void scatter_down(const xt_play_t *play, const xt_tree_t *tree, xt_program_t *p)
{
	const uint64_t bytes = play->c->bytes;

	if (p->rank != tree->root) {
		xt_program_wait_one(p, xt_program_recv(p, tree->parent[p->rank], xt_tree_below(tree, p->rank) * bytes));
	}
	for (uint32_t i = tree->first[p->rank]; i < tree->first[p->rank + 1]; i++) {
		uint32_t child = tree->child[i];

		xt_program_wait_one(p, xt_send_blocks(p, child, child, xt_tree_below(tree, child), bytes));
	}
}

static void scatter_binomial(xt_play_t *play)
{
	xt_play_tree(play, scatter_down);
}

const xt_algorithm_entry_t xt_scatter_algorithms[] = {
	{"linear", scatter_linear, XT_TREE_NONE},
	{"binomial", scatter_binomial, XT_TREE_IN_ORDER_BINOMIAL},
	{NULL, NULL, XT_TREE_NONE},
};
