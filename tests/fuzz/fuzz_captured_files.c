/* SPDX-License-Identifier: Apache-2.0
 *
 * Captured files of the ranks of an MPI program, merged. What is accepted comes back the same through the formats that
 * are written. */
#include "extorus/workload_merge.h"
#include "fuzz_files.h"

/* As in fuzz_vef_file.c, collectives of many megabytes. */
static int is_large(const uint8_t *data, size_t size)
{
	return memchr(data, 'B', size) && fuzz_longest_run(data, size, '0', '9') > 6;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xt_workload_t *workload = NULL;
	xt_merge_report_t report;
	xt_diag_t diag = {""};
	int ok;

	if (!size || is_large(data, size)) {
		return 0;
	}
	fuzz_write_files(data, size, "--\n", "");
	ok = fuzz_ok(xt_workload_merge(
			     fuzz_folder, size % 2 ? XT_RULES_BASIC : XT_RULES_TUNED, 0, &workload, &report, &diag),
		&diag);
	FUZZ_ASSERT(ok == (workload != NULL));
	FUZZ_ASSERT(ok || strstr(diag.text, fuzz_folder));
	if (ok) {
		xt_workload_statistics_t all;

		FUZZ_ASSERT(fuzz_ok(xt_workload_statistics(workload, &all, &diag), &diag));
		FUZZ_ASSERT(report.messages <= all.messages);
		fuzz_accepted(workload);
	}
	xt_workload_free(workload);
	return 0;
}
