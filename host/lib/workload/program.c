/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"

xt_program_t xt_program_begin(xt_workload_t *w, uint32_t rank)
{
	return (xt_program_t){.w = w, .rank = rank, .ranks = w->ranks, .mark = w->count};
}

static uint32_t member(const xt_program_t *p, uint32_t rank)
{
	return p->members ? p->members[rank] : rank;
}

static uint32_t add(xt_program_t *p, xt_event_kind_t kind, uint32_t peer, uint64_t size)
{
	uint32_t other = kind == XT_EVENT_CALC ? 0 : member(p, peer);
	uint32_t event = xt_workload_add(p->w, kind, member(p, p->rank), other, size, 0, 0);

	for (unsigned i = 0; i < p->fronts; i++) {
		xt_workload_depend(p->w, event, p->front[i]);
	}
	return event;
}

uint32_t xt_program_send(xt_program_t *p, uint32_t to, uint64_t bytes)
{
	return add(p, XT_EVENT_SEND, to, bytes);
}

uint32_t xt_program_recv(xt_program_t *p, uint32_t from, uint64_t bytes)
{
	return add(p, XT_EVENT_RECV, from, bytes);
}

void xt_program_wait(xt_program_t *p, const uint32_t *events, size_t count)
{
	uint32_t some[4];
	size_t found = 0, implied = 0, join = 0;

	for (size_t i = 0; i < count; i++) {
		if (events[i] != XT_NO_EVENT) {
			implied |= events[i] >= p->mark;
			some[found < 2 ? found : 3] = events[i];
			found++;
		}
	}
	if (found == 0) {
		return;
	}
	/* What depends on the front stands for it. */
	join = found + (implied ? 0 : p->fronts) > 2;
	if (join) {
		uint32_t event = add(p, XT_EVENT_CALC, 0, 0);

		for (size_t i = 0; i < count; i++) {
			if (events[i] != XT_NO_EVENT) {
				xt_workload_depend(p->w, event, events[i]);
			}
		}
		p->front[0] = event;
		p->fronts = 1;
	} else {
		unsigned fronts = implied ? 0 : p->fronts;

		for (size_t i = 0; i < found; i++) {
			p->front[fronts++] = some[i];
		}
		p->fronts = fronts;
	}
	p->mark = p->w->count;
}

void xt_program_wait_one(xt_program_t *p, uint32_t event)
{
	xt_program_wait(p, &event, 1);
}

void xt_program_wait_both(xt_program_t *p, uint32_t a, uint32_t b)
{
	uint32_t events[2] = {a, b};

	xt_program_wait(p, events, 2);
}

void xt_program_compute(xt_program_t *p, uint64_t ns)
{
	if (ns) {
		xt_program_wait_one(p, add(p, XT_EVENT_CALC, 0, ns));
	}
}
