/* SPDX-License-Identifier: Apache-2.0
 *
 * Graph500 (reference code 2.1.4, mpi/bfs_replicated_csc.c): searches by levels in which every rank has the bitmap of
 * all vertices. A level ends with an allreduce that says whether a vertex is new. If so, the bitmap and a summary with
 * a bit for each of its words are gathered. A Kronecker graph of edge factor 16 has about seven levels; the last one
 * finds nothing. */
#include <inttypes.h>

#include "generator_parts.h"

enum { WORD = 8, WORD_BITS = 64, LEVELS = 7, SEARCHES = 64 };

int xt_generate_graph500(xt_generator_t *g)
{
	static const char *const names[] = {
		"toy", "mini", "small", "medium", "large", "huge", "14", "16", "18", "20", "22", "24", NULL};
	static const unsigned scales[] = {26, 29, 32, 36, 39, 42, 14, 16, 18, 20, 22, 24};
	uint32_t levels = g->options->levels ? g->options->levels : LEVELS;
	uint64_t vertices, summary = 1;
	unsigned index;
	int status = xt_generator_problem(g, names, &index);

	if (status != XT_OK) {
		return status;
	}
	/* The program has a power of two of words on each rank. */
	vertices = ((UINT64_C(1) << scales[index]) + g->ranks - 1) / g->ranks;
	while (summary * WORD_BITS * WORD_BITS < vertices) {
		summary *= 2;
	}
	for (uint32_t i = 0; i < xt_generator_rounds(g, SEARCHES); i++) {
		for (uint32_t level = 1; level <= levels && status == XT_OK; level++) {
			xt_generator_compute_all(g, levels);
			status = xt_generator_all(g, XT_COLLECTIVE_ALLREDUCE, WORD, WORD);
			if (status == XT_OK && level < levels) {
				status = xt_generator_all(g, XT_COLLECTIVE_ALLGATHER, WORD * WORD_BITS * summary, WORD);
				status = status == XT_OK
						 ? xt_generator_all(g, XT_COLLECTIVE_ALLGATHER, WORD * summary, WORD)
						 : status;
			}
		}
	}
	return status;
}
