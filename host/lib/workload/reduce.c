/* SPDX-License-Identifier: Apache-2.0
 *
 * Reduce and gather. */
#include <stdlib.h>

#include "lib/workload/algorithms.h"
#include "lib/workload/tree.h"

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
static void up(xt_program_t *p, const xt_tree_t *tree, const xt_segments_t *s)
{
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

static void by_tree(xt_play_t *play, xt_tree_kind_t kind, uint32_t fanout)
{
	const xt_collective_t *c = play->c;
	xt_segments_t s = xt_cut(c->bytes, c->segment, c->element);
	xt_tree_t tree;

	if (!xt_tree_make(&tree, kind, c->ranks, c->root, fanout)) {
		play->w->status = XT_ERR_NOMEM;
	}
	for (uint32_t r = 0; r < c->ranks && play->w->status == XT_OK; r++) {
		up(&play->programs[r], &tree, &s);
	}
	/* The tree has a root of its own: that one passes the result on. */
	if (play->w->status == XT_OK && tree.root != c->root) {
		xt_program_t *from = &play->programs[tree.root], *to = &play->programs[c->root];

		xt_program_wait_one(from, xt_send_bytes(from, c->root, 0, c->bytes, 0));
		xt_program_wait_one(to, xt_program_recv(to, tree.root, c->bytes));
	}
	xt_tree_free(&tree);
}

static void binomial(xt_play_t *play)
{
	by_tree(play, XT_TREE_IN_ORDER_BINOMIAL, 0);
}

static void binary(xt_play_t *play)
{
	by_tree(play, XT_TREE_BINARY, 0);
}

static void in_order_binary(xt_play_t *play)
{
	by_tree(play, XT_TREE_IN_ORDER_BINARY, 0);
}

static void pipeline(xt_play_t *play)
{
	by_tree(play, XT_TREE_CHAIN, 1);
}

static void chain(xt_play_t *play)
{
	by_tree(play, XT_TREE_CHAIN, play->c->fanout);
}

const xt_algorithm_entry_t xt_reduce_algorithms[] = {
	{"linear", linear},
	{"chain", chain},
	{"pipeline", pipeline},
	{"binary", binary},
	{"binomial", binomial},
	{"in-order-binary", in_order_binary},
	{NULL, NULL},
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

static void gather_binomial(xt_play_t *play)
{
	const xt_collective_t *c = play->c;
	xt_tree_t tree;

	if (!xt_tree_make(&tree, XT_TREE_IN_ORDER_BINOMIAL, c->ranks, c->root, 0)) {
		play->w->status = XT_ERR_NOMEM;
	}
	for (uint32_t r = 0; r < c->ranks && play->w->status == XT_OK; r++) {
		xt_program_t *p = &play->programs[r];

		for (uint32_t i = tree.first[r]; i < tree.first[r + 1]; i++) {
			uint32_t child = tree.child[i];

			xt_program_wait_one(p, xt_program_recv(p, child, xt_tree_below(&tree, child) * c->bytes));
		}
		if (r != c->root) {
			xt_program_wait_one(p, xt_send_blocks(p, tree.parent[r], r, xt_tree_below(&tree, r), c->bytes));
		}
	}
	xt_tree_free(&tree);
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
	{"linear", gather_linear},
	{"binomial", gather_binomial},
	{"linear-sync", gather_linear_sync},
	{NULL, NULL},
};
