/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a run on several ranks, and which rank has which card. */
#pragma once

#include "base/byte_buffer.h"
#include "shard_mail.h"

enum { RANK_TAG_COMMAND = 11, RANK_TAG_ANSWER = 12 };

typedef enum {
	RANK_GO,     /* on to the next cycle at which rank 0's client looks */
	RANK_SETTLE, /* tell what has come so far, and the cells that have left the ports */
	RANK_SAVE,   /* make a part of a checkpoint */
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
	xt_bytes_t *out;       /* [count] */
	void **posted;         /* likewise: of messages that MPI may still read */
	xt_bytes_t *in;        /* [SHEETS * count] */
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
	int alike;  /* as the client says */
	int serves; /* the run is over, and rank 0 reads registers */
} rank_run_t;

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
