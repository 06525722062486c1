/* SPDX-License-Identifier: Apache-2.0 */
#include "packets.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

int packets_open(packets_t *packets)
{
	memset(packets, 0, sizeof(*packets));
	packets->packet_room = packets->buffered_room = FIRST_ROOM;
	packets->packets = calloc(FIRST_ROOM, sizeof(*packets->packets));
	packets->buffered = calloc(FIRST_ROOM, sizeof(*packets->buffered));
	packets->free_words = calloc(PACKET_CELLS + 1u, sizeof(*packets->free_words));
	/* Number 0 is none. */
	packets->packet_count = packets->buffered_count = 1;
	return packets->packets && packets->buffered && packets->free_words;
}

void packets_close(packets_t *packets)
{
	for (uint32_t i = 1; packets->packets && i < packets->packet_count; i++) {
		free(packets->packets[i].words);
	}
	for (uint32_t i = 1; packets->buffered && i < packets->buffered_count; i++) {
		free(packets->buffered[i].odd);
	}
	for (unsigned cells = 1; packets->free_words && cells <= PACKET_CELLS; cells++) {
		while (packets->free_words[cells]) {
			uint32_t *words = packets->free_words[cells];

			memcpy(&packets->free_words[cells], words, sizeof(words));
			free(words);
		}
	}
	free(packets->packets);
	free(packets->buffered);
	free(packets->free_words);
	memset(packets, 0, sizeof(*packets));
}

static uint32_t *new_words(packets_t *packets, unsigned cells)
{
	uint32_t *words = packets->free_words[cells];
	size_t size = (size_t)cells * CELL_WORDS * sizeof(*words);

	if (words) {
		memcpy(&packets->free_words[cells], words, sizeof(words));
		return words;
	}
	return malloc(size < sizeof(words) ? sizeof(words) : size);
}

/* At least one more packet can be taken. */
static int grow(packets_t *packets)
{
	uint32_t room = packets->packet_room * 2;
	packet_t *more;

	if (packets->packet_count < packets->packet_room) {
		return 1;
	}
	more = room <= MAX_PACKETS ? realloc(packets->packets, room * sizeof(*more)) : NULL;
	if (!more) {
		packets->failed = 1;
		return 0;
	}
	packets->packets = more;
	packets->packet_room = room;
	return 1;
}

uint32_t packets_fetch(packets_t *packets, const uint32_t *words, unsigned cells)
{
	uint32_t number = packets->free_packet;
	uint32_t *copy = new_words(packets, cells);
	packet_t *p;

	if (!copy || (!number && !grow(packets))) {
		free(copy);
		packets->failed = 1;
		return 0;
	}
	if (number) {
		packets->free_packet = packets->packets[number].next_free;
	} else {
		number = packets->packet_count++;
	}
	p = &packets->packets[number];
	memset(p, 0, sizeof(*p));
	p->words = copy;
	p->cells = p->left = (uint16_t)cells;
	memcpy(copy, words, (size_t)cells * CELL_WORDS * sizeof(*copy));
	packets_decode(packets, number);
	return number;
}

void packets_release(packets_t *packets, uint32_t packet)
{
	packet_t *p = &packets->packets[packet];

	memcpy(p->words, &packets->free_words[p->cells], sizeof(p->words));
	packets->free_words[p->cells] = p->words;
	p->words = NULL;
	p->next_free = packets->free_packet;
	packets->free_packet = packet;
}

static unsigned field(const uint32_t *words, unsigned lsb, unsigned bits)
{
	uint64_t pair = words[lsb / 32];

	if (lsb / 32 != (lsb + bits - 1) / 32) {
		pair |= (uint64_t)words[lsb / 32 + 1] << 32;
	}
	return (unsigned)(pair >> lsb % 32 & ((UINT64_C(1) << bits) - 1));
}

static header_t header_of(const uint32_t *words)
{
	header_t header = {
		.dest = field(words, EXTORUS_HEADER_DEST_LSB, EXTORUS_HEADER_DEST_BITS),
		.len = (uint8_t)field(words, EXTORUS_HEADER_LENGTH_LSB, EXTORUS_HEADER_LENGTH_BITS),
		.tc = (uint8_t)field(words, EXTORUS_HEADER_TC_LSB, EXTORUS_HEADER_TC_BITS),
	};

	return header;
}

void packets_decode(packets_t *packets, uint32_t packet)
{
	packet_t *p = &packets->packets[packet];

	p->header = header_of(p->words);
}

const uint32_t *packets_cell(const packets_t *packets, token_t token)
{
	static const uint32_t zero[CELL_WORDS];
	const packet_t *p = &packets->packets[token_packet(token)];

	return p->words && token_index(token) < p->cells ? p->words + (size_t)token_index(token) * CELL_WORDS : zero;
}

header_t packets_odd_header(const packets_t *packets, token_t token)
{
	return header_of(packets_cell(packets, token));
}

uint32_t packets_more_buffered(packets_t *packets)
{
	if (packets->buffered_count == packets->buffered_room) {
		uint32_t room = packets->buffered_room * 2;
		buffered_t *more = realloc(packets->buffered, room * sizeof(*more));

		if (!more) {
			packets->failed = 1;
			return 0;
		}
		packets->buffered = more;
		packets->buffered_room = room;
	}
	packets->buffered[packets->buffered_count].odd = NULL;
	return packets->buffered_count++;
}

void packets_begin_odd(packets_t *packets, buffered_t *b)
{
	b->odd = calloc((size_t)1 << EXTORUS_HEADER_LENGTH_BITS, sizeof(*b->odd));
	if (!b->odd) {
		packets->failed = 1;
		return;
	}
	for (unsigned i = 0; i < b->arrived; i++) {
		b->odd[i] = token_of(b->packet, i);
	}
}

void buffered_release_odd(packets_t *packets, buffered_t *b)
{
	(void)packets;
	free(b->odd);
	b->odd = NULL;
}
