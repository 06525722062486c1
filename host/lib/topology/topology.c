/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/topology.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "topology_internal.h"
#include "wiring.h"

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
	&xt_family_file,
};

enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

/* The family whose name is before the colon, or NULL. */
static const xt_family_t *family_of(const char *spec)
{
	const char *colon = strchr(spec, ':');

	for (unsigned f = 0; colon && f < FAMILIES; f++) {
		size_t length = strlen(families[f]->name);

		if (length == (size_t)(colon - spec) && strncmp(families[f]->name, spec, length) == 0) {
			return families[f];
		}
	}
	return NULL;
}

bool xt_topology_is_spec(const char *text)
{
	return family_of(text) != NULL;
}

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

static int read_file(xt_topology_t *t, const char *path, xt_diag_t *diag)
{
	int status = xt_wiring_read(path, t->profile, &t->wiring, diag);

	t->nodes = status == XT_OK ? t->wiring->cards : 0;
	return status;
}

static int unknown_kind(const char *spec, xt_diag_t *diag)
{
	char known[128] = "";
	size_t used = 0;

	for (unsigned f = 0; f < FAMILIES && used < sizeof(known); f++) {
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s:", f ? ", " : "", families[f]->name);
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"topology \"%.80s\": unknown kind; write %s:%s, or one of %s with the radix of each dimension, "
		"or a path after file:",
		spec, families[0]->name, families[0]->example, known);
}

/* `spec` without failures */
static int parse_spec(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	const char *text = strchr(spec, ':') + 1, *end = spec;
	int status;

	t->nodes = 1;
	t->layouts = 1;
	if (t->family->kind == XT_TOPOLOGY_FILE) {
		return read_file(t, text, diag);
	}
	if ((status = parse_radices(t, spec, text, &end, diag)) != XT_OK || !t->family->shape) {
		return status;
	}
	return t->family->shape(t, spec, *end == ',' ? end + 1 : NULL, diag);
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

static int write_spec(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	size_t size = sizeof(t->spec), used = (size_t)snprintf(t->spec, size, "%s:", t->family->name);

	if (t->family->kind == XT_TOPOLOGY_FILE) {
		used = (size_t)snprintf(t->spec, size, "%s", spec);
		return used < size ? XT_OK
				   : xt_fail(diag, XT_ERR_RANGE,
					     "topology \"%.80s...\": more than %u characters; use a shorter path", spec,
					     XT_SPEC_SIZE - 1);
	}
	for (unsigned d = 0; d < t->dimensions && used < size; d++) {
		used += (size_t)snprintf(t->spec + used, size - used, "%s%u", d ? "x" : "", t->radix[d]);
	}
	if (used < size) {
		snprintf(t->spec + used, size - used, "%s", t->options);
	}
	return XT_OK;
}

/* From the rule to the list, less what has failed. */
static int apply_failures(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	unsigned cards = xt_topology_cards(t), ports = t->profile->link_ports;
	size_t used = strlen(t->spec);
	xt_wiring_t *w = t->wiring;
	int status;

	if (t->family->directed) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"topology \"%.80s\": no failures in a network of one-way links yet", spec);
	}
	if (!w) {
		if ((status = xt_wiring_create(cards, ports, &w, diag)) != XT_OK) {
			return status;
		}
		for (size_t i = 0; i < (size_t)cards * ports; i++) {
			w->peer[i] = xt_topology_peer(t, (unsigned)(i / ports), (unsigned)(i % ports));
		}
		t->wiring = w;
	}
	status = xt_wiring_fail(w, t, spec, t->spec + used, sizeof(t->spec) - used, diag);
	return status == XT_OK ? xt_wiring_check(w, spec, diag) : status;
}

static int build(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	const char *failures = xt_failures_of(spec);
	char *whole = strndup(spec, (size_t)(failures - spec));
	int status = whole ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	if (status == XT_OK && !(t->family = family_of(whole))) {
		status = unknown_kind(whole, diag);
	}
	if (status == XT_OK && (status = parse_spec(t, whole, diag)) == XT_OK &&
		(status = check_ports(t, whole, diag)) == XT_OK) {
		lay_out_ports(t);
		status = write_spec(t, whole, diag);
	}
	if (status == XT_OK && (*failures || t->wiring)) {
		status = apply_failures(t, spec, diag);
	}
	free(whole);
	return status;
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
	if ((status = build(t, spec, diag)) != XT_OK) {
		xt_topology_free(t);
		return status;
	}
	*out = t;
	return XT_OK;
}

void xt_topology_free(xt_topology_t *topology)
{
	if (topology) {
		xt_wiring_free(topology->wiring);
		free(topology);
	}
}

bool xt_topology_is_regular(const xt_topology_t *topology)
{
	return !topology->wiring;
}

bool xt_topology_card_failed(const xt_topology_t *topology, unsigned card)
{
	return topology->wiring && topology->wiring->failed[card];
}

unsigned xt_topology_failed_cards(const xt_topology_t *topology)
{
	return topology->wiring ? topology->wiring->failed_cards : 0;
}

unsigned xt_topology_failed_links(const xt_topology_t *topology, const xt_failed_link_t **links)
{
	if (links) {
		*links = topology->wiring ? topology->wiring->links : NULL;
	}
	return topology->wiring ? topology->wiring->failed_links : 0;
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
	if (t->wiring) {
		return t->wiring->peer[(size_t)card * t->profile->link_ports + port];
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

bool xt_topology_lists_link(const xt_topology_t *t, unsigned card, unsigned port)
{
	unsigned peer = xt_topology_peer(t, card, port).card;
	int dimension = xt_topology_port_dimension(t, card, port);

	if (peer == XT_NO_CARD || dimension < 0) {
		return peer != XT_NO_CARD && card < peer;
	}
	return t->family->directed || xt_topology_dimension_port(t, card, (unsigned)dimension, 1) == (int)port;
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
