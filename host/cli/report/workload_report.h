/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of workloads as text and as JSON. */
#pragma once

#include <jansson.h>

#include "extorus/workload.h"

json_t *xt_statistics_json(const xt_workload_statistics_t *statistics);
void xt_statistics_print(const xt_workload_statistics_t *statistics, FILE *out);
/* The matrix of a workload as a picture. */
int xt_write_matrix(xt_workload_t *workload, const char *path, xt_diag_t *diag);
