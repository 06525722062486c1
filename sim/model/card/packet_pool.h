/* SPDX-License-Identifier: Apache-2.0
 *
 * The packets under way, and their places in input buffers. A packet's payload, or its head, is kept once;
 * what moves through the cards are tokens, each of which names a cell.
 *
 * A network that several threads step in shards has one packets_t for the whole and one for each shard. The numbers
 * are the whole's, but each shard has free ones of its own. The arrays do not move while shards are stepped. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shape.h"

/* A cell: bits 7..0 its index in its packet, 30..8 the packet, 31 poison. Packet 0 is none: all its cells are
 * zero. */
typedef uint32_t token_t;

#define TOKEN_POISON (UINT32_C(1) << 31)
enum { MAX_PACKETS = 1 << 23 };
_Static_assert(PACKET_CELLS <= UINT8_MAX, "packet_t counts cells in a byte");

static inline token_t token_of(uint32_t packet, unsigned index)
{
	return packet << 8 | index;
}
static inline uint32_t token_packet(token_t token)
{
	return token >> 8 & (MAX_PACKETS - 1);
}
static inline unsigned token_index(token_t token)
{
	return token & 0xff;
}

/* What the hardware reads of a header. */
typedef struct {
	uint32_t dest;
	uint8_t len; /* cells - 1 */
	uint8_t tc;
} header_t;

typedef struct {
	uint32_t *words; /* of the cells that are kept */
	uint64_t name;   /* no other packet of the run has; but for copies of the same one on several ranks */
	header_t header;
	uint8_t cells; /* as fetched */
	uint8_t kept;  /* all, or 1: the client can make the others from the head */
	uint16_t left; /* cells that are not taken out of the network yet */
	union {
		uint32_t next_free;
		uint32_t home; /* under way: the shard that has fetched it, to which its number returns */
	};
} packet_t;

/* A packet in an input buffer, if only in shard. Its cells are those of `packet` in their order, unless `odd` names
 * each: a packet that was cut, or one whose header was damaged. */
typedef struct {
	uint32_t packet;
	uint32_t next; /* in its queue, or in the list of free ones */
	token_t *odd;
	uint8_t len; /* cells - 1 */
	uint8_t vc;  /* it came on */
	uint16_t arrived;
	uint8_t enters;      /* a ring */
	uint8_t escape_port; /* its deterministic way */
	uint8_t escape_vc;
} buffered_t;

/* Numbers that nobody has used yet. */
typedef struct {
	uint32_t next, end;
} numbers_t;

typedef struct packets {
	struct packets *whole; /* of a shard; NULL: this is no shard, and grows when it has to */
	uint32_t shard;
	numbers_t fresh_packets, fresh_buffered; /* of a shard */
	packet_t *packets;
	uint32_t packet_count, packet_room, free_packet;
	buffered_t *buffered;
	uint32_t buffered_count, buffered_room, free_buffered;
	uint32_t **free_words; /* by cells: released payloads, linked through their first words */
	/* Of a shard: packets that have left the network cell by cell, which others may still read. */
	uint32_t *gone, gone_count, gone_room;
	int failed; /* out of memory, or of numbers */
} packets_t;

int packets_open(packets_t *packets);
void packets_close(packets_t *packets);

/* Shares the free numbers of `whole` out among `count` shards; 0: out of memory. packets_join takes all back. */
int packets_split(packets_t *whole, packets_t **shards, unsigned count);
void packets_join(packets_t *whole, packets_t *shard);
/* Room for so many more, of all `shards` together, which must not be at work. */
void packets_reserve(packets_t *whole, unsigned shards, uint32_t packets, uint32_t buffered);
/* The whole's arrays, which may have moved. */
static inline void packets_follow(packets_t *shard)
{
	shard->packets = shard->whole->packets;
	shard->buffered = shard->whole->buffered;
}

/* Copies the first `kept` of a packet's cells: all, or the head alone. 0 when out of memory. */
uint32_t packets_fetch(packets_t *packets, uint64_t name, const uint32_t *words, unsigned cells, unsigned kept);
/* As xt_client_t.remake. */
typedef int packets_remake_t(void *context, uint32_t *words, unsigned cells);
/* Words of all cells of a packet: its own, or made in `room`, which holds PACKET_CELLS cells. */
const uint32_t *packets_words(const packet_t *packet, packets_remake_t *remake, void *context, uint32_t *room);
/* All packets keep all cells from now on. `packets` is no shard. */
void packets_complete(packets_t *packets, packets_remake_t *remake, void *context);
void packets_release(packets_t *packets, uint32_t packet);
/* Reads the header again, of which bits have changed. */
void packets_decode(packets_t *packets, uint32_t packet);

uint32_t packets_more_buffered(packets_t *packets);
void packets_begin_odd(packets_t *packets, buffered_t *b);

/* The words of a cell; zero for packet 0, and for a cell that has left the network or is not kept. */
const uint32_t *packets_cell(const packets_t *packets, token_t token);
/* Of a cell that is read as a header, though it may not be the first of its packet. */
header_t packets_odd_header(const packets_t *packets, token_t token);

static inline header_t packets_header(const packets_t *packets, token_t token)
{
	return token_index(token) == 0 ? packets->packets[token_packet(token)].header
				       : packets_odd_header(packets, token);
}

/* A cell has left the network, of which a shard steps a part. */
void packets_consume_shared(packets_t *shard, uint32_t packet);
/* A cell has left the network. */
static inline void packets_consume(packets_t *packets, token_t token)
{
	uint32_t packet = token_packet(token);

	if (packet && packets->whole) {
		packets_consume_shared(packets, packet);
	} else if (packet && --packets->packets[packet].left == 0) {
		packets_release(packets, packet);
	}
}

static inline uint32_t buffered_new(packets_t *packets)
{
	uint32_t b = packets->free_buffered;

	if (!b) {
		return packets_more_buffered(packets);
	}
	packets->free_buffered = packets->buffered[b].next;
	return b;
}

void buffered_release_odd(packets_t *packets, buffered_t *b);

static inline void buffered_free(packets_t *packets, uint32_t number)
{
	buffered_t *b = &packets->buffered[number];

	if (b->odd) {
		buffered_release_odd(packets, b);
	}
	b->next = packets->free_buffered;
	packets->free_buffered = number;
}

static inline token_t buffered_cell(const buffered_t *b, unsigned index)
{
	return b->odd ? b->odd[index] : token_of(b->packet, index);
}
