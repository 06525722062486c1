/* SPDX-License-Identifier: Apache-2.0
 *
 * Matching of inputs and outputs (iSLIP), and the shares of the traffic classes at an output. */
#pragma once

#include "card_state.h"

/* In one of so many matchings the pointers stay: see xt_islip. */
enum { STAY_PERIOD = 128 };

/* Counts a matching; whether the pointers move in it. */
static inline int pointers_move(card_t *card)
{
	card->matchings = (uint8_t)((card->matchings + 1) % STAY_PERIOD);
	return card->matchings != 0;
}

static inline void move_pointers(card_t *card, unsigned input, unsigned output)
{
	card->accept_below[input] = (uint16_t)bits_below(output);
	card->grant_above[output] = (uint16_t)above(input);
}

/* One input alone asks for one output. */
static inline void islip_alone(card_t *card, unsigned input, unsigned output)
{
	if (pointers_move(card)) {
		move_pointers(card, input, output);
	}
}

/* `request` by input, outputs as bits; `match` by input. An output grants inputs that give way only if nobody else
 * asks. Inputs take the outputs in falling order: see xt_islip. There is a request. */
static inline void islip(card_t *card, const unsigned *request, unsigned give_way, uint8_t *match)
{
	unsigned free_inputs = ALL_PORTS, free_outputs = ALL_PORTS;
	const int move = pointers_move(card);

	for (unsigned n = 0; n < EXTORUS_ISLIP_ITERATIONS; n++) {
		unsigned column[PORTS] = {0}, granted[PORTS] = {0}, outputs = 0, inputs = 0;

		for (unsigned rest = free_inputs; rest; rest &= rest - 1) {
			unsigned i = lowest(rest), r = request[i] & free_outputs;

			outputs |= r;
			for (; r; r &= r - 1) {
				column[lowest(r)] |= 1u << i;
			}
		}
		for (; outputs; outputs &= outputs - 1) {
			unsigned o = lowest(outputs), first = column[o] & ~give_way;
			unsigned i = round_robin(first ? first : column[o], card->grant_above[o]);

			granted[i] |= 1u << o;
			inputs |= 1u << i;
		}
		for (; inputs; inputs &= inputs - 1) {
			unsigned i = lowest(inputs), o = round_robin_down(granted[i], card->accept_below[i]);

			match[i] = (uint8_t)o;
			free_inputs &= ~(1u << i);
			free_outputs &= ~(1u << o);
			/* Pointers move past the partner, and only for a match of the first iteration. */
			if (n == 0 && move) {
				move_pointers(card, i, o);
			}
		}
	}
}

/* A deficit round robin in cells; see xt_deficit_round_robin. `comes_cells` 0: no packet starts. What comes counts in
 * the next cycle. */
static inline void weights_step(
	weights_t *w, const uint8_t *weight, unsigned comes, unsigned comes_tc, unsigned comes_cells)
{
	const unsigned wanted = w->wanted, start_tc = w->start_tc, start_cells = w->start_cells;
	const int unit = 1 << EXTORUS_HEADER_LENGTH_BITS;
	unsigned left = 0;
	int round, uneven = 0;

	for (unsigned t = 0; t < TCS; t++) {
		left |= (unsigned)(w->share[t] > 0) << t;
		uneven |= weight[t] != weight[0];
	}
	round = wanted && !(wanted & left);
	for (unsigned t = 0; t < TCS; t++) {
		int quantum = (weight[t] + 1) * unit, share = w->share[t];
		/* Beyond a debt of a longest packet nothing is charged. */
		int deep = share < -unit;

		if (round) {
			share = left >> t & 1 ? quantum : share + quantum;
		}
		share -= start_cells && start_tc == t ? (int)start_cells : 0;
		if (!w->weighted) {
			w->share[t] = (int16_t)quantum;
		} else if (!deep || round) {
			w->share[t] = (int16_t)share;
		}
	}
	w->blocked = (uint8_t)(w->weighted && (wanted & left) ? ~left & ALL_TCS : 0);
	w->wanted = (uint8_t)(w->weighted ? comes : 0);
	w->start_tc = (uint8_t)comes_tc;
	w->start_cells = (uint8_t)comes_cells;
	w->weighted = (uint8_t)uneven;
}
