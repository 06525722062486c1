/* SPDX-License-Identifier: Apache-2.0 */
#include "acyclic_order.h"

#include <stdlib.h>
#include <string.h>

struct xt_acyclic_order {
	const xt_peer_t *peer, *sender;
	unsigned ports;
	size_t channels;
	uint64_t *successors;   /* [channel]: ports of the card at its end */
	uint64_t *predecessors; /* [channel]: ports of its card by which packets come in */
	uint32_t *place;        /* [channel] */
	uint8_t *met;           /* [channel], all 0 between calls */
	uint32_t *behind, *ahead, *places;
};

xt_acyclic_order_t *xt_acyclic_order_create(
	const xt_peer_t *peer, const xt_peer_t *sender, unsigned cards, unsigned ports)
{
	xt_acyclic_order_t *o = calloc(1, sizeof(*o));
	size_t channels = (size_t)cards * ports;

	if (o) {
		o->peer = peer;
		o->sender = sender;
		o->ports = ports;
		o->channels = channels;
		o->successors = calloc(channels, sizeof(*o->successors));
		o->predecessors = calloc(channels, sizeof(*o->predecessors));
		o->met = calloc(channels, 1);
		o->place = calloc(channels, sizeof(*o->place));
		o->behind = calloc(channels, sizeof(*o->behind));
		o->ahead = calloc(channels, sizeof(*o->ahead));
		o->places = calloc(channels, sizeof(*o->places));
	}
	if (!o || !o->successors || !o->predecessors || !o->met || !o->place || !o->behind || !o->ahead || !o->places) {
		xt_acyclic_order_free(o);
		return NULL;
	}
	for (size_t i = 0; i < channels; i++) {
		o->place[i] = (uint32_t)i;
	}
	return o;
}

void xt_acyclic_order_copy(xt_acyclic_order_t *to, const xt_acyclic_order_t *from)
{
	memcpy(to->successors, from->successors, from->channels * sizeof(*to->successors));
	memcpy(to->predecessors, from->predecessors, from->channels * sizeof(*to->predecessors));
	memcpy(to->place, from->place, from->channels * sizeof(*to->place));
}

void xt_acyclic_order_free(xt_acyclic_order_t *o)
{
	if (o) {
		free(o->successors);
		free(o->predecessors);
		free(o->met);
		free(o->place);
		free(o->behind);
		free(o->ahead);
		free(o->places);
		free(o);
	}
}

static uint32_t successor(const xt_acyclic_order_t *o, uint32_t channel, unsigned port)
{
	return o->peer[channel].card * o->ports + port;
}

/* The channel that comes in by `port` of the card that `channel` leaves. */
static uint32_t predecessor(const xt_acyclic_order_t *o, uint32_t channel, unsigned port)
{
	xt_peer_t sender = o->sender[channel - channel % o->ports + port];

	return sender.card * o->ports + sender.port;
}

bool xt_acyclic_order_has(const xt_acyclic_order_t *o, uint32_t channel, unsigned next)
{
	return o->successors[channel] >> next & 1;
}

void xt_acyclic_order_remove(xt_acyclic_order_t *o, uint32_t channel, unsigned next)
{
	o->successors[channel] &= ~(UINT64_C(1) << next);
	o->predecessors[successor(o, channel, next)] &= ~(UINT64_C(1) << o->peer[channel].port);
}

/* Collects what is reached from `start` and lies within the bound; false if `goal` is. */
static bool collect(xt_acyclic_order_t *o, uint32_t start, bool forward, uint32_t bound, uint32_t goal, uint32_t *list,
	size_t *count)
{
	*count = 0;
	o->met[start] = 1;
	list[(*count)++] = start;
	for (size_t head = 0; head < *count; head++) {
		uint32_t channel = list[head];

		for (uint64_t rest = forward ? o->successors[channel] : o->predecessors[channel]; rest;
			rest &= rest - 1) {
			unsigned port = (unsigned)__builtin_ctzll(rest);
			uint32_t next = forward ? successor(o, channel, port) : predecessor(o, channel, port);

			if (next == goal) {
				return false;
			}
			if (!o->met[next] && (forward ? o->place[next] < bound : o->place[next] > bound)) {
				o->met[next] = 1;
				list[(*count)++] = next;
			}
		}
	}
	return true;
}

static void forget(xt_acyclic_order_t *o, const uint32_t *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		o->met[list[i]] = 0;
	}
}

static int compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

/* By place. */
static int compare_channels(const void *left, const void *right, void *place)
{
	const uint32_t *of = place;

	return compare(&of[*(const uint32_t *)left], &of[*(const uint32_t *)right]);
}

bool xt_acyclic_order_closes(xt_acyclic_order_t *o, uint32_t channel, unsigned next)
{
	bool had = xt_acyclic_order_has(o, channel, next), added = xt_acyclic_order_add(o, channel, next);

	if (added && !had) {
		xt_acyclic_order_remove(o, channel, next);
	}
	return !added;
}

size_t xt_acyclic_order_way(xt_acyclic_order_t *o, uint32_t channel, unsigned next, uint32_t *way)
{
	const uint32_t to = successor(o, channel, next);
	uint32_t *before = o->places;
	size_t reached = 0, length = 0;

	o->met[to] = 1;
	o->ahead[reached++] = to;
	for (size_t head = 0; head < reached && !o->met[channel]; head++) {
		for (uint64_t rest = o->successors[o->ahead[head]]; rest; rest &= rest - 1) {
			const uint32_t found = successor(o, o->ahead[head], (unsigned)__builtin_ctzll(rest));

			if (!o->met[found] && o->place[found] <= o->place[channel]) {
				o->met[found] = 1;
				before[found] = o->ahead[head];
				o->ahead[reached++] = found;
			}
		}
	}
	for (uint32_t at = channel; o->met[channel] && (length == 0 || way[length - 1] != to); at = before[at]) {
		way[length++] = at;
	}
	forget(o, o->ahead, reached);
	return length;
}

bool xt_acyclic_order_add(xt_acyclic_order_t *o, uint32_t channel, unsigned next)
{
	uint32_t to = successor(o, channel, next);
	size_t behind = 0, ahead = 0, used = 0;

	if (to == channel) {
		return false;
	}
	if (o->place[to] < o->place[channel]) {
		bool acyclic = collect(o, to, true, o->place[channel], channel, o->ahead, &ahead);

		forget(o, o->ahead, ahead);
		if (!acyclic) {
			return false;
		}
		collect(o, channel, false, o->place[to], UINT32_MAX, o->behind, &behind);
		forget(o, o->behind, behind);
		/* The places of all of them, first for those that lead to `channel`, then for those after it. */
		qsort_r(o->behind, behind, sizeof(*o->behind), compare_channels, o->place);
		qsort_r(o->ahead, ahead, sizeof(*o->ahead), compare_channels, o->place);
		for (size_t i = 0; i < behind; i++) {
			o->places[used++] = o->place[o->behind[i]];
		}
		for (size_t i = 0; i < ahead; i++) {
			o->places[used++] = o->place[o->ahead[i]];
		}
		qsort(o->places, used, sizeof(*o->places), compare);
		for (size_t i = 0; i < behind; i++) {
			o->place[o->behind[i]] = o->places[i];
		}
		for (size_t i = 0; i < ahead; i++) {
			o->place[o->ahead[i]] = o->places[behind + i];
		}
	}
	o->successors[channel] |= UINT64_C(1) << next;
	o->predecessors[to] |= UINT64_C(1) << o->peer[channel].port;
	return true;
}
