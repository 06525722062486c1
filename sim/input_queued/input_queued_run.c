/* SPDX-License-Identifier: Apache-2.0
 *
 * A run, cycle by cycle. */
#include <stdlib.h>
#include <string.h>

#include "input_queued.h"

static void slot_add(xt_engine_t *e, iq_slot_t *slots, uint64_t when, uint64_t item)
{
	iq_slot_t *slot = &slots[when % (e->latency + 1)];

	if (slot->count == slot->room) {
		const uint32_t room = slot->room ? 2 * slot->room : 16;
		uint64_t *items = realloc(slot->items, room * sizeof(*items));

		if (!items) {
			e->failed = 1;
			return;
		}
		slot->items = items;
		slot->room = room;
	}
	slot->items[slot->count++] = item;
}

static void count(xt_engine_t *e, unsigned card, unsigned port, unsigned tc, int leaves, unsigned cells)
{
	++*iq_register(e, card, leaves ? XT_REG_TX_PACKETS : XT_REG_RX_PACKETS, port, tc);
	*iq_register(e, card, leaves ? XT_REG_TX_CELLS : XT_REG_RX_CELLS, port, tc) += cells;
}

/* The head of a packet is at an input; the cells behind it follow in the next cycles. */
static void arrive(xt_engine_t *e, unsigned card, unsigned port, unsigned vc, uint32_t packet)
{
	iq_input_t *in = &e->inputs[card * e->ports + port];
	const uint32_t number = iq_entry_new(&e->pool);
	iq_entry_t *entry;

	if (number == IQ_NONE) {
		e->failed = 1;
		return;
	}
	entry = &e->pool.entries[number];
	entry->packet = packet;
	entry->vc = (uint8_t)vc;
	entry->head_at = e->now;
	iq_route(e, card, port, entry);
	if (in->waiting >> vc & 1) {
		e->pool.entries[in->last[vc]].next = number;
	} else {
		in->first[vc] = number;
		in->waiting |= (uint16_t)(1u << vc);
	}
	in->last[vc] = number;
	in->held += e->pool.packets[packet].cells;
	count(e, card, port, e->pool.packets[packet].tc, 0, e->pool.packets[packet].cells);
}

/* Credits and heads that are due. Each is a number: (card * ports + port) * XT_MAX_VCS + vc, a head's above its packet.
 */
static void receive(xt_engine_t *e)
{
	iq_slot_t *credits = &e->credits[e->now % (e->latency + 1)];
	iq_slot_t *heads = &e->arrivals[e->now % (e->latency + 1)];

	for (uint32_t i = 0; i < credits->count; i++) {
		e->outputs[credits->items[i] / XT_MAX_VCS].room[credits->items[i] % XT_MAX_VCS]++;
	}
	e->credits_under_way -= credits->count;
	credits->count = 0;
	for (uint32_t i = 0; i < heads->count; i++) {
		const uint64_t place = heads->items[i] >> 32;
		const unsigned input = (unsigned)(place / XT_MAX_VCS);

		arrive(e, input / e->ports, input % e->ports, (unsigned)(place % XT_MAX_VCS),
			(uint32_t)heads->items[i]);
	}
	heads->count = 0;
}

/* A cell leaves its FIFO: its place there is free for the one who sent it. */
static void give_credit(xt_engine_t *e, unsigned card, unsigned port, unsigned vc)
{
	if (port >= e->links) {
		e->injects[card * e->nics + port - e->links].room[vc]++;
	} else {
		const xt_peer_t peer = e->peers[card * e->links + port];

		slot_add(e, e->credits, e->now + e->latency,
			(uint64_t)(peer.card * e->ports + peer.port) * XT_MAX_VCS + vc);
		e->credits_under_way++;
	}
}

/* The head of a stream leaves the switch. */
static void send_head(
	xt_engine_t *e, const xt_client_t *client, unsigned card, const iq_stream_t *stream, uint32_t packet)
{
	const iq_packet_t *p = &e->pool.packets[packet];
	const unsigned o = stream->output;

	count(e, card, o, p->tc, 1, p->cells);
	if (o < e->links) {
		const xt_peer_t peer = e->peers[card * e->links + o];

		if (client->hop) {
			client->hop(client->context, card, o, stream->output_vc, e->now - e->run_start,
				iq_packet_words(&e->pool, packet));
		}
		/* Nothing comes back from a port that leads nowhere. */
		if (peer.card == XT_NO_CARD) {
			return;
		}
		slot_add(e, e->arrivals, e->now + e->latency,
			((uint64_t)(peer.card * e->ports + peer.port) * XT_MAX_VCS + stream->output_vc) << 32 | packet);
	} else {
		iq_eject_t *eject = &e->ejects[card * e->nics + o - e->links];
		const uint32_t at = (eject->first + eject->count++) % e->profile->eject_cells;

		eject->packets[at] = packet;
		eject->since[at] = e->now;
	}
}

/* A cell of the packet that a FIFO of an input was granted an output for. */
static void move(xt_engine_t *e, const xt_client_t *client, unsigned card, unsigned port, unsigned fifo)
{
	iq_input_t *in = &e->inputs[card * e->ports + port];
	iq_stream_t *stream = &in->stream[fifo];
	const iq_entry_t *entry = &e->pool.entries[stream->entry];
	const unsigned o = stream->output, cells = e->pool.packets[entry->packet].cells;

	if (stream->sent == 0 && o < e->ports) {
		send_head(e, client, card, stream, entry->packet);
	}
	if (o < e->links) {
		e->moves++;
		e->port_cells[card * e->ports + o]++;
	}
	in->held--;
	give_credit(e, card, port, entry->vc);
	if (++stream->sent < cells) {
		return;
	}
	if (o < e->ports) {
		e->outputs[card * e->ports + o].busy = 0;
	} else {
		iq_packet_free(&e->pool, entry->packet);
		e->in_network--;
	}
	iq_entry_free(&e->pool, stream->entry);
	in->streaming &= (uint16_t) ~(1u << fifo);
}

/* A PE takes a cell that left the switch in an earlier cycle. */
static void take(xt_engine_t *e, const xt_client_t *client, unsigned card, unsigned nic)
{
	const unsigned port = card * e->ports + e->links + nic;
	iq_eject_t *eject = &e->ejects[card * e->nics + nic];
	const uint32_t packet = eject->packets[eject->first];
	const unsigned index = eject->taken;
	const int last = index + 1u == e->pool.packets[packet].cells;

	if (eject->since[eject->first] + index >= e->now) {
		return;
	}
	e->moves++;
	e->port_cells[port]++;
	e->outputs[port].room[0]++;
	client->received(client->context, card * e->nics + nic, e->now - e->run_start,
		iq_packet_words(&e->pool, packet) + (size_t)index * e->cell_words, 1, last, 0);
	eject->taken = (uint16_t)(index + 1);
	if (last) {
		eject->taken = 0;
		eject->first = (eject->first + 1) % e->profile->eject_cells;
		eject->count--;
		e->in_network--;
		iq_packet_free(&e->pool, packet);
	}
}

static uint32_t field_of(const uint32_t *words, unsigned lsb, unsigned bits)
{
	uint64_t value = words[lsb / 32] >> lsb % 32;

	if (lsb % 32 + bits > 32) {
		value |= (uint64_t)words[lsb / 32 + 1] << (32 - lsb % 32);
	}
	return (uint32_t)(value & ((UINT64_C(1) << bits) - 1));
}

/* The next packet of a PE, IQ_NONE if there is none. */
static uint32_t fetch(xt_engine_t *e, const xt_client_t *client, unsigned card, unsigned nic)
{
	const unsigned pe = card * e->nics + nic;
	unsigned cells = 0;
	const uint32_t *words = client->fetch(client->context, pe, e->now - e->run_start, &cells);
	const uint32_t number = words ? iq_packet_new(&e->pool) : IQ_NONE;
	iq_packet_t *packet;

	if (number == IQ_NONE) {
		e->failed |= words != NULL;
		return IQ_NONE;
	}
	packet = &e->pool.packets[number];
	packet->cells = (uint16_t)(cells < e->longest ? cells : e->longest);
	packet->tc = (uint8_t)(e->header.tc_bits ? field_of(words, e->header.tc_lsb, e->header.tc_bits) : 0);
	packet->destination = field_of(words, e->header.dest_lsb, e->header.dest_bits);
	memcpy(iq_packet_words(&e->pool, number), words, (size_t)packet->cells * e->cell_words * sizeof(*words));
	if (packet->tc >= e->tcs || packet->cells < cells) {
		++*iq_register(e, card, XT_REG_FRAMING_ERRORS, e->links + nic, 0);
		packet->tc = packet->tc < e->tcs ? packet->tc : 0;
	}
	e->in_network++;
	return number;
}

/* The FIFO of a NIC that takes a packet: the roomiest for an adaptive one; otherwise one by the destination, because
 * packets with one route may not overtake each other. */
static unsigned injection_fifo(
	const xt_engine_t *e, unsigned card, const iq_inject_t *inject, const iq_packet_t *packet)
{
	const unsigned first = iq_injection_fifo(e, packet->tc);
	unsigned best = first;

	if (!iq_is_adaptive(e, card, packet)) {
		return first + packet->destination % e->injection_queues;
	}
	for (unsigned fifo = first + 1; fifo < first + e->injection_queues; fifo++) {
		best = inject->room[fifo] > inject->room[best] ? fifo : best;
	}
	return best;
}

/* A PE gives a cell; a packet begins where its whole length fits. */
static void give(xt_engine_t *e, const xt_client_t *client, unsigned card, unsigned nic)
{
	const unsigned pe = card * e->nics + nic;
	iq_inject_t *inject = &e->injects[pe];
	const iq_packet_t *packet;

	if (inject->packet == IQ_NONE && client->ready_at[pe] <= e->now - e->run_start) {
		inject->packet = fetch(e, client, card, nic);
		inject->sent = 0;
	}
	if (inject->packet == IQ_NONE) {
		return;
	}
	packet = &e->pool.packets[inject->packet];
	if (inject->sent == 0) {
		const unsigned fifo = injection_fifo(e, card, inject, packet);

		if (inject->room[fifo] < packet->cells) {
			return;
		}
		inject->room[fifo] = (uint16_t)(inject->room[fifo] - packet->cells);
		arrive(e, card, e->links + nic, fifo, inject->packet);
	}
	e->moves++;
	client->sent(client->context, pe, e->now - e->run_start, inject->sent, 1);
	if (++inject->sent == packet->cells) {
		inject->packet = IQ_NONE;
	}
}

static void step_card(xt_engine_t *e, const xt_client_t *client, unsigned card)
{
	iq_allocate(e, card);
	for (unsigned p = 0; p < e->ports; p++) {
		for (unsigned rest = e->inputs[card * e->ports + p].streaming; rest; rest &= rest - 1) {
			move(e, client, card, p, (unsigned)__builtin_ctz(rest));
		}
	}
	for (unsigned n = 0; n < e->nics; n++) {
		const unsigned pe = card * e->nics + n;
		const int stalls =
			client->nic_stall && (e->now - e->run_start) % client->nic_period < client->nic_stall;

		if (e->ejects[pe].count && !stalls && !(client->deaf && client->deaf[pe])) {
			take(e, client, card, n);
		}
		give(e, client, card, n);
	}
}

int iq_is_quiet(const xt_engine_t *e)
{
	return !e->in_network && !e->credits_under_way;
}

static int prepare(xt_engine_t *e, const xt_client_t *client, xt_diag_t *diag)
{
	if (client->pes != e->cards * e->nics) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "%u PEs do not fit %u cards with %u NIC ports each",
			client->pes, e->cards, e->nics);
	}
	if (client->error_rate > 0.0) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "input-queued switch: its links have no errors");
	}
	if (iq_is_quiet(e)) {
		return iq_divide(e, client, diag);
	}
	return client->goes_on ? XT_OK
			       : xt_fail(diag, XT_ERR_UNSUPPORTED,
					 "the network still holds packets of the run before; close the device and "
					 "open it again");
}

int iq_run(xt_engine_t *e, const xt_client_t *client, xt_diag_t *diag)
{
	const int status = prepare(e, client, diag);

	if (status != XT_OK) {
		return status;
	}
	memset(e->port_cells, 0, (size_t)e->cards * e->ports * sizeof(*e->port_cells));
	e->moves = e->evaluated = 0;
	e->run_start = e->now;
	for (;; e->now++) {
		const xt_engine_state_t state = {.cycle = e->now - e->run_start,
			.moves = e->moves,
			.quiet = iq_is_quiet(e),
			.port_cells = e->port_cells,
			.engine = e};

		if (client->cycle(client->context, &state)) {
			return XT_OK;
		}
		receive(e);
		for (unsigned c = 0; c < e->cards; c++) {
			step_card(e, client, c);
		}
		e->evaluated += e->cards;
		if (e->failed) {
			return xt_fail(diag, XT_ERR_NOMEM, "input-queued switch: out of memory");
		}
	}
}
