/* SPDX-License-Identifier: Apache-2.0
 *
 * Tori with half the links and fewer.
 * Pruned: dimension 0 is whole, a card has links of one other dimension only, i where a0 = i - 1 modulo
 * n - 1: four ports for any number of dimensions.
 * Manhattan street: each ring has one direction, up or down by the parity of the sum of the coordinates in the
 * other dimensions. A card sends on one port of a dimension and receives on the other.
 * Pruned directed: both. */
#include "topology_internal.h"

static bool is_pruned(const xt_topology_t *t)
{
	return t->family->kind != XT_TOPOLOGY_MANHATTAN;
}

static int shape(xt_topology_t *t, const char *spec, const char *options, xt_diag_t *diag)
{
	const xt_family_t *f = t->family;
	unsigned slices = t->dimensions - 1;

	(void)options;
	if (t->dimensions < 2) {
		return xt_fail(diag, XT_ERR_INVALID,
			"topology \"%.80s\": %s needs two dimensions or more; write for example %s:%s", spec, f->name,
			f->name, f->example);
	}
	for (unsigned d = 0; d < t->dimensions && f->directed; d++) {
		t->period[d] = 2;
		if (t->radix[d] % 2 == 1) {
			return xt_fail(diag, XT_ERR_INVALID,
				"topology \"%.80s\": dimension %u has radix %u; the radices of %s are even", spec, d,
				t->radix[d], f->name);
		}
	}
	if (!is_pruned(t)) {
		return XT_OK;
	}
	if (t->radix[0] % slices != 0) {
		return xt_fail(diag, XT_ERR_INVALID,
			"topology \"%.80s\": dimension 0 has radix %u; with %u dimensions it is a multiple of %u", spec,
			t->radix[0], t->dimensions, slices);
	}
	t->period[0] = f->directed && slices % 2 == 1 ? 2 * slices : slices;
	t->layouts = slices;
	return XT_OK;
}

static unsigned pruned_ports(const xt_topology_t *t)
{
	(void)t;
	return 4;
}

static unsigned pruned_layout(const xt_topology_t *t, unsigned card)
{
	return xt_topology_node_coordinate(t, card, 0) % (t->dimensions - 1);
}

static void pruned_lay_out(xt_topology_t *t)
{
	for (unsigned slice = 0; slice < t->layouts; slice++) {
		for (unsigned direction = 0; direction < 2; direction++) {
			xt_topology_add_port(t, slice, direction, 0, direction);
			xt_topology_add_port(t, slice, 2 + direction, slice + 1, direction);
		}
	}
}

static bool sends(const xt_topology_t *t, unsigned node, unsigned dimension, unsigned direction)
{
	unsigned sum = 0;

	for (unsigned d = 0; d < t->dimensions; d++) {
		sum += d == dimension ? 0 : xt_topology_node_coordinate(t, node, d);
	}
	return direction == (sum % 2 == 0);
}

/* For cubes of k x k x k cards, as published for pruned and directed tori. */
static int64_t bisection(const xt_topology_t *t, const char **method)
{
	int64_t k = t->radix[0];

	if (t->dimensions != 3 || k % 2 == 1 || t->radix[1] != k || t->radix[2] != k) {
		return -1;
	}
	if (t->family->kind == XT_TOPOLOGY_PRUNED_DIRECTED) {
		*method = "closed form: two planes between slices of dimension 1 or 2, k^2 / 2";
		return k * k / 2;
	}
	*method = t->family->directed ? "closed form: two planes, half their links in each direction, k^2"
				      : "closed form: two planes between slices of dimension 1 or 2, k^2";
	return k * k;
}

const xt_family_t xt_family_pruned = {
	.name = "pruned",
	.example = "4x4x4",
	.kind = XT_TOPOLOGY_PRUNED,
	.sides = 1,
	.shape = shape,
	.ports = pruned_ports,
	.lay_out = pruned_lay_out,
	.layout = pruned_layout,
	.neighbour = xt_torus_neighbour,
	.bisection = bisection,
};

const xt_family_t xt_family_manhattan = {
	.name = "manhattan",
	.example = "4x4x4",
	.kind = XT_TOPOLOGY_MANHATTAN,
	.sides = 1,
	.directed = true,
	.shape = shape,
	.ports = xt_torus_ports,
	.lay_out = xt_torus_lay_out,
	.neighbour = xt_torus_neighbour,
	.sends = sends,
	.bisection = bisection,
};

const xt_family_t xt_family_pruned_directed = {
	.name = "pruned-directed",
	.example = "4x4x4",
	.kind = XT_TOPOLOGY_PRUNED_DIRECTED,
	.sides = 1,
	.directed = true,
	.shape = shape,
	.ports = pruned_ports,
	.lay_out = pruned_lay_out,
	.layout = pruned_layout,
	.neighbour = xt_torus_neighbour,
	.sends = sends,
	.bisection = bisection,
};
