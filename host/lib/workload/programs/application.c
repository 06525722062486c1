/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "generator_parts.h"

#define NAS_CLASSES "S, W, A, B, C, D, E and F"

/* `write` adds all events; it refuses what the program refuses. */
typedef struct {
	const char *name, *problems;
	int (*write)(xt_generator_t *g);
	int power_of_two;
} entry_t;

static const entry_t entries[XT_APPLICATIONS] = {
	[XT_APPLICATION_CG] = {"cg", NAS_CLASSES, xt_generate_cg, 1},
	[XT_APPLICATION_IS] = {"is", "S, W, A, B, C, D and E", xt_generate_is, 1},
	[XT_APPLICATION_FT] = {"ft", NAS_CLASSES, xt_generate_ft, 1},
	[XT_APPLICATION_LU] = {"lu", NAS_CLASSES, xt_generate_lu, 0},
	[XT_APPLICATION_MG] = {"mg", NAS_CLASSES, xt_generate_mg, 1},
	[XT_APPLICATION_GRAPH500] = {"graph500",
		"toy, mini, small, medium, large and huge, or 14, 16, 18, 20, 22 and 24, the logarithm of the vertices",
		xt_generate_graph500, 0},
	[XT_APPLICATION_RANDOM_ACCESS] = {"randomaccess",
		"16, 18, 20, 22, 24, 26, 28 and 30, the logarithm of the table's words", xt_generate_random_access, 0},
	[XT_APPLICATION_PTRANS] = {"ptrans", "1000, 2000, 4000, 8000, 16000, 32000 and 64000, the order of the matrix",
		xt_generate_ptrans, 0},
	[XT_APPLICATION_NAMD] = {"namd", "apoa1, f1atpase and stmv", xt_generate_namd, 0},
	[XT_APPLICATION_TRAINING] = {"training",
		"1.7B, 3.6B, 7.5B, 18.4B, 39.1B, 76.1B, 145.6B, 310.1B, 529.6B and 1008B, the number of parameters",
		xt_generate_training, 0},
};

int xt_application_parse(const char *text, xt_application_kind_t *kind, xt_diag_t *diag)
{
	for (unsigned k = 0; k < XT_APPLICATIONS; k++) {
		if (strcmp(text, entries[k].name) == 0) {
			*kind = (xt_application_kind_t)k;
			return XT_OK;
		}
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"no application \"%.40s\"; there are cg, is, ft, lu, mg, graph500, randomaccess, ptrans, namd and "
		"training",
		text);
}

const char *xt_application_problems(xt_application_kind_t kind)
{
	return entries[kind].problems;
}

static int write_programs(xt_generator_t *g, const entry_t *entry)
{
	int status;

	g->w = xt_workload_create(g->ranks);
	g->programs = malloc(g->ranks * sizeof(*g->programs));
	if (!g->w || !g->programs) {
		status = XT_ERR_NOMEM;
	} else {
		for (uint32_t r = 0; r < g->ranks; r++) {
			g->programs[r] = xt_program_begin(g->w, r);
		}
		status = entry->write(g);
		status = status == XT_OK ? g->w->status : status;
	}
	free(g->programs);
	if (status == XT_ERR_NOMEM) {
		return xt_fail(g->diag, status,
			"%s: out of memory after %" PRIu32 " events; generate fewer rounds, or fewer ranks", g->name,
			g->w ? g->w->count : 0);
	}
	return status == XT_OK ? xt_workload_finish(g->w, g->name, g->diag) : status;
}

int xt_application_create(const xt_application_t *application, xt_workload_t **out, xt_diag_t *diag)
{
	const entry_t *entry = &entries[application->kind];
	xt_generator_t g = {.options = application,
		.name = entry->name,
		.problem = application->problem,
		.problems = entry->problems,
		.ranks = application->ranks,
		.diag = diag};
	int status;

	*out = NULL;
	if (g.ranks < 1 || g.ranks > XT_MAX_APPLICATION_RANKS) {
		return xt_fail(diag, XT_ERR_RANGE, "%s: %" PRIu32 " ranks; choose 1 to %d", g.name, g.ranks,
			XT_MAX_APPLICATION_RANKS);
	}
	if (entry->power_of_two && (g.ranks & (g.ranks - 1))) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%s: %" PRIu32 " ranks; this program runs on a power of two only, for example %d", g.name,
			g.ranks, 1 << (31 - __builtin_clz(g.ranks)));
	}
	status = write_programs(&g, entry);
	if (status != XT_OK) {
		xt_workload_free(g.w);
		return status;
	}
	*out = g.w;
	return XT_OK;
}
