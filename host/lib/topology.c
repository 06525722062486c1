/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/topology.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "profiles.h"
#include "topology_internal.h"

static const xt_family_t *const families[] = {
	&xt_family_torus,
	&xt_family_twin,
	&xt_family_mesh,
	&xt_family_rtt,
	&xt_family_ptt,
	&xt_family_pdtt,
	&xt_family_pruned,
	&xt_family_manhattan,
	&xt_family_pruned_directed,
};

enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

/* Radices after the colon, "4x4x2", each from 1 on, up to the end or the comma before options; *end is
 * left there. */
static int parse_radices(xt_topology_t *t, const char *spec, const char *text, const char **end, xt_diag_t *diag)
{
	const char *c = text;

	for (;;) {
		unsigned long value = 0;

		if (!isdigit((unsigned char)*c)) {
			return xt_fail(diag, XT_ERR_INVALID,
				"topology \"%.80s\": a radix is missing at character %d; write for example %s:%s", spec,
				(int)(c - spec) + 1, t->family->name, t->family->example);
		}
		while (isdigit((unsigned char)*c) && value <= XT_MAX_CARDS) {
			value = value * 10 + (unsigned long)(*c++ - '0');
		}
		if (value == 0) {
			return xt_fail(diag, XT_ERR_INVALID,
				"topology \"%.80s\": dimension %u has radix 0; the least is 1", spec, t->dimensions);
		}
		if (t->dimensions == XT_MAX_DIMENSIONS) {
			return xt_fail(diag, XT_ERR_RANGE, "topology \"%.80s\": more than %u dimensions", spec,
				XT_MAX_DIMENSIONS);
		}
		if (value > XT_MAX_CARDS || (uint64_t)t->nodes * value * t->family->sides > XT_MAX_CARDS) {
			return xt_fail(diag, XT_ERR_RANGE, "topology \"%.80s\": more than %u cards; lower the radices",
				spec, XT_MAX_CARDS);
		}
		t->radix[t->dimensions] = (unsigned)value;
		t->period[t->dimensions] = 1;
		t->stride[t->dimensions++] = t->nodes;
		t->nodes *= (unsigned)value;
		*end = c;
		if (*c == '\0' || (*c == ',' && t->family->options)) {
			return XT_OK;
		}
		if (*c != 'x') {
			return xt_fail(diag, XT_ERR_INVALID,
				"topology \"%.80s\": unexpected character %d; radices are separated by x", spec,
				(int)(c - spec) + 1);
		}
		c++;
	}
}

static int unknown_kind(const char *spec, xt_diag_t *diag)
{
	char known[128] = "";
	size_t used = 0;

	for (unsigned f = 0; f < FAMILIES; f++) {
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s:", f ? ", " : "", families[f]->name);
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"topology \"%.80s\": unknown kind; write %s:%s, or one of %s with the radix of each dimension", spec,
		families[0]->name, families[0]->example, known);
}

static int parse_spec(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	const char *colon = strchr(spec, ':'), *end = spec;
	int status;

	for (unsigned f = 0; colon && f < FAMILIES; f++) {
		size_t length = strlen(families[f]->name);

		if (length == (size_t)(colon - spec) && strncmp(families[f]->name, spec, length) == 0) {
			t->family = families[f];
			t->nodes = 1;
			t->layouts = 1;
			if ((status = parse_radices(t, spec, colon + 1, &end, diag)) != XT_OK || !t->family->shape) {
				return status;
			}
			return t->family->shape(t, spec, *end == ',' ? end + 1 : NULL, diag);
		}
	}
	return unknown_kind(spec, diag);
}

static int check_ports(const xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	unsigned needed = t->family->ports(t);
	const xt_profile_t *p = t->profile;
	uint64_t cards = (uint64_t)t->nodes * t->family->sides;

	if (needed > p->link_ports) {
		return xt_fail(diag, XT_ERR_RANGE,
			"topology \"%.80s\": needs %u link ports per card, profile %s has %u; use fewer dimensions or "
			"another profile",
			spec, needed, p->name, p->link_ports);
	}
	if (cards << xt_profile_unit_bits(p) > 1ull << p->id_bits) {
		return xt_fail(diag, XT_ERR_RANGE,
			"topology \"%.80s\": %u PEs do not fit the %u address bits of profile %s", spec,
			(unsigned)cards * p->nic_ports, p->id_bits, p->name);
	}
	return XT_OK;
}

void xt_topology_add_port(xt_topology_t *t, unsigned layout, unsigned port, unsigned dimension, unsigned direction)
{
	t->port[layout][port].dimension = (int)dimension;
	t->port[layout][port].direction = direction;
	t->dimension_port[layout][dimension][direction] = (int)port;
	snprintf(t->port[layout][port].name, XT_TOPOLOGY_NAME_SIZE, "d%u%c", dimension % 10, direction ? '+' : '-');
}

static void name_port(xt_topology_t *t, unsigned layout, unsigned port)
{
	const xt_profile_t *p = t->profile;
	char *name = t->port[layout][port].name;

	t->port[layout][port].dimension = -1;
	if (port < p->link_ports) {
		snprintf(name, XT_TOPOLOGY_NAME_SIZE, "p%u", port);
	} else if (p->nic_ports == 1) {
		snprintf(name, XT_TOPOLOGY_NAME_SIZE, "nic");
	} else {
		snprintf(name, XT_TOPOLOGY_NAME_SIZE, "nic%u", port - p->link_ports);
	}
}

static void lay_out_ports(xt_topology_t *t)
{
	t->internal_port = -1;
	for (unsigned layout = 0; layout < t->layouts; layout++) {
		for (unsigned port = 0; port < xt_profile_ports(t->profile); port++) {
			name_port(t, layout, port);
		}
		for (unsigned d = 0; d < t->dimensions; d++) {
			t->dimension_port[layout][d][0] = t->dimension_port[layout][d][1] = -1;
		}
	}
	t->family->lay_out(t);
	for (unsigned layout = 0; t->internal_port >= 0 && layout < t->layouts; layout++) {
		snprintf(t->port[layout][t->internal_port].name, XT_TOPOLOGY_NAME_SIZE, "int");
	}
}

static void write_spec(xt_topology_t *t)
{
	size_t size = sizeof(t->spec), used = (size_t)snprintf(t->spec, size, "%s:", t->family->name);

	for (unsigned d = 0; d < t->dimensions && used < size; d++) {
		used += (size_t)snprintf(t->spec + used, size - used, "%s%u", d ? "x" : "", t->radix[d]);
	}
	if (used < size) {
		snprintf(t->spec + used, size - used, "%s", t->options);
	}
}

int xt_topology_parse(const char *spec, const xt_profile_t *profile, xt_topology_t **out, xt_diag_t *diag)
{
	xt_topology_t *t;
	int status = xt_profile_check(profile, diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	t = calloc(1, sizeof(*t));
	if (!t) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	t->profile = profile;
	if ((status = parse_spec(t, spec, diag)) != XT_OK || (status = check_ports(t, spec, diag)) != XT_OK) {
		free(t);
		return status;
	}
	lay_out_ports(t);
	write_spec(t);
	*out = t;
	return XT_OK;
}

void xt_topology_free(xt_topology_t *topology)
{
	free(topology);
}

const char *xt_topology_spec(const xt_topology_t *topology)
{
	return topology->spec;
}

xt_topology_kind_t xt_topology_kind(const xt_topology_t *topology)
{
	return topology->family->kind;
}

const xt_profile_t *xt_topology_profile(const xt_topology_t *topology)
{
	return topology->profile;
}

unsigned xt_topology_dimensions(const xt_topology_t *topology)
{
	return topology->dimensions;
}

unsigned xt_topology_radix(const xt_topology_t *topology, unsigned dimension)
{
	return topology->radix[dimension];
}

unsigned xt_topology_cards(const xt_topology_t *topology)
{
	return topology->nodes * topology->family->sides;
}

unsigned xt_topology_pes(const xt_topology_t *topology)
{
	return xt_topology_cards(topology) * topology->profile->nic_ports;
}

unsigned xt_topology_cards_per_node(const xt_topology_t *topology)
{
	return topology->family->sides;
}

unsigned xt_topology_node_coordinate(const xt_topology_t *t, unsigned node, unsigned dimension)
{
	return node / t->stride[dimension] % t->radix[dimension];
}

unsigned xt_topology_coordinate(const xt_topology_t *t, unsigned card, unsigned dimension)
{
	return xt_topology_node_coordinate(t, card / t->family->sides, dimension);
}

unsigned xt_topology_layout(const xt_topology_t *t, unsigned card)
{
	return t->family->layout ? t->family->layout(t, card) : card % t->family->sides;
}

int xt_topology_split_dimension(const xt_topology_t *t)
{
	int split = -1;

	for (unsigned d = 0; d < t->dimensions; d++) {
		if (t->side_of[d][0] != t->side_of[d][1]) {
			split = split == -1 ? (int)d : -2;
		}
	}
	return split < 0 ? -1 : split;
}

/* The other end of a port; that a packet sent there arrives, or is received from, is for the caller. */
static xt_peer_t other_end(const xt_topology_t *t, unsigned card, unsigned dimension, unsigned direction)
{
	unsigned sides = t->family->sides, node = card / sides;
	unsigned there = t->family->neighbour(t, node, dimension, direction);

	for (unsigned side = 0; there != node && side < sides; side++) {
		unsigned peer = there * sides + side;
		int port = t->dimension_port[xt_topology_layout(t, peer)][dimension][!direction];

		if (port >= 0) {
			return (xt_peer_t){peer, (uint32_t)port};
		}
	}
	return (xt_peer_t){XT_NO_CARD, 0};
}

/* The other end of a link on which `card` sends (or, otherwise, receives). */
static xt_peer_t link_end(const xt_topology_t *t, unsigned card, unsigned port, bool sending)
{
	unsigned layout = xt_topology_layout(t, card), d, direction;
	xt_peer_t none = {XT_NO_CARD, 0};

	if (port >= t->profile->link_ports) {
		return none;
	}
	if ((int)port == t->internal_port) {
		return (xt_peer_t){card ^ 1u, port};
	}
	if (t->port[layout][port].dimension < 0) {
		return none;
	}
	d = (unsigned)t->port[layout][port].dimension;
	direction = t->port[layout][port].direction;
	if (t->family->directed && t->family->sends(t, card / t->family->sides, d, direction) != sending) {
		return none;
	}
	return other_end(t, card, d, direction);
}

xt_peer_t xt_topology_peer(const xt_topology_t *t, unsigned card, unsigned port)
{
	return link_end(t, card, port, true);
}

xt_peer_t xt_topology_sender(const xt_topology_t *t, unsigned card, unsigned port)
{
	return link_end(t, card, port, false);
}

bool xt_topology_directed(const xt_topology_t *topology)
{
	return topology->family->directed;
}

const char *xt_topology_port_name(const xt_topology_t *t, unsigned card, unsigned port)
{
	return t->port[xt_topology_layout(t, card)][port].name;
}

int xt_topology_dimension_port(const xt_topology_t *t, unsigned card, unsigned dimension, unsigned direction)
{
	return t->dimension_port[xt_topology_layout(t, card)][dimension][direction];
}

int xt_topology_internal_port(const xt_topology_t *topology)
{
	return topology->internal_port;
}

int xt_topology_port_dimension(const xt_topology_t *t, unsigned card, unsigned port)
{
	return t->port[xt_topology_layout(t, card)][port].dimension;
}
