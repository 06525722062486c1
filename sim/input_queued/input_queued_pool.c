/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets and their places in FIFOs. */
#include <stdlib.h>

#include "input_queued.h"

enum { FIRST_ROOM = 1024 };

static int grow_packets(iq_pool_t *pool)
{
	const uint32_t room = pool->packet_count ? 2 * pool->packet_count : FIRST_ROOM;
	iq_packet_t *packets = realloc(pool->packets, room * sizeof(*packets));
	uint32_t *words = realloc(pool->words, (size_t)room * pool->packet_words * sizeof(*words));

	pool->packets = packets ? packets : pool->packets;
	pool->words = words ? words : pool->words;
	if (!packets || !words) {
		return 0;
	}
	for (uint32_t i = room; i-- > pool->packet_count;) {
		packets[i].next_free = pool->free_packet;
		pool->free_packet = i;
	}
	pool->packet_count = room;
	return 1;
}

static int grow_entries(iq_pool_t *pool)
{
	const uint32_t room = pool->entry_count ? 2 * pool->entry_count : FIRST_ROOM;
	iq_entry_t *entries = realloc(pool->entries, room * sizeof(*entries));

	if (!entries) {
		return 0;
	}
	pool->entries = entries;
	for (uint32_t i = room; i-- > pool->entry_count;) {
		entries[i].next = pool->free_entry;
		pool->free_entry = i;
	}
	pool->entry_count = room;
	return 1;
}

uint32_t iq_packet_new(iq_pool_t *pool)
{
	uint32_t packet;

	if (pool->free_packet == IQ_NONE && !grow_packets(pool)) {
		return IQ_NONE;
	}
	packet = pool->free_packet;
	pool->free_packet = pool->packets[packet].next_free;
	return packet;
}

uint32_t iq_entry_new(iq_pool_t *pool)
{
	uint32_t entry;

	if (pool->free_entry == IQ_NONE && !grow_entries(pool)) {
		return IQ_NONE;
	}
	entry = pool->free_entry;
	pool->free_entry = pool->entries[entry].next;
	pool->entries[entry].next = IQ_NONE;
	return entry;
}

void iq_packet_free(iq_pool_t *pool, uint32_t packet)
{
	pool->packets[packet].next_free = pool->free_packet;
	pool->free_packet = packet;
}

void iq_entry_free(iq_pool_t *pool, uint32_t entry)
{
	pool->entries[entry].next = pool->free_entry;
	pool->free_entry = entry;
}
