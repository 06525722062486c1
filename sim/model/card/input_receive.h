/* SPDX-License-Identifier: Apache-2.0
 *
 * What an input does with a cell that arrives (cycle 0): output and VC of its packet, and its place in a queue. */
#pragma once

#include "input_queues.h"

/* ---------------------------------------------------------------- cycle 0: receive */

/* Whether a packet of input `port` may leave by output `to`. */
static inline int input_may_leave(unsigned port, unsigned to)
{
	return U_TURNS || port >= LINKS || to != port;
}

/* The output of a packet with a legal route by the selection function, NO_PORT for the deterministic way. */
static inline unsigned input_adapt(card_t *card, unsigned port, unsigned tc, unsigned vc, const route_t *route)
{
	input_t *in = &card->input[port];
	/* Never back by the link of arrival. */
	unsigned candidates = card->usable[tc] & route->mask & ~(1u << port), group, chosen;
	int may = port >= LINKS ? (tc_vcs(tc) & EXTORUS_VCS_ADAPTIVE) != 0 : (EXTORUS_VCS_ADAPTIVE >> vc & 1);

	group = candidates & card->group[2];
	if (candidates & card->group[1]) {
		group = candidates & card->group[1];
	}
	if (candidates & card->group[0]) {
		group = candidates & card->group[0];
	}
	if (!may || !group) {
		return NO_PORT;
	}
	if (group & card->low[tc]) {
		group &= card->low[tc];
	}
	chosen = round_robin(group, in->candidate_above);
	in->candidate_above = (uint8_t)above(chosen);
	return chosen;
}

/* Whether a packet of input `port` enters a ring by output `to` and its VC `out_vc`. */
static inline int input_enters_ring(const card_t *card, unsigned port, unsigned in_vc, unsigned to, unsigned out_vc)
{
	unsigned ring, vc, from_vc, from;

	if (to >= LINKS) {
		return 0;
	}
	ring = card->settings.ring[to];
	vc = out_vc - tc_first_vc[vc_tc[out_vc]];
	from_vc = in_vc - tc_first_vc[vc_tc[in_vc]];
	from = VC_RINGS && vc ? card->settings.vc_ring_from[to] >> 4 * (vc - 1) & 0xfu : ring & 0xfu;
	return (ring >> (4 + vc) & 1) && !(from == port && (ring >> (8 + from_vc) & 1));
}

/* The number of the word of a table entry that says where a packet goes from here. */
static inline const uint16_t *input_route_word(const card_t *card, unsigned port, unsigned tc, uint32_t dest)
{
	static const uint16_t none;
	const address_t *at = &card->lookup;
	const uint32_t differs = (dest ^ at->own) & at->mask[tc];
	const int local_differs = (differs & (EXTORUS_LRT_ENTRIES - 1)) != 0;
	const int use_grt = differs >> EXTORUS_LRT_BITS && !((at->order >> tc & 1) && local_differs);
	const unsigned index =
		use_grt ? dest >> EXTORUS_LRT_BITS : EXTORUS_GRT_ENTRIES + (dest & (EXTORUS_LRT_ENTRIES - 1));
	const table_t *table = card->tables[port];

	return table ? &table->word[index * ENTRY_WORDS + tc / WORD_TCS] : &none;
}

/* A head: its place in the buffer and its way. Returns ERROR_*. */
static inline unsigned input_receive_head(
	card_t *card, common_t *common, unsigned port, token_t cell, unsigned vc, header_t header)
{
	input_t *in = &card->input[port];
	const unsigned tc = vc_tc[vc];
	const uint16_t word = *input_route_word(card, port, tc, header.dest);
	const route_t *route = &common->route_words.words[word].route[tc];
	const uint32_t *words = packets_cell(&common->packets, cell);
	uint32_t number = buffered_new(&common->packets);
	buffered_t *b = &common->packets.buffered[number];
	const int legal = (route->flags & ROUTE_LEGAL) && input_may_leave(port, route->port);
	/* The selection takes its turn although the entry is damaged: that is known a cycle later. */
	unsigned adaptive = ADAPTIVE && legal ? input_adapt(card, port, tc, vc, route) : (unsigned)NO_PORT;

	in->header = words[0] | (CELL_WORDS > 1 ? (uint64_t)words[CELL_WORDS > 1] << 32 : 0);
	b->packet = token_packet(cell);
	b->odd = NULL;
	b->len = header.len;
	b->vc = (uint8_t)vc;
	b->arrived = 0;
	/* On an adaptive VC it is in no ring. */
	b->enters = BUBBLE && adaptive == NO_PORT && (route->flags & ROUTE_HAS_VC) &&
		    input_enters_ring(card, port, vc, route->port, route->vc);
	b->escape_port = route->port;
	b->escape_vc = route->vc;
	in->arriving = in->e_packet = number;
	if (!legal || !route_leads(route)) {
		in->e_output = DROP_OUTPUT;
		in->e_queue = 0;
		return route->flags & ROUTE_DAMAGED ? ERROR_TABLE : ERROR_ILLEGAL;
	}
	if (adaptive != NO_PORT) {
		in->e_output = (uint8_t)adaptive;
		in->e_queue = SEVERAL_ADAPTIVE ? card->roomiest[tc][adaptive]
					       : (uint8_t)lowest(tc_vcs(tc) & EXTORUS_VCS_ADAPTIVE);
	} else {
		in->e_output = route->port;
		in->e_queue = route->port < LINKS ? route->vc : (uint8_t)tc;
	}
	return 0;
}

/* A cell at the switch's input. */
static inline unsigned input_receive(card_t *card, common_t *common, unsigned port)
{
	input_t *in = &card->input[port];
	const token_t cell = card->in_cell[port];
	const unsigned vc = card->in_vc[port], tc = vc_tc[vc];
	unsigned error = 0;
	buffered_t *b;

	card->counter[port][COUNT_RX_CELLS + tc]++;
	in->busy_with.head = !in->in_packet;
	if (in->busy_with.head) {
		header_t header = packets_header(&common->packets, cell);

		card->counter[port][COUNT_RX_PACKETS + tc]++;
		error = input_receive_head(card, common, port, cell, vc, header);
		in->left = header.len;
		in->in_packet = header.len != 0;
	} else {
		in->in_packet = in->left != 1;
		in->left--;
	}
	b = &common->packets.buffered[in->arriving];
	if (!b->odd && cell != token_of(b->packet, b->arrived)) {
		packets_begin_odd(&common->packets, b);
	}
	if (b->odd) {
		b->odd[b->arrived] = cell;
	}
	b->arrived++;
	if (error) {
		card->counter[port][COUNT_ILLEGAL]++;
	}
	return error;
}

/* What comes in a cycle, if anything, and the cells that were released in the one before. Returns ERROR_*. */
static inline unsigned input_take(card_t *card, common_t *common, unsigned port, unsigned released)
{
	input_t *in = &card->input[port];
	const unsigned arrives = card->in_valid >> port & 1, error = arrives ? input_receive(card, common, port) : 0;

	in->free = (uint16_t)(in->free - arrives + released);
	in->written = in->received = (uint8_t)arrives;
	return error;
}

/* Likewise where a body comes without a gap, if one comes. `copied`: its place in the buffer belongs to the original.
 */
static inline void input_take_body(card_t *card, common_t *common, unsigned port, unsigned released, int copied)
{
	input_t *in = &card->input[port];
	const unsigned arrives = in->in_packet;

	if (arrives) {
		buffered_t *b = &common->packets.buffered[in->arriving];

		card->counter[port][COUNT_RX_CELLS + vc_tc[b->vc]]++;
		b->arrived = (uint16_t)(b->arrived + !copied);
		in->left--;
		in->in_packet = in->left != 0;
	}
	in->free = (uint16_t)(in->free - arrives + released);
	in->written = in->received = (uint8_t)arrives;
}

/* Outputs at which the packets of an input enter the network or a ring. */
static inline unsigned outputs_entered(const card_t *card, unsigned i)
{
	return i >= LINKS ? (unsigned)ALL_LINKS : EXTORUS_SHARED_CELLS ? card->settings.enters[i] : 0;
}

/* An input gives way for a while from its match on, or from when nothing waited. `cycles` of it have passed. */
static inline void input_give_way(const card_t *card, input_t *in, int anew, unsigned cycles)
{
	in->gives_way = (uint16_t)(anew                     ? card->settings.inject_wait
				   : in->gives_way > cycles ? in->gives_way - cycles
							    : 0);
}
