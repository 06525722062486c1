/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution traces of Chakra, a file for each rank. What is accepted comes back the same through the formats that are
 * written. */
#include "fuzz_files.h"

/* A collective of many megabytes is so many segments that reading it takes minutes, as in fuzz_vef_file.c: a trace with
 * collectives and a number of more than 3 bytes or 6 digits, or of the fixed types, is passed over. */
static int is_large(const uint8_t *data, size_t size)
{
	return memmem(data, size, "comm_type", 9) &&
	       (fuzz_longest_run(data, size, 0x80, 0xff) > 2 || fuzz_longest_run(data, size, '0', '9') > 6 ||
		       memmem(data, size, "\xa9\x01", 2) || memmem(data, size, "\x9d\x01", 2));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xt_workload_t *workload = NULL;
	xt_diag_t diag = {""};
	char path[FUZZ_PATH_ROOM];
	int ok;

	if (is_large(data, size)) {
		return 0;
	}
	fuzz_write_files(data, size, "\n--\n", ".et");
	fuzz_path(path, 0, ".et");
	ok = fuzz_ok(xt_workload_load(path, &workload, &diag), &diag);
	FUZZ_ASSERT(ok == (workload != NULL));
	/* What a file says wrong has its name. */
	FUZZ_ASSERT(ok || strstr(diag.text, fuzz_folder));
	if (ok) {
		fuzz_accepted(workload);
	}
	xt_workload_free(workload);
	return 0;
}
