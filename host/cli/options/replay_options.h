/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaying a workload on an image: options and report, for all commands that do so. */
#pragma once

#include <jansson.h>

#include "extorus/replay.h"
#include "extorus/settings.h"
#include "options.h"

typedef struct {
	const char *image; /* NULL: none is asked for */
	const char *engine, *timeline;
	uint64_t latency; /* 0: the profile's */
	xt_map_t map;
	uint32_t mappings; /* 0: one, by `map` */
	xt_replay_options_t replay;
	xt_settings_t settings;
	const xt_job_t *jobs; /* of a workload that is a join of them */
	unsigned job_count;
	int force, json;
} xt_replay_cli_t;

extern const xt_replay_cli_t xt_replay_defaults;

/* A child of a syntax, for an xt_replay_cli_t. */
extern const xt_syntax_t xt_replay_syntax;

/* For an option whose value is an xt_rules_t. */
void xt_take_rules(struct argp_state *state, const xt_option_t *option, char *arg, void *rules);

/* Opens the image's network with its tables, and replays the workload or, if there is one, the stream. *result is freed
 * with xt_replay_free, NULL after a failure, and on a rank that is not the first one. */
int xt_replay_once(const xt_replay_cli_t *cli, const xt_workload_t *workload, xt_stream_t *stream,
	xt_replay_result_t **result, xt_diag_t *diag);

void xt_replay_print(
	const xt_replay_cli_t *cli, const char *name, const xt_workload_t *workload, const xt_replay_result_t *result);
/* Everything but the reports; of a stream, without a workload, no path. */
json_t *xt_replay_json(const char *name, const char *image, uint32_t ranks, const xt_replay_result_t *result,
	const xt_workload_t *workload);

/* A list of the jobs with their own times. */
json_t *xt_replay_jobs_json(const xt_job_t *jobs, const xt_replay_result_t *result);

/* Whether so many ranks fit on the image that is named. */
int xt_replay_check_ranks(const xt_replay_cli_t *cli, uint32_t ranks, xt_diag_t *diag);
