/* SPDX-License-Identifier: Apache-2.0
 *
 * The NIC adapters: from the PE into the switch, and from the switch to the PE. */
#pragma once

#include "card_state.h"

/* ---------------------------------------------------------------- injection */

/* What the beat that waits can do in this cycle. */
typedef struct {
	int illegal, start, send, consume;
	header_t header;
} inject_plan_t;

static inline inject_plan_t inject_plan(const card_t *card, const packets_t *packets, unsigned nic, int unrouted)
{
	const inject_t *in = &card->inject[nic];
	inject_plan_t plan = {0};

	if (in->beat && !in->in_packet && !in->discard) {
		plan.header = packets_header(packets, in->data);
		plan.illegal = plan.header.tc >= TCS;
		if (!plan.illegal) {
			unsigned k = 0;

			/* The shortest class that holds the packet. */
			while (k + 1 < LENGTHS && plan.header.len >= class_cells[k]) {
				k++;
			}
			plan.start = (in->credits.room[k] >> plan.header.tc & 1) && !unrouted &&
				     !(card->settings.quiesce >> (LINKS + nic) & 1);
		}
	}
	plan.send = plan.start || (in->in_packet && (in->pad || in->beat));
	plan.consume = plan.start || plan.illegal || (in->beat && (in->discard || (in->in_packet && !in->pad)));
	return plan;
}

static inline int inject_ready(const card_t *card, const inject_t *in, const inject_plan_t *plan)
{
	return !card->init && (!in->beat || plan->consume);
}

_Static_assert(!LATENCY || (EXTORUS_HEADER_STAMP_BITS == 16 && EXTORUS_HEADER_STAMP_LSB % 32 == 16),
	"the stamp is the top half of a word");

static inline void inject_stamp(card_t *card, packets_t *packets, token_t cell)
{
	uint32_t *word = &packets->packets[token_packet(cell)].words[EXTORUS_HEADER_STAMP_LSB / 32];

	/* The top half of a word. */
	*word = (*word & 0xffff) | (uint32_t)card->time << 16;
}

/* One cycle. Returns 1 for a framing error; the cell that goes to the switch is put into the card's registers. */
static inline int inject_step(card_t *card, packets_t *packets, unsigned nic, int unrouted, const pe_pins_t *pe,
	int credit, unsigned credit_vc)
{
	const unsigned port = LINKS + nic;
	inject_t *in = &card->inject[nic];
	const inject_plan_t plan = inject_plan(card, packets, nic, unrouted);
	const int ready = inject_ready(card, in, &plan);
	const int ends = in->in_packet ? in->left == 1 : plan.header.len == 0;
	const int mismatch = plan.illegal || (plan.send && !in->pad && in->last != ends);
	const int overlong = !in->last && (plan.illegal || (plan.send && !in->pad && ends));
	const int drops = plan.consume && !(plan.send && !in->pad);

	credits_step(&in->credits, division_of_inject(), 0, plan.start ? plan.header.len + 1u : 0, plan.header.tc,
		credit, vc_tc[credit_vc]);
	if (plan.send) {
		if (!in->in_packet) {
			in->vc = tc_first_vc[plan.header.tc];
			if (LATENCY && card->settings.stamp) {
				inject_stamp(card, packets, in->data);
			}
		}
		card->in_cell[port] =
			(in->pad ? 0 : in->data) | (LINK_LAYER && (in->pad || overlong) ? TOKEN_POISON : 0);
		card->in_vc[port] = in->vc;
	}
	if (drops) {
		packets_consume(packets, in->data);
	}
	card->in_valid = (uint16_t)((card->in_valid & ~(1u << port)) | (unsigned)plan.send << port);
	if (overlong) {
		in->discard = 1;
	} else if (in->beat && in->last) {
		in->discard = 0;
	}
	if (plan.send) {
		in->left = (uint8_t)(in->in_packet ? in->left - 1u : plan.header.len);
		in->pad = !ends && (in->pad || in->last);
		in->in_packet = (uint8_t)!ends;
	}
	if (ready) {
		in->beat = pe->valid;
		if (pe->valid) {
			in->data = pe->cell;
			in->last = pe->last;
		}
	} else if (plan.consume) {
		in->beat = 0;
	}
	return mismatch;
}

static inline int inject_active(const card_t *card, unsigned nic, const pe_pins_t *pe)
{
	const inject_t *in = &card->inject[nic];

	return pe->valid || in->beat || in->in_packet || in->discard || (card->in_valid >> (LINKS + nic) & 1) ||
	       credits_busy(&in->credits);
}

/* ---------------------------------------------------------------- ejection */

enum { EJECT_MASK = 2 * EXTORUS_EJECT_CELLS - 1 };

static inline token_t eject_cell(const eject_t *e)
{
	return e->cells[e->read % EXTORUS_EJECT_CELLS];
}

static inline int eject_is_last(const eject_t *e, const packets_t *packets)
{
	return e->in_packet ? e->left == 1 : packets_header(packets, eject_cell(e)).len == 0;
}

/* One cycle; `valid`: a cell comes from the switch. Returns 1 if the PE has taken the end of an incomplete packet. */
static inline int eject_step(eject_t *e, packets_t *packets, int valid, token_t cell, int ready)
{
	const int take = e->valid && ready;
	const uint16_t read = (uint16_t)((e->read + (unsigned)take) & EJECT_MASK);
	int poisoned = 0;

	e->delivered = 0;
	if (take) {
		const token_t taken = eject_cell(e);
		const int last = eject_is_last(e, packets);

		poisoned = last && (taken & TOKEN_POISON);
		e->delivered = last && !poisoned;
		if (!e->in_packet) {
			const uint32_t *words = packets_cell(packets, taken);

			e->left = packets_header(packets, taken).len;
			e->header = words[0] | (CELL_WORDS > 1 ? (uint64_t)words[CELL_WORDS > 1] << 32 : 0);
			if (LATENCY) {
				e->stamp = (uint16_t)(words[EXTORUS_HEADER_STAMP_LSB / 32] >>
						      EXTORUS_HEADER_STAMP_LSB % 32);
			}
		} else {
			e->left--;
		}
		e->in_packet = (uint8_t)!last;
		packets_consume(packets, taken);
	}
	e->poisoned = (uint8_t)poisoned;
	e->valid = e->write != read;
	e->credit = (uint8_t)take;
	e->read = read;
	if (valid) {
		e->cells[e->write % EXTORUS_EJECT_CELLS] = cell;
		e->write = (uint16_t)((e->write + 1u) & EJECT_MASK);
	}
	return poisoned;
}

static inline int eject_active(const eject_t *e)
{
	return e->valid || e->credit || e->delivered || e->poisoned || e->write != e->read;
}

/* ---------------------------------------------------------------- latency histogram */

static inline int histogram_active(const histogram_t *h, int delivered, int clear)
{
	return delivered || h->late || h->count || clear || h->clear;
}

static inline void histogram_step(histogram_t *h, int delivered, int enable, int clear, uint16_t now, uint16_t stamp)
{
	unsigned bin = h->latency ? 31u - (unsigned)__builtin_clz(h->latency) : 0;

	if (h->clear) {
		h->bins[h->clear_bin] = 0;
	} else if (h->count) {
		h->bins[h->bin]++;
	}
	int cleared = h->clear && !clear;

	if (clear) {
		h->clear = 1;
	} else if (h->clear_bin == EXTORUS_LATENCY_BINS - 1) {
		h->clear = 0;
	}
	h->clear_bin = (uint8_t)(cleared ? (h->clear_bin + 1) % EXTORUS_LATENCY_BINS : 0);
	h->count = h->late;
	h->late = delivered && enable;
	h->bin = (uint8_t)bin;
	if (delivered) {
		h->latency = (uint16_t)(now - stamp);
	}
}
