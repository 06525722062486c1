/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens at a later cycle: a heap, the earliest first. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
	uint64_t at;    /* cycle */
	uint64_t order; /* among those of one cycle */
	uint32_t event;
} xt_timer_t;

typedef struct {
	xt_timer_t *heap;
	size_t count, room;
} xt_timers_t;

/* 0 when out of memory. */
int xt_timers_set(xt_timers_t *timers, xt_timer_t timer);
/* The event of the first one, of which there must be one; it is taken out. */
uint32_t xt_timers_take(xt_timers_t *timers);
void xt_timers_free(xt_timers_t *timers);
static inline int xt_timers_due(const xt_timers_t *timers, uint64_t cycle)
{
	return timers->count > 0 && timers->heap[0].at <= cycle;
}
