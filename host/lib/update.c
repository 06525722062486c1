/* SPDX-License-Identifier: Apache-2.0
 *
 * New routes after failures. For every TC and destination the hops of the cards form a tree that the failures
 * have cut into pieces. A piece is joined again by giving the card at its root, whose hop has failed, a hop to a card
 * that delivers; the others of the piece keep theirs. All old dependencies stay in the graph that must not get a cycle,
 * so that packets that still go by old routes are part of the proof. */
#include "extorus/update.h"

#include <stdlib.h>
#include <string.h>

#include "dependencies.h"
#include "extorus/routing.h"
#include "profiles.h"

enum { NEVER = UINT32_MAX };

/* Which old hops to a destination count. */
typedef enum {
	KEEP_ALL,
	KEEP_GOOD, /* those of cards that still deliver; nothing goes by the others any more */
	KEEP_NONE,
} keep_t;

/* What a card does with the packets at hand; only hops to other cards, by links that work. */
typedef struct {
	uint8_t leaves, port, vc, bit;
	uint32_t next;
} hop_t;

typedef struct {
	uint32_t card;
	uint64_t entry;
} undo_t;

typedef struct {
	const xt_image_t *before;
	xt_image_t *after;
	const xt_profile_t *profile;
	unsigned cards, ports;
	xt_mixture_t m;
	xt_dependencies_t *dependencies;
	xt_update_figures_t *figures;
	uint8_t *failed_ports; /* [card] */

	/* Of the TC and destination at hand. */
	unsigned tc, dest;
	uint32_t root;    /* card of the destination */
	hop_t *was;       /* [card]: the hop of the old entry, whether it counts or not */
	hop_t *old, *hop; /* [card]: before, and as it is now */
	uint32_t *hops;   /* [card]: links to the destination, NEVER: it does not deliver */
	uint32_t *good;   /* the cards that deliver, by their hops */
	unsigned goods;
	uint8_t *source;   /* [card]: PEs on it use this TC */
	uint8_t *needed;   /* [card]: packets come by */
	uint8_t *visited;  /* [card]: they or old ones do, or new ones will */
	uint8_t *banned;   /* [card]: found no hop since the last card was joined */
	uint8_t *free;     /* [card]: changes cost nothing */
	uint32_t *cost;    /* [card]: cards on the way to one that delivers that have to change */
	uint32_t *towards; /* [card]: the next one on that way */
	uint8_t *change;   /* [card]: by another link than now */
	uint32_t *queue[2];

	/* Of the destination at hand, for taking it back. */
	xt_dependency_entry_t *added;
	size_t addeds, added_room;
	uint32_t *seen; /* cards that got visited, of this join only */
	unsigned seens;
	undo_t *undo;
	size_t undos, undo_room;
	bool out_of_memory;
} repair_t;

static void free_repair(repair_t *r)
{
	xt_mixture_free(&r->m);
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

static int create_repair(repair_t *r, const xt_image_t *before, xt_image_t *after, xt_diag_t *diag)
{
	int status = xt_mixture_create(&r->m, before, after, diag);
	size_t n = xt_image_cards(after);

	r->before = before;
	r->after = after;
	r->profile = xt_image_profile(after);
	r->cards = xt_image_cards(after);
	r->ports = r->profile->link_ports;
	r->dependencies = xt_dependencies_create(after);
	r->failed_ports = calloc(n, 1);
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
			r->failed_ports[card] |= (uint8_t)(1u << end % r->ports);
		}
	}
	return status;
}

/* All of a table's LRT entry for the destination. */
static uint64_t *entry_of(repair_t *r, uint32_t card)
{
	return &xt_image_lrt_mutable(r->after, card)[xt_image_pe_address(r->after, r->dest)];
}

static void set_route(repair_t *r, uint32_t card, xt_route_t route)
{
	uint64_t *entry = entry_of(r, card), value = xt_entry_with_route(*entry, r->tc, route);

	if (value == *entry) {
		return;
	}
	if (r->undos == r->undo_room) {
		size_t room = 2 * r->undo_room + 64;
		undo_t *more = realloc(r->undo, room * sizeof(*more));

		if (!more) {
			r->out_of_memory = true;
			return;
		}
		r->undo = more;
		r->undo_room = room;
	}
	r->undo[r->undos++] = (undo_t){card, *entry};
	*entry = value;
}

static bool depend(repair_t *r, uint32_t card, unsigned bit, unsigned next)
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

static void take_back_dependencies(repair_t *r, size_t until)
{
	while (r->addeds > until) {
		xt_dependencies_remove(r->dependencies, r->added[--r->addeds]);
	}
}

static void take_back_all(repair_t *r)
{
	take_back_dependencies(r, 0);
	while (r->undos > 0) {
		r->undos--;
		*entry_of(r, r->undo[r->undos].card) = r->undo[r->undos].entry;
	}
}

static bool leads_over(const hop_t *hop, xt_peer_t link)
{
	return hop[link.card].leaves && hop[link.card].port == link.port;
}

/* Who delivers, in how many links. */
static void measure(repair_t *r)
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
static void search(repair_t *r)
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
static bool follow(repair_t *r, uint32_t card, unsigned bit, uint32_t next)
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
static bool go_on_from_old_hops(repair_t *r, uint32_t card, unsigned bit)
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

static bool join_by(repair_t *r, uint32_t card, unsigned port, unsigned vc)
{
	uint32_t next = xt_image_peer(r->after, card, port).card;
	unsigned bit = xt_channel_bit(port, vc);
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
	route = xt_entry_route(*entry_of(r, card), r->tc);
	route.valid = 1;
	route.port = (uint8_t)port;
	route.vc = (uint8_t)vc;
	route.adaptive_mask &= (uint8_t)~r->failed_ports[card];
	set_route(r, card, route);
	r->hop[card] = (hop_t){1, (uint8_t)port, (uint8_t)vc, (uint8_t)bit, next};
	return true;
}

/* Gives a card a hop to a neighbour that delivers: the one of the old entry, or by the shortest way that is left. */
static bool join(repair_t *r, uint32_t card)
{
	unsigned vcs = xt_profile_deterministic_vcs(r->profile, r->tc), tried = 0;
	const hop_t *was = &r->was[card];

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
static uint32_t next_to_join(const repair_t *r)
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

static bool all_deliver(const repair_t *r)
{
	for (uint32_t card = 0; card < r->cards; card++) {
		if (r->needed[card] && r->hops[card] == NEVER) {
			return false;
		}
	}
	return true;
}

static hop_t hop_of(const xt_option_t *o)
{
	return (hop_t){o->leaves && !o->failed, o->port, o->vc, o->bit, o->card};
}

/* Fills everything of a TC and destination. */
static void prepare(repair_t *r, unsigned tc, unsigned dest, keep_t keep)
{
	r->tc = tc;
	r->dest = dest;
	r->root = xt_image_pe_card(r->after, dest);
	xt_mixture_select(&r->m, tc, dest);
	memset(r->source, 0, r->cards);
	for (unsigned pe = 0; pe < r->m.pes; pe++) {
		r->source[xt_image_pe_card(r->after, pe)] |=
			pe != dest && (xt_image_pe_tc_mask(r->after, pe) >> tc & 1);
	}
	xt_mixture_walk(&r->m, XT_MIX_NEW);
	for (uint32_t card = 0; card < r->cards; card++) {
		r->needed[card] = card != r->root && r->m.reach[card * XT_PHASES + XT_PHASE_NEW] != 0;
		r->visited[card] = r->needed[card];
	}
	if (keep == KEEP_ALL) {
		xt_mixture_walk(&r->m, XT_MIX_OLD);
	}
	for (uint32_t card = 0; card < r->cards; card++) {
		const xt_place_t *place = xt_mixture_place(&r->m, card);

		r->visited[card] |= keep == KEEP_ALL && r->m.reach[card * XT_PHASES + XT_PHASE_OLD];
		r->was[card] = r->old[card] = hop_of(&place->option[0]);
		r->hop[card] = hop_of(&place->option[place->options > 1]);
	}
	measure(r);
	for (uint32_t card = 0; card < r->cards; card++) {
		if (keep == KEEP_NONE || (keep == KEEP_GOOD && r->hops[card] == NEVER)) {
			r->old[card] = r->hop[card] = (hop_t){0};
		}
	}
	measure(r);
	memset(r->free, 0, r->cards);
	memset(r->banned, 0, r->cards);
}

/* What goes by hops that are kept. */
static bool depend_on_kept(repair_t *r)
{
	for (uint32_t card = 0; card < r->cards; card++) {
		const hop_t *hop = &r->hop[card];

		if (r->visited[card] && hop->leaves && hop->next != r->root &&
			!depend(r, card, hop->bit, r->hop[hop->next].bit)) {
			return false;
		}
	}
	return true;
}

/* Candidates that have failed are none. */
static void drop_failed_candidates(repair_t *r)
{
	for (uint32_t card = 0; card < r->cards; card++) {
		xt_route_t route = xt_entry_route(*entry_of(r, card), r->tc);

		if (r->needed[card] && (route.adaptive_mask & r->failed_ports[card])) {
			route.adaptive_mask &= (uint8_t)~r->failed_ports[card];
			set_route(r, card, route);
		}
	}
}

/* False if some card found no hop. */
static bool repair_tc(repair_t *r, unsigned tc, unsigned dest, keep_t keep)
{
	prepare(r, tc, dest, keep);
	if (keep == KEEP_GOOD && !depend_on_kept(r)) {
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

static bool repair_destination(repair_t *r, unsigned dest, keep_t keep)
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

/* See xt_route_update. `must` has a place per card. */
static uint64_t least_changes(repair_t *r, unsigned dest, uint8_t *must, uint8_t *cut)
{
	unsigned most = 0, own = 0, more = 0;

	memset(must, 0, r->cards);
	memset(cut, 0, r->cards);
	for (unsigned tc = 0; tc < r->profile->tcs; tc++) {
		unsigned here = 0, adaptive = xt_profile_adaptive_tcs(r->profile) >> tc & 1;

		prepare(r, tc, dest, KEEP_ALL);
		for (uint32_t card = 0; card < r->cards; card++) {
			const xt_option_t *o = &xt_mixture_place(&r->m, card)->option[0];
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
		prepare(r, tc, dest, KEEP_ALL);
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

static bool has_rings(const xt_image_t *image)
{
	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		for (unsigned port = 0; port < xt_image_profile(image)->link_ports; port++) {
			if (xt_image_ring(image, card, port)) {
				return true;
			}
		}
	}
	return false;
}

/* The old routes of all destinations, failed ones too: packets to them are still under way. */
static bool add_old_routes(repair_t *r)
{
	for (unsigned dest = 0; dest < r->m.pes; dest++) {
		for (unsigned tc = 0; tc < r->profile->tcs; tc++) {
			if (!xt_dependencies_add_routes(r->dependencies, &r->m, tc, dest, XT_MIX_OLD)) {
				return false;
			}
		}
	}
	return true;
}

/* Some entry of a card with a failed link names it. */
static bool may_be_affected(repair_t *r, unsigned dest)
{
	r->dest = dest;
	for (uint32_t card = 0; card < r->cards; card++) {
		for (unsigned tc = 0; r->failed_ports[card] && tc < r->profile->tcs; tc++) {
			xt_route_t route = xt_entry_route(*entry_of(r, card), tc);

			if ((1u << route.port | route.adaptive_mask) & r->failed_ports[card]) {
				return true;
			}
		}
	}
	return false;
}

typedef enum {
	AS_BEFORE = 0, /* no route needs what has failed */
	AFFECTED,
	REPAIRED,
	ANEW, /* its old routes are given up */
} fortune_t;

static void find_affected(repair_t *r, uint8_t *fortune, uint8_t *must, uint8_t *cut)
{
	for (unsigned dest = 0; dest < r->m.pes; dest++) {
		bool may = xt_image_pe_in_service(r->after, dest) && may_be_affected(r, dest);
		uint64_t least = may ? least_changes(r, dest, must, cut) : 0;

		r->figures->must_change += least;
		r->figures->affected += least != 0;
		fortune[dest] = least ? AFFECTED : AS_BEFORE;
	}
}

static void give_up(repair_t *r, uint8_t *fortune, uint32_t *queue, unsigned *queued, unsigned dest)
{
	for (unsigned tc = 0; tc < r->profile->tcs; tc++) {
		xt_dependencies_remove_routes(r->dependencies, &r->m, tc, dest, XT_MIX_OLD);
	}
	fortune[dest] = ANEW;
	queue[(*queued)++] = dest;
}

static bool regrow_destination(repair_t *r, unsigned dest)
{
	return repair_destination(r, dest, KEEP_GOOD) || repair_destination(r, dest, KEEP_NONE);
}

/* Routes the queued destinations anew. Where there is no place for one, room is made by giving up the routes to
 * others, more each time. */
static bool regrow(repair_t *r, uint8_t *fortune, uint32_t *queue, unsigned queued)
{
	for (unsigned i = 0; i < queued; i++) {
		for (unsigned more = 1; !regrow_destination(r, queue[i]); more *= 2) {
			unsigned until = queued;

			for (unsigned k = 1; k < r->m.pes && queued < until + more; k++) {
				unsigned dest = (queue[i] + k) % r->m.pes;

				if (fortune[dest] == AS_BEFORE && xt_image_pe_in_service(r->after, dest)) {
					give_up(r, fortune, queue, &queued, dest);
				}
			}
			if (queued == until || r->out_of_memory) {
				return false;
			}
		}
	}
	r->figures->regrown = queued;
	return true;
}

static bool repair_all(repair_t *r)
{
	uint8_t *must = malloc(r->cards), *cut = malloc(r->cards), *fortune = calloc(r->m.pes, 1);
	uint32_t *queue = calloc(r->m.pes, sizeof(*queue));
	bool done = must && cut && fortune && queue;
	unsigned queued = 0;

	r->out_of_memory |= !done;
	if (done) {
		find_affected(r, fortune, must, cut);
		done = !has_rings(r->before) && add_old_routes(r);
	}
	for (unsigned dest = 0; done && dest < r->m.pes; dest++) {
		if (fortune[dest] == AFFECTED && repair_destination(r, dest, KEEP_ALL)) {
			fortune[dest] = REPAIRED;
		}
	}
	for (unsigned dest = 0; done && dest < r->m.pes; dest++) {
		if (fortune[dest] == AFFECTED) {
			give_up(r, fortune, queue, &queued, dest);
		}
	}
	done = done && regrow(r, fortune, queue, queued) && !r->out_of_memory;
	free(must);
	free(cut);
	free(fortune);
	free(queue);
	return done;
}

static void copy_settings(const xt_image_t *from, xt_image_t *to)
{
	for (unsigned card = 0; card < xt_image_cards(from); card++) {
		xt_image_set_route_order(to, card, xt_image_route_order(from, card));
		for (unsigned tc = 0; tc < xt_image_profile(from)->tcs; tc++) {
			xt_image_set_match_mask(to, card, tc, xt_image_match_mask(from, card, tc));
		}
	}
}

/* The old tables on the wiring that is left. */
static int copy_image(const xt_image_t *before, const xt_topology_t *damaged, xt_image_t **out, xt_diag_t *diag)
{
	static const char suffix[] = "-repaired";
	const xt_profile_t *p = xt_image_profile(before);
	const char *name = xt_image_algorithm(before);
	size_t length = strlen(name);
	bool again = length >= strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0;
	char text[64];
	int status;

	snprintf(text, sizeof(text), "%.40s%s", name, again ? "" : suffix);
	if ((status = xt_image_create(damaged, text, out, diag)) != XT_OK) {
		return status;
	}
	copy_settings(before, *out);
	for (unsigned card = 0; card < xt_image_cards(before); card++) {
		memcpy(xt_image_grt_mutable(*out, card), xt_image_grt(before, card), sizeof(uint64_t) << p->grt_bits);
		memcpy(xt_image_lrt_mutable(*out, card), xt_image_lrt(before, card), sizeof(uint64_t) << p->lrt_bits);
	}
	for (unsigned pe = 0; pe < xt_image_pes(before); pe++) {
		bool failed = xt_topology_card_failed(damaged, xt_image_pe_card(before, pe));

		xt_image_set_pe_tc_mask(*out, pe, failed ? 0 : xt_image_pe_tc_mask(before, pe));
	}
	return XT_OK;
}

static int check_network(const xt_image_t *before, const xt_topology_t *damaged, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_image_profile(before);

	if (xt_topology_profile(damaged) != p || xt_topology_cards(damaged) != xt_image_cards(before)) {
		return xt_fail(diag, XT_ERR_MISMATCH,
			"the image of %.80s is for %u cards of profile %s, not for the %u of %.80s",
			xt_image_topology(before), xt_image_cards(before), p->name, xt_topology_cards(damaged),
			xt_topology_spec(damaged));
	}
	for (unsigned card = 0; card < xt_image_cards(before); card++) {
		for (unsigned port = 0; port < p->link_ports; port++) {
			xt_peer_t was = xt_image_peer(before, card, port), is = xt_topology_peer(damaged, card, port);

			if (is.card != XT_NO_CARD && (is.card != was.card || is.port != was.port)) {
				return xt_fail(diag, XT_ERR_MISMATCH,
					"%.80s has a link at card %u port %s that the image does not have; route it "
					"anew, without --from",
					xt_topology_spec(damaged), card, xt_topology_port_name(damaged, card, port));
			}
		}
	}
	if (xt_image_pe_address(before, xt_image_pes(before) - 1) >> p->lrt_bits) {
		return xt_fail(diag, XT_ERR_RANGE,
			"%.80s: single routes can only be changed where each PE has an LRT entry; %u PEs do not fit "
			"the %u "
			"of profile %s, use a smaller network or a profile with more lrt_bits",
			xt_image_topology(before), xt_image_pes(before), 1u << p->lrt_bits, p->name);
	}
	return XT_OK;
}

static int check_safe(const xt_image_t *image, xt_diag_t *diag)
{
	xt_check_t *check;
	int status = xt_check_image(image, &check, diag);

	if (status == XT_OK) {
		status = xt_check_verdict(image, check, diag);
		xt_check_free(check);
	}
	return status;
}

/* On failed cards, and of those to them on the others, nothing is rewritten. */
static void copy_out_of_service(const xt_image_t *from, xt_image_t *to)
{
	const xt_profile_t *p = xt_image_profile(from);

	for (unsigned pe = 0; pe < xt_image_pes(from); pe++) {
		uint32_t failed = xt_image_pe_card(from, pe), address = xt_image_pe_address(from, pe);

		if (xt_image_pe_in_service(to, pe)) {
			continue;
		}
		memcpy(xt_image_lrt_mutable(to, failed), xt_image_lrt(from, failed), sizeof(uint64_t) << p->lrt_bits);
		for (unsigned card = 0; card < xt_image_cards(from); card++) {
			xt_image_lrt_mutable(to, card)[address] = xt_image_lrt(from, card)[address];
		}
	}
}

static int route_whole(const xt_image_t *before, const xt_topology_t *damaged, xt_image_t **out, xt_diag_t *diag)
{
	xt_route_options_t options = {
		.algorithm = strncmp(xt_image_algorithm(before), "updown", 6) == 0 ? XT_ALGORITHM_UPDOWN
										   : XT_ALGORITHM_LAYERED,
		.adaptive = xt_image_is_adaptive(before) != 0,
	};
	int status = xt_route(damaged, &options, out, diag);

	/* With an LRT entry for each PE the registers decide nothing, and need no rewriting. */
	if (status == XT_OK) {
		copy_settings(before, *out);
		copy_out_of_service(before, *out);
	}
	return status;
}

int xt_route_update(const xt_image_t *before, const xt_topology_t *damaged, xt_image_t **out,
	xt_update_figures_t *figures, xt_diag_t *diag)
{
	xt_update_figures_t ignored;
	repair_t r = {.figures = figures ? figures : &ignored};
	xt_image_t *after = NULL;
	bool repaired;
	int status;

	*out = NULL;
	memset(r.figures, 0, sizeof(*r.figures));
	if ((status = check_network(before, damaged, diag)) != XT_OK || (status = check_safe(before, diag)) != XT_OK ||
		(status = copy_image(before, damaged, &after, diag)) != XT_OK) {
		return status;
	}
	if ((status = create_repair(&r, before, after, diag)) == XT_OK) {
		repaired = repair_all(&r) && check_safe(after, NULL) == XT_OK;
		r.figures->how = !repaired ? XT_UPDATE_WHOLE : r.figures->regrown ? XT_UPDATE_REGROWN : XT_UPDATE_KEPT;
		if (r.out_of_memory) {
			status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for new routes");
		} else if (!repaired) {
			r.figures->regrown = 0;
			xt_image_free(after);
			status = route_whole(before, damaged, &after, diag);
		}
	}
	free_repair(&r);
	if (status != XT_OK) {
		xt_image_free(after);
		return status;
	}
	*out = after;
	return XT_OK;
}
