/* SPDX-License-Identifier: Apache-2.0
 *
 * The candidates of one adaptive TC to one destination as a graph over the cards, searched depth first
 * from the sources. Along the way back the longest way from each card is known. */
#include <stdlib.h>
#include <string.h>

#include "checker.h"
#include "extorus/profiles.h"

static const char *const fault_names[] = {
	[XT_ADAPTIVE_UNCONNECTED] = "unconnected",
	[XT_ADAPTIVE_NO_ESCAPE] = "no escape",
	[XT_ADAPTIVE_LIVELOCK] = "livelock",
	[XT_ADAPTIVE_U_TURN] = "u-turn",
};

const char *xt_adaptive_fault_name(xt_adaptive_fault_t how)
{
	return fault_names[how];
}

reach_t *xt_check_reach_new(unsigned cards)
{
	reach_t *reach = calloc(1, sizeof(*reach));

	if (reach) {
		reach->place = calloc(cards, sizeof(*reach->place));
		reach->stack = calloc(cards, sizeof(*reach->stack));
		reach->order = calloc(cards, sizeof(*reach->order));
		if (!reach->place || !reach->stack || !reach->order) {
			xt_check_reach_free(reach);
			reach = NULL;
		}
	}
	return reach;
}

void xt_check_reach_free(reach_t *reach)
{
	if (reach) {
		free(reach->place);
		free(reach->stack);
		free(reach->order);
		free(reach);
	}
}

static void note_fault(checker_t *c, xt_adaptive_failure_t failure)
{
	if (c->extent != ALL_CARDS) {
		c->faulty = true;
	} else if (c->result->adaptive_faults++ == 0) {
		c->result->adaptive_failure = failure;
	}
}

/* The connected candidates on `card`, a bit each. The hardware drops a packet without a valid entry. */
static unsigned candidates_of(checker_t *c, uint32_t card, unsigned tc, unsigned dest)
{
	xt_route_t route = xt_image_lookup(c->image, card, tc, xt_image_pe_address(c->image, dest));
	unsigned connected = 0;

	for (uint32_t rest = route.valid ? route.adaptive_mask : 0; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctz(rest);

		if (xt_image_peer(c->image, card, port).card != XT_NO_CARD) {
			connected |= 1u << port;
		} else {
			note_fault(c, (xt_adaptive_failure_t){.how = XT_ADAPTIVE_UNCONNECTED,
					      .tc = tc,
					      .dest = dest,
					      .card = card,
					      .port = port});
		}
	}
	return connected;
}

/* Whether a packet that took candidate `port` of `card` must turn back to it for its escape. */
static void look_for_u_turn(checker_t *c, uint32_t card, unsigned port, unsigned tc, unsigned dest)
{
	xt_peer_t there = xt_image_peer(c->image, card, port);
	xt_route_t route = xt_image_lookup(c->image, there.card, tc, xt_image_pe_address(c->image, dest));

	if (route.valid && route.port == there.port) {
		note_fault(c, (xt_adaptive_failure_t){
				      .how = XT_ADAPTIVE_U_TURN, .tc = tc, .dest = dest, .card = card, .port = port});
	}
}

/* The U-turns of what goes on from `card`. Shared cards are walked for one destination of many: of those that lead here
 * this card's own route decides, so they are looked at from here, whether a packet comes by them or not. */
static void look_for_u_turns(checker_t *c, uint32_t card, unsigned candidates, unsigned tc, unsigned dest)
{
	const uint32_t address = xt_image_pe_address(c->image, dest);
	const xt_route_t back = xt_image_lookup(c->image, card, tc, address);

	for (; candidates; candidates &= candidates - 1) {
		look_for_u_turn(c, card, (unsigned)__builtin_ctz(candidates), tc, dest);
	}
	if (c->extent == PRIVATE_CARDS && back.valid && back.port < c->profile->link_ports) {
		const xt_peer_t from = xt_image_peer(c->image, card, back.port);

		if (from.card != XT_NO_CARD && !xt_check_within(c, from.card)) {
			const xt_route_t there = xt_image_lookup(c->image, from.card, tc, address);

			if (there.valid && (there.adaptive_mask >> from.port & 1)) {
				look_for_u_turn(c, from.card, from.port, tc, dest);
			}
		}
	}
}

/* A packet has come to a card that was not met before; returns how many candidates it has there. */
static unsigned enter(checker_t *c, uint32_t card, unsigned tc, unsigned dest)
{
	place_t *place = &c->reach->place[card];
	const step_t *escape = &c->step[card];

	if (escape->progress == UNKNOWN) {
		xt_check_walk(c, card, tc, dest);
	}
	if (escape->how != XT_WALK_DELIVERED) {
		note_fault(c, (xt_adaptive_failure_t){.how = XT_ADAPTIVE_NO_ESCAPE,
				      .tc = tc,
				      .dest = dest,
				      .card = card,
				      .escape = (xt_walk_t)escape->how,
				      .escape_card = escape->end});
	}
	place->progress = ON_PATH;
	place->candidates = place->rest = (uint8_t)candidates_of(c, card, tc, dest);
	place->longest = escape->hops;
	if (c->profile->no_u_turns) {
		look_for_u_turns(c, card, place->candidates, tc, dest);
	}
	return (unsigned)__builtin_popcount(place->rest);
}

static void lengthen(place_t *place, uint32_t beyond)
{
	if (place->longest < beyond + 1) {
		place->longest = beyond + 1;
	}
}

/* A candidate leads to a card that is not walked. */
static void leave(checker_t *c, uint32_t card)
{
	if (c->extent == SHARED_CARDS) {
		c->part[card] |= LED_TO;
	} else {
		c->faulty = true;
	}
}

/* Follows everything from one source. */
static void search(checker_t *c, uint32_t source, unsigned tc, unsigned dest, xt_candidates_t *found)
{
	place_t *place = c->reach->place;
	uint32_t *stack = c->reach->stack;
	unsigned depth = 0;

	found->candidates += enter(c, source, tc, dest);
	found->escapes++;
	stack[depth++] = source;
	while (depth > 0) {
		uint32_t card = stack[depth - 1], next;
		unsigned port;

		if (place[card].rest == 0) {
			place[card].progress = ENDED;
			c->reach->order[c->reach->ordered++] = card;
			if (--depth > 0) {
				lengthen(&place[stack[depth - 1]], place[card].longest);
			}
			continue;
		}
		port = (unsigned)__builtin_ctz(place[card].rest);
		place[card].rest &= (uint8_t)(place[card].rest - 1);
		next = xt_image_peer(c->image, card, port).card;
		if (!xt_check_within(c, next)) {
			leave(c, next);
		} else if (place[next].progress == ON_PATH) {
			note_fault(c, (xt_adaptive_failure_t){.how = XT_ADAPTIVE_LIVELOCK,
					      .tc = tc,
					      .dest = dest,
					      .card = card,
					      .port = port});
		} else if (place[next].progress == ENDED) {
			lengthen(&place[card], place[next].longest);
		} else {
			found->candidates += enter(c, next, tc, dest);
			found->escapes++;
			stack[depth++] = next;
		}
	}
}

void xt_check_reach_restart(checker_t *c)
{
	memset(c->reach->place, 0, c->cards * sizeof(*c->reach->place));
	c->reach->ordered = 0;
}

void xt_check_candidates(checker_t *c, uint32_t card, unsigned tc, unsigned dest, xt_candidates_t *found)
{
	place_t *place = &c->reach->place[card];

	if (place->progress == UNKNOWN) {
		search(c, card, tc, dest, found);
	}
	found->longest = place->longest > found->longest ? place->longest : found->longest;
}
