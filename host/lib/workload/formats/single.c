/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "workload/build.h"

static int is_before(const xt_workload_t *w, uint32_t a, uint32_t b)
{
	if (a == XT_NO_EVENT || b == XT_NO_EVENT || w->kind[a] == w->kind[b]) {
		return b != XT_NO_EVENT && (a == XT_NO_EVENT || a < b);
	}
	return w->kind[a] == XT_EVENT_SEND;
}

/* `s` waits for what `other` says as well, or for it instead. */
static void merge(const xt_workload_t *w, xt_single_t *s, const xt_single_t *other)
{
	int is_nothing = s->on == XT_NO_EVENT && s->time == 0;
	int other_is_nothing = other->on == XT_NO_EVENT && other->time == 0;
	int less = s->less || other->less || (s->on != other->on && !is_nothing && !other_is_nothing);

	if (is_before(w, s->on, other->on)) {
		*s = *other;
	} else if (s->on == other->on && other->time > s->time) {
		s->time = other->time;
	}
	s->less = less;
}

static int waits_itself(const xt_workload_t *w, uint32_t e)
{
	return xt_workload_waits(w, e) > 0;
}

int xt_workload_single(const xt_workload_t *w, xt_single_t **out, xt_diag_t *diag)
{
	xt_single_t *single = malloc(((size_t)w->count + 1) * sizeof(*single));
	uint32_t *order = malloc(2 * ((size_t)w->count + 1) * sizeof(*order)), count;

	*out = NULL;
	if (!single || !order) {
		free(single);
		free(order);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for %" PRIu32 " events", w->count);
	}
	count = xt_workload_order(w, order, order + w->count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t e = order[i];
		xt_single_t *s = &single[e];
		const xt_event_list_t waits = xt_edges_back(&w->ends, e);

		*s = (xt_single_t){.on = XT_NO_EVENT, .less = xt_edges_back(&w->begins, e).count > 0};
		for (uint32_t k = 0; k < waits.count; k++) {
			uint32_t on = waits.events[k];
			/* A receive is waited for without what it waits for itself. */
			xt_single_t itself = {.on = on, .less = w->kind[on] == XT_EVENT_RECV && waits_itself(w, on)};

			merge(w, s, w->kind[on] == XT_EVENT_CALC ? &single[on] : &itself);
		}
		s->time += w->kind[e] == XT_EVENT_CALC ? xt_workload_size(w, e) : 0;
	}
	free(order);
	*out = single;
	return XT_OK;
}
