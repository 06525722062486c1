/* SPDX-License-Identifier: Apache-2.0
 *
 * Latency samples against values worked out by hand. */
#include <math.h>

#include "measure/statistics.h"
#include "support.h"

TEST(nothing)
{
	xt_sample_t sample = {0};
	xt_latency_t l = xt_sample_summary(&sample);

	assert_int_equal(l.count, 0);
	assert_true(isnan(l.mean));
	assert_true(isnan(l.ci95));
	xt_sample_free(&sample);
}

TEST(one_to_a_thousand)
{
	xt_sample_t sample = {0};
	xt_latency_t l;

	for (uint64_t v = 1000; v >= 1; v--) {
		assert_int_equal(xt_sample_add(&sample, v, 0), XT_OK);
	}
	l = xt_sample_summary(&sample);
	assert_int_equal(l.count, 1000);
	assert_true(l.mean == 500.5);
	assert_true(isnan(l.ci95)); /* a single batch says nothing */
	assert_int_equal(l.p50, 500);
	assert_int_equal(l.p95, 950);
	assert_int_equal(l.p99, 990);
	assert_int_equal(l.max, 1000);
	xt_sample_free(&sample);
}

TEST(few_samples)
{
	xt_sample_t sample = {0};
	xt_latency_t l;

	xt_sample_add(&sample, 7, 3);
	l = xt_sample_summary(&sample);
	assert_int_equal(l.p50, 7);
	assert_int_equal(l.p99, 7);
	xt_sample_add(&sample, 9, 3);
	l = xt_sample_summary(&sample);
	assert_int_equal(l.p50, 7);
	assert_int_equal(l.p95, 9);
	xt_sample_free(&sample);
}

/* Beyond the bins the mean and the maximum stay exact. */
TEST(enormous_values)
{
	const uint64_t huge = UINT64_C(1) << 40;
	xt_sample_t sample = {0};
	xt_latency_t l;

	xt_sample_add(&sample, 0, 0);
	xt_sample_add(&sample, huge, 0);
	l = xt_sample_summary(&sample);
	assert_int_equal(l.p50, 0);
	assert_int_equal(l.p99, huge);
	assert_int_equal(l.max, huge);
	assert_true(l.mean == (double)huge / 2);
	xt_sample_free(&sample);
}

/* Several at once are the same as one after the other. */
TEST(values_in_a_run)
{
	static const uint64_t from[] = {0, 250, 1000, (UINT64_C(1) << 24) - 3, UINT64_C(1) << 30};

	for (unsigned step = 0; step <= 2; step++) {
		xt_sample_t runs = {0}, singles = {0};

		for (unsigned f = 0; f < sizeof(from) / sizeof(from[0]); f++) {
			for (unsigned count = 1; count <= 9; count += 4) {
				assert_int_equal(xt_sample_add_run(&runs, from[f], step, count, f), XT_OK);
				for (unsigned i = 0; i < count; i++) {
					xt_sample_add(&singles, from[f] + i * step, f);
				}
			}
		}
		assert_int_equal(runs.count, singles.count);
		assert_int_equal(runs.sum, singles.sum);
		assert_int_equal(runs.max, singles.max);
		assert_int_equal(runs.over, singles.over);
		assert_memory_equal(runs.batch_count, singles.batch_count, sizeof(runs.batch_count));
		assert_memory_equal(runs.batch_sum, singles.batch_sum, sizeof(runs.batch_sum));
		assert_int_equal(runs.size, singles.size);
		assert_memory_equal(runs.bins, singles.bins, runs.size * sizeof(*runs.bins));
		xt_sample_free(&runs);
		xt_sample_free(&singles);
	}
}

TEST(confidence_by_batches)
{
	xt_sample_t sample = {0};

	/* Batch means 10, 12, 14: deviation 2, t of 2 degrees 4.303, over the root of 3. */
	for (unsigned b = 0; b < 3; b++) {
		xt_sample_add(&sample, 9 + 2 * b, b);
		xt_sample_add(&sample, 11 + 2 * b, b);
	}
	assert_true(fabs(xt_sample_summary(&sample).ci95 - 4.303 * 2 / sqrt(3)) < 1e-9);
	xt_sample_free(&sample);
}

/* Printed tables have three decimals. */
TEST(quantiles_of_student)
{
	static const struct {
		unsigned freedom;
		double quantile;
	} table[] = {{1, 12.706}, {2, 4.303}, {9, 2.262}, {20, 2.086}, {21, 2.080}, {25, 2.060}, {30, 2.042},
		{40, 2.021}, {60, 2.000}, {120, 1.980}, {100000, 1.960}};

	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_true(fabs(xt_student_t(table[i].freedom) - table[i].quantile) < 0.00075);
	}
	assert_true(isnan(xt_student_t(0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing),
		cmocka_unit_test(one_to_a_thousand),
		cmocka_unit_test(few_samples),
		cmocka_unit_test(enormous_values),
		cmocka_unit_test(values_in_a_run),
		cmocka_unit_test(confidence_by_batches),
		cmocka_unit_test(quantiles_of_student),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
