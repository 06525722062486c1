/* SPDX-License-Identifier: Apache-2.0
 *
 * The packets under way: found by the cells that come out of the network, and in the order of their flows (source,
 * destination, TC). A packet is recognised by the name in its tag; where the tag is narrow the flow and its order tell
 * equal tags apart.
 *
 * What is kept belongs to a packet or to its source, but for the free records and the number in flight. */
#pragma once

#include <stdint.h>

#include "base/byte_buffer.h"
#include "packet_state.h"
#include "payload.h"

/* The first of a row of cells that the first switch accepted one per cycle, and how many cycles after the head. A
 * packet has at most 255 cells. */
typedef struct {
	uint32_t after;
	uint8_t index;
} xt_accepted_t;

typedef struct xt_tracked {
	xt_packet_state_t public;
	/* What decides at public.card where it goes; NULL: there is no such card. */
	const uint64_t *entry;
	struct xt_tracked *flow_next, *flow_previous; /* in the order of sequence, with others of the source */
	/* The rows that begin after a gap. The row that begins with the head is not among them. */
	xt_accepted_t *gap;
	uint32_t address; /* of the destination */
	uint8_t gaps;
	uint8_t overtaken; /* a later packet of the flow was delivered */
	uint8_t arriving;  /* the head has reached a PE */
	uint8_t livelocked;
	uint32_t head[]; /* the first cell */
} xt_tracked_t;

typedef struct xt_tracker xt_tracker_t;

/* `image` must live as long. NULL when out of memory. */
xt_tracker_t *xt_tracker_create(const xt_image_t *image);
void xt_tracker_free(xt_tracker_t *tracker);
const xt_payload_t *xt_tracker_payload(const xt_tracker_t *tracker);

/* Writes the packet's cells, which are valid until its source's next one. Several threads may at a time for different
 * sources, whatever another one does with the tracker. */
const uint32_t *xt_tracker_make(const xt_tracker_t *tracker, const xt_packet_t *packet);
/* Likewise the head alone, if xt_payload_remake makes the others. */
const uint32_t *xt_tracker_make_head(const xt_tracker_t *tracker, const xt_packet_t *packet);
/* Registers the source's next packet; NULL when out of memory. */
xt_tracked_t *xt_tracker_register(xt_tracker_t *tracker, const xt_packet_t *packet);
/* `count` cells of the PE's latest packet, from `index` on, were accepted, the first in `cycle`, the others in the
 * cycles after it. XT_ERR_NOMEM or XT_OK. */
int xt_tracker_sent(xt_tracker_t *tracker, unsigned pe, uint64_t cycle, unsigned index, unsigned count);

/* Recognises a packet by its head in two steps, so that what they read can be fetched into the cache before: where the
 * packet is noted that the tag names, NULL if it does not name one in full; and whether that packet, if any, has left
 * its NIC and this is its head, bit for bit. If not, xt_tracker_find has to say. `arriving`: it reaches a PE, and has
 * not yet. */
xt_tracked_t *const *xt_tracker_place(const xt_tracker_t *tracker, const uint32_t *cell);
static inline int xt_tracker_is_head(
	const xt_tracker_t *tracker, const xt_tracked_t *tracked, const uint32_t *cell, int arriving)
{
	return tracked && tracked->public.sent && !(arriving && tracked->arriving) &&
	       xt_payload_same(xt_tracker_payload(tracker), tracked->head, cell);
}
/* The packet that has left its NIC and that this head most likely is, or NULL. `arriving`: likewise; then a few wrong
 * bits are put up with. */
xt_tracked_t *xt_tracker_find(const xt_tracker_t *tracker, const xt_head_t *head, const uint32_t *cell, int arriving);
/* It is delivered: earlier packets of its flow that are still under way have been overtaken. */
void xt_tracker_overtake(const xt_tracker_t *tracker, const xt_tracked_t *tracked);
/* It is under way no more, and its record free. */
void xt_tracker_release(xt_tracker_t *tracker, xt_tracked_t *tracked);

uint64_t xt_tracker_count(const xt_tracker_t *tracker); /* of which a cell was accepted */
void xt_tracker_each(
	const xt_tracker_t *tracker, void (*visit)(void *context, const xt_packet_state_t *state), void *context);

/* As of a sample. `loaded` is told of each packet. */
int xt_tracker_save(const xt_tracker_t *tracker, xt_bytes_t *out);
int xt_tracker_load(xt_tracker_t *tracker, xt_bytes_reader_t *in,
	void (*loaded)(const void *context, xt_tracked_t *tracked), const void *context);
/* NULL: it is not under way. */
xt_tracked_t *xt_tracker_packet(const xt_tracker_t *tracker, uint32_t source, uint32_t sequence);
