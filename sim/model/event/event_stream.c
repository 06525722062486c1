/* SPDX-License-Identifier: Apache-2.0
 *
 * What follows from a stream that begins: events, moves, charges and credits, and when its input will rest. */
#include "event.h"

#include <stdlib.h>
#include <string.h>

#include "model/card/nic.h"
#include "model/card/switch.h"
#include "model/network/fast_links.h"

event_span_t *event_put_span(event_run_t *run, event_spans_t *list)
{
	uint32_t number = run->free_span;
	event_span_t *span;

	if (number) {
		run->free_span = run->spans[number].next;
	} else {
		if (run->span_count == run->span_room) {
			event_span_t *more = realloc(run->spans, 2 * (size_t)run->span_room * sizeof(*more));

			if (!more) {
				run->failed = 1;
				return NULL;
			}
			run->spans = more;
			run->span_room *= 2;
		}
		number = run->span_count++;
	}
	span = &run->spans[number];
	span->next = 0;
	span->told = 0;
	if (list->first) {
		run->spans[list->last].next = number;
	} else {
		list->first = number;
	}
	list->last = number;
	return span;
}

static void put_span(xt_engine_t *network, event_spans_t *list, uint64_t at, uint32_t packet, unsigned vc, unsigned len)
{
	event_span_t *span = event_put_span(network->event_run, list);

	if (span) {
		span->at = at;
		span->packet = packet;
		span->vc = (uint8_t)vc;
		span->len = (uint8_t)len;
	}
}

/* Forgets what nothing depends on any more. */
static event_span_t *old_span(const xt_engine_t *network, const event_spans_t *list, uint64_t now)
{
	event_span_t *span = &network->event_run->spans[list->first];

	return list->first && span->at + span->len + fast_links_history(network) < now ? span : NULL;
}

static void forget_span(event_run_t *run, event_spans_t *list, event_span_t *span)
{
	const uint32_t number = list->first;

	list->first = span->next;
	span->next = run->free_span;
	run->free_span = number;
}

/* ---------------------------------------------------------------- streams */

/* Whether there is room for those that wait for an output must be looked at from cycle `t` on. */
static void wake_from(xt_engine_t *network, uint32_t c, unsigned output, uint64_t t)
{
	event_card_t *f = &network->event_run->card[c];

	for (unsigned rest = f->waiting; rest; rest &= rest - 1) {
		f->wake |= (uint16_t)(network->card[c].input[lowest(rest)].outputs >> output & 1 ? rest & -rest : 0);
	}
	if (f->wake) {
		event_awaken(network, c, t);
	}
}

static void leave_by_link(xt_engine_t *network, uint32_t c, const event_stream_t *stream, uint64_t t)
{
	const uint64_t now = network->common.now;
	event_run_t *run = network->event_run;
	card_t *card = &network->card[c];
	event_card_t *f = &run->card[c];
	const unsigned o = stream->output, vc = stream->vc, len = stream->len;
	const xt_peer_t peer = network->peers[c * LINKS + o];
	const uint32_t packet = stream->packet;
	event_spans_t *list = &f->cells[o];

	for (event_span_t *old; (old = old_span(network, list, now)) != NULL;) {
		forget_span(run, list, old);
	}
	put_span(network, list, t + EVENT_TAKEN, packet, vc, len);
	event_charge(&f->credits[o], division_of_output(0), now, t + EVENT_CROSS, vc, len + 1);
	event_put_arrival(
		network, t + EVENT_TAKEN + network->latency + FAST_LINK_CYCLES, EVENT_HEAD, peer, vc, len, packet);
	if (run->client->hop) {
		event_put(run, t + EVENT_LEAVE, EVENT_HOP, c, o, vc, 0, packet);
	}
	event_put_moves(run, t + EVENT_LEAVE, len + 1);
	if (f->waiting && !event_is_ample(&f->credits[o], division_of_output(0))) {
		wake_from(network, c, o, t + 1);
	}
	card->pushed_cells[o] = (uint16_t)(card->pushed_cells[o] + len + 1);
	f->pushed = event_later(f->pushed, t + EVENT_TAKEN + len);
	event_traffic_until(f, t + EVENT_TAKEN + len + 2 * network->latency + ACK_CYCLES);
}

static void leave_by_nic(xt_engine_t *network, uint32_t c, const event_stream_t *stream, uint64_t t)
{
	const uint64_t now = network->common.now;
	event_run_t *run = network->event_run;
	event_card_t *f = &run->card[c];
	const unsigned o = stream->output, len = stream->len;
	const uint32_t packet = stream->packet;
	eject_t *e = &network->card[c].eject[o - LINKS];
	event_spans_t *list = &f->cells[o];

	for (event_span_t *old; (old = old_span(network, list, now)) != NULL;) {
		e->write = e->read = (uint16_t)((e->write + old->len + 1u) & EJECT_MASK);
		forget_span(run, list, old);
	}
	put_span(network, list, t + EVENT_DELIVER, packet, stream->vc, len);
	event_charge(&f->credits[o], division_of_output(LINKS), now, t + EVENT_CROSS, 0, len + 1);
	if (f->waiting && !event_is_ample(&f->credits[o], division_of_output(LINKS))) {
		wake_from(network, c, o, t + 1);
	}
	event_put(run, t + EVENT_DELIVER + len, EVENT_DELIVERED, c, o, 0, len, packet);
	event_put(run, t + EVENT_DELIVER + 1, EVENT_RETURN, c, o, 0, len + 1, 0);
	event_put_moves(run, t + EVENT_DELIVER, len + 1);
	/* Until the last credit has been counted. */
	event_traffic_until(f, t + EVENT_DELIVER + len + 3);
}

/* An input gives back the cells of its stream. */
static void return_credits(xt_engine_t *network, uint32_t c, unsigned i, const event_stream_t *stream, uint64_t t)
{
	const uint64_t now = network->common.now;
	card_t *card = &network->card[c];
	event_card_t *f = &network->event_run->card[c];
	const unsigned len = stream->len;

	if (i < LINKS) {
		const xt_peer_t peer = network->peers[c * LINKS + i];
		event_spans_t *list = &f->returned[i];

		for (event_span_t *old; (old = old_span(network, list, now)) != NULL;) {
			forget_span(network->event_run, list, old);
		}
		put_span(network, list, t + EVENT_CREDIT, 0, stream->credit_vc, len);
		event_put_arrival(network, t + EVENT_CREDIT + network->latency + FAST_LINK_CYCLES, EVENT_RETURN, peer,
			stream->credit_vc, len + 1, 0);
		card->pushed_credits[i] = (uint16_t)(card->pushed_credits[i] + len + 1);
		f->pushed = event_later(f->pushed, t + EVENT_CREDIT + len);
		event_traffic_until(f, t + EVENT_CREDIT + len + 2 * network->latency + ACK_CYCLES);
	} else {
		event_give_back(&f->inject[i - LINKS], division_of_inject(), now, t + EVENT_CREDIT,
			vc_tc[stream->credit_vc], len + 1);
		event_traffic_until(f, t + EVENT_CREDIT + len + 2);
	}
}

/* The first cell of a stream is read in cycle `t`, now or in the next one. */
static void start_stream(xt_engine_t *network, uint32_t c, unsigned i, const event_stream_t *stream, uint64_t t)
{
	card_t *card = &network->card[c];
	event_card_t *f = &network->event_run->card[c];
	const unsigned o = stream->output, len = stream->len, tc = tc_of_queue(o, stream->vc);

	card->counter[o][COUNT_TX_PACKETS + tc]++;
	card->counter[o][COUNT_TX_CELLS + tc] += len + 1;
	network->port_cells[(size_t)c * PORTS + o] += len + 1;
	if (o < LINKS) {
		leave_by_link(network, c, stream, t);
	} else {
		leave_by_nic(network, c, stream, t);
	}
	return_credits(network, c, i, stream, t);
	event_count(card, f, network->common.now, t + EVENT_OUT, t + EVENT_OUT + len);
}

void event_start_stream(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t)
{
	const input_t *in = &network->card[c].input[i];
	const event_stream_t stream = {token_packet(in->x_cell), in->x_output, in->x_vc, in->x_len, in->x_credit_vc};

	start_stream(network, c, i, &stream, t);
}

/* Heads that wait, in this cycle and the following ones. */
static void put_to_wait(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t)
{
	card_t *card = &network->card[c];
	event_card_t *f = &network->event_run->card[c];
	const input_t *in = &card->input[i];
	const unsigned limit = card->settings.stall_timeout;
	unsigned granted = 0;

	f->waiting |= (uint16_t)(1u << i);
	if (in->in_packet) {
		event_count(card, f, t, t + 1, t + in->left);
	}
	for (unsigned rest = in->outputs; MONITORS && rest; rest &= rest - 1) {
		granted |= input_tcs_of(lowest(rest), in->eligible[lowest(rest)]);
	}
	f->stalls[i] = (uint16_t)(granted << 8);
	f->stalling |= (uint16_t)((unsigned)(granted != 0) << i);
	if (MONITORS && limit) {
		const unsigned left = limit - card->stalled[i];

		event_put(network->event_run, t + (left < EVENT_SLOTS ? left : EVENT_SLOTS - 1u), EVENT_LATE, c, i, 0,
			0, 0);
	}
}

/* An input sleeps after cycle `t`, until it has read `reads` more cells. */
static void stream_asleep(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t, unsigned reads)
{
	event_card_t *f = &network->event_run->card[c];
	const input_t *in = &network->card[c].input[i];

	f->asleep |= (uint16_t)(1u << i);
	f->since[i] = (uint32_t)t;
	f->lasts[i] = (uint8_t)(reads + 2);
	if (in->busy) {
		f->holding |= (uint16_t)(1u << i);
		f->sleep_outputs |= (uint16_t)(1u << in->serve_output);
		event_put(network->event_run, t + reads, EVENT_RELEASE, c, i, 0, 0, 0);
	}
}

void event_put_to_sleep(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t)
{
	const input_t *in = &network->card[c].input[i];
	const unsigned reads = in->more ? in->x_len + 1u - in->stream_index : 0;

	stream_asleep(network, c, i, t, reads);
	if (in->outputs) {
		put_to_wait(network, c, i, t);
	} else {
		event_put(network->event_run, t + reads + 2, EVENT_FINISH, c, i, 0, 0, 0);
	}
}

void event_start_ahead(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t)
{
	const input_t *in = &network->card[c].input[i];
	const buffered_t *b =
		&network->common.packets.buffered[in->last[queue_number(in->serve_from, in->serve_queue)]];
	const event_stream_t stream = {b->packet, in->serve_output, in->serve_queue, b->len, b->vc};

	network->event_run->card[c].starting |= (uint16_t)(1u << i);
	start_stream(network, c, i, &stream, t + 1);
	stream_asleep(network, c, i, t, b->len + 1u);
	event_put(network->event_run, t + b->len + 3, EVENT_FINISH, c, i, 0, 0, 0);
}

void event_wake_waiting(event_card_t *f, const card_t *card)
{
	for (unsigned rest = f->waiting; rest; rest &= rest - 1) {
		const input_t *in = &card->input[lowest(rest)];

		if (!in->busy && (in->request & ~(unsigned)card->output_busy)) {
			f->wake |= (uint16_t)(rest & -rest);
		}
	}
}
