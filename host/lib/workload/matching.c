/* SPDX-License-Identifier: Apache-2.0
 *
 * Which receive gets which message. */
#include "matching.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- first to first */

/* By sender, receiver and tag, then as they came. */
static int before(const void *a, const void *b, void *context)
{
	const xt_workload_t *w = context;
	uint32_t e[2] = {*(const uint32_t *)a, *(const uint32_t *)b};
	uint64_t key[2][4];

	for (int i = 0; i < 2; i++) {
		int send = w->kind[e[i]] == XT_EVENT_SEND;

		key[i][0] = send ? w->rank[e[i]] : w->peer[e[i]];
		key[i][1] = send ? w->peer[e[i]] : w->rank[e[i]];
		key[i][2] = xt_workload_tag(w, e[i]);
		key[i][3] = e[i];
	}
	for (int k = 0; k < 4; k++) {
		if (key[0][k] != key[1][k]) {
			return key[0][k] < key[1][k] ? -1 : 1;
		}
	}
	return 0;
}

static int same_way(const xt_workload_t *w, uint32_t send, uint32_t recv)
{
	return w->rank[send] == w->peer[recv] && w->peer[send] == w->rank[recv] &&
	       xt_workload_tag(w, send) == xt_workload_tag(w, recv);
}

static int alone(const xt_workload_t *w, const char *name, uint32_t event, xt_diag_t *diag)
{
	int send = w->kind[event] == XT_EVENT_SEND;

	return xt_fail(diag, XT_ERR_INVALID,
		"%.200s:%" PRIu32 ": rank %" PRIu32 " %s rank %" PRIu32 " with tag %" PRIu64
		", which has no %s for it; add it or take this away",
		name, w->line[event], w->rank[event], send ? "sends to" : "receives from", w->peer[event],
		xt_workload_tag(w, event), send ? "receive" : "send");
}

static int too_long(const xt_workload_t *w, const char *name, uint32_t send, uint32_t recv, xt_diag_t *diag)
{
	return xt_fail(diag, XT_ERR_INVALID,
		"%.200s:%" PRIu32 ": receives %" PRIu64 " bytes of a message of %" PRIu64 " bytes (line %" PRIu32
		"); receive at least as many",
		name, w->line[recv], xt_workload_size(w, recv), xt_workload_size(w, send), w->line[send]);
}

/* `ends`: the sends, then the receives, both in the order of before(). */
static int pair_up(
	xt_workload_t *w, const char *name, const uint32_t *ends, size_t sends, size_t recvs, xt_diag_t *diag)
{
	const uint32_t *recv = ends + sends;

	for (size_t i = 0; i < sends && i < recvs; i++) {
		if (!same_way(w, ends[i], recv[i])) {
			/* The lesser of the two has nothing on the other side. */
			xt_event_t r = xt_workload_event(w, recv[i]), s = xt_workload_event(w, ends[i]);
			int send_first = s.rank != r.peer   ? s.rank < r.peer
					 : s.peer != r.rank ? s.peer < r.rank
							    : s.tag < r.tag;

			return alone(w, name, send_first ? ends[i] : recv[i], diag);
		}
		if (xt_workload_size(w, ends[i]) > xt_workload_size(w, recv[i])) {
			return too_long(w, name, ends[i], recv[i], diag);
		}
		w->match[ends[i]] = recv[i];
		w->match[recv[i]] = ends[i];
	}
	if (sends != recvs) {
		return alone(w, name, sends > recvs ? ends[recvs] : recv[sends], diag);
	}
	return XT_OK;
}

static int is_wild(const xt_workload_t *w, uint32_t e)
{
	return w->kind[e] == XT_EVENT_RECV && (w->peer[e] == XT_ANY_SOURCE || xt_workload_tag(w, e) == XT_ANY_TAG);
}

/* Ranks with a receive from any source or with any tag: which message it gets is seen in the run. */
static int find_wild(xt_workload_t *w, const char *name, xt_diag_t *diag)
{
	for (uint32_t e = 0; e < w->count; e++) {
		if (!is_wild(w, e)) {
			continue;
		}
		if (!w->wild && !(w->wild = calloc(w->ranks, sizeof(*w->wild)))) {
			return xt_fail(
				diag, XT_ERR_NOMEM, "%.200s: out of memory for %" PRIu32 " events", name, w->count);
		}
		w->wild[w->rank[e]] = 1;
	}
	return XT_OK;
}

int xt_workload_pair(xt_workload_t *w, const char *name, xt_diag_t *diag)
{
	uint32_t *ends = malloc(((size_t)w->count + 1) * sizeof(*ends));
	size_t sends = 0, recvs = 0;
	int status;

	if (!ends) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory for %" PRIu32 " events", name, w->count);
	}
	status = find_wild(w, name, diag);
	if (status != XT_OK) {
		free(ends);
		return status;
	}
	for (uint32_t e = 0; e < w->count; e++) {
		if (w->kind[e] == XT_EVENT_SEND && !(w->wild && w->wild[w->peer[e]])) {
			ends[sends++] = e;
		}
	}
	for (uint32_t e = 0; e < w->count; e++) {
		if (w->kind[e] == XT_EVENT_RECV && !(w->wild && w->wild[w->rank[e]])) {
			ends[sends + recvs++] = e;
		}
	}
	qsort_r(ends, sends, sizeof(*ends), before, w);
	qsort_r(ends + sends, recvs, sizeof(*ends), before, w);
	status = pair_up(w, name, ends, sends, recvs, diag);
	free(ends);
	return status;
}

static int fits(const xt_workload_t *w, uint32_t send, uint32_t recv)
{
	return (w->peer[recv] == XT_ANY_SOURCE || w->peer[recv] == w->rank[send]) &&
	       (xt_workload_tag(w, recv) == XT_ANY_TAG || xt_workload_tag(w, recv) == xt_workload_tag(w, send));
}

uint32_t xt_matching_find(const xt_workload_t *w, uint32_t recv)
{
	for (uint32_t send = 0; send < w->count; send++) {
		if (w->kind[send] == XT_EVENT_SEND && w->peer[send] == w->rank[recv] && fits(w, send, recv)) {
			return send;
		}
	}
	return XT_NO_EVENT;
}

int xt_workload_check_pairs(const xt_workload_t *w, const char *name, xt_diag_t *diag)
{
	for (uint32_t e = 0; e < w->count; e++) {
		if (w->kind[e] == XT_EVENT_SEND && w->match[e] == XT_NO_EVENT) {
			return alone(w, name, e, diag);
		}
		if (w->kind[e] == XT_EVENT_SEND && xt_workload_size(w, e) > xt_workload_size(w, w->match[e])) {
			return too_long(w, name, e, w->match[e], diag);
		}
	}
	return XT_OK;
}

/* ---------------------------------------------------------------- in the run */

int xt_matching_begin(xt_matching_t *m, const xt_workload_t *w, uint32_t *next)
{
	m->lists = malloc(2 * (size_t)w->ranks * sizeof(*m->lists));
	m->next = next;
	if (!m->lists) {
		return XT_ERR_NOMEM;
	}
	xt_matching_clear(m, w);
	return XT_OK;
}

void xt_matching_clear(xt_matching_t *m, const xt_workload_t *w)
{
	for (size_t i = 0; i < 2 * (size_t)w->ranks; i++) {
		m->lists[i] = (xt_event_chain_t){XT_NO_EVENT, XT_NO_EVENT};
	}
}

void xt_matching_free(xt_matching_t *m)
{
	free(m->lists);
}

/* Takes the first event of `list` that fits `event` out; without one, `event` goes to the end of `own`. */
static uint32_t meet(
	xt_matching_t *m, const xt_workload_t *w, uint32_t event, xt_event_chain_t *list, xt_event_chain_t *own)
{
	uint32_t before = XT_NO_EVENT;

	for (uint32_t other = list->first; other != XT_NO_EVENT; before = other, other = m->next[other]) {
		if (w->kind[event] == XT_EVENT_SEND ? fits(w, event, other) : fits(w, other, event)) {
			*(before == XT_NO_EVENT ? &list->first : &m->next[before]) = m->next[other];
			list->last = list->last == other ? before : list->last;
			return other;
		}
	}
	m->next[event] = XT_NO_EVENT;
	*(own->first == XT_NO_EVENT ? &own->first : &m->next[own->last]) = event;
	own->last = event;
	return XT_NO_EVENT;
}

uint32_t xt_matching_post(xt_matching_t *m, const xt_workload_t *w, uint32_t recv)
{
	xt_event_chain_t *lists = m->lists + 2 * (size_t)w->rank[recv];

	return meet(m, w, recv, &lists[1], &lists[0]);
}

uint32_t xt_matching_arrive(xt_matching_t *m, const xt_workload_t *w, uint32_t send)
{
	xt_event_chain_t *lists = m->lists + 2 * (size_t)w->peer[send];

	return meet(m, w, send, &lists[0], &lists[1]);
}

int xt_matching_has(const xt_matching_t *m, const xt_workload_t *w, uint32_t recv)
{
	uint32_t send = m->lists[2 * (size_t)w->rank[recv] + 1].first;

	while (send != XT_NO_EVENT && !fits(w, send, recv)) {
		send = m->next[send];
	}
	return send != XT_NO_EVENT;
}
