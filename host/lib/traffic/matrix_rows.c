/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text_line.h"

static const char header[] = "src,dst,weight";

/* A whole number below `ends` up to the comma, past which *text is moved. */
static int take_end(const char **text, unsigned ends, unsigned *end)
{
	uint64_t value;

	if (xt_number_take(text, ends - 1, &value) != XT_OK || *(*text)++ != ',') {
		return 0;
	}
	*end = (unsigned)value;
	return 1;
}

typedef struct {
	xt_traffic_matrix_t *m;
	const char *path;
} reader_t;

static int take_line(void *context, unsigned long number, char *line, xt_diag_t *diag)
{
	xt_traffic_matrix_t *m = ((reader_t *)context)->m;
	const char *path = ((reader_t *)context)->path, *text = line, *rest;
	xt_matrix_flow_t flow = {.line = number};

	if (number == 1) {
		return strcmp(line, header) == 0
			       ? XT_OK
			       : xt_fail(diag, XT_ERR_INVALID, "%.200s:1: the first line is not %s", path, header);
	}
	if (!take_end(&text, m->ends, &flow.source) || !take_end(&text, m->ends, &flow.dest)) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%.200s:%lu: \"%.60s\" does not begin with two ends from 0 to %u; write %s", path, number, line,
			m->ends - 1, header);
	}
	rest = text;
	if (xt_real_take(&rest, &flow.weight) != XT_OK || *rest) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s:%lu: the weight \"%.40s\" is not a number from 0 on", path,
			number, text);
	}
	if (flow.source == flow.dest) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s:%lu: end %u sends to itself; leave the line out", path,
			number, flow.source);
	}
	if (m->count == m->room) {
		size_t room = m->room ? 2 * m->room : 1024;
		xt_matrix_flow_t *flows = realloc(m->flows, room * sizeof(*flows));

		if (!flows) {
			return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);
		}
		m->flows = flows;
		m->room = room;
	}
	m->flows[m->count++] = flow;
	return XT_OK;
}

static int take_lines(xt_traffic_matrix_t *m, const char *path, FILE *file, xt_diag_t *diag)
{
	unsigned long lines;
	int status = xt_lines_take(file, path, "list of flows", take_line, &(reader_t){m, path}, &lines, diag);

	if (status == XT_OK && lines == 0) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s:1: the file is empty; its first line is %s", path, header);
	}
	return status;
}

static int by_pair(const void *a, const void *b)
{
	const xt_matrix_flow_t *x = a, *y = b;

	if (x->source != y->source) {
		return x->source < y->source ? -1 : 1;
	}
	if (x->dest != y->dest) {
		return x->dest < y->dest ? -1 : 1;
	}
	return x->line < y->line ? -1 : x->line > y->line;
}

static int sort_pairs(xt_traffic_matrix_t *m, const char *path, xt_diag_t *diag)
{
	if (m->count == 0) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s: no traffic: there is no line after the first", path);
	}
	qsort(m->flows, m->count, sizeof(*m->flows), by_pair);
	for (size_t i = 1; i < m->count; i++) {
		const xt_matrix_flow_t *a = &m->flows[i - 1], *b = &m->flows[i];

		if (a->source == b->source && a->dest == b->dest) {
			return xt_fail(diag, XT_ERR_INVALID,
				"%.200s:%lu: from %u to %u there is a weight in line %lu already; add them up", path,
				b->line, b->source, b->dest, a->line);
		}
	}
	return XT_OK;
}

/* Where the flows of each source are, and what they come to. */
static void index_rows(xt_traffic_matrix_t *m)
{
	for (size_t i = 0; i < m->count; i++) {
		const xt_matrix_flow_t *flow = &m->flows[i];

		m->first[flow->source + 1]++;
		m->sum[flow->source] += flow->weight;
		if (flow->weight > 0.0) {
			m->used[flow->source] = m->used[flow->dest] = 1;
		}
	}
	for (unsigned source = 0; source < m->ends; source++) {
		m->first[source + 1] += m->first[source];
		m->most = m->sum[source] > m->most ? m->sum[source] : m->most;
	}
}

static int build_tables(xt_traffic_matrix_t *m)
{
	double *weights = calloc(m->ends, sizeof(*weights));
	int status = weights ? XT_OK : XT_ERR_NOMEM;

	for (unsigned source = 0; source < m->ends && status == XT_OK; source++) {
		size_t first = m->first[source], count = m->first[source + 1] - first;

		if (m->sum[source] <= 0.0) {
			continue;
		}
		for (size_t i = 0; i < count; i++) {
			weights[i] = m->flows[first + i].weight;
		}
		status = xt_alias_build(weights, (uint32_t)count, m->alias + first);
	}
	free(weights);
	return status;
}

static int make_rows(xt_traffic_matrix_t *m, const char *path, xt_diag_t *diag)
{
	m->first = calloc(m->ends + (size_t)1, sizeof(*m->first));
	m->sum = calloc(m->ends, sizeof(*m->sum));
	m->alias = calloc(m->count, sizeof(*m->alias));
	m->used = calloc(m->ends, sizeof(*m->used));
	if (!m->first || !m->sum || !m->alias || !m->used) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);
	}
	index_rows(m);
	if (!(m->most > 0.0) || isinf(m->most)) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s: the weights add up to %s; scale them", path,
			m->most > 0.0 ? "too much" : "nothing");
	}
	if (build_tables(m) != XT_OK) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);
	}
	return XT_OK;
}

void xt_matrix_free_rows(xt_traffic_matrix_t *m)
{
	free(m->flows);
	free(m->first);
	free(m->sum);
	free(m->alias);
	free(m->used);
}

int xt_matrix_read_rows(xt_traffic_matrix_t *m, const char *path, FILE *file, xt_diag_t *diag)
{
	int status = take_lines(m, path, file, diag);

	if (status != XT_OK || (status = sort_pairs(m, path, diag)) != XT_OK) {
		return status;
	}
	return make_rows(m, path, diag);
}

void xt_matrix_row(const xt_traffic_matrix_t *m, uint32_t source, double *row)
{
	for (unsigned end = 0; end < m->ends; end++) {
		row[end] = 0.0;
	}
	for (size_t i = m->first[source]; i < m->first[source + 1]; i++) {
		row[m->flows[i].dest] = m->flows[i].weight;
	}
}

unsigned xt_matrix_ends(const xt_traffic_matrix_t *matrix)
{
	return matrix->ends;
}

double xt_matrix_share(const xt_traffic_matrix_t *matrix, uint32_t source)
{
	return matrix->sum[source] / matrix->most;
}

uint32_t xt_matrix_draw(const xt_traffic_matrix_t *m, xt_random_t *random, uint32_t source)
{
	size_t first = m->first[source];

	return m->flows[first + xt_alias_draw(m->alias + first, (uint32_t)(m->first[source + 1] - first), random)].dest;
}

int xt_matrix_uses(const xt_traffic_matrix_t *matrix, uint32_t end)
{
	return matrix->used[end];
}
