/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of `end` while the event is not done: that, a receive's message has not come, the event has begun. The other bits
 * count edges. */
static const uint64_t open_bit = UINT64_C(1) << 63, message_bit = UINT64_C(1) << 62, begun_bit = UINT64_C(1) << 61;
enum { OF_BEGIN_CAUSE_SHIFT = 1 };

static uint64_t edges_left(uint64_t waits)
{
	return waits & ~(open_bit | message_bit | begun_bit);
}

/* Numbers the cpus of all ranks, up to the highest of each rank. */
static int number_cpus(xt_schedule_t *s, const xt_workload_t *w)
{
	uint32_t cpus = 0;

	s->first_cpu = calloc((size_t)w->ranks + 1, sizeof(*s->first_cpu));
	if (!s->first_cpu) {
		return XT_ERR_NOMEM;
	}
	for (uint32_t e = 0; e < w->count; e++) {
		uint32_t *most = &s->first_cpu[w->rank[e]];

		*most = w->cpu[e] != XT_NO_CPU && w->cpu[e] >= *most ? w->cpu[e] + 1u : *most;
	}
	for (uint32_t r = 0; r <= w->ranks; r++) {
		uint32_t own = s->first_cpu[r];

		s->first_cpu[r] = cpus;
		cpus += own;
	}
	s->cpu_count = cpus;
	s->cpus = malloc(((size_t)cpus + 1) * sizeof(*s->cpus));
	for (uint32_t c = 0; s->cpus && c < cpus; c++) {
		s->cpus[c] = (xt_cpu_t){.first = XT_NO_EVENT, .last = XT_NO_EVENT, .before = XT_NO_EVENT};
	}
	s->ready_cpus = malloc(((size_t)cpus + 1) * sizeof(*s->ready_cpus));
	return s->cpus && s->ready_cpus ? XT_OK : XT_ERR_NOMEM;
}

/* Without what an event waits for, which a trimmed workload does not have. */
static void count_edges(xt_schedule_t *s, const xt_edges_t *edges)
{
	for (uint32_t e = 0; e < s->w->count; e++) {
		const xt_event_list_t next = xt_edges_next(edges, e);

		for (uint32_t i = 0; i < next.count; i++) {
			s->end[next.events[i]]++;
		}
	}
}

int xt_schedule_begin(xt_schedule_t *s, const xt_workload_t *w)
{
	size_t count = (size_t)w->count + 1;

	s->w = w;
	s->begin = calloc(count, sizeof(*s->begin));
	s->end = malloc(count * sizeof(*s->end));
	s->cause = malloc(count * sizeof(*s->cause));
	s->stack = malloc(2 * count * sizeof(*s->stack));
	s->last = XT_NO_EVENT;
	s->next_waiting = malloc(count * sizeof(*s->next_waiting));
	if (!s->begin || !s->end || !s->cause || !s->stack || !s->next_waiting ||
		(w->with_cpus && number_cpus(s, w) != XT_OK)) {
		return XT_ERR_NOMEM;
	}
	if (w->begins.count) {
		s->begin_cause = malloc(count * sizeof(*s->begin_cause));
		s->of_begin = calloc(count, sizeof(*s->of_begin));
		if (!s->begin_cause || !s->of_begin) {
			return XT_ERR_NOMEM;
		}
	}
	if (w->wild && xt_matching_begin(&s->matching, w, s->next_waiting) != XT_OK) {
		return XT_ERR_NOMEM;
	}
	for (uint32_t e = 0; e < w->count; e++) {
		s->end[e] = open_bit | (w->kind[e] == XT_EVENT_RECV ? message_bit : 0);
		s->cause[e] = XT_NO_EVENT;
	}
	count_edges(s, &w->ends);
	count_edges(s, &w->begins);
	return XT_OK;
}

void xt_schedule_free(xt_schedule_t *s)
{
	free(s->begin);
	free(s->end);
	free(s->cause);
	free(s->told);
	xt_timers_free(&s->timers);
	free(s->stack);
	free(s->first_cpu);
	free(s->cpus);
	free(s->ready_cpus);
	free(s->next_waiting);
	free(s->begin_cause);
	free(s->of_begin);
	xt_matching_free(&s->matching);
}

void xt_schedule_tell(xt_schedule_t *s, uint32_t event)
{
	if (s->told_count == s->told_room) {
		size_t room = s->told_room ? 2 * s->told_room : 256;
		uint32_t *told = realloc(s->told, room * sizeof(*told));

		if (!told) {
			s->status = XT_ERR_NOMEM;
			return;
		}
		s->told = told;
		s->told_room = room;
	}
	s->told[s->told_count++] = event;
}

int xt_schedule_is_message(const xt_schedule_t *s, uint32_t event, uint32_t cause)
{
	const xt_workload_t *w = s->w;

	return w->kind[event] == XT_EVENT_RECV && w->kind[cause] == XT_EVENT_SEND &&
	       (w->wild && w->wild[w->rank[event]] ? w->peer[cause] == w->rank[event] : cause == w->match[event]);
}

int xt_schedule_is_done(const xt_schedule_t *s, uint32_t event)
{
	return !(s->end[event] & open_bit);
}

void xt_schedule_close(xt_schedule_t *s)
{
	for (uint32_t e = 0; s->begin_cause && e < s->w->count; e++) {
		if (s->w->kind[e] == XT_EVENT_RECV && xt_schedule_is_done(s, e)) {
			s->begin[e] = s->end[e];
		}
	}
}

int xt_schedule_waits_for_message(const xt_schedule_t *s, uint32_t event)
{
	return s->end[event] == (open_bit | message_bit | begun_bit);
}

/* ---------------------------------------------------------------- events */

/* Equal times in the order of events. */
static void set_timer(xt_schedule_t *s, uint64_t at, uint32_t event)
{
	if (!xt_timers_set(&s->timers, (xt_timer_t){at, event, event})) {
		s->status = XT_ERR_NOMEM;
	}
}

/* The event's cpu, where it needs one; NULL. */
static xt_cpu_t *cpu_of(const xt_schedule_t *s, uint32_t event)
{
	const xt_workload_t *w = s->w;

	return w->with_cpus && w->cpu[event] != XT_NO_CPU ? &s->cpus[s->first_cpu[w->rank[event]] + w->cpu[event]]
							  : NULL;
}

/* Looked at when all else of the cycle is done. */
static void look_at(xt_schedule_t *s, xt_cpu_t *cpu)
{
	if (!cpu->listed) {
		cpu->listed = 1;
		s->ready_cpus[(s->ready_first + s->ready_count++) % s->cpu_count] = cpu;
	}
}

/* Whether any event waits that goes before a message of this cycle. */
static int waits_before(const xt_schedule_t *s, const xt_cpu_t *cpu, uint64_t cycle)
{
	return cpu->first != XT_NO_EVENT &&
	       (cpu->batch != cycle || cpu->before != XT_NO_EVENT || s->w->kind[cpu->first] != XT_EVENT_CALC);
}

/* Of those that wait since the same cycle: messages go before computations, then in the order of the events. */
static int goes_before(const xt_schedule_t *s, uint32_t a, uint32_t b)
{
	int a_computes = s->w->kind[a] == XT_EVENT_CALC, b_computes = s->w->kind[b] == XT_EVENT_CALC;

	return a_computes != b_computes ? b_computes : a < b;
}

/* 1: the event has to wait, behind those that have waited for longer. */
static int must_wait(xt_schedule_t *s, uint32_t event, uint64_t cycle)
{
	xt_cpu_t *cpu = cpu_of(s, event);
	uint32_t *link;

	if (!cpu || (!cpu->busy && s->w->kind[event] != XT_EVENT_CALC && !waits_before(s, cpu, cycle))) {
		return 0;
	}
	if (cpu->batch != cycle) {
		cpu->batch = cycle;
		cpu->before = cpu->last;
	}
	link = cpu->before == XT_NO_EVENT ? &cpu->first : &s->next_waiting[cpu->before];
	if (*link != XT_NO_EVENT && goes_before(s, cpu->last, event)) {
		link = &s->next_waiting[cpu->last];
	}
	while (*link != XT_NO_EVENT && goes_before(s, *link, event)) {
		link = &s->next_waiting[*link];
	}
	s->next_waiting[event] = *link;
	*link = event;
	cpu->last = s->next_waiting[event] == XT_NO_EVENT ? event : cpu->last;
	/* From when on; a receive that has begun keeps its begin. */
	if (s->end[event] & begun_bit) {
		s->end[event] |= cycle;
	} else {
		s->begin[event] = cycle;
	}
	if (!cpu->busy) {
		look_at(s, cpu);
	}
	return 1;
}

static void complete(xt_schedule_t *s, uint32_t event, uint64_t cycle)
{
	s->end[event] = cycle;
	s->done++;
	s->last = event;
	s->stack[s->stack_count++] = event;
}

static void receive(xt_schedule_t *s, uint32_t event, uint64_t cycle)
{
	if (!s->begin_cause) {
		s->begin[event] = cycle;
	}
	complete(s, event, cycle);
}

static void compute(xt_schedule_t *s, uint32_t event, uint64_t cycle)
{
	double cycles = ceil((double)xt_workload_size(s->w, event) * s->cycles_per_ns);

	if (cycles >= 1.0) {
		xt_cpu_t *cpu = cpu_of(s, event);

		if (cpu) {
			cpu->busy = 1;
		}
		set_timer(s, cycle + (uint64_t)cycles, event);
	} else {
		complete(s, event, cycle);
	}
}

/* Nothing keeps the event from its begin. */
static void start(xt_schedule_t *s, uint32_t event, uint64_t cycle)
{
	const xt_workload_t *w = s->w;

	s->end[event] |= begun_bit;
	s->begin[event] = cycle;
	if (w->begins.count) {
		s->begin_cause[event] = s->cause[event];
		s->of_begin[event] |= (uint8_t)(s->of_begin[event] << OF_BEGIN_CAUSE_SHIFT);
		s->stack[2 * ((size_t)w->count + 1) - ++s->begun_count] = event;
	}
	switch ((xt_event_kind_t)w->kind[event]) {
	case XT_EVENT_SEND:
		if (s->send(s->context, event, cycle)) {
			set_timer(s, cycle + 1, event);
		}
		return;
	case XT_EVENT_RECV:
		if (w->wild && w->wild[w->rank[event]] && xt_matching_post(&s->matching, w, event) != XT_NO_EVENT) {
			s->end[event] &= ~message_bit;
		}
		if (!(s->end[event] & message_bit)) {
			receive(s, event, cycle);
		}
		return;
	case XT_EVENT_CALC:
		compute(s, event, cycle);
		return;
	}
}

static void set_cause(xt_schedule_t *s, uint32_t event, uint32_t cause, int of_begin)
{
	s->cause[event] = cause;
	if (s->w->begins.count) {
		s->of_begin[event] = (uint8_t)((s->of_begin[event] & ~1u) | (unsigned)of_begin);
	}
}

static void count_down(xt_schedule_t *s, uint32_t event, uint32_t cause, int of_begin, uint64_t cycle)
{
	if (edges_left(--s->end[event]) == 0) {
		set_cause(s, event, cause, of_begin);
		if (!must_wait(s, event, cycle)) {
			start(s, event, cycle);
		}
	}
}

static void arrive(xt_schedule_t *s, uint32_t send, uint64_t cycle)
{
	const xt_workload_t *w = s->w;
	uint32_t recv = w->match[send];

	if (w->wild && w->wild[w->peer[send]]) {
		recv = xt_matching_arrive(&s->matching, w, send);
		if (recv == XT_NO_EVENT) {
			return;
		}
	}
	s->end[recv] &= ~message_bit;
	if (s->end[recv] == (open_bit | begun_bit)) {
		set_cause(s, recv, send, 0);
		if (!must_wait(s, recv, cycle)) {
			receive(s, recv, cycle);
		}
	}
}

static void release(xt_schedule_t *s, const xt_edges_t *edges, uint32_t event, uint64_t cycle)
{
	const xt_event_list_t next = xt_edges_next(edges, event);

	for (uint32_t i = 0; i < next.count; i++) {
		count_down(s, next.events[i], event, edges == &s->w->begins, cycle);
	}
}

static void follow_up(xt_schedule_t *s, uint64_t cycle)
{
	while (s->stack_count || s->begun_count) {
		if (s->begun_count) {
			uint32_t event = s->stack[2 * ((size_t)s->w->count + 1) - s->begun_count--];

			release(s, &s->w->begins, event, cycle);
		} else {
			release(s, &s->w->ends, s->stack[--s->stack_count], cycle);
		}
	}
}

/* The events that wait for the cpu, until one of them takes it. */
static void serve(xt_schedule_t *s, xt_cpu_t *cpu, uint64_t cycle)
{
	while (!cpu->busy && cpu->first != XT_NO_EVENT) {
		uint32_t event = cpu->first;

		cpu->first = s->next_waiting[event];
		cpu->last = cpu->first == XT_NO_EVENT ? XT_NO_EVENT : cpu->last;
		cpu->before = cpu->before == event ? XT_NO_EVENT : cpu->before;
		uint64_t since = s->end[event] & begun_bit ? edges_left(s->end[event]) : s->begin[event];

		if (since < cycle) {
			set_cause(s, event, cpu->holder, 0);
		}
		if (s->end[event] & begun_bit) {
			receive(s, event, cycle);
		} else {
			start(s, event, cycle);
		}
		follow_up(s, cycle);
	}
}

static void serve_all(xt_schedule_t *s, uint64_t cycle)
{
	while (s->ready_count) {
		xt_cpu_t *cpu = s->ready_cpus[s->ready_first];

		s->ready_first = (s->ready_first + 1) % s->cpu_count;
		s->ready_count--;
		cpu->listed = 0;
		serve(s, cpu, cycle);
	}
}

static void free_cpu(xt_schedule_t *s, uint32_t holder)
{
	xt_cpu_t *cpu = cpu_of(s, holder);

	if (cpu) {
		cpu->busy = 0;
		cpu->holder = holder;
		look_at(s, cpu);
	}
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void start_all(xt_schedule_t *s)
{
	const xt_workload_t *w = s->w;

	for (uint32_t e = 0; e < w->count; e++) {
		if ((s->end[e] & ~message_bit) == open_bit && s->cause[e] == XT_NO_EVENT && !must_wait(s, e, 0)) {
			start(s, e, 0);
		}
		follow_up(s, 0);
	}
}

void xt_schedule_step(xt_schedule_t *s, uint64_t cycle)
{
	const xt_workload_t *w = s->w;
	size_t told = s->told_count;

	if (!s->started) {
		s->started = 1;
		start_all(s);
	}
	if (told) {
		qsort(s->told, told, sizeof(*s->told), compare);
	}
	s->told_count = 0;
	for (size_t i = 0; i < told; i++) {
		uint32_t event = s->told[i];

		if (w->kind[event] == XT_EVENT_SEND) {
			complete(s, event, cycle);
		} else {
			arrive(s, w->match[event], cycle);
		}
		follow_up(s, cycle);
	}
	while (xt_timers_due(&s->timers, cycle)) {
		uint32_t event = xt_timers_take(&s->timers);

		complete(s, event, cycle);
		if (w->kind[event] == XT_EVENT_CALC) {
			free_cpu(s, event);
		}
		follow_up(s, cycle);
		if (w->kind[event] == XT_EVENT_SEND) {
			arrive(s, event, cycle);
			follow_up(s, cycle);
		}
	}
	serve_all(s, cycle);
}
