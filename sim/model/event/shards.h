/* SPDX-License-Identifier: Apache-2.0
 *
 * A run on several threads, by events or cell by cell. The cards are divided into shards, ranges of numbers. What one
 * card does in a cycle reaches another card no earlier than latency + SHARDS_AHEAD cycles later; cell by cell, latency
 * + SHARDS_AHEAD_CELLS. So every shard can be stepped for so many cycles by itself: an epoch. What then is for another
 * shard's cards is in its mail, which is opened before the next epoch.
 *
 * A shard is an engine with its own events or sets of cards, free packets and count of moves. Of the network's arrays
 * it changes only what belongs to its cards. A shard writes down what the client would be told. One thread tells it, in
 * the order of cycles, cards and ports, while the next epoch is under way. Only packets are made at once, by the thread
 * that needs them. So the results do not depend on the number of shards or threads.
 *
 * An epoch lasts one cycle where the client says that it may look at a cycle, or change what PEs have to send. The same
 * holds where something may come by events that is not a plain stream. All of such an epoch is told before the next.
 */
#pragma once

#include "model/network/network.h"

/* From what a card does to what another one sees, besides the latency: a credit is given to the link a cycle after the
 * first read of a stream (EVENT_CREDIT), and passes FAST_LINK_CYCLES more. */
enum {
	SHARDS_AHEAD = 1 + FAST_LINK_CYCLES,
	SHARDS_AHEAD_CELLS = 1, /* of frames */
};

/* Divides a network in a run by events among client->threads. */
int shards_open(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag);
/* The network in one piece again, with its event_run_t. */
void shards_close(xt_engine_t *network);
/* Steps to the cycle before the next one at which the client looks, or after which the run goes on cell by cell. */
void shards_step(xt_engine_t *network);
/* Likewise on a rank that is not the first one, to cycle `until` or a later one that rank 0 says meanwhile. */
void shards_follow(xt_engine_t *network, uint64_t until);
