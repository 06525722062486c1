/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/workload_file.h"

/* The reader of VEF, as xt_workload_read. */
int xt_vef_read(FILE *file, const char *name, xt_workload_t **out, xt_diag_t *diag);
