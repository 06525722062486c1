/* SPDX-License-Identifier: Apache-2.0 */
#include "cell_state.h"

#include <stdlib.h>
#include <string.h>

#include "model/event/event.h"

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

void cell_state_free(xt_engine_t *network)
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
