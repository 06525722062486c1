/* SPDX-License-Identifier: Apache-2.0
 *
 * Making workloads: events, what they depend on, and programs of ranks in the manner of MPI. */
#pragma once

#include "extorus/workload.h"

/* What a send of a collective carries. */
typedef struct {
	uint32_t send;
	uint8_t reduce; /* the receiver adds it to its own */
	uint64_t offset, length;
} xt_piece_t;

/* Dependencies of one kind: as they come, [i] of event of[i] on on[i]; once the workload is finished by event,
 * back[first[e] .. first[e + 1] - 1] is what e waits for, and next[] in the same form who waits for e. Without any
 * dependency there are no arrays. */
typedef struct {
	uint32_t *of, *on;
	uint32_t count, room;
	uint32_t *first, *next_first;
	uint32_t *back, *next;
} xt_edges_t;

typedef struct {
	const uint32_t *events;
	uint32_t count;
} xt_event_list_t;

/* What the event waits for, and who waits for the event. */
static inline xt_event_list_t xt_edges_back(const xt_edges_t *edges, uint32_t event)
{
	return edges->first ? (xt_event_list_t){edges->back + edges->first[event],
				      edges->first[event + 1] - edges->first[event]}
			    : (xt_event_list_t){0};
}

static inline xt_event_list_t xt_edges_next(const xt_edges_t *edges, uint32_t event)
{
	return edges->next_first ? (xt_event_list_t){edges->next + edges->next_first[event],
					   edges->next_first[event + 1] - edges->next_first[event]}
				 : (xt_event_list_t){0};
}

/* XT_NO_CPU: an event that needs none. */
enum { XT_MOST_CPU = 65534, XT_NO_CPU = 65535 };

struct xt_workload {
	uint32_t ranks;
	uint32_t count, room;
	/* By event. */
	uint8_t *kind;
	uint16_t *rank;
	uint32_t *peer, *match, *line;
	uint32_t *tag, *tag_high;   /* tag_high: NULL while all tags have 32 bits */
	uint32_t *size, *size_high; /* likewise */
	uint16_t *cpu;              /* of the rank, with `with_cpus` */
	int with_cpus;              /* set before the first event */
	uint8_t *wild;              /* [rank]: see matching.h; NULL: no rank */
	xt_edges_t ends, begins;    /* what an event waits for to be done, and to begin */

	int with_pieces;
	xt_piece_t *pieces; /* by send */
	size_t piece_count, piece_room;
	int status; /* the first error of those that add */
};

static inline uint64_t xt_workload_tag(const xt_workload_t *w, uint32_t event)
{
	return (uint64_t)(w->tag_high ? w->tag_high[event] : 0) << 32 | w->tag[event];
}

/* Of a workload that is trimmed by the other side. */
static inline uint32_t xt_workload_peer(const xt_workload_t *w, uint32_t event)
{
	return w->peer ? w->peer[event] : w->match[event] == XT_NO_EVENT ? 0 : w->rank[w->match[event]];
}

static inline uint64_t xt_workload_size(const xt_workload_t *w, uint32_t event)
{
	return (uint64_t)(w->size_high ? w->size_high[event] : 0) << 32 | w->size[event];
}
/* When out of memory, `status` says so. */
void xt_workload_set_size(xt_workload_t *w, uint32_t event, uint64_t size);

/* How many dependencies of both kinds an event has. */
static inline uint32_t xt_workload_waits(const xt_workload_t *w, uint32_t event)
{
	return xt_edges_back(&w->ends, event).count + xt_edges_back(&w->begins, event).count;
}

/* NULL when out of memory. */
xt_workload_t *xt_workload_create(uint32_t ranks);

/* Adds an event and returns its number. When out of memory, `status` says so, and the number means nothing. */
uint32_t xt_workload_add(xt_workload_t *w, xt_event_kind_t kind, uint32_t rank, uint32_t peer, uint64_t size,
	uint64_t tag, uint32_t line);
void xt_workload_depend(xt_workload_t *w, uint32_t event, uint32_t on);
/* `event` waits for the begin of `on`. */
void xt_workload_depend_begin(xt_workload_t *w, uint32_t event, uint32_t on);
void xt_workload_carry(xt_workload_t *w, uint32_t send, uint64_t offset, uint64_t length, int reduce);

/* The last step: finds the receive of each send (matching.h), and refuses what is left over, messages longer than their
 * receives, and events that wait for themselves. `name` is for messages, NAME:LINE. Where a receive takes any message,
 * w->match is one of the ways in which they may meet. */
int xt_workload_finish(xt_workload_t *w, const char *name, xt_diag_t *diag);

/* Puts the dependencies in order by event, as the last step does. XT_ERR_NOMEM. */
int xt_workload_index(xt_workload_t *w);

/* All events of a finished workload in an order in which each comes after what it waits for. Both have a place for each
 * event; `waits` is for the work. Returns how many have such a place: all, but while the last step looks for cycles. */
uint32_t xt_workload_order(const xt_workload_t *w, uint32_t *order, uint32_t *waits);

/* What an event waits for, if it may wait for one send or receive only, and for how long after that. */
typedef struct {
	uint32_t on;   /* XT_NO_EVENT: nothing */
	int less;      /* than in the workload */
	uint64_t time; /* of computations, ns */
} xt_single_t;

/* By event, of sends and computations: the receive that comes last in the program or, without one, the send. *out is
 * the caller's, to be freed with free(). */
int xt_workload_single(const xt_workload_t *w, xt_single_t **out, xt_diag_t *diag);

/* A rank's program: events are started one after the other, and `wait` has those after it depend on what it waits
 * for. Programs of several ranks are written one after the other. */
typedef struct {
	xt_workload_t *w;
	uint32_t rank, ranks;    /* of its communicator */
	const uint32_t *members; /* of it, as ranks of the workload; NULL: all, in order */
	uint32_t front[2];       /* what the next event depends on */
	unsigned fronts;
	uint32_t mark; /* events from here on depend on the front */
} xt_program_t;

xt_program_t xt_program_begin(xt_workload_t *w, uint32_t rank);
uint32_t xt_program_send(xt_program_t *p, uint32_t to, uint64_t bytes);
uint32_t xt_program_recv(xt_program_t *p, uint32_t from, uint64_t bytes);
/* A computation; everything after it waits for it. */
void xt_program_compute(xt_program_t *p, uint64_t ns);
/* Some of the events may be XT_NO_EVENT. */
void xt_program_wait(xt_program_t *p, const uint32_t *events, size_t count);
/* Waits for all. */
void xt_program_wait_one(xt_program_t *p, uint32_t event);
void xt_program_wait_both(xt_program_t *p, uint32_t a, uint32_t b);

/* Adds a collective, which may be undecided, of as many ranks as it says: programs[r] is that of rank r of their
 * communicator. `programs` and the collective's ranks fit together. */
int xt_collective_play(xt_workload_t *w, xt_program_t *programs, const xt_collective_t *collective, xt_diag_t *diag);
