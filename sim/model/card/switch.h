/* SPDX-License-Identifier: Apache-2.0
 *
 * The switch between its registers: inputs, their matching, what adaptive routing knows of links, marks and watchdogs.
 */
#pragma once

#include <string.h>

#include "input_unit.h"
#include "scheduler.h"

/* The VC of a set with the fewest cells in the buffer behind an output, of equal ones the lowest. */
static inline unsigned emptiest(const credits_t *c, unsigned vcs)
{
	unsigned best = lowest(vcs);

	for (vcs &= vcs - 1; vcs; vcs &= vcs - 1) {
		best = c->used[lowest(vcs)] < c->used[best] ? lowest(vcs) : best;
	}
	return best;
}

/* Which adaptive VCs behind a link are not too full; inputs are told so a cycle later. */
static inline void look_behind(card_t *card, unsigned link)
{
	const settings_t *s = &card->settings;

	for (unsigned tc = 0; tc < TCS; tc++) {
		const unsigned bit = 1u << link;
		const unsigned vcs =
			tc_vcs(tc) & (s->internal & bit ? EXTORUS_VCS_ADAPTIVE : EXTORUS_RING_VCS_ADAPTIVE);

		if (vcs) {
			const unsigned vc = SEVERAL_ADAPTIVE ? emptiest(&card->credits[link], vcs) : lowest(vcs);
			const unsigned used = card->credits[link].used[vc];
			const int usable = used < s->high && !(card->link_down & bit);

			card->next_usable[tc] = (uint8_t)((card->next_usable[tc] & ~bit) | (usable ? bit : 0));
			card->next_low[tc] = (uint8_t)((card->next_low[tc] & ~bit) | (used < s->low ? bit : 0));
			if (SEVERAL_ADAPTIVE) {
				card->next_roomiest[tc][link] = (uint8_t)vc;
			}
		}
	}
}

static inline void tell_inputs(card_t *card)
{
	memcpy(card->usable, card->next_usable, sizeof(card->usable));
	memcpy(card->low, card->next_low, sizeof(card->low));
	if (SEVERAL_ADAPTIVE) {
		memcpy(card->roomiest, card->next_roomiest, sizeof(card->roomiest));
	}
}

/* ---------------------------------------------------------------- marks and watchdogs */

/* Whether a port has just stood for too long. */
static inline int step_monitor(card_t *card, unsigned p, int waiting, int served, int clear)
{
	const unsigned bit = 1u << p, used = BUFFER_CELLS - card->input[p].free, limit = card->settings.stall_timeout;
	const int timeout = limit && card->stalled[p] == limit;

	if (clear || card->high_water_used[p] > card->high_water[p]) {
		card->high_water[p] = card->high_water_used[p];
	}
	card->high_water_used[p] = (uint16_t)used;
	if (!waiting || served) {
		card->stalled[p] = 0;
		card->stall_said &= (uint16_t)~bit;
	} else if (!(card->stall_said & bit)) {
		card->stall_said |= (uint16_t)(timeout ? bit : 0);
		card->stalled[p]++;
	}
	card->monitors_stirring = (uint16_t)((card->monitors_stirring & ~bit) | (used || card->stalled[p] ? bit : 0));
	return timeout;
}

/* `ports`: those that are looked at; of the others nothing is known. Returns those that have just stood for too long.
 */
static inline unsigned step_monitors(card_t *card, unsigned ports, unsigned waiting, unsigned served, int clear)
{
	unsigned timeouts = 0;

	for (unsigned rest = clear ? (unsigned)ALL_PORTS : (waiting | card->monitors_stirring) & ports; rest;
		rest &= rest - 1) {
		const unsigned p = lowest(rest);

		timeouts |= (unsigned)step_monitor(card, p, waiting >> p & 1, served >> p & 1, clear) << p;
	}
	return timeouts;
}

static inline void note_timeouts(card_t *card, unsigned ports)
{
	for (; ports; ports &= ports - 1) {
		card->error[lowest(ports)] |= ERROR_TIMEOUT;
		card->errors = 1;
	}
}

/* ---------------------------------------------------------------- inputs */

/* So many cycles with these stalls. */
static inline void count_stalls(card_t *card, unsigned i, unsigned stalls, unsigned cycles)
{
	card->stalls[i] = (uint16_t)stalls;
	for (unsigned rest = stalls & 0xff; rest; rest &= rest - 1) {
		card->counter[i][COUNT_STALLS_CREDIT + lowest(rest)] += cycles;
	}
	for (unsigned rest = stalls >> 8; rest; rest &= rest - 1) {
		card->counter[i][COUNT_STALLS_GRANT + lowest(rest)] += cycles;
	}
}

/* One cycle of an input that is matched with output `match`, or NO_PORT. Returns the outputs that are busy in the next
 * one. */
static inline unsigned step_input(card_t *card, common_t *common, unsigned i, unsigned match, int weighted)
{
	unsigned stalls = 0;
	const input_result_t result = input_only_streams(&card->input[i])
					      ? input_stream(card, common, i)
					      : input_step(card, common, i, match, card->tick, weighted, &stalls);

	if (result.error) {
		card->error[i] |= (uint8_t)result.error;
		card->errors = card->counted = 1;
	}
	if (MONITORS && stalls) {
		count_stalls(card, i, stalls, 1);
		card->counted = 1;
	}
	if (input_rests(&card->input[i])) {
		card->stirring &= (uint16_t) ~(1u << i);
	}
	return result.busy_outputs;
}

/* Outputs for which an input that gives way starts no packet: to links of which too little room is left. */
static inline unsigned held_back(const card_t *card, unsigned i)
{
	return card->input[i].gives_way ? card->crowded & outputs_entered(card, i) : 0;
}

static inline unsigned inputs_that_give_way(const card_t *card)
{
	unsigned inputs = 0;

	for (unsigned i = LINKS; i < PORTS; i++) {
		inputs |= (unsigned)(card->input[i].gives_way != 0) << i;
	}
	return inputs;
}

/* One cycle of `inputs`; what arrives is in the card's registers. Stalls are those of the cycle so far. */
static inline void step_inputs(card_t *card, common_t *common, unsigned inputs, int weighted)
{
	const unsigned give_way = inputs_that_give_way(card);
	unsigned request[PORTS], busy_outputs = 0, requests = 0;
	uint8_t match[PORTS];

	memset(match, NO_PORT, sizeof(match));
	memset(request, 0, sizeof(request));
	for (unsigned rest = inputs; rest; rest &= rest - 1) {
		unsigned i = lowest(rest);

		request[i] = card->input[i].busy ? 0 : card->input[i].request & ~(unsigned)card->output_busy;
		request[i] &= ~held_back(card, i);
		requests |= request[i];
	}
	if (requests) {
		islip(card, request, give_way, match);
	}
	for (unsigned rest = inputs; rest; rest &= rest - 1) {
		busy_outputs |= step_input(card, common, lowest(rest), match[lowest(rest)], weighted);
	}
	card->output_busy = (uint16_t)busy_outputs;
}
