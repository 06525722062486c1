/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/topology.h"

#include <stdlib.h>

#include "topology_internal.h"

void xt_topology_add_port(xt_topology_t *t, unsigned layout, unsigned port, unsigned dimension, unsigned direction)
{
	t->port[layout][port].dimension = (int)dimension;
	t->port[layout][port].direction = direction;
	t->dimension_port[layout][dimension][direction] = (int)port;
	snprintf(t->port[layout][port].name, XT_TOPOLOGY_NAME_SIZE, "d%u%c", dimension % 10, direction ? '+' : '-');
}

void xt_topology_free(xt_topology_t *topology)
{
	if (topology) {
		xt_wiring_free(topology->wiring);
		free(topology);
	}
}

const xt_wiring_t *xt_topology_wiring(const xt_topology_t *topology)
{
	return topology->wiring;
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

const char *xt_topology_card_name(const xt_topology_t *topology, unsigned card)
{
	const xt_card_label_t *labels = topology->wiring ? topology->wiring->labels : NULL;

	return labels ? labels[card].name : NULL;
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

unsigned xt_topology_card_pes(const xt_topology_t *topology, unsigned card)
{
	return topology->wiring ? topology->wiring->pes[card] : topology->profile->nic_ports;
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

static unsigned layout_of(const xt_topology_t *t, unsigned card)
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
		int port = t->dimension_port[layout_of(t, peer)][dimension][!direction];

		if (port >= 0) {
			return (xt_peer_t){peer, (uint32_t)port};
		}
	}
	return (xt_peer_t){XT_NO_CARD, 0};
}

/* The other end of a link on which `card` sends (or, otherwise, receives). */
static xt_peer_t link_end(const xt_topology_t *t, unsigned card, unsigned port, bool sending)
{
	unsigned layout = layout_of(t, card), d, direction;
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
	return t->port[layout_of(t, card)][port].name;
}

int xt_topology_dimension_port(const xt_topology_t *t, unsigned card, unsigned dimension, unsigned direction)
{
	return t->dimension_port[layout_of(t, card)][dimension][direction];
}

int xt_topology_internal_port(const xt_topology_t *topology)
{
	return topology->internal_port;
}

int xt_topology_port_dimension(const xt_topology_t *t, unsigned card, unsigned port)
{
	return t->port[layout_of(t, card)][port].dimension;
}

unsigned xt_topology_largest_radix(const xt_topology_t *t)
{
	unsigned largest = 1;

	for (unsigned d = 0; d < t->dimensions; d++) {
		largest = t->radix[d] > largest ? t->radix[d] : largest;
	}
	return largest;
}

unsigned xt_topology_class(const xt_topology_t *t, unsigned card)
{
	unsigned class = 0;

	if (t->wiring) {
		return card;
	}
	for (unsigned d = t->dimensions; d-- > 0;) {
		class = class * t->period[d] + xt_topology_coordinate(t, card, d) % t->period[d];
	}
	return class * t->family->sides + card % t->family->sides;
}

unsigned xt_topology_classes(const xt_topology_t *t)
{
	unsigned product = t->family->sides;

	if (t->wiring) {
		return xt_topology_cards(t);
	}
	for (unsigned d = 0; d < t->dimensions; d++) {
		product *= t->period[d];
	}
	return product;
}

bool xt_topology_stands_for_class(const xt_topology_t *t, unsigned card)
{
	if (t->wiring) {
		return !t->wiring->failed[card];
	}
	for (unsigned d = 0; d < t->dimensions; d++) {
		if (xt_topology_coordinate(t, card, d) >= t->period[d]) {
			return false;
		}
	}
	return true;
}

void xt_topology_write_coordinates(const xt_topology_t *t, unsigned card, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (unsigned d = 0; d < xt_topology_dimensions(t) && used < size; d++) {
		used += (size_t)snprintf(text + used, size - used, "%s%u%s", d ? "," : "(",
			xt_topology_coordinate(t, card, d), d + 1 == xt_topology_dimensions(t) ? ")" : "");
	}
}
