/* SPDX-License-Identifier: Apache-2.0
 *
 * When a series is steady: the rule against its definition, and on series whose transient is known. */
#include <math.h>
#include <stdlib.h>

#include "extorus/random.h"
#include "measure/warmup.h"
#include "support.h"

enum { MOST = 400 };

/* The squared standard error of what is left, in two passes. */
static double error_without(const double *values, unsigned count, unsigned removed)
{
	double mean = 0.0, squares = 0.0, kept = count - removed;

	for (unsigned i = removed; i < count; i++) {
		mean += values[i] / kept;
	}
	for (unsigned i = removed; i < count; i++) {
		squares += (values[i] - mean) * (values[i] - mean);
	}
	return squares / (kept * kept);
}

static void noise(double *values, unsigned count, double transient, double drift, uint64_t seed)
{
	xt_random_t random;

	xt_random_seed(&random, seed, 0);
	for (unsigned i = 0; i < count; i++) {
		values[i] =
			100.0 + 4.0 * (xt_random_unit(&random) - 0.5) - transient * exp(-(double)i / 10.0) + drift * i;
	}
}

TEST(removes_what_makes_the_error_least)
{
	double values[MOST];
	unsigned found = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		unsigned count = 20 + (unsigned)(seed * 7), d;

		noise(values, count, 80.0, 0.0, seed);
		d = xt_mser(values, count);
		if (d > count / 2) {
			continue;
		}
		found++;
		for (unsigned other = 0; other <= count / 2; other++) {
			assert_true(
				error_without(values, count, d) <= error_without(values, count, other) * (1 + 1e-9));
		}
	}
	assert_true(found > 40);
}

/* Time constant 10: after 30 values 5 % of the transient is left, as much as the noise. */
TEST(finds_a_known_transient)
{
	double values[MOST];

	for (uint64_t seed = 1; seed <= 50; seed++) {
		noise(values, MOST, 80.0, 0.0, seed);
		assert_in_range(xt_mser(values, MOST), 15, 80);
		noise(values, MOST, 0.0, 0.0, seed);
		assert_true(xt_mser(values, MOST) <= MOST / 2);
	}
}

TEST(sees_that_it_is_not_steady)
{
	double values[MOST];

	for (uint64_t seed = 1; seed <= 50; seed++) {
		noise(values, MOST, 0.0, 1.0, seed); /* grows for ever */
		assert_true(xt_mser(values, MOST) > MOST / 2);
		noise(values, 20, 800.0, 0.0, seed); /* not over yet */
		assert_true(xt_mser(values, 20) > 10);
	}
}

TEST(waits_for_both_series)
{
	for (int growing = 0; growing <= 2; growing++) {
		xt_warmup_t warmup = {0};
		uint64_t cycle, steady = 0;

		for (cycle = 0; cycle < 20000 && !steady; cycle++) {
			int found = xt_warmup_step(&warmup, cycle);

			assert_true(found >= 0);
			steady = found ? cycle : 0;
			for (uint64_t i = 0; i < (growing == 1 ? cycle / 50 : 3 + cycle * 7 % 5); i++) {
				xt_warmup_cells(&warmup, 1);
			}
			xt_warmup_packet(&warmup, growing == 2 ? cycle : 50 + cycle * 7 % 5);
		}
		assert_true(growing ? steady == 0 : steady > 0 && steady <= 2000);
		xt_warmup_free(&warmup);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(removes_what_makes_the_error_least),
		cmocka_unit_test(finds_a_known_transient),
		cmocka_unit_test(sees_that_it_is_not_steady),
		cmocka_unit_test(waits_for_both_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
