/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/image.h"

#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "extorus/topology.h"
#include "image_internal.h"
#include "topology/wiring.h"

int xt_image_allocate(const xt_profile_t *profile, uint32_t cards, uint32_t pes, xt_image_t **out, xt_diag_t *diag)
{
	xt_image_t *image = calloc(1, sizeof(*image));
	size_t addresses = (size_t)1 << profile->id_bits;

	*out = NULL;
	if (!image) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	image->profile = profile;
	image->cards = cards;
	image->pes = pes;
	image->pes_per_card = pes / cards;
	image->ports = xt_profile_ports(profile);
	for (unsigned tc = 0; tc < profile->tcs; tc++) {
		image->vc_mask[tc] = xt_profile_tc_vcs(profile, tc) > XT_MAX_RTL_VCS_PER_TC ? 7 : 3;
	}
	image->pe_address = calloc(pes, sizeof(*image->pe_address));
	image->pe_tc_mask = calloc(pes, sizeof(*image->pe_tc_mask));
	image->address_pe = malloc(addresses * sizeof(*image->address_pe));
	image->route_order = calloc(cards, sizeof(*image->route_order));
	image->match_mask = calloc((size_t)cards * profile->tcs, sizeof(*image->match_mask));
	image->peer = calloc((size_t)cards * profile->link_ports, sizeof(*image->peer));
	image->ring = calloc((size_t)cards * profile->link_ports, sizeof(*image->ring));
	if (profile->vc_rings) {
		image->vc_ring_from = calloc((size_t)cards * profile->link_ports, sizeof(*image->vc_ring_from));
	}
	image->adaptive = calloc(cards, sizeof(*image->adaptive));
	image->name = calloc((size_t)cards * image->ports, sizeof(*image->name));
	image->grt_at = calloc(cards, sizeof(*image->grt_at));
	image->lrt_at = calloc(cards, sizeof(*image->lrt_at));
	image->grt = calloc((size_t)cards << profile->grt_bits, sizeof(*image->grt));
	image->lrt = calloc((size_t)cards << profile->lrt_bits, sizeof(*image->lrt));
	if (!image->pe_address || !image->pe_tc_mask || !image->address_pe || !image->route_order ||
		!image->match_mask || !image->peer || !image->ring || (profile->vc_rings && !image->vc_ring_from) ||
		!image->adaptive || !image->name || !image->grt_at || !image->lrt_at || !image->grt || !image->lrt) {
		xt_image_free(image);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for an image of %u cards", (unsigned)cards);
	}
	memset(image->address_pe, 0xff, addresses * sizeof(*image->address_pe));
	for (size_t i = 0; i < (size_t)cards * profile->link_ports; i++) {
		image->peer[i].card = XT_NO_CARD;
	}
	for (uint32_t card = 0; card < cards; card++) {
		image->grt_at[card] = image->lrt_at[card] = card;
	}
	*out = image;
	return XT_OK;
}

void xt_image_free(xt_image_t *image)
{
	if (!image) {
		return;
	}
	free(image->pe_address);
	free(image->pe_tc_mask);
	free(image->address_pe);
	free(image->route_order);
	free(image->match_mask);
	free(image->peer);
	free(image->ring);
	free(image->vc_ring_from);
	free(image->adaptive);
	free(image->name);
	free(image->grt_at);
	free(image->lrt_at);
	free(image->grt);
	free(image->lrt);
	free(image);
}

/* How many dimensions go into the local part of an address: as many low ones as fit with the digits of
 * side and unit. */
static unsigned local_dimensions(const xt_topology_t *topology, unsigned *local_cards)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	unsigned room = (1u << p->lrt_bits) >> xt_profile_unit_bits(p), d = 0;

	if (xt_topology_dimensions(topology) == 0) {
		*local_cards = xt_topology_cards(topology);
		while (xt_topology_card_pes(topology, *local_cards - 1) == 0) {
			(*local_cards)--;
		}
		return 0;
	}
	*local_cards = xt_topology_cards_per_node(topology);
	while (d < xt_topology_dimensions(topology) &&
		(uint64_t)*local_cards * xt_topology_radix(topology, d) <= room) {
		*local_cards *= xt_topology_radix(topology, d++);
	}
	return d;
}

static int check_address_space(
	const xt_topology_t *topology, unsigned dimensions, unsigned local_cards, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(topology);
	unsigned global_size = xt_topology_dimensions(topology) ? xt_topology_cards(topology) / local_cards : 1;

	if (local_cards << xt_profile_unit_bits(p) > 1u << p->lrt_bits && xt_topology_dimensions(topology) == 0) {
		const xt_profile_t *other = xt_profile_with_entries(p, local_cards << xt_profile_unit_bits(p), 1);

		return xt_fail(diag, XT_ERR_RANGE,
			"topology %s: %u cards are more than the %u LRT entries of profile %s can tell apart; use at "
			"most %u cards%s%s",
			xt_topology_spec(topology), local_cards, 1u << p->lrt_bits, p->name,
			1u << p->lrt_bits >> xt_profile_unit_bits(p),
			other ? ", or --profile " : ": no profile has as many entries", other ? other->name : "");
	}
	if (local_cards << xt_profile_unit_bits(p) > 1u << p->lrt_bits) {
		return xt_fail(diag, XT_ERR_RANGE,
			"topology %s: a node's cards alone exceed the %u LRT entries of profile %s; use a profile with "
			"more lrt_bits",
			xt_topology_spec(topology), 1u << p->lrt_bits, p->name);
	}
	if (global_size > 1u << p->grt_bits) {
		return xt_fail(diag, XT_ERR_RANGE,
			"topology %s: dimensions from %u on have %u combinations, the GRT of profile %s has %u "
			"entries; "
			"reorder the dimensions, lower a radix or use a profile with more grt_bits",
			xt_topology_spec(topology), dimensions, global_size, p->name, 1u << p->grt_bits);
	}
	return XT_OK;
}

static uint16_t adaptive_ports(const xt_topology_t *topology, unsigned card)
{
	int internal = xt_topology_internal_port(topology), split = xt_topology_split_dimension(topology);
	unsigned ports = internal >= 0 ? 1u << internal : 0;

	for (unsigned direction = 0; split >= 0 && direction < 2; direction++) {
		int port = xt_topology_dimension_port(topology, card, (unsigned)split, direction);

		ports |= port >= 0 ? 1u << port << XT_FIELD_ADAPTIVE_PORTS_MIDDLE_LSB : 0;
	}
	return (uint16_t)ports;
}

/* Everything of a topology but the addresses. */
static int describe(const xt_topology_t *topology, const char *algorithm, xt_image_t **out, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_topology_profile(topology);
	xt_image_t *image;
	int status;

	*out = NULL;
	status = xt_image_allocate(profile, xt_topology_cards(topology), xt_topology_pes(topology), &image, diag);
	if (status != XT_OK) {
		return status;
	}
	strncpy(image->spec, xt_topology_spec(topology), sizeof(image->spec) - 1);
	strncpy(image->algorithm, algorithm, sizeof(image->algorithm) - 1);
	for (unsigned card = 0; card < image->cards; card++) {
		image->adaptive[card] = adaptive_ports(topology, card);
		for (unsigned port = 0; port < image->ports; port++) {
			xt_port_name_t *name = &image->name[(size_t)card * image->ports + port];

			strncpy(name->text, xt_topology_port_name(topology, card, port), sizeof(name->text) - 1);
			if (port < profile->link_ports) {
				image->peer[(size_t)card * profile->link_ports + port] =
					xt_topology_peer(topology, card, port);
			}
		}
	}
	*out = image;
	return XT_OK;
}

static void place_pe(const xt_topology_t *topology, xt_image_t *image, unsigned pe, uint32_t address)
{
	if (xt_image_pe_unit(image, pe) < xt_topology_card_pes(topology, xt_image_pe_card(image, pe))) {
		image->pe_address[pe] = address;
		image->address_pe[address] = (int32_t)pe;
		image->pe_tc_mask[pe] = (uint8_t)((1u << image->profile->tcs) - 1);
	}
}

int xt_image_create(const xt_topology_t *topology, const char *algorithm, xt_image_t **out, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_topology_profile(topology);
	unsigned local_cards, dimensions = local_dimensions(topology, &local_cards);
	int status = check_address_space(topology, dimensions, local_cards, diag);

	*out = NULL;
	if (status != XT_OK || (status = describe(topology, algorithm, out, diag)) != XT_OK) {
		return status;
	}
	for (unsigned pe = 0; pe < (*out)->pes; pe++) {
		unsigned card = xt_image_pe_card(*out, pe);

		place_pe(topology, *out, pe,
			card / local_cards << profile->lrt_bits | card % local_cards << xt_profile_unit_bits(profile) |
				xt_image_pe_unit(*out, pe));
	}
	return XT_OK;
}

int xt_image_create_at(const xt_topology_t *topology, const char *algorithm, const uint32_t *address, xt_image_t **out,
	xt_diag_t *diag)
{
	xt_image_t *image;
	int status = describe(topology, algorithm, &image, diag);

	*out = NULL;
	for (unsigned pe = 0; status == XT_OK && pe < image->pes; pe++) {
		uint32_t of_pe = address[xt_image_pe_card(image, pe)] | xt_image_pe_unit(image, pe);

		if (of_pe >> image->profile->id_bits || image->address_pe[of_pe] >= 0) {
			status = xt_fail(diag, XT_ERR_RANGE, "topology %s: address %u of PE %u %s",
				xt_topology_spec(topology), of_pe, pe,
				of_pe >> image->profile->id_bits ? "has more bits than the profile's ids"
								 : "is that of another PE");
			xt_image_free(image);
			return status;
		}
		/* A card without a PE is known to its tables by an address as well. */
		image->pe_address[pe] = of_pe;
		place_pe(topology, image, pe, of_pe);
	}
	*out = image;
	return status;
}

const xt_profile_t *xt_image_profile(const xt_image_t *image)
{
	return image->profile;
}

const char *xt_image_topology(const xt_image_t *image)
{
	return image->spec;
}

int xt_image_parse_topology(const xt_image_t *image, xt_topology_t **out, xt_diag_t *diag)
{
	return xt_image_parse_damaged(image, "", out, diag);
}

int xt_image_parse_damaged(const xt_image_t *image, const char *failures, xt_topology_t **out, xt_diag_t *diag)
{
	uint8_t *pes = calloc(image->cards, sizeof(*pes));
	int status;

	*out = NULL;
	if (!pes) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (unsigned pe = 0; pe < image->pes; pe++) {
		pes[xt_image_pe_card(image, pe)] += xt_image_has_pe(image, pe);
	}
	status = xt_topology_rewire(image->spec, failures, image->profile, image->cards, image->peer, pes, out, diag);
	free(pes);
	return status;
}

const char *xt_image_algorithm(const xt_image_t *image)
{
	return image->algorithm;
}

unsigned xt_image_cards(const xt_image_t *image)
{
	return image->cards;
}

unsigned xt_image_pes(const xt_image_t *image)
{
	return image->pes;
}

uint32_t xt_image_pe_card(const xt_image_t *image, unsigned pe)
{
	return pe / image->pes_per_card;
}

unsigned xt_image_pe_unit(const xt_image_t *image, unsigned pe)
{
	return pe % image->pes_per_card;
}

uint32_t xt_image_pe_address(const xt_image_t *image, unsigned pe)
{
	return image->pe_address[pe];
}

int xt_image_address_pe(const xt_image_t *image, uint32_t address)
{
	return address >> image->profile->id_bits ? -1 : image->address_pe[address];
}

unsigned xt_image_pe_tc_mask(const xt_image_t *image, unsigned pe)
{
	return image->pe_tc_mask[pe];
}

uint32_t xt_image_last_address(const xt_image_t *image)
{
	uint32_t last = 0;

	for (unsigned pe = 0; pe < image->pes; pe++) {
		last = image->pe_address[pe] > last ? image->pe_address[pe] : last;
	}
	return last;
}

bool xt_image_has_pe(const xt_image_t *image, unsigned pe)
{
	return image->address_pe[image->pe_address[pe]] == (int32_t)pe;
}

int xt_image_pe_in_service(const xt_image_t *image, unsigned pe)
{
	if (!xt_image_has_pe(image, pe)) {
		return 0;
	}
	if (image->pe_tc_mask[pe] != 0 || image->cards == 1) {
		return 1;
	}
	for (unsigned port = 0; port < image->profile->link_ports; port++) {
		if (xt_image_peer(image, xt_image_pe_card(image, pe), port).card != XT_NO_CARD) {
			return 1;
		}
	}
	return 0;
}

void xt_image_set_pe_tc_mask(xt_image_t *image, unsigned pe, unsigned mask)
{
	image->pe_tc_mask[pe] = (uint8_t)(xt_image_has_pe(image, pe) ? mask & ((1u << image->profile->tcs) - 1) : 0);
}

xt_peer_t xt_image_peer(const xt_image_t *image, unsigned card, unsigned port)
{
	if (port >= image->profile->link_ports) {
		return (xt_peer_t){XT_NO_CARD, 0};
	}
	return image->peer[(size_t)card * image->profile->link_ports + port];
}

const xt_peer_t *xt_image_peers(const xt_image_t *image, unsigned card)
{
	return image->peer + (size_t)card * image->profile->link_ports;
}

const char *xt_image_port_name(const xt_image_t *image, unsigned card, unsigned port)
{
	return image->name[(size_t)card * image->ports + port].text;
}

uint32_t xt_image_card_address(const xt_image_t *image, unsigned card)
{
	return image->pe_address[(size_t)card * image->pes_per_card];
}

uint32_t xt_image_route_order(const xt_image_t *image, unsigned card)
{
	return image->route_order[card];
}

void xt_image_set_route_order(xt_image_t *image, unsigned card, uint32_t order)
{
	image->route_order[card] = order & ((1u << image->profile->tcs) - 1);
}

uint32_t xt_image_match_mask(const xt_image_t *image, unsigned card, unsigned tc)
{
	return image->match_mask[(size_t)card * image->profile->tcs + tc];
}

void xt_image_set_match_mask(xt_image_t *image, unsigned card, unsigned tc, uint32_t mask)
{
	image->match_mask[(size_t)card * image->profile->tcs + tc] =
		mask & (uint32_t)((1ull << image->profile->id_bits) - 1);
}

uint32_t xt_image_ring(const xt_image_t *image, unsigned card, unsigned port)
{
	return image->ring[(size_t)card * image->profile->link_ports + port];
}

void xt_image_set_ring(xt_image_t *image, unsigned card, unsigned port, uint32_t word)
{
	image->ring[(size_t)card * image->profile->link_ports + port] = (uint16_t)word;
}

uint32_t xt_image_vc_ring_from(const xt_image_t *image, unsigned card, unsigned port)
{
	return image->vc_ring_from ? image->vc_ring_from[(size_t)card * image->profile->link_ports + port] : 0;
}

void xt_image_set_vc_ring_from(xt_image_t *image, unsigned card, unsigned port, uint32_t word)
{
	if (image->vc_ring_from) {
		image->vc_ring_from[(size_t)card * image->profile->link_ports + port] = (uint16_t)word;
	}
}

uint32_t xt_image_adaptive_ports(const xt_image_t *image, unsigned card)
{
	return image->adaptive[card];
}

static uint32_t field_mask(unsigned bits)
{
	return (1u << bits) - 1;
}

uint32_t xt_ring_pack(xt_ring_t ring)
{
	return (ring.from & field_mask(XT_FIELD_RING_FROM_BITS)) << XT_FIELD_RING_FROM_LSB |
	       (ring.vcs & field_mask(XT_FIELD_RING_VCS_BITS)) << XT_FIELD_RING_VCS_LSB |
	       (ring.from_vcs & field_mask(XT_FIELD_RING_FROM_VCS_BITS)) << XT_FIELD_RING_FROM_VCS_LSB;
}

xt_ring_t xt_ring_unpack(uint32_t word)
{
	return (xt_ring_t){
		.from = word >> XT_FIELD_RING_FROM_LSB & field_mask(XT_FIELD_RING_FROM_BITS),
		.vcs = word >> XT_FIELD_RING_VCS_LSB & field_mask(XT_FIELD_RING_VCS_BITS),
		.from_vcs = word >> XT_FIELD_RING_FROM_VCS_LSB & field_mask(XT_FIELD_RING_FROM_VCS_BITS),
	};
}

/* VC 1 has the lowest bits of VC_RING_FROM. */
static unsigned from_lsb(unsigned vc)
{
	return (vc - 1) * XT_FIELD_VC_RING_FROM_VC1_BITS;
}

unsigned xt_ring_from(uint32_t ring, uint32_t vc_ring_from, unsigned vc)
{
	return vc == 0 ? xt_ring_unpack(ring).from
		       : vc_ring_from >> from_lsb(vc) & field_mask(XT_FIELD_VC_RING_FROM_VC1_BITS);
}

uint32_t xt_ring_from_with(uint32_t vc_ring_from, unsigned vc, unsigned from)
{
	const uint32_t mask = field_mask(XT_FIELD_VC_RING_FROM_VC1_BITS);

	return vc == 0 ? vc_ring_from : (vc_ring_from & ~(mask << from_lsb(vc))) | (from & mask) << from_lsb(vc);
}

bool xt_image_continues_ring(
	const xt_image_t *image, unsigned card, unsigned port, unsigned vc, unsigned from, unsigned from_vc)
{
	const uint32_t word = xt_image_ring(image, card, port);
	const xt_ring_t ring = xt_ring_unpack(word);
	const unsigned ring_from =
		image->profile->vc_rings ? xt_ring_from(word, xt_image_vc_ring_from(image, card, port), vc) : ring.from;

	return (ring.vcs >> vc & 1) && (ring.from_vcs >> from_vc & 1) && ring_from == from;
}
