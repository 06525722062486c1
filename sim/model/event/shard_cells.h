/* SPDX-License-Identifier: Apache-2.0
 *
 * A shard of a run cell by cell. The shard has its own sets of cards. What leaves for another shard's card, frames and
 * what fast links carry, is in its mail. */
#pragma once

#include "shard_mail.h"

/* Whether shards can do the run that begins. */
int shard_cells_serve(const xt_engine_t *network, const xt_client_t *client);
/* 0: out of memory. */
int shard_cells_open(xt_engine_t *shard, xt_engine_t *network);
/* The state of its cards goes back to the network. */
void shard_cells_close(xt_engine_t *shard, xt_engine_t *network);
/* One cycle. */
void shard_cells_step(shard_t *shard);
/* Whether a card has something to do. */
unsigned shard_cells_busy(const xt_engine_t *shard);
/* What has crossed in the epoch before. */
void shard_cells_arrive(shard_t *shard, list_t *crossings);
