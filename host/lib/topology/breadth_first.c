/* SPDX-License-Identifier: Apache-2.0 */
#include "breadth_first.h"

#include <string.h>

unsigned xt_breadth_first_of(
	const xt_peer_t *peer, unsigned cards, unsigned ports, unsigned sources, uint32_t *distance, uint32_t *order)
{
	unsigned reached = sources;

	memset(distance, 0xff, cards * sizeof(*distance));
	for (unsigned i = 0; i < sources; i++) {
		distance[order[i]] = 0;
	}
	for (unsigned head = 0; head < reached; head++) {
		const xt_peer_t *end = &peer[(size_t)order[head] * ports];

		for (unsigned port = 0; port < ports; port++) {
			uint32_t next = end[port].card;

			if (next != XT_NO_CARD && distance[next] == UINT32_MAX) {
				distance[next] = distance[order[head]] + 1;
				order[reached++] = next;
			}
		}
	}
	return reached;
}

unsigned xt_breadth_first(
	const xt_peer_t *peer, unsigned cards, unsigned ports, uint32_t source, uint32_t *distance, uint32_t *order)
{
	order[0] = source;
	return xt_breadth_first_of(peer, cards, ports, 1, distance, order);
}

unsigned xt_shortest_paths(const xt_peer_t *peer, unsigned cards, unsigned ports, uint32_t source, uint32_t *distance,
	uint32_t *order, double *paths)
{
	unsigned reached = xt_breadth_first(peer, cards, ports, source, distance, order);

	memset(paths, 0, cards * sizeof(*paths));
	paths[source] = 1;
	for (unsigned i = 0; i < reached; i++) {
		const xt_peer_t *end = &peer[(size_t)order[i] * ports];

		for (unsigned port = 0; port < ports; port++) {
			if (end[port].card != XT_NO_CARD && distance[end[port].card] == distance[order[i]] + 1) {
				paths[end[port].card] += paths[order[i]];
			}
		}
	}
	return reached;
}
