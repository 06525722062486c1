/* SPDX-License-Identifier: Apache-2.0
 *
 * GOAL schedules. What is accepted comes back the same through both formats, as far as they can say it. */
#include "fuzz_workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_workload(data, size, XT_FORMAT_GOAL);
	return 0;
}
