/* SPDX-License-Identifier: Apache-2.0
 *
 * The candidates of one adaptive TC to one destination as a graph over the cards, searched depth first
 * from the sources. Along the way back the longest way from each card is known. If that graph has a cycle, the graph
 * over cards and ports of arrival decides. */
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

reach_t *xt_check_reach_new(unsigned cards, unsigned links)
{
	const size_t places = (size_t)cards * (links + 1);
	reach_t *reach = calloc(1, sizeof(*reach));

	if (reach) {
		reach->place = calloc(places, sizeof(*reach->place));
		reach->stack = calloc(places, sizeof(*reach->stack));
		reach->order = calloc(cards, sizeof(*reach->order));
		reach->met = calloc(cards, sizeof(*reach->met));
		reach->arrivals = 1;
		if (!reach->place || !reach->stack || !reach->order || !reach->met) {
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
		free(reach->met);
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
static unsigned candidates_of(checker_t *c, uint32_t card, unsigned tc, unsigned dest, bool is_met)
{
	xt_route_t route = xt_image_lookup(c->image, card, tc, xt_image_pe_address(c->image, dest));
	unsigned connected = 0;

	for (uint32_t rest = route.valid ? route.adaptive_mask : 0; rest; rest &= rest - 1) {
		unsigned port = (unsigned)__builtin_ctz(rest);

		if (xt_image_peer(c->image, card, port).card != XT_NO_CARD) {
			connected |= 1u << port;
		} else if (!is_met) {
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

/* A packet has come to a place that was not met before. */
static void enter(checker_t *c, uint32_t at, unsigned tc, unsigned dest, xt_candidates_t *found)
{
	reach_t *reach = c->reach;
	const uint32_t card = at / reach->arrivals;
	const unsigned back = reach->arrivals > 1 ? 1u << at % reach->arrivals : 0;
	/* The last of several bits: the card itself. */
	const unsigned met = reach->arrivals > 1 ? reach->met[card] : 0, self = 1u << c->profile->link_ports;
	place_t *place = &reach->place[at];
	const step_t *escape = &c->step[card];
	unsigned fresh;

	if (escape->progress == UNKNOWN) {
		xt_check_walk(c, card, tc, dest);
	}
	if (escape->how != XT_WALK_DELIVERED && !(met & self)) {
		note_fault(c, (xt_adaptive_failure_t){.how = XT_ADAPTIVE_NO_ESCAPE,
				      .tc = tc,
				      .dest = dest,
				      .card = card,
				      .escape = (xt_walk_t)escape->how,
				      .escape_card = escape->end});
	}
	place->progress = ON_PATH;
	place->candidates = place->rest = (uint8_t)(candidates_of(c, card, tc, dest, met & self) & ~back);
	place->longest = escape->hops;
	fresh = place->candidates & ~met;
	if (c->profile->no_u_turns) {
		look_for_u_turns(c, card, fresh, tc, dest);
	}
	found->candidates += (unsigned)__builtin_popcount(fresh);
	found->escapes += !(met & self);
	reach->met[card] = (uint16_t)(met | fresh | self);
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

/* Where candidate `port` of `card` leads. */
static uint32_t place_behind(const checker_t *c, uint32_t card, unsigned port)
{
	const xt_peer_t peer = xt_image_peer(c->image, card, port);

	return peer.card * c->reach->arrivals + (c->reach->arrivals > 1 ? peer.port : 0);
}

/* A place on the way here is met again. */
static void lead_round(checker_t *c, uint32_t card, unsigned port, unsigned tc, unsigned dest)
{
	c->reach->leads_round = true;
	if (c->reach->arrivals > 1 || c->extent != ALL_CARDS) {
		note_fault(c, (xt_adaptive_failure_t){
				      .how = XT_ADAPTIVE_LIVELOCK, .tc = tc, .dest = dest, .card = card, .port = port});
	}
}

/* Follows everything from one source. */
static void search(checker_t *c, uint32_t source, unsigned tc, unsigned dest, xt_candidates_t *found)
{
	place_t *place = c->reach->place;
	uint32_t *stack = c->reach->stack;
	unsigned depth = 0;

	enter(c, source, tc, dest, found);
	stack[depth++] = source;
	while (depth > 0) {
		uint32_t at = stack[depth - 1], card = at / c->reach->arrivals, next;
		unsigned port;

		if (place[at].rest == 0) {
			place[at].progress = ENDED;
			if (c->reach->arrivals == 1) {
				c->reach->order[c->reach->ordered++] = card;
			}
			if (--depth > 0) {
				lengthen(&place[stack[depth - 1]], place[at].longest);
			}
			continue;
		}
		port = (unsigned)__builtin_ctz(place[at].rest);
		place[at].rest &= (uint8_t)(place[at].rest - 1);
		next = place_behind(c, card, port);
		if (!xt_check_within(c, next / c->reach->arrivals)) {
			leave(c, next);
		} else if (place[next].progress == ON_PATH) {
			lead_round(c, card, port, tc, dest);
		} else if (place[next].progress == ENDED) {
			lengthen(&place[at], place[next].longest);
		} else {
			enter(c, next, tc, dest, found);
			stack[depth++] = next;
		}
	}
}

void xt_check_reach_restart(checker_t *c, bool by_arrival)
{
	reach_t *reach = c->reach;

	reach->arrivals = by_arrival ? c->profile->link_ports + 1 : 1;
	memset(reach->place, 0, (size_t)c->cards * reach->arrivals * sizeof(*reach->place));
	if (by_arrival) {
		memset(reach->met, 0, c->cards * sizeof(*reach->met));
	}
	reach->ordered = 0;
	reach->leads_round = false;
}

void xt_check_candidates(checker_t *c, uint32_t card, unsigned tc, unsigned dest, xt_candidates_t *found)
{
	/* From a NIC, the last of several arrivals. */
	const uint32_t source = (card + 1) * c->reach->arrivals - 1;
	place_t *place = &c->reach->place[source];

	if (place->progress == UNKNOWN) {
		search(c, source, tc, dest, found);
	}
	found->longest = place->longest > found->longest ? place->longest : found->longest;
}
