/* SPDX-License-Identifier: Apache-2.0
 *
 * A traffic matrix from a file, as the sources of traffic need it. */
#ifndef EXTORUS_MATRIX_ROWS_H
#define EXTORUS_MATRIX_ROWS_H

#include "base/random.h"
#include "extorus/traffic_matrix.h"

unsigned xt_matrix_ends(const xt_traffic_matrix_t *matrix);
/* What `source` sends, as a part of what the one sends that sends most. */
double xt_matrix_share(const xt_traffic_matrix_t *matrix, uint32_t source);
/* A destination of `source`, whose share is not 0, with a chance like its weight. */
uint32_t xt_matrix_draw(const xt_traffic_matrix_t *matrix, xt_random_t *random, uint32_t source);
/* Whether `end` sends or gets anything. */
int xt_matrix_uses(const xt_traffic_matrix_t *matrix, uint32_t end);

#endif
