/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of each job of a replay. */
#include <inttypes.h>
#include <stdlib.h>

#include "replay_state.h"

int xt_replay_jobs_prepare(xt_replay_t *r, xt_diag_t *diag)
{
	const unsigned jobs = r->options->jobs;
	uint64_t ranks = 0;

	for (unsigned j = 0; j < jobs; j++) {
		ranks += r->options->job_ranks[j];
	}
	if (ranks != r->w->ranks) {
		return xt_fail(diag, XT_ERR_INVALID, "replay: jobs of %" PRIu64 " ranks for a workload of %" PRIu32,
			ranks, r->w->ranks);
	}
	r->result->jobs = calloc(jobs, sizeof(*r->result->jobs));
	r->job_samples = calloc(jobs, sizeof(*r->job_samples));
	r->job_of = malloc(r->w->ranks * sizeof(*r->job_of));
	if (!r->result->jobs || !r->job_samples || !r->job_of) {
		return xt_fail(diag, XT_ERR_NOMEM, "replay: out of memory for %u jobs", jobs);
	}
	r->result->job_count = jobs;
	for (uint32_t rank = 0, j = 0; j < jobs; j++) {
		r->result->jobs[j].ranks = r->options->job_ranks[j];
		for (uint32_t i = 0; i < r->options->job_ranks[j]; i++) {
			r->job_of[rank++] = j;
		}
	}
	return XT_OK;
}

void xt_replay_jobs_summarise(xt_replay_t *r)
{
	const xt_workload_t *w = r->w;

	for (uint32_t e = 0; r->job_of && e < w->count; e++) {
		xt_job_result_t *job = &r->result->jobs[r->job_of[w->rank[e]]];
		const uint64_t end = xt_schedule_is_done(&r->schedule, e) ? r->schedule.end[e] : 0;

		job->execution_cycles = end > job->execution_cycles ? end : job->execution_cycles;
		if (w->kind[e] == XT_EVENT_SEND) {
			job->messages++;
			job->local_messages += r->options->pe[w->rank[e]] == r->options->pe[xt_workload_peer(w, e)];
		}
	}
	for (unsigned j = 0; j < r->result->job_count; j++) {
		r->result->jobs[j].network_packet = xt_sample_summary(&r->job_samples[j].network);
		r->result->jobs[j].end_to_end_packet = xt_sample_summary(&r->job_samples[j].end_to_end);
	}
}

void xt_replay_jobs_clean_up(xt_replay_t *r)
{
	for (unsigned j = 0; r->job_samples && j < r->options->jobs; j++) {
		xt_sample_free(&r->job_samples[j].network);
		xt_sample_free(&r->job_samples[j].end_to_end);
	}
	free(r->job_samples);
	free(r->job_of);
}
