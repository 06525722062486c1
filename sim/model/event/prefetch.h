/* SPDX-License-Identifier: Apache-2.0
 *
 * Ahead of an event. The cards are more than a cache near the processor holds, and an event is about one at random:
 * what it needs is asked for some events before. Nothing depends on that but the time. A function that does no more is
 * taken for one without effect, and calls of it are dropped, unless it is inlined at once. */
#pragma once

#include "event_types.h"
#include "model/card/input_unit.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
	CACHE_LINE = 64, /* of most machines */
	/* So many events before its turn. */
	AHEAD_CARD = 8,
	AHEAD_PACKET = 4,
};

ALWAYS_INLINE void ask_for(const void *what, size_t size)
{
	const char *from = what;

	for (size_t at = 0; at < size; at += CACHE_LINE) {
		__builtin_prefetch(from + at, 1);
	}
	__builtin_prefetch(from + size - 1, 1);
}

ALWAYS_INLINE void ask_for_card(const xt_engine_t *network, const event_t *e)
{
	const card_t *card = &network->card[e->card];
	const event_card_t *f = &network->event_run->card[e->card];

	ask_for(f, offsetof(event_card_t, credits));
	switch ((event_kind_t)e->kind) {
	case EVENT_HEAD:
		ask_for(card, offsetof(card_t, input));
		ask_for(&card->input[e->port], offsetof(input_t, waited));
		ask_for(&card->counter[e->port][COUNT_RX_PACKETS], 2 * COUNTER_STEP * sizeof(card->counter[0][0]));
		__builtin_prefetch(&network->common.packets.packets[e->packet]);
		break;
	case EVENT_RETURN:
		ask_for(&f->credits[e->port], sizeof(f->credits[0]));
		break;
	case EVENT_FINISH:
		__builtin_prefetch(&card->counter[e->port][COUNT_RX_CELLS], 1);
		/* fall through */
	case EVENT_RELEASE:
		ask_for(card, offsetof(card_t, grant_above));
		ask_for(&card->input[e->port], offsetof(input_t, eligible));
		break;
	case EVENT_HOP:
	case EVENT_DELIVERED:
		__builtin_prefetch(&network->common.packets.packets[e->packet]);
		break;
	default:
		break;
	}
}

/* What ask_for_card has asked for names these. */
ALWAYS_INLINE void ask_for_packet(const xt_engine_t *network, const event_t *e)
{
	const packet_t *p = &network->common.packets.packets[e->packet];

	switch ((event_kind_t)e->kind) {
	case EVENT_HEAD:
		__builtin_prefetch(input_route_word(&network->card[e->card], e->port, vc_tc[e->vc], p->header.dest));
		__builtin_prefetch(p->words);
		break;
	case EVENT_HOP:
		__builtin_prefetch(p->words);
		break;
	case EVENT_DELIVERED:
		ask_for(p->words, (p->kept ? p->kept : 1u) * CELL_WORDS * sizeof(*p->words));
		break;
	default:
		break;
	}
}

/* What a head changes at its output, some cycles after it has come to input `i`. */
ALWAYS_INLINE void ask_for_output(const xt_engine_t *network, uint32_t c, unsigned i)
{
	const card_t *card = &network->card[c];
	const event_run_t *run = network->event_run;
	const event_card_t *f = &run->card[c];
	const unsigned o = card->input[i].e_output;

	if (o < PORTS) {
		__builtin_prefetch(&card->credits[o].ample);
		__builtin_prefetch(&card->counter[o][COUNT_TX_PACKETS], 1);
		__builtin_prefetch(&run->spans[f->cells[o].first], 1);
	}
	if (i < LINKS) {
		__builtin_prefetch(&run->spans[f->returned[i].first], 1);
	}
}
