/* SPDX-License-Identifier: Apache-2.0 */
#include "card_groups.h"

#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"

/* What is at hand while a division is sought. */
typedef struct {
	const xt_topology_t *topology;
	xt_card_groups_t *out;
	unsigned cards, in_service, ports;
	unsigned most_groups, most_cards; /* of the GRT, and of a group by the LRT */
	uint32_t *queue, *above, *size;   /* [card] */
	uint8_t *met;                     /* [card] */
} division_t;

static void free_division(division_t *d)
{
	free(d->queue);
	free(d->above);
	free(d->size);
	free(d->met);
}

static int begin(division_t *d, xt_card_groups_t *out, const xt_topology_t *topology, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	unsigned cards = xt_topology_cards(topology);

	*out = (xt_card_groups_t){0};
	*d = (division_t){.topology = topology, .out = out, .cards = cards, .ports = p->link_ports};
	d->in_service = cards - xt_topology_failed_cards(topology);
	d->most_groups = 1u << p->grt_bits;
	d->most_cards = 1u << p->lrt_bits >> xt_profile_unit_bits(p);
	out->group = calloc(cards, sizeof(*out->group));
	out->address = calloc(cards, sizeof(*out->address));
	d->queue = calloc(cards, sizeof(*d->queue));
	d->above = calloc(cards, sizeof(*d->above));
	d->size = calloc(cards, sizeof(*d->size));
	d->met = calloc(cards, sizeof(*d->met));
	if (!out->group || !out->address || !d->queue || !d->above || !d->size || !d->met) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for groups of %u cards", cards);
	}
	return XT_OK;
}

/* Breadth-first within the group of `start`, along the links or against them. Returns how many cards it meets. */
static unsigned meet(division_t *d, uint32_t start, bool against)
{
	unsigned head = 0, tail = 0;

	d->met[start] = 1;
	d->queue[tail++] = start;
	while (head < tail) {
		uint32_t card = d->queue[head++];

		for (unsigned port = 0; port < d->ports; port++) {
			xt_peer_t next = against ? xt_topology_sender(d->topology, card, port)
						 : xt_topology_peer(d->topology, card, port);

			if (next.card != XT_NO_CARD && !d->met[next.card] &&
				d->out->group[next.card] == d->out->group[start]) {
				d->met[next.card] = 1;
				d->queue[tail++] = next.card;
			}
		}
	}
	return tail;
}

/* Whether all cards in service of each group reach each other within it. */
static bool are_connected(division_t *d)
{
	for (int against = 0; against < 2; against++) {
		unsigned seen = 0;

		memset(d->met, 0, d->cards);
		memset(d->size, 0, d->cards * sizeof(*d->size));
		for (uint32_t card = 0; card < d->cards; card++) {
			uint32_t group = d->out->group[card];

			if (group == XT_NO_CARD || d->size[group]) {
				continue;
			}
			d->size[group] = meet(d, card, against);
			seen += d->size[group];
		}
		if (seen != d->in_service) {
			return false;
		}
	}
	return true;
}

/* Boxes of block[i] coordinates in dimension i. Returns the number of boxes. */
static unsigned take_boxes(division_t *d, const unsigned *block)
{
	unsigned sides = xt_topology_cards_per_node(d->topology), boxes = 1;

	for (uint32_t card = 0; card < d->cards; card++) {
		uint32_t rest = card / sides, group = 0;

		boxes = 1;
		for (unsigned i = 0; i < xt_topology_dimensions(d->topology); i++) {
			unsigned radix = xt_topology_radix(d->topology, i);

			group += rest % radix / block[i] * boxes;
			boxes *= radix / block[i];
			rest /= radix;
		}
		d->out->group[card] = xt_topology_card_failed(d->topology, card) ? XT_NO_CARD : group;
	}
	return boxes;
}

static unsigned least_factor(unsigned n)
{
	for (unsigned f = 2; f * f <= n; f++) {
		if (n % f == 0) {
			return f;
		}
	}
	return n;
}

/* Cuts the longest side of all boxes as often as the boxes stay connected and few enough. */
static bool find_boxes(division_t *d)
{
	unsigned block[XT_MAX_DIMENSIONS], size = xt_topology_cards_per_node(d->topology);
	unsigned dimensions = xt_topology_dimensions(d->topology);
	bool whole[XT_MAX_DIMENSIONS] = {false};

	for (unsigned i = 0; i < dimensions; i++) {
		block[i] = xt_topology_radix(d->topology, i);
	}
	for (;;) {
		unsigned longest = dimensions, factor;

		for (unsigned i = 0; i < dimensions; i++) {
			if (!whole[i] && block[i] > 1 && (longest == dimensions || block[i] > block[longest])) {
				longest = i;
			}
		}
		if (longest == dimensions) {
			break;
		}
		factor = least_factor(block[longest]);
		block[longest] /= factor;
		if (take_boxes(d, block) > d->most_groups || !are_connected(d)) {
			block[longest] *= factor;
			whole[longest] = true;
		}
	}
	for (unsigned i = 0; i < dimensions; i++) {
		size *= block[i];
	}
	d->out->groups = take_boxes(d, block);
	return dimensions > 0 && size <= d->most_cards;
}

/* Cuts branches of at least `least` cards off the tree, smaller ones where the rest would be too large for a group. */
static bool cut_branches(division_t *d, unsigned reached, unsigned least)
{
	uint32_t *group = d->out->group;
	unsigned groups = 0;

	memset(d->size, 0, d->cards * sizeof(*d->size));
	memset(group, 0xff, d->cards * sizeof(*group));
	for (unsigned i = reached; i-- > 0;) {
		uint32_t card = d->queue[i], above = d->above[card];

		d->size[card]++;
		if (i == 0 || d->size[card] >= least || d->size[above] + d->size[card] >= d->most_cards) {
			group[card] = groups++;
		} else {
			d->size[above] += d->size[card];
		}
	}
	for (unsigned i = 0; i < reached; i++) {
		uint32_t card = d->queue[i];

		group[card] = group[card] == XT_NO_CARD ? group[d->above[card]] : group[card];
	}
	d->out->groups = groups;
	return groups <= d->most_groups;
}

static bool find_branches(division_t *d)
{
	unsigned reached, start = 0, least = (d->in_service - 1) / d->most_groups + 1;

	while (xt_topology_card_failed(d->topology, start)) {
		start++;
	}
	/* Every card is in one group, so that the search meets all. */
	memset(d->out->group, 0, d->cards * sizeof(*d->out->group));
	memset(d->met, 0, d->cards);
	reached = meet(d, start, false);
	memset(d->above, 0xff, d->cards * sizeof(*d->above));
	for (unsigned i = 0; i < reached * d->ports; i++) {
		uint32_t card = d->queue[i / d->ports], next = xt_topology_peer(d->topology, card, i % d->ports).card;

		if (next != XT_NO_CARD && next != start && d->above[next] == UINT32_MAX) {
			d->above[next] = card;
		}
	}
	for (; least <= d->most_cards; least += least / 4 + 1) {
		if (cut_branches(d, reached, least)) {
			return true;
		}
	}
	return false;
}

/* Addresses within a group go by the numbers of its cards. Failed cards come last, where there is room. */
static bool number_cards(division_t *d)
{
	const xt_profile_t *p = xt_topology_profile(d->topology);
	unsigned unit_bits = xt_profile_unit_bits(p);
	uint32_t *used = d->size, group = 0;

	memset(used, 0, d->cards * sizeof(*used));
	for (uint32_t card = 0; card < d->cards; card++) {
		uint32_t own = d->out->group[card];

		if (own != XT_NO_CARD) {
			d->out->address[card] = own << p->lrt_bits | used[own]++ << unit_bits;
		}
	}
	for (uint32_t card = 0; card < d->cards; card++) {
		if (d->out->group[card] == XT_NO_CARD) {
			while (group < d->most_groups && used[group] == d->most_cards) {
				group++;
			}
			if (group == d->most_groups) {
				return false;
			}
			d->out->address[card] = group << p->lrt_bits | used[group]++ << unit_bits;
		}
	}
	return true;
}

int xt_card_groups_make(xt_card_groups_t *groups, const xt_topology_t *topology, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	division_t d;
	int status = begin(&d, groups, topology, diag);

	if (status == XT_OK &&
		!((find_boxes(&d) || (!xt_topology_directed(topology) && find_branches(&d))) && number_cards(&d))) {
		status = xt_fail(diag, XT_ERR_RANGE,
			"topology %s: %u PEs do not fit the %u LRT entries of profile %s, and no division into %u "
			"connected groups of %u cards was found for its GRT; use a profile with more lrt_bits, such as "
			"large",
			xt_topology_spec(topology), xt_topology_pes(topology), 1u << p->lrt_bits, p->name,
			d.most_groups, d.most_cards);
	}
	free_division(&d);
	return status;
}

int xt_card_groups_keep(
	xt_card_groups_t *groups, const xt_image_t *image, const xt_topology_t *topology, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	division_t d;
	int status = begin(&d, groups, topology, diag);

	for (uint32_t card = 0; status == XT_OK && card < d.cards; card++) {
		uint32_t address = xt_image_card_address(image, card), group = address >> p->lrt_bits;

		if (group >= d.cards) {
			status = xt_fail(diag, XT_ERR_RANGE,
				"%.80s: card %u has address %u, of group %u, but %u cards are at most as many groups; "
				"route the network anew, without --from",
				xt_topology_spec(topology), card, address, group, d.cards);
			break;
		}
		groups->address[card] = address;
		groups->groups = group >= groups->groups ? group + 1 : groups->groups;
		groups->group[card] = xt_topology_card_failed(topology, card) ? XT_NO_CARD : group;
	}
	if (status == XT_OK && !are_connected(&d)) {
		status = xt_fail(diag, XT_ERR_RANGE,
			"%.80s: the failures cut a group of cards that share GRT entries apart; route the network "
			"anew, without --from",
			xt_topology_spec(topology));
	}
	free_division(&d);
	return status;
}

void xt_card_groups_free(xt_card_groups_t *groups)
{
	free(groups->group);
	free(groups->address);
	*groups = (xt_card_groups_t){0};
}
