/* SPDX-License-Identifier: Apache-2.0 */
#include "network.h"
#include "flow.h"
#include "lanes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	CELL_SEQ_MASK = (int)((INT64_C(1) << EXTORUS_FRAME_CELL_SEQ_BITS) - 1),
	CREDIT_SEQ_MASK = (int)((INT64_C(1) << EXTORUS_FRAME_CREDIT_SEQ_BITS) - 1),
	RESET_CYCLES = 4,
	AXI_TIMEOUT = 1000,
	QUIET_LIMIT = 1000,
	STANDING_CYCLES = 200,
};
#define NO_CARD UINT32_MAX

/* ---------------------------------------------------------------- sets of cards */

static void insert(uint64_t *set, unsigned card)
{
	set[card / 64] |= UINT64_C(1) << card % 64;
}

static void erase(uint64_t *set, unsigned card)
{
	set[card / 64] &= ~(UINT64_C(1) << card % 64);
}

static int is_empty(const xt_engine_t *network, const uint64_t *set)
{
	for (unsigned w = 0; w < network->words; w++) {
		if (set[w]) {
			return 0;
		}
	}
	return 1;
}

static unsigned lane_slot(const xt_engine_t *network, uint64_t cycle)
{
	return (unsigned)cycle & (network->lanes.slots - 1);
}

arrivals_t *network_arrivals(xt_engine_t *network, uint64_t cycle, unsigned card)
{
	if (!network->arrivals) {
		network->arrivals = calloc((size_t)network->slots * network->cards, sizeof(*network->arrivals));
	}
	if (!network->arrivals) {
		network->common.packets.failed = 1;
		return NULL;
	}
	return &network->arrivals[cycle % network->slots * network->cards + card];
}

static uint64_t *arriving_at(xt_engine_t *network, uint64_t cycle)
{
	return &network->arriving[cycle % network->slots * network->words];
}

static int is_quiet(const xt_engine_t *network)
{
	return network->in_transit == 0 && is_empty(network, network->busy) && is_empty(network, network->within);
}

/* ---------------------------------------------------------------- errors of links */

/* 0: out of memory. */
static int make_troubles(xt_engine_t *network)
{
	if (!network->troubles) {
		network->troubles = calloc((size_t)network->cards * LINKS, sizeof(*network->troubles));
		network->common.packets.failed |= !network->troubles;
		for (unsigned i = 0; network->troubles && i < network->cards * LINKS; i++) {
			network->troubles[i].down_since = UINT64_MAX;
		}
	}
	return network->troubles != NULL;
}

static unsigned below(trouble_t *out, unsigned n)
{
	return xt_random_below(&out->random, n);
}

/* The first and the last bit of a burst are wrong. */
static void garble(trouble_t *out, frame_t *frame)
{
	unsigned length = 1 + below(out, EXTORUS_FRAME_BITS < 32 ? EXTORUS_FRAME_BITS : 32);

	(void)below(out, EXTORUS_FRAME_BITS - length + 1);
	(void)xt_random_next(&out->random);
	frame->broken = 1;
}

/* What the link does to a frame, in the same order of draws as the co-simulation. 0: it is lost. */
static int spoil(xt_engine_t *network, trouble_t *out, double rate, frame_t *frame)
{
	if (out->spoiled) {
		out->spoiled--;
		network->errors++;
		garble(out, frame);
		return 1;
	}
	if (xt_random_unit(&out->random) >= rate) {
		return 1;
	}
	network->errors++;
	switch (below(out, 3)) {
	case 0: {
		unsigned bits[3], count = 1 + below(out, 3), wrong = 0;

		for (unsigned i = 0; i < count; i++) {
			bits[i] = below(out, EXTORUS_FRAME_BITS);
		}
		/* Two flips of a bit undo each other. */
		for (unsigned i = 0; i < count; i++) {
			unsigned same = 0;

			for (unsigned k = 0; k < count; k++) {
				same += bits[k] == bits[i];
			}
			wrong += same & 1;
		}
		frame->broken |= wrong != 0;
		return 1;
	}
	case 1:
		return 0;
	default:
		garble(out, frame);
		if (below(out, 4) == 0) {
			out->spoiled = 1 + below(out, 4);
		}
		return 1;
	}
}

/* ---------------------------------------------------------------- faults */

int network_add_fault(xt_engine_t *network, const xt_fault_t *fault, xt_diag_t *diag)
{
	fault_t *more = realloc(network->faults, (network->fault_count + 1) * sizeof(*more));

	if (!more) {
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for a fault");
	}
	network->faults = more;
	more[network->fault_count++] = (fault_t){*fault, 0, 0};
	return XT_OK;
}

unsigned network_faults_waiting(const xt_engine_t *network)
{
	unsigned waiting = 0;

	for (unsigned i = 0; i < network->fault_count; i++) {
		waiting += !network->faults[i].done;
	}
	return waiting;
}

/* A bit of a cell is to be flipped. With a link layer that is noticed; a plain link, which has no acks, takes the
 * number of the bit along. */
static void spoil_cell(xt_engine_t *network, unsigned card, unsigned port, frame_t *frame)
{
	for (unsigned i = 0; i < network->fault_count; i++) {
		fault_t *f = &network->faults[i];

		if (f->what.kind == XT_FAULT_FLIP_BIT && !f->done && f->what.card == card && f->what.port == port &&
			network->cycle >= f->what.n) {
			f->done = 1;
			frame->broken = 1;
			if (!LINK_LAYER) {
				frame->cell_ack = (uint16_t)f->what.bit;
			}
			return;
		}
	}
}

/* Cells that were altered on plain links: for good. */
static void alter_cells(xt_engine_t *network, arrivals_t *arrivals)
{
	for (unsigned rest = arrivals->frames; rest; rest &= rest - 1) {
		frame_t *frame = &arrivals->frame[lowest(rest)];
		uint32_t packet = token_packet(frame->cell);

		if (frame->broken && packet) {
			packet_t *p = &network->common.packets.packets[packet];

			p->words[token_index(frame->cell) * CELL_WORDS + frame->cell_ack / 32] ^=
				UINT32_C(1) << frame->cell_ack % 32;
			packets_decode(&network->common.packets, packet);
		}
		frame->broken = 0;
	}
}

static int lose_credit(xt_engine_t *network, unsigned card, unsigned port)
{
	for (unsigned i = 0; i < network->fault_count; i++) {
		fault_t *f = &network->faults[i];

		if (f->what.kind == XT_FAULT_DROP_CREDIT && !f->done && f->what.card == card && f->what.port == port &&
			f->seen++ == f->what.n) {
			f->done = 1;
			return 1;
		}
	}
	return 0;
}

/* Those that begin at a cycle. */
static void start_faults(xt_engine_t *network)
{
	for (unsigned i = 0; i < network->fault_count; i++) {
		fault_t *f = &network->faults[i];

		if (f->done || network->cycle < f->what.n) {
			continue;
		}
		if (f->what.kind == XT_FAULT_BLOCK_NIC) {
			network->blocked_nics[f->what.card] |= 1u << (f->what.port - LINKS);
			f->done = 1;
		} else if (f->what.kind == XT_FAULT_KILL_LINK) {
			unsigned at = f->what.card * LINKS + f->what.port;
			xt_peer_t peer = network->peers[at];

			network->outgoing[at].dead = 1;
			network->outgoing[peer.card * LINKS + peer.port].dead = 1;
			f->done = 1;
		}
	}
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
		if (client) {
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
	if (!network->fault_count || !lose_credit(network, peer.card, peer.port)) {
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
	arrivals_t *there;

	if (frame.ctrl && !(frame.ctrl == CTRL_HEARD && frame.cell_nack)) {
		out->next_cell = out->next_credit = 0;
		out->to_go = 0;
		if (frame.ctrl == CTRL_DOWN && make_troubles(network) &&
			network->troubles[card * LINKS + port].down_since == UINT64_MAX) {
			network->troubles[card * LINKS + port].down_since = network->cycle;
		}
	} else if (!frame.ctrl && frame.cell_valid && frame.cell_seq == out->next_cell) {
		out->next_cell = (out->next_cell + 1) & CELL_SEQ_MASK;
		send_cell(network, card, port, &frame, client);
		if (network->fault_count) {
			spoil_cell(network, card, port, &frame);
		}
	}
	if (peer.card == XT_NO_CARD || !pass_credit(network, card, port, &frame) || out->dead ||
		(client && client->error_rate > 0.0 &&
			!spoil(network, &network->troubles[card * LINKS + port], client->error_rate, &frame))) {
		return;
	}
	there = network_arrivals(network, when, peer.card);
	if (!there) {
		return;
	}
	there->frames |= (uint8_t)(1u << peer.port);
	there->frame[peer.port] = frame;
	insert(arriving_at(network, when), peer.card);
	network->in_transit++;
}

/* ---------------------------------------------------------------- one cycle */

/* Every PE whose NIC is free and that has a packet begins to send it. */
static void start_packets(xt_engine_t *network, const xt_client_t *client)
{
	for (unsigned pe = 0; pe < client->pes; pe++) {
		sending_t *sending = &network->sending[pe];
		const uint32_t *words;

		if (client->ready_at[pe] > network->cycle || sending->packet) {
			continue;
		}
		words = client->fetch(client->context, pe, network->cycle, &sending->count);
		sending->next = sending->told = 0;
		if (words) {
			sending->packet = packets_fetch(&network->common.packets, words, sending->count);
			if (sending->packet) {
				insert(network->within, pe / NICS);
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
		pins[n].ready = !stalled && !(network->blocked_nics[c] >> n & 1);
		if (e->valid && pins[n].ready) {
			token_t cell = e->cells[e->read % EXTORUS_EJECT_CELLS];
			int last = e->in_packet ? e->left == 1 : packets_header(packets, cell).len == 0;

			network->port_cells[(size_t)c * PORTS + LINKS + n]++;
			network->moves++;
			client->received(client->context, c * NICS + n, network->cycle, packets_cell(packets, cell), 1,
				last, last && (cell & TOKEN_POISON));
		}
		if (!sending->packet || !client) {
			continue;
		}
		pins[n].valid = 1;
		pins[n].last = sending->next + 1 == sending->count;
		pins[n].cell = token_of(sending->packet, sending->next);
		if (card_nic_ready(card, packets, n)) {
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
		erase(network->within, c);
	}
}

/* What the fast links of a card took in the cycle before goes on its way: seen, and counted, as the frames are. */
static void send_lanes(xt_engine_t *network, unsigned c, const xt_client_t *client)
{
	card_t *card = &network->card[c];
	unsigned items = 0;

	if (!lanes_reserve(&network->lanes, network->cards)) {
		network->common.packets.failed = 1;
		return;
	}
	for (unsigned rest = card->sent_cells | card->sent_credits; rest; rest &= rest - 1) {
		const unsigned p = lowest(rest);
		const xt_peer_t peer = network->peers[c * LINKS + p];
		const size_t to = (size_t)network->slot_ahead * network->cards + peer.card;
		lane_item_t *item = &network->lanes.items[to * LINKS + peer.port];
		unsigned came = 0;

		if (card->sent_cells >> p & 1) {
			const token_t cell = card->sent_cell[p];

			items++;
			item->cell = cell;
			item->vc = card->sent_vc[p];
			came |= 1u << peer.port;
			network->moves++;
			network->port_cells[(size_t)c * PORTS + p]++;
			if (token_index(cell) == 0 && client) {
				client->hop(client->context, c, p, item->vc, network->cycle,
					packets_cell(&network->common.packets, cell));
			}
		}
		if (card->sent_credits >> p & 1) {
			items++;
			item->credit_vc = card->sent_credit_vc[p];
			came |= 1u << (LANE_CREDITS + peer.port);
		}
		network->lanes.came[to] |= (uint16_t)came;
		insert(network->arriving_ahead, peer.card);
	}
	network->in_transit += items;
}

/* What has come to a card by fast links. */
static void receive_lanes(xt_engine_t *network, unsigned c)
{
	const unsigned came = network->lanes_now ? network->lanes_now[c] : 0;

	if (came) {
		network->card[c].links_active_until = network->common.now + 2;
		network->in_transit -= card_take_lanes(&network->card[c], came, &network->items_now[c * LINKS]);
	}
}

static void step_card(xt_engine_t *network, unsigned c, const xt_client_t *client)
{
	card_t *card = &network->card[c];
	arrivals_t none = {0}, *arrivals = network->arrivals ? network_arrivals(network, network->common.now, c) : &none;
	pe_pins_t pins[NICS];
	frame_t frames[LINKS];
	unsigned sends;

	if (arrivals->frames) {
		network->in_transit -= (unsigned)__builtin_popcount(arrivals->frames);
	}
	if (!LINK_LAYER && network->fault_count) {
		alter_cells(network, arrivals);
	}
	if (network->fast) {
		if (card->sent_cells | card->sent_credits) {
			send_lanes(network, c, client);
		}
		receive_lanes(network, c);
	}
	drive_nics(network, c, client, pins);
	card_step(card, &network->common, c, arrivals, pins);
	arrivals->frames = 0;
	network->evaluated++;
	sends = card_frames(card, frames);
	for (unsigned rest = sends; rest; rest &= rest - 1) {
		send_frame(network, c, lowest(rest), frames[lowest(rest)], client);
	}
	if (card_idle(card) && !sends) {
		erase(network->busy, c);
	} else {
		insert(network->busy, c);
	}
}

static void step(xt_engine_t *network, const xt_client_t *client)
{
	uint64_t *arriving = arriving_at(network, network->common.now);

	if (network->fast) {
		const size_t now = (size_t)lane_slot(network, network->common.now) * network->cards;
		const uint64_t ahead = network->common.now + network->latency + LANE_CYCLES - 1;

		network->lanes_now = network->lanes.came ? &network->lanes.came[now] : NULL;
		network->items_now = network->lanes.came ? &network->lanes.items[now * LINKS] : NULL;
		network->slot_ahead = lane_slot(network, ahead);
		network->arriving_ahead = arriving_at(network, ahead);
	}
	if (client) {
		start_packets(network, client);
	}
	for (unsigned w = 0; w < network->words; w++) {
		network->work[w] = arriving[w] | (network->stands ? 0 : network->busy[w] | network->within[w]);
	}
	if (network->common.addressed != NO_CARD) {
		insert(network->work, network->common.addressed);
	}
	for (unsigned c = 0; network->evaluate_all && c < network->cards; c++) {
		insert(network->work, c);
	}
	for (unsigned w = 0; w < network->words; w++) {
		for (uint64_t rest = network->work[w]; rest; rest &= rest - 1) {
			step_card(network, w * 64 + (unsigned)__builtin_ctzll(rest), client);
		}
	}
	memset(arriving, 0, network->words * sizeof(*arriving));
	network->common.now++;
	if (network->fast && network->lanes.came) {
		/* The slot that is filled from now on had what came long ago. */
		memset(&network->lanes
				.came[(size_t)lane_slot(network, network->common.now + network->latency + LANE_CYCLES) *
					network->cards],
			0, network->cards * sizeof(*network->lanes.came));
	}
}

/* ---------------------------------------------------------------- registers and runs */

static int check(const xt_engine_t *network, xt_diag_t *diag)
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
		step(network, NULL);
	}
	r->arvalid = 0;
	network->common.addressed = NO_CARD;
	return status == XT_OK ? check(network, diag) : status;
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
		lanes_close(network);
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
		step(network, NULL);
	}
	r->awvalid = 0;
	r->wvalid = 0;
	network->common.addressed = NO_CARD;
	return status == XT_OK ? check(network, diag) : status;
}

int network_set_tables(xt_engine_t *network, unsigned c, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *diag)
{
	tables_set(&network->common.entries, network->card[c].tables, grt, lrt);
	return check(network, diag);
}

/* Errors of their own for every directed link, and links that were killed in the run before are whole. */
static int prepare_links(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	network->errors = 0;
	free(network->troubles);
	network->troubles = NULL;
	for (unsigned i = 0; i < network->cards * LINKS; i++) {
		network->outgoing[i].dead = 0;
	}
	if (client->error_rate > 0.0) {
		if (!make_troubles(network)) {
			return check(network, diag);
		}
		for (unsigned i = 0; i < network->cards * LINKS; i++) {
			xt_random_seed(&network->troubles[i].random, client->error_seed, i);
		}
	}
	return XT_OK;
}

/* Until nothing of an earlier run is left in the cards. */
static int settle(xt_engine_t *network, xt_diag_t *diag)
{
	int settled = 0;

	for (unsigned wait = 0; wait < QUIET_LIMIT && !network->stands && !settled; wait++) {
		settled = is_quiet(network);
		if (!settled) {
			step(network, NULL);
		}
	}
	/* Keepalives keep a card busy that holds nothing. */
	if (!settled && network->keepalives && is_empty(network, network->within)) {
		settled = 1;
		for (unsigned c = 0; c < network->cards && settled; c++) {
			uint32_t value;
			int status = network_read(network, c, EXTORUS_REG_STATUS, &value, 1, diag);

			if (status != XT_OK) {
				return status;
			}
			settled = (value & EXTORUS_STATUS_IDLE_MASK) != 0;
		}
	}
	return settled ? XT_OK
		       : xt_fail(diag, XT_ERR_UNSUPPORTED,
				 "the network still holds packets of the run before; close the device and open it "
				 "again");
}

static void settle_run(xt_engine_t *network)
{
	flow_port_cells(network, network->flow->port_cells);
	flow_tell(network);
}

static xt_engine_state_t state_of(xt_engine_t *network)
{
	xt_engine_state_t state = {.cycle = network->cycle, .moves = network->moves, .port_cells = network->port_cells};

	if (network->flow) {
		state.quiet = flow_is_quiet(network);
		state.port_cells = network->flow->port_cells;
		state.settle = settle_run;
		state.engine = network;
	} else {
		state.quiet = is_quiet(network);
	}
	return state;
}

/* How links and cards are to be stepped in this run. */
static int prepare_steps(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	if (!lanes_serve(network, client)) {
		lanes_close(network);
		return XT_OK;
	}
	lanes_open(network);
	return flow_serves(network, client) ? flow_open(network, client, diag) : XT_OK;
}

static void step_run(xt_engine_t *network, const xt_client_t *client)
{
	if (!network->flow) {
		step(network, client);
		return;
	}
	flow_step(network, client);
	if (network->flow->leave) {
		flow_leave(network);
	}
}

int network_run(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	uint64_t moves = 0, last_move = 0;
	int status;

	if (client->pes != network->cards * NICS) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "%u PEs do not fit %u cards with %d NIC ports each",
			client->pes, network->cards, NICS);
	}
	status = settle(network, diag);
	if (status != XT_OK) {
		return status;
	}
	status = prepare_links(network, client, diag);
	if (status == XT_OK) {
		status = prepare_steps(network, client, diag);
	}
	if (status != XT_OK) {
		return status;
	}
	memset(network->port_cells, 0, (size_t)network->cards * PORTS * sizeof(*network->port_cells));
	network->moves = 0;
	network->evaluated = 0;
	for (network->cycle = 0;; network->cycle++) {
		const xt_engine_state_t state = state_of(network);
		int stop;

		if (moves != network->moves) {
			moves = network->moves;
			last_move = network->cycle;
		}
		stop = client->cycle(client->context, &state);
		if (stop && network->flow) {
			flow_leave(network);
		}
		if (stop) {
			network->stands = !state.quiet && !network->keepalives && network->in_transit == 0 &&
					  network->cycle - last_move > STANDING_CYCLES;
			break;
		}
		if (network->fault_count) {
			start_faults(network);
		}
		step_run(network, client);
	}
	return check(network, diag);
}

/* ---------------------------------------------------------------- construction */

static int reset(xt_engine_t *network, xt_diag_t *diag)
{
	/* Twice what the tables and the buffers need, one entry per cycle. */
	const uint64_t limit = 2 * ((UINT64_C(1) << EXTORUS_LRT_BITS) + EXTORUS_BUFFER_CELLS) + 1000;
	uint64_t end;

	for (unsigned c = 0; c < network->cards; c++) {
		card_reset(&network->card[c], &network->links[c * LINKS]);
		insert(network->busy, c);
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
	network->arriving = calloc((size_t)network->slots * network->words, sizeof(*network->arriving));
	network->busy = calloc(network->words, sizeof(*network->busy));
	network->within = calloc(network->words, sizeof(*network->within));
	network->work = calloc(network->words, sizeof(*network->work));
	network->port_cells = calloc(cards * PORTS, sizeof(*network->port_cells));
	return network->card && network->links && network->peers && network->outgoing && network->sending &&
	       network->blocked_nics && network->keepalive && network->arriving && network->busy &&
	       network->within && network->work && network->port_cells && packets_open(&network->common.packets) &&
	       entries_open(&network->common.entries);
}

int network_open(const xt_network_t *description, xt_engine_t **out, xt_diag_t *diag)
{
	xt_engine_t *network = calloc(1, sizeof(*network));
	int status;

	*out = NULL;
	if (network) {
		network->cards = description->cards;
		network->latency = network->common.latency = description->link_latency;
		network->evaluate_all = description->evaluate_all;
		network->slots = description->link_latency + LANE_CYCLES + 1;
		network->words = (description->cards + 63) / 64;
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

	if (!network->flow) {
		return network;
	}
	if (!s) {
		s = network->settled = calloc(1, sizeof(*s));
		if (!s || !(s->card = calloc(cards, sizeof(*s->card))) ||
			!(s->sending = calloc(cards * NICS, sizeof(*s->sending))) ||
			!(s->busy = calloc(network->words, sizeof(*s->busy))) ||
			!(s->within = calloc(network->words, sizeof(*s->within))) ||
			!(s->arriving = calloc((size_t)network->slots * network->words, sizeof(*s->arriving))) ||
			!(s->port_cells = calloc(cards * PORTS, sizeof(*s->port_cells)))) {
			return NULL;
		}
	}
	if (s->common.now != network->common.now) {
		own = *s;
		*s = *network;
		s->flow = NULL;
		s->settled = NULL;
		s->card = own.card;
		s->sending = own.sending;
		s->busy = own.busy;
		s->within = own.within;
		s->arriving = own.arriving;
		s->lanes.came = own.lanes.came;
		s->lanes.items = own.lanes.items;
		s->port_cells = own.port_cells;
		memcpy(s->card, network->card, cards * sizeof(*s->card));
		memcpy(s->sending, network->sending, cards * NICS * sizeof(*s->sending));
		flow_settle(network, s);
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
		free(s->lanes.came);
		free(s->lanes.items);
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
	free(network->lanes.came);
	free(network->lanes.items);
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
	free(network->work);
	free(network->port_cells);
	free(network->faults);
	flow_close(network);
	network_free_settled(network);
	free(network);
}
