/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <stdlib.h>

enum { MOST_CHILDREN = 32 };

typedef struct {
	uint32_t child[MOST_CHILDREN];
	unsigned count;
} children_t;

static void add(children_t *c, uint64_t child, uint32_t ranks)
{
	if (child < ranks && c->count < MOST_CHILDREN) {
		c->child[c->count++] = (uint32_t)child;
	}
}

static void binomial(children_t *c, uint32_t v, uint32_t ranks)
{
	uint64_t mask = 1;

	while (mask <= v) {
		mask <<= 1;
	}
	for (; v + mask < ranks; mask <<= 1) {
		add(c, v + mask, ranks);
	}
}

static void in_order_binomial(children_t *c, uint32_t v, uint32_t ranks)
{
	for (uint64_t mask = 1; mask < ranks && !(v & mask); mask <<= 1) {
		add(c, v + mask, ranks);
	}
}

static void binary(children_t *c, uint32_t v, uint32_t ranks)
{
	uint64_t width = 1;

	/* Ranks width - 1 to 2 * width - 2 are a level. */
	while (2 * width - 1 <= v) {
		width *= 2;
	}
	add(c, v + width, ranks);
	add(c, v + 2 * width, ranks);
}

static void chain(children_t *c, uint32_t v, uint32_t ranks, uint32_t fanout)
{
	uint32_t others = ranks - 1, chains = fanout < others ? fanout : others;
	uint32_t most = chains ? (others + chains - 1) / chains : 0;
	uint32_t longer = chains && others % chains ? others % chains : chains; /* chains that are `most` long */
	uint32_t head = 1;

	for (uint32_t i = 0; i < chains; i++) {
		uint32_t length = most - (i >= longer);

		if (v == 0) {
			add(c, head, ranks);
		} else if (v >= head && v + 1 < head + length) {
			add(c, v + 1, ranks);
		}
		head += length;
	}
}

/* Rank v in the tree of the ranks from `low` on. */
static void in_order_binary(children_t *c, uint32_t v, uint32_t low, uint32_t size)
{
	for (;;) {
		uint32_t top = low + size - 1, right = size > 2 ? size / 2 : 0;

		if (v == top) {
			if (size > 1) {
				c->child[c->count++] = top - 1;
			}
			if (size > 2) {
				c->child[c->count++] = low + right - 1;
			}
			return;
		}
		if (v < low + right) {
			size = right;
		} else {
			low += right;
			size -= right + 1;
		}
	}
}

static void find_children(children_t *c, xt_tree_kind_t kind, uint32_t v, uint32_t ranks, uint32_t fanout)
{
	switch (kind) {
	case XT_TREE_NONE:
		return;
	case XT_TREE_BINOMIAL:
		binomial(c, v, ranks);
		return;
	case XT_TREE_IN_ORDER_BINOMIAL:
		in_order_binomial(c, v, ranks);
		return;
	case XT_TREE_BINARY:
		binary(c, v, ranks);
		return;
	case XT_TREE_IN_ORDER_BINARY:
		in_order_binary(c, v, 0, ranks);
		return;
	case XT_TREE_CHAIN:
		chain(c, v, ranks, fanout);
		return;
	case XT_TREE_PIPELINE:
		chain(c, v, ranks, 1);
		return;
	}
}

int xt_tree_make(xt_tree_t *tree, xt_tree_kind_t kind, uint32_t ranks, uint32_t root, uint32_t fanout)
{
	uint32_t used = 0;

	*tree = (xt_tree_t){.ranks = ranks, .root = kind == XT_TREE_IN_ORDER_BINARY ? ranks - 1 : root};
	tree->parent = malloc(ranks * sizeof(*tree->parent));
	tree->first = malloc(((size_t)ranks + 1) * sizeof(*tree->first));
	tree->child = malloc(ranks * sizeof(*tree->child));
	if (!tree->parent || !tree->first || !tree->child) {
		return 0;
	}
	tree->parent[tree->root] = tree->root;
	for (uint32_t r = 0; r < ranks; r++) {
		uint32_t shift = kind == XT_TREE_IN_ORDER_BINARY ? 0 : root;
		children_t c = {.count = 0};

		find_children(&c, kind, (r + ranks - shift) % ranks, ranks, fanout);
		tree->first[r] = used;
		for (unsigned i = 0; i < c.count; i++) {
			uint32_t child = (c.child[i] + shift) % ranks;

			tree->child[used++] = child;
			tree->parent[child] = r;
		}
	}
	tree->first[ranks] = used;
	return 1;
}

void xt_tree_free(xt_tree_t *tree)
{
	free(tree->parent);
	free(tree->first);
	free(tree->child);
}
