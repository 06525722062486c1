/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int xt_schedule_begin(xt_schedule_t *s, const xt_workload_t *w)
{
	size_t count = (size_t)w->count + 1;

	s->w = w;
	s->waits = malloc(count * sizeof(*s->waits));
	s->begin = calloc(count, sizeof(*s->begin));
	s->end = calloc(count, sizeof(*s->end));
	s->cause = malloc(count * sizeof(*s->cause));
	s->stack = malloc(count * sizeof(*s->stack));
	s->last = XT_NO_EVENT;
	if (!s->waits || !s->begin || !s->end || !s->cause || !s->stack) {
		return XT_ERR_NOMEM;
	}
	for (uint32_t e = 0; e < w->count; e++) {
		s->waits[e] = (uint32_t)(w->first[e + 1] - w->first[e]) + (w->kind[e] == XT_EVENT_RECV);
		s->cause[e] = XT_NO_EVENT;
	}
	return XT_OK;
}

void xt_schedule_free(xt_schedule_t *s)
{
	free(s->waits);
	free(s->begin);
	free(s->end);
	free(s->cause);
	free(s->told);
	xt_timers_free(&s->timers);
	free(s->stack);
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

/* ---------------------------------------------------------------- events */

/* Equal times in the order of events. */
static void set_timer(xt_schedule_t *s, uint64_t at, uint32_t event)
{
	if (!xt_timers_set(&s->timers, (xt_timer_t){at, event, event})) {
		s->status = XT_ERR_NOMEM;
	}
}

static void complete(xt_schedule_t *s, uint32_t event, uint64_t cycle)
{
	s->end[event] = (uint32_t)cycle;
	s->done++;
	s->last = event;
	s->stack[s->stack_count++] = event;
}

static void start(xt_schedule_t *s, uint32_t event, uint64_t cycle)
{
	const xt_workload_t *w = s->w;
	double cycles;

	s->begin[event] = (uint32_t)cycle;
	switch ((xt_event_kind_t)w->kind[event]) {
	case XT_EVENT_SEND:
		if (s->send(s->context, event, cycle)) {
			set_timer(s, cycle + 1, event);
		}
		return;
	case XT_EVENT_RECV:
		complete(s, event, cycle);
		return;
	case XT_EVENT_CALC:
		cycles = ceil((double)w->size[event] * s->cycles_per_ns);
		if (cycles >= 1.0) {
			set_timer(s, cycle + (uint64_t)cycles, event);
		} else {
			complete(s, event, cycle);
		}
		return;
	}
}

static void count_down(xt_schedule_t *s, uint32_t event, uint32_t cause, uint64_t cycle)
{
	if (--s->waits[event] == 0) {
		s->cause[event] = cause;
		start(s, event, cycle);
	}
}

static void follow_up(xt_schedule_t *s, uint64_t cycle)
{
	while (s->stack_count) {
		uint32_t event = s->stack[--s->stack_count];

		for (size_t i = s->w->next_first[event]; i < s->w->next_first[event + 1]; i++) {
			count_down(s, s->w->next[i], event, cycle);
		}
	}
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

void xt_schedule_step(xt_schedule_t *s, uint64_t cycle)
{
	const xt_workload_t *w = s->w;
	size_t told = s->told_count;

	if (cycle == 0) {
		for (uint32_t e = 0; e < w->count; e++) {
			if (s->waits[e] == 0 && w->first[e] == w->first[e + 1]) {
				start(s, e, 0);
			}
			follow_up(s, 0);
		}
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
			count_down(s, event, w->match[event], cycle);
		}
		follow_up(s, cycle);
	}
	while (xt_timers_due(&s->timers, cycle)) {
		uint32_t event = xt_timers_take(&s->timers);

		complete(s, event, cycle);
		follow_up(s, cycle);
		if (w->kind[event] == XT_EVENT_SEND) {
			count_down(s, w->match[event], event, cycle);
			follow_up(s, cycle);
		}
	}
}
