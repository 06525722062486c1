/* SPDX-License-Identifier: Apache-2.0
 *
 * Deterministic load-balancing routing of k-ary n-trees (DESTRO): on the way up and on the way down, the port at level
 * l is digit l of the destination. So the way to an end node comes down over the same switches from wherever it
 * started, and no two end nodes share a link on the way down to different switches of level 0 if they need not. */
#include "destro.h"

#include "extorus/profiles.h"
#include "topology/tree_shape.h"

/* The internal link to another card of the switch. Packets that cross at level l for one port differ in digit l, as far
 * as the card has several ports, and on the way up in digit l + 1. */
static unsigned internal_link(const xt_tree_shape_t *tree, unsigned dest, unsigned level)
{
	unsigned above = level + 1 < tree->levels ? xt_tree_digit(tree, dest, level + 1) : 0;

	return (xt_tree_digit(tree, dest, level) % xt_tree_ports(tree) + above) % tree->links;
}

/* On `card` to end node `dest`, numbered by its digits. */
static xt_route_t route_on(const xt_tree_shape_t *tree, unsigned nic, unsigned card, unsigned dest)
{
	xt_tree_place_t at = xt_tree_place(tree, card);
	unsigned digit = xt_tree_digit(tree, dest, at.level), part;
	bool up = false;
	xt_route_t route = {.valid = 1};

	for (unsigned level = at.level; level + 1 < tree->levels; level++) {
		up |= xt_tree_digit(tree, at.w, level) != xt_tree_digit(tree, dest, level + 1);
	}
	part = xt_tree_part(tree, up, digit);
	route.port = (uint8_t)(part != at.part
				       ? xt_tree_internal_port(tree, at.part, part, internal_link(tree, dest, at.level))
			       : up || at.level ? xt_tree_port(tree, up, digit)
						: nic + xt_tree_port(tree, false, digit));
	return route;
}

/* The end node at a PE, by its digits. */
static unsigned end_node(const xt_tree_shape_t *tree, const xt_image_t *image, unsigned pe)
{
	xt_tree_place_t at = xt_tree_place(tree, xt_image_pe_card(image, pe));

	return at.w * tree->arity + at.part * xt_tree_ports(tree) + xt_image_pe_unit(image, pe);
}

int xt_route_destro(const xt_topology_t *topology, xt_image_t *image, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	const xt_tree_shape_t *tree = xt_topology_tree(topology);

	if (xt_image_last_address(image) >> p->lrt_bits) {
		const xt_profile_t *other = xt_profile_with_entries(p, xt_image_last_address(image) + 1, 1);

		return xt_fail(diag, XT_ERR_RANGE,
			"topology %s: destro needs an LRT entry for each PE, profile %s has %u; use a smaller tree%s%s",
			xt_topology_spec(topology), p->name, 1u << p->lrt_bits,
			other ? ", or --profile " : ": no profile has enough", other ? other->name : "");
	}
	for (unsigned pe = 0; pe < xt_image_pes(image); pe++) {
		uint32_t address = xt_image_pe_address(image, pe);

		for (unsigned card = 0; xt_image_has_pe(image, pe) && card < xt_image_cards(image); card++) {
			uint64_t *entry = &xt_image_lrt_mutable(image, card)[address];
			xt_route_t route = route_on(tree, p->link_ports, card, end_node(tree, image, pe));

			for (unsigned tc = 0; tc < p->tcs; tc++) {
				*entry = xt_entry_with_route(*entry, tc, route);
			}
		}
	}
	return XT_OK;
}
