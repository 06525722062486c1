/* SPDX-License-Identifier: Apache-2.0
 *
 * Torus: a ring in every dimension. */
#include "topology_internal.h"

unsigned xt_torus_ports(const xt_topology_t *t)
{
	return 2 * t->dimensions;
}

void xt_torus_lay_out(xt_topology_t *t)
{
	for (unsigned d = 0; d < t->dimensions; d++) {
		xt_topology_add_port(t, 0, 2 * d, d, 0);
		xt_topology_add_port(t, 0, 2 * d + 1, d, 1);
	}
}

unsigned xt_torus_neighbour(const xt_topology_t *t, unsigned node, unsigned dimension, unsigned direction)
{
	unsigned k = t->radix[dimension], here = xt_topology_node_coordinate(t, node, dimension);
	unsigned there = (here + (direction ? 1 : k - 1)) % k;

	return node + there * t->stride[dimension] - here * t->stride[dimension];
}

double xt_torus_dimension_distance(const xt_topology_t *t, unsigned dimension)
{
	unsigned k = t->radix[dimension];

	return (double)(k / 2) * (double)((k + 1) / 2) / k;
}

static int64_t bisection(const xt_topology_t *t, const char **method)
{
	unsigned largest = xt_topology_largest_radix(t);

	if (largest % 2 == 1) {
		return -1;
	}
	*method = "closed form: each ring of the largest radix k is cut twice, 2 * cards / k";
	return 2 * (int64_t)(t->nodes / largest);
}

const xt_family_t xt_family_torus = {
	.name = "torus",
	.example = "4x4x2",
	.kind = XT_TOPOLOGY_TORUS,
	.sides = 1,
	.ports = xt_torus_ports,
	.lay_out = xt_torus_lay_out,
	.neighbour = xt_torus_neighbour,
	.dimension_distance = xt_torus_dimension_distance,
	.bisection = bisection,
};
