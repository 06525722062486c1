/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of a run by events. */
#pragma once

#include "event_types.h"
#include "shard_mail.h"

/* Whether the run that begins, with fast links, can be done so. */
int event_serves(const xt_engine_t *network, const xt_client_t *client);
/* `adaptive`: some table has routes with a choice, also where that table is another rank's. */
int event_open(xt_engine_t *network, const xt_client_t *client, int adaptive, xt_diag_t *diag);
/* Whether one that is here has. */
int event_is_adaptive(const xt_engine_t *network);
void event_close(xt_engine_t *network);
/* The state of a shard: its own events and spans, the network's cards. */
int event_open_shard(xt_engine_t *shard, const xt_engine_t *network);
void event_close_shard(xt_engine_t *shard);
/* One cycle. */
void event_step(xt_engine_t *network, const xt_client_t *client);
int event_is_quiet(xt_engine_t *network);
/* How many of a new packet's cells have to be kept: the head, if the client can make the others again. */
unsigned event_kept(event_run_t *run, const uint32_t *words, unsigned cells);
/* A PE takes `count` cells of a packet, from `first` on. */
void event_tell_received(const xt_engine_t *shard, const xt_client_t *client, uint32_t pe, uint64_t cycle,
	const packet_t *packet, unsigned first, unsigned count, int last);
/* Of packets that are on their way into a PE, the client learns what has come so far. */
void event_tell(xt_engine_t *network);
/* Likewise of one shard, to that client. */
void event_tell_shard(const xt_engine_t *shard, const xt_client_t *client);

/* event_card.c: one cycle of a card. */
void event_step_card(xt_engine_t *network, uint32_t c, const xt_client_t *client, uint64_t t);
/* An input sleeps after cycle `t` and is stepped again so many cycles later. */
void event_sleep_ahead(xt_engine_t *network, uint32_t c, unsigned input, uint64_t t, unsigned cycles);
/* What adaptive routing needs to know of the links. */
void event_look_at_links(card_t *card, const event_card_t *f, uint64_t t);

/* event_queue.c, event_credits.c and event_stream.c: what follows from a stream. */

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
	if (network_steps(network, to.card)) {
		event_put(network->event_run, when, kind, to.card, to.port, vc, cells, packet);
	} else if (shards_send(network->shard, when,
			   &(event_t){(uint8_t)kind, (uint8_t)to.port, (uint8_t)vc, (uint8_t)cells, to.card, packet}) &&
		   kind == EVENT_HEAD) {
		/* The other rank has a copy; here the packet stays until all of it is out of the buffer. */
		const uint64_t now = network->common.now, gone = now + cells + EVENT_OVER;

		event_put(network->event_run, event_earlier(gone, now + EVENT_SLOTS - 1), EVENT_GONE, to.card, 0, 0, 0,
			packet);
	}
}
/* One move per cycle, so many from `when` on. */
void event_put_moves(event_run_t *run, uint64_t when, unsigned cells);
/* The card is not idle. */
static inline void event_stir(xt_engine_t *network, uint32_t card)
{
	event_card_t *f = &network->event_run->card[card];

	if (!f->busy) {
		f->busy = 1;
		network->event_run->busy++;
		event_put(network->event_run, network->common.now + QUIET_CYCLES, EVENT_IDLE, card, 0, 0, 0, 0);
	}
}
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
	if (from >= f->counted_from && from <= f->counted_to + 1 && !f->stalling) {
		f->counted_to = event_later(f->counted_to, to);
	} else if (from < f->counted_from || to > f->counted_to) {
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
/* Whether too little shared room is left behind an output for a packet of a NIC to start in cycle `t`. */
int event_is_crowded(const card_t *card, const event_card_t *f, unsigned output, uint64_t t);
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
/* One behind the others of a list, to be filled in. NULL: out of memory, which is noted. */
event_span_t *event_put_span(event_run_t *run, event_spans_t *list);
/* The first cell of a stream was read in cycle `t`. */
void event_start_stream(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t);
/* The only head of an input is served in the cycle after `t`, while its body comes, to a link that is fast or a NIC.
 * All follows from it now; what the input itself does is made good by event_catch_up and event_finish. */
void event_start_ahead(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t);
/* The input does nothing but stream from `t` on, or wait, or both. */
void event_put_to_sleep(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t);
/* Inputs that wait for an output that is free in the next step are woken. */
void event_wake_waiting(event_card_t *f, const card_t *card);

/* event_sleep.c, event_counters.c, event_credits.c and event_settle.c: what follows from what is known. */
/* A cycle of the marks and the watchdog of an input. */
void event_monitor(card_t *card, unsigned input);
/* A head of an input that has nothing else to do is matched in cycle `t`; all other inputs sleep or rest. 0: all have
 * to wait, and nothing was done. */
int event_match_alone(card_t *card, event_card_t *f, common_t *common, unsigned input, uint64_t t);
/* A head that came to an input at rest EVENT_LOOKUP cycles before `t` is queued and matched by then, and is served in
 * the next cycle, while its body comes; all other inputs sleep or rest. 0: something may be in its way; nothing was
 * done. */
int event_pass_alone(card_t *card, event_card_t *f, common_t *common, unsigned input, uint64_t t);
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
/* The last cycle, not after `t`, in which something but traffic kept the card from being idle. */
uint64_t event_last_other(const card_t *card, const event_card_t *f, uint64_t t);
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
