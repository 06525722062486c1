/* SPDX-License-Identifier: Apache-2.0 */
#include "job_command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/workload_file.h"

void xt_take_job(struct argp_state *state, const xt_option_t *option, char *arg, void *field)
{
	xt_job_list_t *list = field;
	char *at = strrchr(arg, '@');

	if (!at || at == arg || !at[1]) {
		argp_error(state, "--%s %s: write TRACE@PES, as run.goal@0-31,40", option->name, arg);
	}
	if (list->count == XT_MOST_JOBS) {
		argp_error(state, "--%s: %d jobs at most", option->name, XT_MOST_JOBS);
	}
	*at = '\0';
	list->jobs[list->count++] = (xt_job_t){.name = arg, .pes = at + 1};
}

static int replay_joined(
	xt_replay_cli_t *cli, xt_job_list_t *list, xt_workload_t *const *workloads, int *wrong, xt_diag_t *diag)
{
	char name[32];
	xt_workload_t *joined;
	int status = xt_workload_join(workloads, list->count, &joined, diag);

	for (unsigned j = 0; j < list->count; j++) {
		list->jobs[j].tasks_per_pe = cli->map.tasks_per_pe;
		list->jobs[j].ranks = xt_workload_ranks(workloads[j]);
	}
	if (status == XT_OK) {
		xt_workload_trim(joined);
		snprintf(name, sizeof(name), "%u job%s", list->count, list->count == 1 ? "" : "s");
		cli->jobs = list->jobs;
		cli->job_count = list->count;
		status = xt_replay_command(cli, name, joined, NULL, wrong, diag);
	}
	xt_workload_free(joined);
	return status;
}

int xt_replay_jobs(xt_replay_cli_t *cli, xt_job_list_t *list, int *wrong, xt_diag_t *diag)
{
	xt_workload_t *workloads[XT_MOST_JOBS] = {NULL};
	int status = XT_OK;

	for (unsigned j = 0; j < list->count && status == XT_OK; j++) {
		status = xt_workload_load(list->jobs[j].name, &workloads[j], diag);
	}
	if (status == XT_OK) {
		status = replay_joined(cli, list, workloads, wrong, diag);
	}
	for (unsigned j = 0; j < list->count; j++) {
		xt_workload_free(workloads[j]);
	}
	return status;
}
