/* SPDX-License-Identifier: Apache-2.0
 *
 * Which message a captured receive got: MPI keeps the order of messages of the same ranks, communicator and tag. */
#include <inttypes.h>
#include <stdlib.h>

#include "merge.h"

/* Those of collectives have tag 0, and are complete. */
static int is_own(const xt_workload_t *w, uint32_t e)
{
	return w->kind[e] != XT_EVENT_CALC && xt_workload_tag(w, e) != 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static uint32_t sender(const xt_workload_t *w, uint32_t e)
{
	return w->kind[e] == XT_EVENT_SEND ? w->rank[e] : w->peer[e];
}

static uint32_t receiver(const xt_workload_t *w, uint32_t e)
{
	return w->kind[e] == XT_EVENT_SEND ? w->peer[e] : w->rank[e];
}

/* By what has to be the same in a message and its receive. */
static int compare_kind(const xt_workload_t *w, uint32_t a, uint32_t b)
{
	int order = compare(sender(w, a), sender(w, b));

	order = order ? order : compare(receiver(w, a), receiver(w, b));
	return order ? order : compare(xt_workload_tag(w, a), xt_workload_tag(w, b));
}

static int before(const void *a, const void *b, void *workload)
{
	const uint32_t *x = a, *y = b;
	int order = compare_kind(workload, *x, *y);

	return order ? order : compare(*x, *y);
}

/* A receive without a message becomes a computation of no time, for those that wait for the receive. */
static void leave_out(xt_workload_t *w, uint32_t recv, xt_merge_report_t *report)
{
	w->kind[recv] = XT_EVENT_CALC;
	xt_workload_set_size(w, recv, 0);
	report->unsent++;
}

static int pair(xt_workload_t *w, uint32_t send, uint32_t recv, const char *name, xt_diag_t *diag)
{
	if (xt_workload_size(w, recv) != UINT64_MAX && xt_workload_size(w, recv) != xt_workload_size(w, send)) {
		return xt_fail(diag, XT_ERR_FORMAT,
			"%.200s/%" PRIu32 ":%" PRIu32 ": %" PRIu64 " bytes were received of a message of %" PRIu64
			" (%.200s/%" PRIu32 ":%" PRIu32 ")",
			name, w->rank[recv], w->line[recv], xt_workload_size(w, recv), xt_workload_size(w, send), name,
			w->rank[send], w->line[send]);
	}
	xt_workload_set_size(w, recv, xt_workload_size(w, send));
	return XT_OK;
}

/* `list`: sends and receives by kind, each in the order of the program. */
static int pair_all(xt_workload_t *w, const uint32_t *sends, uint32_t send_count, const uint32_t *recvs,
	uint32_t recv_count, xt_merge_report_t *report, const char *name, xt_diag_t *diag)
{
	uint32_t s = 0, r = 0;
	int status = XT_OK;

	while ((s < send_count || r < recv_count) && status == XT_OK) {
		int order = s == send_count ? 1 : r == recv_count ? -1 : compare_kind(w, sends[s], recvs[r]);

		if (order == 0) {
			status = pair(w, sends[s++], recvs[r++], name, diag);
		} else if (order < 0) {
			uint32_t e = sends[s++];

			xt_workload_add(w, XT_EVENT_RECV, w->peer[e], w->rank[e], xt_workload_size(w, e),
				xt_workload_tag(w, e), w->line[e]);
			report->unreceived++;
		} else {
			leave_out(w, recvs[r++], report);
		}
	}
	report->messages = send_count;
	return status;
}

int xt_merge_pairs(xt_workload_t *w, xt_merge_report_t *report, const char *name, xt_diag_t *diag)
{
	uint32_t *list = malloc(((size_t)w->count + 1) * sizeof(*list)), sends = 0, recvs = 0;
	int status;

	if (!list) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", name);
	}
	for (uint32_t e = 0; e < w->count; e++) {
		if (is_own(w, e) && w->kind[e] == XT_EVENT_RECV &&
			(w->peer[e] == XT_ANY_SOURCE || xt_workload_tag(w, e) == XT_ANY_TAG)) {
			leave_out(w, e, report);
		} else if (is_own(w, e) && w->kind[e] == XT_EVENT_SEND) {
			list[sends++] = e;
		} else if (is_own(w, e)) {
			list[w->count - ++recvs] = e;
		}
	}
	/* Receives are at the end, the last one first. */
	qsort_r(list, sends, sizeof(*list), before, w);
	qsort_r(list + w->count - recvs, recvs, sizeof(*list), before, w);
	status = pair_all(w, list, sends, list + w->count - recvs, recvs, report, name, diag);
	free(list);
	return status;
}
