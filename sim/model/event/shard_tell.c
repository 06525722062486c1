/* SPDX-License-Identifier: Apache-2.0
 *
 * What the client of shards is told. */
#include <string.h>

#include "base/clock.h"
#include "model/network/network_internal.h"
#include "rank_exchange.h"

/* Of a packet that a PE takes. */
static const uint32_t *cells_of(shards_t *shards, const telling_t *what)
{
	if (!what->remake) {
		return what->cells;
	}
	memcpy(shards->made, what->cells, CELL_WORDS * sizeof(*shards->made));
	(void)shards->client->remake(shards->client->context, shards->made, what->remake);
	return shards->made + (size_t)what->index * CELL_WORDS;
}

static void tell(shards_t *shards, shard_t *shard, const sheet_t *sheet, const telling_t *what)
{
	const xt_client_t *client = shards->client;
	void *context = client->context;

	switch ((telling_kind_t)what->kind) {
	case TELL_FETCH:
		client->begin(context, &((const xt_packet_t *)sheet->packets.items)[shard->packet_told++]);
		break;
	case TELL_SENT:
		client->sent(context, what->who, what->cycle, what->index, what->count);
		break;
	case TELL_RECEIVED:
		if (what->remake && client->received_made) {
			client->received_made(
				context, what->who, what->cycle, what->cells, what->index, what->count, what->last);
			break;
		}
		client->received(context, what->who, what->cycle, cells_of(shards, what), what->count, what->last,
			what->poisoned);
		break;
	case TELL_HOP:
		client->hop(context, what->who, what->port, what->vc, what->cycle, what->cells);
		break;
	}
}

void shards_tell_sheet(shards_t *shards, shard_t *shard, const sheet_t *sheet)
{
	for (uint32_t i = 0; i < sheet->tellings.count; i++) {
		tell(shards, shard, sheet, &((const telling_t *)sheet->tellings.items)[i]);
	}
}

/* What all shards have to tell of cycle `i` of the epoch, in the order of a network in one piece: hops, deliveries, new
 * packets, each in the order of the cards. */
static void tell_cycle(shards_t *shards, unsigned epoch, unsigned i)
{
	/* What is not to be told yet in each pass. That a cell was sent comes in any order. */
	static const unsigned later[] = {
		1u << TELL_RECEIVED | 1u << TELL_FETCH,
		1u << TELL_FETCH,
		0,
	};

	/* Cell by cell: all of one card, and then of the next. */
	for (unsigned pass = shards->network->event_run ? 0 : 2; pass < sizeof(later) / sizeof(later[0]); pass++) {
		for (unsigned p = 0; p < shards->count; p++) {
			shard_t *shard = &shards->shard[p];
			const sheet_t *sheet = sheet_of(shard, epoch);
			const telling_t *telling = sheet->tellings.items;

			while (shard->told < sheet->cycle[i].told && !(later[pass] >> telling[shard->told].kind & 1)) {
				tell(shards, shard, sheet, &telling[shard->told++]);
			}
		}
	}
}

static void announce(shards_t *shards, uint64_t cycle)
{
	xt_engine_t *network = shards->network;
	const xt_engine_state_t state = {.cycle = cycle,
		.moves = network->moves,
		.quiet = shards->quiet,
		.port_cells = network->event_run ? network->event_run->port_cells : network->port_cells};

	network_note_moves(network, cycle);
	/* It has said that it does not look. */
	(void)shards->client->cycle(shards->client->context, &state);
	shards->announced = cycle;
}

void shards_tell_epoch(void *context)
{
	shards_t *shards = context;
	rank_run_t *ranks = shards->network->rank_run;
	const unsigned epoch = shards->epoch + SHEETS - 1;
	const double begin = ranks ? xt_now_s() : 0.0;
	/* Of an exchange that has failed a part may be missing. */
	const unsigned cycles = ranks && ranks->status != XT_OK ? 0 : shards->tell_cycles;

	for (unsigned p = 0; p < shards->count; p++) {
		shards->shard[p].told = shards->shard[p].packet_told = 0;
	}
	for (unsigned i = 0; i < cycles; i++) {
		if (shards->tell_from + i != shards->announced) {
			announce(shards, shards->tell_from + i);
		}
		tell_cycle(shards, epoch, i);
		uint64_t in_transit = 0;

		shards->network->moves = 0;
		shards->quiet = 1;
		for (unsigned p = 0; p < shards->count; p++) {
			const sheet_t *sheet = sheet_of(&shards->shard[p], epoch);

			shards->network->moves += sheet->cycle[i].moves;
			shards->quiet = shards->quiet && sheet->cycle[i].busy == 0;
			in_transit += sheet->cycle[i].in_transit;
		}
		shards->quiet = shards->quiet && in_transit == 0;
	}
	shards->tell_cycles = 0;
	if (ranks) {
		ranks->times.telling += xt_now_s() - begin;
	}
}

void shards_tell_nothing(void *context)
{
	(void)context;
}
