/* SPDX-License-Identifier: Apache-2.0
 *
 * What `extorus workload merge` does, by rank 0 once MPI is over. */
#include <stdio.h>
#include <string.h>

#include "extorus/atomic_file.h"
#include "extorus/workload_file.h"
#include "extorus/workload_merge.h"
#include "record.h"

static int is_vef(const char *path)
{
	size_t length = strlen(path);

	return length >= 4 && strcmp(path + length - 4, ".vef") == 0;
}

static int write_trace(const char *path, const xt_workload_t *w, uint64_t *less, xt_diag_t *diag)
{
	xt_output_t *output;
	int status = xt_output_open(path, &output, diag);

	if (status != XT_OK) {
		return status;
	}
	status = is_vef(path) ? xt_workload_write_vef(w, xt_output_stream(output), less, diag)
			      : xt_workload_write_goal(w, xt_output_stream(output), diag);
	if (status != XT_OK) {
		xt_output_abort(output);
		return status;
	}
	return xt_output_commit(output, diag);
}

void xt_merge_files(const char *folder, const char *trace)
{
	xt_merge_report_t report;
	xt_diag_t diag = {""};
	xt_workload_t *w;
	uint64_t less = 0;
	int status = xt_workload_merge(folder, XT_RULES_TUNED, 0, &w, &report, &diag);

	if (status == XT_OK) {
		status = write_trace(trace, w, &less, &diag);
	}
	if (status != XT_OK) {
		fprintf(stderr, "libextorus-capture: %s; try extorus workload merge %s\n", diag.text, folder);
	} else {
		fprintf(stderr, "libextorus-capture: %s, of the files in %s\n", trace, folder);
		xt_merge_report_print(&report, stderr);
	}
	xt_workload_free(w);
}
