/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include <string.h>

#include "base/number.h"
#include "extorus/random.h"

/* Up to 64 bits that start in any word, not above the cell's last one. */
static void put_bits(uint32_t *words, unsigned lsb, unsigned bits, uint64_t value)
{
	const uint64_t all = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	const unsigned at = lsb % 32;

	words += lsb / 32;
	*words = (*words & ~(uint32_t)(all << at)) | (uint32_t)(value << at & all << at);
	for (unsigned put = 32 - at; put < bits; put += 32) {
		words++;
		*words = (*words & ~(uint32_t)(all >> put)) | (uint32_t)((value & all) >> put);
	}
}

static uint64_t get_bits(const uint32_t *words, unsigned lsb, unsigned bits)
{
	const unsigned at = lsb % 32;
	uint64_t value;

	words += lsb / 32;
	value = *words >> at;
	for (unsigned got = 32 - at; got < bits; got += 32) {
		value |= (uint64_t) * ++words << got;
	}
	return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint32_t low_bits(uint64_t value, unsigned bits)
{
	return (uint32_t)(value & ((UINT64_C(1) << bits) - 1));
}

void xt_payload_set_up(xt_payload_t *payload, const xt_image_t *image)
{
	const xt_profile_t *profile = xt_image_profile(image);

	payload->image = image;
	payload->words = (profile->cell_bits + 31) / 32;
	payload->whole = profile->cell_bits / 64;
	payload->rest = profile->cell_bits % 64;
	payload->header = xt_profile_header(profile);
	payload->name_bits = (unsigned)xt_least(payload->header.tag_bits, 64);
	payload->sequence_bits = (unsigned)xt_least(payload->header.tag_bits, 32);
}

/* ---------------------------------------------------------------- noise */

/* A Weyl sequence, which begins at a hash of the packet's name, with the upper half of each number on its lower one:
 * cheap, different in all cells of a packet and in what packets have at one place, which is all that it is for. */
static const uint64_t weyl_step = 0x9e3779b97f4a7c15u;

static inline uint64_t noise_of(uint64_t number)
{
	return number ^ number >> 32;
}

/* The first number of a cell. */
static inline uint64_t seed_of(const xt_payload_t *payload, uint64_t name, unsigned index)
{
	return xt_mix64(name) + (uint64_t)index * payload->words * weyl_step;
}

static uint64_t name_of(const xt_packet_t *packet)
{
	return (uint64_t)packet->source << 32 | packet->sequence;
}

static inline void make_noise(const xt_payload_t *payload, uint64_t seed, uint32_t *cell)
{
	for (unsigned i = 0; i < payload->whole; i++, cell += 2, seed += weyl_step) {
		const uint64_t noise = noise_of(seed);

		cell[0] = (uint32_t)noise;
		cell[1] = (uint32_t)(noise >> 32);
	}
	if (payload->rest) {
		const uint64_t noise = noise_of(seed) >> (64 - payload->rest);

		cell[0] = (uint32_t)noise;
		if (payload->rest > 32) {
			cell[1] = (uint32_t)(noise >> 32);
		}
	}
}

static inline int is_noise(const xt_payload_t *payload, uint64_t seed, const uint32_t *cell)
{
	uint64_t wrong = 0;

	for (unsigned i = 0; i < payload->whole; i++, cell += 2, seed += weyl_step) {
		wrong |= noise_of(seed) ^ (cell[0] | (uint64_t)cell[1] << 32);
	}
	if (payload->rest) {
		const uint64_t upper = payload->rest > 32 ? (uint64_t)cell[1] << 32 : 0;

		wrong |= noise_of(seed) >> (64 - payload->rest) ^ (cell[0] | upper);
	}
	return !wrong;
}

/* ---------------------------------------------------------------- cells */

/* The fields lie one after the other from bit 0 on, the tag last. */
static void put_header(const xt_payload_t *payload, const xt_packet_t *packet, uint32_t *cell)
{
	const xt_header_layout_t *h = &payload->header;
	uint64_t fields = (uint64_t)xt_image_pe_address(payload->image, packet->destination) << h->dest_lsb;

	fields |= (uint64_t)xt_image_pe_address(payload->image, packet->source) << h->src_lsb;
	fields |= (uint64_t)(packet->cells - 1u) << h->len_lsb;
	fields |= (uint64_t)packet->tc << h->tc_lsb;
	put_bits(cell, 0, h->tag_lsb, fields);
	put_bits(cell, h->tag_lsb, payload->name_bits, name_of(packet));
}

void xt_payload_make_one(const xt_payload_t *payload, const xt_packet_t *packet, unsigned index, uint32_t *cell)
{
	make_noise(payload, seed_of(payload, name_of(packet), index), cell);
	if (index == 0) {
		put_header(payload, packet, cell);
	}
}

/* Cells `first` to `end` - 1 of the packet of that name, without a header. */
static void make_cells(const xt_payload_t *payload, uint64_t name, unsigned first, unsigned end, uint32_t *out)
{
	const uint64_t step = payload->words * weyl_step;
	uint64_t seed = seed_of(payload, name, first);

	for (unsigned i = first; i < end; i++, seed += step) {
		make_noise(payload, seed, out + (size_t)i * payload->words);
	}
}

void xt_payload_make(const xt_payload_t *payload, const xt_packet_t *packet, uint32_t *out)
{
	make_cells(payload, name_of(packet), 0, packet->cells, out);
	put_header(payload, packet, out);
}

void xt_payload_make_head(const xt_payload_t *payload, const xt_packet_t *packet, uint32_t *out)
{
	if (xt_payload_name_all(payload)) {
		xt_payload_make_one(payload, packet, 0, out);
	} else {
		xt_payload_make(payload, packet, out);
	}
}

int xt_payload_remake(const xt_payload_t *payload, uint32_t *words, unsigned cells)
{
	if (!xt_payload_name_all(payload)) {
		return 0;
	}
	make_cells(payload, xt_payload_name(payload, words), 1, cells, words);
	return 1;
}

unsigned xt_payload_intact(
	const xt_payload_t *payload, const xt_packet_t *packet, unsigned first, unsigned count, const uint32_t *words)
{
	const uint64_t step = payload->words * weyl_step;
	uint64_t seed = seed_of(payload, name_of(packet), first);
	unsigned intact = 0;

	while (intact < count && is_noise(payload, seed, words)) {
		intact++;
		seed += step;
		words += payload->words;
	}
	return intact;
}

xt_head_t xt_payload_head(const xt_payload_t *payload, const uint32_t *cell)
{
	const xt_header_layout_t *h = &payload->header;
	const uint64_t fields = get_bits(cell, 0, h->tag_lsb);

	return (xt_head_t){
		.destination = low_bits(fields >> h->dest_lsb, h->dest_bits),
		.source = low_bits(fields >> h->src_lsb, h->src_bits),
		.tc = low_bits(fields >> h->tc_lsb, h->tc_bits),
		.name = xt_payload_name(payload, cell),
	};
}

uint64_t xt_payload_name(const xt_payload_t *payload, const uint32_t *cell)
{
	return get_bits(cell, payload->header.tag_lsb, payload->name_bits);
}

int xt_payload_name_intact(const xt_payload_t *payload, const uint32_t *cell)
{
	const xt_header_layout_t *h = &payload->header;
	const unsigned extra = (unsigned)xt_least(h->tag_bits - payload->name_bits, 64);
	uint32_t noise[XT_MAX_CELL_WORDS];

	make_noise(payload, seed_of(payload, xt_payload_name(payload, cell), 0), noise);
	return get_bits(noise, h->tag_lsb + payload->name_bits, extra) ==
	       get_bits(cell, h->tag_lsb + payload->name_bits, extra);
}
