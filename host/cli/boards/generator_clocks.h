/* SPDX-License-Identifier: Apache-2.0
 *
 * A common time for the traffic generators of several boards. Each has a clock of its own, which begins when its card
 * is reset and goes as fast as its board's oscillator. Packets between two of them show how far their clocks are apart:
 * half the difference of the least latencies there and back, if both ways take equally long. */
#pragma once

#include "generators.h"

typedef struct {
	/* Two latencies' clocks differ by this many cycles at most, but for half the difference of the two ways. */
	double uncertainty;
	char reason[256]; /* why there is no common time; "": there is one */
} xt_common_time_t;

/* Sets all clocks by that of the first generator, and their rates by measuring twice, `apart_ms` apart. No other packet
 * may be under way. That there is no common time is no failure. */
int xt_align_clocks(const xt_generators_t *generators, unsigned apart_ms, xt_common_time_t *time, xt_diag_t *diag);
/* Measures again, after the traffic: the clocks' way apart is the uncertainty. Counters are lost. */
int xt_compare_clocks(const xt_generators_t *generators, xt_common_time_t *time, xt_diag_t *diag);
