/* SPDX-License-Identifier: Apache-2.0
 *
 * Dimension-order routing: dor, ts-dor, dort and bubble. */
#include "dimension_order.h"

#include <string.h>

#include "extorus/profiles.h"
#include "internal_link.h"
#include "twisted.h"

enum { UPPER = 0, LOWER = 1 };

/* Order in which dimensions are made right. */
typedef enum {
	ASCENDING,
	DESCENDING,
} order_t;

/* Why a packet crosses the internal link. */
typedef enum {
	OTHER_DIMENSION, /* the port of a dimension that is not split is on the other card */
	SPLIT_DIMENSION, /* so is the port of the split dimension */
	OTHER_PE,        /* so is the destination */
} reason_t;

/* What is known while the tables of one image are filled. */
typedef struct {
	const xt_topology_t *topology;
	xt_algorithm_t algorithm;
	unsigned dimensions, sides;
	bool twisted;
	unsigned mesh_vcs;       /* of a mesh, which its packets are spread over; otherwise 0 */
	xt_internal_link_t link; /* of a twin torus */
	int internal;            /* its port or -1 */
	unsigned nic;            /* the first one */
	unsigned units, unit_bits;
	unsigned radix[XT_MAX_DIMENSIONS];
	unsigned local_dimensions, local_cards, global_size;
	unsigned adaptive_tcs; /* bit per TC whose entries get candidates */
	xt_ties_t ties;
	bool classic_dateline, free_crossings;
} plan_t;

/* Direction of a minimal way from `from` to `to` around a ring or along a row of k: 1 = next, 0 = previous. */
static unsigned direction(const plan_t *plan, unsigned from, unsigned to, unsigned k, unsigned on_tie)
{
	unsigned forward = (to + k - from) % k;

	if (plan->mesh_vcs) {
		return to > from;
	}
	if (2 * forward == k) {
		return on_tie;
	}
	return 2 * forward < k;
}

static bool is_split(const plan_t *plan, unsigned d)
{
	return plan->sides == 2 && plan->link.owner[d] == XT_SPLIT;
}

/* The card whose packets go in this order. */
static unsigned source_side(const plan_t *plan, order_t order)
{
	return (unsigned)(plan->link.ascending == 1) ^ (order == DESCENDING);
}

/* In a split dimension TS-DOR takes the port that the source's own card has. The others take that of the card where the
 * tie is met, or the positive one. */
static unsigned tie_direction(const plan_t *plan, unsigned card, unsigned d, order_t order)
{
	unsigned side = card % 2;

	if (!is_split(plan, d)) {
		return !((plan->ties == XT_TIES_BY_COORDINATE && xt_topology_coordinate(plan->topology, card, d) % 2) ||
			 (plan->ties == XT_TIES_BY_SOURCE && source_side(plan, order) == 1));
	}
	if (plan->algorithm == XT_ALGORITHM_TS_DOR) {
		side = source_side(plan, order);
	} else if (plan->ties == XT_TIES_POSITIVE) {
		return 1;
	}
	return xt_topology_dimension_port(plan->topology, side, d, 1) >= 0;
}

/* VC of the internal link for the port of dimension `d`, whose ring would have `ring_vc`. */
static unsigned vc_to_dimension(const plan_t *plan, unsigned d, unsigned ring_vc)
{
	unsigned per_ring = xt_internal_link_ring_vcs(plan->algorithm);

	return is_split(plan, d) ? plan->link.groups + plan->link.place[d] * per_ring + (per_ring == 2 ? ring_vc : 0)
				 : plan->link.place[d];
}

/* TS-DOR: the last VC of the split dimension's ring in the direction of this crossing. */
static unsigned last_ring_vc(const plan_t *plan, unsigned card)
{
	bool to_card_1 = card % 2 == 0;

	for (unsigned d = 0; d < plan->dimensions; d++) {
		if (is_split(plan, d)) {
			/* Where card 0 has the positive port, packets in the positive direction cross to card 0. */
			to_card_1 ^= xt_topology_dimension_port(plan->topology, 0, d, 1) >= 0;
		}
	}
	return to_card_1 ? UPPER : LOWER;
}

/* VC of the internal link; `ring_vc` is that of the next dimension, `d`, unless that is the PE. */
static unsigned internal_vc(
	const plan_t *plan, unsigned card, reason_t reason, unsigned d, unsigned ring_vc, order_t order)
{
	unsigned vc;

	if (plan->algorithm != XT_ALGORITHM_TS_DOR) {
		return reason == OTHER_PE ? xt_internal_link_vcs(&plan->link, plan->algorithm) - 1
					  : vc_to_dimension(plan, d, ring_vc);
	}
	if (reason == SPLIT_DIMENSION) {
		return ring_vc;
	}
	vc = last_ring_vc(plan, card);
	/* Back to the card on which the order begins: only after an adaptive hop, see xt_route. */
	if (reason == OTHER_DIMENSION && card % 2 != source_side(plan, order)) {
		vc = vc == UPPER ? LOWER : UPPER;
	}
	return vc;
}

static xt_route_t across(
	const plan_t *plan, unsigned card, reason_t reason, unsigned d, unsigned ring_vc, order_t order)
{
	return (xt_route_t){
		.valid = 1,
		.port = (uint8_t)plan->internal,
		.vc = (uint8_t)internal_vc(plan, card, reason, d, ring_vc, order),
	};
}

/* VC in a ring of k. A packet changes the VC behind the last card of its direction. No packet to a place of the farther
 * half comes from behind that card, so each such place has either VC for all of the way: those of the third quarter
 * have the VC of packets that will change. So both VCs of DOR and TS-DOR carry alike. Short rings have no need of that,
 * and a repair of their routes finds more VCs free. */
enum { BALANCED = 6 };
static uint8_t ring_vc_of(const plan_t *plan, unsigned from, unsigned to, unsigned k, unsigned way)
{
	const unsigned here = way ? from : k - 1 - from, there = way ? to : k - 1 - to;
	const bool is_balanced = k >= BALANCED && !plan->classic_dateline &&
				 (plan->algorithm == XT_ALGORITHM_DOR || plan->algorithm == XT_ALGORITHM_TS_DOR);
	const bool will_change = there < here || (is_balanced && there >= k / 2 && 4 * there < 3 * k);

	if (plan->algorithm == XT_ALGORITHM_BUBBLE) {
		return UPPER;
	}
	/* A row closes no ring, so that any VC will do; that of the destination's coordinate keeps packets to different
	 * places apart. */
	if (plan->mesh_vcs) {
		return (uint8_t)(to % plan->mesh_vcs);
	}
	return will_change == (way != 0) ? LOWER : UPPER;
}

/* The route on `card` when dimension `d` goes from coordinate `from` to `to`. */
static xt_route_t towards(const plan_t *plan, unsigned card, unsigned d, unsigned from, unsigned to, order_t order)
{
	unsigned way = direction(plan, from, to, plan->radix[d], tie_direction(plan, card, d, order));
	int port = xt_topology_dimension_port(plan->topology, card, d, way);
	uint8_t ring_vc = ring_vc_of(plan, from, to, plan->radix[d], way);

	if (port >= 0) {
		return (xt_route_t){.valid = 1, .port = (uint8_t)port, .vc = ring_vc};
	}
	return across(plan, card, is_split(plan, d) ? SPLIT_DIMENSION : OTHER_DIMENSION, d, ring_vc, order);
}

/* Ports of `card` on a minimal way of dimension `d` from `from` to `to`, a bit each. */
static unsigned minimal_ports(const plan_t *plan, unsigned card, unsigned d, unsigned from, unsigned to)
{
	unsigned ports = 0;

	for (unsigned on_tie = 0; on_tie < 2; on_tie++) {
		int port = xt_topology_dimension_port(
			plan->topology, card, d, direction(plan, from, to, plan->radix[d], on_tie));

		ports |= port >= 0 ? 1u << port : 0;
	}
	return ports;
}

/* Of dimension `d`: with free crossings also the internal link, if it leads to some of them. */
static unsigned candidates_of(const plan_t *plan, unsigned card, unsigned d, unsigned from, unsigned to)
{
	unsigned candidates = minimal_ports(plan, card, d, from, to);

	if (plan->free_crossings && minimal_ports(plan, card ^ 1, d, from, to)) {
		candidates |= 1u << plan->internal;
	}
	return candidates;
}

/* The first dimension of [low, high) in which the card's coordinates `own` and the digits of `index` (mixed
 * radix, dimension `low` fastest) differ, in the given order; the route there, or valid = 0. The
 * candidates are those of all of these dimensions. */
static xt_route_t first_difference(const plan_t *plan, unsigned card, const unsigned *own, unsigned low, unsigned high,
	unsigned index, order_t order)
{
	unsigned candidates = 0, first = high, first_to = 0;
	xt_route_t route;

	if (plan->twisted) {
		return xt_twisted_route(plan->topology, card, low, high, index, plan->algorithm != XT_ALGORITHM_BUBBLE);
	}
	for (unsigned d = low; d < high; d++) {
		const unsigned to = index % plan->radix[d];

		index /= plan->radix[d];
		if (own[d] == to) {
			continue;
		}
		if (plan->adaptive_tcs) {
			candidates |= candidates_of(plan, card, d, own[d], to);
		}
		if (first == high || order == DESCENDING) {
			first = d;
			first_to = to;
		}
	}
	if (first == high) {
		return (xt_route_t){0};
	}
	route = towards(plan, card, first, own[first], first_to, order);
	route.adaptive_mask = (uint8_t)candidates;
	return route;
}

/* Route by the local part of an address; its lowest digits are unit and side. No route to a unit that
 * does not exist. */
static xt_route_t local_route(const plan_t *plan, unsigned card, const unsigned *own, unsigned local, order_t order)
{
	unsigned unit = local & ((1u << plan->unit_bits) - 1), place = local >> plan->unit_bits;
	unsigned side = place % plan->sides;
	xt_route_t route = first_difference(plan, card, own, 0, plan->local_dimensions, place / plan->sides, order);

	if (unit >= plan->units) {
		return (xt_route_t){0};
	}
	if (route.valid) {
		return route;
	}
	if (side != card % plan->sides) {
		return across(plan, card, OTHER_PE, 0, 0, order);
	}
	return (xt_route_t){.valid = 1, .port = (uint8_t)(plan->nic + unit)};
}

/* The internal link is a candidate where it is the deterministic port. */
static xt_route_t with_candidates(const plan_t *plan, unsigned tc, xt_route_t route)
{
	if (!(plan->adaptive_tcs >> tc & 1)) {
		route.adaptive_mask = 0;
	} else if (route.valid && route.port == plan->internal) {
		route.adaptive_mask |= (uint8_t)(1u << plan->internal);
	}
	return route;
}

/* Fills one TC of a card's tables. Ascending is local first, since dimension 0 is in the low bits, and
 * side and unit are left to the end by leaving them out of the match; descending is global first. */
static void fill_tc(const plan_t *plan, xt_image_t *image, unsigned card, unsigned tc, order_t order)
{
	const xt_profile_t *profile = xt_image_profile(image);
	uint32_t all = (uint32_t)((1ull << profile->id_bits) - 1);
	uint64_t *grt = xt_image_grt_mutable(image, card), *lrt = xt_image_lrt_mutable(image, card);
	uint32_t orders = xt_image_route_order(image, card);
	unsigned own[XT_MAX_DIMENSIONS]; /* the card's coordinates */

	for (unsigned d = 0; d < plan->dimensions; d++) {
		own[d] = xt_topology_coordinate(plan->topology, card, d);
	}
	for (unsigned i = 0; i < plan->local_cards << plan->unit_bits; i++) {
		xt_route_t route = local_route(plan, card, own, i, order);

		lrt[i] = xt_entry_with_route(lrt[i], tc, with_candidates(plan, tc, route));
	}
	for (unsigned i = 0; i < plan->global_size; i++) {
		xt_route_t route =
			first_difference(plan, card, own, plan->local_dimensions, plan->dimensions, i, order);

		grt[i] = xt_entry_with_route(grt[i], tc, with_candidates(plan, tc, route));
	}
	xt_image_set_route_order(image, card, order == ASCENDING ? orders | 1u << tc : orders & ~(1u << tc));
	xt_image_set_match_mask(image, card, tc, all & ~((plan->sides << plan->unit_bits) - 1));
}

/* VC `vc` of output `port` is part of a ring that comes from VC `from_vc` of input `from`. */
static void set_ring(xt_image_t *image, unsigned card, int port, unsigned vc, int from, unsigned from_vc)
{
	xt_ring_t ring = xt_ring_unpack(xt_image_ring(image, card, (unsigned)port));

	if (vc == 0 || !xt_image_profile(image)->vc_rings) {
		ring.from = (unsigned)from;
	} else {
		xt_image_set_vc_ring_from(image, card, (unsigned)port,
			xt_ring_from_with(xt_image_vc_ring_from(image, card, (unsigned)port), vc, (unsigned)from));
	}
	ring.vcs |= 1u << vc;
	ring.from_vcs |= 1u << from_vc;
	xt_image_set_ring(image, card, (unsigned)port, xt_ring_pack(ring));
}

/* The rings of bubble flow control that leave `card` by dimension `d` in one direction, and through the
 * internal link in the split dimension, whose next port is on the other card. */
static void set_rings(const plan_t *plan, xt_image_t *image, unsigned card, unsigned d, unsigned way)
{
	const unsigned crossing = vc_to_dimension(plan, d, 0);
	int out = xt_topology_dimension_port(plan->topology, card, d, way);
	int in = xt_topology_dimension_port(plan->topology, card, d, !way);

	if (xt_topology_peer(plan->topology, card,
		    (unsigned)(out >= 0  ? out
			       : in >= 0 ? in
					 : plan->internal))
			.card == XT_NO_CARD) {
		return;
	}
	if (out >= 0) {
		set_ring(image, card, out, UPPER, in >= 0 ? in : plan->internal, in >= 0 ? UPPER : crossing);
	} else if (in >= 0) {
		set_ring(image, card, plan->internal, crossing, in, UPPER);
	}
}

static void make_plan(
	const xt_topology_t *topology, const xt_route_options_t *options, const xt_image_t *image, plan_t *plan)
{
	const xt_profile_t *profile = xt_topology_profile(topology);
	uint32_t last = xt_image_last_address(image);

	memset(plan, 0, sizeof(*plan));
	plan->topology = topology;
	plan->algorithm = options->algorithm;
	plan->twisted = xt_topology_is_twisted(topology);
	plan->dimensions = xt_topology_dimensions(topology);
	plan->sides = xt_topology_cards_per_node(topology);
	if (plan->sides == 2) {
		plan->link = xt_internal_link_of(topology);
	}
	plan->internal = xt_topology_internal_port(topology);
	plan->nic = profile->link_ports;
	plan->units = profile->nic_ports;
	plan->unit_bits = xt_profile_unit_bits(profile);
	plan->ties = options->ties;
	plan->classic_dateline = options->classic_dateline;
	plan->free_crossings = options->free_crossings;
	for (unsigned tc = 0; xt_topology_kind(topology) == XT_TOPOLOGY_MESH && tc < profile->tcs; tc++) {
		unsigned vcs = xt_profile_deterministic_vcs(profile, tc);

		plan->mesh_vcs = tc && plan->mesh_vcs < vcs ? plan->mesh_vcs : vcs;
	}
	plan->adaptive_tcs = options->adaptive ? xt_profile_adaptive_tcs(profile) : 0;
	for (unsigned d = 0; d < plan->dimensions; d++) {
		plan->radix[d] = xt_topology_radix(topology, d);
	}
	/* The last PE's address shows how xt_image_create has cut the digits. */
	plan->local_cards = ((last & ((1u << profile->lrt_bits) - 1)) >> plan->unit_bits) + 1;
	plan->global_size = xt_image_cards(image) / plan->local_cards;
	for (unsigned cards = plan->sides; plan->local_dimensions < plan->dimensions; plan->local_dimensions++) {
		cards *= plan->radix[plan->local_dimensions];
		if (cards > plan->local_cards) {
			break;
		}
	}
}

/* Order of a TC on a card; false if the TC is not used. TS-DOR: even TCs are for card 0 of each node. */
static bool order_of(const plan_t *plan, const xt_route_options_t *options, unsigned card, unsigned tc, order_t *order)
{
	*order = ASCENDING;
	if (options->algorithm != XT_ALGORITHM_TS_DOR) {
		return true;
	}
	*order = (options->single_tc ? card : tc) % 2 == source_side(plan, ASCENDING) ? ASCENDING : DESCENDING;
	return !options->single_tc || tc == 0;
}

/* Bit per TC that packets from the PEs of a card may use. */
static unsigned tc_mask_of(const xt_route_options_t *options, unsigned card, unsigned tcs)
{
	unsigned all = (1u << tcs) - 1;

	if (options->algorithm != XT_ALGORITHM_TS_DOR) {
		return all;
	}
	if (options->single_tc) {
		return 1;
	}
	return (card % 2 == 0 ? 0x5555u : 0xaaaau) & all;
}

static void fill_card(const plan_t *plan, const xt_route_options_t *options, xt_image_t *image, unsigned card)
{
	order_t order;

	for (unsigned tc = 0; tc < xt_image_profile(image)->tcs; tc++) {
		if (order_of(plan, options, card, tc, &order)) {
			fill_tc(plan, image, card, tc, order);
		}
	}
	for (unsigned d = 0; options->algorithm == XT_ALGORITHM_BUBBLE && d < plan->dimensions; d++) {
		set_rings(plan, image, card, d, 0);
		set_rings(plan, image, card, d, 1);
	}
}

/* A way of a twisted torus cannot be found from a part of the destination's coordinates. */
static int check_parts(const plan_t *plan, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(plan->topology);

	if (plan->twisted && plan->local_dimensions < xt_twisted_coupled(plan->topology)) {
		const xt_profile_t *other;
		unsigned entries = 1u << xt_profile_unit_bits(p);

		for (unsigned d = 0; d < xt_twisted_coupled(plan->topology); d++) {
			entries *= xt_topology_radix(plan->topology, d);
		}
		other = xt_profile_with_entries(p, entries, plan->algorithm == XT_ALGORITHM_BUBBLE ? 1 : 2);
		if (other && plan->adaptive_tcs && !xt_profile_adaptive_tcs(other)) {
			other = NULL;
		}
		return xt_fail(diag, XT_ERR_RANGE,
			"topology %s: the twist couples the first %u dimensions, which do not fit the %u LRT entries "
			"of profile %s together; lower the radices%s%s",
			xt_topology_spec(plan->topology), xt_twisted_coupled(plan->topology), 1u << p->lrt_bits,
			p->name, other ? ", or use --profile " : ": no profile for it has as many",
			other ? other->name : "");
	}
	return XT_OK;
}

static void fill_image(const plan_t *plan, const xt_route_options_t *options, xt_image_t *image)
{
	unsigned tcs = xt_image_profile(image)->tcs;

	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		fill_card(plan, options, image, card);
	}
	for (unsigned pe = 0; pe < xt_image_pes(image); pe++) {
		xt_image_set_pe_tc_mask(image, pe, tc_mask_of(options, xt_image_pe_card(image, pe), tcs));
	}
}

int xt_route_dimension_order(
	const xt_topology_t *topology, const xt_route_options_t *options, xt_image_t *image, xt_diag_t *diag)
{
	plan_t plan;
	int status;

	make_plan(topology, options, image, &plan);
	if ((status = check_parts(&plan, diag)) == XT_OK) {
		fill_image(&plan, options, image);
	}
	return status;
}
