/* SPDX-License-Identifier: Apache-2.0 */
#include "shards.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/worker_pool.h"
#include "event.h"
#include "model/network/network_internal.h"
#include "plain_routes.h"
#include "rank_exchange.h"
#include "shard_cells.h"

enum {
	SHARD_CARDS = 256,   /* about what fits a cache; with smaller shards more packets cross */
	MOST_PER_THREAD = 4, /* threads that are done help the others */
	TELLING = 8,         /* of the work of all cards, by which the client's is less */
};

/* ---------------------------------------------------------------- an epoch of a shard */

static void open_mail(shard_t *shard, unsigned number)
{
	shards_t *shards = shard->shards;

	for (unsigned from = shards->first; from < shards->end; from++) {
		list_t *letters = &sheet_of(&shards->shard[from], shards->epoch + SHEETS - 1)->letters[number];
		const letter_t *letter = letters->items;

		for (uint32_t i = 0; i < letters->count; i++) {
			const event_t *e = &letter[i].event;

			event_put(shard->engine->event_run, letter[i].when, (event_kind_t)e->kind, e->card, e->port,
				e->vc, e->cells, e->packet);
		}
		letters->count = 0;
		shard_cells_arrive(
			shard, &sheet_of(&shards->shard[from], shards->epoch + SHEETS - 1)->crossings[number]);
	}
}

/* `item`: the shard's number among those of this process. */
static void take_back(shard_t *shard, unsigned item, unsigned epoch)
{
	shards_t *shards = shard->shards;

	for (unsigned from = shards->first; from < shards->end; from++) {
		list_t *released = &sheet_of(&shards->shard[from], epoch)->released[item];
		const uint32_t *packet = released->items;

		for (uint32_t i = 0; i < released->count; i++) {
			packets_release(&shard->engine->common.packets, packet[i]);
		}
		released->count = 0;
	}
}

static int is_left(const xt_engine_t *shard)
{
	return shard->event_run && shard->event_run->leave;
}

static void step_shard(void *context, unsigned item)
{
	shards_t *shards = context;
	const unsigned number = shards->first + item;
	shard_t *shard = &shards->shard[number];
	xt_engine_t *engine = shard->engine;

	packets_follow(&engine->common.packets);
	open_mail(shard, number);
	take_back(shard, item, shards->epoch + SHEETS - 2);
	shard->sheet = sheet_of(shard, shards->epoch);
	shard->sheet->tellings.count = shard->sheet->packets.count = 0;
	for (unsigned i = 0; i < shards->cycles && !is_left(engine); i++) {
		engine->cycle = shards->from + i;
		if (engine->event_run) {
			event_step(engine, &shard->client);
		} else {
			shard_cells_step(shard);
		}
		shard->sheet->cycle[i].told = shard->sheet->tellings.count;
		shard->sheet->cycle[i].busy = engine->event_run ? engine->event_run->busy : shard_cells_busy(engine);
		shard->sheet->cycle[i].moves = engine->moves;
		shard->sheet->cycle[i].in_transit = engine->in_transit;
	}
}

/* ---------------------------------------------------------------- the run */

static int allocate_shard(shards_t *shards, unsigned number)
{
	shard_t *shard = &shards->shard[number];
	int made = 1;

	for (unsigned s = 0; s < SHEETS; s++) {
		sheet_t *sheet = &shard->sheets[s];

		sheet->letters = calloc(shards->count, sizeof(*sheet->letters));
		sheet->crossings = calloc(shards->count, sizeof(*sheet->crossings));
		sheet->released = calloc(shards->count, sizeof(*sheet->released));
		sheet->cycle = calloc(shards->longest, sizeof(*sheet->cycle));
		made = made && sheet->letters && sheet->crossings && sheet->released && sheet->cycle;
	}
	return made;
}

static int make_shard(shards_t *shards, unsigned number, uint32_t first_card, uint32_t end_card, packets_t **packets)
{
	xt_engine_t *network = shards->network, *engine = &network->shards[number - shards->first];
	shard_t *shard = &shards->shard[number];

	*engine = *network;
	engine->shards = NULL;
	engine->first_card = first_card;
	engine->end_card = end_card;
	engine->evaluated = engine->moves = 0;
	engine->common.packets = (packets_t){.whole = &network->common.packets};
	shard->engine = engine;
	shard->client = shard_client(shard, shards->client);
	*packets = &engine->common.packets;
	engine->shard = shard;
	return network->event_run ? event_open_shard(engine, network) : shard_cells_open(engine, network);
}

/* Of shard `i` of `count` that share `cards`. The thread of the first shard also tells the client, which is as much
 * work as some of the cards. Where each thread has one shard, nobody helps it. */
static uint32_t first_card(const shards_t *shards, uint32_t cards, unsigned count, unsigned i)
{
	const uint32_t telling = !shards->network->rank_run && count == shards->client->threads ? cards / TELLING : 0;
	const uint64_t work = (uint64_t)(cards + telling) * i / count;

	return work > telling + i ? (uint32_t)work - telling : i;
}

/* Divides the cards of each rank among its shards. */
static int make_shards(shards_t *shards)
{
	xt_engine_t *network = shards->network;
	const rank_run_t *ranks = network->rank_run;
	const uint32_t all[] = {0, network->cards}, whole[] = {0, shards->count};
	const uint32_t *cards = ranks ? ranks->first_card : all, *numbers = ranks ? ranks->first_shard : whole;
	packets_t **packets = calloc(shards->count, sizeof(*packets));
	int made = packets != NULL;

	for (unsigned r = 0; r < (ranks ? ranks->count : 1); r++) {
		const uint32_t count = numbers[r + 1] - numbers[r], has = cards[r + 1] - cards[r];

		for (unsigned i = 0; i < count && made; i++) {
			const unsigned p = numbers[r] + i;
			const uint32_t first = cards[r] + first_card(shards, has, count, i);
			const uint32_t end = cards[r] + first_card(shards, has, count, i + 1);

			shards->shard[p].shards = shards;
			for (uint32_t c = first; c < end; c++) {
				shards->shard_of[c] = (uint16_t)p;
			}
			made = allocate_shard(shards, p);
			if (made && p - shards->first < shards->end - shards->first) {
				made = make_shard(shards, p, first, end, &packets[p - shards->first]);
			}
		}
	}
	made = made && packets_split(&network->common.packets, packets, shards->end - shards->first);
	free(packets);
	return made;
}

static unsigned shards_of_cards(const xt_client_t *client, uint32_t cards)
{
	unsigned per_thread, wanted;

	if (client->threads < 2) {
		return 1;
	}
	per_thread = cards / (client->threads * SHARD_CARDS);
	per_thread = per_thread < 1 ? 1 : per_thread > MOST_PER_THREAD ? MOST_PER_THREAD : per_thread;
	wanted = client->threads * per_thread;
	return wanted < cards ? wanted : cards;
}

/* How many there are, and which of them are this process's. */
static void number_shards(shards_t *shards)
{
	rank_run_t *ranks = shards->network->rank_run;

	shards->count = shards->end = shards_of_cards(shards->client, shards->network->cards);
	if (!ranks) {
		return;
	}
	for (unsigned r = 0; r < ranks->count; r++) {
		ranks->first_shard[r + 1] =
			ranks->first_shard[r] +
			shards_of_cards(shards->client, ranks->first_card[r + 1] - ranks->first_card[r]);
	}
	shards->count = ranks->first_shard[ranks->count];
	shards->first = ranks->first_shard[ranks->own];
	shards->end = ranks->first_shard[ranks->own + 1];
}

int shards_open(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	shards_t *shards;
	int made, status = XT_OK;

	if ((client->threads < 2 && !network->rank_run) ||
		(!network->event_run && !shard_cells_serve(network, client))) {
		return XT_OK;
	}
	if (!network->event_run && !rank_least(network, (uint64_t)routes_are_plain(network, client), &status, diag)) {
		return status;
	}
	if (status != XT_OK) {
		return status;
	}
	shards = network->sharded = calloc(1, sizeof(*shards));
	if (!shards) {
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for %u threads", client->threads);
	}
	shards->network = network;
	shards->client = client;
	shards->quiet = network_is_quiet(network);
	shards->first_cycle = network->common.now;
	number_shards(shards);
	shards->longest = network->latency + (network->event_run ? SHARDS_AHEAD : SHARDS_AHEAD_CELLS);
	shards->announced = UINT64_MAX;
	shards->shard = calloc(shards->count, sizeof(*shards->shard));
	shards->shard_of = calloc(network->cards, sizeof(*shards->shard_of));
	network->shard_count = shards->end - shards->first;
	network->shards = calloc(network->shard_count, sizeof(*network->shards));
	made = shards->shard && shards->shard_of && network->shards && make_shards(shards);
	if (made) {
		shards->workers = xt_worker_pool_open(
			client->threads > 1 ? client->threads : 1, network->shard_count, step_shard, shards);
	}
	if (!made || !shards->workers) {
		shards_close(network);
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for %u threads", client->threads);
	}
	/* Ranks do not go on cell by cell. */
	if (!network->rank_run && network->event_run && !routes_are_plain(network, client)) {
		shards->longest = 1;
	}
	return XT_OK;
}

/* Packets that have left the network, and of which the client has been told. */
static void take_all_back(shards_t *shards)
{
	for (unsigned p = shards->first; p < shards->end; p++) {
		for (unsigned s = 0; s < SHEETS; s++) {
			take_back(&shards->shard[p], p - shards->first, s);
		}
	}
}

static void close_sheet(sheet_t *sheet, unsigned shards)
{
	for (unsigned i = 0; i < shards; i++) {
		free(sheet->letters ? sheet->letters[i].items : NULL);
		free(sheet->crossings ? sheet->crossings[i].items : NULL);
		free(sheet->released ? sheet->released[i].items : NULL);
	}
	free(sheet->tellings.items);
	free(sheet->packets.items);
	free(sheet->letters);
	free(sheet->crossings);
	free(sheet->released);
	free(sheet->cycle);
}

void shards_close(xt_engine_t *network)
{
	shards_t *shards = network->sharded;

	if (!shards) {
		return;
	}
	xt_worker_pool_close(shards->workers);
	if (shards->workers) {
		for (unsigned p = shards->first; p < shards->end && !network->event_run; p++) {
			open_mail(&shards->shard[p], p);
		}
		take_all_back(shards);
	}
	for (unsigned p = 0; shards->shard && network->shards && p < shards->count; p++) {
		xt_engine_t *engine = shards->shard[p].engine;

		for (unsigned s = 0; s < SHEETS; s++) {
			close_sheet(&shards->shard[p].sheets[s], shards->count);
		}
		free(shards->shard[p].departed.items);
		network->common.packets.failed |= shards->shard[p].failed;
		if (engine && engine->common.packets.whole) {
			event_close_shard(engine);
			shard_cells_close(engine, network);
			packets_join(&network->common.packets, &engine->common.packets);
		}
	}
	free(network->shards);
	network->shards = NULL;
	free(shards->shard);
	free(shards->shard_of);
	free(network->sharded);
	network->sharded = NULL;
}

/* One epoch, of all own shards, while the client is told of the one before. */
static void run_epoch(shards_t *shards, unsigned cycles)
{
	xt_engine_t *network = shards->network;
	rank_run_t *ranks = network->rank_run;
	const double begin = ranks ? xt_now_s() - ranks->times.telling : 0.0;

	shards->cycles = cycles;
	/* A PE that takes one packet, an input that takes one head, in every cycle. */
	packets_reserve(&network->common.packets, shards->end - shards->first, network->cards * NICS * cycles,
		network->cards * PORTS * cycles);
	xt_worker_pool_run(
		shards->workers, ranks && ranks->own && !ranks->alike ? shards_tell_nothing : shards_tell_epoch);
	if (ranks) {
		ranks->times.stepping += xt_now_s() - ranks->times.telling - begin;
	}
}

static void end_epoch(shards_t *shards)
{
	shards->tell_from = shards->from;
	shards->tell_cycles = shards->cycles;
	shards->from += shards->cycles;
	shards->epoch++;
}

/* What all shards have done. 0: one of them has met something that only cells' steps can do, and the others are in
 * later cycles. */
static int gather(shards_t *shards)
{
	xt_engine_t *network = shards->network;
	const uint64_t now = shards->first_cycle + shards->from, moves = network->moves;
	int together = 1;

	network->moves = network->evaluated = 0;
	for (unsigned p = shards->first; p < shards->end; p++) {
		xt_engine_t *engine = shards->shard[p].engine;

		if (network->event_run) {
			network->event_run->leave |= engine->event_run->leave;
		}
		network->moves += engine->moves;
		network->evaluated += engine->evaluated;
		together = together && engine->common.now == now;
	}
	/* Those of all ranks are in what the client was told. */
	network->moves = network->rank_run ? moves : network->moves;
	network->common.now = now;
	network->cycle = shards->from - 1;
	return together;
}

static int some_left(const shards_t *shards)
{
	int leave = 0;

	for (unsigned p = shards->first; p < shards->end; p++) {
		leave |= is_left(shards->shard[p].engine);
	}
	return leave;
}

/* Up to which cycle no fault begins, and the client does not look. */
static uint64_t shards_until(const shards_t *shards, uint64_t before)
{
	const xt_engine_t *network = shards->network;
	uint64_t until = event_later(shards->client->until(shards->client->context), before);

	for (unsigned i = 0; i < network->fault_count; i++) {
		const fault_t *f = &network->faults[i];

		if (!f->done && f->what.n > network->cycle &&
			(f->what.kind == XT_FAULT_BLOCK_NIC || f->what.kind == XT_FAULT_KILL_LINK)) {
			until = event_earlier(until, f->what.n);
		}
	}
	return until;
}

/* Cell by cell a look at a link, and a checkpoint, find there what has crossed. */
static void open_crossings(shards_t *shards)
{
	for (unsigned p = shards->first; p < shards->end && !shards->network->event_run; p++) {
		open_mail(&shards->shard[p], p);
	}
}

void shards_step(xt_engine_t *network)
{
	shards_t *shards = network->sharded;
	const xt_client_t *client = shards->client;
	rank_run_t *ranks = network->rank_run;
	uint64_t until;
	int goes_on = 1;

	shards->from = shards->announced = network->cycle;
	until = shards_until(shards, 0);
	if (ranks && !ranks->alike) {
		goes_on = rank_command(
			ranks, &(rank_command_t){
				       .kind = RANK_GO, .until = until, .decision = client->decision(client->context)});
	}
	while (goes_on && shards->from < until) {
		const uint64_t left = until - shards->from;

		run_epoch(shards, left < shards->longest ? (unsigned)left : shards->longest);
		until = shards_until(shards, until);
		goes_on = ranks ? rank_exchange(shards, until) : !some_left(shards);
		end_epoch(shards);
		/* Or packets would be made while the client is told of those before. */
		if (shards->client->alike) {
			shards_tell_epoch(shards);
		}
	}
	shards_tell_epoch(shards);
	open_crossings(shards);
	if (!gather(shards)) {
		network->stray = 1;
	}
}

void shards_follow(xt_engine_t *network, uint64_t until)
{
	shards_t *shards = network->sharded;
	rank_run_t *ranks = network->rank_run;

	shards->from = network->cycle;
	for (int goes_on = 1; goes_on && shards->from < until;) {
		const uint64_t left = until - shards->from;

		run_epoch(shards, left < shards->longest ? (unsigned)left : shards->longest);
		goes_on = rank_exchange(shards, 0);
		until = ranks->until > until ? ranks->until : until;
		end_epoch(shards);
	}
	open_crossings(shards);
	(void)gather(shards);
}
