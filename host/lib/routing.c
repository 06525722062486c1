/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/routing.h"

#include <stdlib.h>
#include <string.h>

#include "profiles.h"

enum { UPPER = 0, LOWER = 1 };

/* Order in which dimensions are made right. */
typedef enum {
	ASCENDING,
	DESCENDING,
} order_t;

static const char *const algorithm_names[] = {
	[XT_ALGORITHM_DOR] = "dor",
	[XT_ALGORITHM_TS_DOR] = "ts-dor",
};

int xt_algorithm_parse(const char *name, xt_algorithm_t *out, xt_diag_t *diag)
{
	for (unsigned i = 0; i < sizeof(algorithm_names) / sizeof(algorithm_names[0]); i++) {
		if (strcmp(name, algorithm_names[i]) == 0) {
			*out = (xt_algorithm_t)i;
			return XT_OK;
		}
	}
	return xt_fail(diag, XT_ERR_INVALID, "algorithm \"%.40s\": unknown; use dor (torus) or ts-dor (twin)", name);
}

const char *xt_algorithm_name(xt_algorithm_t algorithm)
{
	return algorithm_names[algorithm];
}

/* What is known while the tables of one image are filled. */
typedef struct {
	const xt_topology_t *topology;
	unsigned dimensions, sides;
	int split;    /* split dimension or -1 */
	int internal; /* internal port or -1 */
	unsigned nic;
	unsigned radix[XT_MAX_DIMENSIONS];
	unsigned local_dimensions, local_size, global_size;
} plan_t;

/* Direction of a minimal way from `from` to `to` around a ring of k: 1 = next, 0 = previous. */
static unsigned direction(unsigned from, unsigned to, unsigned k, unsigned on_tie)
{
	unsigned forward = (to + k - from) % k;

	if (2 * forward == k) {
		return on_tie;
	}
	return 2 * forward < k;
}

/* The route on `card` when dimension `d` goes from coordinate `from` to `to`. A tie goes to the
 * positive port, in the split dimension to the port that the source's own card has. */
static xt_route_t towards(const plan_t *plan, unsigned card, unsigned d, unsigned from, unsigned to, order_t order)
{
	unsigned on_tie = (int)d == plan->split ? order == DESCENDING : 1;
	int port = xt_topology_dimension_port(plan->topology, card, d, direction(from, to, plan->radix[d], on_tie));
	uint8_t ring_vc = to > from ? UPPER : LOWER;

	if (port >= 0) {
		return (xt_route_t){.valid = 1, .port = (uint8_t)port, .vc = ring_vc};
	}
	return (xt_route_t){
		.valid = 1,
		.port = (uint8_t)plan->internal,
		.vc = (int)d == plan->split ? ring_vc
		      : card % 2 == 0       ? UPPER
					    : LOWER,
	};
}

/* The first dimension of [low, high) in which the card's coordinates and the digits of `index` (mixed
 * radix, dimension `low` fastest) differ, in the given order; the route there, or valid = 0. */
static xt_route_t first_difference(
	const plan_t *plan, unsigned card, unsigned low, unsigned high, unsigned index, order_t order)
{
	xt_route_t route = {0};

	for (unsigned d = low; d < high; d++) {
		unsigned from = xt_topology_coordinate(plan->topology, card, d), to = index % plan->radix[d];

		index /= plan->radix[d];
		if (from != to) {
			route = towards(plan, card, d, from, to, order);
			if (order == ASCENDING) {
				break;
			}
		}
	}
	return route;
}

/* Route by the local part of an address; its lowest digit is the side. */
static xt_route_t local_route(const plan_t *plan, unsigned card, unsigned local, order_t order)
{
	unsigned side = local % plan->sides;
	xt_route_t route = first_difference(plan, card, 0, plan->local_dimensions, local / plan->sides, order);

	if (route.valid) {
		return route;
	}
	if (side != card % plan->sides) {
		return (xt_route_t){.valid = 1, .port = (uint8_t)plan->internal, .vc = side == 1 ? UPPER : LOWER};
	}
	return (xt_route_t){.valid = 1, .port = (uint8_t)plan->nic};
}

/* Fills one TC of a card's tables. Ascending is local first, since dimension 0 is in the low bits, and
 * the side is left to the end by leaving it out of the match; descending is global first. */
static void fill_tc(const plan_t *plan, xt_image_t *image, unsigned card, unsigned tc, order_t order)
{
	const xt_profile_t *profile = xt_image_profile(image);
	uint32_t all = (uint32_t)((1ull << profile->id_bits) - 1);
	uint64_t *grt = xt_image_grt_mutable(image, card), *lrt = xt_image_lrt_mutable(image, card);
	uint32_t orders = xt_image_route_order(image, card);

	for (unsigned i = 0; i < plan->local_size; i++) {
		lrt[i] = xt_entry_with_route(lrt[i], tc, local_route(plan, card, i, order));
	}
	for (unsigned i = 0; i < plan->global_size; i++) {
		grt[i] = xt_entry_with_route(
			grt[i], tc, first_difference(plan, card, plan->local_dimensions, plan->dimensions, i, order));
	}
	xt_image_set_route_order(image, card, order == ASCENDING ? orders | 1u << tc : orders & ~(1u << tc));
	xt_image_set_match_mask(image, card, tc, plan->sides == 2 ? all & ~1u : all);
}

static void make_plan(const xt_topology_t *topology, const xt_image_t *image, plan_t *plan)
{
	const xt_profile_t *profile = xt_topology_profile(topology);
	unsigned local_size;

	memset(plan, 0, sizeof(*plan));
	plan->topology = topology;
	plan->dimensions = xt_topology_dimensions(topology);
	plan->sides = xt_topology_cards_per_node(topology);
	plan->split = xt_topology_split_dimension(topology);
	plan->internal = xt_topology_internal_port(topology);
	plan->nic = profile->link_ports;
	for (unsigned d = 0; d < plan->dimensions; d++) {
		plan->radix[d] = xt_topology_radix(topology, d);
	}
	/* The last PE's address shows how xt_image_create has cut the digits. */
	local_size = (xt_image_pe_address(image, xt_image_pes(image) - 1) & ((1u << profile->lrt_bits) - 1)) + 1;
	plan->global_size = xt_image_pes(image) / local_size;
	plan->local_size = plan->sides;
	while (plan->local_dimensions < plan->dimensions &&
		plan->local_size * plan->radix[plan->local_dimensions] <= local_size) {
		plan->local_size *= plan->radix[plan->local_dimensions++];
	}
}

static int check_tcs(const xt_topology_t *topology, const xt_route_options_t *options, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	unsigned tcs = options->single_tc ? 1 : p->tcs;

	if (options->algorithm == XT_ALGORITHM_TS_DOR && tcs < 2 && !options->single_tc) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"ts-dor needs two TCs, one for each PE of a node; profile %s has %u: use another profile",
			p->name, p->tcs);
	}
	for (unsigned tc = 0; tc < tcs; tc++) {
		if (xt_profile_deterministic_vcs(p, tc) < 2) {
			return xt_fail(diag, XT_ERR_UNSUPPORTED,
				"%s needs two deterministic VCs in each TC; TC %u of profile %s has %u: use another "
				"profile",
				xt_algorithm_name(options->algorithm), tc, p->name,
				xt_profile_deterministic_vcs(p, tc));
		}
	}
	return XT_OK;
}

static int check_algorithm(const xt_topology_t *topology, const xt_route_options_t *options, xt_diag_t *diag)
{
	bool twin = xt_topology_kind(topology) == XT_TOPOLOGY_TWIN;

	if (options->algorithm == XT_ALGORITHM_DOR && twin) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "dor does not route a twin torus (%s); use ts-dor",
			xt_topology_spec(topology));
	}
	if (options->algorithm == XT_ALGORITHM_TS_DOR && !twin) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "ts-dor routes a twin torus, not %s; use dor",
			xt_topology_spec(topology));
	}
	if (options->single_tc && options->algorithm != XT_ALGORITHM_TS_DOR) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"a single TC for both sources is a variant of ts-dor, not of %s",
			xt_algorithm_name(options->algorithm));
	}
	return check_tcs(topology, options, diag);
}

/* Order of a TC on a card; false if the TC is not used. */
static bool order_of(const xt_route_options_t *options, unsigned card, unsigned tc, order_t *order)
{
	*order = ASCENDING;
	if (options->algorithm == XT_ALGORITHM_DOR) {
		return true;
	}
	*order = (options->single_tc ? card : tc) % 2 == 0 ? ASCENDING : DESCENDING;
	return !options->single_tc || tc == 0;
}

/* Bit per TC that packets of a PE may use. */
static unsigned tc_mask_of(const xt_route_options_t *options, unsigned pe, unsigned tcs)
{
	unsigned all = (1u << tcs) - 1;

	if (options->algorithm == XT_ALGORITHM_DOR) {
		return all;
	}
	if (options->single_tc) {
		return 1;
	}
	return (pe % 2 == 0 ? 0x5555u : 0xaaaau) & all;
}

int xt_route(const xt_topology_t *topology, const xt_route_options_t *options, xt_image_t **out, xt_diag_t *diag)
{
	unsigned tcs = xt_topology_profile(topology)->tcs;
	const char *name = options->single_tc ? "ts-dor-single-tc" : xt_algorithm_name(options->algorithm);
	xt_image_t *image;
	plan_t plan;
	order_t order;
	int status;

	*out = NULL;
	if ((status = check_algorithm(topology, options, diag)) != XT_OK ||
		(status = xt_image_create(topology, name, &image, diag)) != XT_OK) {
		return status;
	}
	make_plan(topology, image, &plan);
	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		for (unsigned tc = 0; tc < tcs; tc++) {
			if (order_of(options, card, tc, &order)) {
				fill_tc(&plan, image, card, tc, order);
			}
		}
	}
	for (unsigned pe = 0; pe < xt_image_pes(image); pe++) {
		xt_image_set_pe_tc_mask(image, pe, tc_mask_of(options, pe, tcs));
	}
	*out = image;
	return XT_OK;
}
