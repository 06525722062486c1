/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of a checkpoint, in this order: saved_head_t; faults; packets, each a saved_packet_t and its words; places in
 * buffers, each a saved_place_t and its odd cells; cards, each a saved_card_t, its links and their buffers, and the
 * troubles of its links; what comes to the cards cell by cell; and of a run by events each card's saved_events_t and
 * spans, and the events. */
#pragma once

#include "model/event/event_types.h"

enum { SAVED_VERSION = 10, ODD_CELLS = 1 << EXTORUS_HEADER_LENGTH_BITS };

/* What must be alike in the process that reads. */
typedef struct {
	uint32_t version, profile, cards, latency, faults;
	uint32_t card, link, buffers, event_card, event, span; /* sizes of structs */
	uint32_t events, fast;                                 /* how the run goes */
} saved_kind_t;

typedef struct {
	saved_kind_t kind;
	uint32_t first_card, end_card;
	uint32_t packets, places, arrivals, fast_items, events;
	uint32_t troubles; /* there are */
	uint64_t now, cycle, first;
	uint64_t moves, evaluated, errors, moves_noted, last_move, filled;
	int32_t quiet, moving;
	int32_t moves_at[EVENT_SLOTS];
} saved_head_t;

typedef struct {
	uint64_t name;
	uint32_t number;
	uint16_t cells, left;
} saved_packet_t;

typedef struct {
	uint32_t number, is_odd;
	buffered_t place;
} saved_place_t;

typedef struct {
	card_t card;
	uint32_t blocked_nics;
	uint8_t keepalive, busy, within;
	uint16_t buffers; /* links that have any */
	outgoing_t outgoing[LINKS];
	sending_t sending[NICS];
	uint64_t port_cells[PORTS];
} saved_card_t;

typedef struct {
	uint32_t card, slot;
	arrivals_t arrivals;
} saved_arrivals_t;

typedef struct {
	uint32_t card, slot;
	uint32_t came;
	fast_link_item_t items[LINKS];
} saved_fast_t;

typedef struct {
	event_card_t card;
	uint32_t awake;                         /* bit per cycle ahead */
	uint16_t cells[PORTS], returned[LINKS]; /* spans */
} saved_events_t;

typedef struct {
	uint64_t when;
	event_t event;
} saved_event_t;

static inline saved_kind_t saved_kind(const xt_engine_t *network)
{
	return (saved_kind_t){SAVED_VERSION, EXTORUS_PROFILE_HASH, network->cards, network->latency,
		network->fault_count, sizeof(saved_card_t), sizeof(link_t), sizeof(link_buffers_t),
		sizeof(saved_events_t), sizeof(saved_event_t), sizeof(event_span_t), network->event_run != NULL,
		(uint32_t)network->fast};
}
