/* SPDX-License-Identifier: Apache-2.0 */
#include "twisted.h"

#include <limits.h>
#include <stdlib.h>

enum { DIMENSIONS = 3, UPPER = 0, LOWER = 1 };

typedef struct {
	int hops[DIMENSIONS];
} record_t;

typedef struct {
	unsigned dimensions, coupled;
	int a; /* the twist */
	int radix[DIMENSIONS], from[DIMENSIONS], to[DIMENSIONS];
	/* The best record so far, its length, and ports of all of that length. */
	record_t best;
	int length;
	bool towards[DIMENSIONS][2];
} search_t;

bool xt_topology_is_twisted(const xt_topology_t *topology)
{
	xt_topology_kind_t kind = xt_topology_kind(topology);

	return kind == XT_TOPOLOGY_RTT || kind == XT_TOPOLOGY_PTT || kind == XT_TOPOLOGY_PDTT;
}

unsigned xt_twisted_coupled(const xt_topology_t *topology)
{
	return xt_topology_kind(topology) == XT_TOPOLOGY_PDTT ? 3 : 2;
}

/* Whether `r` comes before the best one of the same length. */
static bool is_preferred(const search_t *s, const record_t *r)
{
	unsigned sum = 0;

	for (unsigned d = 0; d < s->coupled; d++) {
		sum += (unsigned)s->to[d];
	}
	for (unsigned i = 0; i < s->coupled; i++) {
		unsigned d = (sum + i) % s->coupled;

		if (abs(r->hops[d]) != abs(s->best.hops[d])) {
			return abs(r->hops[d]) < abs(s->best.hops[d]);
		}
	}
	for (unsigned d = 0; d < s->dimensions; d++) {
		if (r->hops[d] != s->best.hops[d]) {
			return (r->hops[d] > 0) == (s->to[d] % 2 == 0);
		}
	}
	return false;
}

static void consider(search_t *s, const record_t *r)
{
	int length = 0;

	for (unsigned d = 0; d < s->dimensions; d++) {
		length += abs(r->hops[d]);
	}
	if (length > s->length) {
		return;
	}
	if (length < s->length) {
		s->length = length;
		for (unsigned d = 0; d < s->dimensions; d++) {
			s->towards[d][0] = s->towards[d][1] = false;
		}
		s->best = *r;
	} else if (is_preferred(s, r)) {
		s->best = *r;
	}
	for (unsigned d = 0; d < s->dimensions; d++) {
		s->towards[d][0] |= r->hops[d] < 0;
		s->towards[d][1] |= r->hops[d] > 0;
	}
}

/* All images within one wrap-around of each dimension; none further away is as near. */
static void search(search_t *s)
{
	static const int wraps[] = {0, -1, 1};

	s->length = INT_MAX;
	for (unsigned i = 0; i < 9; i++) {
		int y = wraps[i % 3], z = wraps[i / 3], shift = s->a * (y + (s->coupled == 3 ? z : 0));
		record_t r = {{0, s->to[1] - s->from[1] + y * s->radix[1], 0}};
		int ahead;

		if (s->dimensions == 3) {
			r.hops[2] = s->to[2] - s->from[2] + z * s->radix[2];
		} else if (z != 0) {
			break;
		}
		if (abs(r.hops[1]) + abs(r.hops[2]) > s->length) {
			continue;
		}
		ahead = (s->to[0] - s->from[0] - shift + 2 * s->radix[0]) % s->radix[0];
		r.hops[0] = ahead;
		consider(s, &r);
		r.hops[0] = ahead - s->radix[0];
		consider(s, &r);
	}
}

static uint8_t ring_vc(const search_t *s, unsigned d)
{
	bool twisted = d > 0 && d < s->coupled;
	int length = twisted ? 2 * s->radix[d] : s->radix[d];
	int place = s->from[d] + (twisted && s->from[0] >= s->a ? s->a : 0);

	return (place + s->best.hops[d] + length) % length > place ? UPPER : LOWER;
}

xt_route_t xt_twisted_route(
	const xt_topology_t *topology, unsigned card, unsigned low, unsigned high, unsigned index, bool vcs)
{
	search_t s = {.dimensions = xt_topology_dimensions(topology), .coupled = xt_twisted_coupled(topology)};
	xt_route_t route = {0};
	unsigned ports = 0;

	s.a = (int)xt_topology_radix(topology, 0) / 2;
	for (unsigned d = 0; d < s.dimensions; d++) {
		unsigned radix = xt_topology_radix(topology, d);

		s.radix[d] = (int)radix;
		s.from[d] = s.to[d] = (int)xt_topology_coordinate(topology, card, d);
		if (d >= low && d < high) {
			s.to[d] = (int)(index % radix);
			index /= radix;
		}
	}
	search(&s);
	for (unsigned d = s.dimensions; d-- > 0;) {
		for (unsigned way = 0; way < 2; way++) {
			if (s.towards[d][way]) {
				ports |= 1u << xt_topology_dimension_port(topology, card, d, way);
			}
		}
		if (s.best.hops[d] != 0) {
			route.valid = 1;
			route.port = (uint8_t)xt_topology_dimension_port(topology, card, d, s.best.hops[d] > 0);
			route.vc = vcs ? ring_vc(&s, d) : UPPER;
		}
	}
	route.adaptive_mask = (uint8_t)ports;
	return route;
}
