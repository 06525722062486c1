/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of a run as JSON, as text and as CSV. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "extorus/run.h"
#include "options/device_options.h"

typedef struct {
	const char *path; /* of the image */
	const xt_image_t *image;
	const xt_traffic_t *traffic;
	const xt_result_t *result;
	unsigned link_latency;
	double error_rate;
	const xt_device_switch_t *device_switch;
} xt_sim_run_t;

json_t *xt_sim_json(const xt_sim_run_t *run);
void xt_sim_print(const xt_sim_run_t *run, FILE *out);
/* One line per run, after the heading of xt_sim_print_heading. */
void xt_sim_print_heading(FILE *out);
void xt_sim_print_row(const xt_sim_run_t *run, FILE *out);
/* card,port,to_card,to_port,load: cells per cycle of every connected output and NIC port. */
void xt_sim_link_csv(const xt_sim_run_t *run, FILE *out);
