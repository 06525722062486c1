/* SPDX-License-Identifier: Apache-2.0 */
#include "packet_pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ROOM = 1024,
	DRAWN = 64, /* numbers that a shard takes at a time */
};

/* Words that are free begin with the address of the next ones, whatever its alignment. */
static void *next_free(const void *words)
{
	void *next;

	memcpy(&next, words, sizeof(next));
	return next;
}

static void put_free(uint32_t *words, uint32_t **first)
{
	void *next = *first;

	memcpy((void *)words, &next, sizeof(next));
	*first = words;
}

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

			packets->free_words[cells] = next_free(words);
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
		packets->free_words[cells] = next_free(words);
		return words;
	}
	return malloc(size < sizeof(words) ? sizeof(words) : size);
}

static int grow_packets(packets_t *packets, uint32_t room)
{
	packet_t *more = room <= MAX_PACKETS ? realloc(packets->packets, room * sizeof(*more)) : NULL;

	if (!more) {
		packets->failed = 1;
		return 0;
	}
	packets->packets = more;
	packets->packet_room = room;
	return 1;
}

static int grow_buffered(packets_t *packets, uint32_t room)
{
	buffered_t *more = realloc(packets->buffered, room * sizeof(*more));

	if (!more) {
		packets->failed = 1;
		return 0;
	}
	packets->buffered = more;
	packets->buffered_room = room;
	return 1;
}

/* One of the whole's numbers, of which `count` are given out and `room` exist, for a shard; 0: there is none. They come
 * several at a time, so that neighbours in a cache line are mostly of one shard. */
static uint32_t draw_number(packets_t *shard, numbers_t *fresh, uint32_t *count, uint32_t room)
{
	if (fresh->next == fresh->end) {
		const uint32_t number = __atomic_fetch_add(count, DRAWN, __ATOMIC_RELAXED);

		if (number + DRAWN > room) {
			__atomic_fetch_sub(count, DRAWN, __ATOMIC_RELAXED);
			shard->failed = 1;
			return 0;
		}
		*fresh = (numbers_t){number, number + DRAWN};
	}
	return fresh->next++;
}

/* The number of a packet that is not one of the free ones. */
static uint32_t more_packets(packets_t *packets)
{
	if (packets->whole) {
		return draw_number(
			packets, &packets->fresh_packets, &packets->whole->packet_count, packets->whole->packet_room);
	}
	return packets->packet_count < packets->packet_room || grow_packets(packets, packets->packet_room * 2)
		       ? packets->packet_count++
		       : 0;
}

void packets_reserve(packets_t *whole, unsigned shards, uint32_t packets, uint32_t buffered)
{
	const uint32_t drawn = shards * DRAWN; /* at most, and not used */
	uint32_t room = whole->packet_room;

	while (room < MAX_PACKETS && room - whole->packet_count < packets + drawn) {
		room *= 2;
	}
	if (room != whole->packet_room) {
		grow_packets(whole, room);
	}
	room = whole->buffered_room;
	while (room - whole->buffered_count < buffered + drawn) {
		room *= 2;
	}
	if (room != whole->buffered_room) {
		grow_buffered(whole, room);
	}
}

/* The free numbers and payloads of `from`, one after the other to each of `to`. */
static void deal(packets_t *from, packets_t **to, unsigned count)
{
	unsigned at = 0;

	while (from->free_packet) {
		const uint32_t number = from->free_packet;

		from->free_packet = from->packets[number].next_free;
		from->packets[number].next_free = to[at]->free_packet;
		to[at]->free_packet = number;
		at = (at + 1) % count;
	}
	while (from->free_buffered) {
		const uint32_t number = from->free_buffered;

		from->free_buffered = from->buffered[number].next;
		from->buffered[number].next = to[at]->free_buffered;
		to[at]->free_buffered = number;
		at = (at + 1) % count;
	}
	for (unsigned cells = 1; cells <= PACKET_CELLS; cells++) {
		while (from->free_words[cells]) {
			uint32_t *words = from->free_words[cells];

			from->free_words[cells] = next_free(words);
			put_free(words, &to[at]->free_words[cells]);
			at = (at + 1) % count;
		}
	}
}

int packets_split(packets_t *whole, packets_t **shards, unsigned count)
{
	int made = 1;

	for (unsigned i = 0; i < count; i++) {
		packets_t *shard = shards[i];

		memset(shard, 0, sizeof(*shard));
		shard->whole = whole;
		shard->shard = i;
		shard->free_words = calloc(PACKET_CELLS + 1u, sizeof(*shard->free_words));
		made = made && shard->free_words;
		packets_follow(shard);
	}
	if (made) {
		deal(whole, shards, count);
	}
	return made;
}

void packets_join(packets_t *whole, packets_t *shard)
{
	packets_follow(shard);
	while (shard->fresh_packets.next != shard->fresh_packets.end) {
		packet_t *p = &shard->packets[shard->fresh_packets.next];

		*p = (packet_t){.next_free = shard->free_packet};
		shard->free_packet = shard->fresh_packets.next++;
	}
	while (shard->fresh_buffered.next != shard->fresh_buffered.end) {
		buffered_t *b = &shard->buffered[shard->fresh_buffered.next];

		*b = (buffered_t){.next = shard->free_buffered};
		shard->free_buffered = shard->fresh_buffered.next++;
	}
	if (shard->free_words) {
		deal(shard, &whole, 1);
	}
	for (uint32_t i = 0; i < shard->gone_count; i++) {
		packets_release(whole, shard->gone[i]);
	}
	whole->failed |= shard->failed;
	free(shard->free_words);
	free(shard->gone);
	shard->free_words = NULL;
	shard->gone = NULL;
	shard->gone_count = shard->gone_room = 0;
}

uint32_t packets_fetch(packets_t *packets, uint64_t name, const uint32_t *words, unsigned cells, unsigned kept)
{
	const uint32_t spare = packets->free_packet;
	const uint32_t number = spare ? spare : more_packets(packets);
	uint32_t *copy = number ? new_words(packets, kept) : NULL;
	packet_t *p;

	if (!copy) {
		packets->failed = 1;
		return 0;
	}
	p = &packets->packets[number];
	packets->free_packet = spare ? p->next_free : 0;
	memset(p, 0, sizeof(*p));
	p->home = packets->shard;
	p->words = copy;
	p->name = name;
	p->cells = (uint8_t)cells;
	p->kept = (uint8_t)kept;
	p->left = (uint16_t)cells;
	memcpy(copy, words, (size_t)kept * CELL_WORDS * sizeof(*copy));
	packets_decode(packets, number);
	return number;
}

const uint32_t *packets_words(const packet_t *packet, packets_remake_t *remake, void *context, uint32_t *room)
{
	int made;

	if (packet->kept == packet->cells) {
		return packet->words;
	}
	memcpy(room, packet->words, CELL_WORDS * sizeof(*room));
	made = remake(context, room, packet->cells);
	assert(made);
	(void)made;
	return room;
}

void packets_complete(packets_t *packets, packets_remake_t *remake, void *context)
{
	for (uint32_t i = 1; i < packets->packet_count; i++) {
		packet_t *p = &packets->packets[i];
		uint32_t *words = p->words && p->kept < p->cells ? new_words(packets, p->cells) : NULL;

		if (words) {
			(void)packets_words(p, remake, context, words);
			put_free(p->words, &packets->free_words[p->kept]);
			p->words = words;
			p->kept = p->cells;
		} else if (p->words && p->kept < p->cells) {
			packets->failed = 1;
		}
	}
}

void packets_release(packets_t *packets, uint32_t packet)
{
	packet_t *p = &packets->packets[packet];

	put_free(p->words, &packets->free_words[p->kept]);
	p->words = NULL;
	p->next_free = packets->free_packet;
	packets->free_packet = packet;
}

void packets_consume_shared(packets_t *shard, uint32_t packet)
{
	if (__atomic_sub_fetch(&shard->packets[packet].left, 1, __ATOMIC_ACQ_REL) != 0) {
		return;
	}
	if (shard->gone_count == shard->gone_room) {
		const uint32_t room = shard->gone_room ? 2 * shard->gone_room : DRAWN;
		uint32_t *more = realloc(shard->gone, room * sizeof(*more));

		if (!more) {
			shard->failed = 1;
			return;
		}
		shard->gone = more;
		shard->gone_room = room;
	}
	shard->gone[shard->gone_count++] = packet;
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

	return p->words && token_index(token) < p->kept ? p->words + (size_t)token_index(token) * CELL_WORDS : zero;
}

header_t packets_odd_header(const packets_t *packets, token_t token)
{
	return header_of(packets_cell(packets, token));
}

uint32_t packets_more_buffered(packets_t *packets)
{
	uint32_t number = 0;

	if (packets->whole) {
		number = draw_number(packets, &packets->fresh_buffered, &packets->whole->buffered_count,
			packets->whole->buffered_room);
	} else if (packets->buffered_count < packets->buffered_room ||
		   grow_buffered(packets, packets->buffered_room * 2)) {
		number = packets->buffered_count++;
	}
	/* 0, which is none, takes what there is no room for. */
	packets->buffered[number].odd = NULL;
	return number;
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
