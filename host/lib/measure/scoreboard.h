/* SPDX-License-Identifier: Apache-2.0
 *
 * Proves for every packet that it is delivered once, to the right PE, unaltered, and in order within its flow
 * (source, destination, TC). The scoreboard makes the cells when a packet is sent, and compares every bit when the
 * packet comes out. In a TC that the image routes adaptively, packets of a flow may overtake each other.
 *
 * A killed link may cut or drop packets. Cut packets must be marked as poisoned, and dropped ones must have had the
 * link in their way. The scoreboard counts both and reports no violation.
 *
 * Every call names its cycle. Results depend on the order of the calls about one packet, and of the deliveries of
 * one flow. Where the tag is too narrow for a packet's name, they depend on the order of the deliveries of one
 * source. Calls about other packets in between change only the order in which violations are told. */
#pragma once

#include <stdint.h>

#include "extorus/image.h"
#include "packet_state.h"
#include "traffic/packet_generator.h"
#include "violations.h"

typedef struct xt_scoreboard xt_scoreboard_t;

/* Called for the cells that are delivered as part of a known packet, right or wrong, but for the last one of a
 * poisoned packet: `count` of them at a time, which the first switch accepted in the cycles from `sent` on and which
 * came out in those from `delivered` on, one per cycle. `last`: they complete the packet. */
typedef void (*xt_delivery_t)(void *context, const xt_packet_t *packet, uint64_t head_sent, uint64_t sent,
	uint64_t delivered, unsigned count, int last);

/* `image` and `peers` must live as long as the scoreboard. `peers`: where link port p of card c leads, in
 * [c * link_ports + p]; `findings` takes what is found. */
int xt_scoreboard_create(const xt_image_t *image, const xt_peer_t *peers, xt_violations_t *violations,
	xt_delivery_t delivery, void *context, xt_scoreboard_t **out, xt_diag_t *diag);
void xt_scoreboard_free(xt_scoreboard_t *scoreboard);

/* Registers the packet and returns its cells, valid until the PE's next one; NULL when out of memory. */
const uint32_t *xt_scoreboard_send(xt_scoreboard_t *scoreboard, const xt_packet_t *packet);
/* The two halves of that: the cells, which several threads may make at a time for different PEs, whatever another one
 * does with the scoreboard; and XT_ERR_NOMEM. */
const uint32_t *xt_scoreboard_make(const xt_scoreboard_t *scoreboard, const xt_packet_t *packet);
/* The head alone, if xt_scoreboard_remake makes the others. */
const uint32_t *xt_scoreboard_make_head(const xt_scoreboard_t *scoreboard, const xt_packet_t *packet);
/* Makes the packet's cells from its head, which is in `words`; 0: the head does not tell. */
int xt_scoreboard_remake(const xt_scoreboard_t *scoreboard, uint32_t *words, unsigned cells);
int xt_scoreboard_register(xt_scoreboard_t *scoreboard, const xt_packet_t *packet);
/* `count` cells of the PE's latest packet, from `index` on, were accepted, the first in `cycle`, the others in the
 * cycles after it. XT_ERR_NOMEM or XT_OK. */
int xt_scoreboard_sent(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, unsigned index, unsigned count);
/* `count` cells of one packet came out, likewise. `last`: these end it; `poisoned`: it is incomplete. */
void xt_scoreboard_received(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cells,
	unsigned count, int last, int poisoned);
/* Likewise of a packet whose cells follow from its head. */
void xt_scoreboard_received_made(
	xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *head, unsigned count, int last);
/* The head `cell` leaves `card` by its link port `port` on VC `vc` of all. The image must say so too: the
 * deterministic route, or, as long as the packet has not left by a deterministic VC of a link, an adaptive VC of a
 * port in the entry's mask. */
void xt_scoreboard_hop(
	xt_scoreboard_t *scoreboard, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell);
/* Hops are checked several at a time: at the latest when something comes out, here, and in xt_scoreboard_close. To be
 * called before the packets' places or the findings are looked at. */
void xt_scoreboard_settle(xt_scoreboard_t *scoreboard);

/* The most hops that a packet has made so far. */
uint32_t xt_scoreboard_most_hops(const xt_scoreboard_t *scoreboard);

/* Packets of which a cell was accepted and that are not complete at their destination. */
uint64_t xt_scoreboard_in_flight(const xt_scoreboard_t *scoreboard);
void xt_scoreboard_each(
	const xt_scoreboard_t *scoreboard, void (*visit)(void *context, const xt_packet_state_t *state), void *context);

/* Links that were killed in this run, if `killed(context, card, port)` says so for a link port. None is by
 * default. */
void xt_scoreboard_set_killed(
	xt_scoreboard_t *scoreboard, int (*killed)(void *context, unsigned card, unsigned port), void *context);

/* xt_scoreboard_hop will not be called: nobody knows where packets are. */
void xt_scoreboard_do_not_follow(xt_scoreboard_t *scoreboard);
int xt_scoreboard_follows(const xt_scoreboard_t *scoreboard);

uint64_t xt_scoreboard_poisoned(const xt_scoreboard_t *scoreboard); /* packets delivered so */
uint64_t xt_scoreboard_dropped(const xt_scoreboard_t *scoreboard);  /* known after xt_scoreboard_close */

/* The network is empty, or given up: what is still in flight is lost, and says so, unless
 * a killed link was in its way. */
void xt_scoreboard_close(xt_scoreboard_t *scoreboard);

/* The state goes behind `out`; 0: out of memory. The other function takes the state again; 0: what is read is no such
 * state. */
int xt_scoreboard_save(xt_scoreboard_t *scoreboard, xt_bytes_t *out);
int xt_scoreboard_load(xt_scoreboard_t *scoreboard, xt_bytes_reader_t *in);
