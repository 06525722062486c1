/* SPDX-License-Identifier: Apache-2.0
 *
 * When a network has reached its steady state, by MSER-5: K. P. White, M. J. Cobb and S. C. Spratt, "A comparison
 * of five steady-state truncation heuristics for simulation", Winter Simulation Conference 2000. Two series are
 * observed every XT_WARMUP_INTERVAL cycles and averaged over 5 observations. They are the cells delivered, and the
 * mean latency in the network of the packets delivered. */
#pragma once

#include <stdint.h>

#include "base/byte_buffer.h"

enum {
	XT_WARMUP_INTERVAL = 20,
	XT_WARMUP_BATCH = 5,    /* observations */
	XT_WARMUP_BATCHES = 20, /* the rule is applied from so many on, and whenever so many have come */
};

typedef struct {
	double *cells, *latency; /* by batch */
	unsigned count, room;
	uint64_t batch_cells, batch_packets, batch_sum;
} xt_warmup_t;

/* The number of values, at most half of them, whose removal makes the standard error of the mean of the others least:
 * of the first one, of several; `count` / 2 + 1 if that is nowhere within the first half. */
unsigned xt_mser(const double *values, unsigned count);

static inline void xt_warmup_cells(xt_warmup_t *warmup, unsigned count)
{
	warmup->batch_cells += count;
}
static inline void xt_warmup_packet(xt_warmup_t *warmup, uint64_t latency)
{
	warmup->batch_packets++;
	warmup->batch_sum += latency;
}
/* Whether that does anything in a cycle. */
static inline int xt_warmup_looks(uint64_t cycle)
{
	return cycle != 0 && cycle % (XT_WARMUP_INTERVAL * XT_WARMUP_BATCH) == 0;
}
/* Before cycle `cycle`, of every cycle: 1 once both series are steady, 0 if not, XT_ERR_NOMEM. */
int xt_warmup_step(xt_warmup_t *warmup, uint64_t cycle);
void xt_warmup_free(xt_warmup_t *warmup);
/* As of a sample. */
int xt_warmup_save(const xt_warmup_t *warmup, xt_bytes_t *out);
int xt_warmup_load(xt_warmup_t *warmup, xt_bytes_reader_t *in);
