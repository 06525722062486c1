/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of `extorus sim` as one page of HTML. */
#pragma once

#include "report/sim_report.h"

typedef struct {
	const char *path, *command_line;
	const json_t *runs; /* by xt_sim_json */
	char *pictures;     /* of the one run, by xt_sim_page_draw */
} xt_sim_page_t;

/* Draws the channels' loads while the run is there. */
int xt_sim_page_draw(xt_sim_page_t *page, const xt_sim_run_t *run, xt_diag_t *diag);
int xt_sim_page_write(const xt_sim_page_t *page, xt_diag_t *diag);
