/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/workload_file.h"

/* The readers, as xt_workload_read. */
int xt_vef_read(FILE *file, const char *name, xt_workload_t **out, xt_diag_t *diag);
int xt_goal_read(FILE *file, const char *name, xt_workload_t **out, xt_diag_t *diag);
/* Of a file NAME.RANK.et, with those of all ranks. */
int xt_chakra_load(const char *path, xt_workload_t **out, xt_diag_t *diag);
/* *out is closed by the caller. */
int xt_trace_open(const char *path, FILE **out, xt_diag_t *diag);
