/* SPDX-License-Identifier: Apache-2.0
 *
 * What check --transition and route --from say. */
#pragma once

#include <stdio.h>

#include "extorus/update.h"
#include "options/options.h"

void xt_print_transition(const xt_image_t *after, const xt_transition_t *t, FILE *out);
json_t *xt_transition_json(const xt_image_t *after, const xt_transition_t *t);
/* The transition, and what new routes were found. */
void xt_print_update(const xt_image_t *after, const xt_update_figures_t *f, const xt_transition_t *t);
json_t *xt_update_json(
	const xt_image_t *after, const xt_update_figures_t *f, const xt_transition_t *t, const char *image);
/* xt_transition_write_csv to a file; "-" is standard output. */
int xt_write_rewrites(xt_transition_t *t, const char *path, xt_diag_t *diag);
