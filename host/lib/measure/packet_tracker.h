/* SPDX-License-Identifier: Apache-2.0
 *
 * The packets under way: found by the cells that come out of the network, and in the order of their flows (source,
 * destination, TC). A packet is recognised by the name in its tag; where the tag is narrow the flow and its order tell
 * equal tags apart.
 *
 * What is kept belongs to a packet or to its source, but for the free records and the number in flight. */
#ifndef EXTORUS_FLIGHTS_H
#define EXTORUS_FLIGHTS_H

#include <stdint.h>

#include "payload.h"
#include "scoreboard.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xt_tracked {
	xt_flight_t public;
	/* What decides at public.card where it goes; NULL: there is no such card. */
	const uint64_t *entry;
	uint32_t address;  /* of the destination */
	uint8_t overtaken; /* a later packet of the flow was delivered */
	uint8_t arriving;  /* the head has reached a PE */
	uint8_t livelocked;
	struct xt_tracked *flow_next, *flow_previous; /* in the order of sequence, with others of the source */
	/* Cells that the first switch accepted without a gap, by run: the first of them, and how many cycles after the
	 * head it was accepted. */
	uint8_t *run_first;
	uint32_t *run_after;
	uint32_t runs;
	uint32_t head[]; /* the first cell */
} xt_tracked_t;

typedef struct xt_flights xt_flights_t;

/* `image` must live as long. NULL when out of memory. */
xt_flights_t *xt_flights_create(const xt_image_t *image);
void xt_flights_free(xt_flights_t *flights);
const xt_cells_t *xt_flights_cells(const xt_flights_t *flights);

/* Writes the packet's cells, which are valid until its source's next one. Several threads may at a time for different
 * sources, whatever another one does with the flights. */
const uint32_t *xt_flights_make(const xt_flights_t *flights, const xt_packet_t *packet);
/* Registers the source's next packet; NULL when out of memory. */
xt_tracked_t *xt_flights_register(xt_flights_t *flights, const xt_packet_t *packet);
/* `count` cells of the PE's latest packet, from `index` on, were accepted, the first in `cycle`, the others in the
 * cycles after it. */
void xt_flights_sent(xt_flights_t *flights, unsigned pe, uint64_t cycle, unsigned index, unsigned count);

/* Recognises a packet by its head in two steps, so that what they read can be fetched into the cache before: where the
 * packet is noted that the tag names, NULL if it does not name one in full; and whether that packet, if any, has left
 * its NIC and this is its head, bit for bit. If not, xt_flights_find has to say. `arriving`: it reaches a PE, and has
 * not yet. */
xt_tracked_t *const *xt_flights_place(const xt_flights_t *flights, const uint32_t *cell);
static inline int xt_flights_is_head(
	const xt_flights_t *flights, const xt_tracked_t *flight, const uint32_t *cell, int arriving)
{
	return flight && flight->public.sent && !(arriving && flight->arriving) &&
	       xt_cells_same(xt_flights_cells(flights), flight->head, cell);
}
/* The packet that has left its NIC and that this head most likely is, or NULL. `arriving`: likewise; then a few wrong
 * bits are put up with. */
xt_tracked_t *xt_flights_find(const xt_flights_t *flights, const xt_head_t *head, const uint32_t *cell, int arriving);
/* It is delivered: earlier packets of its flow that are still under way have been overtaken. */
void xt_flights_overtake(const xt_flights_t *flights, const xt_tracked_t *flight);
/* It is under way no more, and its record free. */
void xt_flights_release(xt_flights_t *flights, xt_tracked_t *flight);

uint64_t xt_flights_count(const xt_flights_t *flights); /* of which a cell was accepted */
void xt_flights_each(
	const xt_flights_t *flights, void (*visit)(void *context, const xt_flight_t *flight), void *context);

#ifdef __cplusplus
}
#endif
#endif
