/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of an image's cards, and what an entry says. */
#include <string.h>

#include "extorus/profiles.h"
#include "image_internal.h"

const uint64_t *xt_image_grt(const xt_image_t *image, unsigned card)
{
	return image->grt + ((size_t)image->grt_at[card] << image->profile->grt_bits);
}

const uint64_t *xt_image_lrt(const xt_image_t *image, unsigned card)
{
	return image->lrt + ((size_t)image->lrt_at[card] << image->profile->lrt_bits);
}

static void part(uint32_t *at, uint64_t *tables, unsigned bits, uint32_t cards)
{
	for (uint32_t card = 0; card < cards; card++) {
		if (at[card] != card) {
			memcpy(tables + ((size_t)card << bits), tables + ((size_t)at[card] << bits),
				sizeof(*tables) << bits);
			at[card] = card;
		}
	}
}

/* Each card has its own tables again, and they can be changed. */
static void part_tables(xt_image_t *image)
{
	if (image->shared) {
		part(image->grt_at, image->grt, image->profile->grt_bits, image->cards);
		part(image->lrt_at, image->lrt, image->profile->lrt_bits, image->cards);
		image->shared = 0;
	}
}

uint64_t *xt_image_grt_mutable(xt_image_t *image, unsigned card)
{
	part_tables(image);
	return image->grt + ((size_t)card << image->profile->grt_bits);
}

uint64_t *xt_image_lrt_mutable(xt_image_t *image, unsigned card)
{
	part_tables(image);
	return image->lrt + ((size_t)card << image->profile->lrt_bits);
}

uint64_t xt_entry_with_route(uint64_t entry, unsigned tc, xt_route_t route)
{
	uint64_t field = 0;

	field |= (uint64_t)(route.port & ((1u << XT_ENTRY_PORT_BITS) - 1)) << XT_ENTRY_PORT_LSB;
	field |= (uint64_t)(route.vc & ((1u << XT_ENTRY_VC_BITS) - 1)) << XT_ENTRY_VC_LSB;
	field |= (uint64_t)(route.vc >> XT_ENTRY_VC_BITS & 1) << XT_ENTRY_VC_TOP_BIT;
	field |= (uint64_t)(route.adaptive_mask & ((1u << XT_ENTRY_MASK_BITS) - 1)) << XT_ENTRY_MASK_LSB;
	field |= (uint64_t)(route.valid != 0) << XT_ENTRY_VALID_BIT;
	entry &= ~(0xffffull << (XT_ENTRY_TC_BITS * tc));
	return entry | field << (XT_ENTRY_TC_BITS * tc);
}

xt_route_t xt_entry_route(uint64_t entry, unsigned tc)
{
	uint32_t field = (uint32_t)(entry >> (XT_ENTRY_TC_BITS * tc)) & 0xffff;

	return (xt_route_t){
		.valid = (uint8_t)(field >> XT_ENTRY_VALID_BIT & 1),
		.port = (uint8_t)(field >> XT_ENTRY_PORT_LSB & ((1u << XT_ENTRY_PORT_BITS) - 1)),
		.vc = (uint8_t)((field >> XT_ENTRY_VC_LSB & ((1u << XT_ENTRY_VC_BITS) - 1)) |
				(field >> XT_ENTRY_VC_TOP_BIT & 1) << XT_ENTRY_VC_BITS),
		.adaptive_mask = (uint8_t)(field >> XT_ENTRY_MASK_LSB & ((1u << XT_ENTRY_MASK_BITS) - 1)),
	};
}

xt_table_place_t xt_image_table_place(const xt_image_t *image, unsigned card, unsigned tc, uint32_t address)
{
	const xt_profile_t *p = image->profile;
	uint32_t low = (1u << p->lrt_bits) - 1, grt_index = (1u << p->grt_bits) - 1;
	uint32_t differs = (address ^ xt_image_card_address(image, card)) & xt_image_match_mask(image, card, tc);
	int dlo = (differs & low) != 0, dhi = (differs & ~low) != 0;
	int local_first = image->route_order[card] >> tc & 1;
	int global = local_first ? !dlo && dhi : dhi;

	return (xt_table_place_t){global, global ? address >> p->lrt_bits & grt_index : address & low};
}

const uint64_t *xt_image_entry(const xt_image_t *image, unsigned card, unsigned tc, uint32_t address)
{
	xt_table_place_t place = xt_image_table_place(image, card, tc, address);

	return (place.global ? xt_image_grt(image, card) : xt_image_lrt(image, card)) + place.index;
}

xt_route_t xt_image_lookup(const xt_image_t *image, unsigned card, unsigned tc, uint32_t address)
{
	xt_route_t route = xt_entry_route(*xt_image_entry(image, card, tc, address), tc);

	if (route.port >= image->ports) {
		route.valid = 0;
	}
	route.vc &= image->vc_mask[tc];
	return route;
}

int xt_image_shares_entry(const xt_image_t *image, unsigned card, unsigned tc, uint32_t address, uint32_t varying)
{
	uint32_t low = (1u << image->profile->lrt_bits) - 1, mask = xt_image_match_mask(image, card, tc);
	uint32_t differs = (address ^ xt_image_card_address(image, card)) & mask;
	uint32_t may_differ = differs | (varying & mask), differs_in_all = differs & ~varying;
	int local_first = image->route_order[card] >> tc & 1;

	if (!(varying & low)) {
		return !varying || (local_first && (differs_in_all & low)) || !(may_differ & ~low);
	}
	return !(varying & ~low) && (differs_in_all & ~low) && !(local_first && (may_differ & low));
}
