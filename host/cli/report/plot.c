/* SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

static int write_script(void *context, FILE *out, xt_diag_t *diag)
{
	const xt_plot_t *plot = context;

	(void)diag;
	fprintf(out,
		"set terminal svg size %u,%u font 'sans,13' background rgb 'white' linewidth 1.4 noenhanced\n"
		"set grid lc rgb '#dddddd' lt 1\nset border 3 lc rgb '#555555'\nset tics nomirror\n",
		plot->width, plot->height);
	plot->script(plot->context, out);
	return XT_OK;
}

int xt_plot_draw(void *plot, FILE *picture, xt_diag_t *diag)
{
	xt_drawing_t drawing = {.arguments = {"gnuplot"},
		.remedy = "it (apt install gnuplot-nox)",
		.failure = "a picture",
		.write = write_script,
		.context = plot};

	return xt_draw(&drawing, picture, diag);
}

int xt_plot(const char *path, unsigned width, unsigned height, xt_plot_script_t script, const void *context,
	xt_diag_t *diag)
{
	xt_plot_t plot = {width, height, script, context};

	return xt_write_file(path, xt_plot_draw, &plot, diag);
}

void xt_plot_quoted(FILE *script, const char *text)
{
	fputc('\'', script);
	for (; *text; text++) {
		fputc(*text == '\'' || *text == '\n' ? ' ' : *text, script);
	}
	fputc('\'', script);
}
