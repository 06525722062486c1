/* SPDX-License-Identifier: Apache-2.0
 *
 * The short texts of options: selection functions, weights, faults, packet sizes, algorithms. */
#include "extorus/settings.h"

#include "extorus/routing.h"
#include "extorus/run.h"
#include "extorus/traffic.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	xt_diag_t diag = {""};
	unsigned least, most;
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
	if (fuzz_ok(xt_traffic_parse_packet(text, &least, &most, &diag), &diag)) {
		FUZZ_ASSERT(least <= most);
	}
	fuzz_ok(xt_fault_parse(text, &fault, &diag), &diag);
	free(text);
	return 0;
}
