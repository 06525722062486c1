/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaying several jobs in one network. */
#pragma once

#include "replay_command.h"

enum { XT_MOST_JOBS = 64 };

typedef struct {
	xt_job_t jobs[XT_MOST_JOBS];
	unsigned count;
} xt_job_list_t;

/* For an option whose value is an xt_job_list_t: TRACE@PES, one more job. */
void xt_take_job(struct argp_state *state, const xt_option_t *option, char *arg, void *list);
/* Reads the traces and replays all of them together; as xt_replay_command. */
int xt_replay_jobs(xt_replay_cli_t *cli, xt_job_list_t *list, int *wrong, xt_diag_t *diag);
