/* SPDX-License-Identifier: Apache-2.0
 *
 * VEF traces. What is accepted comes back the same through both formats, as far as they can say it. */
#include "fuzz_workload.h"

/* A collective of many megabytes is so many segments that reading it, as it must be, takes minutes: a trace with a
 * collective in which a number has more than six digits is passed over. */
static int is_large(const uint8_t *data, size_t size)
{
	size_t digits = 0, most = 0;

	for (size_t i = 0; i < size; i++) {
		digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
		most = digits > most ? digits : most;
	}
	return most > 6 && memchr(data, 'G', size) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!is_large(data, size)) {
		fuzz_workload(data, size, XT_FORMAT_VEF);
	}
	return 0;
}
