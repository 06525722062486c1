/* SPDX-License-Identifier: Apache-2.0 */
#include "shards.h"

#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "model/network/network_internal.h"
#include "model/network/worker_pool.h"

enum {
	PARTS_PER_THREAD = 4, /* threads that are done help the others */
	/* Sheets that a part writes in turn: the others open its mail in the epoch after it was written, in which the
	 * client is told as well, and take packets back in the one after that. */
	SHEETS = 3,
	FIRST_ROOM = 64,
};

typedef enum { TELL_FETCH, TELL_SENT, TELL_RECEIVED, TELL_HOP } telling_kind_t;

/* A call of the client. */
typedef struct {
	const uint32_t *cells;
	uint64_t cycle;
	uint32_t who; /* PE, or card of a hop */
	uint16_t index, count;
	uint8_t kind, last, port, vc;
} telling_t;

typedef struct {
	uint64_t when;
	flow_event_t event;
} letter_t;

typedef struct {
	void *items;
	uint32_t count, room;
} list_t;

/* What a part has written in an epoch. */
typedef struct {
	list_t tellings, packets; /* telling_t; xt_packet_t of those that are TELL_FETCH */
	list_t *letters;          /* by part: letter_t */
	list_t *released;         /* by part: numbers of packets */
	/* After each cycle of the epoch. */
	struct {
		uint32_t told;
		unsigned busy;
		uint64_t moves;
	} * cycle;
} sheet_t;

struct part {
	struct parts *parts;
	xt_engine_t *engine;
	xt_client_t client; /* writes down */
	sheet_t sheets[SHEETS], *sheet;
	uint32_t told, packet_told; /* of the sheet that the client is told */
	int failed;
};

typedef struct parts {
	xt_engine_t *network;
	const xt_client_t *client;
	crew_t *crew;
	part_t *part;
	unsigned count;
	uint16_t *part_of; /* by card */
	unsigned longest;  /* cycles of an epoch */
	unsigned epoch;    /* counts them */
	uint64_t from; /* cycles of the run in the present epoch, and in the one before, if its client is to be told */
	unsigned cycles;
	uint64_t tell_from;
	unsigned tell_cycles;
	uint64_t announced; /* the last cycle of which the client knows */
	int quiet;          /* after the last one it was told of */
} parts_t;

static void *put(part_t *part, list_t *list, size_t size)
{
	if (list->count == list->room) {
		const uint32_t room = list->room ? 2 * list->room : (uint32_t)FIRST_ROOM;
		void *more = realloc(list->items, room * size);

		if (!more) {
			part->failed = 1;
			return NULL;
		}
		list->items = more;
		list->room = room;
	}
	return (char *)list->items + list->count++ * size;
}

static sheet_t *sheet_of(part_t *part, unsigned epoch)
{
	return &part->sheets[epoch % SHEETS];
}

/* ---------------------------------------------------------------- what a part writes */

void parts_send(part_t *part, uint64_t when, const flow_event_t *event)
{
	letter_t *letter = put(part, &part->sheet->letters[part->parts->part_of[event->card]], sizeof(*letter));

	if (letter) {
		*letter = (letter_t){when, *event};
	}
}

void parts_release(part_t *part, uint32_t packet)
{
	const uint32_t home = part->engine->common.packets.packets[packet].home;
	uint32_t *number = put(part, &part->sheet->released[home], sizeof(*number));

	if (number) {
		*number = packet;
	}
}

static void note(part_t *part, const telling_t *what)
{
	telling_t *telling = put(part, &part->sheet->tellings, sizeof(*telling));

	if (telling) {
		*telling = *what;
	}
}

static const uint32_t *on_fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	part_t *part = context;
	const xt_client_t *client = part->parts->client;
	xt_packet_t *packet = put(part, &part->sheet->packets, sizeof(*packet));

	if (!packet) {
		return NULL;
	}
	note(part, &(telling_t){.kind = TELL_FETCH, .who = pe, .cycle = cycle});
	return client->make(client->context, pe, cycle, packet, cells);
}

static void on_sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	note(context, &(telling_t){.kind = TELL_SENT,
			      .who = pe,
			      .cycle = cycle,
			      .index = (uint16_t)index,
			      .count = (uint16_t)count});
}

/* A packet's words stay until its number is free. */
static void on_received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	(void)poisoned;
	note(context, &(telling_t){.kind = TELL_RECEIVED,
			      .who = pe,
			      .cycle = cycle,
			      .cells = cells,
			      .count = (uint16_t)count,
			      .last = (uint8_t)last});
}

static void on_hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	note(context, &(telling_t){.kind = TELL_HOP,
			      .who = card,
			      .port = (uint8_t)port,
			      .vc = (uint8_t)vc,
			      .cycle = cycle,
			      .cells = cell});
}

/* ---------------------------------------------------------------- an epoch of a part */

static void open_mail(part_t *part, unsigned number)
{
	parts_t *parts = part->parts;

	for (unsigned from = 0; from < parts->count; from++) {
		list_t *letters = &sheet_of(&parts->part[from], parts->epoch + SHEETS - 1)->letters[number];
		const letter_t *letter = letters->items;

		for (uint32_t i = 0; i < letters->count; i++) {
			const flow_event_t *e = &letter[i].event;

			flow_put_event(part->engine->flow, letter[i].when, (flow_kind_t)e->kind, e->card, e->port,
				e->vc, e->cells, e->packet);
		}
		letters->count = 0;
	}
}

static void take_back(part_t *part, unsigned number, unsigned epoch)
{
	parts_t *parts = part->parts;

	for (unsigned from = 0; from < parts->count; from++) {
		list_t *released = &sheet_of(&parts->part[from], epoch)->released[number];
		const uint32_t *packet = released->items;

		for (uint32_t i = 0; i < released->count; i++) {
			packets_release(&part->engine->common.packets, packet[i]);
		}
		released->count = 0;
	}
}

static void step_part(void *context, unsigned number)
{
	parts_t *parts = context;
	part_t *part = &parts->part[number];
	xt_engine_t *engine = part->engine;

	packets_follow(&engine->common.packets);
	open_mail(part, number);
	take_back(part, number, parts->epoch + SHEETS - 2);
	part->sheet = sheet_of(part, parts->epoch);
	part->sheet->tellings.count = part->sheet->packets.count = 0;
	for (unsigned i = 0; i < parts->cycles && !engine->flow->leave; i++) {
		engine->cycle = parts->from + i;
		flow_step(engine, &part->client);
		part->sheet->cycle[i].told = part->sheet->tellings.count;
		part->sheet->cycle[i].busy = engine->flow->busy;
		part->sheet->cycle[i].moves = engine->moves;
	}
}

/* ---------------------------------------------------------------- what the client is told */

static void tell(const xt_client_t *client, part_t *part, const sheet_t *sheet, const telling_t *what)
{
	void *context = client->context;

	switch ((telling_kind_t)what->kind) {
	case TELL_FETCH:
		client->begin(context, &((const xt_packet_t *)sheet->packets.items)[part->packet_told++]);
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

/* What all parts have to tell of cycle `i` of the epoch, in the order of a network in one piece: hops, deliveries, new
 * packets, each in the order of the cards. */
static void tell_cycle(parts_t *parts, unsigned epoch, unsigned i)
{
	/* What is not to be told yet in each pass. That a cell was sent comes in any order. */
	static const unsigned later[] = {
		1u << TELL_RECEIVED | 1u << TELL_FETCH,
		1u << TELL_FETCH,
		0,
	};

	for (unsigned pass = 0; pass < sizeof(later) / sizeof(later[0]); pass++) {
		for (unsigned p = 0; p < parts->count; p++) {
			part_t *part = &parts->part[p];
			const sheet_t *sheet = sheet_of(part, epoch);
			const telling_t *telling = sheet->tellings.items;

			while (part->told < sheet->cycle[i].told && !(later[pass] >> telling[part->told].kind & 1)) {
				tell(parts->client, part, sheet, &telling[part->told++]);
			}
		}
	}
}

static void announce(parts_t *parts, uint64_t cycle)
{
	xt_engine_t *network = parts->network;
	const xt_engine_state_t state = {.cycle = cycle,
		.moves = network->moves,
		.quiet = parts->quiet,
		.port_cells = network->flow->port_cells};

	network_note_moves(network, cycle);
	/* It has said that it does not look. */
	(void)parts->client->cycle(parts->client->context, &state);
	parts->announced = cycle;
}

/* The epoch before the present one. */
static void tell_epoch(void *context)
{
	parts_t *parts = context;
	const unsigned epoch = parts->epoch + SHEETS - 1;

	for (unsigned p = 0; p < parts->count; p++) {
		parts->part[p].told = parts->part[p].packet_told = 0;
	}
	for (unsigned i = 0; i < parts->tell_cycles; i++) {
		if (parts->tell_from + i != parts->announced) {
			announce(parts, parts->tell_from + i);
		}
		tell_cycle(parts, epoch, i);
		parts->network->moves = 0;
		parts->quiet = 1;
		for (unsigned p = 0; p < parts->count; p++) {
			const sheet_t *sheet = sheet_of(&parts->part[p], epoch);

			parts->network->moves += sheet->cycle[i].moves;
			parts->quiet = parts->quiet && sheet->cycle[i].busy == 0;
		}
	}
	parts->tell_cycles = 0;
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
	int plain = !network->flow->adaptive;

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

static int allocate_part(parts_t *parts, unsigned number)
{
	part_t *part = &parts->part[number];
	int made = 1;

	for (unsigned s = 0; s < SHEETS; s++) {
		sheet_t *sheet = &part->sheets[s];

		sheet->letters = calloc(parts->count, sizeof(*sheet->letters));
		sheet->released = calloc(parts->count, sizeof(*sheet->released));
		sheet->cycle = calloc(parts->longest, sizeof(*sheet->cycle));
		made = made && sheet->letters && sheet->released && sheet->cycle;
	}
	return made;
}

/* Divides the cards evenly. */
static int make_parts(parts_t *parts)
{
	xt_engine_t *network = parts->network;
	const unsigned count = parts->count;
	packets_t **packets = calloc(count, sizeof(*packets));
	int made = packets != NULL;

	for (unsigned p = 0; p < count && made; p++) {
		part_t *part = &parts->part[p];
		xt_engine_t *engine = &network->parts[p];

		*engine = *network;
		engine->parts = NULL;
		engine->first_card = (unsigned)((uint64_t)network->cards * p / count);
		engine->end_card = (unsigned)((uint64_t)network->cards * (p + 1) / count);
		engine->evaluated = engine->moves = 0;
		engine->common.packets = (packets_t){.whole = &network->common.packets};
		part->parts = parts;
		part->engine = engine;
		part->client = (xt_client_t){.context = part,
			.pes = parts->client->pes,
			.ready_at = parts->client->ready_at,
			.fetch = on_fetch,
			.sent = on_sent,
			.received = on_received,
			.hop = on_hop};
		packets[p] = &engine->common.packets;
		for (unsigned c = engine->first_card; c < engine->end_card; c++) {
			parts->part_of[c] = (uint16_t)p;
		}
		made = flow_open_part(engine, network) && allocate_part(parts, p);
		if (made) {
			engine->flow->part = part;
		}
	}
	made = made && packets_part(&network->common.packets, packets, count);
	free(packets);
	return made;
}

int parts_open(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	const unsigned wanted = client->threads * PARTS_PER_THREAD;
	parts_t *parts;
	int made;

	if (client->threads < 2) {
		return XT_OK;
	}
	parts = network->flow->parts = calloc(1, sizeof(*parts));
	if (!parts) {
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for %u threads", client->threads);
	}
	parts->network = network;
	parts->client = client;
	parts->count = wanted < network->cards ? wanted : network->cards;
	parts->longest = network->latency + PARTS_AHEAD;
	parts->announced = UINT64_MAX;
	parts->part = calloc(parts->count, sizeof(*parts->part));
	parts->part_of = calloc(network->cards, sizeof(*parts->part_of));
	network->parts = calloc(parts->count, sizeof(*network->parts));
	network->part_count = parts->count;
	made = parts->part && parts->part_of && network->parts && make_parts(parts);
	if (made) {
		parts->crew = crew_open(client->threads, parts->count, step_part, parts);
	}
	if (!made || !parts->crew) {
		flow_close(network);
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for %u threads", client->threads);
	}
	if (!all_is_plain(network, client)) {
		parts->longest = 1;
	}
	return XT_OK;
}

/* Packets that have left the network, and of which the client has been told. */
static void take_all_back(parts_t *parts)
{
	for (unsigned p = 0; p < parts->count; p++) {
		for (unsigned s = 0; s < SHEETS; s++) {
			take_back(&parts->part[p], p, s);
		}
	}
}

static void close_sheet(sheet_t *sheet, unsigned parts)
{
	for (unsigned i = 0; i < parts; i++) {
		free(sheet->letters ? sheet->letters[i].items : NULL);
		free(sheet->released ? sheet->released[i].items : NULL);
	}
	free(sheet->tellings.items);
	free(sheet->packets.items);
	free(sheet->letters);
	free(sheet->released);
	free(sheet->cycle);
}

void parts_close(xt_engine_t *network)
{
	parts_t *parts = network->flow->parts;

	if (!parts) {
		return;
	}
	crew_close(parts->crew);
	if (parts->crew) {
		take_all_back(parts);
	}
	for (unsigned p = 0; parts->part && network->parts && p < parts->count; p++) {
		xt_engine_t *engine = &network->parts[p];

		for (unsigned s = 0; s < SHEETS; s++) {
			close_sheet(&parts->part[p].sheets[s], parts->count);
		}
		network->common.packets.failed |= parts->part[p].failed;
		if (engine->common.packets.whole) {
			flow_close_part(engine);
			packets_join(&network->common.packets, &engine->common.packets);
		}
	}
	free(network->parts);
	network->parts = NULL;
	free(parts->part);
	free(parts->part_of);
	free(parts);
	network->flow->parts = NULL;
}

/* One epoch, of all parts, while the client is told of the one before. */
static void run_epoch(parts_t *parts, unsigned cycles)
{
	xt_engine_t *network = parts->network;

	parts->cycles = cycles;
	/* A PE that takes one packet, an input that takes one head, in every cycle. */
	packets_reserve(&network->common.packets, parts->count, network->cards * NICS * cycles,
		network->cards * PORTS * cycles);
	crew_run(parts->crew, tell_epoch);
	parts->tell_from = parts->from;
	parts->tell_cycles = cycles;
	parts->from += cycles;
	parts->epoch++;
}

/* What all parts have done. 0: one of them has met something that only cells' steps can do, and the others are in later
 * cycles. */
static int gather(parts_t *parts)
{
	xt_engine_t *network = parts->network;
	const uint64_t now = network->flow->first + parts->from;
	int together = 1;

	network->moves = network->evaluated = 0;
	for (unsigned p = 0; p < parts->count; p++) {
		xt_engine_t *engine = parts->part[p].engine;

		network->flow->leave |= engine->flow->leave;
		network->moves += engine->moves;
		network->evaluated += engine->evaluated;
		together = together && engine->common.now == now;
	}
	network->common.now = now;
	network->cycle = parts->from - 1;
	return together;
}

void parts_step(xt_engine_t *network)
{
	parts_t *parts = network->flow->parts;
	const xt_client_t *client = parts->client;
	uint64_t until;
	int leave = 0;

	parts->from = parts->announced = network->cycle;
	until = client->until(client->context);
	do {
		const uint64_t left = until - parts->from;
		uint64_t later;

		run_epoch(parts, left < parts->longest ? (unsigned)left : parts->longest);
		for (unsigned p = 0; p < parts->count; p++) {
			leave |= parts->part[p].engine->flow->leave;
		}
		later = client->until(client->context);
		until = later > until ? later : until;
	} while (parts->from < until && !leave);
	tell_epoch(parts);
	if (!gather(parts)) {
		network->stray = 1;
	}
}
