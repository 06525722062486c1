/* SPDX-License-Identifier: Apache-2.0 */
#include "shard_mail.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

void *shard_put(shard_t *shard, list_t *list, size_t size)
{
	if (list->count == list->room) {
		const uint32_t room = list->room ? 2 * list->room : (uint32_t)FIRST_ROOM;
		void *more = realloc(list->items, room * size);

		if (!more) {
			shard->failed = 1;
			return NULL;
		}
		list->items = more;
		list->room = room;
	}
	return (char *)list->items + list->count++ * size;
}

int shards_send(shard_t *shard, uint64_t when, const event_t *event)
{
	const shards_t *shards = shard->shards;
	const unsigned number = shards->shard_of[event->card];
	letter_t *letter = shard_put(shard, &shard->sheet->letters[number], sizeof(*letter));

	if (letter) {
		*letter = (letter_t){when, *event};
	}
	return number - shards->first >= shards->end - shards->first;
}

void shards_release(shard_t *shard, uint32_t packet)
{
	/* A run before may have had more shards. */
	const uint32_t home = shard->engine->common.packets.packets[packet].home % shard->shards->network->shard_count;
	uint32_t *number = shard_put(shard, &shard->sheet->released[home], sizeof(*number));

	if (number) {
		*number = packet;
	}
}

/* One of `kind`, all else 0. Written in place: a copy would wait for its parts. NULL: out of memory, which is noted. */
static telling_t *note(shard_t *shard, telling_kind_t kind, uint32_t who, uint64_t cycle)
{
	telling_t *telling = shard_put(shard, &shard->sheet->tellings, sizeof(*telling));

	if (telling) {
		memset(telling, 0, sizeof(*telling));
		telling->kind = (uint8_t)kind;
		telling->who = who;
		telling->cycle = cycle;
	}
	return telling;
}

/* The packet that PE `pe` is about to make. NULL: out of memory. */
static xt_packet_t *note_fetch(shard_t *shard, unsigned pe, uint64_t cycle)
{
	xt_packet_t *packet = shard_put(shard, &shard->sheet->packets, sizeof(*packet));

	if (packet) {
		(void)note(shard, TELL_FETCH, pe, cycle);
	}
	return packet;
}

static const uint32_t *on_fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	shard_t *shard = context;
	const xt_client_t *client = shard->shards->client;
	xt_packet_t *packet = note_fetch(shard, pe, cycle);

	return packet ? client->make(client->context, pe, cycle, packet, cells) : NULL;
}

static const uint32_t *on_fetch_head(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	shard_t *shard = context;
	const xt_client_t *client = shard->shards->client;
	xt_packet_t *packet = note_fetch(shard, pe, cycle);

	return packet ? client->make_head(client->context, pe, cycle, packet, cells) : NULL;
}

static void on_sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	telling_t *telling = note(context, TELL_SENT, pe, cycle);

	if (telling) {
		telling->index = (uint16_t)index;
		telling->count = (uint16_t)count;
	}
}

void shard_receives(
	shard_t *shard, uint32_t pe, uint64_t cycle, const packet_t *packet, unsigned first, unsigned count, int last)
{
	telling_t *telling = note(shard, TELL_RECEIVED, pe, cycle);

	if (telling) {
		telling->cells = packet->words;
		telling->index = (uint16_t)first;
		telling->count = (uint16_t)count;
		telling->last = (uint8_t)last;
		telling->remake = packet->cells;
	}
}

/* A packet's words stay until its number is free. */
static void on_received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	telling_t *telling = note(context, TELL_RECEIVED, pe, cycle);

	if (telling) {
		telling->cells = cells;
		telling->count = (uint16_t)count;
		telling->last = (uint8_t)last;
		telling->poisoned = (uint8_t)poisoned;
	}
}

static void on_hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	telling_t *telling = note(context, TELL_HOP, card, cycle);

	if (telling) {
		telling->port = (uint8_t)port;
		telling->vc = (uint8_t)vc;
		telling->cells = cell;
	}
}

xt_client_t shard_client(shard_t *shard, const xt_client_t *client)
{
	return (xt_client_t){.context = shard,
		.pes = client->pes,
		.ready_at = client->ready_at,
		.nic_stall = client->nic_stall,
		.nic_period = client->nic_period,
		.error_rate = client->error_rate,
		.deaf = client->deaf,
		.fetch = on_fetch,
		.fetch_head = client->make_head ? on_fetch_head : NULL,
		.sent = on_sent,
		.received = on_received,
		.hop = client->hop ? on_hop : NULL};
}
