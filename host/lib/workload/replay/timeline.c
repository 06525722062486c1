/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/number.h"
#include "extorus/replay.h"
#include "workload/build.h"

enum { WIDTH = 1200, LEFT = 70, TOP = 46, BOTTOM = 40, MOST_HEIGHT = 1600, MOST_BARS = 20000 };

typedef struct {
	double per_cycle, row; /* pixels */
	double height;
	FILE *out;
} scale_t;

static double x_at(const scale_t *s, uint64_t cycle)
{
	return LEFT + s->per_cycle * (double)cycle;
}

static double y_at(const scale_t *s, uint32_t rank)
{
	return TOP + s->row * rank;
}

/* The least of 1, 2, 5, 10, 20 ... that divides `range` into at most `parts`. */
static uint64_t tick(uint64_t range, unsigned parts)
{
	uint64_t ten = 1;

	while (range / ten > 10 * (uint64_t)parts) {
		ten *= 10;
	}
	return range <= ten * parts       ? ten
	       : range <= 2 * ten * parts ? 2 * ten
	       : range <= 5 * ten * parts ? 5 * ten
					  : 10 * ten;
}

static void draw_axes(const scale_t *s, const xt_workload_t *w, uint64_t cycles)
{
	uint64_t every = tick(cycles, 10), rows = tick(w->ranks, 16);

	fprintf(s->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		WIDTH + LEFT + 20, s->height + TOP + BOTTOM);
	fprintf(s->out,
		"<text x=\"%d\" y=\"18\">Sends (blue), computations (green) and the critical path (red) of %" PRIu32
		" ranks, %" PRIu64 " cycles</text>\n",
		LEFT, w->ranks, cycles);
	for (uint64_t cycle = 0; cycle <= cycles; cycle += every) {
		double x = x_at(s, cycle);

		fprintf(s->out,
			"<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%" PRIu64 "</text>\n",
			x, TOP, x, TOP + s->height, x, TOP + s->height + 16, cycle);
	}
	fprintf(s->out,
		"<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">cycle</text>\n"
		"<text x=\"16\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 16 %.1f)\">rank</text>\n",
		LEFT + WIDTH / 2, TOP + s->height + 34, TOP + s->height / 2, TOP + s->height / 2);
	for (uint64_t rank = 0; rank < w->ranks; rank += rows) {
		fprintf(s->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%" PRIu64 "</text>\n", LEFT - 6,
			y_at(s, (uint32_t)rank) + s->row / 2 + 4, rank);
	}
}

/* Of too many events, only so many. Returns how many were left out. */
static uint32_t draw_bars(const scale_t *s, const xt_replay_result_t *result, const xt_workload_t *w)
{
	uint32_t bars = 0, step;

	for (uint32_t e = 0; e < w->count; e++) {
		bars += w->kind[e] == XT_EVENT_SEND ||
			(w->kind[e] == XT_EVENT_CALC && result->end[e] > result->begin[e]);
	}
	step = bars / MOST_BARS + 1;
	bars = 0;
	for (uint32_t e = 0; e < w->count; e++) {
		int send = w->kind[e] == XT_EVENT_SEND;

		if ((!send && (w->kind[e] != XT_EVENT_CALC || result->end[e] == result->begin[e])) || bars++ % step) {
			continue;
		}
		fprintf(s->out,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
			"fill-opacity=\"0.6\"/>\n",
			x_at(s, result->begin[e]), y_at(s, w->rank[e]) + 0.1 * s->row,
			s->per_cycle * (double)(result->end[e] - result->begin[e]) + 0.3, 0.8 * s->row,
			send ? "#3465a4" : "#73d216");
	}
	return step;
}

static void draw_path(const scale_t *s, const xt_replay_result_t *result, const xt_workload_t *w)
{
	fprintf(s->out, "<polyline fill=\"none\" stroke=\"#cc0000\" stroke-width=\"1.2\" points=\"");
	for (uint32_t i = 0; i < result->path_count; i++) {
		uint32_t e = result->path[i];
		double y = y_at(s, w->rank[e]) + s->row / 2;

		/* A send whose message comes next is left where it began, not where it was out. */
		fprintf(s->out, "%.1f,%.1f ", x_at(s, result->begin[e]), y);
		if (i + 1 == result->path_count || w->match[e] != result->path[i + 1]) {
			fprintf(s->out, "%.1f,%.1f ", x_at(s, result->end[e]), y);
		}
	}
	fprintf(s->out, "\"/>\n");
}

int xt_replay_timeline(const xt_replay_result_t *result, const xt_workload_t *w, FILE *out, xt_diag_t *diag)
{
	XT_POINT_IN_FRACTIONS;
	uint64_t cycles = result->execution_cycles ? result->execution_cycles : 1;
	scale_t s = {.per_cycle = (double)WIDTH / (double)cycles, .row = w->ranks > 100 ? 0 : 14, .out = out};
	uint32_t step;

	s.row = s.row > 0 ? s.row : (double)MOST_HEIGHT / w->ranks;
	s.height = s.row * w->ranks;
	draw_axes(&s, w, cycles);
	step = draw_bars(&s, result, w);
	draw_path(&s, result, w);
	if (step > 1) {
		fprintf(out, "<text x=\"%d\" y=\"34\">one of %" PRIu32 " events is drawn</text>\n", LEFT, step);
	}
	fprintf(out, "</svg>\n");
	return ferror(out) ? xt_fail(diag, XT_ERR_IO, "the timeline cannot be written") : XT_OK;
}
