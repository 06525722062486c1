/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of up/down and layered routing, from the trees of all destinations. */
#include "tree_tables.h"

#include <stdlib.h>

#include "acyclic_order.h"
#include "destination_trees.h"
#include "extorus/profiles.h"
#include "extorus/random.h"

unsigned xt_trees_minimal_ports(const xt_trees_t *g, uint32_t card)
{
	unsigned ports = 0;

	for (unsigned port = 0; port < g->ports; port++) {
		uint32_t peer = xt_trees_peer(g, card, port).card;

		ports |= peer != XT_NO_CARD && g->distance[peer] < g->distance[card] ? 1u << port : 0;
	}
	return ports;
}

/* The entries for the PEs of one card, in all tables. */
static void fill_destination(xt_trees_t *g, uint32_t dest, unsigned adaptive_tcs, xt_image_t *image)
{
	const xt_profile_t *p = xt_image_profile(image);
	const xt_hop_t *hop = g->hop + (size_t)dest * g->cards;

	xt_trees_distances(g, dest);
	for (unsigned unit = 0; unit < xt_topology_card_pes(g->topology, dest); unit++) {
		uint32_t address = xt_image_pe_address(image, dest * p->nic_ports + unit);

		for (uint32_t card = 0; card < g->cards; card++) {
			xt_route_t route = {.valid = hop[card].known, .port = hop[card].port, .vc = hop[card].vc};
			uint64_t *entry = &xt_image_lrt_mutable(image, card)[address];

			if (card == dest) {
				route = (xt_route_t){.valid = 1, .port = (uint8_t)(p->link_ports + unit)};
			}
			for (unsigned tc = 0; tc < p->tcs && route.valid; tc++) {
				route.adaptive_mask = (uint8_t)(card != dest && (adaptive_tcs >> tc & 1)
									? xt_trees_minimal_ports(g, card)
									: 0);
				*entry = xt_entry_with_route(*entry, tc, route);
			}
		}
	}
}

void xt_open_classes(const xt_topology_t *topology, xt_image_t *image)
{
	for (unsigned pe = 0; pe < xt_image_pes(image); pe++) {
		bool failed = xt_topology_card_failed(topology, xt_image_pe_card(image, pe));

		xt_image_set_pe_tc_mask(image, pe, failed ? 0 : (1u << xt_image_profile(image)->tcs) - 1);
	}
}

static void count(xt_trees_t *g, const uint8_t *escape, xt_route_figures_t *f)
{
	uint64_t hops = 0, shortest = 0, pairs = (uint64_t)g->dests * (g->in_service - 1);

	*f = (xt_route_figures_t){.root = g->by_rank[0], .vcs = g->vcs, .destinations = g->dests, .measured = g->dests};
	for (unsigned i = 0; i < g->dests; i++) {
		uint32_t dest = g->dest[i];
		const xt_hop_t *hop = g->hop + (size_t)dest * g->cards;
		unsigned layers = 0;

		xt_trees_distances(g, dest);
		for (unsigned rank = 0; rank < g->in_service; rank++) {
			uint32_t card = g->by_rank[rank];

			if (card != dest) {
				hops += hop[card].hops;
				shortest += g->distance[card];
				f->detours += hop[card].hops > g->distance[card];
				f->hops_on_vc[hop[card].vc]++;
				layers |= 1u << hop[card].vc;
			}
		}
		if (escape[dest]) {
			f->escape++;
		} else if (layers & (layers - 1)) {
			f->several++;
		} else {
			f->in_layer[layers ? __builtin_ctz(layers) : 0]++;
		}
	}
	f->mean_hops = pairs ? (double)hops / (double)pairs : 0.0;
	f->mean_distance = pairs ? (double)shortest / (double)pairs : 0.0;
}

/* All dependencies of the trees on one VC. */
static void add_dependencies(const xt_trees_t *g, xt_acyclic_order_t *order)
{
	for (unsigned i = 0; i < g->dests; i++) {
		const xt_hop_t *hop = g->hop + (size_t)g->dest[i] * g->cards;

		for (unsigned rank = 0; rank < g->in_service; rank++) {
			uint32_t card = g->by_rank[rank], next;

			if (card == g->dest[i] || (next = xt_trees_peer(g, card, hop[card].port).card) == g->dest[i]) {
				continue;
			}
			if (!xt_acyclic_order_has(order, card * g->ports + hop[card].port, hop[next].port)) {
				xt_acyclic_order_add(order, card * g->ports + hop[card].port, hop[next].port);
			}
		}
	}
}

static bool passes(const xt_trees_t *g, const xt_hop_t *hop, uint32_t from, uint32_t by)
{
	while (from != by && hop[from].hops > 0) {
		from = xt_trees_peer(g, from, hop[from].port).card;
	}
	return from == by;
}

/* A port of `card`, which packets to `dest` reach coming down, by which they would go up again, still
 * arrive, and close a cycle with the other dependencies; or -1. */
static int find_turn(const xt_trees_t *g, xt_acyclic_order_t *order, uint32_t card, uint32_t dest)
{
	const xt_hop_t *hop = g->hop + (size_t)dest * g->cards;

	for (unsigned in = 0; in < g->ports; in++) {
		xt_peer_t above = xt_trees_peer(g, card, in);

		if (above.card == XT_NO_CARD || g->rank[above.card] > g->rank[card] ||
			hop[above.card].port != above.port || above.card == dest) {
			continue;
		}
		for (unsigned out = 0; out < g->ports; out++) {
			xt_peer_t next = xt_trees_peer(g, card, out);

			if (next.card != XT_NO_CARD && g->rank[next.card] < g->rank[card] && out != in &&
				!passes(g, hop, next.card, card) &&
				xt_acyclic_order_closes(order, above.card * g->ports + above.port, out)) {
				return (int)out;
			}
		}
	}
	return -1;
}

/* For trying out the checks: one hop is changed. */
static int turn_up_again(xt_trees_t *g, uint64_t seed, xt_diag_t *diag)
{
	xt_acyclic_order_t *order = xt_acyclic_order_create(g->peer, g->sender, g->cards, g->ports);
	uint64_t combinations = (uint64_t)g->in_service * g->dests, first;
	xt_random_t random;

	if (!order) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	add_dependencies(g, order);
	xt_random_seed(&random, seed, 0);
	first = xt_random_next(&random) % combinations;
	for (uint64_t i = 0; i < combinations; i++) {
		uint64_t at = (first + i) % combinations;
		uint32_t card = g->by_rank[at % g->in_service], dest = g->dest[at / g->in_service];
		int port = card == dest ? -1 : find_turn(g, order, card, dest);

		if (port >= 0) {
			g->hop[(size_t)dest * g->cards + card].port = (uint8_t)port;
			xt_acyclic_order_free(order);
			return XT_OK;
		}
	}
	xt_acyclic_order_free(order);
	return xt_fail(diag, XT_ERR_UNSUPPORTED,
		"topology %s: no turn from down to up closes a cycle here; use a network with more links",
		xt_topology_spec(g->topology));
}

int xt_trees_fill(xt_trees_t *g, const xt_route_options_t *options, uint8_t *escape, xt_diag_t *diag)
{
	if (options->algorithm == XT_ALGORITHM_LAYERED) {
		return xt_layered_trees(g, escape, diag);
	}
	for (unsigned i = 0; i < g->dests; i++) {
		uint32_t dest = g->dest[i];

		xt_updown_tree(g, dest, 0, g->hop + (size_t)dest * g->cards);
		xt_trees_add_load(g, dest);
		escape[dest] = 1;
	}
	return options->up_after_down ? turn_up_again(g, options->seed, diag) : XT_OK;
}

int xt_route_by_trees(
	const xt_topology_t *topology, const xt_route_options_t *options, xt_image_t *image, xt_diag_t *diag)
{
	uint8_t *escape = calloc(xt_topology_cards(topology), sizeof(*escape));
	xt_trees_t g;
	int status = xt_trees_make(&g, topology, diag);

	if (status == XT_OK && !escape) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	if (status == XT_OK && (status = xt_trees_fill(&g, options, escape, diag)) == XT_OK) {
		for (unsigned i = 0; i < g.dests; i++) {
			fill_destination(&g, g.dest[i],
				options->adaptive ? xt_profile_adaptive_tcs(xt_image_profile(image)) : 0, image);
		}
		xt_open_classes(topology, image);
		if (options->figures && !options->up_after_down) {
			count(&g, escape, options->figures);
		}
	}
	xt_trees_free(&g);
	free(escape);
	return status;
}
