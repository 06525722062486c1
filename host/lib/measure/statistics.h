/* SPDX-License-Identifier: Apache-2.0
 *
 * Latency statistics: exact histograms and the confidence of the mean by batches. */
#pragma once

#include <stdint.h>

#include "base/byte_buffer.h"
#include "extorus/confidence.h"
#include "extorus/error.h"
#include "extorus/run.h"

enum { XT_BATCHES = 20 };

/* All zero is an empty one; ends with xt_sample_free. */
typedef struct {
	uint64_t *bins; /* bins[v] samples of value v */
	uint64_t size;
	uint64_t count, sum, max;
	uint64_t over; /* samples too large for the bins; percentiles that fall among them read `max` */
	uint64_t batch_count[XT_BATCHES], batch_sum[XT_BATCHES];
} xt_sample_t;

/* Adds `count` values, `value` and each `step` more than the one before, observed in `batch` 0 .. XT_BATCHES-1 of the
 * measurement. XT_ERR_NOMEM leaves them out. */
int xt_sample_add_run(xt_sample_t *sample, uint64_t value, unsigned step, unsigned count, unsigned batch);
/* Adds one. */
int xt_sample_add(xt_sample_t *sample, uint64_t value, unsigned batch);
xt_latency_t xt_sample_summary(const xt_sample_t *sample);
void xt_sample_free(xt_sample_t *sample);
/* The arrays of a sample whose struct is kept elsewhere, and into one whose struct was; 0: out of memory, or there are
 * none. */
int xt_sample_save(const xt_sample_t *sample, xt_bytes_t *out);
int xt_sample_load(xt_sample_t *sample, xt_bytes_reader_t *in);
