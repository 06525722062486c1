/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
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
	free(w->tag_high);
	free(w->match);
	free(w->line);
	free(w->size);
	free(w->size_high);
	free(w->cpu);
	free(w->wild);
	for (unsigned i = 0; i < 2; i++) {
		xt_edges_t *edges = i ? &w->begins : &w->ends;

		free(edges->of);
		free(edges->on);
		free(edges->first);
		free(edges->back);
		free(edges->next_first);
		free(edges->next);
	}
	free(w->pieces);
	free(w);
}

void xt_workload_trim(xt_workload_t *w)
{
	for (unsigned i = 0; i < 2; i++) {
		xt_edges_t *edges = i ? &w->begins : &w->ends;

		free(edges->first);
		free(edges->back);
		edges->first = edges->back = NULL;
	}
	/* Where receives take any message, the run finds them, and may find none. */
	if (!w->wild) {
		free(w->line);
		free(w->peer);
		w->line = w->peer = NULL;
		free(w->tag);
		free(w->tag_high);
		w->tag = w->tag_high = NULL;
	}
#ifdef __GLIBC__
	malloc_trim(0); /* holes among arrays that stay would not go back by themselves */
#endif
}

uint32_t xt_workload_ranks(const xt_workload_t *w)
{
	return w->ranks;
}

xt_event_t xt_workload_event(const xt_workload_t *w, uint32_t event)
{
	return (xt_event_t){.kind = (xt_event_kind_t)w->kind[event],
		.rank = w->rank[event],
		.peer = xt_workload_peer(w, event),
		.match = w->match[event],
		.tag = w->tag ? xt_workload_tag(w, event) : 0,
		.size = xt_workload_size(w, event),
		.line = w->line ? w->line[event] : 0};
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
		!resize(&w->tag, room, sizeof(*w->tag)) ||
		(w->tag_high && !resize(&w->tag_high, room, sizeof(*w->tag_high))) ||
		!resize(&w->match, room, sizeof(*w->match)) || !resize(&w->line, room, sizeof(*w->line)) ||
		!resize(&w->size, room, sizeof(*w->size)) ||
		(w->size_high && !resize(&w->size_high, room, sizeof(*w->size_high))) ||
		(w->with_cpus && !resize(&w->cpu, room, sizeof(*w->cpu)))) {
		return 0;
	}
	w->room = (uint32_t)room;
	return 1;
}

/* The upper halves of numbers, from the first one that has more than 32 bits on; 0 when out of memory. */
static int widen(const xt_workload_t *w, uint32_t **high, uint64_t value)
{
	if (value >> 32 && !*high) {
		*high = calloc(w->room, sizeof(**high));
		return *high != NULL;
	}
	return 1;
}

void xt_workload_set_size(xt_workload_t *w, uint32_t event, uint64_t size)
{
	if (!widen(w, &w->size_high, size)) {
		w->status = XT_ERR_NOMEM;
		return;
	}
	w->size[event] = (uint32_t)size;
	if (w->size_high) {
		w->size_high[event] = (uint32_t)(size >> 32);
	}
}

uint32_t xt_workload_add(xt_workload_t *w, xt_event_kind_t kind, uint32_t rank, uint32_t peer, uint64_t size,
	uint64_t tag, uint32_t line)
{
	uint32_t event = w->count;

	if (w->status != XT_OK || !make_room(w) || !widen(w, &w->tag_high, tag) || !widen(w, &w->size_high, size)) {
		w->status = XT_ERR_NOMEM;
		return XT_NO_EVENT;
	}
	w->kind[event] = (uint8_t)kind;
	w->rank[event] = (uint16_t)rank;
	w->peer[event] = peer;
	w->tag[event] = (uint32_t)tag;
	if (w->tag_high) {
		w->tag_high[event] = (uint32_t)(tag >> 32);
	}
	w->match[event] = XT_NO_EVENT;
	w->line[event] = line;
	xt_workload_set_size(w, event, size);
	if (w->with_cpus) {
		w->cpu[event] = XT_NO_CPU;
	}
	w->count++;
	return event;
}

static void add_edge(xt_workload_t *w, xt_edges_t *edges, uint32_t event, uint32_t on)
{
	if (w->status != XT_OK) {
		return;
	}
	if (edges->count == edges->room) {
		size_t room = edges->room ? 2 * (size_t)edges->room : 1024;

		if (room > UINT32_MAX || !resize(&edges->of, room, sizeof(*edges->of)) ||
			!resize(&edges->on, room, sizeof(*edges->on))) {
			w->status = XT_ERR_NOMEM;
			return;
		}
		edges->room = (uint32_t)room;
	}
	edges->of[edges->count] = event;
	edges->on[edges->count++] = on;
}

void xt_workload_depend(xt_workload_t *w, uint32_t event, uint32_t on)
{
	add_edge(w, &w->ends, event, on);
}

void xt_workload_depend_begin(xt_workload_t *w, uint32_t event, uint32_t on)
{
	add_edge(w, &w->begins, event, on);
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
