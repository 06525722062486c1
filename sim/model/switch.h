/* SPDX-License-Identifier: Apache-2.0
 *
 * The switch between its registers: inputs, their matching, what adaptive routing knows of links, marks and watchdogs.
 */
#ifndef EXTORUS_MODEL_SWITCH_H
#define EXTORUS_MODEL_SWITCH_H

#include <string.h>

#include "input_unit.h"
#include "scheduler.h"

/* Which adaptive VCs behind a link are not too full. */
static inline void look_behind(card_t *card, unsigned link)
{
	const settings_t *s = &card->settings;

	for (unsigned tc = 0; tc < TCS; tc++) {
		const unsigned vcs = tc_vcs(tc) & EXTORUS_VCS_ADAPTIVE, bit = 1u << link;

		if (vcs) {
			const unsigned used = card->credits[link].used[lowest(vcs)];
			const int usable = used < s->high && !(card->link_down & bit);

			card->usable[tc] = (uint8_t)((card->usable[tc] & ~bit) | (usable ? bit : 0));
			card->low[tc] = (uint8_t)((card->low[tc] & ~bit) | (used < s->low ? bit : 0));
		}
	}
}

/* ---------------------------------------------------------------- marks and watchdogs */

/* `ports`: those that are looked at; of the others nothing is known. Returns those that have just stood for too long.
 */
static inline unsigned step_monitors(card_t *card, unsigned ports, unsigned waiting, unsigned served, int clear)
{
	const unsigned limit = card->settings.stall_timeout;
	unsigned timeouts = 0;

	for (unsigned rest = clear ? (unsigned)ALL_PORTS : (waiting | card->monitors_stirring) & ports; rest;
		rest &= rest - 1) {
		const unsigned p = lowest(rest), bit = 1u << p;
		const unsigned used = BUFFER_CELLS - card->input[p].free;

		if (clear || card->high_water_used[p] > card->high_water[p]) {
			card->high_water[p] = card->high_water_used[p];
		}
		card->high_water_used[p] = (uint16_t)used;
		timeouts |= limit && card->stalled[p] == limit ? bit : 0;
		if (!(waiting & bit) || (served & bit)) {
			card->stalled[p] = 0;
			card->stall_said &= (uint16_t)~bit;
		} else if (!(card->stall_said & bit)) {
			card->stall_said |= (uint16_t)(limit && card->stalled[p] == limit ? bit : 0);
			card->stalled[p]++;
		}
		card->monitors_stirring =
			(uint16_t)((card->monitors_stirring & ~bit) | (used || card->stalled[p] ? bit : 0));
	}
	return timeouts;
}

/* ---------------------------------------------------------------- inputs */

/* One cycle of `inputs`; what arrives is in the card's registers. Nonzero: there are errors. */
static inline unsigned step_inputs(card_t *card, common_t *common, unsigned inputs, int weighted)
{
	unsigned request[PORTS], busy_outputs = 0, requests = 0, errors = 0;
	uint8_t match[PORTS];
	const int tick = card->tick;

	memset(card->stalls, 0, sizeof(card->stalls));
	memset(match, NO_PORT, sizeof(match));
	memset(request, 0, sizeof(request));
	for (unsigned rest = inputs; rest; rest &= rest - 1) {
		unsigned i = lowest(rest);

		request[i] = card->input[i].busy ? 0 : card->input[i].request & ~(unsigned)card->output_busy;
		requests |= request[i];
	}
	if (requests) {
		islip(card, request, match);
	}
	for (unsigned rest = inputs; rest; rest &= rest - 1) {
		unsigned i = lowest(rest), stalls = 0;
		input_result_t result = input_only_streams(&card->input[i])
						? input_stream(card, common, i)
						: input_step(card, common, i, match[i], tick, weighted, &stalls);

		busy_outputs |= result.busy_outputs;
		if (result.error) {
			card->error[i] |= (uint8_t)result.error;
			errors = 1;
		}
		if (MONITORS && stalls) {
			card->stalls[i] = (uint16_t)stalls;
			for (unsigned tc = 0; tc < TCS; tc++) {
				card->counter[i][COUNT_STALLS_CREDIT + tc] += stalls >> tc & 1;
				card->counter[i][COUNT_STALLS_GRANT + tc] += stalls >> (8 + tc) & 1;
			}
			card->counted = 1;
		}
		if (input_rests(&card->input[i])) {
			card->stirring &= (uint16_t) ~(1u << i);
		}
	}
	card->output_busy = (uint16_t)busy_outputs;
	card->counted |= (uint8_t)errors;
	return errors;
}

#endif
