/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of two levels: trees to every group of cards, and in each group trees to its cards. A packet goes to the
 * nearest card of its group, or where the layers let it, and from there on within the group. */
#include "group_tables.h"

#include <stdlib.h>
#include <string.h>

#include "card_groups.h"
#include "extorus/profiles.h"
#include "topology/breadth_first.h"
#include "tree_tables.h"

/* To more destinations all ways would take minutes to measure: of these every n-th is. */
enum { MOST_MEASURED = 16384 };

typedef struct {
	const xt_route_options_t *options;
	xt_card_groups_t groups;
	xt_trees_t outer;
	xt_image_t *image;
	unsigned outer_vcs, inner_vcs, adaptive_tcs;
	uint8_t *escape;       /* [destination of the inner trees at hand] */
	uint8_t *outer_escape; /* [group] */
	uint32_t *entry;       /* [card]: the card by which its packets come into the group at hand */
	double hops, distances;
} plan_t;

static int divide_vcs(plan_t *plan, const xt_topology_t *topology, bool again, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	unsigned least = xt_topology_directed(topology) ? 4 : 2, vcs = XT_MAX_VCS_PER_TC;

	for (unsigned tc = 0; tc < p->tcs; tc++) {
		unsigned of_tc = xt_profile_deterministic_vcs(p, tc);

		vcs = of_tc < vcs ? of_tc : vcs;
	}
	if (vcs < least) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"topology %s: %u PEs do not fit the %u LRT entries of profile %s; a way to groups of cards and "
			"one within a group need %u deterministic VCs in each TC, it has %u: %suse profile %s, or a "
			"profile with more lrt_bits, such as large",
			xt_topology_spec(topology), xt_topology_pes(topology), 1u << p->lrt_bits, p->name, least, vcs,
			again ? "route the network anew, without --from, and " : "", least == 4 ? "dort" : "extoll");
	}
	plan->inner_vcs = vcs / 2;
	plan->outer_vcs = vcs - vcs / 2;
	plan->adaptive_tcs = plan->options->adaptive ? xt_profile_adaptive_tcs(p) : 0;
	return XT_OK;
}

static void set_entry(const plan_t *plan, uint64_t *entry, xt_route_t route, unsigned candidates)
{
	for (unsigned tc = 0; route.valid && tc < xt_image_profile(plan->image)->tcs; tc++) {
		route.adaptive_mask = (uint8_t)(plan->adaptive_tcs >> tc & 1 ? candidates : 0);
		*entry = xt_entry_with_route(*entry, tc, route);
	}
}

/* The GRT of all cards. */
static void fill_outer(plan_t *plan)
{
	xt_trees_t *g = &plan->outer;

	for (unsigned i = 0; i < g->dests; i++) {
		const xt_hop_t *hop = g->hop + (size_t)g->dest[i] * g->cards;

		xt_trees_distances(g, g->dest[i]);
		for (uint32_t card = 0; card < g->cards; card++) {
			xt_route_t route = {.valid = hop[card].known, .port = hop[card].port, .vc = hop[card].vc};

			if (!xt_trees_ends(g, card, g->dest[i])) {
				set_entry(plan, &xt_image_grt_mutable(plan->image, card)[g->dest[i]], route,
					xt_trees_minimal_ports(g, card));
			}
		}
	}
}

/* The LRT of all cards of one group. */
static void fill_inner(plan_t *plan, xt_trees_t *g)
{
	const xt_profile_t *p = xt_image_profile(plan->image);
	const uint32_t low = (1u << p->lrt_bits) - 1;

	for (unsigned i = 0; i < g->dests; i++) {
		uint32_t dest = g->dest[i], number = g->number[dest];
		const xt_hop_t *hop = g->hop + (size_t)dest * g->cards;

		xt_trees_distances(g, dest);
		for (unsigned unit = 0; unit < xt_topology_card_pes(g->topology, number); unit++) {
			uint32_t index = xt_image_pe_address(plan->image, number * p->nic_ports + unit) & low;

			for (uint32_t card = 0; card < g->cards; card++) {
				xt_route_t route = {.valid = 1, .port = (uint8_t)(p->link_ports + unit)};
				unsigned candidates = 0;

				if (card != dest) {
					route = (xt_route_t){.valid = hop[card].known,
						.port = hop[card].port,
						.vc = (uint8_t)(plan->outer_vcs + hop[card].vc)};
					candidates = xt_trees_minimal_ports(g, card);
				}
				set_entry(plan, &xt_image_lrt_mutable(plan->image, g->number[card])[index], route,
					candidates);
			}
		}
	}
}

/* Where the packets of each card come into the group: its own place within it. */
static void find_entries(plan_t *plan, uint32_t group, const xt_trees_t *inner)
{
	const xt_trees_t *g = &plan->outer;
	const xt_hop_t *hop = g->hop + (size_t)group * g->cards;

	for (uint32_t card = 0; card < inner->cards; card++) {
		plan->entry[inner->number[card]] = card;
	}
	for (unsigned rank = 0; rank < g->in_service; rank++) {
		uint32_t start = g->by_rank[rank], card = start;

		while (!xt_trees_ends(g, card, group)) {
			card = xt_trees_peer(g, card, hop[card].port).card;
		}
		plan->entry[start] = plan->entry[card];
	}
}

static void count_group(plan_t *plan, uint32_t group, const xt_trees_t *inner, xt_route_figures_t *f)
{
	xt_trees_t *g = &plan->outer;
	const xt_hop_t *outer_hop = g->hop + (size_t)group * g->cards;
	unsigned step = (g->in_service - 1) / MOST_MEASURED + 1;

	find_entries(plan, group, inner);
	for (unsigned i = 0; i < inner->dests; i++) {
		uint32_t dest = inner->dest[i];
		const xt_hop_t *hop = inner->hop + (size_t)dest * inner->cards;
		bool escape = plan->outer_escape[group] || plan->escape[dest];

		f->escape += escape;
		f->several += !escape;
		if (f->destinations++ % step) {
			continue;
		}
		f->measured++;
		xt_breadth_first(g->sender, g->cards, g->ports, inner->number[dest], g->distance, g->queue);
		for (unsigned rank = 0; rank < g->in_service; rank++) {
			uint32_t card = g->by_rank[rank];
			const xt_hop_t *within = &hop[plan->entry[card]];
			unsigned length = outer_hop[card].hops + within->hops;

			plan->hops += length;
			plan->distances += g->distance[card];
			f->detours += length > g->distance[card];
			if (outer_hop[card].hops) {
				f->hops_on_vc[outer_hop[card].vc]++;
			} else if (within->hops) {
				f->hops_on_vc[plan->outer_vcs + within->vc]++;
			}
		}
	}
}

static int route_inner(plan_t *plan, const xt_topology_t *topology, uint32_t group, xt_diag_t *diag)
{
	xt_trees_t inner;
	int status = xt_trees_make_within(&inner, topology, plan->groups.group, group, diag);

	inner.vcs = plan->inner_vcs;
	memset(plan->escape, 0, inner.cards);
	if (status == XT_OK && (status = xt_trees_fill(&inner, plan->options, plan->escape, diag)) == XT_OK) {
		fill_inner(plan, &inner);
		if (plan->options->figures) {
			count_group(plan, group, &inner, plan->options->figures);
		}
	}
	xt_trees_free(&inner);
	return status;
}

static int route_all(plan_t *plan, const xt_topology_t *topology, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	const uint32_t high = (uint32_t)((1ull << p->id_bits) - (1ull << p->lrt_bits));
	xt_route_figures_t *f = plan->options->figures;
	int status = xt_trees_make_to_groups(&plan->outer, topology, plan->groups.groups, plan->groups.group, diag);

	plan->outer.vcs = plan->outer_vcs;
	if (status != XT_OK ||
		(status = xt_trees_fill(&plan->outer, plan->options, plan->outer_escape, diag)) != XT_OK) {
		return status;
	}
	if (f) {
		*f = (xt_route_figures_t){.root = plan->outer.by_rank[0], .vcs = plan->outer_vcs + plan->inner_vcs};
	}
	fill_outer(plan);
	for (unsigned i = 0; i < plan->outer.dests && status == XT_OK; i++) {
		status = route_inner(plan, topology, plan->outer.dest[i], diag);
	}
	for (unsigned card = 0; card < xt_image_cards(plan->image); card++) {
		for (unsigned tc = 0; tc < p->tcs; tc++) {
			xt_image_set_match_mask(plan->image, card, tc, high);
		}
	}
	xt_open_classes(topology, plan->image);
	if (f) {
		double pairs = (double)f->measured * (plan->outer.in_service - 1);

		f->mean_hops = pairs > 0 ? plan->hops / pairs : 0;
		f->mean_distance = pairs > 0 ? plan->distances / pairs : 0;
	}
	return status;
}

static int take_groups(plan_t *plan, const xt_topology_t *topology, const xt_image_t *before, xt_diag_t *diag)
{
	return before ? xt_card_groups_keep(&plan->groups, before, topology, diag)
		      : xt_card_groups_make(&plan->groups, topology, diag);
}

int xt_route_in_groups(const xt_topology_t *topology, const xt_route_options_t *options, const char *name,
	const xt_image_t *before, xt_image_t **out, xt_diag_t *diag)
{
	unsigned cards = xt_topology_cards(topology);
	plan_t plan = {.options = options};
	int status = divide_vcs(&plan, topology, before != NULL, diag);

	*out = NULL;
	if (status == XT_OK && options->up_after_down) {
		status = xt_fail(diag, XT_ERR_UNSUPPORTED,
			"a turn up after down needs an LRT entry for each PE; use a smaller network");
	}
	if (status == XT_OK && (status = take_groups(&plan, topology, before, diag)) == XT_OK &&
		(status = xt_image_create_at(topology, name, plan.groups.address, &plan.image, diag)) == XT_OK) {
		plan.escape = calloc(cards, sizeof(*plan.escape));
		plan.outer_escape = calloc(plan.groups.groups, sizeof(*plan.outer_escape));
		plan.entry = calloc(cards, sizeof(*plan.entry));
		status = plan.escape && plan.outer_escape && plan.entry
				 ? route_all(&plan, topology, diag)
				 : xt_fail(diag, XT_ERR_NOMEM, "out of memory for the routes between %u cards", cards);
	}
	xt_trees_free(&plan.outer);
	xt_card_groups_free(&plan.groups);
	free(plan.escape);
	free(plan.outer_escape);
	free(plan.entry);
	if (status != XT_OK) {
		xt_image_free(plan.image);
		return status;
	}
	*out = plan.image;
	return XT_OK;
}
