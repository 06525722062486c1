/* SPDX-License-Identifier: Apache-2.0
 *
 * Which events of a workload have begun and are done, cycle by cycle. What happens in a cycle takes effect in the next
 * one, in the order of the events, so that it does not matter in what order an engine tells it. */
#pragma once

#include "workload/build.h"
#include "workload/matching.h"
#include "workload/timers.h"

typedef struct {
	int busy, listed;     /* a computation runs; among ready_cpus */
	uint32_t first, last; /* events that wait for it, linked by `next_waiting` */
	uint64_t batch;       /* the cycle in which one began to wait last */
	uint32_t before;      /* of those that wait since an earlier cycle, the last; XT_NO_EVENT: none */
	uint32_t holder;      /* computation that was done last */
} xt_cpu_t;

typedef struct {
	const xt_workload_t *w;
	double cycles_per_ns;
	/* A send begins. Returns 1 if it does not leave its PE: then it and its receive are done one cycle later. */
	int (*send)(void *context, uint32_t event, uint64_t cycle);
	void *context;

	/* By event. `begin` of a receive is its end, but where events wait for begins; `end` of one that is not done:
	 * what it waits for. */
	uint64_t *begin, *end;
	uint32_t *cause;       /* what it waited for last; of a receive, for its end */
	uint32_t *begin_cause; /* for its begin; NULL: none waits for begins, and neither are there `of_begin` */
	uint8_t *of_begin;     /* whether these two are begins, not ends: a bit of `cause`, and one of `begin_cause` */
	xt_matching_t matching;
	xt_cpu_t *cpus, **ready_cpus; /* a ring of those to look at */
	uint32_t cpu_count, ready_first, ready_count;
	uint32_t *first_cpu; /* [rank] */
	/* Who waits behind an event for a cpu or, with any source or tag, for the other side. The caller may have it
	 * for a send from its begin to the end of its message. */
	uint32_t *next_waiting;
	uint32_t done;
	uint32_t last; /* event that was done last */
	/* Sends that are out and messages that are there, as told since the last step. */
	uint32_t *told;
	size_t told_count, told_room;
	xt_timers_t timers;
	uint32_t *stack; /* events whose followers were not looked at yet: done from the front, begun from the end */
	size_t stack_count, begun_count;
	int started;
	int status;
} xt_schedule_t;

/* Ends with xt_schedule_free in any case. XT_ERR_NOMEM. */
int xt_schedule_begin(xt_schedule_t *s, const xt_workload_t *w);
void xt_schedule_free(xt_schedule_t *s);
/* A send is out, or, told of a receive, its message is there. */
void xt_schedule_tell(xt_schedule_t *s, uint32_t event);
/* `event` is a receive, and `cause`, which it waited for last, the message. */
int xt_schedule_is_message(const xt_schedule_t *s, uint32_t event, uint32_t cause);
/* With an end to all: `begin` of a receive is its end. */
void xt_schedule_close(xt_schedule_t *s);
int xt_schedule_is_done(const xt_schedule_t *s, uint32_t event);
/* A receive that has begun and whose message has not come. */
int xt_schedule_waits_for_message(const xt_schedule_t *s, uint32_t event);
/* At the begin of `cycle`, from 0, one after the other; those before the next timer may be left out while nothing is
 * told. */
void xt_schedule_step(xt_schedule_t *s, uint64_t cycle);
static inline int xt_schedule_waits_for_time(const xt_schedule_t *s)
{
	return s->timers.count > 0;
}
