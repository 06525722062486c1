/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "replay_options.h"

/* Like xt_replay_command with cli->mappings random maps, of the seeds from that of the map on, and prints the mean of
 * their results with its 95 % confidence interval. */
int xt_replay_mappings(const xt_replay_cli_t *cli, const char *name, const xt_workload_t *workload, xt_stream_t *stream,
	int *wrong, xt_diag_t *diag);
