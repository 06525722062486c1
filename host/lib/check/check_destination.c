/* SPDX-License-Identifier: Apache-2.0
 *
 * All sources, TCs and candidates to one destination, and what is counted of its pairs. */
#include <string.h>

#include "checker.h"
#include "extorus/profiles.h"
#include "topology/breadth_first.h"

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

static xt_candidates_t follow_from_sources(checker_t *c, unsigned tc, unsigned dest, bool by_arrival)
{
	xt_candidates_t found = {0};

	xt_check_reach_restart(c, by_arrival);
	for (unsigned source = 0; source < c->pes; source++) {
		if ((xt_image_pe_tc_mask(c->image, source) >> tc & 1) && source != dest) {
			xt_check_candidates(c, xt_image_pe_card(c->image, source), tc, dest, &found);
		}
	}
	return found;
}

static void follow_candidates(checker_t *c, unsigned tc, unsigned dest)
{
	xt_check_t *r = c->result;
	const uint64_t faults = r->adaptive_faults;
	const xt_adaptive_failure_t failure = r->adaptive_failure;
	xt_candidates_t found = follow_from_sources(c, tc, dest, false);

	if (c->reach->leads_round) {
		r->adaptive_faults = faults;
		r->adaptive_failure = failure;
		found = follow_from_sources(c, tc, dest, true);
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
	xt_breadth_first(
		c->sender, c->cards, c->profile->link_ports, xt_image_pe_card(c->image, dest), c->distance, c->path);
	for (unsigned tc = 0; tc < c->profile->tcs; tc++) {
		walk_all_sources(c, tc, dest);
		if (c->reach && (xt_profile_adaptive_tcs(c->profile) >> tc & 1)) {
			follow_candidates(c, tc, dest);
		}
	}
	count_pairs(c, dest);
}
