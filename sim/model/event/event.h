/* SPDX-License-Identifier: Apache-2.0
 *
 * A run by events. With fast links and PEs that always take what comes, a packet that has begun to leave an input
 * passes one cell per cycle, on every way, until its end: from its first cell follows when each of the others is where.
 * So a stream is computed once, when it begins; what it has done so far is worked out when somebody asks. An input
 * sleeps that does nothing but stream, whose heads wait for an output that is taken while there is room behind it, or
 * whose only head takes its first steps alone; a card of which all inputs sleep or rest is not stepped.
 *
 * In what follows `t` is the cycle of a step, as common.now counts; "after t" is the state that this step leaves. A
 * stream whose first cell is read in cycle S, of len + 1 cells, crosses in S + 1 .., is taken by its link in S + 2 ..
 * and seen to leave in S + 3 .., or delivered by its NIC in S + 4 ..; its credits are given to the link in S + 1 .. */
#ifndef EXTORUS_MODEL_EVENT_H
#define EXTORUS_MODEL_EVENT_H

#include "model/network/network.h"
#include "shards.h"

enum {
	EVENT_SLOTS = 256,            /* no event is further ahead */
	EVENT_PENDING = 4 + ADAPTIVE, /* charges, and returns of credits, that can be under way at an output */
	EVENT_AHEAD = 4,              /* sets of cards that are stepped in the present cycle, and in the next ones */
	EVENT_LOOKUP = 2,             /* cycles from a head's arrival to its match, if nothing keeps it */
	/* From the first read of a stream. */
	EVENT_CROSS = 1,
	EVENT_TAKEN = 2,
	EVENT_LEAVE = 3,
	EVENT_DELIVER = 4,
	EVENT_CREDIT = 1,
	EVENT_VISIBLE = 3,                        /* cycles until a charge or a credit is seen by requests */
	EVENT_SETTLED = EVENT_VISIBLE + ADAPTIVE, /* and by adaptive routing */
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
	 * a head; of these the ones that are stepped in the next cycle; those whose head is served in the next cycle.
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
	uint32_t *order; /* those of one of them, in a row */
	unsigned busy;   /* cards that are not idle */
	event_span_t *spans;
	uint32_t span_count, span_room, free_span;
	const xt_client_t *client;
	uint64_t *port_cells;  /* as they are in a moment, when somebody asks */
	uint64_t first;        /* cycle of common.now in which the run began */
	struct shards *shards; /* of a network in shards; NULL: it is in one piece */
	struct shard *shard;   /* of one of them */
	int adaptive;          /* some route has adaptive candidates */
	int leave;             /* something has come that needs a look at every cell */
	int failed;            /* out of memory */
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

/* Whether the run that begins, with fast links, can be done so. */
int event_serves(const xt_engine_t *network, const xt_client_t *client);
int event_open(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag);
void event_close(xt_engine_t *network);
/* The state of a shard: its own events and spans, the network's cards. */
int event_open_shard(xt_engine_t *shard, const xt_engine_t *network);
void event_close_shard(xt_engine_t *shard);
/* One cycle. */
void event_step(xt_engine_t *network, const xt_client_t *client);
int event_is_quiet(xt_engine_t *network);
/* Goes over to the cells' step by step, in the same state. */
void event_leave(xt_engine_t *network);
/* Of packets that are on their way into a PE, the client learns what has come so far. */
void event_tell(xt_engine_t *network);

/* event_card.c: one cycle of a card. */
void event_step_card(xt_engine_t *network, uint32_t c, const xt_client_t *client, uint64_t t);
/* An input sleeps after cycle `t` and is stepped again so many cycles later. */
void event_sleep_ahead(xt_engine_t *network, uint32_t c, unsigned input, uint64_t t, unsigned cycles);
/* What adaptive routing needs to know of the links. */
void event_look_at_links(card_t *card, const event_card_t *f, uint64_t t);

/* event_stream.c: what follows from a stream. */
static inline uint64_t event_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}
event_t *event_list_grow(event_run_t *run, event_list_t *events);
static inline void event_put(event_run_t *run, uint64_t when, event_kind_t kind, uint32_t card, unsigned port,
	unsigned vc, unsigned cells, uint32_t packet)
{
	event_list_t *events =
		&run->slot[when % EVENT_SLOTS].list[kind == EVENT_HEAD || kind == EVENT_RETURN ? EVENT_ARRIVALS
						    : kind == EVENT_DELIVERED                  ? EVENT_DELIVERIES
						    : kind == EVENT_IDLE                       ? EVENT_IDLES
											       : EVENT_PLAIN];
	event_t *e = events->count < events->room ? &events->events[events->count++] : event_list_grow(run, events);

	*e = (event_t){(uint8_t)kind, (uint8_t)port, (uint8_t)vc, (uint8_t)cells, card, packet};
}
/* Likewise, of a card at the other end of a link. */
static inline void event_put_arrival(xt_engine_t *network, uint64_t when, event_kind_t kind, xt_peer_t to, unsigned vc,
	unsigned cells, uint32_t packet)
{
	if (to.card - network->first_card < network->end_card - network->first_card) {
		event_put(network->event_run, when, kind, to.card, to.port, vc, cells, packet);
	} else {
		shards_send(network->event_run->shard, when,
			&(event_t){(uint8_t)kind, (uint8_t)to.port, (uint8_t)vc, (uint8_t)cells, to.card, packet});
	}
}
/* One move per cycle, so many from `when` on. */
void event_put_moves(event_run_t *run, uint64_t when, unsigned cells);
/* The card is not idle. */
void event_stir(xt_engine_t *network, uint32_t card);
/* Without a gap since now. */
void event_traffic_until(event_card_t *f, uint64_t t);
/* The card is stepped in cycle `t`, at most EVENT_AHEAD - 1 from now. */
static inline void event_awaken(xt_engine_t *network, uint32_t card, uint64_t t)
{
	network->event_run->awake[t % EVENT_AHEAD * network->words + card / 64] |= UINT64_C(1) << card % 64;
}
/* Something is counted in these cycles; `now`: the present one. */
void event_count_more(card_t *card, event_card_t *f, uint64_t now, uint64_t from, uint64_t to);
static inline void event_count(card_t *card, event_card_t *f, uint64_t now, uint64_t from, uint64_t to)
{
	if (from < f->counted_from || to > f->counted_to) {
		event_count_more(card, f, now, from, to);
	}
}
/* Likewise the stalls of sleeping inputs, up to and including cycle `t`. */
void event_count_stalls(card_t *card, event_card_t *f, uint64_t t);
/* `now`: the present cycle; the charge, and the first of the credits, come in cycle `at`. */
void event_charge(event_credits_t *c, division_t d, uint64_t now, uint64_t at, unsigned vc, unsigned cells);
void event_give_back(event_credits_t *c, division_t d, uint64_t now, uint64_t at, unsigned vc, unsigned cells);
/* Whether there is room for every packet, whatever of the credits under way has come. */
static inline int event_is_ample(const event_credits_t *c, division_t d)
{
	const unsigned most = d.vcs == 1 ? event_most(c, 0) : 0;
	const unsigned left = d.vcs == 1 && most < d.reserved ? d.reserved - most : 0;

	return d.shared + left >= (unsigned)c->over + class_cells[CLASSES - 1] + MARGIN;
}
/* Counts what every request, and every choice, sees by now. */
void event_fold(event_credits_t *c, division_t d, uint64_t now);
/* Brings the flags of room to what requests see in cycle `t`. Where even the most that can be in use leaves room for
 * everything, that is all there is to know. */
void event_look_closer(event_credits_t *c, credits_t *credits, division_t d, uint64_t t);
static inline void event_look_at_room(event_credits_t *c, credits_t *credits, division_t d, uint64_t t)
{
	if (!credits->ample || !event_is_ample(c, d)) {
		event_look_closer(c, credits, d, t);
	}
}
/* The first cell of a stream was read in cycle `t`. */
void event_start_stream(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t);
/* The input does nothing but stream from `t` on, or wait, or both. */
void event_put_to_sleep(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t);
/* Inputs that wait for an output that is free in the next step are woken. */
void event_wake_waiting(event_card_t *f, const card_t *card);

/* event_state.c: what follows from what is known. */
/* The only head of an input is matched in cycle `t`, while its body comes; all other inputs sleep or rest. 0: it has to
 * wait, and nothing was done. */
int event_match_alone(card_t *card, event_card_t *f, common_t *common, unsigned input, uint64_t t);
/* The only head of an input is served in cycle `t`, while its body comes. */
void event_serve_alone(card_t *card, event_card_t *f, common_t *common, unsigned input, uint64_t t);
/* Sleeping: what was left out up to and including cycle `t` is made good. `copied`: but for what is shared with the
 * original of a copied card. */
void event_catch_up(card_t *card, event_card_t *f, unsigned input, uint64_t t, common_t *common, int copied);
/* In cycle `t` a sleeping input finds that it has been empty for a cycle: it rests from now on. */
void event_finish(card_t *card, event_card_t *f, unsigned input, uint64_t t, common_t *common);
/* The output that a sleeping input holds is free. */
void event_let_go(card_t *card, event_card_t *f, unsigned input);
/* The patience of adaptive routing, up to and including cycle `t`. */
void event_tick_on(card_t *card, event_card_t *f, uint64_t t, int waiting);
static inline void event_tick(card_t *card, event_card_t *f, uint64_t t, int waiting)
{
	if (ADAPTIVE && t > f->ticked) {
		event_tick_on(card, f, t, waiting);
	}
}
void event_scan(counter_bank_t *bank, const event_card_t *f, uint64_t from, uint64_t t);
/* The cycle in which the card will be idle if nothing else happens. */
uint64_t event_idle_at(const card_t *card, const event_card_t *f, uint64_t now);
/* Charges and credits of cycles before `before` count. */
void event_used(const event_credits_t *c, uint64_t before, uint16_t *used);
/* Likewise, with the shared cells that are left. */
void event_settle_used(const event_credits_t *f, credits_t *c, division_t d, uint64_t before);
/* The cells that have left the ports so far: [card * PORTS + port]. */
void event_port_cells(xt_engine_t *network, uint64_t *cells);
/* The state after the last step, cell by cell, in `to`: `network` itself, or a copy with cards and fast_links of its
 * own. */
void event_settle(xt_engine_t *network, xt_engine_t *to);

#endif
