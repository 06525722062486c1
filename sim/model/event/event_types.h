/* SPDX-License-Identifier: Apache-2.0
 *
 * A run by events, with fast links and PEs that always take what comes. A packet that has begun to leave an input then
 * passes one cell per cycle, on every way, until its end. The first cell tells when each of the others is where.
 * So a stream is computed once, when it begins or is known to; what it has done so far is worked out when somebody
 * asks. An input sleeps if all it does is to stream, or if its heads wait for an output that is taken while there is
 * room behind it. An input sleeps too while its only head takes its first steps alone. A card is not stepped while all
 * its inputs sleep or rest.
 *
 * In what follows `t` is the cycle of a step, as common.now counts; "after t" is the state that this step leaves. A
 * stream whose first cell is read in cycle S, of len + 1 cells, starts to cross in S + 1 .., is taken by its link in
 * S + EVENT_TAKEN .. and seen to leave in S + EVENT_LEAVE .., or delivered by its NIC in S + EVENT_DELIVER ..; its
 * credits are given to the link in S + 1 .. */
#pragma once

#include "model/network/network.h"

enum {
	EVENT_SLOTS = 256, /* no event is further ahead */
	EVENT_PENDING = 6, /* charges, and returns of credits, that can be under way at an output */
	EVENT_AHEAD = 4,   /* sets of cards that are stepped in the present cycle, and in the next ones */
	EVENT_LOOKUP = 2,  /* cycles from a head's arrival to its match, if nothing keeps it */
	/* From the first read of a stream. */
	EVENT_CROSS = 1,
	EVENT_OUT = EVENT_CROSS + CROSSBAR_REGISTER,
	EVENT_TAKEN = EVENT_OUT + 1,
	EVENT_LEAVE = EVENT_TAKEN + SEEN_CYCLES,
	EVENT_DELIVER = EVENT_OUT + 3,
	EVENT_CREDIT = 1,
	EVENT_OVER = EVENT_OUT + 10, /* and behind its last read at the latest: nothing in the card names the packet */
	EVENT_VISIBLE = 3,           /* cycles until a charge or a credit is seen by requests */
	EVENT_CROWD = 2,             /* and by matches of packets of NICs */
	/* And by adaptive routing, and by a request that is made good in the next cycle. */
	EVENT_SETTLED = EVENT_VISIBLE + 1,
};

/* A charge of `cells` in cycle `at`, or credits of one cell each in the cycles from `at` on. Of a cycle that is not
 * long ago, or not far ahead, the low bits: nothing is pending in a card that is idle. */
typedef struct {
	uint32_t at;
	uint8_t vc, cells;
} event_credit_t;

typedef struct {
	uint16_t used[VCS]; /* without what is pending */
	uint16_t over;      /* shared cells needed at most: with all charges, without the credits that are pending */
	uint8_t charges, returns;
	event_credit_t charge[EVENT_PENDING], back[EVENT_PENDING];
} event_credits_t;

static inline uint64_t event_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}
static inline uint64_t event_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}
/* How many of the cycles at, at + 1 .. at + cells - 1 are not after t. */
static inline unsigned event_so_far(uint64_t at, unsigned cells, uint64_t t)
{
	return t < at ? 0 : t - at + 1 < cells ? (unsigned)(t - at + 1) : cells;
}
/* Whether t is one of them. */
static inline int event_within(uint64_t at, unsigned cells, uint64_t t)
{
	return at <= t && t - at < cells;
}
/* The cycle of which somebody has the low bits; `now` is near. */
static inline uint64_t event_cycle(uint32_t at, uint64_t now)
{
	return now + (uint64_t)(int64_t)(int32_t)(at - (uint32_t)now);
}
/* Cells that can be in use at most. */
static inline unsigned event_most(const event_credits_t *c, unsigned vc)
{
	unsigned most = c->used[vc];

	for (unsigned i = 0; i < c->charges; i++) {
		most += c->charge[i].vc == vc ? c->charge[i].cells : 0u;
	}
	return most;
}

/* Cells, or credits, that go one way one after the other: the first is taken by its link, or delivered, in cycle
 * `at`. Kept as long as the state of the link layer depends on it. */
typedef struct {
	uint64_t at;
	uint32_t packet, next;
	uint8_t vc, len;
	uint8_t told; /* cells of which the PE's client knows */
} event_span_t;

typedef struct {
	uint32_t first, last;
} event_spans_t;

/* What an input sends. */
typedef struct {
	uint32_t packet;
	uint8_t output, vc, len, credit_vc;
} event_stream_t;

typedef struct {
	uint64_t start, end; /* first and last cycle in which it sends; end: it takes again */
	uint32_t packet;
	uint8_t len, vc;
} event_nic_t;

typedef struct {
	/* Cycles for which the patience of adaptive routing has been counted; the end of time if nothing asks for it.
	 */
	uint64_t ticked;
	uint64_t stepped; /* last step of an input */
	uint64_t traffic; /* last cycle with traffic, as far as that is known */
	uint64_t arrived; /* last cycle in which a link brings something */
	uint64_t pushed;  /* last cycle in which a link takes something */
	/* Cycles in which cells come or leave, without a gap; the visits to counters are done up to `scanned`. */
	uint64_t counted_from, counted_to, scanned;
	uint16_t asleep, wake, heads; /* inputs */
	uint16_t holding;             /* sleeping inputs that still hold their output, and those outputs */
	uint16_t sleep_outputs;
	/* Sleeping inputs: with heads that wait; of these the ones that count stalls; those that were at rest and took
	 * a head; of these the ones that are stepped in the next cycle; those whose head is served in the cycle after
	 * `since`.
	 */
	uint16_t waiting, stalling, early, prompt, starting;
	uint8_t busy; /* not idle */
	uint8_t nics_awake;
	uint32_t since[PORTS];  /* of a sleeping input: its last step, the low bits of the cycle */
	uint8_t lasts[PORTS];   /* of one that streams: cycles from then until it will rest if nothing comes; 0: it does
				   not */
	uint16_t stalls[PORTS]; /* that a waiting one has in every cycle, as in card_t */
	event_credits_t credits[PORTS], inject[NICS];
	event_spans_t cells[PORTS], returned[LINKS];
	event_nic_t nic[NICS];
} event_card_t;

typedef enum {
	EVENT_HEAD,      /* a head reaches an input */
	EVENT_RETURN,    /* credits begin to come back to an output */
	EVENT_RELEASE,   /* a sleeping input has let go of its output */
	EVENT_FINISH,    /* its stream is over */
	EVENT_LATE,      /* a head may have waited for too long */
	EVENT_HOP,       /* a head is seen to leave by a link */
	EVENT_DELIVERED, /* a packet's last cell is taken by its PE */
	EVENT_ACCEPTED,  /* the NIC takes the last cell of a packet */
	EVENT_INJECTED,  /* and can take the next head */
	EVENT_IDLE,      /* a card may be idle */
	EVENT_GONE,      /* a packet has left for another rank */
} event_kind_t;

typedef struct event {
	uint8_t kind, port, vc, cells;
	uint32_t card, packet;
} event_t;

typedef struct {
	event_t *events;
	uint32_t count, room;
} event_list_t;

/* The order of the events of a cycle must not depend on when they were made: those that come over links may have been
 * made by another shard of the network. What arrives at one card in one cycle is for different ports, in any order.
 * Deliveries are told in order, and whether a card is idle is asked at the end of a cycle. */
enum { EVENT_PLAIN, EVENT_ARRIVALS, EVENT_DELIVERIES, EVENT_IDLES, EVENT_LISTS };
typedef struct {
	event_list_t list[EVENT_LISTS];
} event_slot_t;

typedef struct event_run {
	event_card_t *card;
	event_slot_t slot[EVENT_SLOTS];
	event_t lost;               /* takes the place of one for which there was no memory */
	int32_t moves[EVENT_SLOTS]; /* streams that begin to count as moves in a cycle, less those that have ended */
	int32_t moving;
	uint64_t *awake; /* [cycle % EVENT_AHEAD * words]: sets of cards */
	unsigned busy;   /* cards that are not idle */
	event_span_t *spans;
	uint32_t span_count, span_room, free_span;
	const xt_client_t *client;
	uint32_t made[PACKET_CELLS * CELL_WORDS]; /* of the last packet that was made again */
	uint64_t *port_cells;                     /* as they are in a moment, when somebody asks */
	uint64_t first;                           /* cycle of common.now in which the run began */
	int adaptive;                             /* some route has adaptive candidates */
	int leave;                                /* something has come that needs a look at every cell */
	int failed;                               /* out of memory */
} event_run_t;

/* The shards of a network: itself, if it is in one piece. */
static inline unsigned event_shard_count(const xt_engine_t *network)
{
	return network->shards ? network->shard_count : 1;
}
static inline xt_engine_t *event_shard(xt_engine_t *network, unsigned number)
{
	return network->shards ? &network->shards[number] : network;
}
