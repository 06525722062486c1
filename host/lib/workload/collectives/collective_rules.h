/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/workload.h"

typedef struct {
	const char *algorithm;
	uint64_t segment;
} xt_choice_t;

/* The algorithm that the collective's rules choose, by bytes and ranks. */
xt_choice_t xt_rules_choose(const xt_collective_t *collective);
