/* SPDX-License-Identifier: Apache-2.0
 *
 * When the counters of a card are visited. The RTL gathers events in small registers and adds them to a memory in a
 * scan; a read is a visit out of turn, exact at its moment. Here events are counted at once, so all that is left
 * of the scan is how long a read has to wait for it. */
#include "card.h"

void counter_bank_read(card_t *card, uint64_t now, int ask, unsigned port, unsigned index)
{
	counter_bank_t *b = &card->bank;
	const int start_read = b->asked && !(b->read_last && b->moved);
	const int start = !card->init && now >= b->end && (b->asked || b->moved);

	/* The last cycle of the collection. */
	if (b->reading && now + 1 + PORTS == b->end) {
		b->value = card->counter[b->read_bank][b->read_index];
	}
	if (start) {
		b->end = now + 1 + COUNTER_COLLECT + PORTS;
		b->read_last = b->reading = (uint8_t)start_read;
		if (start_read) {
			b->asked = 0;
			b->answer_at = now + 1 + COUNTER_COLLECT + b->read_bank + COUNTER_PIPELINE;
		} else {
			b->moved = 0;
		}
	}
	b->moved |= card->counted;
	if (ask) {
		b->asked = 1;
		b->read_bank = (uint8_t)port;
		b->read_index = (uint8_t)index;
	}
}
