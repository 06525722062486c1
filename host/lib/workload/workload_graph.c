/* SPDX-License-Identifier: Apache-2.0
 *
 * The last step of making a workload: its edges by event, the other side of each message, and no event that waits for
 * itself. */
#include <inttypes.h>
#include <stdlib.h>

#include "build.h"
#include "matching.h"

/* Of `waits`: a receive's message has not come. The other bits count edges. */
static const uint32_t message_bit = UINT32_C(1) << 31;

/* How many edges have a lesser key, by key and from place `shift` on; NULL when out of memory. */
static uint32_t *count_up(uint32_t events, uint32_t edges, const uint32_t *key, uint32_t shift)
{
	uint32_t *first = calloc((size_t)events + 2, sizeof(*first));

	for (uint32_t i = 0; first && i < edges; i++) {
		first[key[i] + shift]++;
	}
	for (size_t e = shift; first && e < (size_t)events + 2; e++) {
		first[e] += first[e - 1];
	}
	return first;
}

/* Edges by `key`, with the order kept. */
static int gather(
	uint32_t events, uint32_t edges, const uint32_t *key, const uint32_t *value, uint32_t **first, uint32_t **list)
{
	*first = count_up(events, edges, key, 2);
	*list = malloc(edges * sizeof(**list));
	if (!*first || !*list) {
		return 0;
	}
	for (uint32_t i = 0; i < edges; i++) {
		(*list)[(*first)[key[i] + 1]++] = value[i];
	}
	return 1;
}

/* As most files are: then there is nothing to move. */
static int is_sorted(const xt_edges_t *edges)
{
	uint32_t i = 1;

	while (i < edges->count && edges->of[i - 1] <= edges->of[i]) {
		i++;
	}
	return i == edges->count;
}

/* Who waits for each event: the lists by event the other way round. */
static int turn_round(uint32_t events, xt_edges_t *edges)
{
	edges->next_first = count_up(events, edges->count, edges->back, 2);
	edges->next = malloc(edges->count * sizeof(*edges->next));
	if (!edges->next_first || !edges->next) {
		return 0;
	}
	for (uint32_t e = 0; e < events; e++) {
		for (uint32_t i = edges->first[e]; i < edges->first[e + 1]; i++) {
			edges->next[edges->next_first[edges->back[i] + 1]++] = e;
		}
	}
	return 1;
}

/* Whatever is not needed any more is freed at once: this is where a workload takes most memory. */
static int gather_both(uint32_t events, xt_edges_t *edges)
{
	if (edges->count == 0) {
		return 1;
	}
	if (is_sorted(edges)) {
		edges->back = edges->on;
		edges->on = NULL;
		edges->first = count_up(events, edges->count, edges->of, 1);
	} else if (!gather(events, edges->count, edges->of, edges->on, &edges->first, &edges->back)) {
		return 0;
	}
	free(edges->of);
	free(edges->on);
	edges->of = NULL;
	edges->on = NULL;
	return edges->first && turn_round(events, edges);
}

int xt_workload_index(xt_workload_t *w)
{
	return gather_both(w->count, &w->ends) && gather_both(w->count, &w->begins) ? XT_OK : XT_ERR_NOMEM;
}

/* One edge less for every event that waits for `e`; those that have begun go on the stack, down from order[top]. */
static uint32_t release(const xt_edges_t *edges, uint32_t e, uint32_t *waits, uint32_t *order, uint32_t top)
{
	const xt_event_list_t list = xt_edges_next(edges, e);

	for (uint32_t i = 0; i < list.count; i++) {
		uint32_t next = list.events[i];

		if ((--waits[next] & ~message_bit) == 0) {
			order[--top] = next;
		}
	}
	return top;
}

/* Whether the order in time decides which messages the receives of a rank get. */
static int is_wild(const xt_workload_t *w, uint32_t rank)
{
	return w->wild && w->wild[rank];
}

/* The receive of a message, if it has begun; XT_NO_EVENT. `matching`: where it decides, the pair is noted. */
static uint32_t arrive(xt_workload_t *w, xt_matching_t *matching, uint32_t send, uint32_t *waits)
{
	uint32_t recv = w->match[send];

	if (matching && w->wild[w->peer[send]]) {
		recv = xt_matching_arrive(matching, w, send);
		if (recv == XT_NO_EVENT) {
			return XT_NO_EVENT;
		}
		w->match[send] = recv;
		w->match[recv] = send;
	}
	waits[recv] &= ~message_bit;
	return waits[recv] == 0 ? recv : XT_NO_EVENT;
}

static void post(xt_workload_t *w, xt_matching_t *matching, uint32_t recv, uint32_t *waits)
{
	uint32_t send = matching && w->wild[w->rank[recv]] ? xt_matching_post(matching, w, recv) : XT_NO_EVENT;

	if (send != XT_NO_EVENT) {
		w->match[send] = recv;
		w->match[recv] = send;
		waits[recv] &= ~message_bit;
	}
}

/* `order` holds a queue of events that are done, and at its end a stack of those that have begun; none is in both. With
 * `any_time` the receives of wild ranks wait for no message: what is not done then has no end in any order in time. */
static uint32_t play(xt_workload_t *w, xt_matching_t *matching, int any_time, uint32_t *order, uint32_t *waits)
{
	uint32_t head = 0, tail = 0, top = w->count, e;

	for (e = w->count; e-- > 0;) {
		const int needs = w->kind[e] == XT_EVENT_RECV && !(any_time && is_wild(w, w->rank[e]));

		waits[e] = xt_workload_waits(w, e) | (needs ? message_bit : 0);
		if ((waits[e] & ~message_bit) == 0) {
			order[--top] = e;
		}
	}
	while (top < w->count || head < tail) {
		if (top < w->count) {
			e = order[top++];
			if (w->kind[e] == XT_EVENT_RECV) {
				post(w, matching, e, waits);
			}
			top = release(&w->begins, e, waits, order, top);
			if (waits[e] == 0) {
				order[tail++] = e;
			}
			continue;
		}
		e = order[head++];
		if (w->kind[e] == XT_EVENT_SEND && !(any_time && is_wild(w, w->peer[e]))) {
			uint32_t recv = arrive(w, matching, e, waits);

			if (recv != XT_NO_EVENT) {
				order[tail++] = recv;
			}
		}
		top = release(&w->ends, e, waits, order, top);
	}
	return tail;
}

uint32_t xt_workload_order(const xt_workload_t *w, uint32_t *order, uint32_t *waits)
{
	/* Without a matching nothing is changed. */
	return play((xt_workload_t *)(uintptr_t)w, NULL, 0, order, waits);
}

/* What `e` waits for and is not done. */
static uint32_t waited_for(const xt_workload_t *w, uint32_t e, const uint32_t *waits)
{
	if (w->kind[e] == XT_EVENT_RECV && !is_wild(w, w->rank[e]) && waits[w->match[e]]) {
		return w->match[e];
	}
	for (unsigned kind = 0; kind < 2; kind++) {
		const xt_event_list_t list = xt_edges_back(kind ? &w->begins : &w->ends, e);

		for (uint32_t i = 0; i < list.count; i++) {
			if (waits[list.events[i]] & (kind ? ~message_bit : UINT32_MAX)) {
				return list.events[i];
			}
		}
	}
	return XT_NO_EVENT;
}

/* What no order has a place for waits for itself. */
static int refuse(const xt_workload_t *w, const char *name, const uint32_t *waits, xt_diag_t *diag)
{
	uint32_t e = 0;

	while (!waits[e]) {
		e++;
	}
	/* Back along what is waited for, until an event comes again: that one is on the cycle. */
	for (uint32_t steps = 0; steps < w->count; steps++) {
		e = waited_for(w, e, waits);
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"%.200s:%" PRIu32 ": this event of rank %" PRIu32
		" waits, by others, for itself; take one of these dependencies away",
		name, w->line[e], w->rank[e]);
}

static int match_and_order(xt_workload_t *w, const char *name, xt_diag_t *diag)
{
	uint32_t *waits = malloc(((size_t)w->count + 1) * sizeof(*waits));
	uint32_t *order = malloc(((size_t)w->count + 1) * sizeof(*order));
	uint32_t *next = w->wild ? malloc(((size_t)w->count + 1) * sizeof(*next)) : NULL;
	xt_matching_t matching = {0};
	int status = XT_OK;

	if (!waits || !order || (w->wild && (!next || xt_matching_begin(&matching, w, next) != XT_OK))) {
		status = xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory for %" PRIu32 " events", name, w->count);
	} else if (play(w, w->wild ? &matching : NULL, 0, order, waits) < w->count) {
		/* Where any message is taken, another order in time may have an end. */
		status = w->wild && play(w, NULL, 1, order, waits) == w->count ? xt_workload_pair_rest(w, name, diag)
									       : refuse(w, name, waits, diag);
	}
	xt_matching_free(&matching);
	free(next);
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
	if ((status = xt_workload_pair(w, name, diag)) != XT_OK) {
		return status;
	}
	if (xt_workload_index(w) != XT_OK) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory for %" PRIu32 " events", name, w->count);
	}
	if ((status = match_and_order(w, name, diag)) != XT_OK) {
		return status;
	}
	return w->wild ? xt_workload_check_pairs(w, name, diag) : XT_OK;
}
