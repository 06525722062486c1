/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a workload as a GOAL schedule. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/workload_file.h"
#include "workload/build.h"

/* ---------------------------------------------------------------- cpus */

/* Of several computations that may come last before an event, one that is last on its cpu. */
static uint32_t choose(uint32_t a, uint32_t b, const uint32_t *cpu, const uint32_t *last_on)
{
	return a == XT_NO_EVENT || (b != XT_NO_EVENT && last_on[cpu[a]] != a) ? b : a;
}

/* A workload without cpus: computations that need not come one after the other get different ones, from 1 on in each
 * rank, and all else is on cpu 0, where nothing is computed. `cpu`, `chain` and `last_on` have a place for each event
 * and one for each rank; `order` is that of xt_workload_order. */
static void spread(const xt_workload_t *w, const uint32_t *order, uint32_t *cpu, uint32_t *chain, uint32_t *last_on)
{
	uint32_t used = 0;

	/* The numbers of all ranks at first; cpu 0 stands for none. */
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t e = order[i];
		const xt_event_list_t waits = xt_edges_back(&w->ends, e);

		cpu[e] = 0;
		chain[e] = XT_NO_EVENT;
		for (uint32_t k = 0; k < waits.count; k++) {
			chain[e] = choose(chain[e], chain[waits.events[k]], cpu, last_on);
		}
		if (w->kind[e] == XT_EVENT_CALC && xt_workload_size(w, e)) {
			cpu[e] = chain[e] != XT_NO_EVENT && last_on[cpu[chain[e]]] == chain[e] ? cpu[chain[e]] : ++used;
			last_on[cpu[e]] = e;
			chain[e] = e;
		}
	}
}

/* Numbers the cpus of each rank from 1 on, in the order of its events. */
static int renumber(const xt_workload_t *w, uint32_t *cpu, uint32_t *number, uint32_t *of_rank)
{
	memset(number, 0, ((size_t)w->count + 1) * sizeof(*number));
	memset(of_rank, 0, w->ranks * sizeof(*of_rank));
	for (uint32_t e = 0; e < w->count; e++) {
		if (cpu[e]) {
			uint32_t *n = &number[cpu[e]];

			*n = *n ? *n : ++of_rank[w->rank[e]];
			if (*n > XT_MOST_CPU) {
				return 0;
			}
			cpu[e] = *n;
		}
	}
	return 1;
}

/* *out: by event, freed by the caller. */
static int find_cpus(const xt_workload_t *w, uint32_t **out, xt_diag_t *diag)
{
	size_t count = (size_t)w->count + 1;
	uint32_t *cpu = malloc(count * sizeof(*cpu)), *work = malloc((3 * count + w->ranks) * sizeof(*work));
	int status = XT_OK;

	if (!cpu || !work) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for %" PRIu32 " events", w->count);
	} else if (w->with_cpus) {
		for (uint32_t e = 0; e < w->count; e++) {
			cpu[e] = w->cpu[e] == XT_NO_CPU ? 0 : w->cpu[e];
		}
	} else {
		xt_workload_order(w, work, work + count);
		spread(w, work, cpu, work + count, work + 2 * count);
		if (!renumber(w, cpu, work, work + 3 * count)) {
			status = xt_fail(diag, XT_ERR_UNSUPPORTED,
				"more than %d computations of a rank at the same time", XT_MOST_CPU);
		}
	}
	free(work);
	if (status != XT_OK) {
		free(cpu);
		cpu = NULL;
	}
	*out = cpu;
	return status;
}

/* ---------------------------------------------------------------- text */

static void write_event(const xt_workload_t *w, uint32_t e, uint32_t label, uint32_t cpu, FILE *out)
{
	if (w->kind[e] == XT_EVENT_CALC) {
		fprintf(out, "l%" PRIu32 ": calc %" PRIu64, label, xt_workload_size(w, e));
	} else {
		int send = w->kind[e] == XT_EVENT_SEND;
		uint64_t tag = xt_workload_tag(w, e);

		fprintf(out, "l%" PRIu32 ": %s %" PRIu64 "b %s ", label, send ? "send" : "recv", xt_workload_size(w, e),
			send ? "to" : "from");
		fprintf(out, w->peer[e] == XT_ANY_SOURCE ? "-1" : "%" PRIu32, w->peer[e]);
		fprintf(out, tag == XT_ANY_TAG ? " tag -1" : " tag %" PRIu64, tag);
	}
	if (cpu) {
		fprintf(out, " cpu %" PRIu32, cpu);
	}
	fputs("\n", out);
}

/* `label`: of each event within its rank. `order`: the events rank by rank. */
static void write_ranks(
	const xt_workload_t *w, const uint32_t *label, const uint32_t *order, const uint32_t *cpu, FILE *out)
{
	size_t at = 0;

	for (uint32_t rank = 0; rank < w->ranks; rank++) {
		size_t begin = at;

		fprintf(out, "\nrank %" PRIu32 " {\n", rank);
		for (; at < w->count && w->rank[order[at]] == rank; at++) {
			uint32_t e = order[at];

			write_event(w, e, label[e], cpu[e], out);
		}
		for (size_t i = begin; i < at; i++) {
			uint32_t e = order[i];
			const xt_event_list_t ends = xt_edges_back(&w->ends, e), begins = xt_edges_back(&w->begins, e);

			for (uint32_t k = 0; k < ends.count; k++) {
				fprintf(out, "l%" PRIu32 " requires l%" PRIu32 "\n", label[e], label[ends.events[k]]);
			}
			for (uint32_t k = 0; k < begins.count; k++) {
				fprintf(out, "l%" PRIu32 " irequires l%" PRIu32 "\n", label[e],
					label[begins.events[k]]);
			}
		}
		fprintf(out, "}\n");
	}
}

int xt_workload_write_goal(const xt_workload_t *w, FILE *out, xt_diag_t *diag)
{
	uint32_t *label = malloc(((size_t)w->count + 1) * sizeof(*label));
	uint32_t *order = malloc(((size_t)w->count + 1) * sizeof(*order));
	size_t *place = calloc((size_t)w->ranks + 1, sizeof(*place));
	uint32_t *cpu = NULL;
	int status = !label || !order || !place
			     ? xt_fail(diag, XT_ERR_NOMEM, "out of memory for %" PRIu32 " events", w->count)
			     : find_cpus(w, &cpu, diag);

	if (status != XT_OK) {
		free(label);
		free(order);
		free(place);
		return status;
	}
	for (uint32_t e = 0; e < w->count; e++) {
		label[e] = (uint32_t)++place[w->rank[e] + 1];
	}
	for (uint32_t r = 0; r < w->ranks; r++) {
		place[r + 1] += place[r];
	}
	for (uint32_t e = 0; e < w->count; e++) {
		order[place[w->rank[e]] + label[e] - 1] = e;
	}
	fprintf(out, "num_ranks %" PRIu32 "\n", w->ranks);
	write_ranks(w, label, order, cpu, out);
	free(cpu);
	free(label);
	free(order);
	free(place);
	return ferror(out) ? xt_fail(diag, XT_ERR_IO, "the schedule cannot be written") : XT_OK;
}
