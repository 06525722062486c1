/* SPDX-License-Identifier: Apache-2.0
 *
 * Reduce and gather. */
#include <stdlib.h>

#include "algorithms.h"

static void linear(xt_play_t *play)
{
	const xt_collective_t *c = play->c;
	xt_program_t *root = &play->programs[c->root];

	for (uint32_t r = c->ranks; r-- > 0;) {
		if (r != c->root) {
			xt_program_wait_one(
				&play->programs[r], xt_send_bytes(&play->programs[r], c->root, 0, c->bytes, 1));
			xt_program_wait_one(root, xt_program_recv(root, r, c->bytes));
		}
	}
}

/* Up a tree, segment by segment. A receive is posted before the one before it, of another child or of the last segment,
 * is waited for. */
static void up(const xt_play_t *play, const xt_tree_t *tree, xt_program_t *p)
{
	const xt_collective_t *c = play->c;
	const xt_segments_t cut = xt_cut(c->bytes, c->segment, c->element), *s = &cut;
	uint32_t children = xt_tree_children(tree, p->rank), parent = tree->parent[p->rank];
	const uint32_t *child = tree->child + tree->first[p->rank];
	uint32_t before = XT_NO_EVENT;

	for (uint64_t i = 0; i < s->count && children == 0; i++) {
		xt_program_wait_one(p, xt_send_bytes(p, parent, i * s->segment, xt_segment_bytes(s, i), 1));
	}
	for (uint64_t i = 0; i <= s->count && children > 0; i++) {
		for (uint32_t k = 0; k < children; k++) {
			uint32_t posted =
				i < s->count ? xt_program_recv(p, child[k], xt_segment_bytes(s, i)) : XT_NO_EVENT;

			xt_program_wait_one(p, before);
			before = posted;
			if (k == 0 && i > 0) {
				if (p->rank != tree->root) {
					xt_program_wait_one(p, xt_send_bytes(p, parent, (i - 1) * s->segment,
								       xt_segment_bytes(s, i - 1), 1));
				}
				if (i == s->count) {
					return;
				}
			}
		}
	}
}

static void by_tree(xt_play_t *play)
{
	const xt_collective_t *c = play->c;
	uint32_t root = xt_play_tree(play, up);

	/* The tree has a root of its own: that one passes the result on. */
	if (play->w->status == XT_OK && root != c->root) {
		xt_program_t *from = &play->programs[root], *to = &play->programs[c->root];

		xt_program_wait_one(from, xt_send_bytes(from, c->root, 0, c->bytes, 0));
		xt_program_wait_one(to, xt_program_recv(to, root, c->bytes));
	}
}

const xt_algorithm_entry_t xt_reduce_algorithms[] = {
	{"linear", linear, XT_TREE_NONE},
	{"chain", by_tree, XT_TREE_CHAIN},
	{"pipeline", by_tree, XT_TREE_PIPELINE},
	{"binary", by_tree, XT_TREE_BINARY},
	{"binomial", by_tree, XT_TREE_IN_ORDER_BINOMIAL},
	{"in-order-binary", by_tree, XT_TREE_IN_ORDER_BINARY},
	{NULL, NULL, XT_TREE_NONE},
};

/* ---------------------------------------------------------------- gather */

static void gather_linear(xt_play_t *play)
{
	const xt_collective_t *c = play->c;
	xt_program_t *root = &play->programs[c->root];

	for (uint32_t r = 0; r < c->ranks; r++) {
		if (r != c->root) {
			xt_program_wait_one(
				&play->programs[r], xt_send_blocks(&play->programs[r], c->root, r, 1, c->bytes));
			xt_program_wait_one(root, xt_program_recv(root, r, c->bytes));
		}
	}
}

static void gather_up(const xt_play_t *play, const xt_tree_t *tree, xt_program_t *p)
{
	const uint64_t bytes = play->c->bytes;

	for (uint32_t i = tree->first[p->rank]; i < tree->first[p->rank + 1]; i++) {
		uint32_t child = tree->child[i];

		xt_program_wait_one(p, xt_program_recv(p, child, xt_tree_below(tree, child) * bytes));
	}
	if (p->rank != tree->root) {
		xt_program_wait_one(
			p, xt_send_blocks(p, tree->parent[p->rank], p->rank, xt_tree_below(tree, p->rank), bytes));
	}
}

static void gather_binomial(xt_play_t *play)
{
	xt_play_tree(play, gather_up);
}

/* The root asks each rank in turn by an empty message, and waits for the first segment of its block only. */
static void gather_linear_sync(xt_play_t *play)
{
	const xt_collective_t *c = play->c;
	xt_segments_t s = xt_cut(c->bytes, c->segment, c->element);
	uint64_t head = xt_segment_bytes(&s, 0), rest = c->bytes - head;
	xt_program_t *root = &play->programs[c->root];
	uint32_t *second = malloc(c->ranks * sizeof(*second));

	if (!second) {
		play->w->status = XT_ERR_NOMEM;
		return;
	}
	for (uint32_t r = 0; r < c->ranks; r++) {
		xt_program_t *p = &play->programs[r];
		uint32_t first;

		second[r] = XT_NO_EVENT;
		if (r == c->root) {
			continue;
		}
		first = xt_program_recv(root, r, head);
		xt_program_send(root, r, 0);
		second[r] = xt_program_recv(root, r, rest);
		xt_program_wait_one(root, first);
		xt_program_wait_one(p, xt_program_recv(p, c->root, 0));
		xt_program_wait_one(p, xt_send_bytes(p, c->root, (uint64_t)r * c->bytes, head, 0));
		xt_program_wait_one(p, xt_send_bytes(p, c->root, (uint64_t)r * c->bytes + head, rest, 0));
	}
	xt_program_wait(root, second, c->ranks);
	free(second);
}

const xt_algorithm_entry_t xt_gather_algorithms[] = {
	{"linear", gather_linear, XT_TREE_NONE},
	{"binomial", gather_binomial, XT_TREE_IN_ORDER_BINOMIAL},
	{"linear-sync", gather_linear_sync, XT_TREE_NONE},
	{NULL, NULL, XT_TREE_NONE},
};
