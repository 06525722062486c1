/* SPDX-License-Identifier: Apache-2.0
 *
 * When the counters of a card are visited. The RTL gathers events in small registers and adds them to a memory in a
 * scan; a read is a visit out of turn, exact at its moment. Here events are counted at once, so all that is left
 * of the scan is how long a read has to wait for it. */
#include "card.h"

enum {
	/* As xt_port_counters computes it for the gathering registers. */
	VISIT4 = 10 + PORTS,
	SHORT_BITS = COUNTERS * (2 * VISIT4 + 2) <= 15 * 31 - 1 ? 4 : 5,
	COLLECT = 2 * SHORT_BITS + 1,
};

int counter_bank_busy(const counter_bank_t *b)
{
	return b->moved | b->asked | b->shift | b->add | (b->pipe != 0);
}

/* `ask`: a read begins. Before the events of this cycle are counted. */
void counter_bank_step(card_t *card, int ask, unsigned port, unsigned index)
{
	counter_bank_t *b = &card->bank;
	int start_read = b->asked && !(b->read_last && b->moved);
	int start = !card->init && !b->shift && !b->add && (b->asked || b->moved);
	int adds = b->add, answers = b->add && b->reading && b->bank == b->read_bank;

	b->pipe = (uint8_t)(b->pipe << 1 | adds) & 0xf;
	b->answers = (uint8_t)(b->answers << 1 | answers) & 0xf;
	if (b->add && b->bank == PORTS - 1) {
		b->add = 0;
	}
	b->bank = (uint8_t)(adds ? b->bank + 1 : 0);
	if (b->shift && b->step == COLLECT - 1) {
		b->shift = 0;
		b->step = 0;
		b->add = 1;
		b->bank = 0;
		if (b->reading) {
			b->value = card->counter[b->read_bank][b->read_index];
		}
	} else if (b->shift) {
		b->step++;
	}
	if (start) {
		b->read_last = b->reading = (uint8_t)start_read;
		b->shift = 1;
		b->step = 0;
		if (!start_read) {
			b->scan_index = (uint8_t)(b->scan_index == COUNTERS - 1 ? 0 : b->scan_index + 1);
		}
	}
	b->moved = card->counted || (b->moved && !(start && !start_read));
	b->asked = (uint8_t)(ask || (b->asked && !(start && start_read)));
	if (ask) {
		b->read_bank = (uint8_t)port;
		b->read_index = (uint8_t)index;
	}
}
