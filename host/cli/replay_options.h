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
	int force, json;
} xt_replay_cli_t;

extern const xt_replay_cli_t xt_replay_defaults;

/* A child of a syntax, for an xt_replay_cli_t. */
extern const xt_syntax_t xt_replay_syntax;

/* Opens the image's network, replays the workload or, if there is one, the stream, and prints; `name` is that of it.
 * *wrong is set if a check failed. */
int xt_replay_command(const xt_replay_cli_t *cli, const char *name, const xt_workload_t *workload, xt_stream_t *stream,
	int *wrong, xt_diag_t *diag);

/* Everything but the reports; of a stream, without a workload, no path. */
json_t *xt_replay_json(const char *name, const char *image, uint32_t ranks, const xt_replay_result_t *result,
	const xt_workload_t *workload);

/* Whether so many ranks fit on the image that is named. */
int xt_replay_check_ranks(const xt_replay_cli_t *cli, uint32_t ranks, xt_diag_t *diag);

/* The steps of it, for commands with a report of their own. The device has the image's tables. */
int xt_replay_open(const xt_replay_cli_t *cli, xt_image_t **image, xt_device_t **device, xt_diag_t *diag);
int xt_replay_run(const xt_replay_cli_t *cli, xt_device_t *device, const xt_image_t *image,
	const xt_workload_t *workload, xt_stream_t *stream, xt_replay_result_t **result, xt_diag_t *diag);
