/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

xt_workload_t *xt_workload_create(uint32_t ranks)
{
	xt_workload_t *w = calloc(1, sizeof(*w));

	if (w) {
		w->ranks = ranks;
	}
	return w;
}

void xt_workload_free(xt_workload_t *w)
{
	if (!w) {
		return;
	}
	free(w->kind);
	free(w->rank);
	free(w->peer);
	free(w->tag);
	free(w->match);
	free(w->line);
	free(w->size);
	free(w->edge_of);
	free(w->edge_on);
	free(w->first);
	free(w->next_first);
	free(w->on);
	free(w->next);
	free(w->pieces);
	free(w);
}

uint32_t xt_workload_ranks(const xt_workload_t *w)
{
	return w->ranks;
}

xt_event_t xt_workload_event(const xt_workload_t *w, uint32_t event)
{
	return (xt_event_t){.kind = (xt_event_kind_t)w->kind[event],
		.rank = w->rank[event],
		.peer = w->peer[event],
		.match = w->match[event],
		.tag = w->tag[event],
		.size = w->size[event],
		.line = w->line[event]};
}

/* Makes *array `room` elements of `size` bytes; the old one stays if that fails. */
static int resize(void *array, size_t room, size_t size)
{
	void **pointer = array;
	void *larger = realloc(*pointer, room * size);

	if (larger) {
		*pointer = larger;
	}
	return larger != NULL;
}

static int make_room(xt_workload_t *w)
{
	size_t room = w->room ? 2 * (size_t)w->room : 1024;

	if (w->count < w->room) {
		return 1;
	}
	if (room > XT_NO_EVENT - 1 || !resize(&w->kind, room, sizeof(*w->kind)) ||
		!resize(&w->rank, room, sizeof(*w->rank)) || !resize(&w->peer, room, sizeof(*w->peer)) ||
		!resize(&w->tag, room, sizeof(*w->tag)) || !resize(&w->match, room, sizeof(*w->match)) ||
		!resize(&w->line, room, sizeof(*w->line)) || !resize(&w->size, room, sizeof(*w->size))) {
		return 0;
	}
	w->room = (uint32_t)room;
	return 1;
}

uint32_t xt_workload_add(xt_workload_t *w, xt_event_kind_t kind, uint32_t rank, uint32_t peer, uint64_t size,
	uint32_t tag, uint32_t line)
{
	uint32_t event = w->count;

	if (w->status != XT_OK || !make_room(w)) {
		w->status = XT_ERR_NOMEM;
		return XT_NO_EVENT;
	}
	w->kind[event] = (uint8_t)kind;
	w->rank[event] = rank;
	w->peer[event] = peer;
	w->tag[event] = tag;
	w->match[event] = XT_NO_EVENT;
	w->line[event] = line;
	w->size[event] = size;
	w->count++;
	return event;
}

void xt_workload_depend(xt_workload_t *w, uint32_t event, uint32_t on)
{
	if (w->status != XT_OK) {
		return;
	}
	if (w->edges == w->edge_room) {
		size_t room = w->edge_room ? 2 * w->edge_room : 1024;

		if (!resize(&w->edge_of, room, sizeof(*w->edge_of)) ||
			!resize(&w->edge_on, room, sizeof(*w->edge_on))) {
			w->status = XT_ERR_NOMEM;
			return;
		}
		w->edge_room = room;
	}
	w->edge_of[w->edges] = event;
	w->edge_on[w->edges++] = on;
}

void xt_workload_carry(xt_workload_t *w, uint32_t send, uint64_t offset, uint64_t length, int reduce)
{
	if (!w->with_pieces || w->status != XT_OK || length == 0) {
		return;
	}
	if (w->piece_count == w->piece_room) {
		size_t room = w->piece_room ? 2 * w->piece_room : 1024;

		if (!resize(&w->pieces, room, sizeof(*w->pieces))) {
			w->status = XT_ERR_NOMEM;
			return;
		}
		w->piece_room = room;
	}
	w->pieces[w->piece_count++] = (xt_piece_t){send, (uint8_t)(reduce != 0), offset, length};
}

/* By sender, receiver and tag, then as they came. */
static int before(const void *a, const void *b, void *context)
{
	const xt_workload_t *w = context;
	uint32_t e[2] = {*(const uint32_t *)a, *(const uint32_t *)b};
	uint32_t key[2][4];

	for (int i = 0; i < 2; i++) {
		int send = w->kind[e[i]] == XT_EVENT_SEND;

		key[i][0] = send ? w->rank[e[i]] : w->peer[e[i]];
		key[i][1] = send ? w->peer[e[i]] : w->rank[e[i]];
		key[i][2] = w->tag[e[i]];
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
	return w->rank[send] == w->peer[recv] && w->peer[send] == w->rank[recv] && w->tag[send] == w->tag[recv];
}

static int alone(const xt_workload_t *w, const char *name, uint32_t event, xt_diag_t *diag)
{
	int send = w->kind[event] == XT_EVENT_SEND;

	return xt_fail(diag, XT_ERR_INVALID,
		"%.200s:%" PRIu32 ": rank %" PRIu32 " %s rank %" PRIu32 " with tag %" PRIu32
		", which has no %s for it; add it or take this away",
		name, w->line[event], w->rank[event], send ? "sends to" : "receives from", w->peer[event],
		w->tag[event], send ? "receive" : "send");
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
		if (w->size[ends[i]] != w->size[recv[i]]) {
			return xt_fail(diag, XT_ERR_INVALID,
				"%.200s:%" PRIu32 ": receives %" PRIu64 " bytes of a message of %" PRIu64
				" bytes (line %" PRIu32 "); make them the same",
				name, w->line[recv[i]], w->size[recv[i]], w->size[ends[i]], w->line[ends[i]]);
		}
		w->match[ends[i]] = recv[i];
		w->match[recv[i]] = ends[i];
	}
	if (sends != recvs) {
		return alone(w, name, sends > recvs ? ends[recvs] : recv[sends], diag);
	}
	return XT_OK;
}

static int match(xt_workload_t *w, const char *name, xt_diag_t *diag)
{
	uint32_t *ends = malloc(((size_t)w->count + 1) * sizeof(*ends));
	size_t sends = 0, recvs = 0;
	int status;

	if (!ends) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory for %" PRIu32 " events", name, w->count);
	}
	for (uint32_t e = 0; e < w->count; e++) {
		if (w->kind[e] == XT_EVENT_SEND) {
			ends[sends++] = e;
		}
	}
	for (uint32_t e = 0; e < w->count; e++) {
		if (w->kind[e] == XT_EVENT_RECV) {
			ends[sends + recvs++] = e;
		}
	}
	qsort_r(ends, sends, sizeof(*ends), before, w);
	qsort_r(ends + sends, recvs, sizeof(*ends), before, w);
	status = pair_up(w, name, ends, sends, recvs, diag);
	free(ends);
	return status;
}

/* Edges by `key`, with the order kept. */
static int gather_edges(
	const xt_workload_t *w, const uint32_t *key, const uint32_t *value, size_t **first, uint32_t **list)
{
	*first = calloc((size_t)w->count + 2, sizeof(**first));
	*list = malloc((w->edges + 1) * sizeof(**list));
	if (!*first || !*list) {
		return 0;
	}
	for (size_t i = 0; i < w->edges; i++) {
		(*first)[key[i] + 2]++;
	}
	for (size_t e = 2; e < (size_t)w->count + 2; e++) {
		(*first)[e] += (*first)[e - 1];
	}
	for (size_t i = 0; i < w->edges; i++) {
		(*list)[(*first)[key[i] + 1]++] = value[i];
	}
	return 1;
}

uint32_t xt_workload_order(const xt_workload_t *w, uint32_t *order, uint32_t *waits)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t e = 0; e < w->count; e++) {
		waits[e] = (uint32_t)(w->first[e + 1] - w->first[e]) + (w->kind[e] == XT_EVENT_RECV);
		if (!waits[e]) {
			order[tail++] = e;
		}
	}
	while (head < tail) {
		uint32_t e = order[head++];

		for (size_t i = w->next_first[e]; i < w->next_first[e + 1]; i++) {
			if (--waits[w->next[i]] == 0) {
				order[tail++] = w->next[i];
			}
		}
		if (w->kind[e] == XT_EVENT_SEND && --waits[w->match[e]] == 0) {
			order[tail++] = w->match[e];
		}
	}
	return tail;
}

/* What no order has a place for waits for itself. */
static int find_cycle(const xt_workload_t *w, const char *name, xt_diag_t *diag)
{
	uint32_t *waits = malloc(((size_t)w->count + 1) * sizeof(*waits));
	uint32_t *order = malloc(((size_t)w->count + 1) * sizeof(*order));
	int status = XT_OK;

	if (!waits || !order) {
		free(waits);
		free(order);
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory for %" PRIu32 " events", name, w->count);
	}
	if (xt_workload_order(w, order, waits) < w->count) {
		/* Back along what is waited for, until an event comes again: that one is on the cycle. */
		uint32_t e = 0;

		while (!waits[e]) {
			e++;
		}
		for (uint32_t steps = 0; steps < w->count; steps++) {
			uint32_t back = w->kind[e] == XT_EVENT_RECV && waits[w->match[e]] ? w->match[e] : XT_NO_EVENT;

			for (size_t i = w->first[e]; i < w->first[e + 1] && back == XT_NO_EVENT; i++) {
				back = waits[w->on[i]] ? w->on[i] : XT_NO_EVENT;
			}
			e = back;
		}
		status = xt_fail(diag, XT_ERR_INVALID,
			"%.200s:%" PRIu32 ": this event of rank %" PRIu32
			" waits, by others, for itself; take one of these dependencies away",
			name, w->line[e], w->rank[e]);
	}
	free(waits);
	free(order);
	return status;
}

int xt_workload_finish(xt_workload_t *w, const char *name, xt_diag_t *diag)
{
	int status = w->status;

	if (status != XT_OK) {
		return xt_fail(diag, status, "%.200s: out of memory for %" PRIu32 " events", name, w->count);
	}
	if ((status = match(w, name, diag)) != XT_OK) {
		return status;
	}
	if (!gather_edges(w, w->edge_of, w->edge_on, &w->first, &w->on) ||
		!gather_edges(w, w->edge_on, w->edge_of, &w->next_first, &w->next)) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory for %" PRIu32 " events", name, w->count);
	}
	free(w->edge_of);
	free(w->edge_on);
	w->edge_of = NULL;
	w->edge_on = NULL;
	return find_cycle(w, name, diag);
}
