/* SPDX-License-Identifier: Apache-2.0 */
#include "shard_cells.h"

#include "rank_exchange.h"

#include <stdlib.h>

#include "model/network/fast_links.h"
#include "model/network/network_internal.h"

int shard_cells_serve(const xt_engine_t *network, const xt_client_t *client)
{
	/* Faults of links without a link layer alter words of which the client is told late. */
	return client->until && client->make && !client->goes_on && !network->evaluate_all &&
	       !network->common.late_count && (LINK_LAYER || !network->fault_count);
}

static void copy_set(const xt_engine_t *from, const uint64_t *cards, xt_engine_t *to, uint64_t *set)
{
	for (unsigned c = to->first_card; c < to->end_card; c++) {
		if (cards[c / 64] >> c % 64 & 1) {
			insert(from, set, c);
		}
	}
}

static void copy_sets(const xt_engine_t *from, xt_engine_t *to, const xt_engine_t *range)
{
	xt_engine_t part = *to;

	part.first_card = range->first_card;
	part.end_card = range->end_card;
	copy_set(from, from->busy, &part, to->busy);
	copy_set(from, from->within, &part, to->within);
	for (unsigned s = 0; s < from->slots; s++) {
		const size_t at = (size_t)s * from->set_words;

		copy_set(from, &from->arriving[at], &part, &to->arriving[at]);
	}
}

int shard_cells_open(xt_engine_t *shard, xt_engine_t *network)
{
	shard->arriving = calloc((size_t)network->slots * network->set_words, sizeof(*shard->arriving));
	shard->busy = calloc(network->set_words, sizeof(*shard->busy));
	shard->within = calloc(network->set_words, sizeof(*shard->within));
	shard->errors = 0;
	shard->in_transit = shard == network->shards ? network->in_transit : 0;
	/* Made now, for all shards use them. */
	if (!shard->arriving || !shard->busy || !shard->within || !network_arrivals(network, 0, 0) ||
		!faults_make_troubles(network) ||
		(network->fast && !fast_links_reserve(&network->fast_links, network->cards))) {
		return 0;
	}
	shard->arrivals = network->arrivals;
	shard->troubles = network->troubles;
	shard->fast_links = network->fast_links;
	copy_sets(network, shard, shard);
	return 1;
}

static void clear_sets(xt_engine_t *network)
{
	memset(network->busy, 0, network->set_words * sizeof(*network->busy));
	memset(network->within, 0, network->set_words * sizeof(*network->within));
	memset(network->arriving, 0, (size_t)network->slots * network->set_words * sizeof(*network->arriving));
}

void shard_cells_close(xt_engine_t *shard, xt_engine_t *network)
{
	if (network->event_run) {
		return;
	}
	if (shard->arriving && shard->busy && shard->within && shard->arriving != network->arriving) {
		if (shard == network->shards) {
			clear_sets(network);
			network->in_transit = 0;
		}
		copy_sets(shard, network, shard);
		network->in_transit += shard->in_transit;
		if (shard->fast_links.filled > network->fast_links.filled) {
			network->fast_links.filled = shard->fast_links.filled;
		}
	}
	network->errors += shard->errors;
	free(shard->arriving);
	free(shard->busy);
	free(shard->within);
	free(shard->crossings.items);
}

/* Crossings, and packets that have left, go into the sheet. */
static void sort(shard_t *shard)
{
	xt_engine_t *engine = shard->engine;
	packets_t *packets = &engine->common.packets;
	const rank_run_t *run = engine->rank_run;

	for (uint32_t i = 0; i < engine->crossings.count; i++) {
		const crossing_t *crossing = &engine->crossings.items[i];
		list_t *list = &shard->sheet->crossings[shard->shards->shard_of[crossing->card]];
		crossing_t *put = shard_put(shard, list, sizeof(*put));

		if (put) {
			*put = *crossing;
		}
	}
	engine->crossings.count = 0;
	for (uint32_t i = 0; i < packets->gone_count; i++) {
		const uint32_t packet = packets->gone[i];
		uint32_t *put =
			run && rank_crossings_by(run, packet) ? shard_put(shard, &shard->departed, sizeof(*put)) : NULL;

		if (put) {
			*put = packet;
		} else {
			shards_release(shard, packet);
		}
	}
	packets->gone_count = 0;
}

void shard_cells_step(shard_t *shard)
{
	network_step(shard->engine, &shard->client);
	sort(shard);
}

unsigned shard_cells_busy(const xt_engine_t *shard)
{
	return !is_empty(shard, shard->busy) || !is_empty(shard, shard->within);
}

void shard_cells_arrive(shard_t *shard, list_t *crossings)
{
	const crossing_t *crossing = crossings->items;

	for (uint32_t i = 0; i < crossings->count; i++) {
		if (!crossing[i].lost) {
			crossing_arrive(shard->engine, &crossing[i]);
		}
	}
	crossings->count = 0;
}
