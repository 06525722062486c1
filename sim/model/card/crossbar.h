/* SPDX-License-Identifier: Apache-2.0
 *
 * Stage X: cells go from inputs to the outputs that matched them. */
#pragma once

#include <string.h>

#include "card_state.h"

/* What stage X of the switch holds. */
typedef struct {
	unsigned valid; /* inputs */
	uint8_t first[PORTS], output[PORTS], vc[PORTS], len[PORTS], credit_vc[PORTS];
	token_t cell[PORTS];
} crossbar_t;

static inline void take_stage_x(const card_t *card, crossbar_t *x)
{
	x->valid = 0;
	for (unsigned rest = card->stirring; rest; rest &= rest - 1) {
		unsigned i = lowest(rest);
		const input_t *in = &card->input[i];

		if (in->x_valid) {
			x->valid |= 1u << i;
			x->first[i] = in->x_first;
			x->output[i] = in->x_output;
			x->vc[i] = in->x_vc;
			x->len[i] = in->x_len;
			x->credit_vc[i] = in->x_credit_vc;
			x->cell[i] = in->x_cell;
		}
	}
}

typedef struct {
	unsigned valid, first; /* outputs; the rest only where these say so */
	uint8_t vc[PORTS], cells[PORTS];
	token_t cell[PORTS];
} departures_t;

/* A cell leaves the switch at the end of the cycle. */
static inline void count_departure(card_t *card, unsigned o, unsigned vc, unsigned first)
{
	const unsigned tc = tc_of_queue(o, vc);

	card->counter[o][COUNT_TX_CELLS + tc]++;
	if (first) {
		card->counter[o][COUNT_TX_PACKETS + tc]++;
	}
}

static inline void cross(card_t *card, packets_t *packets, const crossbar_t *x, departures_t *out)
{
	out->valid = out->first = 0;
	memset(out->vc, 0, sizeof(out->vc));
	for (unsigned rest = x->valid; rest; rest &= rest - 1) {
		unsigned i = lowest(rest), o = x->output[i];

		if (o == NO_PORT) {
			packets_consume(packets, x->cell[i]);
			continue;
		}
		out->valid |= 1u << o;
		out->vc[o] = x->vc[i];
		out->cell[o] = x->cell[i];
		if (x->first[i]) {
			out->first |= 1u << o;
			out->cells[o] = (uint8_t)(x->len[i] + 1);
		}
		if (!CROSSBAR_REGISTER) {
			count_departure(card, o, x->vc[i], x->first[i]);
		}
	}
	for (unsigned rest = CROSSBAR_REGISTER ? card->crossing_valid : 0; rest; rest &= rest - 1) {
		unsigned o = lowest(rest);

		count_departure(card, o, card->crossing_vc[o], card->crossing_first >> o & 1);
	}
}

static inline void leave(card_t *card, unsigned valid, const uint8_t *vc, const token_t *cell)
{
	card->out_valid = (uint16_t)valid;
	for (unsigned rest = valid; rest; rest &= rest - 1) {
		const unsigned o = lowest(rest);

		card->out_vc[o] = vc[o];
		card->out_cell[o] = cell[o];
	}
}

/* The edge at which cells leave the switch, or reach the register in front of the crossbar. */
static inline void depart(card_t *card, const departures_t *out)
{
	if (!CROSSBAR_REGISTER) {
		leave(card, out->valid, out->vc, out->cell);
		return;
	}
	leave(card, card->crossing_valid, card->crossing_vc, card->crossing_cell);
	card->crossing_valid = (uint16_t)out->valid;
	card->crossing_first = (uint16_t)out->first;
	for (unsigned rest = out->valid; rest; rest &= rest - 1) {
		const unsigned o = lowest(rest);

		card->crossing_vc[o] = out->vc[o];
		card->crossing_cell[o] = out->cell[o];
	}
}
