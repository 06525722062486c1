/* SPDX-License-Identifier: Apache-2.0
 *
 * Several workloads in one network. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "extorus/replay.h"
#include "workload/build.h"

/* ---------------------------------------------------------------- one workload of several */

static int out_of_memory(xt_diag_t *diag)
{
	return xt_fail(diag, XT_ERR_NOMEM, "jobs: out of memory");
}

static int add_events(xt_workload_t *w, const xt_workload_t *job, uint32_t first_rank)
{
	const uint32_t first = w->count;

	for (uint32_t e = 0; e < job->count && w->status == XT_OK; e++) {
		const int is_named = job->kind[e] != XT_EVENT_CALC && job->peer[e] != XT_ANY_SOURCE;
		const uint32_t peer = job->peer[e] + (is_named ? first_rank : 0);

		if (xt_workload_add(w, (xt_event_kind_t)job->kind[e], job->rank[e] + first_rank, peer,
			    xt_workload_size(job, e), xt_workload_tag(job, e), job->line[e]) == XT_NO_EVENT) {
			break;
		}
		w->match[first + e] = job->match[e] + (job->match[e] == XT_NO_EVENT ? 0 : first);
		if (w->with_cpus) {
			w->cpu[first + e] = job->with_cpus ? job->cpu[e] : XT_NO_CPU;
		}
	}
	return w->status;
}

/* Those that wait for an event stay in their order, in which they begin. */
static void add_edges(xt_workload_t *w, const xt_workload_t *job, uint32_t first)
{
	for (uint32_t e = 0; e < job->count; e++) {
		const xt_event_list_t ends = xt_edges_next(&job->ends, e), begins = xt_edges_next(&job->begins, e);

		for (uint32_t i = 0; i < ends.count; i++) {
			xt_workload_depend(w, first + ends.events[i], first + e);
		}
		for (uint32_t i = 0; i < begins.count; i++) {
			xt_workload_depend_begin(w, first + begins.events[i], first + e);
		}
	}
}

static int add_wild(xt_workload_t *w, const xt_workload_t *job, uint32_t first_rank)
{
	if (job->wild && !w->wild && !(w->wild = calloc(w->ranks, sizeof(*w->wild)))) {
		return XT_ERR_NOMEM;
	}
	if (job->wild) {
		memcpy(w->wild + first_rank, job->wild, job->ranks * sizeof(*w->wild));
	}
	return XT_OK;
}

int xt_workload_join(xt_workload_t *const *jobs, unsigned count, xt_workload_t **out, xt_diag_t *diag)
{
	uint64_t ranks = 0, first_rank = 0;
	xt_workload_t *w;
	int status = XT_OK;

	*out = NULL;
	for (unsigned j = 0; j < count; j++) {
		ranks += jobs[j]->ranks;
	}
	if (ranks > XT_MAX_RANKS) {
		return xt_fail(diag, XT_ERR_RANGE, "jobs of %" PRIu64 " ranks together; there are %d at most", ranks,
			XT_MAX_RANKS);
	}
	w = xt_workload_create((uint32_t)ranks);
	if (!w) {
		return out_of_memory(diag);
	}
	for (unsigned j = 0; j < count; j++) {
		w->with_cpus |= jobs[j]->with_cpus;
	}
	for (unsigned j = 0; j < count && status == XT_OK; first_rank += jobs[j++]->ranks) {
		const uint32_t first = w->count;

		status = add_events(w, jobs[j], (uint32_t)first_rank);
		if (status == XT_OK) {
			add_edges(w, jobs[j], first);
			status = w->status == XT_OK ? add_wild(w, jobs[j], (uint32_t)first_rank) : w->status;
		}
	}
	status = status == XT_OK ? xt_workload_index(w) : status;
	if (status != XT_OK) {
		xt_workload_free(w);
		return out_of_memory(diag);
	}
	*out = w;
	return XT_OK;
}

/* ---------------------------------------------------------------- PEs */

typedef struct {
	const xt_image_t *image;
	const xt_job_t *jobs;
	uint32_t *owner; /* [pe]: the job that has the PE, from 1 on */
	uint32_t *pe;    /* by rank */
} placing_t;

/* The PE has room for as many of the ranks as may be there. */
static int take_pe(placing_t *p, unsigned j, uint32_t pe, uint32_t *placed, xt_diag_t *diag)
{
	const xt_job_t *job = &p->jobs[j];
	const uint32_t each = job->tasks_per_pe ? job->tasks_per_pe : 1;

	if (!xt_image_pe_in_service(p->image, pe)) {
		return xt_fail(diag, XT_ERR_INVALID, "job %.100s@%.100s: PE %" PRIu32 " is out of service", job->name,
			job->pes, pe);
	}
	if (p->owner[pe] == j + 1) {
		return xt_fail(
			diag, XT_ERR_INVALID, "job %.100s@%.100s: PE %" PRIu32 " comes twice", job->name, job->pes, pe);
	}
	if (p->owner[pe]) {
		const xt_job_t *other = &p->jobs[p->owner[pe] - 1];

		return xt_fail(diag, XT_ERR_INVALID,
			"job %.100s@%.100s: job %.100s@%.100s has PE %" PRIu32 " already; choose others", job->name,
			job->pes, other->name, other->pes, pe);
	}
	p->owner[pe] = j + 1;
	for (uint32_t i = 0; i < each && *placed < job->ranks; i++) {
		p->pe[(*placed)++] = pe;
	}
	return XT_OK;
}

static int place(placing_t *p, unsigned j, xt_diag_t *diag)
{
	const xt_job_t *job = &p->jobs[j];
	const unsigned most = xt_image_pes(p->image) - 1;
	const char *text = job->pes;
	uint32_t placed = 0;

	do {
		uint64_t from, to;
		int status = xt_number_take(&text, most, &from);

		to = from;
		if (status == XT_OK && *text == '-') {
			text++;
			status = xt_number_take(&text, most, &to);
		}
		if (status != XT_OK || (*text && *text != ',') || to < from) {
			return xt_fail(diag, XT_ERR_INVALID, "job %.100s@%.100s: write PEs from 0 to %u, as 0-31,40",
				job->name, job->pes, most);
		}
		for (uint64_t pe = from; pe <= to; pe++) {
			if ((status = take_pe(p, j, (uint32_t)pe, &placed, diag)) != XT_OK) {
				return status;
			}
		}
	} while (*text++ == ',');
	if (placed < job->ranks) {
		return xt_fail(diag, XT_ERR_INVALID,
			"job %.100s@%.100s: PEs for %" PRIu32 " of %" PRIu32 " ranks; add PEs", job->name, job->pes,
			placed, job->ranks);
	}
	p->pe += placed;
	return XT_OK;
}

int xt_map_jobs(const xt_job_t *jobs, unsigned count, const xt_image_t *image, uint32_t *pe, xt_diag_t *diag)
{
	placing_t p = {.image = image, .jobs = jobs, .pe = pe};
	int status = XT_OK;

	p.owner = calloc(xt_image_pes(image), sizeof(*p.owner));
	if (!p.owner) {
		return out_of_memory(diag);
	}
	for (unsigned j = 0; j < count && status == XT_OK; j++) {
		status = place(&p, j, diag);
	}
	free(p.owner);
	return status;
}
