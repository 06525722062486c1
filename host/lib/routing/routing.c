/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses what an algorithm cannot route, and has the algorithm fill the image. */
#include "extorus/routing.h"
#include "base/options_take.h"

#include <stdio.h>
#include <string.h>

#include "destro.h"
#include "dimension_order.h"
#include "extorus/profiles.h"
#include "group_tables.h"
#include "internal_link.h"
#include "profile_choice.h"
#include "topology/tree_shape.h"
#include "tree_tables.h"
#include "twisted.h"

static bool is_for_graphs(xt_algorithm_t algorithm)
{
	return algorithm == XT_ALGORITHM_UPDOWN || algorithm == XT_ALGORITHM_LAYERED;
}

/* A torus, twisted torus or twin torus by the rule; for dor a mesh as well. */
static bool has_order(const xt_topology_t *topology, xt_algorithm_t algorithm)
{
	xt_topology_kind_t kind = xt_topology_kind(topology);

	return xt_topology_is_regular(topology) &&
	       (kind == XT_TOPOLOGY_TORUS || kind == XT_TOPOLOGY_TWIN || xt_topology_is_twisted(topology) ||
		       (kind == XT_TOPOLOGY_MESH && algorithm == XT_ALGORITHM_DOR));
}

/* Whether two ways round a ring can be as long, and the options say which is taken. */
static bool has_rings_with_ties(const xt_topology_t *topology, xt_algorithm_t algorithm)
{
	return !is_for_graphs(algorithm) && !xt_topology_is_twisted(topology) && algorithm != XT_ALGORITHM_DESTRO &&
	       xt_topology_kind(topology) != XT_TOPOLOGY_MESH;
}

/* Whether the options say which VC of a ring packets take. */
static bool has_dateline(const xt_topology_t *topology, xt_algorithm_t algorithm)
{
	return (algorithm == XT_ALGORITHM_DOR || algorithm == XT_ALGORITHM_TS_DOR) &&
	       has_rings_with_ties(topology, algorithm);
}

static int check_destro(const xt_topology_t *topology, const xt_route_options_t *options, xt_diag_t *diag)
{
	if (!xt_topology_tree(topology)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"destro routes a tree without failures, not %.80s; use layered or updown",
			xt_topology_spec(topology));
	}
	if (options->adaptive || options->single_tc || options->ties != XT_TIES_DEFAULT || options->classic_dateline) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"destro has one way for each packet; leave out --adaptive, --single-tc, --ties and "
			"--classic-dateline");
	}
	return xt_routing_check_profile(topology, options, diag);
}

static int check_algorithm(const xt_topology_t *topology, const xt_route_options_t *options, xt_diag_t *diag)
{
	bool twin = xt_topology_kind(topology) == XT_TOPOLOGY_TWIN;
	const char *name = xt_algorithm_name(options->algorithm);

	if (options->up_after_down && options->algorithm != XT_ALGORITHM_UPDOWN) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "a turn up after down is a fault of updown, not of %s", name);
	}
	if (xt_topology_directed(topology) && options->algorithm != XT_ALGORITHM_LAYERED) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"%s needs links that go both ways, those of %.80s are one-way; use layered", name,
			xt_topology_spec(topology));
	}
	if (options->algorithm == XT_ALGORITHM_DESTRO) {
		return check_destro(topology, options, diag);
	}
	if (!is_for_graphs(options->algorithm) && !has_order(topology, options->algorithm)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"%s routes %s without failures, not %.80s; use layered or updown", name,
			options->algorithm == XT_ALGORITHM_DOR      ? "a torus, a twisted torus or a mesh"
			: options->algorithm == XT_ALGORITHM_BUBBLE ? "a torus, a twisted torus or a twin torus"
								    : "a twin torus",
			xt_topology_spec(topology));
	}
	if (options->algorithm == XT_ALGORITHM_DOR && twin) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"dor does not route a twin torus (%s); use ts-dor, dort or bubble", xt_topology_spec(topology));
	}
	if ((options->algorithm == XT_ALGORITHM_TS_DOR || options->algorithm == XT_ALGORITHM_DORT) && !twin) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "%s routes a twin torus, not %s; use dor or bubble", name,
			xt_topology_spec(topology));
	}
	if (options->algorithm == XT_ALGORITHM_TS_DOR && xt_internal_link_of(topology).ascending < 0) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"ts-dor needs the lower dimensions on one card and the upper ones on the other, at most one "
			"between them split, which %.80s has not: packets could wait for each other on the internal "
			"link; use dort, bubble or layered",
			xt_topology_spec(topology));
	}
	if (options->single_tc && options->algorithm != XT_ALGORITHM_TS_DOR) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"a single TC for both sources is a variant of ts-dor, not of %s", name);
	}
	if (options->ties == XT_TIES_BY_SOURCE && options->algorithm != XT_ALGORITHM_TS_DOR) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"ties go by the source in ts-dor only, which knows the source, not in %s; take coordinate",
			name);
	}
	if (options->ties != XT_TIES_DEFAULT && !has_rings_with_ties(topology, options->algorithm)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"%s on %s has a rule of its own where two ways are as long; leave out the ties", name,
			xt_topology_spec(topology));
	}
	if (options->classic_dateline && !has_dateline(topology, options->algorithm)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"a classic dateline is that of the rings of dor and ts-dor, %s on %s has none; leave it out",
			name, xt_topology_spec(topology));
	}
	if (options->free_crossings && (!options->adaptive || options->algorithm != XT_ALGORITHM_DORT)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"free crossings are candidates of dort with --adaptive, not of %s%s", name,
			options->adaptive ? "" : " without it");
	}
	if (options->adaptive && options->single_tc) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"adaptive routing needs an escape that cannot deadlock, which a single TC is not");
	}
	return xt_routing_check_profile(topology, options, diag);
}

static xt_ties_t default_ties(const xt_route_options_t *options)
{
	/* Ties that go one way close more rings. DORT folded shows how few VCs do where ties avoid the internal link.
	 */
	bool closes_rings = options->single_tc || (options->fold_vcs && options->algorithm != XT_ALGORITHM_DORT);

	return closes_rings                                ? XT_TIES_POSITIVE
	       : options->algorithm == XT_ALGORITHM_TS_DOR ? XT_TIES_BY_SOURCE
							   : XT_TIES_BY_COORDINATE;
}

/* Whether it matters for the image which way ties go. */
static bool can_have_ties(const xt_topology_t *topology, const xt_route_options_t *options)
{
	bool split_too = options->algorithm != XT_ALGORITHM_TS_DOR && options->ties == XT_TIES_POSITIVE, found = false;

	if (!has_rings_with_ties(topology, options->algorithm)) {
		return false;
	}
	for (unsigned d = 0; d < xt_topology_dimensions(topology); d++) {
		bool whole = (xt_topology_dimension_port(topology, 0, d, 0) < 0) ==
			     (xt_topology_dimension_port(topology, 0, d, 1) < 0);

		found |= (whole || split_too) && xt_topology_radix(topology, d) % 2 == 0;
	}
	return found;
}

static unsigned fold_mask(unsigned mask, unsigned vcs)
{
	unsigned folded = 0;

	for (unsigned vc = 0; mask >> vc; vc++) {
		folded |= (mask >> vc & 1) << vc % vcs;
	}
	return folded;
}

/* Where the rings of an output's VCs come from. Of rings that share a VC the first one is kept. */
static void fold_vc_rings(xt_image_t *image, unsigned card, unsigned port, unsigned vcs)
{
	const uint32_t word = xt_image_ring(image, card, port), from = xt_image_vc_ring_from(image, card, port);
	xt_ring_t ring = xt_ring_unpack(word);
	uint32_t folded = 0;

	for (unsigned vc = XT_MAX_RTL_VCS_PER_TC; vc-- > 0;) {
		if (!(ring.vcs >> vc & 1)) {
			continue;
		}
		if (vc % vcs == 0) {
			ring.from = xt_ring_from(word, from, vc);
		} else {
			folded = xt_ring_from_with(folded, vc % vcs, xt_ring_from(word, from, vc));
		}
	}
	xt_image_set_ring(image, card, port, xt_ring_pack(ring));
	xt_image_set_vc_ring_from(image, card, port, folded);
}

static void fold_rings(xt_image_t *image, unsigned card, unsigned vcs)
{
	for (unsigned port = 0; port < xt_image_profile(image)->link_ports; port++) {
		xt_ring_t ring;

		if (xt_image_profile(image)->vc_rings) {
			fold_vc_rings(image, card, port, vcs);
		}
		ring = xt_ring_unpack(xt_image_ring(image, card, port));
		ring.vcs = fold_mask(ring.vcs, vcs);
		ring.from_vcs = fold_mask(ring.from_vcs, vcs);
		xt_image_set_ring(image, card, port, xt_ring_pack(ring));
	}
}

/* For trying out the checks: VC v becomes v modulo `vcs`. */
static void fold(xt_image_t *image, unsigned vcs)
{
	const xt_profile_t *p = xt_image_profile(image);
	unsigned grt = 1u << p->grt_bits, lrt = 1u << p->lrt_bits;

	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		fold_rings(image, card, vcs);
		for (unsigned i = 0; i < grt + lrt; i++) {
			uint64_t *entry = i < grt ? &xt_image_grt_mutable(image, card)[i]
						  : &xt_image_lrt_mutable(image, card)[i - grt];

			for (unsigned tc = 0; tc < p->tcs; tc++) {
				xt_route_t route = xt_entry_route(*entry, tc);

				route.vc = (uint8_t)(route.vc % vcs);
				*entry = xt_entry_with_route(*entry, tc, route);
			}
		}
	}
}

/* With an LRT entry for each PE where the LRT has as many, otherwise in groups. */
static int route_graph(const xt_topology_t *topology, const xt_route_options_t *options, const char *name,
	xt_image_t **out, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	char in_groups[64];
	size_t word = strlen(xt_algorithm_name(options->algorithm));
	int status = xt_image_create(topology, name, out, diag);

	if (status == XT_OK && xt_image_last_address(*out) >> p->lrt_bits == 0) {
		return xt_route_by_trees(topology, options, *out, diag);
	}
	if (status == XT_OK || status == XT_ERR_RANGE) {
		xt_image_free(*out);
		snprintf(in_groups, sizeof(in_groups), "%.*s-in-groups%.30s", (int)word, name, name + word);
		status = xt_route_in_groups(topology, options, in_groups, NULL, out, diag);
	}
	return status;
}

int xt_route(const xt_topology_t *topology, const xt_route_options_t *given, xt_image_t **out, xt_diag_t *diag)
{
	char name[128];
	bool has_ties, has_classic;
	xt_image_t *image;
	xt_route_options_t taken, *options = &taken;
	int status = xt_options_take(given, options, sizeof(*options), "route", diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	if ((status = check_algorithm(topology, options, diag)) != XT_OK) {
		return status;
	}
	if (options->ties == XT_TIES_DEFAULT) {
		options->ties = default_ties(options);
	}
	has_ties = can_have_ties(topology, options);
	has_classic = options->classic_dateline;
	snprintf(name, sizeof(name), "%s%s%s%s%s%s%s%s%s", xt_algorithm_name(options->algorithm),
		options->single_tc       ? "-single-tc"
		: options->up_after_down ? "-up-after-down"
					 : "",
		has_ties ? "-" : "", has_ties ? xt_ties_name(options->ties) : "", has_ties ? "-ties" : "",
		has_classic ? "-classic-dateline" : "", options->adaptive ? "-adaptive" : "",
		options->free_crossings ? "-free-crossings" : "", options->fold_vcs ? "-folded" : "");
	if (is_for_graphs(options->algorithm)) {
		status = route_graph(topology, options, name, &image, diag);
	} else if ((status = xt_image_create(topology, name, &image, diag)) == XT_OK) {
		status = options->algorithm == XT_ALGORITHM_DESTRO
				 ? xt_route_destro(topology, image, diag)
				 : xt_route_dimension_order(topology, options, image, diag);
	}
	if (status != XT_OK) {
		xt_image_free(image);
		return status;
	}
	if (options->fold_vcs) {
		fold(image, options->fold_vcs);
	}
	*out = image;
	return XT_OK;
}
