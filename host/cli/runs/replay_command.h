/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaying a workload and printing the results. */
#pragma once

#include "options/replay_options.h"

/* Replays the workload or, if there is one, the stream; `name` is that of it. With cli->mappings so many random maps of
 * the seeds from that of the map on, and the means of their results with their 95 % confidence. *wrong is set if a
 * check failed. */
int xt_replay_command(const xt_replay_cli_t *cli, const char *name, const xt_workload_t *workload, xt_stream_t *stream,
	int *wrong, xt_diag_t *diag);
