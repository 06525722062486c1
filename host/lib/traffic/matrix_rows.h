/* SPDX-License-Identifier: Apache-2.0
 *
 * A traffic matrix, and its rows where a file lists them. Patterns draw from the rows, so this file lies below them. */
#pragma once

#include <stdio.h>

#include "base/alias_table.h"
#include "extorus/random.h"
#include "extorus/traffic_matrix.h"

typedef struct {
	unsigned source, dest;
	double weight;
	unsigned long line;
} xt_matrix_flow_t;

struct xt_traffic_matrix {
	unsigned ends;
	struct xt_pattern *pattern; /* NULL: listed */
	xt_matrix_flow_t *flows;    /* by source and destination */
	size_t count, room;
	size_t *first;     /* [source]: its first flow; one more entry: the end */
	double *sum;       /* [source] */
	xt_alias_t *alias; /* a table for each source with traffic, at the place of its flows */
	uint8_t *used;     /* [end] */
	double most;       /* of all sums */
};

/* The functions below are for a matrix that a file lists. */

/* Reads `file`, whose name is `path`, into a matrix that has its number of ends. */
int xt_matrix_read_rows(xt_traffic_matrix_t *matrix, const char *path, FILE *file, xt_diag_t *diag);
void xt_matrix_free_rows(xt_traffic_matrix_t *matrix);
void xt_matrix_row(const xt_traffic_matrix_t *matrix, uint32_t source, double *row);
unsigned xt_matrix_ends(const xt_traffic_matrix_t *matrix);
/* What `source` sends, as a part of what the one sends that sends most. */
double xt_matrix_share(const xt_traffic_matrix_t *matrix, uint32_t source);
/* A destination of `source`, whose share is not 0, with a chance like its weight. */
uint32_t xt_matrix_draw(const xt_traffic_matrix_t *matrix, xt_random_t *random, uint32_t source);
/* Whether `end` sends or gets anything. */
int xt_matrix_uses(const xt_traffic_matrix_t *matrix, uint32_t end);
