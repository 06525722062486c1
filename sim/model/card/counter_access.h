/* SPDX-License-Identifier: Apache-2.0
 *
 * When the counters of a card are visited. The RTL gathers events in small registers and adds them to a memory in a
 * scan. A read is a visit out of turn, exact at its moment. The model counts events at once, so only the time that a
 * read waits for the scan is left to model. */
#pragma once

#include "card_state.h"

enum {
	/* As xt_port_counters computes it for the gathering registers. */
	COUNTER_VISIT4 = 10 + PORTS,
	COUNTER_SHORT_BITS = (int)COUNTERS * (2 * (int)COUNTER_VISIT4 + 2) <= 15 * 31 - 1 ? 4 : 5,
	COUNTER_COLLECT = 2 * COUNTER_SHORT_BITS + 1,
	COUNTER_PIPELINE = 4,
};
/* In the last cycle of a collection: what it brings. Before the cells that leave in the cycle are counted, as the RTL
 * counts them a cycle later. */
static inline void counter_bank_collect(card_t *card, uint64_t now)
{
	counter_bank_t *b = &card->bank;

	if (b->reading && now + 1 + PORTS == b->end) {
		b->value = card->counter[b->read_bank][b->read_index];
	}
}

/* One cycle with a read under way, or that begins one. */
void counter_bank_read(card_t *card, uint64_t now, int ask, unsigned port, unsigned index);

/* One cycle otherwise: the scan goes on if there is anything to scan. Before the events of the cycle are counted. */
static inline void counter_bank_scan(card_t *card, uint64_t now)
{
	counter_bank_t *b = &card->bank;

	if (b->moved && now >= b->end && !card->init) {
		b->end = now + 1 + COUNTER_COLLECT + PORTS;
		b->read_last = b->reading = 0;
		b->moved = 0;
	}
	b->moved |= card->counted;
}
static inline int counter_bank_busy(const counter_bank_t *b, uint64_t now)
{
	return b->moved || b->asked || (b->end && now < b->end + COUNTER_PIPELINE);
}
