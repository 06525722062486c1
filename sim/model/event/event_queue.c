/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue of events. */
#include <stdlib.h>

#include "event.h"

enum { FIRST_EVENTS = 16 };

event_t *event_list_grow(event_run_t *run, event_list_t *events)
{
	const uint32_t room = events->room ? events->room * 2 : (uint32_t)FIRST_EVENTS;
	event_t *more = realloc(events->events, room * sizeof(*more));

	if (!more) {
		run->failed = 1;
		return &run->lost;
	}
	events->events = more;
	events->room = room;
	return &more[events->count++];
}

/* One move per cycle, so many from `when` on. */
void event_put_moves(event_run_t *run, uint64_t when, unsigned cells)
{
	run->moves[when % EVENT_SLOTS]++;
	run->moves[(when + cells) % EVENT_SLOTS]--;
}

void event_traffic_until(event_card_t *f, uint64_t t)
{
	f->traffic = event_later(f->traffic, t);
}
