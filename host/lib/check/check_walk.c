/* SPDX-License-Identifier: Apache-2.0
 *
 * For one TC and destination the next hop depends on the card only. So the routes of all sources form a graph with
 * one way out of every card. Each card is looked up once, and a walk ends where an earlier one has been. */
#include <string.h>

#include "check_internal.h"
#include "extorus/profiles.h"

/* Distances over the wiring to one card. */
static void measure_distances(checker_t *c, uint32_t dest)
{
	uint32_t *queue = c->path;
	unsigned head = 0, tail = 0;

	memset(c->distance, 0xff, c->cards * sizeof(*c->distance));
	c->distance[dest] = 0;
	queue[tail++] = dest;
	while (head < tail) {
		uint32_t card = queue[head++];

		for (unsigned port = 0; port < c->profile->link_ports; port++) {
			uint32_t sender = c->sender[(size_t)card * c->profile->link_ports + port];

			if (sender != XT_NO_CARD && c->distance[sender] == UINT32_MAX) {
				c->distance[sender] = c->distance[card] + 1;
				queue[tail++] = sender;
			}
		}
	}
}

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
			s->bit = (uint8_t)xt_channel_bit(route.port, route.vc);
			c->result->used[tc][card] |= 1u << s->bit;
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
			c->result->successors[tc][(size_t)c->path[length] * c->bits + s->bit] |= 1u << next->bit;
		}
		s->how = loop ? XT_WALK_LIVELOCK : last->how;
		s->end = loop ? at : last->end;
		s->hops = next->progress == ENDED ? next->hops + 1 : 1;
		s->progress = ENDED;
		c->order[c->ordered++] = c->path[length];
	}
}

static void note_failure(checker_t *c, xt_walk_t how, unsigned tc, unsigned source, unsigned dest, uint32_t card)
{
	if (c->pair_how[source] == XT_WALK_DELIVERED) {
		c->pair_how[source] = (uint8_t)how;
	}
	if (c->result->failure.how == XT_WALK_DELIVERED) {
		c->result->failure.how = how;
		c->result->failure.tc = tc;
		c->result->failure.source = source;
		c->result->failure.dest = dest;
		c->result->failure.card = card;
	}
}

static void walk_all_sources(checker_t *c, unsigned tc, unsigned dest)
{
	memset(c->step, 0, c->cards * sizeof(*c->step));
	c->ordered = 0;
	for (unsigned source = 0; source < c->pes; source++) {
		uint32_t card = xt_image_pe_card(c->image, source);
		const step_t *s = &c->step[card];

		if (!(xt_image_pe_tc_mask(c->image, source) >> tc & 1) || source == dest) {
			continue;
		}
		if (s->progress == UNKNOWN) {
			xt_check_walk(c, card, tc, dest);
		}
		if (s->how != XT_WALK_DELIVERED) {
			note_failure(c, (xt_walk_t)s->how, tc, source, dest, s->end);
			continue;
		}
		if (c->pair_hops[source] == UINT32_MAX) {
			c->pair_hops[source] = s->hops;
		}
		c->pair_longer[source] |= s->hops > c->distance[card];
		c->result->max_hops = s->hops > c->result->max_hops ? s->hops : c->result->max_hops;
	}
}

static void count_pairs(checker_t *c, unsigned dest)
{
	xt_check_t *r = c->result;

	for (unsigned source = 0; source < c->pes; source++) {
		if (source == dest || !c->in_service[source]) {
			continue;
		}
		r->pairs++;
		if (xt_image_pe_tc_mask(c->image, source) == 0) {
			note_failure(c, XT_WALK_ILLEGAL, 0, source, dest, xt_image_pe_card(c->image, source));
		}
		switch ((xt_walk_t)c->pair_how[source]) {
		case XT_WALK_DELIVERED:
			c->total_hops += c->pair_hops[source];
			r->non_minimal += c->pair_longer[source];
			continue;
		case XT_WALK_LIVELOCK:
			r->livelock++;
			break;
		case XT_WALK_MISDELIVERED:
			r->misdelivered++;
			break;
		case XT_WALK_ILLEGAL:
			r->illegal++;
			break;
		case XT_WALK_UNCONNECTED:
			r->unconnected++;
			break;
		}
		r->unreachable++;
	}
}

static void follow_candidates(checker_t *c, unsigned tc, unsigned dest)
{
	xt_check_t *r = c->result;
	xt_candidates_t found = {0};

	xt_check_reach_restart(c);
	for (unsigned source = 0; source < c->pes; source++) {
		if ((xt_image_pe_tc_mask(c->image, source) >> tc & 1) && source != dest) {
			xt_check_candidates(c, xt_image_pe_card(c->image, source), tc, dest, &found);
		}
	}
	if (found.candidates > 0) {
		r->adaptive_tcs |= 1u << tc;
		r->adaptive_candidates += found.candidates;
		r->escapes += found.escapes;
		r->adaptive_max_hops = found.longest > r->adaptive_max_hops ? found.longest : r->adaptive_max_hops;
	}
}

void xt_check_destination(checker_t *c, unsigned dest)
{
	c->extent = ALL_CARDS;
	memset(c->pair_hops, 0xff, c->pes * sizeof(*c->pair_hops));
	memset(c->pair_how, XT_WALK_DELIVERED, c->pes);
	memset(c->pair_longer, 0, c->pes);
	measure_distances(c, xt_image_pe_card(c->image, dest));
	for (unsigned tc = 0; tc < c->profile->tcs; tc++) {
		walk_all_sources(c, tc, dest);
		if (c->reach && (xt_profile_adaptive_tcs(c->profile) >> tc & 1)) {
			follow_candidates(c, tc, dest);
		}
	}
	count_pairs(c, dest);
}
