/* SPDX-License-Identifier: Apache-2.0
 *
 * The packets of all parts. Ranks have copies of a packet, which has one name. Here it gets one number, the same on
 * every rank. */
#pragma once

#include "base/byte_buffer.h"
#include "renumbering.h"

typedef struct {
	uint64_t name;
	const uint32_t *words;
	uint32_t number; /* here */
	uint16_t cells, left;
} named_packet_t;

typedef struct {
	named_packet_t *items;
	uint32_t count, room;
	uint32_t *places; /* of the items by name: number + 1 */
	uint32_t place_room;
	uint8_t *used;    /* by number here */
	uint8_t *unused;  /* takes what does not count */
	uint8_t *reached; /* by number of a place here */
	uint32_t *loaded; /* places */
	uint32_t loaded_count;
} checkpoint_packets_t;

/* Those of a part, of which `in` is what follows its head. 0: out of memory, or the part is damaged. */
int checkpoint_packets_note(
	checkpoint_packets_t *packets, const saved_head_t *head, xt_bytes_reader_t in, unsigned faults);
/* All of them get numbers; 0: out of memory. */
int checkpoint_packets_fetch(checkpoint_packets_t *packets, xt_engine_t *network);
/* Reads the packets, and the places in buffers, of a part, and says which numbers they have here. */
int checkpoint_packets_load(checkpoint_packets_t *packets, xt_engine_t *network, const saved_head_t *head,
	xt_bytes_reader_t *in, renumbering_t *numbers);
/* The packets that the places in buffers of an own card name, and those that such places lead to; the others are free
 * afterwards. 0: out of memory. */
int checkpoint_packets_reach(checkpoint_packets_t *packets, const xt_engine_t *network, const card_t *card);
/* Packets that no own card names are released. What comes of the others by links from other ranks is theirs. */
void checkpoint_packets_forget(checkpoint_packets_t *packets, xt_engine_t *network);
void checkpoint_packets_close(checkpoint_packets_t *packets);
