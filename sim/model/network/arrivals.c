/* SPDX-License-Identifier: Apache-2.0
 *
 * Room for frames on links that run their protocol, and what crosses between shards of a network. */
#include <stdlib.h>

#include "network_internal.h"

arrivals_t *network_arrivals(xt_engine_t *network, uint64_t cycle, unsigned card)
{
	if (!network->arrivals) {
		network->arrivals = calloc((size_t)network->slots * network->cards, sizeof(*network->arrivals));
	}
	if (!network->arrivals) {
		network->common.packets.failed = 1;
		return NULL;
	}
	return &network->arrivals[cycle % network->slots * network->cards + card];
}

void crossing_add(xt_engine_t *network, const crossing_t *crossing)
{
	crossings_t *c = &network->crossings;

	if (c->count == c->room) {
		const uint32_t room = c->room ? 2 * c->room : 64;
		crossing_t *more = realloc(c->items, room * sizeof(*more));

		if (!more) {
			network->common.packets.failed = 1;
			return;
		}
		c->items = more;
		c->room = room;
	}
	c->items[c->count++] = *crossing;
}

static void arrive_fast(xt_engine_t *network, const crossing_t *crossing)
{
	const size_t to = (size_t)fast_link_slot(network, crossing->when) * network->cards + crossing->card;
	fast_link_item_t *item = &network->fast_links.items[to * LINKS + crossing->port];
	const frame_t *frame = &crossing->frame;

	if (frame->cell_valid) {
		item->cell = frame->cell;
		item->vc = frame->vc;
		network->fast_links.came[to] |= 1u << crossing->port;
	}
	if (frame->credit_valid) {
		item->credit_vc = frame->credit_vc;
		network->fast_links.came[to] |= 1u << (FAST_LINK_CREDITS + crossing->port);
	}
	if (crossing->when > network->fast_links.filled) {
		network->fast_links.filled = crossing->when;
	}
}

void crossing_arrive(xt_engine_t *network, const crossing_t *crossing)
{
	if (crossing->fast) {
		arrive_fast(network, crossing);
	} else {
		arrivals_t *there = network_arrivals(network, crossing->when, crossing->card);

		there->frames |= (uint16_t)(1u << crossing->port);
		there->frame[crossing->port] = crossing->frame;
	}
	insert(network, arriving_at(network, crossing->when), crossing->card);
}
