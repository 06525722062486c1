/* SPDX-License-Identifier: Apache-2.0
 *
 * One modelled card by itself, with the pins of the RTL: bits outside, tokens inside.
 *
 * What arrives is put into a carrier, a packet of one cell that is used again and again. The link layer throws away
 * what it does not want. A cell that reaches the switch's input moves from its carrier into a packet of the card's
 * own. So the cells of a packet follow each other as the input unit expects. The packet is released when its cells have
 * left: with a PE's or a dropped packet's by the parts that do so, with a link's once they are acknowledged. */
#include "device/card_engine.h"

#include <stdlib.h>
#include <string.h>

#include "card.h"

enum {
	NO_CARD = UINT16_MAX, /* no number of a card */
	/* A carrier is free again two steps after its frame came, or when its beat and the next have been taken. */
	FRAME_CARRIERS = 3,
	BEAT_CARRIERS = 2,
	CARRIERS = LINKS * FRAME_CARRIERS + NICS * BEAT_CARRIERS,
	/* Steps from a cell's acknowledgement until no frame under way names it. */
	OUT_CYCLES = 4,
	BODY_BITS = EXTORUS_FRAME_BITS - EXTORUS_FRAME_CHECK_BITS,
	NIBBLES = (BODY_BITS + 3) / 4,
	SENT_CELLS = 2 * EXTORUS_REPLAY_CELLS + OUT_CYCLES,
};

_Static_assert((int)PACKET_CELLS == 1 << EXTORUS_HEADER_LENGTH_BITS, "no header says more than a packet has");
_Static_assert(EXTORUS_FRAME_BITS <= 32 * XT_PIN_FRAME_WORDS, "a frame fits the pins");

/* The packet that is coming in at a port: its next cell. */
typedef struct {
	uint32_t packet;
	unsigned index, cells; /* equal: none */
} arriving_t;

/* Cells that a link took and that its other end need not have yet, a ring. */
typedef struct {
	token_t cell[SENT_CELLS];
	unsigned first, count;
	unsigned held[OUT_CYCLES]; /* how many were not acknowledged in the last steps */
} departed_t;

struct xt_card {
	common_t common;
	card_t card;
	link_t links[LINKS];
	arriving_t arriving[PORTS];
	departed_t departed[LINKS];
	uint8_t beat[NICS]; /* carrier of the next beat */
	/* AXI4-Lite transfers that were begun and are not answered. */
	unsigned addresses, data, reads;
	uint32_t check[NIBBLES][16];
};

/* ---------------------------------------------------------------- frames and their bits */

static uint32_t get(const uint32_t *words, unsigned lsb, unsigned bits)
{
	uint64_t pair;

	if (!bits) {
		return 0;
	}
	pair = words[lsb / 32];
	if ((lsb + bits - 1) / 32 != lsb / 32) {
		pair |= (uint64_t)words[lsb / 32 + 1] << 32;
	}
	return (uint32_t)(pair >> lsb % 32 & ((UINT64_C(1) << bits) - 1));
}

/* Into words that are 0 there. */
static void put(uint32_t *words, unsigned lsb, unsigned bits, uint32_t value)
{
	uint64_t pair;

	if (!bits) {
		return;
	}
	pair = (uint64_t)value << lsb % 32;
	words[lsb / 32] |= (uint32_t)pair;
	if ((lsb + bits - 1) / 32 != lsb / 32) {
		words[lsb / 32 + 1] |= (uint32_t)(pair >> 32);
	}
}

#define GET(name) get(words, EXTORUS_FRAME_##name##_LSB, EXTORUS_FRAME_##name##_BITS)
#define PUT(name, value) put(words, EXTORUS_FRAME_##name##_LSB, EXTORUS_FRAME_##name##_BITS, value)

static void for_cell(uint32_t *words, uint32_t *cell, int store)
{
	for (unsigned done = 0; done < EXTORUS_CELL_BITS; done += 32) {
		const unsigned bits = EXTORUS_CELL_BITS - done < 32 ? EXTORUS_CELL_BITS - done : 32;

		if (store) {
			put(words, EXTORUS_FRAME_CELL_LSB + done, bits, cell[done / 32]);
		} else {
			cell[done / 32] = get(words, EXTORUS_FRAME_CELL_LSB + done, bits);
		}
	}
}

static uint32_t turn_left(uint32_t word, unsigned bits)
{
	return word << bits | word >> (32 - bits) % 32;
}

/* What bit n of the body adds to the check word, the highest bit being bit 0: see xt_link_check. */
static uint32_t check_column(unsigned n)
{
	enum { BLOCK = 45 };
	static const uint8_t first_turns[] = {0, 31, 7, 13, 0, 19}, second_turns[] = {24, 23, 27, 28, 16, 3};
	static const uint32_t first_masks[] = {0x20008001, 0x08104000, 0x10000201, 0x20002040};
	static const uint32_t second_masks[] = {0x80080000, 0x00000082, 0x10100000, 0x00400400};
	const unsigned first = (n + first_turns[n / BLOCK]) % BLOCK, second = (n + second_turns[n / BLOCK]) % BLOCK;
	const unsigned masks = n / (4 * BLOCK) * 2;

	return turn_left(first_masks[masks + first / 32], first % 32) ^
	       turn_left(second_masks[masks + second / 32], second % 32);
}

/* What four bits at a time of the body add to the check word. */
static void prepare_check(xt_card_t *c)
{
	for (unsigned i = 0; i < BODY_BITS; i++) {
		const uint32_t column = check_column(BODY_BITS - 1 - i);

		for (unsigned value = 0; value < 16; value++) {
			c->check[i / 4][value] ^= value >> i % 4 & 1 ? column : 0;
		}
	}
}

static uint32_t check_of(const xt_card_t *c, const uint32_t *words)
{
	uint32_t check = UINT32_C(0xffff); /* of zeros */

	for (unsigned n = 0; n < NIBBLES; n++) {
		const unsigned bits = BODY_BITS - 4 * n < 4 ? BODY_BITS - 4 * n : 4;

		check ^= c->check[n][get(words, 4 * n, bits)];
	}
	return check;
}

static void frame_to_bits(const xt_card_t *c, const frame_t *frame, uint32_t *words)
{
	memset(words, 0, (EXTORUS_FRAME_BITS + 31) / 32 * sizeof(*words));
	PUT(CTRL, frame->ctrl);
	PUT(CELL_VALID, frame->cell_valid);
	PUT(CELL_SEQ, frame->cell_seq);
	PUT(VC, frame->vc);
	PUT(POISON, (frame->cell & TOKEN_POISON) != 0);
	for_cell(words, (uint32_t *)(uintptr_t)packets_cell(&c->common.packets, frame->cell), 1);
	PUT(CREDIT_VALID, frame->credit_valid);
	PUT(CREDIT_SEQ, frame->credit_seq);
	PUT(CREDIT_VC, frame->credit_vc);
	PUT(CELL_ACK, frame->cell_ack);
	PUT(CELL_NACK, frame->cell_nack);
	PUT(CREDIT_ACK, frame->credit_ack);
	PUT(CREDIT_NACK, frame->credit_nack);
	if (LINK_LAYER) {
		PUT(CHECK, check_of(c, words));
	}
}

/* Fills the carrier with what comes on the pins. */
static token_t load(xt_card_t *c, unsigned carrier, const uint32_t *cell)
{
	packet_t *p = &c->common.packets.packets[carrier];

	memcpy(p->words, cell, CELL_WORDS * sizeof(*cell));
	p->left = UINT16_MAX; /* it is never released */
	packets_decode(&c->common.packets, carrier);
	return token_of(carrier, 0);
}

static void bits_to_frame(xt_card_t *c, unsigned carrier, const uint32_t *words, frame_t *frame)
{
	uint32_t cell[CELL_WORDS];

	memset(frame, 0, sizeof(*frame));
	frame->broken = LINK_LAYER && GET(CHECK) != check_of(c, words);
	frame->ctrl = (uint8_t)GET(CTRL);
	frame->cell_valid = GET(CELL_VALID) & 1;
	frame->cell_seq = (uint16_t)GET(CELL_SEQ);
	frame->vc = (uint8_t)GET(VC);
	frame->credit_valid = GET(CREDIT_VALID) & 1;
	frame->credit_seq = (uint16_t)GET(CREDIT_SEQ);
	frame->credit_vc = (uint8_t)GET(CREDIT_VC);
	frame->cell_ack = (uint16_t)GET(CELL_ACK);
	frame->cell_nack = GET(CELL_NACK) & 1;
	frame->credit_ack = (uint16_t)GET(CREDIT_ACK);
	frame->credit_nack = GET(CREDIT_NACK) & 1;
	if (frame->cell_valid) {
		for_cell((uint32_t *)(uintptr_t)words, cell, 0);
		frame->cell = load(c, carrier, cell) | (GET(POISON) ? TOKEN_POISON : 0);
	}
}

/* ---------------------------------------------------------------- cells that come and go */

static unsigned frame_carrier(const xt_card_t *c, unsigned port)
{
	return 1 + port * FRAME_CARRIERS + (unsigned)(c->common.now % FRAME_CARRIERS);
}

static unsigned beat_carrier(const xt_card_t *c, unsigned nic)
{
	return 1 + LINKS * FRAME_CARRIERS + nic * BEAT_CARRIERS + c->beat[nic];
}

/* A cell has come to an input of the switch. */
static void take_in(xt_card_t *c, unsigned port)
{
	static const uint32_t nothing[PACKET_CELLS * CELL_WORDS];
	packets_t *packets = &c->common.packets;
	arriving_t *a = &c->arriving[port];
	const token_t cell = c->card.in_cell[port];
	const uint32_t carrier = token_packet(cell);

	if (a->index == a->cells) {
		a->cells = packets_header(packets, cell).len + 1u;
		a->packet = packets_fetch(packets, 0, nothing, a->cells, a->cells);
		a->index = 0;
	}
	if (!a->packet) {
		a->index++; /* there is no memory, and the step says so */
		return;
	}
	if (carrier) {
		memcpy(packets->packets[a->packet].words + (size_t)a->index * CELL_WORDS, packets_cell(packets, cell),
			CELL_WORDS * sizeof(uint32_t));
		if (a->index == 0) {
			packets_decode(packets, a->packet);
		}
		c->card.in_cell[port] = token_of(a->packet, a->index) | (cell & TOKEN_POISON);
	} else {
		/* The card has made this cell itself, to complete a packet that was cut. */
		packets_consume(packets, token_of(a->packet, a->index));
	}
	a->index++;
}

#if EXTORUS_FRAME_LAYER

static unsigned unacknowledged(const link_t *link)
{
	return (unsigned)(link->cells_tx.write - link->cells_tx.acked) & ((1u << EXTORUS_FRAME_CELL_SEQ_BITS) - 1);
}

/* After a step in which a link that took `cell`, if `offered`, held `held` cells before. */
static void let_go(xt_card_t *c, unsigned port, int offered, token_t cell, unsigned write)
{
	const link_t *link = &c->links[port];
	departed_t *d = &c->departed[port];
	unsigned most = unacknowledged(link);

	if (offered && link->cells_tx.write == ((write + 1) & ((1u << EXTORUS_FRAME_CELL_SEQ_BITS) - 1))) {
		d->cell[(d->first + d->count++) % SENT_CELLS] = cell;
	}
	for (unsigned i = 0; i < OUT_CYCLES; i++) {
		most = d->held[i] > most ? d->held[i] : most;
	}
	d->held[c->common.now % OUT_CYCLES] = unacknowledged(link);
	for (; d->count > most; d->count--) {
		packets_consume(&c->common.packets, d->cell[d->first]);
		d->first = (d->first + 1) % SENT_CELLS;
	}
}

#endif

/* ---------------------------------------------------------------- one step */

static int restart(xt_card_t *c)
{
	static const uint32_t nothing[CELL_WORDS];
	packets_t *packets = &c->common.packets;

	tables_close(c->card.tables);
	packets_close(packets);
	if (!packets_open(packets)) {
		packets->failed = 1;
		return XT_ERR_NOMEM;
	}
	for (unsigned i = 0; i < CARRIERS; i++) {
		if (!packets_fetch(packets, 0, nothing, 1, 1)) {
			return XT_ERR_NOMEM;
		}
	}
	card_reset(&c->card, c->links);
	memset(c->arriving, 0, sizeof(c->arriving));
	memset(c->departed, 0, sizeof(c->departed));
	memset(c->beat, 0, sizeof(c->beat));
	c->addresses = c->data = c->reads = 0;
	c->common.late_count = 0;
	return XT_OK;
}

static void drive_registers(xt_card_t *c, const xt_card_inputs_t *in)
{
	registers_t *r = &c->card.registers;

	r->awvalid = (uint8_t)in->awvalid;
	r->awaddr = (uint16_t)in->awaddr;
	r->wvalid = (uint8_t)in->wvalid;
	r->wdata = in->wdata;
	r->bready = (uint8_t)in->bready;
	r->arvalid = (uint8_t)in->arvalid;
	r->araddr = (uint16_t)in->araddr;
	r->rready = (uint8_t)in->rready;
	c->addresses += r->awvalid & r->awready;
	c->data += r->wvalid & r->wready;
	c->reads += r->arvalid & r->arready;
	c->common.addressed =
		in->awvalid | in->wvalid | in->arvalid | c->addresses | c->data | c->reads ? 0 : (uint32_t)NO_CARD;
	if (r->bvalid & r->bready) {
		c->addresses--;
		c->data--;
	}
	c->reads -= r->rvalid & r->rready;
}

static void drive_nics(xt_card_t *c, const xt_card_inputs_t *in, pe_pins_t *pins)
{
	for (unsigned n = 0; n < NICS; n++) {
		pins[n] = (pe_pins_t){0};
		pins[n].ready = in->nic_ready >> n & 1;
		if (!(in->nic_valid >> n & 1)) {
			continue;
		}
		pins[n].valid = 1;
		pins[n].last = in->nic_last >> n & 1;
		pins[n].cell = load(c, beat_carrier(c, n), in->nic_data[n]);
		c->beat[n] ^= (uint8_t)card_nic_ready(&c->card, &c->common.packets, n);
	}
}

static void collect(const xt_card_t *c, xt_card_outputs_t *out)
{
	const packets_t *packets = &c->common.packets;
	const registers_t *r = &c->card.registers;
	frame_t frames[LINKS];

	out->link_valid = card_frames(&c->card, frames);
	for (unsigned rest = out->link_valid; rest; rest &= rest - 1) {
		frame_to_bits(c, &frames[lowest(rest)], out->link_frame[lowest(rest)]);
	}
	out->nic_ready = out->nic_valid = out->nic_last = out->nic_user = 0;
	for (unsigned n = 0; n < NICS; n++) {
		const eject_t *e = &c->card.eject[n];

		out->nic_ready |= (uint32_t)card_nic_ready(&c->card, packets, n) << n;
		if (e->valid) {
			const token_t cell = e->cells[e->read % EXTORUS_EJECT_CELLS];
			const int last = e->in_packet ? e->left == 1 : packets_header(packets, cell).len == 0;

			out->nic_valid |= 1u << n;
			out->nic_last |= (uint32_t)last << n;
			out->nic_user |= (uint32_t)(last && (cell & TOKEN_POISON)) << n;
			memcpy(out->nic_data[n], packets_cell(packets, cell), CELL_WORDS * sizeof(uint32_t));
		}
	}
	out->awready = r->awready;
	out->wready = r->wready;
	out->bvalid = r->bvalid;
	out->bresp = r->bresp;
	out->arready = r->arready;
	out->rvalid = r->rvalid;
	out->rresp = r->rresp;
	out->rdata = r->rdata;
	out->idle = (uint32_t)card_idle(&c->card);
}

static int step(xt_card_t *c, const xt_card_inputs_t *in, xt_card_outputs_t *out)
{
	card_t *card = &c->card;
	arrivals_t arrivals;
	pe_pins_t pins[NICS];
	int status = XT_OK;

	if (!in->rst_n) {
		status = restart(c);
	} else {
		const unsigned departs = card->out_valid & ALL_LINKS;
		token_t departing[LINKS];
		unsigned write[LINKS];

		arrivals.frames = (uint16_t)in->link_valid;
		for (unsigned rest = in->link_valid; rest; rest &= rest - 1) {
			const unsigned p = lowest(rest);

			bits_to_frame(c, frame_carrier(c, p), in->link_frame[p], &arrivals.frame[p]);
		}
		drive_registers(c, in);
		drive_nics(c, in, pins);
		for (unsigned p = 0; p < LINKS; p++) {
			departing[p] = card->out_cell[p];
			write[p] = c->links[p].cells_tx.write;
		}
		card_step(card, &c->common, 0, &arrivals, pins);
		for (unsigned rest = card->in_valid; rest; rest &= rest - 1) {
			take_in(c, lowest(rest));
		}
		for (unsigned p = 0; p < LINKS; p++) {
#if EXTORUS_FRAME_LAYER
			let_go(c, p, departs >> p & 1, departing[p], write[p]);
#else
			/* It was on the pins in the last cycle. */
			if (departs >> p & 1) {
				packets_consume(&c->common.packets, departing[p]);
			}
			(void)write;
#endif
		}
		c->common.now++;
	}
	collect(c, out);
	return status != XT_OK || c->common.packets.failed || c->common.route_words.failed ? XT_ERR_NOMEM : XT_OK;
}

static void set_tables(xt_card_t *c, const uint64_t *grt, const uint64_t *lrt)
{
	tables_set(&c->common.route_words, c->card.tables, grt, lrt);
}

static void close_card(xt_card_t *c)
{
	if (c) {
		for (unsigned p = 0; p < LINKS; p++) {
			link_close(&c->links[p]);
		}
		tables_close(c->card.tables);
		packets_close(&c->common.packets);
		route_words_close(&c->common.route_words);
		free(c);
	}
}

static int open_card(xt_card_t **out, xt_diag_t *diag)
{
	xt_card_t *c = calloc(1, sizeof(*c));

	*out = NULL;
	if (!c || !route_words_open(&c->common.route_words) || restart(c) != XT_OK) {
		close_card(c);
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for a card");
	}
	c->common.latency = 1;
	c->common.addressed = NO_CARD;
	prepare_check(c);
	*out = c;
	return XT_OK;
}

static const xt_card_engine_t engine = {
	.abi = XT_CARD_ENGINE_ABI,
	.size = sizeof(xt_card_engine_t),
	.engine = "model",
	.profile = EXTORUS_PROFILE_NAME,
	.profile_hash = EXTORUS_PROFILE_HASH,
	.open = open_card,
	.close = close_card,
	.step = step,
	.set_tables = set_tables,
};

XT_API const xt_card_engine_t *xt_card_entry(void);

const xt_card_engine_t *xt_card_entry(void)
{
	return &engine;
}
