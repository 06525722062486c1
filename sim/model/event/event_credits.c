/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells in use behind an output: the charges and credits of streams. */
#include <string.h>

#include "event.h"

static unsigned over(unsigned used, division_t d)
{
	return used > d.reserved ? used - d.reserved : 0;
}

void event_fold(event_credits_t *c, division_t d, uint64_t now)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < c->charges; i++) {
		const event_credit_t e = c->charge[i];

		if (event_cycle(e.at, now) + EVENT_SETTLED <= now) {
			c->used[e.vc] = (uint16_t)(c->used[e.vc] + e.cells);
		} else {
			c->charge[kept++] = e;
		}
	}
	c->charges = (uint8_t)kept;
	kept = 0;
	for (unsigned i = 0; i < c->returns; i++) {
		const event_credit_t e = c->back[i];

		if (event_cycle(e.at, now) + e.cells - 1u + EVENT_SETTLED <= now) {
			const unsigned before = event_most(c, e.vc);

			c->used[e.vc] = (uint16_t)(c->used[e.vc] - e.cells);
			c->over = (uint16_t)(c->over - over(before, d) + over(before - e.cells, d));
		} else {
			c->back[kept++] = e;
		}
	}
	c->returns = (uint8_t)kept;
}

void event_charge(event_credits_t *c, division_t d, uint64_t now, uint64_t at, unsigned vc, unsigned cells)
{
	unsigned before;

	if (c->charges == EVENT_PENDING) {
		event_fold(c, d, now);
	}
	before = event_most(c, vc);
	c->charge[c->charges++] = (event_credit_t){(uint32_t)at, (uint8_t)vc, (uint8_t)cells};
	c->over = (uint16_t)(c->over - over(before, d) + over(before + cells, d));
	if (!event_is_ample(c, d)) {
		event_fold(c, d, now);
	}
}

void event_give_back(event_credits_t *c, division_t d, uint64_t now, uint64_t at, unsigned vc, unsigned cells)
{
	if (c->returns == EVENT_PENDING || !event_is_ample(c, d)) {
		event_fold(c, d, now);
	}
	c->back[c->returns++] = (event_credit_t){(uint32_t)at, (uint8_t)vc, (uint8_t)cells};
}

void event_look_closer(event_credits_t *c, credits_t *credits, division_t d, uint64_t t)
{
	if (event_is_ample(c, d)) {
		credits_find_all_room(credits, d);
		return;
	}
	event_fold(c, d, t);
	event_settle_used(c, credits, d, t + 1 - EVENT_VISIBLE);
	credits->ample = 0;
	credits_find_room(credits, d);
}

void event_used(const event_credits_t *c, uint64_t before, uint16_t *used)
{
	memcpy(used, c->used, sizeof(c->used));
	for (unsigned i = 0; i < c->charges; i++) {
		if (event_cycle(c->charge[i].at, before) < before) {
			used[c->charge[i].vc] = (uint16_t)(used[c->charge[i].vc] + c->charge[i].cells);
		}
	}
	for (unsigned i = 0; i < c->returns; i++) {
		used[c->back[i].vc] = (uint16_t)(used[c->back[i].vc] - event_so_far(event_cycle(c->back[i].at, before),
									       c->back[i].cells, before - 1));
	}
}

int event_is_crowded(const card_t *card, const event_card_t *f, unsigned output, uint64_t t)
{
	const event_credits_t *c = &f->credits[output];
	const division_t d = division_of_output(output);
	credits_t credits;

	if (output >= LINKS || !d.shared || d.shared >= (unsigned)c->over + room_to_enter(card)) {
		return 0;
	}
	event_settle_used(c, &credits, d, t - EVENT_CROWD);
	return credits.shared_free < card->settings.inject_room;
}

void event_settle_used(const event_credits_t *f, credits_t *c, division_t d, uint64_t before)
{
	unsigned over = 0;

	event_used(f, before, c->used);
	for (unsigned v = 0; v < d.vcs; v++) {
		over += credits_over(c, d, v);
	}
	c->shared_free = (uint16_t)(d.shared - over);
}
