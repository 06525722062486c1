/* SPDX-License-Identifier: Apache-2.0
 *
 * The algorithms of collectives, after Open MPI's coll/base. Each adds the programs of all ranks to the workload,
 * behind what their programs have so far. */
#pragma once

#include "tree.h"
#include "workload/build.h"

/* A collective under way: the programs of all ranks, at [rank]. */
typedef struct xt_play xt_play_t;
struct xt_play {
	xt_workload_t *w;
	xt_program_t *programs;
	const xt_collective_t *c; /* decided */
	xt_tree_kind_t tree;      /* of its algorithm */
	/* Plays another collective as a part of this one; `part` may be undecided. The list of algorithms is above the
	 * algorithms, hence a pointer. */
	void (*part)(xt_play_t *play, xt_collective_t part);
};

typedef struct {
	const char *name;
	void (*play)(xt_play_t *play);
	xt_tree_kind_t tree;
} xt_algorithm_entry_t;

/* Ended by one without a name. */
extern const xt_algorithm_entry_t xt_broadcast_algorithms[], xt_reduce_algorithms[], xt_allreduce_algorithms[],
	xt_gather_algorithms[], xt_scatter_algorithms[], xt_allgather_algorithms[], xt_barrier_algorithms[],
	xt_alltoall_algorithms[];

/* What a rank does along the tree. */
typedef void (*xt_tree_part_t)(const xt_play_t *play, const xt_tree_t *tree, xt_program_t *p);
/* All ranks' parts along the tree of the algorithm. Returns the tree's root. */
uint32_t xt_play_tree(xt_play_t *play, xt_tree_part_t part);

/* A send of bytes of a vector, or of whole blocks. */
uint32_t xt_send_bytes(xt_program_t *p, uint32_t to, uint64_t offset, uint64_t length, int reduce);
uint32_t xt_send_blocks(xt_program_t *p, uint32_t to, uint32_t first, uint32_t count, uint64_t bytes);

/* The vector in segments, as Open MPI cuts it. */
typedef struct {
	uint64_t bytes;   /* of all */
	uint64_t segment; /* of each but the last */
	uint64_t count;
} xt_segments_t;

xt_segments_t xt_cut(uint64_t bytes, uint64_t segment, uint32_t element);
static inline uint64_t xt_segment_bytes(const xt_segments_t *s, uint64_t i)
{
	return i + 1 < s->count ? s->segment : s->bytes - i * s->segment;
}
