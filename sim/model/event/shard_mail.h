/* SPDX-License-Identifier: Apache-2.0
 *
 * What a shard writes in an epoch: calls of the client, events of other shards' cards, and packets that have left. */
#pragma once

#include "base/worker_pool.h"
#include "event_types.h"

enum {
	/* Sheets that a shard writes in turn: the others open its mail in the epoch after it was written, in which the
	 * client is told as well, and take packets back in the one after that. */
	SHEETS = 3,
};

typedef enum { TELL_FETCH, TELL_SENT, TELL_RECEIVED, TELL_HOP } telling_kind_t;

/* A call of the client. */
typedef struct {
	const uint32_t *cells;
	uint64_t cycle;
	uint32_t who;          /* PE, or card of a hop */
	uint16_t index, count; /* the first cell, and how many */
	uint8_t kind, last, poisoned, port, vc;
	uint8_t remake; /* cells of a packet whose head is in `cells`; 0: what is received is in `cells` */
} telling_t;

typedef struct {
	uint64_t when;
	event_t event;
} letter_t;

typedef struct {
	void *items;
	uint32_t count, room;
} list_t;

/* What a shard has written in an epoch. */
typedef struct {
	list_t tellings, packets; /* telling_t; xt_packet_t of those that are TELL_FETCH */
	list_t *letters;          /* by shard: letter_t */
	list_t *crossings;        /* likewise: crossing_t, of a run cell by cell */
	list_t *released;         /* by shard: numbers of packets */
	/* After each cycle of the epoch. */
	struct {
		uint32_t told;
		unsigned busy;
		uint64_t moves, in_transit; /* what arrives at another shard is counted there */
	} * cycle;
} sheet_t;

typedef struct shard {
	struct shards *shards;
	xt_engine_t *engine;
	xt_client_t client; /* writes down */
	sheet_t sheets[SHEETS], *sheet;
	uint32_t told, packet_told; /* of the sheet that the client is told */
	list_t departed;            /* numbers of packets that have left, the last of them for another rank */
	int failed;
} shard_t;

typedef struct shards {
	xt_engine_t *network;
	const xt_client_t *client;
	xt_worker_pool_t *workers;
	shard_t *shard;
	unsigned count;
	unsigned first, end;  /* those of this process; of one rank of several not all */
	uint16_t *shard_of;   /* by card */
	unsigned longest;     /* cycles of an epoch */
	unsigned epoch;       /* counts them */
	uint64_t first_cycle; /* common.now of the run's first cycle */
	uint64_t from; /* cycles of the run in the present epoch, and in the one before, if its client is to be told */
	unsigned cycles;
	uint64_t tell_from;
	unsigned tell_cycles;
	uint32_t made[PACKET_CELLS * CELL_WORDS]; /* for the client */
	uint64_t announced;                       /* the last cycle of which the client knows */
	int quiet;                                /* after the last one it was told of */
} shards_t;

static inline sheet_t *sheet_of(shard_t *shard, unsigned epoch)
{
	return &shard->sheets[epoch % SHEETS];
}

/* Room for one more; NULL: out of memory, which is noted. */
void *shard_put(shard_t *shard, list_t *list, size_t size);
/* The client of a shard, which writes down. */
xt_client_t shard_client(shard_t *shard, const xt_client_t *client);
/* A PE takes cells of a packet of which the head is kept. */
void shard_receives(
	shard_t *shard, uint32_t pe, uint64_t cycle, const packet_t *packet, unsigned first, unsigned count, int last);
/* An event of another shard's card. Whether the card is another rank's. */
int shards_send(shard_t *shard, uint64_t when, const event_t *event);
/* The client is told of a sheet of another rank's shard, apart from all epochs. */
void shards_tell_sheet(shards_t *shards, shard_t *shard, const sheet_t *sheet);
/* Of the epoch before the present one. */
void shards_tell_epoch(void *shards);
/* On the ranks that are not the first one nobody is told. */
void shards_tell_nothing(void *shards);
/* A packet has left the network: its number is free when the client has been told. */
void shards_release(shard_t *shard, uint32_t packet);
