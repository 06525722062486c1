/* SPDX-License-Identifier: Apache-2.0 */
#include "network.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "network_internal.h"

enum {
	RESET_CYCLES = 4,
	SETTLING_READS = 8,
};

/* While all cards clear their memories nothing else changes from one read of a status to the next. So the cycles of as
 * many reads are left out as end before the cards do. */
static void skip_reads(xt_engine_t *network, uint64_t cycles)
{
	uint64_t left = UINT64_MAX, skipped;

	for (unsigned c = 0; c < network->cards; c++) {
		if (network_has(network, c) && network->card[c].init < left) {
			left = network->card[c].init;
		}
	}
	if (network->evaluate_all || left <= cycles) {
		return;
	}
	skipped = (left - 1) / cycles * cycles;
	for (unsigned c = 0; c < network->cards; c++) {
		if (network_has(network, c)) {
			network->card[c].init = (uint16_t)(network->card[c].init - skipped);
		}
	}
	network->common.now += skipped;
}

static int reset(xt_engine_t *network, xt_diag_t *diag)
{
	/* Twice what the tables and the buffers need, one entry per cycle. */
	const uint64_t limit = 2 * ((UINT64_C(1) << EXTORUS_LRT_BITS) + EXTORUS_BUFFER_CELLS) + 1000;
	uint64_t end;

	for (unsigned c = 0; c < network->cards; c++) {
		if (network_has(network, c)) {
			card_reset(&network->card[c], &network->links[c * LINKS]);
			network->card[c].settings.link_disable |= network_ports_beyond(network, c);
			insert(network, network->busy, c);
		}
	}
	network->common.now = RESET_CYCLES;
	end = network->common.now + limit;
	for (unsigned c = 0; c < network->cards; c++) {
		uint32_t value = 0;

		for (unsigned reads = 0; network_has(network, c) && !(value & EXTORUS_STATUS_READY_MASK); reads++) {
			const uint64_t begin = network->common.now;
			int status = network_read(network, c, EXTORUS_REG_STATUS, &value, 1, diag);

			if (status != XT_OK) {
				return status;
			}
			/* The first reads may find registers on their way to rest. */
			if (reads == SETTLING_READS) {
				skip_reads(network, network->common.now - begin);
			}
			if (network->common.now > end + (uint64_t)c * NETWORK_AXI_TIMEOUT) {
				return xt_fail(diag, XT_ERR_NODEVICE,
					"card %u is not ready %" PRIu64 " cycles after reset", c, limit);
			}
		}
	}
	return XT_OK;
}

static int allocate(xt_engine_t *network)
{
	const size_t cards = network->cards, links = cards * LINKS;

	network->card = calloc(cards, sizeof(*network->card));
	network->peers = calloc(links, sizeof(*network->peers));
	network->common.lonely = network->lonely = calloc(cards, sizeof(*network->lonely));
	network->outgoing = calloc(links, sizeof(*network->outgoing));
	network->sending = calloc(cards * NICS, sizeof(*network->sending));
	network->blocked_nics = calloc(cards, sizeof(*network->blocked_nics));
	network->keepalive = calloc(cards, sizeof(*network->keepalive));
	network->links = calloc(links, sizeof(*network->links));
	network->arriving = calloc((size_t)network->slots * network->set_words, sizeof(*network->arriving));
	network->busy = calloc(network->set_words, sizeof(*network->busy));
	network->within = calloc(network->set_words, sizeof(*network->within));
	network->port_cells = calloc(cards * PORTS, sizeof(*network->port_cells));
	return network->card && network->links && network->peers && network->lonely && network->outgoing &&
	       network->sending && network->blocked_nics && network->keepalive && network->arriving && network->busy &&
	       network->within && network->port_cells && packets_open(&network->common.packets) &&
	       route_words_open(&network->common.route_words);
}

int network_open(const xt_network_t *description, xt_engine_t **out, xt_diag_t *diag)
{
	xt_engine_t *network = calloc(1, sizeof(*network));
	int status;

	*out = NULL;
	if (network) {
		network->cards = network->end_card = description->cards;
		network->latency = network->common.latency = description->link_latency;
		network->evaluate_all = description->evaluate_all;
		network->slots = description->link_latency + FAST_LINK_CYCLES + 1;
		network->words = (description->cards + 63) / 64;
		network->set_words = network->words + (network->words + 63) / 64;
		network->common.addressed = NO_CARD;
	}
	if (!network || !allocate(network) ||
		(description->present && !(network->present = malloc(description->cards)))) {
		network_close(network);
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for %u cards", description->cards);
	}
	memcpy(network->peers, description->peers, (size_t)network->cards * LINKS * sizeof(*network->peers));
	for (unsigned i = 0; i < network->cards * LINKS; i++) {
		network->lonely[i / LINKS] |= (uint16_t)((network->peers[i].card == XT_NO_CARD) << i % LINKS);
	}
	if (network->present) {
		memcpy(network->present, description->present, network->cards);
	}
	status = reset(network, diag);
	if (status != XT_OK) {
		network_close(network);
		return status;
	}
	*out = network;
	return XT_OK;
}

void network_close(xt_engine_t *network)
{
	if (!network) {
		return;
	}
	for (unsigned c = 0; network->card && c < network->cards; c++) {
		if (network_has(network, c)) {
			tables_close(network->card[c].tables);
		}
	}
	packets_close(&network->common.packets);
	route_words_close(&network->common.route_words);
	for (unsigned i = 0; network->links && i < network->cards * LINKS; i++) {
		link_close(&network->links[i]);
	}
	free(network->present);
	free(network->card);
	free(network->links);
	free(network->fast_links.came);
	free(network->fast_links.items);
	free(network->peers);
	free(network->lonely);
	free(network->outgoing);
	free(network->troubles);
	free(network->sending);
	free(network->blocked_nics);
	free(network->keepalive);
	free(network->arrivals);
	free(network->arriving);
	free(network->busy);
	free(network->within);
	free(network->port_cells);
	free(network->faults);
	free(network);
}
