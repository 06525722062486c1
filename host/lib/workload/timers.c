/* SPDX-License-Identifier: Apache-2.0 */
#include "timers.h"

#include <stdlib.h>

static int earlier(const xt_timer_t *a, const xt_timer_t *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

int xt_timers_set(xt_timers_t *timers, xt_timer_t timer)
{
	xt_timer_t *heap = timers->heap;
	size_t i;

	if (timers->count == timers->room) {
		size_t room = timers->room ? 2 * timers->room : 256;

		heap = realloc(heap, room * sizeof(*heap));
		if (!heap) {
			return 0;
		}
		timers->heap = heap;
		timers->room = room;
	}
	for (i = timers->count++; i > 0 && earlier(&timer, &heap[(i - 1) / 2]); i = (i - 1) / 2) {
		heap[i] = heap[(i - 1) / 2];
	}
	heap[i] = timer;
	return 1;
}

uint32_t xt_timers_take(xt_timers_t *timers)
{
	xt_timer_t *heap = timers->heap;
	uint32_t event = heap[0].event;
	xt_timer_t last = heap[--timers->count];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < timers->count && earlier(&heap[child + 1], &heap[child])) {
			child++;
		}
		if (child >= timers->count || !earlier(&heap[child], &last)) {
			break;
		}
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return event;
}

void xt_timers_free(xt_timers_t *timers)
{
	free(timers->heap);
}
