/* SPDX-License-Identifier: Apache-2.0
 *
 * nD twin torus: two cards per node, joined by the internal link, share the 2n ports of the dimensions. */
#include "topology_internal.h"

/* The best placement: the lower dimensions on card 0, the upper ones on card 1; with n odd the one in
 * the middle is split, d- on card 0 and d+ on card 1. */
static unsigned best_side(const xt_topology_t *t, unsigned dimension, unsigned direction)
{
	unsigned half = t->dimensions / 2;

	if (t->dimensions % 2 == 1 && dimension == half) {
		return direction;
	}
	return dimension < half ? 0 : 1;
}

static int shape(xt_topology_t *t, const char *spec, const char *options, xt_diag_t *diag)
{
	(void)spec, (void)options, (void)diag;
	t->layouts = 2;
	for (unsigned d = 0; d < t->dimensions; d++) {
		for (unsigned direction = 0; direction < 2; direction++) {
			t->side_of[d][direction] = best_side(t, d, direction);
		}
	}
	return XT_OK;
}

static unsigned ports(const xt_topology_t *t)
{
	return t->dimensions + 1;
}

static void lay_out(xt_topology_t *t)
{
	unsigned next[2] = {0, 0};

	for (unsigned d = 0; d < t->dimensions; d++) {
		for (unsigned direction = 0; direction < 2; direction++) {
			unsigned side = t->side_of[d][direction];

			xt_topology_add_port(t, side, next[side]++, d, direction);
		}
	}
	t->internal_port = (int)t->dimensions;
}

const xt_family_t xt_family_twin = {
	.name = "twin",
	.example = "4x4x2",
	.kind = XT_TOPOLOGY_TWIN,
	.sides = 2,
	.shape = shape,
	.ports = ports,
	.lay_out = lay_out,
	.neighbour = xt_torus_neighbour,
	.dimension_distance = xt_torus_dimension_distance,
};
