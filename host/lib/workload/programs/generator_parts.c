/* SPDX-License-Identifier: Apache-2.0 */
#include "generator_parts.h"

#include <stdlib.h>
#include <string.h>

int xt_generator_problem(const xt_generator_t *g, const char *const *names, unsigned *index)
{
	for (*index = 0; names[*index]; ++*index) {
		if (!g->problem || strcmp(g->problem, names[*index]) == 0) {
			return XT_OK;
		}
	}
	return xt_fail(
		g->diag, XT_ERR_INVALID, "%s: no class \"%.40s\"; there are %s", g->name, g->problem, g->problems);
}

int xt_generator_nas_class(const xt_generator_t *g, unsigned *index)
{
	static const char *const names[] = {"S", "W", "A", "B", "C", "D", "E", "F", NULL};

	return xt_generator_problem(g, names, index);
}

void xt_generator_swap(xt_generator_t *g, uint32_t rank, uint32_t to, uint64_t sent, uint32_t from, uint64_t received)
{
	xt_program_t *p = &g->programs[rank];
	uint32_t posted = xt_program_recv(p, from, received);

	xt_program_wait_both(p, posted, xt_program_send(p, to, sent));
}

void xt_generator_compute(xt_generator_t *g, uint32_t rank, uint64_t parts)
{
	xt_program_compute(&g->programs[rank], g->options->compute_ns / parts);
}

void xt_generator_compute_all(xt_generator_t *g, uint64_t parts)
{
	for (uint32_t r = 0; r < g->ranks; r++) {
		xt_generator_compute(g, r, parts);
	}
}

int xt_generator_collective(
	xt_generator_t *g, xt_group_t group, xt_collective_kind_t kind, uint64_t bytes, uint32_t element)
{
	xt_collective_t c = {.kind = kind, .ranks = group.count, .bytes = bytes, .element = element};
	xt_program_t *programs = malloc(group.count * sizeof(*programs));
	int status;

	c.rules = g->options->rules;
	c.segment = XT_SEGMENT_BY_RULES;
	if (!programs) {
		return g->w->status = XT_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < group.count; i++) {
		programs[i] = g->programs[group.members ? group.members[i] : i];
		programs[i].rank = i;
		programs[i].ranks = group.count;
		programs[i].members = group.members;
	}
	status = xt_collective_play(g->w, programs, &c, g->diag);
	for (uint32_t i = 0; i < group.count; i++) {
		uint32_t rank = group.members ? group.members[i] : i;

		g->programs[rank] = programs[i];
		g->programs[rank].rank = rank;
		g->programs[rank].ranks = g->ranks;
		g->programs[rank].members = NULL;
	}
	free(programs);
	return status;
}

int xt_generator_all(xt_generator_t *g, xt_collective_kind_t kind, uint64_t bytes, uint32_t element)
{
	return xt_generator_collective(g, (xt_group_t){NULL, g->ranks}, kind, bytes, element);
}
