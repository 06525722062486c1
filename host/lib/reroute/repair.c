/* SPDX-License-Identifier: Apache-2.0 */
#include "repair.h"

#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"

#define NEVER UINT32_MAX

void xt_repair_free(xt_repair_t *r)
{
	xt_old_new_hops_free(&r->m);
	xt_dependencies_free(r->dependencies);
	free(r->failed_ports);
	free(r->was);
	free(r->old);
	free(r->hop);
	free(r->hops);
	free(r->good);
	free(r->source);
	free(r->needed);
	free(r->visited);
	free(r->banned);
	free(r->free);
	free(r->cost);
	free(r->towards);
	free(r->change);
	free(r->queue[0]);
	free(r->queue[1]);
	free(r->added);
	free(r->seen);
	free(r->undo);
}

int xt_repair_create(xt_repair_t *r, const xt_image_t *before, xt_image_t *after, xt_diag_t *diag)
{
	int status = xt_old_new_hops_create(&r->m, before, after, diag);
	size_t n = xt_image_cards(after);

	r->before = before;
	r->after = after;
	r->profile = xt_image_profile(after);
	r->cards = xt_image_cards(after);
	r->ports = r->profile->link_ports;
	r->dependencies = xt_dependencies_create(after);
	r->failed_ports = calloc(n, sizeof(*r->failed_ports));
	r->was = calloc(n, sizeof(*r->was));
	r->old = calloc(n, sizeof(*r->old));
	r->hop = calloc(n, sizeof(*r->hop));
	r->hops = calloc(n, sizeof(*r->hops));
	r->good = calloc(n, sizeof(*r->good));
	r->source = calloc(n, 1);
	r->needed = calloc(n, 1);
	r->visited = calloc(n, 1);
	r->banned = calloc(n, 1);
	r->free = calloc(n, 1);
	r->cost = calloc(n, sizeof(*r->cost));
	r->towards = calloc(n, sizeof(*r->towards));
	r->change = calloc(n, 1);
	r->queue[0] = calloc(2 * n, sizeof(*r->queue[0]));
	r->queue[1] = calloc(2 * n, sizeof(*r->queue[1]));
	r->seen = calloc(n, sizeof(*r->seen));
	if (status == XT_OK &&
		(!r->dependencies || !r->failed_ports || !r->was || !r->old || !r->hop || !r->hops || !r->good ||
			!r->source || !r->needed || !r->visited || !r->banned || !r->free || !r->cost || !r->towards ||
			!r->change || !r->queue[0] || !r->queue[1] || !r->seen)) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for new routes between %u cards", r->cards);
	}
	for (unsigned end = 0; status == XT_OK && end < r->cards * r->ports; end++) {
		uint32_t card = end / r->ports;

		if (xt_image_peer(before, card, end % r->ports).card != XT_NO_CARD &&
			xt_image_peer(after, card, end % r->ports).card == XT_NO_CARD) {
			r->failed_ports[card] |= (uint16_t)(1u << end % r->ports);
		}
	}
	return status;
}

uint64_t *xt_repair_entry(xt_repair_t *r, uint32_t card)
{
	return &xt_image_lrt_mutable(r->after, card)[xt_image_pe_address(r->after, r->dest)];
}

static void set_route(xt_repair_t *r, uint32_t card, xt_route_t route)
{
	uint64_t *entry = xt_repair_entry(r, card), value = xt_entry_with_route(*entry, r->tc, route);

	if (value == *entry) {
		return;
	}
	if (r->undos == r->undo_room) {
		size_t room = 2 * r->undo_room + 64;
		xt_repair_undo_t *more = realloc(r->undo, room * sizeof(*more));

		if (!more) {
			r->out_of_memory = true;
			return;
		}
		r->undo = more;
		r->undo_room = room;
	}
	r->undo[r->undos++] = (xt_repair_undo_t){card, *entry};
	*entry = value;
}

static bool depend(xt_repair_t *r, uint32_t card, unsigned bit, unsigned next)
{
	xt_dependency_entry_t entry = {card * r->m.bits + bit, (uint8_t)next, (uint8_t)r->tc};

	if (r->addeds == r->added_room) {
		size_t room = 2 * r->added_room + 256;
		xt_dependency_entry_t *more = realloc(r->added, room * sizeof(*more));

		if (!more) {
			r->out_of_memory = true;
			return false;
		}
		r->added = more;
		r->added_room = room;
	}
	if (!xt_dependencies_add(r->dependencies, entry)) {
		return false;
	}
	r->added[r->addeds++] = entry;
	return true;
}

static void take_back_dependencies(xt_repair_t *r, size_t until)
{
	while (r->addeds > until) {
		xt_dependencies_remove(r->dependencies, r->added[--r->addeds]);
	}
}

static void take_back_all(xt_repair_t *r)
{
	take_back_dependencies(r, 0);
	while (r->undos > 0) {
		r->undos--;
		*xt_repair_entry(r, r->undo[r->undos].card) = r->undo[r->undos].entry;
	}
}

static bool leads_over(const xt_repair_hop_t *hop, xt_peer_t link)
{
	return hop[link.card].leaves && hop[link.card].port == link.port;
}

/* Who delivers, in how many links. */
static void measure(xt_repair_t *r)
{
	memset(r->hops, 0xff, r->cards * sizeof(*r->hops));
	r->goods = 0;
	r->hops[r->root] = 0;
	r->good[r->goods++] = r->root;
	for (unsigned i = 0; i < r->goods; i++) {
		for (unsigned port = 0; port < r->ports; port++) {
			xt_peer_t link = xt_image_peer(r->after, r->good[i], port);

			if (link.card != XT_NO_CARD && r->hops[link.card] == NEVER && leads_over(r->hop, link)) {
				r->hops[link.card] = r->hops[r->good[i]] + 1;
				r->good[r->goods++] = link.card;
			}
		}
	}
}

/* The fewest changes by which each card could deliver, whatever the dependencies. */
static void search(xt_repair_t *r)
{
	unsigned count = 0, level = 0;

	memset(r->cost, 0xff, r->cards * sizeof(*r->cost));
	for (unsigned i = 0; i < r->goods; i++) {
		r->cost[r->good[i]] = 0;
		r->queue[0][count++] = r->good[i];
	}
	for (; count > 0; level++) {
		const uint32_t *now = r->queue[level % 2];
		uint32_t *later = r->queue[1 - level % 2], *same = r->queue[level % 2];
		unsigned laters = 0;

		for (unsigned i = 0; i < count; i++) {
			uint32_t card = now[i];

			for (unsigned port = 0; port < r->ports && r->cost[card] == level; port++) {
				xt_peer_t link = xt_image_peer(r->after, card, port);
				bool kept;
				unsigned cost;

				if (link.card == XT_NO_CARD) {
					continue;
				}
				kept = leads_over(r->hop, link);
				cost = level + !(kept || leads_over(r->was, link) || r->free[link.card]);
				if (r->cost[link.card] <= cost || (!kept && r->banned[link.card])) {
					continue;
				}
				r->cost[link.card] = cost;
				r->towards[link.card] = card;
				r->change[link.card] = !kept;
				if (cost == level) {
					same[count++] = link.card;
				} else {
					later[laters++] = link.card;
				}
			}
		}
		count = laters;
	}
}

/* Packets that come to `card` go on by `bit`, and from there by the hops that are. False if that closes a cycle. */
static bool follow(xt_repair_t *r, uint32_t card, unsigned bit, uint32_t next)
{
	while (next != r->root) {
		if (!depend(r, card, bit, r->hop[next].bit)) {
			return false;
		}
		if (r->visited[next]) {
			return true;
		}
		r->visited[next] = 1;
		r->seen[r->seens++] = next;
		card = next;
		bit = r->hop[card].bit;
		next = r->hop[card].next;
	}
	return true;
}

/* Packets of neighbours that still come by old hops go on by `bit`, too. */
static bool go_on_from_old_hops(xt_repair_t *r, uint32_t card, unsigned bit)
{
	for (unsigned port = 0; port < r->ports; port++) {
		xt_peer_t link = xt_image_peer(r->after, card, port);

		if (link.card != XT_NO_CARD && r->visited[link.card] && leads_over(r->old, link) &&
			!depend(r, link.card, r->old[link.card].bit, bit)) {
			return false;
		}
	}
	return true;
}

static bool join_by(xt_repair_t *r, uint32_t card, unsigned port, unsigned vc)
{
	uint32_t next = xt_image_peer(r->after, card, port).card;
	unsigned bit = xt_channel_bit(r->m.vc_stride, port, vc);
	size_t until = r->addeds;
	xt_route_t route;

	r->seens = 0;
	if (r->visited[card] && !(go_on_from_old_hops(r, card, bit) && follow(r, card, bit, next))) {
		take_back_dependencies(r, until);
		while (r->seens > 0) {
			r->visited[r->seen[--r->seens]] = 0;
		}
		return false;
	}
	route = xt_entry_route(*xt_repair_entry(r, card), r->tc);
	route.valid = 1;
	route.port = (uint8_t)port;
	route.vc = (uint8_t)vc;
	route.adaptive_mask &= (uint8_t)~r->failed_ports[card];
	set_route(r, card, route);
	r->hop[card] = (xt_repair_hop_t){1, (uint8_t)port, (uint8_t)vc, (uint8_t)bit, next};
	return true;
}

/* Gives a card a hop to a neighbour that delivers: the one of the old entry, or by the shortest way that is left. */
static bool join(xt_repair_t *r, uint32_t card)
{
	unsigned vcs = xt_profile_deterministic_vcs(r->profile, r->tc), tried = 0;
	const xt_repair_hop_t *was = &r->was[card];

	if (was->leaves && r->hops[was->next] != NEVER && join_by(r, card, was->port, was->vc)) {
		return true;
	}
	for (;;) {
		uint32_t least = NEVER;
		unsigned best = 0;

		for (unsigned port = 0; port < r->ports; port++) {
			uint32_t peer = xt_image_peer(r->after, card, port).card;

			if (peer != XT_NO_CARD && !(tried >> port & 1) && r->hops[peer] < least) {
				least = r->hops[peer];
				best = port;
			}
		}
		if (least == NEVER) {
			return false;
		}
		tried |= 1u << best;
		for (unsigned i = 0; i < vcs; i++) {
			unsigned first = r->hop[xt_image_peer(r->after, card, best).card].vc;

			if (join_by(r, card, best, (first + i) % vcs)) {
				return true;
			}
		}
	}
}

/* The card nearest to delivering, of those that need to, and on its way the last one that has to change. */
static uint32_t next_to_join(const xt_repair_t *r)
{
	uint32_t card = XT_NO_CARD, last = XT_NO_CARD;

	for (uint32_t i = 0; i < r->cards; i++) {
		if (r->needed[i] && r->hops[i] == NEVER && r->cost[i] != NEVER &&
			(card == XT_NO_CARD || r->cost[i] < r->cost[card] ||
				(r->cost[i] == r->cost[card] && r->hops[r->towards[i]] < r->hops[r->towards[card]]))) {
			card = i;
		}
	}
	while (card != XT_NO_CARD && r->hops[card] == NEVER) {
		last = r->change[card] ? card : last;
		card = r->towards[card];
	}
	return last;
}

static bool all_deliver(const xt_repair_t *r)
{
	for (uint32_t card = 0; card < r->cards; card++) {
		if (r->needed[card] && r->hops[card] == NEVER) {
			return false;
		}
	}
	return true;
}

static xt_repair_hop_t hop_of(const xt_option_t *o)
{
	return (xt_repair_hop_t){o->leaves && !o->failed, o->port, o->vc, o->bit, o->card};
}

/* Fills everything of a TC and destination. */
static void prepare(xt_repair_t *r, unsigned tc, unsigned dest, xt_keep_t keep)
{
	r->tc = tc;
	r->dest = dest;
	r->root = xt_image_pe_card(r->after, dest);
	xt_old_new_hops_select(&r->m, tc, dest);
	memset(r->source, 0, r->cards);
	for (unsigned pe = 0; pe < r->m.pes; pe++) {
		r->source[xt_image_pe_card(r->after, pe)] |=
			pe != dest && (xt_image_pe_tc_mask(r->after, pe) >> tc & 1);
	}
	xt_old_new_hops_walk(&r->m, XT_MIX_NEW);
	for (uint32_t card = 0; card < r->cards; card++) {
		r->needed[card] = card != r->root && r->m.reach[card * XT_PHASES + XT_PHASE_NEW] != 0;
		r->visited[card] = r->needed[card];
	}
	if (keep == XT_KEEP_ALL) {
		xt_old_new_hops_walk(&r->m, XT_MIX_OLD);
	}
	for (uint32_t card = 0; card < r->cards; card++) {
		const xt_place_t *place = xt_old_new_hops_place(&r->m, card);

		r->visited[card] |= keep == XT_KEEP_ALL && r->m.reach[card * XT_PHASES + XT_PHASE_OLD];
		r->was[card] = r->old[card] = hop_of(&place->option[0]);
		r->hop[card] = hop_of(&place->option[place->options > 1]);
	}
	measure(r);
	for (uint32_t card = 0; card < r->cards; card++) {
		if (keep == XT_KEEP_NONE || (keep == XT_KEEP_GOOD && r->hops[card] == NEVER)) {
			r->old[card] = r->hop[card] = (xt_repair_hop_t){0};
		}
	}
	measure(r);
	memset(r->free, 0, r->cards);
	memset(r->banned, 0, r->cards);
}

/* What goes by hops that are kept. */
static bool depend_on_kept(xt_repair_t *r)
{
	for (uint32_t card = 0; card < r->cards; card++) {
		const xt_repair_hop_t *hop = &r->hop[card];

		if (r->visited[card] && hop->leaves && hop->next != r->root &&
			!depend(r, card, hop->bit, r->hop[hop->next].bit)) {
			return false;
		}
	}
	return true;
}

/* Candidates that have failed are none. */
static void drop_failed_candidates(xt_repair_t *r)
{
	for (uint32_t card = 0; card < r->cards; card++) {
		xt_route_t route = xt_entry_route(*xt_repair_entry(r, card), r->tc);

		if (r->needed[card] && (route.adaptive_mask & r->failed_ports[card])) {
			route.adaptive_mask &= (uint8_t)~r->failed_ports[card];
			set_route(r, card, route);
		}
	}
}

/* False if some card found no hop. */
static bool repair_tc(xt_repair_t *r, unsigned tc, unsigned dest, xt_keep_t keep)
{
	prepare(r, tc, dest, keep);
	if (keep == XT_KEEP_GOOD && !depend_on_kept(r)) {
		return false;
	}
	if (!all_deliver(r)) {
		/* What another TC has changed is rewritten anyway. */
		for (size_t i = 0; i < r->undos; i++) {
			r->free[r->undo[i].card] = 1;
		}
		while (!all_deliver(r)) {
			uint32_t card;

			search(r);
			card = next_to_join(r);
			if (card == XT_NO_CARD || r->out_of_memory) {
				return false;
			}
			if (join(r, card)) {
				measure(r);
				memset(r->banned, 0, r->cards);
			} else {
				r->banned[card] = 1;
			}
		}
	}
	if (xt_profile_adaptive_tcs(r->profile) >> tc & 1) {
		drop_failed_candidates(r);
	}
	return true;
}

bool xt_repair_destination(xt_repair_t *r, unsigned dest, xt_keep_t keep)
{
	r->addeds = r->undos = 0;
	for (unsigned tc = 0; tc < r->profile->tcs; tc++) {
		if (!repair_tc(r, tc, dest, keep)) {
			take_back_all(r);
			return false;
		}
	}
	return true;
}

uint64_t xt_repair_least_changes(xt_repair_t *r, unsigned dest, uint8_t *must, uint8_t *cut)
{
	unsigned most = 0, own = 0, more = 0;

	memset(must, 0, r->cards);
	memset(cut, 0, r->cards);
	for (unsigned tc = 0; tc < r->profile->tcs; tc++) {
		unsigned here = 0, adaptive = xt_profile_adaptive_tcs(r->profile) >> tc & 1;

		if (r->m.same_as[tc] != tc) {
			continue;
		}
		prepare(r, tc, dest, XT_KEEP_ALL);
		for (uint32_t card = 0; card < r->cards; card++) {
			const xt_option_t *o = &xt_old_new_hops_place(&r->m, card)->option[0];
			bool fails = r->needed[card] && o->leaves && o->failed;

			here += fails;
			cut[card] |= fails;
			must[card] |= r->source[card] && r->needed[card] &&
				      (fails || (adaptive && (o->mask & r->failed_ports[card])));
		}
		most = here > most ? here : most;
	}
	for (uint32_t card = 0; card < r->cards; card++) {
		own += must[card];
	}
	for (unsigned tc = 0; most > 0 && tc < r->profile->tcs; tc++) {
		if (r->m.same_as[tc] != tc) {
			continue;
		}
		prepare(r, tc, dest, XT_KEEP_ALL);
		for (uint32_t card = 0; card < r->cards; card++) {
			r->free[card] = must[card] || cut[card];
		}
		search(r);
		for (uint32_t card = 0; card < r->cards; card++) {
			if (r->source[card] && card != r->root && r->cost[card] != NEVER && r->cost[card] > more) {
				more = r->cost[card];
			}
		}
	}
	return most > own + more ? most : own + more;
}
