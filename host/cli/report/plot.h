/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures by other programs. */
#pragma once

#include "options/options.h"

/* A picture that a program draws from a script. */
typedef struct {
	const char *arguments[4];     /* the program first; NULL ends them */
	const char *remedy, *failure; /* for messages: what to install, what was not drawn */
	xt_write_t write;             /* of the script, with `context` */
	void *context;
} xt_drawing_t;

/* Draws to `picture`; an xt_write_t whose context is an xt_drawing_t. XT_ERR_IO if the program is lacking or fails. */
int xt_draw(void *drawing, FILE *picture, xt_diag_t *diag);

/* Writes commands for gnuplot to `script`; the terminal is svg already, its output the picture. */
typedef void (*xt_plot_script_t)(const void *context, FILE *script);
typedef struct {
	unsigned width, height;
	xt_plot_script_t script;
	const void *context;
} xt_plot_t;

/* Draws to `picture` with gnuplot; an xt_write_t whose context is an xt_plot_t. */
int xt_plot_draw(void *plot, FILE *picture, xt_diag_t *diag);
/* Draws `path` with gnuplot. */
int xt_plot(const char *path, unsigned width, unsigned height, xt_plot_script_t script, const void *context,
	xt_diag_t *diag);
/* A text between quotes in a script, without what would end it or be taken for markup. */
void xt_plot_quoted(FILE *script, const char *text);
