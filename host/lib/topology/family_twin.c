/* SPDX-License-Identifier: Apache-2.0
 *
 * nD twin torus: two cards per node, joined by the internal link, share the 2n ports of the dimensions. A
 * port configuration says which n of them are on card 0. */
#include <stdlib.h>
#include <string.h>

#include "topology_internal.h"

/* The configurations of a 3D twin torus by their published letters: the ports of card 0 (X, Y, Z there are
 * d0, d1, d2 here). All others are these with dimensions, directions or cards renamed. */
static const char *const lettered[XT_TWIN_CONFIGS] = {
	"d0+d1+d2+", /* A */
	"d0+d1+d2-", /* B */
	"d0+d1+d1-", /* C */
	"d0+d1+d0-", /* D */
	"d0+d1-d2+", /* E */
	"d0+d1-d2-", /* F */
	"d0+d1-d0-", /* G */
	"d0+d2+d2-", /* H */
	"d0+d2+d0-", /* I */
	"d0+d2-d0-", /* J */
};

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

/* Ports of card 0, "d0-d0+d1-". */
static int read_ports(xt_topology_t *t, const char *spec, const char *ports, xt_diag_t *diag)
{
	unsigned count = 0;

	for (unsigned d = 0; d < t->dimensions; d++) {
		t->side_of[d][0] = t->side_of[d][1] = 1;
	}
	for (const char *c = ports; *c; c += 3) {
		unsigned d = c[0] == 'd' && c[1] ? (unsigned)(c[1] - '0') : t->dimensions;

		if (d >= t->dimensions || (c[2] != '-' && c[2] != '+') || t->side_of[d][c[2] == '+'] == 0) {
			return xt_fail(diag, XT_ERR_INVALID,
				"topology \"%.80s\": config %.40s is neither best nor, with three dimensions, a letter "
				"A to J, nor a list of different ports of card 0 like d0-d0+d1-",
				spec, ports);
		}
		t->side_of[d][c[2] == '+'] = 0;
		count++;
	}
	if (count != t->dimensions) {
		return xt_fail(diag, XT_ERR_INVALID,
			"topology \"%.80s\": config names %u ports of card 0, with %u dimensions each card has %u",
			spec, count, t->dimensions, t->dimensions);
	}
	return XT_OK;
}

static int shape(xt_topology_t *t, const char *spec, const char *options, xt_diag_t *diag)
{
	const char *config = "best", *ports;

	t->layouts = 2;
	if (options) {
		if (strncmp(options, "config=", 7) != 0 || strlen(options) > 7 + 6 * XT_MAX_DIMENSIONS) {
			return xt_fail(diag, XT_ERR_INVALID,
				"topology \"%.80s\": unknown option at character %d; write config=best, a letter or "
				"the "
				"ports of card 0",
				spec, (int)(options - spec) + 1);
		}
		config = options + 7;
	}
	if (strcmp(config, "best") == 0) {
		for (unsigned d = 0; d < t->dimensions; d++) {
			t->side_of[d][0] = best_side(t, d, 0);
			t->side_of[d][1] = best_side(t, d, 1);
		}
		return XT_OK;
	}
	ports = config;
	if (t->dimensions == 3 && config[0] >= 'A' && config[0] <= 'J' && config[1] == '\0') {
		ports = lettered[config[0] - 'A'];
	}
	snprintf(t->options, sizeof(t->options), ",config=%s", config);
	return read_ports(t, spec, ports, diag);
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
	.options = true,
	.shape = shape,
	.ports = ports,
	.lay_out = lay_out,
	.neighbour = xt_torus_neighbour,
	.dimension_distance = xt_torus_dimension_distance,
};

bool xt_topology_default_wiring(const xt_topology_t *t)
{
	if (t->wiring || t->family != &xt_family_twin) {
		return !t->wiring && t->family == &xt_family_torus;
	}
	for (unsigned d = 0; d < t->dimensions; d++) {
		if (t->side_of[d][0] != best_side(t, d, 0) || t->side_of[d][1] != best_side(t, d, 1)) {
			return false;
		}
	}
	return true;
}
