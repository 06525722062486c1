/* SPDX-License-Identifier: Apache-2.0
 *
 * Which events of a workload have begun and are done, cycle by cycle. What happens in a cycle takes effect in the next
 * one, in the order of the events, so that it does not matter in what order an engine tells it. */
#pragma once

#include "build.h"
#include "timers.h"

typedef struct {
	const xt_workload_t *w;
	double cycles_per_ns;
	/* A send begins. Returns 1 if it does not leave its PE: then it and its receive are done one cycle later. */
	int (*send)(void *context, uint32_t event, uint64_t cycle);
	void *context;

	uint32_t *waits;               /* by event: what it still waits for; a receive for its message too */
	uint32_t *begin, *end, *cause; /* cause: what it waited for last */
	uint32_t done;
	uint32_t last; /* event that was done last */
	/* Sends that are out and messages that are there, as told since the last step. */
	uint32_t *told;
	size_t told_count, told_room;
	xt_timers_t timers;
	uint32_t *stack; /* done, and its followers not looked at yet */
	size_t stack_count;
	int status;
} xt_schedule_t;

/* Ends with xt_schedule_free in any case. XT_ERR_NOMEM. */
int xt_schedule_begin(xt_schedule_t *s, const xt_workload_t *w);
void xt_schedule_free(xt_schedule_t *s);
/* A send is out, or, told of a receive, its message is there. */
void xt_schedule_tell(xt_schedule_t *s, uint32_t event);
/* At the begin of `cycle`, from 0, one after the other. */
void xt_schedule_step(xt_schedule_t *s, uint64_t cycle);
static inline int xt_schedule_waits_for_time(const xt_schedule_t *s)
{
	return s->timers.count > 0;
}
