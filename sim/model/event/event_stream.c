/* SPDX-License-Identifier: Apache-2.0
 *
 * What follows from a stream that begins: events, moves, charges and credits, and when its input will rest. */
#include "event.h"

#include <stdlib.h>
#include <string.h>

#include "model/card/nic.h"
#include "model/card/switch.h"
#include "model/network/fast_links.h"

enum { FIRST_EVENTS = 16 };

/* ---------------------------------------------------------------- events */

flow_event_t *flow_more_events(flow_t *flow, flow_events_t *events)
{
	const uint32_t room = events->room ? events->room * 2 : (uint32_t)FIRST_EVENTS;
	flow_event_t *more = realloc(events->events, room * sizeof(*more));

	if (!more) {
		flow->failed = 1;
		return &flow->lost;
	}
	events->events = more;
	events->room = room;
	return &more[events->count++];
}

/* One move per cycle, so many from `when` on. */
void flow_put_moves(flow_t *flow, uint64_t when, unsigned cells)
{
	flow->moves[when % FLOW_SLOTS]++;
	flow->moves[(when + cells) % FLOW_SLOTS]--;
}

static void put_span(xt_engine_t *network, flow_list_t *list, uint64_t at, uint32_t packet, unsigned vc, unsigned len)
{
	flow_t *flow = network->flow;
	uint32_t number = flow->free_span;
	flow_span_t *span;

	if (number) {
		flow->free_span = flow->spans[number].next;
	} else {
		if (flow->span_count == flow->span_room) {
			flow_span_t *more = realloc(flow->spans, 2 * (size_t)flow->span_room * sizeof(*more));

			if (!more) {
				flow->failed = 1;
				return;
			}
			flow->spans = more;
			flow->span_room *= 2;
		}
		number = flow->span_count++;
	}
	span = &flow->spans[number];
	*span = (flow_span_t){at, packet, 0, (uint8_t)vc, (uint8_t)len, 0};
	if (list->first) {
		flow->spans[list->last].next = number;
	} else {
		list->first = number;
	}
	list->last = number;
}

/* Forgets what nothing depends on any more. */
static flow_span_t *old_span(const xt_engine_t *network, const flow_list_t *list, uint64_t now)
{
	flow_span_t *span = &network->flow->spans[list->first];

	return list->first && span->at + span->len + lanes_history(network) < now ? span : NULL;
}

static void forget_span(flow_t *flow, flow_list_t *list, flow_span_t *span)
{
	const uint32_t number = list->first;

	list->first = span->next;
	span->next = flow->free_span;
	flow->free_span = number;
}

void flow_stir(xt_engine_t *network, uint32_t card)
{
	flow_card_t *f = &network->flow->card[card];

	if (!f->busy) {
		f->busy = 1;
		network->flow->busy++;
		flow_put_event(network->flow, network->common.now + QUIET_CYCLES, FLOW_IDLE, card, 0, 0, 0, 0);
	}
}

void flow_traffic_until(flow_card_t *f, uint64_t t)
{
	f->traffic = flow_later(f->traffic, t);
}

static void count(card_t *card, flow_card_t *f, uint64_t from, uint64_t to)
{
	if (from > f->counted_to + 1) {
		flow_scan(&card->bank, f, f->scanned, from - 1);
		f->scanned = flow_later(f->scanned, from - 1);
		f->counted_from = from;
		f->counted_to = to;
		return;
	}
	f->counted_from = from < f->counted_from ? from : f->counted_from;
	f->counted_to = to > f->counted_to ? to : f->counted_to;
}

void flow_count_stalls(card_t *card, flow_card_t *f, uint64_t t)
{
	uint64_t from = t + 1;

	for (unsigned rest = f->stalling; rest; rest &= rest - 1) {
		const uint64_t first = flow_cycle(f->since[lowest(rest)], t) + 1;

		from = first < from ? first : from;
	}
	if (from <= t) {
		count(card, f, from, t);
	}
}

void flow_count_more(card_t *card, flow_card_t *f, uint64_t now, uint64_t from, uint64_t to)
{
	if (f->stalling) {
		flow_count_stalls(card, f, now - 1);
	}
	count(card, f, from, to);
}

/* ---------------------------------------------------------------- credits */

static unsigned over(unsigned used, division_t d)
{
	return used > d.reserved ? used - d.reserved : 0;
}

void flow_fold(flow_credits_t *c, division_t d, uint64_t now)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < c->charges; i++) {
		const flow_credit_t e = c->charge[i];

		if (flow_cycle(e.at, now) + FLOW_SETTLED <= now) {
			c->used[e.vc] = (uint16_t)(c->used[e.vc] + e.cells);
		} else {
			c->charge[kept++] = e;
		}
	}
	c->charges = (uint8_t)kept;
	kept = 0;
	for (unsigned i = 0; i < c->returns; i++) {
		const flow_credit_t e = c->back[i];

		if (flow_cycle(e.at, now) + e.cells - 1u + FLOW_SETTLED <= now) {
			const unsigned before = flow_most(c, e.vc);

			c->used[e.vc] = (uint16_t)(c->used[e.vc] - e.cells);
			c->over = (uint16_t)(c->over - over(before, d) + over(before - e.cells, d));
		} else {
			c->back[kept++] = e;
		}
	}
	c->returns = (uint8_t)kept;
}

void flow_charge(flow_credits_t *c, division_t d, uint64_t now, uint64_t at, unsigned vc, unsigned cells)
{
	unsigned before;

	flow_fold(c, d, now);
	before = flow_most(c, vc);
	c->charge[c->charges++] = (flow_credit_t){(uint32_t)at, (uint8_t)vc, (uint8_t)cells};
	c->over = (uint16_t)(c->over - over(before, d) + over(before + cells, d));
}

void flow_give_back(flow_credits_t *c, division_t d, uint64_t now, uint64_t at, unsigned vc, unsigned cells)
{
	flow_fold(c, d, now);
	c->back[c->returns++] = (flow_credit_t){(uint32_t)at, (uint8_t)vc, (uint8_t)cells};
}

void flow_look_closer(flow_credits_t *c, credits_t *credits, division_t d, uint64_t t)
{
	if (flow_is_ample(c, d)) {
		credits_find_all_room(credits, d);
		return;
	}
	flow_fold(c, d, t);
	flow_settle_used(c, credits, d, t + 1 - FLOW_VISIBLE);
	credits->ample = 0;
	credits_find_room(credits, d);
}

/* ---------------------------------------------------------------- streams */

/* Whether there is room for those that wait for an output must be looked at from cycle `t` on. */
static void wake_from(xt_engine_t *network, uint32_t c, unsigned output, uint64_t t)
{
	flow_card_t *f = &network->flow->card[c];

	for (unsigned rest = f->waiting; rest; rest &= rest - 1) {
		f->wake |= (uint16_t)(network->card[c].input[lowest(rest)].outputs >> output & 1 ? rest & -rest : 0);
	}
	if (f->wake) {
		flow_awaken(network, c, t);
	}
}

static void leave_by_link(xt_engine_t *network, uint32_t c, const input_t *in, uint64_t t)
{
	flow_t *flow = network->flow;
	card_t *card = &network->card[c];
	flow_card_t *f = &flow->card[c];
	const unsigned o = in->x_output, len = in->x_len;
	const xt_peer_t peer = network->peers[c * LINKS + o];
	const uint32_t packet = token_packet(in->x_cell);
	flow_list_t *list = &f->cells[o];

	for (flow_span_t *old; (old = old_span(network, list, t)) != NULL;) {
		forget_span(flow, list, old);
	}
	put_span(network, list, t + FLOW_TAKEN, packet, in->x_vc, len);
	flow_charge(&f->credits[o], division_of_output(0), t, t + FLOW_CROSS, in->x_vc, len + 1);
	flow_put_arrival(
		network, t + FLOW_TAKEN + network->latency + LANE_CYCLES, FLOW_HEAD, peer, in->x_vc, len, packet);
	flow_put_event(flow, t + FLOW_LEAVE, FLOW_HOP, c, o, in->x_vc, 0, packet);
	flow_put_moves(flow, t + FLOW_LEAVE, len + 1);
	if (f->waiting && !flow_is_ample(&f->credits[o], division_of_output(0))) {
		wake_from(network, c, o, t + 1);
	}
	card->pushed_cells[o] = (uint16_t)(card->pushed_cells[o] + len + 1);
	f->pushed = flow_later(f->pushed, t + FLOW_TAKEN + len);
	flow_traffic_until(f, t + FLOW_TAKEN + len + 2 * network->latency + ACK_CYCLES);
}

static void leave_by_nic(xt_engine_t *network, uint32_t c, const input_t *in, uint64_t t)
{
	flow_t *flow = network->flow;
	flow_card_t *f = &flow->card[c];
	const unsigned o = in->x_output, len = in->x_len;
	const uint32_t packet = token_packet(in->x_cell);
	eject_t *e = &network->card[c].eject[o - LINKS];
	flow_list_t *list = &f->cells[o];

	for (flow_span_t *old; (old = old_span(network, list, t)) != NULL;) {
		e->write = e->read = (uint16_t)((e->write + old->len + 1u) & EJECT_MASK);
		forget_span(flow, list, old);
	}
	put_span(network, list, t + FLOW_DELIVER, packet, in->x_vc, len);
	flow_charge(&f->credits[o], division_of_output(LINKS), t, t + FLOW_CROSS, 0, len + 1);
	if (f->waiting && !flow_is_ample(&f->credits[o], division_of_output(LINKS))) {
		wake_from(network, c, o, t + 1);
	}
	flow_put_event(flow, t + FLOW_DELIVER + len, FLOW_DELIVERED, c, o, 0, len, packet);
	flow_put_event(flow, t + FLOW_DELIVER + 1, FLOW_RETURN, c, o, 0, len + 1, 0);
	flow_put_moves(flow, t + FLOW_DELIVER, len + 1);
	/* Until the last credit has been counted. */
	flow_traffic_until(f, t + FLOW_DELIVER + len + 3);
}

/* An input gives back the cells of its stream. */
static void return_credits(xt_engine_t *network, uint32_t c, unsigned i, const input_t *in, uint64_t t)
{
	card_t *card = &network->card[c];
	flow_card_t *f = &network->flow->card[c];
	const unsigned len = in->x_len;

	if (i < LINKS) {
		const xt_peer_t peer = network->peers[c * LINKS + i];
		flow_list_t *list = &f->returned[i];

		for (flow_span_t *old; (old = old_span(network, list, t)) != NULL;) {
			forget_span(network->flow, list, old);
		}
		put_span(network, list, t + FLOW_CREDIT, 0, in->x_credit_vc, len);
		flow_put_arrival(network, t + FLOW_CREDIT + network->latency + LANE_CYCLES, FLOW_RETURN, peer,
			in->x_credit_vc, len + 1, 0);
		card->pushed_credits[i] = (uint16_t)(card->pushed_credits[i] + len + 1);
		f->pushed = flow_later(f->pushed, t + FLOW_CREDIT + len);
		flow_traffic_until(f, t + FLOW_CREDIT + len + 2 * network->latency + ACK_CYCLES);
	} else {
		flow_give_back(&f->inject[i - LINKS], division_of_inject(), t, t + FLOW_CREDIT, vc_tc[in->x_credit_vc],
			len + 1);
		flow_traffic_until(f, t + FLOW_CREDIT + len + 2);
	}
}

/* The first cell of a stream has been read. */
void flow_start_stream(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t)
{
	card_t *card = &network->card[c];
	flow_card_t *f = &network->flow->card[c];
	const input_t *in = &card->input[i];
	const unsigned o = in->x_output, len = in->x_len, tc = tc_of_queue(o, in->x_vc);

	card->counter[o][COUNT_TX_PACKETS + tc]++;
	card->counter[o][COUNT_TX_CELLS + tc] += len + 1;
	network->port_cells[(size_t)c * PORTS + o] += len + 1;
	if (o < LINKS) {
		leave_by_link(network, c, in, t);
	} else {
		leave_by_nic(network, c, in, t);
	}
	return_credits(network, c, i, in, t);
	flow_count(card, f, t, t + FLOW_CROSS, t + FLOW_CROSS + len);
}

/* Heads that wait, in this cycle and the following ones. */
static void put_to_wait(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t)
{
	card_t *card = &network->card[c];
	flow_card_t *f = &network->flow->card[c];
	const input_t *in = &card->input[i];
	const unsigned limit = card->settings.stall_timeout;
	unsigned granted = 0;

	f->waiting |= (uint16_t)(1u << i);
	if (in->in_packet) {
		flow_count(card, f, t, t + 1, t + in->left);
	}
	for (unsigned rest = in->outputs; MONITORS && rest; rest &= rest - 1) {
		granted |= input_tcs_of(lowest(rest), in->eligible[lowest(rest)]);
	}
	f->stalls[i] = (uint16_t)(granted << 8);
	f->stalling |= (uint16_t)((unsigned)(granted != 0) << i);
	if (MONITORS && limit) {
		const unsigned left = limit - card->stalled[i];

		flow_put_event(
			network->flow, t + (left < FLOW_SLOTS ? left : FLOW_SLOTS - 1u), FLOW_LATE, c, i, 0, 0, 0);
	}
}

void flow_put_to_sleep(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t)
{
	flow_card_t *f = &network->flow->card[c];
	const input_t *in = &network->card[c].input[i];
	const unsigned reads = in->more ? in->x_len + 1u - in->stream_index : 0;

	f->asleep |= (uint16_t)(1u << i);
	f->since[i] = (uint32_t)t;
	f->lasts[i] = (uint8_t)(reads + 2);
	if (in->outputs) {
		put_to_wait(network, c, i, t);
	} else {
		flow_put_event(network->flow, t + f->lasts[i], FLOW_FINISH, c, i, 0, 0, 0);
	}
	if (in->busy) {
		f->holding |= (uint16_t)(1u << i);
		f->sleep_outputs |= (uint16_t)(1u << in->serve_output);
		flow_put_event(network->flow, t + reads, FLOW_RELEASE, c, i, 0, 0, 0);
	}
}

void flow_wake_waiting(flow_card_t *f, const card_t *card)
{
	for (unsigned rest = f->waiting; rest; rest &= rest - 1) {
		const input_t *in = &card->input[lowest(rest)];

		if (!in->busy && (in->request & ~(unsigned)card->output_busy)) {
			f->wake |= (uint16_t)(rest & -rest);
		}
	}
}
