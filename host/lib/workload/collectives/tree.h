/* SPDX-License-Identifier: Apache-2.0
 *
 * The trees along which Open MPI's collectives send (coll/base, coll_base_topo.c). */
#pragma once

#include <stdint.h>

typedef enum {
	XT_TREE_NONE,              /* of an algorithm without a tree */
	XT_TREE_BINOMIAL,          /* children of v: v + 2^k for 2^k > v; the far ones have the small subtrees */
	XT_TREE_IN_ORDER_BINOMIAL, /* children of v: v + 2^k for 2^k below v's lowest one: subtrees are contiguous */
	XT_TREE_BINARY,            /* level by level; odd ranks below the first child, even ones below the second */
	XT_TREE_IN_ORDER_BINARY,   /* root ranks - 1, whatever is asked for; a walk in order meets all ranks in order */
	XT_TREE_CHAIN,             /* `fanout` chains from the root, as long as each other */
	XT_TREE_PIPELINE,          /* one chain */
} xt_tree_kind_t;

typedef struct {
	uint32_t ranks, root;
	uint32_t *parent; /* by rank; the root's is the root */
	uint32_t *first;  /* children of r: child[first[r]] .. child[first[r + 1] - 1], in the order of sending */
	uint32_t *child;
} xt_tree_t;

/* Ends with xt_tree_free, also when out of memory, which is 0. */
int xt_tree_make(xt_tree_t *tree, xt_tree_kind_t kind, uint32_t ranks, uint32_t root, uint32_t fanout);
void xt_tree_free(xt_tree_t *tree);

/* Ranks in the subtree of `rank`, not the root, of an in-order binomial tree: as many as it is away from its parent,
 * but for the last ones. They follow each other from `rank` on. */
static inline uint32_t xt_tree_below(const xt_tree_t *tree, uint32_t rank)
{
	uint32_t v = (rank + tree->ranks - tree->root) % tree->ranks;
	uint32_t away = (rank + tree->ranks - tree->parent[rank]) % tree->ranks;

	return away < tree->ranks - v ? away : tree->ranks - v;
}

static inline uint32_t xt_tree_children(const xt_tree_t *tree, uint32_t rank)
{
	return tree->first[rank + 1] - tree->first[rank];
}
