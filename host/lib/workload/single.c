/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "build.h"

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

int xt_workload_single(const xt_workload_t *w, xt_single_t **out, xt_diag_t *diag)
{
	xt_single_t *single = malloc(((size_t)w->count + 1) * sizeof(*single));
	uint32_t *order = malloc(2 * ((size_t)w->count + 1) * sizeof(*order));

	*out = NULL;
	if (!single || !order) {
		free(single);
		free(order);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for %" PRIu32 " events", w->count);
	}
	xt_workload_order(w, order, order + w->count);
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t e = order[i];
		xt_single_t *s = &single[e];

		*s = (xt_single_t){.on = XT_NO_EVENT};
		for (size_t k = w->first[e]; k < w->first[e + 1]; k++) {
			uint32_t on = w->on[k];
			/* A receive is waited for without what it waits for itself. */
			xt_single_t itself = {
				.on = on, .less = w->kind[on] == XT_EVENT_RECV && w->first[on] != w->first[on + 1]};

			merge(w, s, w->kind[on] == XT_EVENT_CALC ? &single[on] : &itself);
		}
		s->time += w->kind[e] == XT_EVENT_CALC ? w->size[e] : 0;
	}
	free(order);
	*out = single;
	return XT_OK;
}
