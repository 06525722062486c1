/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of a packet. Every bit of them follows from the packet's name, its source and its sequence number: a header
 * in the first one, and noise. The header's tag holds 32 bits of the sequence number and above them 32 of the source,
 * as far as it reaches; what is left of it is noise. A cell is so many words, least significant first, unused bits 0.
 */
#pragma once

#include <stdint.h>

#include "extorus/image.h"
#include "extorus/profile.h"
#include "extorus/profiles.h"
#include "traffic/packet_generator.h"

enum { XT_MAX_CELL_WORDS = XT_MAX_CELL_BITS / 32 };

/* How cells are made for the PEs of an image. */
typedef struct {
	const xt_image_t *image;
	unsigned words; /* of a cell */
	/* Noise comes 64 bits at a time: so often the whole of them, and then so many bits, if not 0. */
	unsigned whole, rest;
	xt_header_layout_t header;
	unsigned name_bits;     /* of source and sequence number, in the tag */
	unsigned sequence_bits; /* of these */
} xt_payload_t;

/* What a first cell says. */
typedef struct {
	uint32_t destination, source; /* addresses */
	unsigned tc;
	uint64_t name; /* as xt_payload_name says */
} xt_head_t;

/* `image` must live as long as `cells`. */
void xt_payload_set_up(xt_payload_t *payload, const xt_image_t *image);
/* Writes all cells of the packet, one after the other. */
void xt_payload_make(const xt_payload_t *payload, const xt_packet_t *packet, uint32_t *out);
/* Likewise the head alone, if that holds the whole name. */
void xt_payload_make_head(const xt_payload_t *payload, const xt_packet_t *packet, uint32_t *out);
/* Writes all cells behind the head, which is in `words`; 0: the head does not hold the whole name. */
int xt_payload_remake(const xt_payload_t *payload, uint32_t *words, unsigned cells);
/* Writes cell `index` alone. */
void xt_payload_make_one(const xt_payload_t *payload, const xt_packet_t *packet, unsigned index, uint32_t *cell);
/* How many of `count` cells from `first` on, not 0, are as they were made, up to the first that is not. */
unsigned xt_payload_intact(
	const xt_payload_t *payload, const xt_packet_t *packet, unsigned first, unsigned count, const uint32_t *words);
xt_head_t xt_payload_head(const xt_payload_t *payload, const uint32_t *cell);
/* The tag's bits of the packet's name. */
uint64_t xt_payload_name(const xt_payload_t *payload, const uint32_t *cell);
/* Whether they are all of it. */
static inline int xt_payload_name_all(const xt_payload_t *payload)
{
	return payload->name_bits == 64;
}
/* A tag that is wider than the name goes on with noise that follows from the name: whether both fit. */
int xt_payload_name_intact(const xt_payload_t *payload, const uint32_t *cell);
static inline int xt_payload_same(const xt_payload_t *payload, const uint32_t *a, const uint32_t *b)
{
	uint32_t wrong = 0;

	for (unsigned w = 0; w < payload->words; w++) {
		wrong |= a[w] ^ b[w];
	}
	return !wrong;
}
