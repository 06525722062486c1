/* SPDX-License-Identifier: Apache-2.0 */
#include "counter_access.h"

void counter_bank_read(card_t *card, uint64_t now, int ask, unsigned port, unsigned index)
{
	counter_bank_t *b = &card->bank;
	const int start_read = b->asked && !(b->read_last && b->moved);
	const int start = !card->init && now >= b->end && (b->asked || b->moved);

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
