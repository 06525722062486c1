/* SPDX-License-Identifier: Apache-2.0
 *
 * The load of every channel as a picture: a column per card, a row per port name. */
#pragma once

#include "sim_report.h"

/* Draws to `picture`. */
int xt_heat_map_draw(const xt_sim_run_t *run, FILE *picture, xt_diag_t *diag);
int xt_heat_map(const xt_sim_run_t *run, const char *path, xt_diag_t *diag);
