/* SPDX-License-Identifier: Apache-2.0
 *
 * A network of cards, stepped cycle by cycle: which cards are at work, links with their latency, errors and faults,
 * and the PEs at the NICs. */
#pragma once

#include "device/backend.h"
#include "extorus/random.h"
#include "model/card/card.h"

typedef struct {
	unsigned slots;  /* a power of two */
	uint64_t filled; /* the last cycle for which something came; older slots are empty */
	/* NULL: nothing has been on its way. */
	uint32_t *came;          /* [slot * cards + card]: links that bring cells, and credits */
	fast_link_item_t *items; /* [(slot * cards + card) * LINKS + link] */
} fast_links_t;

/* What leaves one card by one port. */
typedef struct {
	uint32_t next_cell, next_credit; /* sequence numbers of the next that are no repetitions */
	unsigned to_go;                  /* cells of the packet that is leaving */
	int dead;                        /* killed: nothing passes */
} outgoing_t;

/* Of those that meet errors, or go down. */
typedef struct {
	uint64_t down_since; /* cycle of the run */
	xt_random_t random;
	uint64_t burst_end; /* first cycle after the last burst of errors */
} trouble_t;

/* A packet on its way into a NIC port. */
typedef struct {
	uint32_t packet; /* 0: none */
	unsigned count, next;
	unsigned told;    /* cells of which the client knows already that they are accepted */
	uint32_t fetched; /* packets so far */
} sending_t;

/* The name of the next packet of a PE. */
static inline uint64_t sending_name(sending_t *sending, uint32_t pe)
{
	return (uint64_t)pe << 32 | sending->fetched++;
}

/* What leaves a shard for a card that it does not step: a frame, or what a fast link carries. */
typedef struct {
	uint64_t when; /* it arrives */
	uint32_t card;
	uint8_t port, fast;
	uint8_t first; /* its cell has not gone over the link before */
	uint8_t lost;  /* it does not arrive */
	frame_t frame;
} crossing_t;

typedef struct {
	crossing_t *items;
	uint32_t count, room;
} crossings_t;

typedef struct {
	xt_fault_t what;
	uint64_t seen;
	int done;
} fault_t;

struct xt_engine {
	unsigned cards;
	unsigned first_card, end_card; /* those of a shard, as if the rest were far away; of a network all */
	uint8_t *present;              /* [card]: it is there; NULL: all are, of other ranks too */
	unsigned latency;
	int evaluate_all;
	unsigned slots;            /* cycles of the ring of arrivals */
	unsigned words, set_words; /* of a set of cards: with a bit per card, and all of them */
	card_t *card;
	xt_peer_t *peers;        /* [card * LINKS + port] */
	uint16_t *lonely;        /* [card] links without a peer */
	outgoing_t *outgoing;    /* likewise */
	trouble_t *troubles;     /* likewise; NULL: there have been none */
	sending_t *sending;      /* [card * NICS + nic] */
	uint32_t *blocked_nics;  /* [card] */
	uint8_t *keepalive;      /* [card] */
	link_t *links;           /* [card * LINKS + port] */
	arrivals_t *arrivals;    /* [slot * cards + card]: frames of links that run their protocol; NULL: none so far */
	fast_links_t fast_links; /* of those that do not; no slots: none are fast */
	int fast;
	struct rank_run *rank_run;   /* of a run on several ranks; NULL: there is none */
	struct event_run *event_run; /* a run by events; NULL: cell by cell */
	struct xt_engine *shards;    /* each steps its own cards; NULL: the network is in one piece */
	unsigned shard_count;
	struct shards *sharded;    /* what is said of them all */
	struct shard *shard;       /* of one of them; NULL: of a network */
	crossings_t crossings;     /* likewise, cell by cell */
	struct xt_engine *settled; /* what the probe has made of it; at common.now of the same value */
	/* Of the cycle that is done. */
	uint32_t *fast_links_now;    /* [card]; with fast links; NULL: nothing has been on its way */
	fast_link_item_t *items_now; /* [card * LINKS + link] */
	/* Sets of cards. */
	uint64_t *arriving; /* [slot * set_words] */
	uint64_t *busy;     /* not idle after their last evaluation */
	uint64_t *within;   /* a NIC is within a packet */

	common_t common;
	uint64_t cycle;      /* since the start of the run */
	uint64_t in_transit; /* frames on links */
	unsigned keepalives; /* cards whose links have timers that run while it is quiet */
	int stands;          /* the last run ended with packets that will never move again */
	uint64_t moves, evaluated, errors;
	uint64_t moves_noted, last_move; /* of the run, and the cycle before which they last changed */
	int stray;                       /* shards have come to different cycles: the client has not kept its word */
	uint64_t *port_cells;
	fault_t *faults;
	unsigned fault_count;
};

int network_open(const xt_network_t *description, xt_engine_t **out, xt_diag_t *diag);
void network_close(xt_engine_t *network);
int network_read(
	xt_engine_t *network, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag);
int network_write(
	xt_engine_t *network, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag);
int network_set_tables(xt_engine_t *network, unsigned card, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *diag);
/* The card has a state here. */
static inline int network_has(const xt_engine_t *network, uint32_t card)
{
	return !network->present || network->present[card];
}
/* The network, or the shard, steps this card. */
static inline int network_steps(const xt_engine_t *network, uint32_t card)
{
	return card - network->first_card < network->end_card - network->first_card;
}
/* The frames that reach a card in a cycle; NULL: out of memory. */
arrivals_t *network_arrivals(xt_engine_t *network, uint64_t cycle, unsigned card);
int network_add_fault(xt_engine_t *network, const xt_fault_t *fault, xt_diag_t *diag);
unsigned network_faults_waiting(const xt_engine_t *network);
