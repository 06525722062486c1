/* SPDX-License-Identifier: Apache-2.0
 *
 * A run by events on several ranks: each has all cards, and steps those of its own range in shards. After an epoch each
 * rank sends its neighbours what arrives at their cards, and rank 0 what the client is to be told. Rank 0 says up to
 * which cycle all go on, and what its client decides then. */
#pragma once

#include "rank_bytes.h"
#include "shard_mail.h"

enum { RANK_TAG_COMMAND = 11, RANK_TAG_ANSWER = 12 };

typedef enum {
	RANK_GO,     /* on to the next cycle at which rank 0's client looks */
	RANK_SETTLE, /* tell what has come so far, and the cells that have left the ports */
	RANK_STOP,   /* likewise; then the run is over */
	RANK_READ,   /* registers, once the run is over: `count` of rank_read_t, of each of the rank's cards */
	RANK_WRITE,
	RANK_END,
} rank_command_kind_t;

typedef struct {
	uint32_t kind, decision;
	uint64_t until;
	int32_t stands; /* of RANK_STOP: nothing will move again */
	uint32_t card, address, count;
} rank_command_t;

/* So many registers from an address on. */
typedef struct {
	uint32_t address, count;
} rank_read_t;

/* What rank 0 has read of card 0 since the run is over it will ask of all cards, so it asks for that once. */
typedef struct {
	rank_read_t *reads; /* of card 0, in their order */
	size_t *at;         /* [read_room]: words of a card before them */
	uint32_t read_count, read_room, known;
	size_t words;
	uint32_t **values; /* [card] */
	uint32_t *next;    /* [card]: the first of the reads that it may be asked for next */
} rank_registers_t;

/* A packet that has left for another rank: its number is kept, since the link may send it again. */
typedef struct {
	uint64_t until;
	uint32_t packet;
} departed_t;

/* By the number that a packet has on another rank: that of the copy here. */
typedef struct {
	uint32_t *numbers, room;
} rank_copies_t;

/* Of a run cell by cell. */
typedef struct {
	uint32_t *by, by_room; /* by number of a packet: 1 + the link by which it leaves for another rank */
	departed_t *departed;
	uint32_t departed_count, departed_room;
	rank_copies_t *copies; /* [count] */
} rank_crossings_t;

typedef struct rank_run {
	xt_ranks_t *ranks;
	unsigned own, count;
	uint32_t *first_card;  /* [count + 1] */
	uint32_t *first_shard; /* likewise */
	uint8_t *neighbour;    /* [count]: exchanges messages with this rank */
	rank_bytes_t *out;     /* [2 * count] */
	void **posted;         /* likewise: of messages that MPI may still read */
	rank_bytes_t *in;      /* [SHEETS * count] */
	uint32_t sum;          /* of the partition and the build */
	uint64_t until;        /* as rank 0 says */
	double timeout;        /* seconds; 0: none */
	xt_rank_times_t times; /* of this rank */
	xt_rank_times_t *all;  /* of rank 0: [count] */
	uint64_t *evaluated;   /* likewise: card-cycles */
	uint64_t *errors;      /* likewise: frames that met one */
	int status;            /* of the exchange; *diag says why */
	xt_diag_t diag;
	rank_registers_t registers;
	rank_crossings_t crossings;
	int serves; /* the run is over, and rank 0 reads registers */
} rank_run_t;

/* Of the engine, until its next run. XT_OK and nothing without client->ranks. */
int rank_run_open(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag);
void rank_run_close(xt_engine_t *network);
static inline int rank_run_has(const rank_run_t *run, uint32_t card)
{
	return card >= run->first_card[run->own] && card < run->first_card[run->own + 1];
}
static inline uint32_t rank_crossings_by(const rank_run_t *run, uint32_t packet)
{
	return packet < run->crossings.by_room ? run->crossings.by[packet] : 0;
}
static inline unsigned rank_run_owner(const rank_run_t *run, uint32_t card)
{
	unsigned rank = 0;

	while (card >= run->first_card[rank + 1]) {
		rank++;
	}
	return rank;
}

/* After an epoch of all own shards; `until`: of rank 0, for the next ones. Returns whether all is well. */
int rank_exchange(shards_t *shards, uint64_t until);
/* Rank 0: to all others. */
int rank_command(rank_run_t *run, const rank_command_t *command);
int rank_command_take(rank_run_t *run, rank_command_t *command, xt_diag_t *diag);
/* Rank 0, after RANK_SETTLE and RANK_STOP: the client is told, port_cells and the network's count of evaluated cards
 * are those of all. The others' side is rank_settle_answer. */
int rank_settle_ask(xt_engine_t *network, const rank_command_t *command, uint64_t *port_cells);
int rank_settle_answer(xt_engine_t *network, uint64_t *port_cells, xt_diag_t *diag);
/* Registers of any card, by rank 0 once the run is over. */
int rank_read(xt_engine_t *network, uint32_t card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag);
int rank_write(
	xt_engine_t *network, uint32_t card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag);
/* A message of any size. */
int rank_take(rank_run_t *run, unsigned from, unsigned tag, double timeout, rank_bytes_t *bytes, xt_diag_t *diag);
void rank_registers_close(rank_run_t *run);
/* Another rank, once the run is over: until rank 0 needs no more registers. */
int rank_serve(xt_engine_t *network, xt_diag_t *diag);
