/* SPDX-License-Identifier: Apache-2.0 */
#include "network.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fast_links.h"
#include "model/event/event.h"
#include "network_internal.h"

enum {
	RESET_CYCLES = 4,
	AXI_TIMEOUT = 1000,
};

/* ---------------------------------------------------------------- registers */

int network_check(const xt_engine_t *network, xt_diag_t *diag)
{
	if (network->common.packets.failed) {
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for packets");
	}
	if (network->common.entries.failed) {
		return xt_fail(
			diag, XT_ERR_NOMEM, "model: out of memory, or tables with more than 65536 different entries");
	}
	return XT_OK;
}

int network_read(xt_engine_t *network, unsigned c, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	registers_t *r = &network->card[c].registers;
	size_t asked = 0, answered = 0;
	unsigned waited = 0;
	int status = XT_OK;

	network->common.addressed = c;
	r->rready = 1;
	while (answered < count && status == XT_OK) {
		r->arvalid = asked < count;
		r->araddr = (uint16_t)(address + 4 * asked);
		asked += r->arvalid && r->arready;
		if (r->rvalid) {
			if (r->rresp) {
				status = xt_fail(diag, XT_ERR_PROTOCOL, "card %u: reading register 0x%04zx is refused",
					c, address + 4 * answered);
			}
			values[answered++] = r->rdata;
			waited = 0;
		} else if (++waited > AXI_TIMEOUT) {
			status = xt_fail(diag, XT_ERR_TIMEOUT, "card %u: register 0x%04zx does not answer", c,
				address + 4 * answered);
		}
		network_step(network, NULL);
	}
	r->arvalid = 0;
	network->common.addressed = NO_CARD;
	return status == XT_OK ? network_check(network, diag) : status;
}

int network_write(
	xt_engine_t *network, unsigned c, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	registers_t *r = &network->card[c].registers;
	size_t addresses = 0, data = 0, answered = 0;
	unsigned waited = 0;
	int status = XT_OK;

	/* The registers of the link layer: the links must know where they are. */
	if (LINK_LAYER && address + 4 * count > EXTORUS_REG_LINK_DISABLE && address <= EXTORUS_REG_LINK_KEEPALIVE) {
		fast_links_close(network);
	}
	/* A card whose links have a timer must not be held still, not even when nothing moves. */
	if (LINK_LAYER && address == EXTORUS_REG_LINK_KEEPALIVE && count) {
		network->keepalives = network->keepalives - network->keepalive[c] + (values[0] != 0);
		network->keepalive[c] = values[0] != 0;
	}
	network->common.addressed = c;
	r->bready = 1;
	while (answered < count && status == XT_OK) {
		r->awvalid = addresses < count;
		r->awaddr = (uint16_t)(address + 4 * addresses);
		r->wvalid = data < count;
		r->wdata = data < count ? values[data] : 0;
		addresses += r->awvalid && r->awready;
		data += r->wvalid && r->wready;
		if (r->bvalid) {
			if (r->bresp) {
				status = xt_fail(diag, XT_ERR_PROTOCOL, "card %u: writing register 0x%04zx is refused",
					c, address + 4 * answered);
			}
			answered++;
			waited = 0;
		} else if (++waited > AXI_TIMEOUT) {
			status = xt_fail(diag, XT_ERR_TIMEOUT, "card %u: register 0x%04zx does not answer", c,
				address + 4 * answered);
		}
		network_step(network, NULL);
	}
	r->awvalid = 0;
	r->wvalid = 0;
	network->common.addressed = NO_CARD;
	return status == XT_OK ? network_check(network, diag) : status;
}

int network_set_tables(xt_engine_t *network, unsigned c, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *diag)
{
	tables_set(&network->common.entries, network->card[c].tables, grt, lrt);
	return network_check(network, diag);
}

/* ---------------------------------------------------------------- construction */

static int reset(xt_engine_t *network, xt_diag_t *diag)
{
	/* Twice what the tables and the buffers need, one entry per cycle. */
	const uint64_t limit = 2 * ((UINT64_C(1) << EXTORUS_LRT_BITS) + EXTORUS_BUFFER_CELLS) + 1000;
	uint64_t end;

	for (unsigned c = 0; c < network->cards; c++) {
		card_reset(&network->card[c], &network->links[c * LINKS]);
		insert(network, network->busy, c);
	}
	network->common.now = RESET_CYCLES;
	end = network->common.now + limit;
	for (unsigned c = 0; c < network->cards; c++) {
		uint32_t value = 0;

		while (!(value & EXTORUS_STATUS_READY_MASK)) {
			int status = network_read(network, c, EXTORUS_REG_STATUS, &value, 1, diag);

			if (status != XT_OK) {
				return status;
			}
			if (network->common.now > end + (uint64_t)c * AXI_TIMEOUT) {
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
	network->outgoing = calloc(links, sizeof(*network->outgoing));
	network->sending = calloc(cards * NICS, sizeof(*network->sending));
	network->blocked_nics = calloc(cards, sizeof(*network->blocked_nics));
	network->keepalive = calloc(cards, sizeof(*network->keepalive));
	network->links = calloc(links, sizeof(*network->links));
	network->arriving = calloc((size_t)network->slots * network->set_words, sizeof(*network->arriving));
	network->busy = calloc(network->set_words, sizeof(*network->busy));
	network->within = calloc(network->set_words, sizeof(*network->within));
	network->port_cells = calloc(cards * PORTS, sizeof(*network->port_cells));
	return network->card && network->links && network->peers && network->outgoing && network->sending &&
	       network->blocked_nics && network->keepalive && network->arriving && network->busy && network->within &&
	       network->port_cells && packets_open(&network->common.packets) && entries_open(&network->common.entries);
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
	if (!network || !allocate(network)) {
		network_close(network);
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for %u cards", description->cards);
	}
	memcpy(network->peers, description->peers, (size_t)network->cards * LINKS * sizeof(*network->peers));
	status = reset(network, diag);
	if (status != XT_OK) {
		network_close(network);
		return status;
	}
	*out = network;
	return XT_OK;
}

const xt_engine_t *network_cell_by_cell(xt_engine_t *network)
{
	const size_t cards = network->cards;
	xt_engine_t *s = network->settled, own;

	if (!network->event_run) {
		return network;
	}
	if (!s) {
		s = network->settled = calloc(1, sizeof(*s));
		if (!s || !(s->card = calloc(cards, sizeof(*s->card))) ||
			!(s->sending = calloc(cards * NICS, sizeof(*s->sending))) ||
			!(s->busy = calloc(network->set_words, sizeof(*s->busy))) ||
			!(s->within = calloc(network->set_words, sizeof(*s->within))) ||
			!(s->arriving = calloc((size_t)network->slots * network->set_words, sizeof(*s->arriving))) ||
			!(s->port_cells = calloc(cards * PORTS, sizeof(*s->port_cells)))) {
			return NULL;
		}
	}
	if (s->common.now != network->common.now) {
		own = *s;
		*s = *network;
		s->event_run = NULL;
		s->settled = NULL;
		s->card = own.card;
		s->sending = own.sending;
		s->busy = own.busy;
		s->within = own.within;
		s->arriving = own.arriving;
		s->fast_links.came = own.fast_links.came;
		s->fast_links.items = own.fast_links.items;
		s->port_cells = own.port_cells;
		memcpy(s->card, network->card, cards * sizeof(*s->card));
		memcpy(s->sending, network->sending, cards * NICS * sizeof(*s->sending));
		event_settle(network, s);
	}
	return s;
}

static void network_free_settled(xt_engine_t *network)
{
	xt_engine_t *s = network->settled;

	if (s) {
		free(s->card);
		free(s->sending);
		free(s->busy);
		free(s->within);
		free(s->arriving);
		free(s->fast_links.came);
		free(s->fast_links.items);
		free(s->port_cells);
		free(s);
	}
}

void network_close(xt_engine_t *network)
{
	if (!network) {
		return;
	}
	for (unsigned c = 0; network->card && c < network->cards; c++) {
		tables_close(network->card[c].tables);
	}
	packets_close(&network->common.packets);
	entries_close(&network->common.entries);
	for (unsigned i = 0; network->links && i < network->cards * LINKS; i++) {
		link_close(&network->links[i]);
	}
	free(network->card);
	free(network->links);
	free(network->fast_links.came);
	free(network->fast_links.items);
	free(network->peers);
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
	event_close(network);
	network_free_settled(network);
	free(network);
}
