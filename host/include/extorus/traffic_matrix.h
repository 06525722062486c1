/* SPDX-License-Identifier: Apache-2.0
 *
 * Traffic matrix: how much each end of a network sends to each other one. */
#ifndef EXTORUS_TRAFFIC_MATRIX_H
#define EXTORUS_TRAFFIC_MATRIX_H

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/traffic.h"

XT_BEGIN_C

typedef struct xt_traffic_matrix xt_traffic_matrix_t;

/* Of a pattern by its name, for which `traffic` also gives exponent and seed: each of the `ends` sends ends - 1
 * packets, so that uniform traffic has the weight 1 everywhere. XT_ERR_RANGE for an unknown pattern,
 * XT_ERR_INVALID for fewer than 2 ends, XT_ERR_NOMEM. *out is freed with xt_traffic_matrix_free. */
XT_API int xt_traffic_matrix_create(const xt_traffic_t *traffic, const xt_profile_t *profile, unsigned ends,
	xt_traffic_matrix_t **out, xt_diag_t *diag);
/* From a CSV file: the line src,dst,weight, then one line for each pair that has traffic, ends counted from 0, the
 * weight a number from 0 on. XT_ERR_IO if it cannot be read; XT_ERR_INVALID with the line for anything else: no
 * such end, an end that sends to itself, a pair twice; XT_ERR_NOMEM. */
XT_API int xt_traffic_matrix_read(const char *path, unsigned ends, xt_traffic_matrix_t **out, xt_diag_t *diag);
XT_API void xt_traffic_matrix_free(xt_traffic_matrix_t *matrix); /* NULL is allowed */

/* From a file: what it names must exist. A pattern goes to whoever is there. */
XT_API int xt_traffic_matrix_is_listed(const xt_traffic_matrix_t *matrix);
/* Fills row[end] with the weights of what `source` sends, row[source] with 0. */
XT_API void xt_traffic_matrix_row(const xt_traffic_matrix_t *matrix, unsigned source, double *row);

XT_END_C
#endif
