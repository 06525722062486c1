/* SPDX-License-Identifier: Apache-2.0 */
#include "profile_choice.h"

#include "base/options_take.h"
#include "extorus/profiles.h"
#include "internal_link.h"
#include "topology/tree_shape.h"

/* Deterministic VCs that an algorithm needs in each of its TCs. */
static unsigned needed_vcs(xt_algorithm_t algorithm, const xt_topology_t *topology)
{
	unsigned in_rings = algorithm == XT_ALGORITHM_BUBBLE || algorithm == XT_ALGORITHM_UPDOWN ? 1 : 2;

	if (xt_topology_kind(topology) == XT_TOPOLOGY_MESH || algorithm == XT_ALGORITHM_DESTRO) {
		return 1;
	}
	if (algorithm == XT_ALGORITHM_LAYERED) {
		return xt_topology_directed(topology) ? 2 : 1;
	}
	if ((algorithm == XT_ALGORITHM_DORT || algorithm == XT_ALGORITHM_BUBBLE) &&
		xt_topology_kind(topology) == XT_TOPOLOGY_TWIN) {
		xt_internal_link_t link = xt_internal_link_of(topology);
		unsigned vcs = xt_internal_link_vcs(&link, algorithm);

		return vcs > in_rings ? vcs : in_rings;
	}
	return in_rings;
}

/* Folding makes them fewer; layered takes the VCs before they are folded. */
static unsigned folded_vcs(const xt_route_options_t *options, unsigned vcs)
{
	return options->fold_vcs && options->fold_vcs < vcs && options->algorithm != XT_ALGORITHM_LAYERED
		       ? options->fold_vcs
		       : vcs;
}

/* Each split dimension has rings over the internal link, which come from ports of their own. */
static bool needs_vc_rings(const xt_topology_t *topology, const xt_route_options_t *options)
{
	return options->algorithm == XT_ALGORITHM_BUBBLE && xt_topology_kind(topology) == XT_TOPOLOGY_TWIN &&
	       xt_internal_link_of(topology).splits > 1;
}

/* Whether a profile has what the routes need, but for ports. */
static bool has_needs(
	const xt_profile_t *p, const xt_topology_t *topology, const xt_route_options_t *options, unsigned vcs)
{
	return xt_profile_has_vcs(p, vcs) && (p->vc_rings || !needs_vc_rings(topology, options)) &&
	       p->bubble == (options->algorithm == XT_ALGORITHM_BUBBLE) &&
	       (!options->adaptive || xt_profile_adaptive_tcs(p)) &&
	       (p->tcs > 1 || options->algorithm != XT_ALGORITHM_TS_DOR || options->single_tc);
}

/* The ports that a topology's cards have links and PEs at. */
static void used_ports(const xt_topology_t *topology, unsigned *links, unsigned *nics)
{
	*links = 0;
	*nics = 1;
	for (unsigned card = 0; card < xt_topology_cards(topology); card++) {
		unsigned pes = xt_topology_card_pes(topology, card);

		*nics = pes > *nics ? pes : *nics;
		for (unsigned port = *links; port < xt_topology_profile(topology)->link_ports; port++) {
			*links = xt_topology_peer(topology, card, port).card == XT_NO_CARD ? *links : port + 1;
		}
	}
}

static const xt_profile_t *usual_profile(const xt_route_options_t *options)
{
	return xt_profile_find(options->adaptive ? xt_algorithm_adaptive_profile(options->algorithm)
						 : xt_algorithm_profile(options->algorithm));
}

/* The first profile that has what the routes need, or NULL. */
static const xt_profile_t *profile_for(const xt_topology_t *topology, const xt_route_options_t *options, unsigned vcs)
{
	const xt_profile_t *usual = usual_profile(options), *p = NULL;
	unsigned links, nics;

	used_ports(topology, &links, &nics);
	do {
		p = xt_profile_next(usual, p);
	} while (p && !(p->link_ports >= links && p->nic_ports >= nics && has_needs(p, topology, options, vcs)));
	return p;
}

/* Whether a profile has the ports of the topology and what an algorithm needs on it. */
static bool any_profile_routes(const xt_topology_t *topology, xt_algorithm_t algorithm)
{
	const xt_route_options_t options = {.algorithm = algorithm};

	return profile_for(topology, &options, needed_vcs(algorithm, topology)) != NULL;
}

xt_algorithm_t xt_algorithm_usual(const xt_topology_t *topology)
{
	const xt_topology_kind_t kind = xt_topology_kind(topology);

	if (xt_topology_tree(topology)) {
		return XT_ALGORITHM_DESTRO;
	}
	if (!xt_topology_is_regular(topology)) {
		return XT_ALGORITHM_LAYERED;
	}
	if (kind == XT_TOPOLOGY_TWIN) {
		return xt_internal_link_of(topology).ascending >= 0      ? XT_ALGORITHM_TS_DOR
		       : any_profile_routes(topology, XT_ALGORITHM_DORT) ? XT_ALGORITHM_DORT
									 : XT_ALGORITHM_LAYERED;
	}
	return kind == XT_TOPOLOGY_TORUS || kind == XT_TOPOLOGY_RTT || kind == XT_TOPOLOGY_PTT ||
			       kind == XT_TOPOLOGY_PDTT
		       ? XT_ALGORITHM_DOR
		       : XT_ALGORITHM_LAYERED;
}

int xt_routing_check_profile(const xt_topology_t *topology, const xt_route_options_t *options, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology), *other;
	unsigned tcs = options->single_tc ? 1 : p->tcs;
	unsigned vcs = folded_vcs(options, needed_vcs(options->algorithm, topology));
	const char *remedy, *name;

	if (tcs && has_needs(p, topology, options, vcs)) {
		return XT_OK;
	}
	other = profile_for(topology, options, vcs);
	remedy = other ? "use profile " : "no profile has that and all else that the routes need";
	name = other ? other->name : "";
	if (options->algorithm == XT_ALGORITHM_TS_DOR && tcs < 2 && !options->single_tc) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"ts-dor needs two TCs, one for each PE of a node; profile %s has %u: %s%s", p->name, p->tcs,
			remedy, name);
	}
	if (options->algorithm == XT_ALGORITHM_BUBBLE && !p->bubble) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"bubble needs bubble flow control, without it its rings can deadlock; profile %s has none: "
			"%s%s",
			p->name, remedy, name);
	}
	if (needs_vc_rings(topology, options) && !p->vc_rings) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"bubble needs a ring for each VC of an output (vc_rings) on %.80s, where rings of several "
			"dimensions share the internal link; profile %s has one for all VCs: %s%s",
			xt_topology_spec(topology), p->name, remedy, name);
	}
	if (options->adaptive && xt_profile_adaptive_tcs(p) == 0) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"adaptive routing needs a TC with an adaptive VC; profile %s has none: %s%s", p->name, remedy,
			name);
	}
	for (unsigned tc = 0; tc < tcs; tc++) {
		if (xt_profile_deterministic_vcs(p, tc) < vcs) {
			return xt_fail(diag, XT_ERR_UNSUPPORTED,
				"%s needs %u deterministic VCs in each TC; TC %u of profile %s has %u: %s%s",
				xt_algorithm_name(options->algorithm), vcs, tc, p->name,
				xt_profile_deterministic_vcs(p, tc),
				other ? "use another profile, for example "
				      : "no profile that fits otherwise has as many",
				name);
		}
	}
	return XT_OK;
}

/* With more PEs than LRT entries, ways to groups of cards and ways within a group have VCs of their own. */
static unsigned vcs_to_choose(const xt_topology_t *topology, const xt_route_options_t *options)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	const bool graph = options->algorithm == XT_ALGORITHM_LAYERED || options->algorithm == XT_ALGORITHM_UPDOWN;
	unsigned vcs = folded_vcs(options, needed_vcs(options->algorithm, topology));

	return graph && xt_topology_pes(topology) > 1u << p->lrt_bits ? xt_topology_directed(topology) ? 4 : 2 : vcs;
}

int xt_route_parse(const char *spec, const xt_route_options_t *given, xt_topology_t **out, xt_diag_t *diag)
{
	xt_route_options_t options;
	const xt_profile_t *usual, *p = NULL;
	xt_topology_t *first = NULL;
	xt_diag_t why, *told = diag;
	bool wide = false;
	int result = xt_options_take(given, &options, sizeof(options), "route", diag);

	*out = NULL;
	if (result != XT_OK) {
		return result;
	}
	usual = usual_profile(&options);
	while ((p = xt_profile_next(usual, p)) != NULL) {
		const int status = xt_topology_parse(spec, p, out, told);

		if (status == XT_OK && has_needs(p, *out, &options, vcs_to_choose(*out, &options))) {
			xt_topology_free(first);
			return XT_OK;
		}
		if (p == usual) {
			if (status != XT_OK && status != XT_ERR_RANGE) {
				return status;
			}
			result = status;
			first = *out;
			told = &why;
		} else {
			wide |= status == XT_OK;
			xt_topology_free(*out);
		}
	}
	*out = first;
	if (result == XT_OK || !wide) {
		return result;
	}
	return xt_fail(diag, XT_ERR_UNSUPPORTED,
		"topology %.80s: profile %s has too few ports, and none with more has what %s needs; %s", spec,
		usual->name, xt_algorithm_name(options.algorithm),
		options.adaptive ? "leave out --adaptive, or use fewer dimensions"
				 : "use fewer dimensions, or another algorithm, for example layered");
}
