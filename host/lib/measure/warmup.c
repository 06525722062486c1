/* SPDX-License-Identifier: Apache-2.0 */
#include "warmup.h"

#include <math.h>
#include <stdlib.h>

#include "extorus/error.h"

/* Sums from the end: mean and squared deviations of values[d ..] by Welford's update. */
unsigned xt_mser(const double *values, unsigned count)
{
	double mean = 0.0, squares = 0.0, least = INFINITY, least_late = INFINITY;
	unsigned best = count / 2 + 1;

	for (unsigned kept = 1; kept <= count; kept++) {
		unsigned d = count - kept;
		double difference = values[d] - mean, error;

		mean += difference / kept;
		squares += difference * (values[d] - mean);
		error = squares / ((double)kept * kept);
		/* A handful of values at the end may be alike by chance. */
		if (d > count / 2) {
			least_late = kept >= XT_WARMUP_BATCH && error < least_late ? error : least_late;
		} else if (error <= least) {
			least = error;
			best = d;
		}
	}
	/* Of a constant only the rounding would be compared. */
	return least <= least_late + 1e-12 * mean * mean ? best : count / 2 + 1;
}

static int grow(xt_warmup_t *warmup)
{
	unsigned room = warmup->room ? 2 * warmup->room : 256;
	double *cells = realloc(warmup->cells, room * sizeof(*cells));
	double *latency;

	if (!cells) {
		return XT_ERR_NOMEM;
	}
	warmup->cells = cells;
	if (!(latency = realloc(warmup->latency, room * sizeof(*latency)))) {
		return XT_ERR_NOMEM;
	}
	warmup->latency = latency;
	warmup->room = room;
	return XT_OK;
}

int xt_warmup_step(xt_warmup_t *warmup, uint64_t cycle)
{
	unsigned n = warmup->count;

	if (!xt_warmup_looks(cycle)) {
		return 0;
	}
	if (n == warmup->room && grow(warmup) != XT_OK) {
		return XT_ERR_NOMEM;
	}
	warmup->cells[n] = (double)warmup->batch_cells;
	/* Without a packet nothing is known to have changed. */
	warmup->latency[n] = warmup->batch_packets ? (double)warmup->batch_sum / (double)warmup->batch_packets
			     : n                   ? warmup->latency[n - 1]
						   : 0.0;
	warmup->count = ++n;
	warmup->batch_cells = warmup->batch_packets = warmup->batch_sum = 0;
	return n % XT_WARMUP_BATCHES == 0 && xt_mser(warmup->cells, n) <= n / 2 && xt_mser(warmup->latency, n) <= n / 2;
}

void xt_warmup_free(xt_warmup_t *warmup)
{
	free(warmup->cells);
	free(warmup->latency);
}

int xt_warmup_save(const xt_warmup_t *warmup, xt_bytes_t *out)
{
	return xt_bytes_add(out, warmup->cells, warmup->count * sizeof(*warmup->cells)) &&
	       xt_bytes_add(out, warmup->latency, warmup->count * sizeof(*warmup->latency));
}

int xt_warmup_load(xt_warmup_t *warmup, xt_bytes_reader_t *in)
{
	warmup->room = warmup->count;
	return xt_bytes_take_array(in, &warmup->cells, warmup->count * sizeof(*warmup->cells)) &&
	       xt_bytes_take_array(in, &warmup->latency, warmup->count * sizeof(*warmup->latency));
}
