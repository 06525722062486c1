/* SPDX-License-Identifier: Apache-2.0
 *
 * The short texts of options: selection functions, weights, faults, arrivals, lengths and mixes, algorithms. */
#include "extorus/settings.h"

#include "extorus/routing.h"
#include "extorus/run.h"
#include "extorus/traffic.h"
#include "fuzz.h"

/* Written and read again they are the same, but for digits of the chance. */
static void same_again(const xt_lengths_t *lengths)
{
	char text[64];
	xt_lengths_t again;

	xt_lengths_write(lengths, text, sizeof(text));
	FUZZ_ASSERT(xt_lengths_parse(text, &again, NULL) == XT_OK);
	FUZZ_ASSERT(again.min == lengths->min && again.max == lengths->max);
	FUZZ_ASSERT((again.min_share > 0.0) == (lengths->min_share > 0.0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	xt_diag_t diag = {""};
	xt_arrivals_t arrivals;
	xt_lengths_t lengths;
	xt_tc_mix_t mix;
	xt_algorithm_t algorithm;
	xt_select_t select;
	xt_weight_t weight;
	xt_fault_t fault;

	if (fuzz_ok(xt_select_parse(text, &select, &diag), &diag)) {
		FUZZ_ASSERT(strcmp(xt_select_name(select), text) == 0);
	}
	if (fuzz_ok(xt_algorithm_parse(text, &algorithm, &diag), &diag)) {
		FUZZ_ASSERT(strcmp(xt_algorithm_name(algorithm), text) == 0);
	}
	if (fuzz_ok(xt_weight_parse(text, &weight, &diag), &diag)) {
		FUZZ_ASSERT(weight.weight <= XT_MAX_WEIGHT && weight.tc < XT_MAX_TCS);
		FUZZ_ASSERT(strnlen(weight.port, sizeof(weight.port)) < sizeof(weight.port));
	}
	if (fuzz_ok(xt_arrivals_parse(text, &arrivals, &diag), &diag)) {
		FUZZ_ASSERT(strcmp(xt_arrivals_name(arrivals), text) == 0);
	}
	if (fuzz_ok(xt_lengths_parse(text, &lengths, &diag), &diag)) {
		same_again(&lengths);
	}
	if (fuzz_ok(xt_mix_parse(text, &mix, &diag), &diag)) {
		FUZZ_ASSERT(mix.tc < XT_MAX_TCS && mix.share > 0.0);
	}
	fuzz_ok(xt_fault_parse(text, &fault, &diag), &diag);
	free(text);
	return 0;
}
