/* SPDX-License-Identifier: Apache-2.0
 *
 * A VEF trace of messages of which only a window is in memory: the events of those in it are numbers that are used
 * again. It stands for xt_schedule_t where a whole workload would not fit. */
#pragma once

#include "extorus/replay.h"
#include "vef.h"
#include "workload/timers.h"

/* A message of the window. */
typedef struct {
	uint32_t id, line;
	uint64_t delay;    /* cycles after what it waits for */
	uint64_t at[2];    /* cycle in which it was sent, and received; UINT64_MAX before */
	uint32_t first[2]; /* of the messages that wait for its being sent, received, linked by `next` in the order of
			      the file */
	uint32_t last[2];
	uint32_t next;   /* that waits for the same, or, ahead, with the same hash of what it waits for */
	uint32_t bucket; /* the next one with the same hash of its id */
	uint32_t on;
	uint8_t dep;
} xt_slot_t;

struct xt_stream {
	FILE *file;
	xt_vef_t vef;
	xt_diag_t diag; /* of `status` */
	int status;
	double cycles_per_ns;
	int (*send)(void *context, uint32_t event, uint64_t cycle); /* as in xt_schedule_t */
	void *context;

	/* Event 2s is the send in slot s, 2s + 1 its receive: kind, rank, peer, match, size. No dependencies. */
	xt_workload_t *w;
	uint64_t *begin; /* [event] */
	xt_slot_t *slots;
	uint32_t window, slot_count, used; /* slots used so far */
	uint32_t live, running;            /* not done; begun and not done */
	uint32_t *buckets, *ahead;         /* by hash: slots by id; slots that wait for an id that was not read yet */
	uint32_t mask;
	uint32_t *done; /* slots that are done, the oldest first: a ring of slot_count */
	uint32_t done_first, done_count;
	xt_timers_t timers, told; /* told: all at cycle 0 */
	uint64_t late, last_cycle;
	int ended;
};

/* The settings above must be there before cycle 0. */
void xt_stream_tell(xt_stream_t *s, uint32_t event);
void xt_stream_step(xt_stream_t *s, uint64_t cycle);
static inline int xt_stream_finished(const xt_stream_t *s)
{
	return s->ended && s->live == 0;
}
static inline int xt_stream_waits_for_time(const xt_stream_t *s)
{
	return s->timers.count > 0;
}
