/* SPDX-License-Identifier: Apache-2.0
 *
 * The begin and the end of a run by events. */
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "shard_mail.h"

enum { FIRST_SPANS = 1024 };

int event_serves(const xt_engine_t *network, const xt_client_t *client)
{
	if (!LINK_LAYER || client->nic_stall || network->fault_count || network->common.late_count) {
		return 0;
	}
	for (unsigned pe = 0; client->deaf && pe < client->pes; pe++) {
		if (client->deaf[pe]) {
			return 0;
		}
	}
	for (unsigned c = 0; c < network->cards; c++) {
		const card_t *card = &network->card[c];

		if (!network_has(network, c)) {
			continue;
		}
		if (!card_idle(card) || card->settings.stamp || (QOS && card->settings.weights_set) ||
			card->registers_awake || card->errors || network->blocked_nics[c]) {
			return 0;
		}
		for (unsigned n = 0; n < NICS; n++) {
			if (network->sending[c * NICS + n].packet) {
				return 0;
			}
		}
	}
	return 1;
}

int event_is_adaptive(const xt_engine_t *network)
{
	const route_words_t *words = &network->common.route_words;

	for (uint32_t i = 0; i < words->count; i++) {
		for (unsigned tc = 0; tc < TCS; tc++) {
			if (words->words[i].route[tc].mask) {
				return 1;
			}
		}
	}
	return 0;
}

static int allocate(event_run_t *run, const xt_engine_t *network)
{
	run->awake = calloc((size_t)EVENT_AHEAD * network->words, sizeof(*run->awake));
	run->spans = calloc(FIRST_SPANS, sizeof(*run->spans));
	run->span_room = FIRST_SPANS;
	run->span_count = 1;
	return run->awake && run->spans;
}

/* What every shard has of its own. */
static void release(event_run_t *run)
{
	for (unsigned i = 0; i < EVENT_SLOTS; i++) {
		for (unsigned l = 0; l < EVENT_LISTS; l++) {
			free(run->slot[i].list[l].events);
		}
	}
	free(run->awake);
	free(run->spans);
	free(run);
}

int event_open(xt_engine_t *network, const xt_client_t *client, int adaptive, xt_diag_t *diag)
{
	event_run_t *run = calloc(1, sizeof(*run));

	network->event_run = run;
	if (run) {
		run->card = calloc(network->cards, sizeof(*run->card));
		run->port_cells = calloc((size_t)network->cards * PORTS, sizeof(*run->port_cells));
	}
	if (!run || !run->card || !run->port_cells || !allocate(run, network)) {
		event_close(network);
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for %u cards", network->cards);
	}
	run->client = client;
	run->first = network->common.now;
	run->adaptive = adaptive;
	for (unsigned c = 0; c < network->cards; c++) {
		card_t *card = &network->card[c];
		event_card_t *f = &run->card[c];

		if (!network_has(network, c)) {
			continue;
		}
		f->stepped = f->scanned = network->common.now - 1;
		f->ticked = run->adaptive ? network->common.now - 1 : UINT64_MAX;
		for (unsigned p = 0; p < PORTS; p++) {
			card->block[p] = card->settings.quiesce >> p & 1 ? ALL_TCS : 0;
		}
	}
	return XT_OK;
}

void event_close(xt_engine_t *network)
{
	event_run_t *run = network->event_run;

	if (!run) {
		return;
	}
	network->common.packets.failed |= run->failed;
	free(run->card);
	free(run->port_cells);
	release(run);
	network->event_run = NULL;
}

int event_open_shard(xt_engine_t *shard, const xt_engine_t *network)
{
	event_run_t *run = calloc(1, sizeof(*run));

	shard->event_run = run;
	if (!run || !allocate(run, shard)) {
		return 0;
	}
	run->card = network->event_run->card;
	run->client = network->event_run->client;
	run->first = network->event_run->first;
	run->adaptive = network->event_run->adaptive;
	return 1;
}

void event_close_shard(xt_engine_t *shard)
{
	if (shard->event_run) {
		shard->common.packets.failed |= shard->event_run->failed;
		release(shard->event_run);
		shard->event_run = NULL;
	}
}

unsigned event_kept(event_run_t *run, const uint32_t *words, unsigned cells)
{
	if (!run->client->remake || cells < 2) {
		return cells;
	}
	memcpy(run->made, words, CELL_WORDS * sizeof(*words));
	return run->client->remake(run->client->context, run->made, 1) ? 1 : cells;
}

void event_tell_received(const xt_engine_t *shard, const xt_client_t *client, uint32_t pe, uint64_t cycle,
	const packet_t *packet, unsigned first, unsigned count, int last)
{
	event_run_t *run = shard->event_run;
	const uint32_t *words;

	/* What is written down is made when the client is told of it. */
	if (packet->kept < packet->cells && shard->shard && client == &shard->shard->client) {
		shard_receives(shard->shard, pe, cycle, packet, first, count, last);
		return;
	}
	if (packet->kept < packet->cells && client->received_made) {
		client->received_made(client->context, pe, cycle, packet->words, first, count, last);
		return;
	}
	words = packets_words(packet, run->client->remake, run->client->context, run->made);
	client->received(client->context, pe, cycle, words + (size_t)first * CELL_WORDS, count, last, 0);
}

/* Of the packets that are on their way into a PE of a shard. */
void event_tell_shard(const xt_engine_t *shard, const xt_client_t *client)
{
	const event_run_t *run = shard->event_run;
	const uint64_t t = shard->common.now - 1;

	for (uint32_t i = shard->first_card * NICS; i < shard->end_card * NICS; i++) {
		const event_spans_t *list = &run->card[i / NICS].cells[LINKS + i % NICS];

		for (uint32_t s = list->first; s; s = run->spans[s].next) {
			event_span_t *span = &run->spans[s];
			const unsigned come = (unsigned)(t + 1 - span->at);

			if (span->at <= t && come <= span->len && come > span->told) {
				event_tell_received(shard, client, i, span->at + span->told - run->first,
					&shard->common.packets.packets[span->packet], span->told, come - span->told, 0);
				span->told = (uint8_t)come;
			}
		}
	}
}

void event_tell(xt_engine_t *network)
{
	for (unsigned i = 0; i < event_shard_count(network); i++) {
		event_tell_shard(event_shard(network, i), network->event_run->client);
	}
}

int event_is_quiet(xt_engine_t *network)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < event_shard_count(network); i++) {
		busy += event_shard(network, i)->event_run->busy;
	}
	return busy == 0;
}
