/* SPDX-License-Identifier: Apache-2.0
 *
 * When the counters of a card are visited in a run by events, and when the card is idle. */
#include "event.h"
#include "model/card/counter_access.h"

static void count(card_t *card, event_card_t *f, uint64_t from, uint64_t to)
{
	if (from > f->counted_to + 1) {
		event_scan(&card->bank, f, f->scanned, from - 1);
		f->scanned = event_later(f->scanned, from - 1);
		f->counted_from = from;
		f->counted_to = to;
		return;
	}
	f->counted_from = from < f->counted_from ? from : f->counted_from;
	f->counted_to = to > f->counted_to ? to : f->counted_to;
}

void event_count_stalls(card_t *card, event_card_t *f, uint64_t t)
{
	uint64_t from = t + 1;

	for (unsigned rest = f->stalling; rest; rest &= rest - 1) {
		const uint64_t first = event_cycle(f->since[lowest(rest)], t) + 1;

		from = first < from ? first : from;
	}
	if (from <= t) {
		count(card, f, from, t);
	}
}

void event_count_more(card_t *card, event_card_t *f, uint64_t now, uint64_t from, uint64_t to)
{
	if (f->stalling) {
		event_count_stalls(card, f, now - 1);
	}
	count(card, f, from, to);
}

void event_scan(counter_bank_t *b, const event_card_t *f, uint64_t from, uint64_t t)
{
	uint64_t cycle = from + 1;

	while (cycle <= t) {
		if (!b->moved) {
			cycle = event_later(cycle, f->counted_from + 1);
			if (cycle > f->counted_to + 1 || cycle > t) {
				return;
			}
			b->moved = 1;
			cycle++;
			continue;
		}
		cycle = event_later(cycle, b->end);
		if (cycle > t) {
			return;
		}
		b->end = cycle + 1 + COUNTER_COLLECT + PORTS;
		b->read_last = b->reading = 0;
		b->moved = cycle - 1 >= f->counted_from && cycle - 1 <= f->counted_to;
		cycle++;
	}
}

uint64_t event_last_other(const card_t *card, const event_card_t *f, uint64_t t)
{
	counter_bank_t bank = card->bank;
	uint64_t last = event_later(event_earlier(t, f->counted_to + 1), event_earlier(t, f->arrived + 2));

	if (t > f->scanned) {
		event_scan(&bank, f, f->scanned, t - 1);
	}
	if (bank.moved) {
		return t;
	}
	return bank.end ? event_later(last, event_earlier(t, bank.end + COUNTER_PIPELINE - 1)) : last;
}

uint64_t event_idle_at(const card_t *card, const event_card_t *f, uint64_t now)
{
	/* After two more visits to the counters there is nothing left to visit. */
	const uint64_t end =
		event_later(event_later(f->counted_to, card->bank.end), now) + 4 * (COUNTER_COLLECT + PORTS + 2);

	return event_later(f->traffic, event_last_other(card, f, end)) + QUIET_CYCLES;
}
