/* SPDX-License-Identifier: Apache-2.0
 *
 * One cycle of a network, cell by cell: cards at work, links with their latency, and the PEs. */
#include <string.h>

#include "fast_links.h"
#include "network_internal.h"

enum {
	CELL_SEQ_MASK = (int)((INT64_C(1) << EXTORUS_FRAME_CELL_SEQ_BITS) - 1),
	CREDIT_SEQ_MASK = (int)((INT64_C(1) << EXTORUS_FRAME_CREDIT_SEQ_BITS) - 1),
};

int network_is_quiet(const xt_engine_t *network)
{
	return network->in_transit == 0 && is_empty(network, network->busy) && is_empty(network, network->within);
}

/* ---------------------------------------------------------------- links */

/* A cell that goes out for the first time. */
static void send_cell(
	xt_engine_t *network, unsigned card, unsigned port, const frame_t *frame, const xt_client_t *client)
{
	outgoing_t *out = &network->outgoing[card * LINKS + port];
	const packets_t *packets = &network->common.packets;

	network->moves++;
	network->port_cells[(size_t)card * PORTS + port]++;
	if (network->peers[card * LINKS + port].card == XT_NO_CARD) {
		return;
	}
	if (out->to_go == 0) {
		out->to_go = packets_header(packets, frame->cell).len + 1u;
		if (client && client->hop) {
			client->hop(client->context, card, port, frame->vc, network->cycle,
				packets_cell(packets, frame->cell));
		}
	}
	out->to_go--;
}

/* Counts a credit that goes out for the first time, for cells that the peer has sent. 0: it is to be lost, and the
 * frame with it. A link without a link layer loses the credit alone, for good. */
static int pass_credit(xt_engine_t *network, unsigned card, unsigned port, frame_t *frame)
{
	outgoing_t *out = &network->outgoing[card * LINKS + port];
	const xt_peer_t peer = network->peers[card * LINKS + port];

	if (frame->ctrl || !frame->credit_valid || frame->credit_seq != out->next_credit) {
		return 1;
	}
	out->next_credit = (out->next_credit + 1) & CREDIT_SEQ_MASK;
	if (!network->fault_count || !faults_lose_credit(network, peer.card, peer.port)) {
		return 1;
	}
	if (LINK_LAYER) {
		return 0;
	}
	frame->credit_valid = 0;
	return frame->cell_valid;
}

static void send_frame(xt_engine_t *network, unsigned card, unsigned port, frame_t frame, const xt_client_t *client)
{
	outgoing_t *out = &network->outgoing[card * LINKS + port];
	const xt_peer_t peer = network->peers[card * LINKS + port];
	const uint64_t when = network->common.now + 1 + network->latency;
	const int leaves = peer.card != XT_NO_CARD && !network_steps(network, peer.card);
	crossing_t crossing = {.when = when, .card = peer.card, .port = peer.port};
	arrivals_t *there;

	if (frame.ctrl && !(frame.ctrl == CTRL_HEARD && frame.cell_nack)) {
		out->next_cell = out->next_credit = 0;
		out->to_go = 0;
		if (frame.ctrl == CTRL_DOWN && faults_make_troubles(network) &&
			network->troubles[card * LINKS + port].down_since == UINT64_MAX) {
			network->troubles[card * LINKS + port].down_since = network->cycle;
		}
	} else if (!frame.ctrl && frame.cell_valid && frame.cell_seq == out->next_cell) {
		out->next_cell = (out->next_cell + 1) & CELL_SEQ_MASK;
		crossing.first = 1;
		send_cell(network, card, port, &frame, client);
		if (network->fault_count) {
			faults_spoil_cell(network, card, port, &frame);
		}
	}
	if (peer.card == XT_NO_CARD || !network_has(network, peer.card) || !pass_credit(network, card, port, &frame) ||
		out->dead ||
		(client && client->error_rate > 0.0 &&
			!faults_spoil(network, &network->troubles[card * LINKS + port], client->error_rate, &frame))) {
		crossing.lost = 1;
		crossing.frame = frame;
		if (leaves && crossing.first) {
			crossing_add(network, &crossing);
		}
		return;
	}
	network->in_transit++;
	if (leaves) {
		crossing.frame = frame;
		crossing_add(network, &crossing);
		return;
	}
	there = network_arrivals(network, when, peer.card);
	if (!there) {
		return;
	}
	there->frames |= (uint16_t)(1u << peer.port);
	there->frame[peer.port] = frame;
	insert(network, arriving_at(network, when), peer.card);
}

/* ---------------------------------------------------------------- one cycle */

/* Every PE whose NIC is free and that has a packet begins to send it. */
static void start_packets(xt_engine_t *network, const xt_client_t *client)
{
	for (unsigned pe = network->first_card * NICS; pe < network->end_card * NICS; pe++) {
		sending_t *sending = &network->sending[pe];
		const uint32_t *words;

		if (client->ready_at[pe] > network->cycle || sending->packet) {
			continue;
		}
		words = client->fetch(client->context, pe, network->cycle, &sending->count);
		sending->next = sending->told = 0;
		if (words) {
			sending->packet = packets_fetch(&network->common.packets, sending_name(sending, pe), words,
				sending->count, sending->count);
			if (sending->packet) {
				insert(network, network->within, pe / NICS);
			}
		}
	}
}

/* What the PEs of a card do in this cycle: handshakes are read off before the edge, as the card does. */
static void drive_nics(xt_engine_t *network, unsigned c, const xt_client_t *client, pe_pins_t *pins)
{
	card_t *card = &network->card[c];
	const packets_t *packets = &network->common.packets;
	const int stalled = !client || (client->nic_stall && network->cycle % client->nic_period < client->nic_stall);
	int more = 0;

	for (unsigned n = 0; n < NICS; n++) {
		const eject_t *e = &card->eject[n];
		sending_t *sending = &network->sending[c * NICS + n];

		pins[n] = (pe_pins_t){0};
		pins[n].ready = !stalled && !(network->blocked_nics[c] >> n & 1) &&
				!(client->deaf && client->deaf[c * NICS + n]);
		if (e->valid && pins[n].ready) {
			token_t cell = e->cells[e->read % EXTORUS_EJECT_CELLS];
			int last = e->in_packet ? e->left == 1 : packets_header(packets, cell).len == 0;

			network->port_cells[(size_t)c * PORTS + LINKS + n]++;
			network->moves++;
			client->received(client->context, c * NICS + n, network->cycle, packets_cell(packets, cell), 1,
				last, last && (cell & TOKEN_POISON));
		}
		if (sending->packet && client) {
			pins[n].valid = 1;
			pins[n].last = sending->next + 1 == sending->count;
			pins[n].cell = token_of(sending->packet, sending->next);
		}
		if (pins[n].valid && card_nic_ready(card, packets, n)) {
			network->moves++;
			if (sending->next >= sending->told) {
				client->sent(client->context, c * NICS + n, network->cycle, sending->next, 1);
			}
			if (++sending->next == sending->count) {
				sending->packet = 0;
			}
		}
		more = more || sending->packet;
	}
	if (!more) {
		erase(network, network->within, c);
	}
}

/* What a fast link of a card took in the cycle before goes on its way. */
static void send_fast_link(xt_engine_t *network, unsigned c, unsigned p)
{
	const card_t *card = &network->card[c];
	const xt_peer_t peer = network->peers[c * LINKS + p];
	const crossing_t crossing = {
		.when = network->common.now + network->latency + FAST_LINK_CYCLES - 1,
		.card = peer.card,
		.port = peer.port,
		.fast = 1,
		.first = card->sent_cells >> p & 1,
		.frame = {.cell = card->sent_cell[p],
			.vc = card->sent_vc[p],
			.credit_vc = card->sent_credit_vc[p],
			.cell_valid = card->sent_cells >> p & 1,
			.credit_valid = card->sent_credits >> p & 1},
	};

	if (network_steps(network, peer.card)) {
		crossing_arrive(network, &crossing);
	} else {
		crossing_add(network, &crossing);
	}
	network->in_transit += (unsigned)crossing.frame.cell_valid + crossing.frame.credit_valid;
}

/* Likewise all. What leaves is seen, and counted, as the frames are. */
static void send_fast_links(xt_engine_t *network, unsigned c, const xt_client_t *client)
{
	const card_t *card = &network->card[c];

	for (unsigned rest = card->leaving_cells; rest; rest &= rest - 1) {
		const unsigned p = lowest(rest);

		network->moves++;
		network->port_cells[(size_t)c * PORTS + p]++;
		if (token_index(card->leaving_cell[p]) == 0 && client && client->hop) {
			client->hop(client->context, c, p, card->leaving_vc[p], network->cycle,
				packets_cell(&network->common.packets, card->leaving_cell[p]));
		}
	}
	if (!(card->sent_cells | card->sent_credits)) {
		return;
	}
	if (!fast_links_reserve(&network->fast_links, network->cards)) {
		network->common.packets.failed = 1;
		return;
	}
	for (unsigned rest = card->sent_cells | card->sent_credits; rest; rest &= rest - 1) {
		send_fast_link(network, c, lowest(rest));
	}
}

/* What has come to a card by fast links. */
static void receive_fast_links(xt_engine_t *network, unsigned c)
{
	const unsigned came = network->fast_links_now ? network->fast_links_now[c] : 0;

	if (came) {
		network->card[c].links_active_until = network->common.now + 2;
		network->in_transit -= card_take_fast_links(&network->card[c], came, &network->items_now[c * LINKS]);
	}
}

static void step_card(xt_engine_t *network, unsigned c, const xt_client_t *client)
{
	card_t *card = &network->card[c];
	arrivals_t none = {0},
		   *arrivals = network->arrivals ? network_arrivals(network, network->common.now, c) : &none;
	pe_pins_t pins[NICS];
	frame_t frames[LINKS];
	unsigned sends;

	if (arrivals->frames) {
		network->in_transit -= (unsigned)__builtin_popcount(arrivals->frames);
	}
	if (!LINK_LAYER && network->fault_count) {
		faults_alter_cells(network, arrivals);
	}
	if (network->fast) {
		if (card->sent_cells | card->sent_credits | card->leaving_cells) {
			send_fast_links(network, c, client);
		}
		receive_fast_links(network, c);
	}
	drive_nics(network, c, client, pins);
	card_step(card, &network->common, c, arrivals, pins);
	arrivals->frames = 0;
	network->evaluated++;
	sends = card_frames(card, frames);
	for (unsigned rest = sends; rest; rest &= rest - 1) {
		send_frame(network, c, lowest(rest), frames[lowest(rest)], client);
	}
	if (card_idle(card) && !(sends & ~(unsigned)network->common.lonely[c])) {
		erase(network, network->busy, c);
	} else {
		insert(network, network->busy, c);
	}
}

/* Cards at work, of those of a word; and words in which there are some. */
static uint64_t work_of(const xt_engine_t *network, const uint64_t *arriving, unsigned w)
{
	const unsigned addressed = network->common.addressed;
	uint64_t work = arriving[w] | (network->stands ? 0 : network->busy[w] | network->within[w]);

	if (network->evaluate_all) {
		return UINT64_MAX >> (w + 1 == network->words ? -network->cards % 64 : 0);
	}
	return work | (addressed != NO_CARD && addressed / 64 == w ? UINT64_C(1) << addressed % 64 : 0);
}

static uint64_t words_of(const xt_engine_t *network, const uint64_t *arriving, unsigned top)
{
	const unsigned w = network->words + top, addressed = network->common.addressed;
	const uint64_t words = arriving[w] | network->busy[w] | network->within[w];

	if (network->evaluate_all) {
		return UINT64_MAX >> (w + 1 == network->set_words ? -network->words % 64 : 0);
	}
	return words | (addressed != NO_CARD && addressed / 4096 == top ? UINT64_C(1) << addressed / 64 % 64 : 0);
}

void network_step(xt_engine_t *network, const xt_client_t *client)
{
	uint64_t *arriving = arriving_at(network, network->common.now);

	if (network->fast) {
		const size_t now = (size_t)fast_link_slot(network, network->common.now) * network->cards;

		network->fast_links_now = network->fast_links.came ? &network->fast_links.came[now] : NULL;
		network->items_now = network->fast_links.came ? &network->fast_links.items[now * LINKS] : NULL;
	}
	if (client) {
		start_packets(network, client);
	}
	for (unsigned top = 0; top < network->set_words - network->words; top++) {
		for (uint64_t some = words_of(network, arriving, top); some; some &= some - 1) {
			const unsigned w = top * 64 + (unsigned)__builtin_ctzll(some);

			for (uint64_t rest = work_of(network, arriving, w); rest; rest &= rest - 1) {
				step_card(network, w * 64 + (unsigned)__builtin_ctzll(rest), client);
			}
			arriving[w] = 0;
		}
		arriving[network->words + top] = 0;
	}
	network->common.now++;
	if (network->fast && network->common.now <= network->fast_links.filled + network->fast_links.slots) {
		/* The slot that is filled from now on had what came long ago. */
		memset(&network->fast_links.came[(size_t)fast_link_slot(network,
							 network->common.now + network->latency + FAST_LINK_CYCLES) *
							 network->cards +
						 network->first_card],
			0, (network->end_card - network->first_card) * sizeof(*network->fast_links.came));
	}
}
