/* SPDX-License-Identifier: Apache-2.0
 *
 * Connections through the switches of a tree, by their kind. */
#include "extorus/topology.h"
#include "topology/tree_shape.h"

/* Pairs of a port that packets come in by and one that they leave by. A packet on its way down came up by its own
 * digits, so that DESTRO goes down only from the up port with the digit of the down port. */
static void count_of_switch(const xt_tree_shape_t *tree, bool has_up, xt_tree_connections_t *c)
{
	for (unsigned in = 0; in < tree->arity; in++) {
		for (unsigned out = 0; out < tree->arity; out++) {
			bool turns = xt_tree_part(tree, false, in) != xt_tree_part(tree, false, out);
			bool rises = xt_tree_part(tree, false, in) != xt_tree_part(tree, true, out);

			c->all.turnaround += in != out;
			c->internal.turnaround += in != out && turns;
			c->all.forward += has_up;
			c->internal.forward += has_up && rises;
			c->all.backward += has_up;
			c->used.backward += has_up && in == out;
			c->internal.backward += has_up && in == out && rises;
		}
	}
	c->used.forward = c->all.forward;
	c->used.turnaround = c->all.turnaround;
}

bool xt_topology_tree_connections(const xt_topology_t *topology, xt_tree_connections_t *connections)
{
	const xt_tree_shape_t *tree = xt_topology_tree(topology);

	*connections = (xt_tree_connections_t){0};
	for (unsigned level = 0; tree && level < tree->levels; level++) {
		for (unsigned w = 0; w < tree->switches; w++) {
			count_of_switch(tree, level + 1 < tree->levels, connections);
		}
	}
	return tree != NULL;
}
