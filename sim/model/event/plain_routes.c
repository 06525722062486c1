/* SPDX-License-Identifier: Apache-2.0 */
#include "plain_routes.h"

#include "event.h"
#include "model/card/input_receive.h"
#include "model/network/network_internal.h"
#include "rank_run.h"

/* Where the entries of a table lead that some packet may need: ports, and everywhere if a route is illegal. `used`: the
 * entries that addresses have. With all upper bits of its own a card never looks into the GRT. */
static uint32_t ways_of_table(
	const route_words_t *words, const table_t *table, const address_t *at, const uint8_t *used)
{
	uint32_t ways = 0;

	for (unsigned w = 0; w < TABLE_WORDS; w++) {
		const route_t *route = words->words[table ? table->word[w] : 0].route;
		const unsigned i = w / ENTRY_WORDS, first = w % ENTRY_WORDS * WORD_TCS;

		for (unsigned tc = first; tc < first + WORD_TCS && tc < TCS && used[i]; tc++) {
			const uint32_t differs = ((uint32_t)i << EXTORUS_LRT_BITS ^ at->own) & at->mask[tc];

			if (i >= EXTORUS_GRT_ENTRIES || differs >> EXTORUS_LRT_BITS) {
				ways |= route_leads(&route[tc]) ? UINT32_C(1) << route[tc].port | route[tc].mask
								: UINT32_MAX;
			}
		}
	}
	return ways;
}

/* Where a packet that comes to a card by a port may go: ports. */
static uint32_t ways_of_packet(const xt_engine_t *network, uint32_t card, unsigned port, unsigned tc, uint32_t address)
{
	const uint16_t word = *input_route_word(&network->card[card], port, tc, address);
	const route_t *route = &network->common.route_words.words[word].route[tc];

	return route_leads(route) ? UINT32_C(1) << route->port | route->mask : 0;
}

/* Whether a packet may come to a card that would send it back by the same link. */
static int may_turn_back(const xt_engine_t *network, const xt_client_t *client, uint32_t card, unsigned port)
{
	const xt_peer_t from = network->peers[card * LINKS + port];
	uint32_t back = 0;

	for (unsigned i = 0; i < client->address_count && from.card != XT_NO_CARD; i++) {
		for (unsigned tc = 0; tc < TCS; tc++) {
			const uint32_t ways = ways_of_packet(network, card, port, tc, client->addresses[i]);

			for (unsigned p = 0; p < PORTS && ways >> port & 1; p++) {
				back |= ways_of_packet(network, from.card, p, tc, client->addresses[i]) >> from.port &
					1;
			}
		}
	}
	return back != 0;
}

int routes_are_plain(const xt_engine_t *network, const xt_client_t *client)
{
	uint8_t used[EXTORUS_GRT_ENTRIES + EXTORUS_LRT_ENTRIES] = {0};
	int plain = 1;

	for (unsigned i = 0; i < client->address_count; i++) {
		const uint32_t address = client->addresses[i];

		used[address >> EXTORUS_LRT_BITS & (EXTORUS_GRT_ENTRIES - 1)] = 1;
		used[EXTORUS_GRT_ENTRIES + (address & (EXTORUS_LRT_ENTRIES - 1))] = 1;
	}
	for (unsigned c = 0; c < network->cards && plain; c++) {
		const card_t *card = &network->card[c];
		const uint32_t streams =
			network->event_run ? card->fast | (uint32_t)(ALL_PORTS & ~ALL_LINKS) : (uint32_t)ALL_PORTS;

		if (network->rank_run && !rank_run_has(network->rank_run, c)) {
			continue;
		}
		for (unsigned p = 0; p < PORTS && plain; p++) {
			plain = (p > 0 && card->tables[p] == card->tables[p - 1]) ||
				!(ways_of_table(&network->common.route_words, card->tables[p], &card->lookup, used) &
					~streams);
			plain = plain && (U_TURNS || p >= LINKS || !may_turn_back(network, client, c, p));
		}
		plain = plain && (!card->settings.stall_timeout || !network->event_run);
	}
	return plain;
}
