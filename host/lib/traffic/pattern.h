/* SPDX-License-Identifier: Apache-2.0
 *
 * Destination patterns, made ready for a number of PEs. */
#pragma once

#include "extorus/random.h"
#include "extorus/topology.h"
#include "extorus/traffic.h"

/* The nodes of a regular network; node = pe / pes_per_node. */
typedef struct {
	unsigned dimensions;
	unsigned radix[XT_MAX_DIMENSIONS];
	unsigned pes_per_node;
} xt_grid_t;

typedef struct xt_pattern xt_pattern_t;

/* Pattern `name` for `pes` PEs, at least 2; `traffic` gives exponent, seed and matrix, which must live as long.
 * `grid` is of what the PEs are attached to, NULL if that has no coordinates. XT_ERR_RANGE for an unknown name,
 * XT_ERR_UNSUPPORTED for a size that the pattern is not defined for, XT_ERR_NOMEM. */
int xt_pattern_create(const xt_traffic_t *traffic, const char *name, unsigned pes, const xt_grid_t *grid,
	xt_pattern_t **out, xt_diag_t *diag);
void xt_pattern_free(xt_pattern_t *pattern); /* NULL is allowed */
int xt_pattern_known(const char *name);
int xt_pattern_needs_grid(const char *name);
/* One known name, for messages: "uniform, zipf, ... or matrix". */
void xt_pattern_names(char *text, unsigned size);

/* Of the load, how much `pe` sends: 1, 0 if it would send to itself, of a matrix in between. */
double xt_pattern_share(const xt_pattern_t *pattern, uint32_t pe);
/* The only destination of `pe`, which is its own number if it sends nothing; XT_NO_PE if there are several. */
#define XT_NO_PE UINT32_MAX
uint32_t xt_pattern_target(const xt_pattern_t *pattern, uint32_t pe);
/* A destination other than `pe`, whose share must not be 0. */
uint32_t xt_pattern_draw(const xt_pattern_t *pattern, xt_random_t *random, uint32_t pe);
/* row[dest]: of pes - 1 packets of `pe`, how many go to each PE on average. Under uniform traffic 1, none to itself. */
void xt_pattern_row(const xt_pattern_t *pattern, uint32_t pe, double *row);
