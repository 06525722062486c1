/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a workload as a VEF trace. */
#include <inttypes.h>
#include <stdlib.h>

#include "formats.h"
#include "vef.h"
#include "workload/build.h"

/* Nothing that VEF cannot say. */
static int check_dependencies(const xt_workload_t *w, const xt_single_t *single, xt_diag_t *diag)
{
	for (uint32_t e = 0; e < w->count; e++) {
		int waits = w->kind[e] == XT_EVENT_RECV && xt_edges_back(&w->ends, e).count;

		if (waits || (w->kind[e] == XT_EVENT_SEND && single[e].less)) {
			return xt_fail(diag, XT_ERR_UNSUPPORTED,
				"a %s of rank %" PRIu32
				" waits for %s, and VEF has one dependency, of messages only; write GOAL, or "
				"leave dependencies out (--one-dependency)",
				waits ? "receive" : "message", w->rank[e], waits ? "something" : "several things");
		}
	}
	return XT_OK;
}

static void write_messages(const xt_workload_t *w, const xt_single_t *single, uint32_t *number, FILE *out)
{
	uint32_t messages = 0;
	int only_sends = 1;

	for (uint32_t e = 0; e < w->count; e++) {
		if (w->kind[e] == XT_EVENT_SEND) {
			number[e] = messages++;
			only_sends &= single[e].on == XT_NO_EVENT || w->kind[single[e].on] == XT_EVENT_SEND;
		}
	}
	fprintf(out, "VEF3 %" PRIu32 " %" PRIu32 " 1 0 0 %s\nC0", w->ranks, messages, only_sends ? "TRUE" : "FALSE");
	for (uint32_t r = 0; r < w->ranks; r++) {
		fprintf(out, " %" PRIu32, r);
	}
	fputs("\n", out);
	for (uint32_t e = 0; e < w->count; e++) {
		uint32_t on = single[e].on;

		if (w->kind[e] != XT_EVENT_SEND) {
			continue;
		}
		fprintf(out, "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %d %" PRIu64, number[e], w->rank[e],
			w->peer[e], xt_workload_size(w, e),
			on == XT_NO_EVENT              ? XT_VEF_NONE
			: w->kind[on] == XT_EVENT_SEND ? XT_VEF_SENT
						       : XT_VEF_RECEIVED,
			single[e].time);
		if (on == XT_NO_EVENT) {
			fputs(" -1\n", out);
		} else {
			fprintf(out, " %" PRIu32 "\n", number[w->kind[on] == XT_EVENT_SEND ? on : w->match[on]]);
		}
	}
}

int xt_workload_write_vef(const xt_workload_t *w, FILE *out, uint64_t *less, xt_diag_t *diag)
{
	uint32_t *number = malloc(((size_t)w->count + 1) * sizeof(*number));
	xt_single_t *single = NULL;
	int status = number ? xt_workload_single(w, &single, diag)
			    : xt_fail(diag, XT_ERR_NOMEM, "out of memory for %" PRIu32 " events", w->count);

	if (status == XT_OK && !less) {
		status = check_dependencies(w, single, diag);
	}
	if (status == XT_OK) {
		write_messages(w, single, number, out);
		for (uint32_t e = 0; less && e < w->count; e++) {
			*less += w->kind[e] == XT_EVENT_SEND && single[e].less;
		}
	}
	free(single);
	free(number);
	return status;
}
