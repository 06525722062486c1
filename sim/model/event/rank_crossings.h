/* SPDX-License-Identifier: Apache-2.0
 *
 * What crosses between ranks in a run cell by cell: frames, and what fast links carry. A head brings the packet's
 * words, of which the other rank makes a copy; the cells that follow find the copy by the number that the packet has
 * here. */
#pragma once

#include "rank_run.h"

/* From own shards to a rank. 0: out of memory. */
int rank_crossings_pack(shards_t *shards, unsigned to, xt_bytes_t *out);
/* 0: the message is wrong, which the run's status says. */
int rank_crossings_unpack(shards_t *shards, unsigned from, xt_bytes_reader_t *reader);
/* After an epoch: the packets that have left for another rank, and that no link here may still send again. */
int rank_crossings_forget(shards_t *shards);
/* A packet has this number here, and on every rank that has a copy of it. 0: out of memory. */
int rank_crossings_know(rank_run_t *run, uint32_t packet);
void rank_crossings_close(rank_run_t *run);
