/* SPDX-License-Identifier: Apache-2.0
 *
 * Twisted tori of 2a x a and 2a x a x a cards. A wrap-around link also goes a steps along dimension 0, which makes
 * the dimensions alike although their radices differ. RTT: the links of dimension 1. PTT: such planes in plain
 * rings of dimension 2. PDTT: the links of dimensions 1 and 2. */
#include "topology_internal.h"

static int shape(xt_topology_t *t, const char *spec, const char *options, xt_diag_t *diag)
{
	const xt_family_t *f = t->family;
	unsigned dimensions = f->kind == XT_TOPOLOGY_RTT ? 2 : 3;
	bool fits = t->dimensions == dimensions;

	(void)options;
	for (unsigned d = 1; d < t->dimensions; d++) {
		fits = fits && t->radix[0] == 2 * t->radix[d];
	}
	if (!fits) {
		return xt_fail(diag, XT_ERR_INVALID,
			"topology \"%.80s\": the radices of %s are 2a%s; write for example %s:%s", spec, f->name,
			dimensions == 2 ? " and a" : ", a and a", f->name, f->example);
	}
	return XT_OK;
}

/* Dimensions whose wrap-around links are twisted: a bit each. */
static unsigned twisted(const xt_topology_t *t)
{
	return t->family->kind == XT_TOPOLOGY_PDTT ? 1u << 1 | 1u << 2 : 1u << 1;
}

static unsigned neighbour(const xt_topology_t *t, unsigned node, unsigned dimension, unsigned direction)
{
	unsigned k = t->radix[dimension], here = xt_topology_node_coordinate(t, node, dimension);
	bool wraps = here == (direction ? k - 1 : 0);
	unsigned there = xt_torus_neighbour(t, node, dimension, direction);

	if (wraps && (twisted(t) >> dimension & 1)) {
		unsigned x = xt_topology_node_coordinate(t, node, 0), a = t->radix[0] / 2;

		there = there - x + (x + a) % t->radix[0];
	}
	return there;
}

#define XT_TWISTED(upper, lower, radices)                                                                       \
	{                                                                                                       \
		.name = (lower), .example = (radices), .kind = XT_TOPOLOGY_##upper, .sides = 1, .shape = shape, \
		.ports = xt_torus_ports, .lay_out = xt_torus_lay_out, .neighbour = neighbour,                   \
	}

const xt_family_t xt_family_rtt = XT_TWISTED(RTT, "rtt", "8x4");
const xt_family_t xt_family_ptt = XT_TWISTED(PTT, "ptt", "8x4x4");
const xt_family_t xt_family_pdtt = XT_TWISTED(PDTT, "pdtt", "8x4x4");
