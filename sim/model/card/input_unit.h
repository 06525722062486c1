/* SPDX-License-Identifier: Apache-2.0
 *
 * One input of the switch: receives cells, chooses output and VC of each packet, queues it, asks for outputs, and
 * streams what was matched. A step does all stages of one cycle, the last one first, so that each finds what the one
 * before it left in the cycle before. */
#pragma once

#include "input_receive.h"
#include "input_requests.h"

/* What the step of an input tells the card. */
typedef struct {
	unsigned busy_outputs; /* of the next cycle */
	unsigned error;        /* ERROR_* */
} input_result_t;

static inline input_result_t input_step(
	card_t *card, common_t *common, unsigned port, unsigned match, int tick, int weighted, unsigned *stalls)
{
	input_t *in = &card->input[port];
	packets_t *packets = &common->packets;
	const unsigned before = in->outputs;
	const int head = in->busy_with.head, serve = in->busy_with.serve, requeue = serve && in->serve_requeue;
	const unsigned served_output = serve ? in->serve_from : (unsigned)NO_PORT;
	const unsigned served = serve ? 1u << in->serve_queue : 0;
	const int follow = in->busy_with.follow;
	const unsigned follow_output = in->follow_output, follow_queue = in->follow_queue;
	const int waits = in->busy_with.requeue_waits && !in->requeue_fresh, yields = in->held_off == 31;
	const int could_start = in->wants != 0;
	const unsigned released = in->x_valid, may_start_watched = input_may_start_watched(in);
	const unsigned watched_waits = may_start_watched | in->watched_waited;
	const int insists = in->busy_with.insists;
	const service_t next = input_choose(in, match, served_output, served);
	const unsigned waiting_tcs_mask =
		next.serve && next.from < PORTS ? 1u << tc_of_queue(next.from, next.queue) : 0;
	input_result_t result = {0, 0};
	const unsigned granted = input_granted(in) & ~waiting_tcs_mask;
	int goes_on = 0;

	/* Stage S. */
	in->busy_with.follow = 0;
	in->x_valid = 0;
	if (serve) {
		uint32_t b = input_pop(in, packets, served_output, in->serve_queue);

		if (requeue) {
			in->again = b;
		} else {
			in->stream = b;
			in->stream_index = 0;
			goes_on = input_read(in, packets, 1);
		}
	} else if (in->more) {
		goes_on = input_read(in, packets, 0);
	}
	if (goes_on && in->serve_output != NO_PORT) {
		result.busy_outputs |= 1u << in->serve_output;
	}

	const unsigned stream_output =
		goes_on ? (in->serve_output == NO_PORT ? (unsigned)PORTS : in->serve_output) : (unsigned)NO_PORT;

	/* Cycle 1. */
	if (head) {
		input_push(in, packets, in->e_output, in->e_queue, in->e_packet);
	} else if (waits) {
		buffered_t *b = &packets->buffered[in->again];

		b->enters = BUBBLE && input_enters_ring(card, port, b->vc, b->escape_port, b->escape_vc);
		input_push(
			in, packets, b->escape_port, b->escape_port < LINKS ? b->escape_vc : vc_tc[b->vc], in->again);
		in->busy_with.requeue_waits = 0;
	}

	unsigned starved = 0;
	const int own_requeues = in->own_requeue && next.serve && next.requeue;

	if (before | in->outputs) {
		starved = input_request(card, in, before, weighted, stream_output);
	}
	in->busy_with.own = 0;
	if (ADAPTIVE && in->busy_with.ageing && !waits && !requeue && !own_requeues && !in->busy_with.requeue_pending &&
		(!in->nonempty[DROP_OUTPUT] || in->dropped)) {
		input_choose_escape(in, served_output, served);
	}

	const int drops = in->nonempty[DROP_OUTPUT] && !(in->dropped && (in->busy_with.own || could_start));

	in->own_requeue = !drops;
	if (drops) {
		in->busy_with.own = (uint8_t)!yields;
		in->own_output = DROP_OUTPUT;
		in->own_queue = 0;
	}
	in->dropped = in->nonempty[DROP_OUTPUT] &&
		      ((next.serve && next.from == DROP_OUTPUT) || (in->dropped && (!next.serve || next.requeue)));
	if (in->busy_with.own || yields) {
		in->request = 0;
	}
	if (serve | in->busy_with.insists) {
		input_watch(card, in, port, serve, may_start_watched, watched_waits);
	}
	if (ADAPTIVE) {
		if (next.serve && next.requeue) {
			in->escape_output = next.from;
			in->escape_done = (queue_mask_t)~above(next.queue);
		}
		if (tick || in->busy_with.ageing) {
			input_age(in, tick, served_output, served);
		}
		in->held_off = (uint8_t)(waits ? in->held_off + !yields : 0);
		in->requeue_fresh = (uint8_t)requeue;
		if (requeue) {
			in->busy_with.requeue_waits = 1;
		}
		in->busy_with.requeue_pending = (uint8_t)requeue;
	}
	if (follow && !(follow_output == served_output && (served >> follow_queue & 1))) {
		input_set_class(in, follow_output, follow_queue,
			input_class_of(&packets->buffered[input_first(in, packets, follow_output, follow_queue)]));
	}

	input_give_way(card, in, match != NO_PORT || !in->outputs, insists ? in->gives_way : 1);

	/* Cycle 2's result. */
	in->busy_with.serve = next.serve;
	in->serve_requeue = next.requeue;
	if (next.serve) {
		in->serve_from = next.from;
		in->serve_queue = next.queue;
		in->serve_output = next.output;
	}
	in->busy = (uint8_t)(goes_on || next.starts_long);
	if (next.starts_long && next.output != NO_PORT) {
		result.busy_outputs |= 1u << next.output;
	}

	/* Cycle 0. */
	in->busy_with.head = 0;
	result.error = input_take(card, common, port, released);
	*stalls = starved | granted << 8;
	return result;
}

/* input_step where nothing is under way but heads that wait, one of which is matched with output `match`, a stream that
 * has let go of its output, and a body that may come. Returns the stalls. */
static inline unsigned input_match_only(card_t *card, common_t *common, unsigned port, unsigned match)
{
	input_t *in = &card->input[port];
	const unsigned released = in->x_valid;
	const service_t next = input_choose(in, match, NO_PORT, 0);
	const unsigned granted = input_granted(in) & ~(1u << tc_of_queue(match, next.queue));
	const unsigned starved = input_request(card, in, 0, 0, NO_PORT);

	input_give_way(card, in, 1, 0);
	input_go_on(in, &common->packets);
	in->busy_with.serve = 1;
	in->serve_requeue = 0;
	in->serve_from = in->serve_output = next.from;
	in->serve_queue = next.queue;
	in->busy = (uint8_t)next.starts_long;
	in->own_requeue = 1;
	in->held_off = in->requeue_fresh = 0;
	input_take_body(card, common, port, released, 0);
	return starved | granted << 8;
}

/* input_step where the only head of an input is served, and nothing else is to be done. Returns the stalls. */
static inline unsigned input_serve_only(card_t *card, common_t *common, unsigned port, int copied)
{
	input_t *in = &card->input[port];
	const unsigned output = in->serve_from, released = in->x_valid;
	const unsigned granted = input_granted(in);

	in->stream = input_pop(in, &common->packets, output, in->serve_queue);
	in->stream_index = 0;
	in->busy = (uint8_t)input_read(in, &common->packets, 1);
	in->busy_with.serve = 0;
	in->eligible[output] = 0;
	in->request = in->wants = 0;
	input_watch_next(in);
	input_give_way(card, in, !in->outputs, 1);
	in->own_requeue = 1;
	in->held_off = in->requeue_fresh = 0;
	input_take_body(card, common, port, released, copied);
	return granted << 8;
}

/* Likewise, and all of the stream that follows, whose last cell has been read; its record is the caller's. Returns the
 * stalls. */
static inline unsigned input_serve_whole(input_t *in, packets_t *packets)
{
	const unsigned output = in->serve_from, granted = MONITORS ? input_tcs_of(output, in->eligible[output]) : 0;
	const buffered_t *b;

	in->stream = input_pop(in, packets, output, in->serve_queue);
	b = &packets->buffered[in->stream];
	in->x_cell = token_of(b->packet, b->len);
	in->x_output = in->serve_output;
	in->x_vc = in->serve_queue;
	in->x_credit_vc = b->vc;
	in->x_len = b->len;
	in->stream_index = (uint8_t)(b->len + 1);
	in->busy_with.serve = 0;
	in->eligible[output] = 0;
	in->request = in->wants = 0;
	input_watch_next(in);
	return granted << 8;
}

/* Nothing but a stream, and queues whose heads wait. */
static inline int input_is_settled(const input_t *in)
{
	uint64_t busy;

	_Static_assert(sizeof(in->busy_with) == sizeof(busy), "one comparison");
	memcpy(&busy, &in->busy_with, sizeof(busy));
	return !busy;
}

/* Nothing but a stream, if that. */
static inline int input_only_streams(const input_t *in)
{
	return input_is_settled(in) && !in->outputs && !in->request;
}

/* Nothing but a queue that is served, of those heads that do not wait. */
static inline int input_only_serves(const input_t *in)
{
	return in->busy_with.serve &&
	       !(in->busy_with.head | in->busy_with.follow | in->busy_with.own | in->busy_with.requeue_waits |
		       in->busy_with.requeue_pending | in->busy_with.ageing | in->busy_with.insists);
}

/* input_step for such an input. */
static inline input_result_t input_stream(card_t *card, common_t *common, unsigned port)
{
	input_t *in = &card->input[port];
	const unsigned released = in->x_valid;
	input_result_t result = {0, 0};

	in->busy = (uint8_t)input_go_on(in, &common->packets);
	if (in->busy && in->serve_output != NO_PORT) {
		result.busy_outputs = 1u << in->serve_output;
	}
	input_give_way(card, in, 1, 0);
	in->own_requeue = 1;
	in->held_off = 0;
	in->requeue_fresh = 0;
	result.error = input_take(card, common, port, released);
	return result;
}

/* Nothing changes without something that arrives. */
static inline int input_rests(const input_t *in)
{
	return in->free == BUFFER_CELLS &&
	       !(in->busy_with.head | in->busy_with.serve | in->more | in->x_valid | in->written |
		       in->busy_with.follow | in->busy_with.own | in->busy | in->outputs | in->request |
		       in->busy_with.requeue_waits | in->busy_with.requeue_pending | in->busy_with.ageing |
		       in->busy_with.insists);
}

/* Something is in flight inside. */
static inline int input_active(const input_t *in)
{
	return in->free != BUFFER_CELLS ||
	       (in->written | in->busy_with.follow | in->busy_with.serve | in->more | in->x_valid | in->busy_with.head |
		       (in->busy_with.requeue_waits & !in->requeue_fresh) | in->busy_with.requeue_pending);
}
