/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures by gnuplot. */
#pragma once

#include <stdio.h>

#include "extorus/error.h"

/* Writes commands for gnuplot to `script`; the terminal is svg already, its output the picture. */
typedef void (*xt_plot_script_t)(const void *context, FILE *script);
/* Draws `path`. XT_ERR_IO if gnuplot is lacking or fails, or the file cannot be written. */
int xt_plot(const char *path, unsigned width, unsigned height, xt_plot_script_t script, const void *context,
	xt_diag_t *diag);
/* A text between quotes in a script, without what would end it or be taken for markup. */
void xt_plot_quoted(FILE *script, const char *text);
