/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/traffic_matrix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alias_table.h"
#include "matrix_rows.h"
#include "pattern.h"

static const char header[] = "src,dst,weight";

typedef struct {
	unsigned source, dest;
	double weight;
	unsigned long line;
} flow_t;

struct xt_traffic_matrix {
	unsigned ends;
	xt_pattern_t *pattern; /* NULL: listed */
	flow_t *flows;         /* by source and destination */
	size_t count, room;
	size_t *first;     /* [source]: its first flow; one more entry: the end */
	double *sum;       /* [source] */
	xt_alias_t *alias; /* a table for each source with traffic, at the place of its flows */
	uint8_t *used;     /* [end] */
	double most;       /* of all sums */
};

void xt_traffic_matrix_free(xt_traffic_matrix_t *matrix)
{
	if (matrix) {
		xt_pattern_free(matrix->pattern);
		free(matrix->flows);
		free(matrix->first);
		free(matrix->sum);
		free(matrix->alias);
		free(matrix->used);
		free(matrix);
	}
}

int xt_traffic_matrix_is_listed(const xt_traffic_matrix_t *matrix)
{
	return !matrix->pattern;
}

static xt_traffic_matrix_t *make(unsigned ends)
{
	xt_traffic_matrix_t *matrix = calloc(1, sizeof(*matrix));

	if (matrix) {
		matrix->ends = ends;
	}
	return matrix;
}

int xt_traffic_matrix_create(const xt_traffic_t *traffic, const xt_profile_t *profile, unsigned ends,
	xt_traffic_matrix_t **out, xt_diag_t *diag)
{
	xt_traffic_matrix_t *matrix;
	int status = xt_traffic_check(traffic, profile, ends, diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	if (!(matrix = make(ends))) {
		return xt_fail(diag, XT_ERR_NOMEM, "traffic: out of memory");
	}
	if ((status = xt_pattern_create(traffic, traffic->pattern, ends, NULL, &matrix->pattern, diag)) != XT_OK) {
		xt_traffic_matrix_free(matrix);
		return status;
	}
	*out = matrix;
	return XT_OK;
}

/* A whole number below `ends` up to the comma, past which *text is moved. */
static int take_end(const char **text, unsigned ends, unsigned *end)
{
	unsigned long value;
	char *stop;

	errno = 0;
	value = strtoul(*text, &stop, 10);
	if (**text < '0' || **text > '9' || *stop != ',' || errno || value >= ends) {
		return 0;
	}
	*end = (unsigned)value;
	*text = stop + 1;
	return 1;
}

static int take_line(xt_traffic_matrix_t *m, const char *path, unsigned long number, const char *line, xt_diag_t *diag)
{
	const char *text = line;
	flow_t flow = {.line = number};
	char *stop;

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
	flow.weight = strtod(text, &stop);
	if (stop == text || *stop || !(flow.weight >= 0) || isinf(flow.weight)) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s:%lu: the weight \"%.40s\" is not a number from 0 on", path,
			number, text);
	}
	if (flow.source == flow.dest) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s:%lu: end %u sends to itself; leave the line out", path,
			number, flow.source);
	}
	if (m->count == m->room) {
		size_t room = m->room ? 2 * m->room : 1024;
		flow_t *flows = realloc(m->flows, room * sizeof(*flows));

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
	unsigned long number = 0;
	int status = XT_OK;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	errno = 0;
	while (status == XT_OK && (length = getline(&line, &size, file)) >= 0) {
		while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
			line[--length] = '\0';
		}
		number++;
		if ((size_t)length != strlen(line)) {
			status =
				xt_fail(diag, XT_ERR_INVALID, "%.200s:%lu: a zero byte; this is no text", path, number);
		} else {
			status = take_line(m, path, number, line, diag);
		}
	}
	free(line);
	if (status == XT_OK && ferror(file)) {
		return xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", path, strerror(errno));
	}
	if (status == XT_OK && number == 0) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s:1: the file is empty; its first line is %s", path, header);
	}
	return status;
}

static int by_pair(const void *a, const void *b)
{
	const flow_t *x = a, *y = b;

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
		const flow_t *a = &m->flows[i - 1], *b = &m->flows[i];

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
		const flow_t *flow = &m->flows[i];

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

int xt_traffic_matrix_read(const char *path, unsigned ends, xt_traffic_matrix_t **out, xt_diag_t *diag)
{
	FILE *file = fopen(path, "rb");
	xt_traffic_matrix_t *matrix;
	int status;

	*out = NULL;
	if (!file) {
		return xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", path, strerror(errno));
	}
	matrix = make(ends);
	status = matrix ? take_lines(matrix, path, file, diag)
			: xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);
	fclose(file);
	if (status != XT_OK || (status = sort_pairs(matrix, path, diag)) != XT_OK ||
		(status = make_rows(matrix, path, diag)) != XT_OK) {
		xt_traffic_matrix_free(matrix);
		return status;
	}
	*out = matrix;
	return XT_OK;
}

void xt_traffic_matrix_row(const xt_traffic_matrix_t *m, unsigned source, double *row)
{
	if (m->pattern) {
		xt_pattern_row(m->pattern, source, row);
		return;
	}
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
