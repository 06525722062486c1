/* SPDX-License-Identifier: Apache-2.0
 *
 * The last step of making a workload: its edges by event, the other side of each message, and no event that waits for
 * itself. */
#include <inttypes.h>
#include <stdlib.h>

#include "build.h"
#include "extorus/random.h"
#include "matching.h"

/* Of `waits`: a receive's message has not come, an event has not begun. The other bits count edges. */
static const uint32_t message_bit = UINT32_C(1) << 31, begin_bit = UINT32_C(1) << 30,
		      edge_bits = (UINT32_C(1) << 30) - 1;
/* Of `waits` of an event that never ends, once it has been looked at. */
static const uint32_t seen = UINT32_MAX;

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

/* Whether the order in time decides which messages the receives of a rank get. */
static int is_wild(const xt_workload_t *w, uint32_t rank)
{
	return w->wild && w->wild[rank];
}

/* How the events of a program follow each other. */
typedef struct {
	xt_matching_t *matching; /* decides who meets whom at wild ranks; NULL: as w->match has it */
	int shared;              /* one message is enough for all receives that fit it, and no pair is noted */
	xt_random_t *random;     /* of several events that can be next takes any; NULL: always the same one */
	uint32_t *order, *waits; /* a place for each event */
	uint32_t head, tail;     /* of a queue in `order`: events that are done */
	uint32_t top;            /* of a stack at the end of `order`: events that have begun; none is in both */
} xt_play_t;

static void couple(xt_workload_t *w, uint32_t send, uint32_t recv)
{
	w->match[send] = recv;
	w->match[recv] = send;
}

static void message_came(xt_play_t *p, uint32_t recv)
{
	p->waits[recv] &= ~message_bit;
	if (p->waits[recv] == 0) {
		p->order[p->tail++] = recv;
	}
}

static void arrive(xt_workload_t *w, xt_play_t *p, uint32_t send)
{
	uint32_t recv;

	if (!p->matching || !is_wild(w, w->peer[send])) {
		message_came(p, w->match[send]);
		return;
	}
	while ((recv = xt_matching_arrive(p->matching, w, send)) != XT_NO_EVENT) {
		message_came(p, recv);
		if (!p->shared) {
			couple(w, send, recv);
			return;
		}
	}
}

/* Its message may be there already; then it is done when its other edges are. */
static void post(xt_workload_t *w, xt_play_t *p, uint32_t recv)
{
	uint32_t send;

	if (!p->matching || !is_wild(w, w->rank[recv])) {
		return;
	}
	if (p->shared && xt_matching_has(p->matching, w, recv)) {
		p->waits[recv] &= ~message_bit;
	} else if ((send = xt_matching_post(p->matching, w, recv)) != XT_NO_EVENT) {
		couple(w, send, recv);
		p->waits[recv] &= ~message_bit;
	}
}

/* One edge less for every event that waits for `e`; those that have begun go on the stack. */
static void release(xt_play_t *p, const xt_edges_t *edges, uint32_t e)
{
	const xt_event_list_t list = xt_edges_next(edges, e);

	for (uint32_t i = 0; i < list.count; i++) {
		uint32_t next = list.events[i];

		if ((--p->waits[next] & edge_bits) == 0) {
			p->order[--p->top] = next;
		}
	}
}

static void swap(uint32_t *list, uint32_t i, uint32_t j)
{
	uint32_t kept = list[i];

	list[i] = list[j];
	list[j] = kept;
}

/* Whether the next step is of an event that has begun. A random choice comes to the head or to the top. */
static int choose(xt_play_t *p, uint32_t count)
{
	const uint32_t begun = count - p->top, done = p->tail - p->head;
	int first = begun > 0;

	if (p->random) {
		first = xt_random_below(p->random, begun + done) < begun;
		if (first) {
			swap(p->order, p->top, p->top + xt_random_below(p->random, begun));
		} else {
			swap(p->order, p->head, p->head + xt_random_below(p->random, done));
		}
	}
	return first;
}

/* Returns how many events come to their end. */
static uint32_t play(xt_workload_t *w, xt_play_t *p)
{
	uint32_t e;

	p->head = p->tail = 0;
	p->top = w->count;
	for (e = w->count; e-- > 0;) {
		p->waits[e] = xt_workload_waits(w, e) | begin_bit | (w->kind[e] == XT_EVENT_RECV ? message_bit : 0);
		if ((p->waits[e] & edge_bits) == 0) {
			p->order[--p->top] = e;
		}
	}
	while (p->top < w->count || p->head < p->tail) {
		if (choose(p, w->count)) {
			e = p->order[p->top++];
			p->waits[e] &= ~begin_bit;
			if (w->kind[e] == XT_EVENT_RECV) {
				post(w, p, e);
			}
			release(p, &w->begins, e);
			if (p->waits[e] == 0) {
				p->order[p->tail++] = e;
			}
			continue;
		}
		e = p->order[p->head++];
		if (w->kind[e] == XT_EVENT_SEND) {
			arrive(w, p, e);
		}
		release(p, &w->ends, e);
	}
	return p->tail;
}

uint32_t xt_workload_order(const xt_workload_t *w, uint32_t *order, uint32_t *waits)
{
	xt_play_t p = {.order = order, .waits = waits};

	/* Without a matching nothing is changed. */
	return play((xt_workload_t *)(uintptr_t)w, &p);
}

/* What `e` waits for and is not done; XT_NO_EVENT: for a message that nobody sends. */
static uint32_t waited_for(const xt_workload_t *w, uint32_t e, const uint32_t *waits)
{
	for (unsigned kind = 0; kind < 2; kind++) {
		const xt_event_list_t list = xt_edges_back(kind ? &w->begins : &w->ends, e);

		for (uint32_t i = 0; i < list.count; i++) {
			if (waits[list.events[i]] & (kind ? ~message_bit : UINT32_MAX)) {
				return list.events[i];
			}
		}
	}
	return is_wild(w, w->rank[e]) ? xt_matching_find(w, e) : w->match[e];
}

static int fail_at(const xt_workload_t *w, const char *name, uint32_t e, const char *finding, xt_diag_t *diag)
{
	return xt_fail(diag, XT_ERR_INVALID, "%.200s:%" PRIu32 ": this event of rank %" PRIu32 " %s", name, w->line[e],
		w->rank[e], finding);
}

/* What no order has a place for waits for itself, or for what nobody sends. `waits` is used up. */
static int refuse(const xt_workload_t *w, const char *name, uint32_t *waits, xt_diag_t *diag)
{
	uint32_t e = 0, next;

	while (!waits[e]) {
		e++;
	}
	/* Back along what is waited for, until an event comes again: that one is on the cycle. */
	for (; waits[e] != seen; e = next) {
		next = waited_for(w, e, waits);
		if (next == XT_NO_EVENT) {
			return fail_at(w, name, e,
				"waits for a message that does not come; add its send or take this away", diag);
		}
		waits[e] = seen;
	}
	return fail_at(w, name, e, "waits, by others, for itself; take one of these dependencies away", diag);
}

/* Nothing is under way, and no pair of another order is left. */
static void forget(xt_workload_t *w, xt_matching_t *matching)
{
	xt_matching_clear(matching, w);
	for (uint32_t e = 0; e < w->count; e++) {
		if ((w->kind[e] == XT_EVENT_RECV && is_wild(w, w->rank[e])) ||
			(w->kind[e] == XT_EVENT_SEND && is_wild(w, w->peer[e]))) {
			w->match[e] = XT_NO_EVENT;
		}
	}
}

/* A correct program ends in every order in time. One that does not may still end in one of these. */
enum { ORDERS_TRIED = 64, EVENTS_TRIED = 1 << 27 };

/* `p`: after a play that did not end, in a workload where some receive takes any message. */
static int try_orders(xt_workload_t *w, const char *name, xt_play_t *p, xt_diag_t *diag)
{
	xt_random_t random;
	uint32_t e = 0;

	forget(w, p->matching);
	p->shared = 1;
	if (play(w, p) < w->count) {
		return refuse(w, name, p->waits, diag);
	}
	p->shared = 0;
	xt_random_seed(&random, 1, 0);
	p->random = &random;
	for (uint32_t i = 0; i < ORDERS_TRIED && (i == 0 || i < EVENTS_TRIED / w->count); i++) {
		forget(w, p->matching);
		if (play(w, p) == w->count) {
			return XT_OK;
		}
	}
	/* What waits for others waits, in the end, for a receive that has begun. */
	while (p->waits[e] != message_bit) {
		e++;
	}
	return fail_at(w, name, e,
		"gets no message in any order that was tried; add its send, or name the sources and tags of receives",
		diag);
}

static int match_and_order(xt_workload_t *w, const char *name, xt_diag_t *diag)
{
	uint32_t *waits = malloc(((size_t)w->count + 1) * sizeof(*waits));
	uint32_t *order = malloc(((size_t)w->count + 1) * sizeof(*order));
	uint32_t *next = w->wild ? malloc(((size_t)w->count + 1) * sizeof(*next)) : NULL;
	xt_matching_t matching = {0};
	xt_play_t p = {.matching = w->wild ? &matching : NULL, .order = order, .waits = waits};
	int status = XT_OK;

	if (!waits || !order || (w->wild && (!next || xt_matching_begin(&matching, w, next) != XT_OK))) {
		status = xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory for %" PRIu32 " events", name, w->count);
	} else if (play(w, &p) < w->count) {
		status = w->wild ? try_orders(w, name, &p, diag) : refuse(w, name, waits, diag);
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
