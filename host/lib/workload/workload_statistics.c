/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "build.h"

enum { MOST_SQUARES = 128, PICTURE = 640, MARGIN = 56 };

static unsigned size_class(uint64_t size)
{
	unsigned k = 0;

	while (size) {
		size >>= 1;
		k++;
	}
	return k;
}

static void count_event(const xt_workload_t *w, uint32_t e, xt_workload_statistics_t *s)
{
	const xt_event_list_t waits = xt_edges_back(&w->ends, e);

	if (w->kind[e] == XT_EVENT_SEND) {
		s->least = s->messages == 0 || xt_workload_size(w, e) < s->least ? xt_workload_size(w, e) : s->least;
		s->most = xt_workload_size(w, e) > s->most ? xt_workload_size(w, e) : s->most;
		s->messages++;
		s->bytes += xt_workload_size(w, e);
		s->size_class[size_class(xt_workload_size(w, e))]++;
	} else if (w->kind[e] == XT_EVENT_CALC && xt_workload_size(w, e)) {
		s->calculations++;
		s->calculation_ns += xt_workload_size(w, e);
	}
	s->independent += xt_workload_waits(w, e) == 0;
	for (uint32_t i = 0; i < waits.count; i++) {
		uint8_t kind = w->kind[waits.events[i]];

		*(kind == XT_EVENT_SEND         ? &s->after_send
			: kind == XT_EVENT_RECV ? &s->after_recv
						: &s->after_calc) += 1;
	}
}

/* Messages on the longest way through the graph. `order`, `left` and `depth` have a place for each event. */
static uint32_t longest(const xt_workload_t *w, uint32_t *order, uint32_t *left, uint32_t *depth)
{
	uint32_t count = xt_workload_order(w, order, left), most = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t e = order[i];
		const xt_event_list_t waits = xt_edges_back(&w->ends, e);

		depth[e] = w->kind[e] == XT_EVENT_RECV ? depth[w->match[e]] + 1 : 0;
		for (uint32_t k = 0; k < waits.count; k++) {
			uint32_t before = depth[waits.events[k]];

			depth[e] = before > depth[e] ? before : depth[e];
		}
		most = depth[e] > most ? depth[e] : most;
	}
	return most;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* `pairs` has a place for each event. */
static void count_pairs(const xt_workload_t *w, uint64_t *pairs, uint64_t *bytes, xt_workload_statistics_t *s)
{
	size_t count = 0;

	for (uint32_t e = 0; e < w->count; e++) {
		if (w->kind[e] == XT_EVENT_SEND) {
			pairs[count++] = (uint64_t)w->rank[e] << 32 | w->peer[e];
			bytes[w->rank[e]] += xt_workload_size(w, e);
			bytes[w->ranks + w->peer[e]] += xt_workload_size(w, e);
		}
	}
	qsort(pairs, count, sizeof(*pairs), compare);
	for (size_t i = 0; i < count; i++) {
		s->pairs += i == 0 || pairs[i] != pairs[i - 1];
	}
	for (uint32_t r = 0; r < w->ranks; r++) {
		if (bytes[r] > s->most_sent) {
			s->most_sent = bytes[r];
			s->most_sent_rank = r;
		}
		if (bytes[w->ranks + r] > s->most_received) {
			s->most_received = bytes[w->ranks + r];
			s->most_received_rank = r;
		}
	}
}

int xt_workload_statistics(const xt_workload_t *w, xt_workload_statistics_t *s, xt_diag_t *diag)
{
	uint32_t *places = malloc(3 * ((size_t)w->count + 1) * sizeof(*places));
	uint64_t *pairs = malloc(((size_t)w->count + 1) * sizeof(*pairs));
	uint64_t *bytes = calloc(2 * (size_t)w->ranks, sizeof(*bytes));
	int status = XT_OK;

	memset(s, 0, sizeof(*s));
	s->ranks = w->ranks;
	if (!places || !pairs || !bytes) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for %" PRIu32 " events", w->count);
	} else {
		for (uint32_t e = 0; e < w->count; e++) {
			count_event(w, e, s);
		}
		s->longest_chain = longest(w, places, places + w->count, places + 2 * (size_t)w->count);
		count_pairs(w, pairs, bytes, s);
	}
	free(places);
	free(pairs);
	free(bytes);
	return status;
}

/* ---------------------------------------------------------------- matrix */

static void draw_axes(uint32_t ranks, FILE *out)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
		"<text x=\"%d\" y=\"20\" text-anchor=\"middle\">to rank</text>\n"
		"<text x=\"16\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\">from rank</text>\n",
		PICTURE + 2 * MARGIN, PICTURE + 2 * MARGIN, MARGIN + PICTURE / 2, MARGIN + PICTURE / 2,
		MARGIN + PICTURE / 2);
	for (unsigned i = 0; i <= 4; i++) {
		unsigned at = MARGIN + PICTURE * i / 4;

		fprintf(out,
			"<text x=\"%u\" y=\"40\" text-anchor=\"middle\">%" PRIu64 "</text>\n"
			"<text x=\"%d\" y=\"%u\" text-anchor=\"end\">%" PRIu64 "</text>\n",
			at, (uint64_t)ranks * i / 4, MARGIN - 6, at + 4, (uint64_t)ranks * i / 4);
	}
	fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"black\"/>\n", MARGIN,
		MARGIN, PICTURE, PICTURE);
}

int xt_workload_matrix_svg(const xt_workload_t *w, FILE *out, xt_diag_t *diag)
{
	XT_POINT_IN_FRACTIONS;
	uint32_t squares = w->ranks < MOST_SQUARES ? w->ranks : MOST_SQUARES;
	uint64_t *sum = calloc((size_t)squares * squares, sizeof(*sum));
	double side = (double)PICTURE / squares;
	uint64_t most = 0;

	if (!sum) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (uint32_t e = 0; e < w->count; e++) {
		if (w->kind[e] == XT_EVENT_SEND) {
			uint64_t from = (uint64_t)w->rank[e] * squares / w->ranks;
			uint64_t to = (uint64_t)w->peer[e] * squares / w->ranks;

			sum[from * squares + to] += xt_workload_size(w, e);
			most = sum[from * squares + to] > most ? sum[from * squares + to] : most;
		}
	}
	draw_axes(w->ranks, out);
	for (size_t i = 0; i < (size_t)squares * squares; i++) {
		/* Light for little, dark for much, never white for something. */
		int shade = most ? 215 - (int)(215.0 * (double)sum[i] / (double)most) : 0;

		if (sum[i]) {
			fprintf(out,
				"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"rgb(%d,%d,%d)\"/>\n",
				MARGIN + side * (double)(i % squares), MARGIN + side * (double)(i / squares), side,
				side, shade, shade, 128 + shade / 2);
		}
	}
	fprintf(out, "<text x=\"%d\" y=\"%d\">darkest: %" PRIu64 " bytes</text>\n</svg>\n", MARGIN,
		2 * MARGIN + PICTURE - 12, most);
	free(sum);
	return XT_OK;
}
