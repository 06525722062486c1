/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of curves: latency and accepted load over offered load, and the Burton normal form, latency over accepted
 * load. */
#include <math.h>

#include "report/html_page.h"
#include "report/plot.h"
#include "sweep.h"

typedef enum {
	LOAD_LATENCY,
	LOAD_THROUGHPUT,
	BURTON_NORMAL_FORM,
	PICTURES,
} picture_t;

typedef struct {
	const xt_series_t *series;
	unsigned count;
	const char *title;
	picture_t picture;
} drawing_t;

enum { WIDTH = 860, HEIGHT = 540 };

static double or_zero(double value)
{
	return isnan(value) ? 0.0 : value;
}

static bool has_points(const xt_series_t *s)
{
	for (unsigned l = 0; l < s->count; l++) {
		if (isfinite(s->latency[l])) {
			return true;
		}
	}
	return false;
}

static void write_data(const drawing_t *d, FILE *out)
{
	for (unsigned n = 0; n < d->count; n++) {
		const xt_series_t *s = &d->series[n];

		fprintf(out, "$n%u << EOD\n", n);
		for (unsigned l = 0; l < s->count; l++) {
			if (isfinite(s->latency[l])) {
				fprintf(out, "%.6f %.6f %.6f %.6f %.6f\n", s->offered[l], or_zero(s->accepted[l]),
					or_zero(s->accepted_ci[l]), s->latency[l], or_zero(s->latency_ci[l]));
			}
		}
		fprintf(out, "EOD\n");
	}
}

static void write_curves(const drawing_t *d, FILE *out)
{
	static const char *const colours[] = {"#0b62a4", "#c8501e", "#2b8a3e", "#7b3fa0", "#b8860b", "#00838f",
		"#ad1457", "#5d4037", "#607d8b", "#9e9d24"};
	static const char *const columns[PICTURES] = {
		"1:4:5 with yerrorlines", "1:2:3 with yerrorlines", "2:4 with linespoints"};
	const char *comma = "";

	for (unsigned n = 0; n < d->count; n++) {
		if ((d->series[n].analytic && d->picture != LOAD_LATENCY) || !has_points(&d->series[n])) {
			continue;
		}
		/* An analytic curve has the colour of the simulated one before it. */
		if (d->series[n].analytic) {
			fprintf(out, "%s$n%u using 1:4 with lines lc rgb '%s' dt 2 title ", comma, n,
				colours[(n - 1) % 10]);
		} else {
			fprintf(out, "%s$n%u using %s lc rgb '%s' pt %u ps 0.6 title ", comma, n, columns[d->picture],
				colours[n % 10], 4 + n % 10);
		}
		xt_plot_quoted(out, d->series[n].label);
		comma = ", ";
	}
	if (d->picture == LOAD_THROUGHPUT) {
		fprintf(out, ", x with lines lc rgb '#aaaaaa' dt 2 title 'offered'");
	}
	fprintf(out, "\n");
}

static void write_script(const void *context, FILE *out)
{
	const drawing_t *d = context;

	write_data(d, out);
	fprintf(out, "set title ");
	xt_plot_quoted(out, d->title);
	fprintf(out, "\nset xlabel '%s load, fraction of the NIC bandwidth'\n",
		d->picture == BURTON_NORMAL_FORM ? "accepted" : "offered");
	fprintf(out, d->picture == LOAD_THROUGHPUT
			     ? "set ylabel 'accepted load'\nset yrange [0:*]\n"
			     : "set ylabel 'mean latency of a packet in the network, cycles'\nset logscale y\n");
	fprintf(out, "set xrange [0:*]\nset key left top Left reverse\nplot ");
	write_curves(d, out);
}

static bool is_empty(const xt_series_t *series, unsigned count)
{
	for (unsigned n = 0; n < count; n++) {
		if (!series[n].analytic && has_points(&series[n])) {
			return false;
		}
	}
	return true;
}

int xt_series_plot(const xt_series_t *series, unsigned count, const char *title, const char *prefix, xt_diag_t *diag)
{
	static const char *const names[PICTURES] = {"load_latency", "load_throughput", "burton_normal_form"};
	int status = XT_OK;

	if (is_empty(series, count)) {
		fprintf(stderr, "extorus: no picture of %s: no packets were measured; raise the load or --measure\n",
			title);
		return XT_OK;
	}
	for (unsigned i = 0; i < PICTURES && status == XT_OK; i++) {
		drawing_t drawing = {series, count, title, (picture_t)i};
		char path[4200];

		snprintf(path, sizeof(path), "%s_%s.svg", prefix, names[i]);
		status = xt_plot(path, WIDTH, HEIGHT, write_script, &drawing, diag);
	}
	return status;
}

int xt_series_page(
	const xt_series_t *series, unsigned count, const char *title, unsigned number, FILE *page, xt_diag_t *diag)
{
	static const char *const texts[PICTURES] = {
		"mean latency of a packet in the network, in cycles, over offered load",
		"accepted load over offered load",
		"mean latency of a packet in the network, in cycles, over accepted load"};
	int status = XT_OK;

	if (is_empty(series, count)) {
		xt_html_paragraph(page, "No packets were measured, so there are no pictures.");
		return XT_OK;
	}
	for (unsigned i = 0; i < PICTURES && status == XT_OK; i++) {
		drawing_t drawing = {series, count, title, (picture_t)i};
		xt_plot_t plot = {WIDTH, HEIGHT, write_script, &drawing};
		char text[256];

		snprintf(text, sizeof(text), "%.100s traffic: %s. The tables have the numbers.", title, texts[i]);
		status = xt_html_picture(page, number + i, text, xt_plot_draw, &plot, diag);
	}
	return status;
}
