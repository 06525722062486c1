/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/topology.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profiles.h"
#include "topology_wiring.h"

enum { SPEC_SIZE = XT_SPEC_SIZE, NAME_SIZE = 16 };

struct xt_topology {
	const xt_profile_t *profile;
	xt_topology_kind_t kind;
	unsigned dimensions;
	unsigned radix[XT_MAX_DIMENSIONS];
	unsigned stride[XT_MAX_DIMENSIONS]; /* in nodes */
	unsigned nodes;
	unsigned sides; /* cards per node */
	/* [side][port]: what a port is. */
	struct {
		int dimension; /* -1: internal, NIC or not used */
		unsigned direction;
		char name[NAME_SIZE];
	} port[2][XT_MAX_PORTS];
	int dimension_port[2][XT_MAX_DIMENSIONS][2]; /* [side][dimension][direction] */
	int internal_port;
	xt_wiring_t *wiring; /* of a file or with failures; NULL: by the rule of the family */
	char spec[SPEC_SIZE];
};

static const char kind_names[][8] = {
	[XT_TOPOLOGY_TORUS] = "torus",
	[XT_TOPOLOGY_TWIN] = "twin",
	[XT_TOPOLOGY_FILE] = "file",
};

bool xt_topology_is_spec(const char *text)
{
	for (unsigned k = 0; k < sizeof(kind_names) / sizeof(kind_names[0]); k++) {
		size_t length = strlen(kind_names[k]);

		if (strncmp(text, kind_names[k], length) == 0 && text[length] == ':') {
			return true;
		}
	}
	return false;
}

/* Radices after the colon, "4x4x2"; each from 1 on. */
static int parse_radices(xt_topology_t *t, const char *spec, const char *text, xt_diag_t *diag)
{
	const char *c = text;

	for (;;) {
		unsigned long value = 0;

		if (!isdigit((unsigned char)*c)) {
			return xt_fail(diag, XT_ERR_INVALID,
				"topology \"%.80s\": a radix is missing at character %d; write for example %s:4x4x2",
				spec, (int)(c - spec) + 1, kind_names[t->kind]);
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
		if (value > XT_MAX_CARDS || (uint64_t)t->nodes * value * t->sides > XT_MAX_CARDS) {
			return xt_fail(diag, XT_ERR_RANGE, "topology \"%.80s\": more than %u cards; lower the radices",
				spec, XT_MAX_CARDS);
		}
		t->radix[t->dimensions] = (unsigned)value;
		t->stride[t->dimensions++] = t->nodes;
		t->nodes *= (unsigned)value;
		if (*c == '\0') {
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

/* `spec` without failures */
static int parse_spec(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	const char *colon = strchr(spec, ':');

	for (unsigned k = 0; colon && k < sizeof(kind_names) / sizeof(kind_names[0]); k++) {
		if (strlen(kind_names[k]) == (size_t)(colon - spec) &&
			strncmp(kind_names[k], spec, (size_t)(colon - spec)) == 0) {
			t->kind = (xt_topology_kind_t)k;
			t->sides = t->kind == XT_TOPOLOGY_TWIN ? 2 : 1;
			t->nodes = 1;
			return t->kind == XT_TOPOLOGY_FILE ? read_file(t, colon + 1, diag)
							   : parse_radices(t, spec, colon + 1, diag);
		}
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"topology \"%.80s\": unknown kind; write torus:K0xK1x..., twin:K0xK1x... or file:PATH", spec);
}

static int check_ports(const xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	unsigned needed = t->kind == XT_TOPOLOGY_TWIN ? t->dimensions + 1 : 2 * t->dimensions;
	const xt_profile_t *p = t->profile;
	uint64_t cards = (uint64_t)t->nodes * t->sides;

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

static void add_dimension_port(xt_topology_t *t, unsigned side, unsigned port, unsigned dimension, unsigned direction)
{
	t->port[side][port].dimension = (int)dimension;
	t->port[side][port].direction = direction;
	t->dimension_port[side][dimension][direction] = (int)port;
	snprintf(t->port[side][port].name, NAME_SIZE, "d%u%c", dimension % 10, direction ? '+' : '-');
}

/* The card of a node that has the port of a dimension and direction. */
static unsigned side_of(const xt_topology_t *t, unsigned dimension, unsigned direction)
{
	unsigned half = t->dimensions / 2; /* n odd: the split dimension */

	if (t->kind == XT_TOPOLOGY_TORUS) {
		return 0;
	}
	if (t->dimensions % 2 == 1 && dimension == half) {
		return direction;
	}
	return dimension < half ? 0 : 1;
}

static void lay_out_ports(xt_topology_t *t)
{
	const xt_profile_t *p = t->profile;

	t->internal_port = t->kind == XT_TOPOLOGY_TWIN ? (int)t->dimensions : -1;
	for (unsigned side = 0; side < t->sides; side++) {
		unsigned next = 0;

		for (unsigned port = 0; port < xt_profile_ports(p); port++) {
			t->port[side][port].dimension = -1;
			if (port < p->link_ports) {
				snprintf(t->port[side][port].name, NAME_SIZE, "p%u", port);
			} else if (p->nic_ports == 1) {
				snprintf(t->port[side][port].name, NAME_SIZE, "nic");
			} else {
				snprintf(t->port[side][port].name, NAME_SIZE, "nic%u", port - p->link_ports);
			}
		}
		for (unsigned d = 0; d < t->dimensions; d++) {
			for (unsigned direction = 0; direction < 2; direction++) {
				t->dimension_port[side][d][direction] = -1;
				if (side_of(t, d, direction) == side) {
					add_dimension_port(t, side, next++, d, direction);
				}
			}
		}
		if (t->internal_port >= 0) {
			snprintf(t->port[side][t->internal_port].name, NAME_SIZE, "int");
		}
	}
}

static int write_spec(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	size_t used = (size_t)snprintf(t->spec, SPEC_SIZE, "%s:", kind_names[t->kind]);

	if (t->kind == XT_TOPOLOGY_FILE) {
		used = (size_t)snprintf(t->spec, SPEC_SIZE, "%s", spec);
		return used < SPEC_SIZE ? XT_OK
					: xt_fail(diag, XT_ERR_RANGE,
						  "topology \"%.80s...\": more than %u characters; use a shorter path",
						  spec, SPEC_SIZE - 1);
	}
	for (unsigned d = 0; d < t->dimensions && used < SPEC_SIZE; d++) {
		used += (size_t)snprintf(t->spec + used, SPEC_SIZE - used, "%s%u", d ? "x" : "", t->radix[d]);
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

	if (!w) {
		if ((status = xt_wiring_create(cards, ports, &w, diag)) != XT_OK) {
			return status;
		}
		for (size_t i = 0; i < (size_t)cards * ports; i++) {
			w->peer[i] = xt_topology_peer(t, (unsigned)(i / ports), (unsigned)(i % ports));
		}
		t->wiring = w;
	}
	status = xt_wiring_fail(w, t, spec, t->spec + used, SPEC_SIZE - used, diag);
	return status == XT_OK ? xt_wiring_check(w, spec, diag) : status;
}

static int build(xt_topology_t *t, const char *spec, xt_diag_t *diag)
{
	const char *failures = xt_failures_of(spec);
	char *whole = strndup(spec, (size_t)(failures - spec));
	int status = whole ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

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
	return topology->kind;
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
	return topology->nodes * topology->sides;
}

unsigned xt_topology_pes(const xt_topology_t *topology)
{
	return xt_topology_cards(topology) * topology->profile->nic_ports;
}

unsigned xt_topology_cards_per_node(const xt_topology_t *topology)
{
	return topology->sides;
}

unsigned xt_topology_coordinate(const xt_topology_t *t, unsigned card, unsigned dimension)
{
	return card / t->sides / t->stride[dimension] % t->radix[dimension];
}

int xt_topology_split_dimension(const xt_topology_t *t)
{
	return t->kind == XT_TOPOLOGY_TWIN && t->dimensions % 2 == 1 ? (int)(t->dimensions / 2) : -1;
}

xt_peer_t xt_topology_peer(const xt_topology_t *t, unsigned card, unsigned port)
{
	unsigned side = card % t->sides;
	xt_peer_t none = {XT_NO_CARD, 0};
	unsigned d, direction, here, there, other;

	if (port >= t->profile->link_ports) {
		return none;
	}
	if (t->wiring) {
		return t->wiring->peer[(size_t)card * t->profile->link_ports + port];
	}
	if ((int)port == t->internal_port) {
		return (xt_peer_t){card ^ 1u, port};
	}
	if (t->port[side][port].dimension < 0 || t->radix[t->port[side][port].dimension] == 1) {
		return none;
	}
	d = (unsigned)t->port[side][port].dimension;
	direction = t->port[side][port].direction;
	here = xt_topology_coordinate(t, card, d);
	there = direction ? (here + 1) % t->radix[d] : (here + t->radix[d] - 1) % t->radix[d];
	other = side_of(t, d, !direction);
	return (xt_peer_t){
		(card / t->sides + there * t->stride[d] - here * t->stride[d]) * t->sides + other,
		(uint32_t)t->dimension_port[other][d][!direction],
	};
}

const char *xt_topology_port_name(const xt_topology_t *t, unsigned card, unsigned port)
{
	return t->port[card % t->sides][port].name;
}

int xt_topology_dimension_port(const xt_topology_t *t, unsigned card, unsigned dimension, unsigned direction)
{
	return t->dimension_port[card % t->sides][dimension][direction];
}

int xt_topology_internal_port(const xt_topology_t *topology)
{
	return topology->internal_port;
}

int xt_topology_port_dimension(const xt_topology_t *t, unsigned card, unsigned port)
{
	return t->port[card % t->sides][port].dimension;
}

/* Sum and maximum of the distances from one card; `distance` and `queue` have a place per card. */
static void breadth_first(
	const xt_topology_t *t, unsigned source, unsigned *distance, unsigned *queue, uint64_t *sum, unsigned *furthest)
{
	unsigned cards = xt_topology_cards(t), head = 0, tail = 0;

	memset(distance, 0xff, cards * sizeof(*distance));
	distance[source] = 0;
	queue[tail++] = source;
	while (head < tail) {
		unsigned card = queue[head++];

		*sum += distance[card];
		*furthest = distance[card]; /* the queue is in order of distance */
		for (unsigned port = 0; port < t->profile->link_ports; port++) {
			xt_peer_t peer = xt_topology_peer(t, card, port);

			if (peer.card != XT_NO_CARD && distance[peer.card] == UINT32_MAX) {
				distance[peer.card] = distance[card] + 1;
				queue[tail++] = peer.card;
			}
		}
	}
}

/* Every node of a regular topology sees the same network: rotating a ring moves any node to any other. So
 * the cards of node 0 stand for all. */
static unsigned different_cards(const xt_topology_t *t)
{
	return t->wiring ? xt_topology_cards(t) : t->sides;
}

static void count_links(const xt_topology_t *t, xt_topology_metrics_t *m)
{
	unsigned ends = 0;

	for (unsigned side = 0; side < different_cards(t); side++) {
		unsigned degree = 0;

		for (unsigned port = 0; port < t->profile->link_ports; port++) {
			degree += xt_topology_peer(t, side, port).card != XT_NO_CARD;
		}
		ends += degree;
		m->degree = degree > m->degree ? degree : m->degree;
	}
	m->links = ends * (xt_topology_cards(t) / different_cards(t)) / 2;
}

static void bisection(const xt_topology_t *t, xt_topology_metrics_t *m)
{
	unsigned largest = 1;

	for (unsigned d = 0; d < t->dimensions; d++) {
		largest = t->radix[d] > largest ? t->radix[d] : largest;
	}
	m->bisection = -1;
	if (t->wiring) {
		m->bisection_method = "no closed form for a network from a file or with failures";
	} else if (t->kind == XT_TOPOLOGY_TWIN) {
		m->bisection_method = "no closed form is known for a twin torus";
	} else if (largest % 2 == 1) {
		m->bisection_method = "no closed form: the largest radix is odd";
	} else {
		m->bisection = 2 * (int64_t)(t->nodes / largest);
		m->bisection_method = "closed form: each ring of the largest radix k is cut twice, 2 * cards / k";
	}
}

int xt_topology_metrics(const xt_topology_t *t, xt_topology_metrics_t *m, xt_diag_t *diag)
{
	unsigned cards = xt_topology_cards(t);
	unsigned *memory = malloc(2 * (size_t)cards * sizeof(*memory));
	unsigned sources = 0, others = cards - xt_topology_failed_cards(t);
	uint64_t sum = 0;

	if (!memory) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	memset(m, 0, sizeof(*m));
	m->cards = cards;
	m->pes = xt_topology_pes(t);
	count_links(t, m);
	for (unsigned card = 0; card < different_cards(t); card++) {
		unsigned furthest = 0;

		if (!xt_topology_card_failed(t, card)) {
			breadth_first(t, card, memory, memory + cards, &sum, &furthest);
			m->diameter = furthest > m->diameter ? furthest : m->diameter;
			sources++;
		}
	}
	free(memory);
	m->mean_distance_with_self = (double)sum / sources / others;
	m->mean_distance = others > 1 ? (double)sum / sources / (others - 1) : 0.0;
	for (unsigned d = 0; d < t->dimensions && !t->wiring; d++) {
		unsigned k = t->radix[d];

		m->dimension_distance[d] = (double)(k / 2) * (double)((k + 1) / 2) / k;
	}
	bisection(t, m);
	return XT_OK;
}
