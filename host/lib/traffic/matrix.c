/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/traffic_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "matrix_rows.h"
#include "pattern.h"

void xt_traffic_matrix_free(xt_traffic_matrix_t *matrix)
{
	if (matrix) {
		xt_pattern_free(matrix->pattern);
		xt_matrix_free_rows(matrix);
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

int xt_traffic_matrix_read(const char *path, unsigned ends, xt_traffic_matrix_t **out, xt_diag_t *diag)
{
	xt_traffic_matrix_t *matrix;
	FILE *file;
	int status = xt_input_open(path, &file, diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	matrix = make(ends);
	status = matrix ? xt_matrix_read_rows(matrix, path, file, diag)
			: xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);
	fclose(file);
	if (status != XT_OK) {
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
	} else {
		xt_matrix_row(m, source, row);
	}
}
