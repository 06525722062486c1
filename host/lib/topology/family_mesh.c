/* SPDX-License-Identifier: Apache-2.0
 *
 * Mesh: a torus without the links that close its rings. */
#include "topology_internal.h"

static int shape(xt_topology_t *t, const char *spec, const char *options, xt_diag_t *diag)
{
	(void)spec, (void)options, (void)diag;
	for (unsigned d = 0; d < t->dimensions; d++) {
		t->period[d] = t->radix[d];
	}
	return XT_OK;
}

static unsigned neighbour(const xt_topology_t *t, unsigned node, unsigned dimension, unsigned direction)
{
	unsigned here = xt_topology_node_coordinate(t, node, dimension);

	if (here == (direction ? t->radix[dimension] - 1 : 0)) {
		return node;
	}
	return direction ? node + t->stride[dimension] : node - t->stride[dimension];
}

static double dimension_distance(const xt_topology_t *t, unsigned dimension)
{
	double k = t->radix[dimension];

	return (k * k - 1) / (3 * k);
}

static int64_t bisection(const xt_topology_t *t, const char **method)
{
	unsigned largest = xt_topology_largest_radix(t);

	if (largest % 2 == 1) {
		return -1;
	}
	*method = "closed form: each row of the largest radix k is cut once, cards / k";
	return t->nodes / largest;
}

const xt_family_t xt_family_mesh = {
	.name = "mesh",
	.example = "4x4x2",
	.kind = XT_TOPOLOGY_MESH,
	.sides = 1,
	.open = true,
	.shape = shape,
	.ports = xt_torus_ports,
	.lay_out = xt_torus_lay_out,
	.neighbour = neighbour,
	.dimension_distance = dimension_distance,
	.bisection = bisection,
};
