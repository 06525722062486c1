/* SPDX-License-Identifier: Apache-2.0
 *
 * For one TC and destination the next hop depends on the card only. So the routes of all sources form a graph with
 * one way out of every card. Each card is looked up once, and a walk ends where an earlier one has been. */
#include <string.h>

#include "checker.h"
#include "extorus/profiles.h"

/* Takes one step from a card that was not met before. */
static void take_step(checker_t *c, uint32_t card, unsigned tc, unsigned dest)
{
	step_t *s = &c->step[card];
	xt_route_t route;

	memset(s, 0, sizeof(*s));
	s->next = XT_NO_CARD;
	s->end = card;
	s->progress = ENDED;
	if (!xt_check_within(c, card)) {
		if (c->extent == SHARED_CARDS) {
			s->how = XT_WALK_DELIVERED;
			c->part[card] |= WALKED_TO;
		} else {
			s->how = XT_WALK_LIVELOCK;
		}
		return;
	}
	route = xt_image_lookup(c->image, card, tc, xt_image_pe_address(c->image, dest));
	if (!route.valid) {
		s->how = XT_WALK_ILLEGAL;
	} else if (route.port >= c->profile->link_ports) {
		bool right = card == xt_image_pe_card(c->image, dest) &&
			     route.port - c->profile->link_ports == xt_image_pe_unit(c->image, dest);

		s->how = right ? XT_WALK_DELIVERED : XT_WALK_MISDELIVERED;
	} else if (route.vc >= c->vcs[tc]) {
		s->how = XT_WALK_ILLEGAL;
	} else {
		s->next = xt_image_peer(c->image, card, route.port).card;
		if (s->next == XT_NO_CARD) {
			s->how = XT_WALK_UNCONNECTED;
		} else {
			s->progress = ON_PATH;
			s->has_channel = 1;
			s->bit = (uint8_t)xt_channel_bit(c->vc_stride, route.port, route.vc);
			c->result->used[tc][card] |= UINT64_C(1) << s->bit;
		}
	}
}

void xt_check_walk(checker_t *c, uint32_t card, unsigned tc, unsigned dest)
{
	unsigned length = 0;
	uint32_t at = card;
	const step_t *last;
	bool loop;

	while (c->step[at].progress == UNKNOWN) {
		take_step(c, at, tc, dest);
		if (c->step[at].progress == ENDED) {
			break;
		}
		c->path[length++] = at;
		at = c->step[at].next;
	}
	last = &c->step[at];
	loop = last->progress == ON_PATH;
	while (length-- > 0) {
		step_t *s = &c->step[c->path[length]];
		const step_t *next = &c->step[s->next];

		if (next->has_channel) {
			c->result->successors[tc][(size_t)c->path[length] * c->bits + s->bit] |= UINT64_C(1)
												 << next->bit;
		}
		s->how = loop ? XT_WALK_LIVELOCK : last->how;
		s->end = loop ? at : last->end;
		s->hops = next->progress == ENDED ? next->hops + 1 : 1;
		s->progress = ENDED;
		c->order[c->ordered++] = c->path[length];
	}
}
