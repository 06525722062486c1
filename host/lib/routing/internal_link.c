/* SPDX-License-Identifier: Apache-2.0 */
#include "internal_link.h"

static int owner_of(const xt_topology_t *topology, unsigned dimension)
{
	bool low = xt_topology_dimension_port(topology, 0, dimension, 0) >= 0;
	bool high = xt_topology_dimension_port(topology, 0, dimension, 1) >= 0;

	return low != high ? XT_SPLIT : low ? 0 : 1;
}

/* Whether the owners are `first`, then at most one split dimension, then the other card. */
static bool ascends(const xt_internal_link_t *link, unsigned dimensions, int first)
{
	unsigned d = 0;

	while (d < dimensions && link->owner[d] == first) {
		d++;
	}
	if (d < dimensions && link->owner[d] == XT_SPLIT) {
		d++;
	}
	while (d < dimensions && link->owner[d] == !first) {
		d++;
	}
	return d == dimensions;
}

xt_internal_link_t xt_internal_link_of(const xt_topology_t *topology)
{
	unsigned dimensions = xt_topology_dimensions(topology), groups[2] = {0, 0};
	xt_internal_link_t link = {.ascending = -1};
	bool left[2] = {true, true}; /* a packet may have left the card since its last dimension */

	for (unsigned d = 0; d < dimensions; d++) {
		int owner = link.owner[d] = owner_of(topology, d);

		if (owner == XT_SPLIT) {
			link.place[d] = link.splits++;
			left[0] = left[1] = true;
			continue;
		}
		groups[owner] += left[owner];
		link.place[d] = groups[owner] - 1;
		left[owner] = false;
		left[!owner] = true;
	}
	link.groups = groups[0] > groups[1] ? groups[0] : groups[1];
	link.rings = link.splits;
	if (link.splits < 2 && link.groups < 2) {
		link.groups = link.rings = 1;
	}
	for (int first = 1; first >= 0; first--) {
		link.ascending = ascends(&link, dimensions, first) ? first : link.ascending;
	}
	return link;
}

unsigned xt_internal_link_ring_vcs(xt_algorithm_t algorithm)
{
	return algorithm == XT_ALGORITHM_BUBBLE ? 1 : 2;
}

unsigned xt_internal_link_vcs(const xt_internal_link_t *link, xt_algorithm_t algorithm)
{
	return link->groups + link->rings * xt_internal_link_ring_vcs(algorithm) + 1;
}
