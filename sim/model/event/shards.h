/* SPDX-License-Identifier: Apache-2.0
 *
 * A run by events on several threads. The cards are divided into shards, ranges of numbers. A card affects another
 * card no earlier than latency + SHARDS_AHEAD cycles later. So every shard can be stepped by itself for so many
 * cycles: an epoch. Effects on cards of other shards go into their mail, which is opened before the next epoch.
 *
 * A shard is an engine with its own events, free packets and count of moves. Of the network's arrays a shard
 * changes only the parts of its cards. Calls to the client are written down. One thread makes them in the order of
 * cycles, cards and ports, while the next epoch is under way. Only packets are made at once, by the thread that
 * needs them. So the result does not depend on the number of shards or threads.
 *
 * An epoch lasts one cycle in three cases, and all its calls are made before the next one. The client may look at a
 * cycle. The client may change the packets that PEs have to send. Or something else than a plain stream may come
 * (see run.h). */
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
