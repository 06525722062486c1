/* SPDX-License-Identifier: Apache-2.0
 *
 * A run by events on several threads. The cards are divided into parts, ranges of numbers. What one card does in a
 * cycle is at another card no earlier than latency + PARTS_AHEAD cycles later, so every part can be stepped for so many
 * cycles by itself: an epoch. What then is for another part's cards is in its mail, which is opened before the next
 * epoch.
 *
 * A part is an engine with its own events, free packets and count of moves. Of the network's arrays it changes only
 * what belongs to its cards. What the client would be told is written down, and told by one thread in the order of
 * cycles, cards and ports while the next epoch is under way; only packets are made at once, by the thread that needs
 * them. So what comes out does not depend on the number of parts or threads.
 *
 * An epoch lasts one cycle, and all of it is told before the next one, where the client says that it may look at a
 * cycle, or change what PEs have to send, and where something may come that is not a plain stream (see flow.h). */
#ifndef EXTORUS_MODEL_PARTS_H
#define EXTORUS_MODEL_PARTS_H

#include "model/network/network.h"

struct flow_event;

typedef struct part part_t;

/* From what a card does to what another one sees, besides the latency: a credit is given to the link a cycle after the
 * first read of a stream (FLOW_CREDIT), and passes LANE_CYCLES more. */
enum { PARTS_AHEAD = 1 + LANE_CYCLES };

/* Divides a network in a run by events among client->threads. */
int parts_open(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag);
/* The network in one piece again, with its flow_t. */
void parts_close(xt_engine_t *network);
/* Steps to the cycle before the next one at which the client looks, or after which the run goes on cell by cell. */
void parts_step(xt_engine_t *network);
/* An event of another part's card. */
void parts_send(part_t *part, uint64_t when, const struct flow_event *event);
/* A packet has left the network: its number is free when the client has been told. */
void parts_release(part_t *part, uint32_t packet);

#endif
