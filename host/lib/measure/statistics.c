/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 128 MiB of counters. */
static const uint64_t max_bins = UINT64_C(1) << 24;

/* 97.5 % quantile of Student's t, by degrees of freedom from 1. */
static const double student_t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
	2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};

/* Beyond the table by the first terms of the expansion around the normal distribution's quantile z. */
double xt_student_t(unsigned freedom)
{
	static const double z = 1.959964;
	const double n = freedom;

	if (freedom == 0) {
		return NAN;
	}
	if (freedom <= sizeof(student_t) / sizeof(student_t[0])) {
		return student_t[freedom - 1];
	}
	return z + (z * z * z + z) / (4.0 * n) + (5.0 * pow(z, 5.0) + 16.0 * z * z * z + 3.0 * z) / (96.0 * n * n);
}

xt_mean_t xt_mean_of(const double *values, unsigned count)
{
	xt_mean_t mean = {0.0, NAN};
	double squares = 0.0;

	for (unsigned i = 0; i < count; i++) {
		mean.mean += values[i];
	}
	mean.mean = count ? mean.mean / count : NAN;
	for (unsigned i = 0; i < count; i++) {
		squares += (values[i] - mean.mean) * (values[i] - mean.mean);
	}
	if (count > 1) {
		mean.ci95 = xt_student_t(count - 1) * sqrt(squares / (count - 1) / count);
	}
	return mean;
}

static int grow(xt_sample_t *sample, uint64_t value)
{
	uint64_t size = sample->size ? sample->size : 256;
	uint64_t *bins;

	while (size <= value) {
		size *= 2;
	}
	/* Pages of zeros that nobody writes take no memory; those of realloc would be written. */
	bins = calloc(size, sizeof(*bins));
	if (!bins) {
		return XT_ERR_NOMEM;
	}
	if (sample->size) {
		memcpy(bins, sample->bins, sample->size * sizeof(*bins));
	}
	free(sample->bins);
	sample->bins = bins;
	sample->size = size;
	return XT_OK;
}

int xt_sample_add_run(xt_sample_t *sample, uint64_t value, unsigned step, unsigned count, unsigned batch)
{
	const uint64_t largest = value + (uint64_t)step * (count - 1);
	const uint64_t sum = count * value + (uint64_t)step * count * (count - 1) / 2;

	if (largest >= sample->size && value < max_bins && grow(sample, largest < max_bins ? largest : max_bins - 1)) {
		return XT_ERR_NOMEM;
	}
	if (step == 0 && value < max_bins) {
		sample->bins[value] += count;
	} else {
		for (unsigned i = 0; i < count; i++) {
			const uint64_t v = value + (uint64_t)step * i;

			if (v < max_bins) {
				sample->bins[v]++;
			} else {
				sample->over++;
			}
		}
	}
	sample->count += count;
	sample->sum += sum;
	if (largest > sample->max) {
		sample->max = largest;
	}
	sample->batch_count[batch] += count;
	sample->batch_sum[batch] += sum;
	return XT_OK;
}

int xt_sample_add(xt_sample_t *sample, uint64_t value, unsigned batch)
{
	return xt_sample_add_run(sample, value, 0, 1, batch);
}

/* Smallest value with at least `per_mille` of the samples at or below it. */
static uint64_t percentile(const xt_sample_t *sample, uint64_t per_mille)
{
	uint64_t wanted = (sample->count * per_mille + 999) / 1000;
	uint64_t seen = 0;

	for (uint64_t value = 0; value < sample->size; value++) {
		seen += sample->bins[value];
		if (seen >= wanted) {
			return value;
		}
	}
	return sample->max;
}

/* Half of the 95 % interval of the mean; not a number when there are too few samples to say. */
static double confidence(const xt_sample_t *sample)
{
	double means[XT_BATCHES];
	unsigned batches = 0;

	for (unsigned b = 0; b < XT_BATCHES; b++) {
		if (sample->batch_count[b]) {
			means[batches++] = (double)sample->batch_sum[b] / (double)sample->batch_count[b];
		}
	}
	return xt_mean_of(means, batches).ci95;
}

xt_latency_t xt_sample_summary(const xt_sample_t *sample)
{
	xt_latency_t latency = {.count = sample->count, .mean = NAN, .ci95 = NAN};

	if (sample->count) {
		latency.mean = (double)sample->sum / (double)sample->count;
		latency.ci95 = confidence(sample);
		latency.p50 = percentile(sample, 500);
		latency.p95 = percentile(sample, 950);
		latency.p99 = percentile(sample, 990);
		latency.max = sample->max;
	}
	return latency;
}

void xt_sample_free(xt_sample_t *sample)
{
	free(sample->bins);
	memset(sample, 0, sizeof(*sample));
}

int xt_sample_save(const xt_sample_t *sample, xt_bytes_t *out)
{
	return xt_bytes_add(out, sample->bins, sample->size * sizeof(*sample->bins));
}

int xt_sample_load(xt_sample_t *sample, xt_bytes_reader_t *in)
{
	return xt_bytes_take_array(in, &sample->bins, sample->size * sizeof(*sample->bins));
}
