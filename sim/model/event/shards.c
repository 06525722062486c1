/* SPDX-License-Identifier: Apache-2.0 */
#include "shards.h"

#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "model/network/network_internal.h"
#include "model/network/worker_pool.h"

enum {
	SHARDS_PER_THREAD = 4, /* threads that are done help the others */
};

/* ---------------------------------------------------------------- an epoch of a shard */

static void open_mail(shard_t *shard, unsigned number)
{
	shards_t *shards = shard->shards;

	for (unsigned from = 0; from < shards->count; from++) {
		list_t *letters = &sheet_of(&shards->shard[from], shards->epoch + SHEETS - 1)->letters[number];
		const letter_t *letter = letters->items;

		for (uint32_t i = 0; i < letters->count; i++) {
			const event_t *e = &letter[i].event;

			event_put(shard->engine->event_run, letter[i].when, (event_kind_t)e->kind, e->card, e->port,
				e->vc, e->cells, e->packet);
		}
		letters->count = 0;
	}
}

static void take_back(shard_t *shard, unsigned number, unsigned epoch)
{
	shards_t *shards = shard->shards;

	for (unsigned from = 0; from < shards->count; from++) {
		list_t *released = &sheet_of(&shards->shard[from], epoch)->released[number];
		const uint32_t *packet = released->items;

		for (uint32_t i = 0; i < released->count; i++) {
			packets_release(&shard->engine->common.packets, packet[i]);
		}
		released->count = 0;
	}
}

static void step_shard(void *context, unsigned number)
{
	shards_t *shards = context;
	shard_t *shard = &shards->shard[number];
	xt_engine_t *engine = shard->engine;

	packets_follow(&engine->common.packets);
	open_mail(shard, number);
	take_back(shard, number, shards->epoch + SHEETS - 2);
	shard->sheet = sheet_of(shard, shards->epoch);
	shard->sheet->tellings.count = shard->sheet->packets.count = 0;
	for (unsigned i = 0; i < shards->cycles && !engine->event_run->leave; i++) {
		engine->cycle = shards->from + i;
		event_step(engine, &shard->client);
		shard->sheet->cycle[i].told = shard->sheet->tellings.count;
		shard->sheet->cycle[i].busy = engine->event_run->busy;
		shard->sheet->cycle[i].moves = engine->moves;
	}
}

/* ---------------------------------------------------------------- what the client is told */

static void tell(const xt_client_t *client, shard_t *shard, const sheet_t *sheet, const telling_t *what)
{
	void *context = client->context;

	switch ((telling_kind_t)what->kind) {
	case TELL_FETCH:
		client->begin(context, &((const xt_packet_t *)sheet->packets.items)[shard->packet_told++]);
		break;
	case TELL_SENT:
		client->sent(context, what->who, what->cycle, what->index, what->count);
		break;
	case TELL_RECEIVED:
		client->received(context, what->who, what->cycle, what->cells, what->count, what->last, 0);
		break;
	case TELL_HOP:
		client->hop(context, what->who, what->port, what->vc, what->cycle, what->cells);
		break;
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

	for (unsigned pass = 0; pass < sizeof(later) / sizeof(later[0]); pass++) {
		for (unsigned p = 0; p < shards->count; p++) {
			shard_t *shard = &shards->shard[p];
			const sheet_t *sheet = sheet_of(shard, epoch);
			const telling_t *telling = sheet->tellings.items;

			while (shard->told < sheet->cycle[i].told && !(later[pass] >> telling[shard->told].kind & 1)) {
				tell(shards->client, shard, sheet, &telling[shard->told++]);
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
		.port_cells = network->event_run->port_cells};

	network_note_moves(network, cycle);
	/* It has said that it does not look. */
	(void)shards->client->cycle(shards->client->context, &state);
	shards->announced = cycle;
}

/* The epoch before the present one. */
static void tell_epoch(void *context)
{
	shards_t *shards = context;
	const unsigned epoch = shards->epoch + SHEETS - 1;

	for (unsigned p = 0; p < shards->count; p++) {
		shards->shard[p].told = shards->shard[p].packet_told = 0;
	}
	for (unsigned i = 0; i < shards->tell_cycles; i++) {
		if (shards->tell_from + i != shards->announced) {
			announce(shards, shards->tell_from + i);
		}
		tell_cycle(shards, epoch, i);
		shards->network->moves = 0;
		shards->quiet = 1;
		for (unsigned p = 0; p < shards->count; p++) {
			const sheet_t *sheet = sheet_of(&shards->shard[p], epoch);

			shards->network->moves += sheet->cycle[i].moves;
			shards->quiet = shards->quiet && sheet->cycle[i].busy == 0;
		}
	}
	shards->tell_cycles = 0;
}

/* ---------------------------------------------------------------- the run */

/* Where the entries of a table lead that some packet may need: ports, and everywhere if a route is illegal. `used`: the
 * entries that addresses have. With all upper bits of its own a card never looks into the GRT. */
static uint32_t ways_of_table(const entries_t *entries, const table_t *table, const address_t *at, const uint8_t *used)
{
	uint32_t ways = 0;

	for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
		const route_t *route = entries->entries[table ? table->entry[i] : 0].route;

		for (unsigned tc = 0; tc < TCS && used[i]; tc++) {
			const uint32_t differs = ((uint32_t)i << EXTORUS_LRT_BITS ^ at->own) & at->mask[tc];

			if (i >= EXTORUS_GRT_ENTRIES || differs >> EXTORUS_LRT_BITS) {
				ways |= route[tc].flags & ROUTE_LEGAL ? UINT32_C(1) << route[tc].port : UINT32_MAX;
			}
		}
	}
	return ways;
}

/* Whether every packet that the client may send is a plain stream at every card: then no cycle can be the last one by
 * events. */
static int all_is_plain(const xt_engine_t *network, const xt_client_t *client)
{
	uint8_t used[TABLE_ENTRIES] = {0};
	int plain = !network->event_run->adaptive;

	for (unsigned i = 0; i < client->address_count; i++) {
		const uint32_t address = client->addresses[i];

		used[address >> EXTORUS_LRT_BITS & (EXTORUS_GRT_ENTRIES - 1)] = 1;
		used[EXTORUS_GRT_ENTRIES + (address & (EXTORUS_LRT_ENTRIES - 1))] = 1;
	}
	for (unsigned c = 0; c < network->cards && plain; c++) {
		const card_t *card = &network->card[c];
		const uint32_t streams = card->fast | (uint32_t)(ALL_PORTS & ~ALL_LINKS);

		for (unsigned p = 0; p < PORTS && plain; p++) {
			plain = (p > 0 && card->tables[p] == card->tables[p - 1]) ||
				!(ways_of_table(&network->common.entries, card->tables[p], &card->lookup, used) &
					~streams);
		}
		plain = plain && !card->settings.stall_timeout;
	}
	return plain;
}

static int allocate_shard(shards_t *shards, unsigned number)
{
	shard_t *shard = &shards->shard[number];
	int made = 1;

	for (unsigned s = 0; s < SHEETS; s++) {
		sheet_t *sheet = &shard->sheets[s];

		sheet->letters = calloc(shards->count, sizeof(*sheet->letters));
		sheet->released = calloc(shards->count, sizeof(*sheet->released));
		sheet->cycle = calloc(shards->longest, sizeof(*sheet->cycle));
		made = made && sheet->letters && sheet->released && sheet->cycle;
	}
	return made;
}

/* Divides the cards evenly. */
static int make_shards(shards_t *shards)
{
	xt_engine_t *network = shards->network;
	const unsigned count = shards->count;
	packets_t **packets = calloc(count, sizeof(*packets));
	int made = packets != NULL;

	for (unsigned p = 0; p < count && made; p++) {
		shard_t *shard = &shards->shard[p];
		xt_engine_t *engine = &network->shards[p];

		*engine = *network;
		engine->shards = NULL;
		engine->first_card = (unsigned)((uint64_t)network->cards * p / count);
		engine->end_card = (unsigned)((uint64_t)network->cards * (p + 1) / count);
		engine->evaluated = engine->moves = 0;
		engine->common.packets = (packets_t){.whole = &network->common.packets};
		shard->shards = shards;
		shard->engine = engine;
		shard->client = shard_client(shard, shards->client);
		packets[p] = &engine->common.packets;
		for (unsigned c = engine->first_card; c < engine->end_card; c++) {
			shards->shard_of[c] = (uint16_t)p;
		}
		made = event_open_shard(engine, network) && allocate_shard(shards, p);
		if (made) {
			engine->event_run->shard = shard;
		}
	}
	made = made && packets_split(&network->common.packets, packets, count);
	free(packets);
	return made;
}

int shards_open(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	const unsigned wanted = client->threads * SHARDS_PER_THREAD;
	shards_t *shards;
	int made;

	if (client->threads < 2) {
		return XT_OK;
	}
	shards = network->event_run->shards = calloc(1, sizeof(*shards));
	if (!shards) {
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for %u threads", client->threads);
	}
	shards->network = network;
	shards->client = client;
	shards->count = wanted < network->cards ? wanted : network->cards;
	shards->longest = network->latency + SHARDS_AHEAD;
	shards->announced = UINT64_MAX;
	shards->shard = calloc(shards->count, sizeof(*shards->shard));
	shards->shard_of = calloc(network->cards, sizeof(*shards->shard_of));
	network->shards = calloc(shards->count, sizeof(*network->shards));
	network->shard_count = shards->count;
	made = shards->shard && shards->shard_of && network->shards && make_shards(shards);
	if (made) {
		shards->workers = worker_pool_open(client->threads, shards->count, step_shard, shards);
	}
	if (!made || !shards->workers) {
		shards_close(network);
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for %u threads", client->threads);
	}
	if (!all_is_plain(network, client)) {
		shards->longest = 1;
	}
	return XT_OK;
}

/* Packets that have left the network, and of which the client has been told. */
static void take_all_back(shards_t *shards)
{
	for (unsigned p = 0; p < shards->count; p++) {
		for (unsigned s = 0; s < SHEETS; s++) {
			take_back(&shards->shard[p], p, s);
		}
	}
}

static void close_sheet(sheet_t *sheet, unsigned shards)
{
	for (unsigned i = 0; i < shards; i++) {
		free(sheet->letters ? sheet->letters[i].items : NULL);
		free(sheet->released ? sheet->released[i].items : NULL);
	}
	free(sheet->tellings.items);
	free(sheet->packets.items);
	free(sheet->letters);
	free(sheet->released);
	free(sheet->cycle);
}

void shards_close(xt_engine_t *network)
{
	shards_t *shards = network->event_run ? network->event_run->shards : NULL;

	if (!shards) {
		return;
	}
	worker_pool_close(shards->workers);
	if (shards->workers) {
		take_all_back(shards);
	}
	for (unsigned p = 0; shards->shard && network->shards && p < shards->count; p++) {
		xt_engine_t *engine = &network->shards[p];

		for (unsigned s = 0; s < SHEETS; s++) {
			close_sheet(&shards->shard[p].sheets[s], shards->count);
		}
		network->common.packets.failed |= shards->shard[p].failed;
		if (engine->common.packets.whole) {
			event_close_shard(engine);
			packets_join(&network->common.packets, &engine->common.packets);
		}
	}
	free(network->shards);
	network->shards = NULL;
	free(shards->shard);
	free(shards->shard_of);
	free(shards);
	network->event_run->shards = NULL;
}

/* One epoch, of all shards, while the client is told of the one before. */
static void run_epoch(shards_t *shards, unsigned cycles)
{
	xt_engine_t *network = shards->network;

	shards->cycles = cycles;
	/* A PE that takes one packet, an input that takes one head, in every cycle. */
	packets_reserve(&network->common.packets, shards->count, network->cards * NICS * cycles,
		network->cards * PORTS * cycles);
	worker_pool_run(shards->workers, tell_epoch);
	shards->tell_from = shards->from;
	shards->tell_cycles = cycles;
	shards->from += cycles;
	shards->epoch++;
}

/* What all shards have done. 0: one of them has met something that only cells' steps can do, and the others are in
 * later cycles. */
static int gather(shards_t *shards)
{
	xt_engine_t *network = shards->network;
	const uint64_t now = network->event_run->first + shards->from;
	int together = 1;

	network->moves = network->evaluated = 0;
	for (unsigned p = 0; p < shards->count; p++) {
		xt_engine_t *engine = shards->shard[p].engine;

		network->event_run->leave |= engine->event_run->leave;
		network->moves += engine->moves;
		network->evaluated += engine->evaluated;
		together = together && engine->common.now == now;
	}
	network->common.now = now;
	network->cycle = shards->from - 1;
	return together;
}

void shards_step(xt_engine_t *network)
{
	shards_t *shards = network->event_run->shards;
	const xt_client_t *client = shards->client;
	uint64_t until;
	int leave = 0;

	shards->from = shards->announced = network->cycle;
	until = client->until(client->context);
	do {
		const uint64_t left = until - shards->from;
		uint64_t later;

		run_epoch(shards, left < shards->longest ? (unsigned)left : shards->longest);
		for (unsigned p = 0; p < shards->count; p++) {
			leave |= shards->shard[p].engine->event_run->leave;
		}
		later = client->until(client->context);
		until = later > until ? later : until;
	} while (shards->from < until && !leave);
	tell_epoch(shards);
	if (!gather(shards)) {
		network->stray = 1;
	}
}
