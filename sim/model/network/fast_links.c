/* SPDX-License-Identifier: Apache-2.0 */
#include "fast_links.h"

#include <stdlib.h>
#include <string.h>

#include "network_internal.h"

#if EXTORUS_FRAME_LAYER

enum {
	/* So many cells are unacknowledged at most without holding the output. */
	WINDOW = EXTORUS_REPLAY_CELLS - 2 * PACKET_CELLS - 8,
	MARGIN_CYCLES = 8,
	MAX_LATENCY = (WINDOW - ACK_CYCLES - 1) / 2,
	MAX_SLOTS = 4 * (MAX_LATENCY + FAST_LINK_CYCLES + MARGIN_CYCLES),
};

unsigned fast_links_history(const xt_engine_t *network)
{
	return 2 * network->latency + ACK_CYCLES + 4;
}

static int is_up(const xt_engine_t *network, unsigned card, unsigned port)
{
	const link_t *link = &network->links[card * LINKS + port];

	return network->peers[card * LINKS + port].card != XT_NO_CARD && link->state == LINK_UP && link->settled &&
	       !link->down;
}

int fast_links_serve(const xt_engine_t *network, const xt_client_t *client)
{
	if (network->latency > MAX_LATENCY || client->error_rate > 0.0 || network->keepalives ||
		network->evaluate_all) {
		return 0;
	}
	for (unsigned i = 0; i < network->fault_count; i++) {
		if (network->faults[i].what.kind != XT_FAULT_BLOCK_NIC) {
			return 0;
		}
	}
	for (unsigned c = 0; c < network->cards; c++) {
		const settings_t *s = &network->card[c].settings;

		if (s->link_keepalive || s->link_retrain ||
			(s->link_timeout && s->link_timeout < fast_links_history(network) + MARGIN_CYCLES)) {
			return 0;
		}
		for (unsigned p = 0; p < LINKS; p++) {
			const xt_peer_t peer = network->peers[c * LINKS + p];

			/* One end alone is not enough. */
			if (peer.card != XT_NO_CARD && is_up(network, c, p) != is_up(network, peer.card, peer.port)) {
				return 0;
			}
			if (is_up(network, c, p) && (s->link_disable >> p & 1)) {
				return 0;
			}
		}
	}
	return 1;
}

int fast_links_reserve(fast_links_t *fast_links, unsigned cards)
{
	if (!fast_links->came) {
		fast_links->came = calloc((size_t)fast_links->slots * cards, sizeof(*fast_links->came));
		fast_links->items = calloc((size_t)fast_links->slots * cards * LINKS, sizeof(*fast_links->items));
	}
	return fast_links->came && fast_links->items;
}

void fast_links_clear(xt_engine_t *network)
{
	if (network->fast_links.came) {
		memset(network->fast_links.came, 0,
			(size_t)network->fast_links.slots * network->cards * sizeof(*network->fast_links.came));
	}
}

void fast_links_open(xt_engine_t *network)
{
	fast_links_t *fast_links = &network->fast_links;

	if (network->fast) {
		return;
	}
	if (!fast_links->slots) {
		unsigned slots = 1;

		while (slots < fast_links_history(network) + network->latency + FAST_LINK_CYCLES + MARGIN_CYCLES) {
			slots *= 2;
		}
		fast_links->slots = slots;
	}
	fast_links_clear(network);
	/* Frames are only for links that run their protocol. */
	if (network->in_transit == 0) {
		free(network->arrivals);
		network->arrivals = NULL;
	}
	for (unsigned c = 0; c < network->cards; c++) {
		card_t *card = &network->card[c];

		card->rest = 0;
		for (unsigned p = 0; p < LINKS && network_has(network, c); p++) {
			if (is_up(network, c, p)) {
				card->fast |= (uint16_t)(1u << p);
				card->pushed_cells[p] = card->link[p].cells_tx.write;
				card->pushed_credits[p] = card->link[p].credits_tx.write;
				card->pushed_at[p] = 0;
			}
		}
		if (network_has(network, c)) {
			card->link_stirring &= (uint16_t)~card->fast;
			card->links_busy_until = card->links_active_until = 0;
		}
	}
	network->fast = 1;
}

/* ---------------------------------------------------------------- the protocol, worked out */

typedef struct {
	link_t link;
	link_buffers_t buffers;
	frame_t frame[MAX_LATENCY + 2]; /* on their way to it, by cycle */
	uint8_t comes[MAX_LATENCY + 2];
} end_t;

/* What a link took in a cycle, found where it arrives. */
static void took(const xt_engine_t *network, unsigned card, unsigned port, uint64_t cycle, link_inputs_t *in)
{
	const xt_peer_t peer = network->peers[card * LINKS + port];
	const uint64_t arrival = cycle + network->latency + FAST_LINK_CYCLES;
	const size_t at = (size_t)((unsigned)arrival & (network->fast_links.slots - 1)) * network->cards + peer.card;
	const fast_link_item_t none = {0};
	const fast_link_item_t *item =
		network->fast_links.came ? &network->fast_links.items[at * LINKS + peer.port] : &none;
	unsigned came = network->fast_links.came ? network->fast_links.came[at] >> peer.port : 0;

	in->tx_valid = came & 1;
	in->tx_cell = item->cell;
	in->tx_vc = item->vc;
	in->tx_credit_valid = came >> FAST_LINK_CREDITS & 1;
	in->tx_credit_vc = item->credit_vc;
	/* Not on its way yet. */
	if (cycle + 1 == network->common.now) {
		const card_t *sender = &network->card[card];

		in->tx_valid = sender->sent_cells >> port & 1;
		in->tx_cell = sender->sent_cell[port];
		in->tx_vc = sender->sent_vc[port];
		in->tx_credit_valid = sender->sent_credits >> port & 1;
		in->tx_credit_vc = sender->sent_credit_vc[port];
	}
}

/* Begins where nothing was under way. */
static void begin(const xt_engine_t *network, unsigned card, unsigned port, uint64_t from, end_t *end)
{
	const card_t *c = &network->card[card];
	link_t *link = &end->link;
	unsigned cells = c->pushed_cells[port], credits = c->pushed_credits[port];

	memset(end->comes, 0, sizeof(end->comes));
	*link = c->link[port];
	if (link->buffers) {
		end->buffers = *link->buffers;
	} else {
		memset(&end->buffers, 0, sizeof(end->buffers));
	}
	link->buffers = &end->buffers;
	for (uint64_t t = from; t < network->common.now; t++) {
		link_inputs_t in;

		took(network, card, port, t, &in);
		cells -= (unsigned)in.tx_valid;
		credits -= (unsigned)in.tx_credit_valid;
	}
	cells &= (1u << EXTORUS_FRAME_CELL_SEQ_BITS) - 1;
	credits &= (1u << EXTORUS_FRAME_CREDIT_SEQ_BITS) - 1;
	link->cells_tx.write = link->cells_tx.send = link->cells_tx.acked = (uint16_t)cells;
	link->credits_tx.write = link->credits_tx.send = link->credits_tx.acked = (uint16_t)credits;
	link->tx_packet = link->in_packet = 0;
	link->tx_accepted = 1;
}

static void advance(end_t *end, end_t *other, packets_t *packets, link_inputs_t *in, uint64_t cycle, unsigned latency)
{
	const unsigned slot = (unsigned)(cycle % (latency + 2));
	link_cell_t cell;

	in->frame = end->comes[slot] ? &end->frame[slot] : NULL;
	(void)link_step(&end->link, packets, in, &cell);
	end->comes[slot] = 0;
	if (end->link.out_valid) {
		const unsigned to = (unsigned)((cycle + 1 + latency) % (latency + 2));

		other->comes[to] = 1;
		other->frame[to] = end->link.out;
	}
}

/* Cells of its packet that come behind a cell. */
static unsigned cells_behind(const packets_t *packets, token_t cell)
{
	return packets->packets[token_packet(cell)].header.len - token_index(cell);
}

/* Where a packet stands after one more cell. */
static void follow(const packets_t *packets, token_t cell, uint8_t *within, uint8_t *left)
{
	*left = (uint8_t)cells_behind(packets, cell);
	*within = *left != 0;
}

/* Which packets the ends are within, and where packets end in the replay buffer: by the names of the cells. */
static void mark_packets(
	const xt_engine_t *network, unsigned card, unsigned port, uint64_t from, link_t *sender, link_t *receiver)
{
	const packets_t *packets = &network->common.packets;
	const input_t *in = &network->card[network->peers[card * LINKS + port].card]
				     .input[network->peers[card * LINKS + port].port];

	receiver->in_packet = in->in_packet;
	receiver->in_left = in->left;
	for (uint64_t t = from; t < network->common.now; t++) {
		link_inputs_t inputs;

		took(network, card, port, t, &inputs);
		if (!inputs.tx_valid) {
			continue;
		}
		if (t + network->latency + FAST_LINK_CYCLES == network->common.now) {
			follow(packets, inputs.tx_cell, &receiver->in_packet, &receiver->in_left);
		}
	}
	sender->tx_packet = receiver->in_packet;
	sender->tx_left = receiver->in_left;
	for (uint64_t t = from; t < network->common.now; t++) {
		link_inputs_t inputs;

		took(network, card, port, t, &inputs);
		if (inputs.tx_valid && t + network->latency + FAST_LINK_CYCLES > network->common.now) {
			follow(packets, inputs.tx_cell, &sender->tx_packet, &sender->tx_left);
		}
	}
	sender->tx_accepted = sender->tx_packet;
	for (unsigned i = 0; i < EXTORUS_REPLAY_CELLS; i++) {
		replay_cell_t *cell = &sender->buffers->cells[i];

		cell->last = cells_behind(packets, cell->cell) == 0;
	}
}

/* Both ends of a link as they would be now, and what is on its way between them. */
static void work_out(const xt_engine_t *network, unsigned card, unsigned port, end_t *a, end_t *b)
{
	const xt_peer_t peer = network->peers[card * LINKS + port];
	const uint64_t now = network->common.now, span = fast_links_history(network),
		       from = now > span ? now - span : 0;
	/* Headers are looked at, nothing is taken out. */
	packets_t *packets = (packets_t *)(uintptr_t)&network->common.packets;
	link_inputs_t in_a = {.timeout = network->card[card].settings.link_timeout,
		.retry_limit = network->card[card].settings.link_retry_limit};
	link_inputs_t in_b = {.timeout = network->card[peer.card].settings.link_timeout,
		.retry_limit = network->card[peer.card].settings.link_retry_limit};

	begin(network, card, port, from, a);
	begin(network, peer.card, peer.port, from, b);
	a->link.cells_rx.expected = b->link.cells_tx.write;
	a->link.credits_rx.expected = b->link.credits_tx.write;
	b->link.cells_rx.expected = a->link.cells_tx.write;
	b->link.credits_rx.expected = a->link.credits_tx.write;
	for (uint64_t t = from; t < now; t++) {
		took(network, card, port, t, &in_a);
		took(network, peer.card, peer.port, t, &in_b);
		advance(a, b, packets, &in_a, t, network->latency);
		advance(b, a, packets, &in_b, t, network->latency);
	}
	mark_packets(network, card, port, from, &a->link, &b->link);
	mark_packets(network, peer.card, peer.port, from, &b->link, &a->link);
}

void fast_links_link(const xt_engine_t *network, unsigned card, unsigned port, link_t *link)
{
	end_t a, b;

	work_out(network, card, port, &a, &b);
	*link = a.link;
	link->buffers = NULL;
}

int fast_links_wake(const xt_engine_t *network, unsigned card)
{
	const uint64_t now = network->common.now;

	for (uint64_t t = now; network->fast && network->fast_links.came && t < now + 2; t++) {
		if (network->fast_links.came[(size_t)((unsigned)t & (network->fast_links.slots - 1)) * network->cards +
					     card]) {
			return 1;
		}
	}
	return 0;
}

/* Frames that are on their way to an end go by the ring of those that run the protocol. */
static void deliver(xt_engine_t *network, unsigned card, unsigned port, const end_t *end)
{
	const unsigned latency = network->latency;

	for (uint64_t t = network->common.now; t <= network->common.now + latency; t++) {
		if (end->comes[t % (latency + 2)]) {
			arrivals_t *there = network_arrivals(network, t, card);

			if (!there) {
				return;
			}
			there->frames |= (uint16_t)(1u << port);
			there->frame[port] = end->frame[t % (latency + 2)];
			insert(network, arriving_at(network, t), card);
			network->in_transit++;
		}
	}
}

/* Cells of a packet that has begun, from this one on. */
static unsigned cells_from(const packets_t *packets, token_t cell)
{
	return token_index(cell) ? cells_behind(packets, cell) + 1 : 0;
}

static unsigned unseen(unsigned sent, unsigned leaving, unsigned port)
{
	return (sent >> port & 1) + (SEEN_CYCLES == 2 ? leaving >> port & 1 : 0);
}

static void close_end(xt_engine_t *network, unsigned card, unsigned port, const end_t *end)
{
	card_t *c = &network->card[card];
	outgoing_t *out = &network->outgoing[card * LINKS + port];
	const unsigned bit = 1u << port;
	const link_t *link = &end->link;
	link_buffers_t *own;

	if (!link_make_buffers(&c->link[port])) {
		network->common.packets.failed = 1;
		return;
	}
	*c->link[port].buffers = end->buffers;
	own = c->link[port].buffers;
	c->link[port] = *link;
	c->link[port].buffers = own;
	c->link_stirring |= (uint16_t)bit;
	/* What was taken in the last SEEN_CYCLES has not been seen to leave. */
	out->next_cell = (link->cells_tx.write - unseen(c->sent_cells, c->leaving_cells, port)) &
			 ((1u << EXTORUS_FRAME_CELL_SEQ_BITS) - 1);
	out->next_credit = (link->credits_tx.write - unseen(c->sent_credits, c->leaving_credits, port)) &
			   ((1u << EXTORUS_FRAME_CREDIT_SEQ_BITS) - 1);
	out->to_go = (c->leaving_cells & bit) ? cells_from(&network->common.packets, c->leaving_cell[port])
		     : (c->sent_cells & bit)  ? cells_from(&network->common.packets, c->sent_cell[port])
		     : link->tx_packet        ? link->tx_left
					      : 0;
	deliver(network, card, port, end);
}

void fast_links_close(xt_engine_t *network)
{
	end_t *a, *b;

	if (!network->fast) {
		return;
	}
	a = malloc(2 * sizeof(*a));
	if (!a) {
		network->common.packets.failed = 1;
		return;
	}
	b = a + 1;
	network->in_transit = 0;
	memset(network->arriving, 0, (size_t)network->slots * network->set_words * sizeof(*network->arriving));
	for (unsigned c = 0; c < network->cards; c++) {
		network->card[c].rest = 0;
		for (unsigned rest = network->card[c].fast; rest; rest &= rest - 1) {
			const unsigned p = lowest(rest);
			const xt_peer_t peer = network->peers[c * LINKS + p];

			/* Each link once, by its lower end. */
			if (peer.card * LINKS + peer.port < c * LINKS + p) {
				continue;
			}
			work_out(network, c, p, a, b);
			close_end(network, c, p, a);
			if (peer.card != c || peer.port != p) {
				close_end(network, peer.card, peer.port, b);
			}
		}
	}
	for (unsigned c = 0; c < network->cards; c++) {
		card_t *card = &network->card[c];
		const size_t at =
			(size_t)((unsigned)network->common.now & (network->fast_links.slots - 1)) * network->cards + c;

		/* What is at the switch in this cycle has left the links. */
		if (network->fast_links.came && network->fast_links.came[at]) {
			card_take_fast_links(
				card, network->fast_links.came[at], &network->fast_links.items[at * LINKS]);
			insert(network, network->busy, c);
		}
		if (network_has(network, c)) {
			card->fast = card->sent_cells = card->sent_credits = 0;
			card->leaving_cells = card->leaving_credits = 0;
		}
	}
	free(a);
	network->fast = 0;
}

#else

unsigned fast_links_history(const xt_engine_t *network)
{
	(void)network;
	return 0;
}

int fast_links_serve(const xt_engine_t *network, const xt_client_t *client)
{
	(void)network;
	(void)client;
	return 0;
}

void fast_links_open(xt_engine_t *network)
{
	(void)network;
}

int fast_links_reserve(fast_links_t *fast_links, unsigned cards)
{
	(void)fast_links;
	(void)cards;
	return 0;
}

void fast_links_clear(xt_engine_t *network)
{
	(void)network;
}

void fast_links_close(xt_engine_t *network)
{
	(void)network;
}

void fast_links_link(const xt_engine_t *network, unsigned card, unsigned port, link_t *link)
{
	*link = network->links[card * LINKS + port];
}

int fast_links_wake(const xt_engine_t *network, unsigned card)
{
	(void)network;
	(void)card;
	return 0;
}

#endif
