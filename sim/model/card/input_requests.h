/* SPDX-License-Identifier: Apache-2.0
 *
 * What an input asks the allocator for (cycle 1), and what a match makes it serve (cycle 2). */
#pragma once

#include "input_receive.h"

/* ---------------------------------------------------------------- cycle 2: be matched */

/* Queues of an output whose head has one cell, for certain. */
static inline unsigned input_short(const input_t *in, unsigned output)
{
	return class_cells[0] == 1 ? in->of_class[0][output] : in->single[output];
}

/* Round robin between the TCs that have an eligible queue, and between the VCs of the TC. `again`: the last cycle chose
 * for this link too, which the pointers do not show yet. */
static inline unsigned input_choose_vc(input_t *in, unsigned link, unsigned ready, int again, int starts_long)
{
	const unsigned classes = again ? in->class_before : in->class_above[link];
	const unsigned queues = again ? in->queue_before : in->queue_above[link];
	unsigned tcs = 0, tc, members, queue;

	for (unsigned t = 0; t < TCS; t++) {
		tcs |= (unsigned)((ready & tc_vcs(t)) != 0) << t;
	}
	tc = round_robin(tcs, classes);
	members = tc_vcs(tc);
	queue = round_robin(ready & members, queues);
	/* Behind a longer packet no choice follows in the next cycle. */
	if (!starts_long) {
		in->class_before = in->class_above[link];
		in->queue_before = in->queue_above[link];
	}
	in->queue_above[link] = (queue_mask_t)((in->queue_above[link] & ~members) | (members & above(queue)));
	in->class_above[link] = (uint8_t)above(tc);
	return queue;
}

/* What the match of this cycle, or a queue that goes without one, serves next: written to `next`. Returns whether it
 * makes the input busy. */
typedef struct {
	uint8_t serve, from, queue, requeue, output;
	int starts_long;
} service_t;

static inline service_t input_choose(input_t *in, unsigned match, unsigned exhausted_output, unsigned exhausted)
{
	service_t s = {0};

	if (match != NO_PORT) {
		/* It is told before it is known what is chosen. */
		s.starts_long = in->may_be_long >> match & 1;
		s.output = (uint8_t)match;

		unsigned ready = in->eligible[match] & ~(match == exhausted_output ? exhausted : 0);

		if (ready) {
			unsigned queue;

			if (match < LINKS) {
				queue = input_choose_vc(in, match, ready,
					match == exhausted_output && !in->serve_requeue, s.starts_long);
			} else {
				queue = round_robin(ready, in->tc_above[match - LINKS]);
				in->tc_above[match - LINKS] = (uint8_t)above(queue);
			}
			s.serve = 1;
			s.from = (uint8_t)match;
			s.queue = (uint8_t)queue;
		}
	} else if (in->busy_with.own && !in->busy &&
		   !(in->own_output == exhausted_output && (exhausted >> in->own_queue & 1))) {
		s.serve = 1;
		s.from = in->own_output;
		s.queue = in->own_queue;
		s.requeue = in->own_requeue;
		s.output = NO_PORT;
		s.starts_long = !in->own_requeue && !(input_short(in, DROP_OUTPUT) & 1);
	}
	return s;
}

/* ---------------------------------------------------------------- an output that is never free in time */

/* Streams of equal length may keep step: whenever the input is free, an output that it waits for is busy, or without
 * credit. Nor may an input come first while it gives way, when each match elsewhere lets it give way anew. When
 * PATIENCE packets have passed it, longer ones or while the input gave way there, the input asks for that output alone,
 * and does not give way. It does so until no packet for it could start in PATIENCE / 2 cycles. */
enum { PATIENCE = 128 };

static inline unsigned input_may_start_watched(const input_t *in)
{
	return in->wants >> in->watched & 1;
}

static inline void input_watch_next(input_t *in)
{
	in->watched = (uint8_t)(in->watched == PORTS - 1 ? 0 : in->watched + 1);
	in->passed = 0;
	in->watched_waited = 0;
	in->busy_with.insists = 0;
}

/* A cycle of an input that insists, or in which a queue was served: that of an output, or of none. Flags are as when
 * the cycle began: a packet `may_start` for the watched output, or could before. */
static inline void input_watch(
	const card_t *card, input_t *in, unsigned port, int serve, unsigned may_start, unsigned waited)
{
	if (in->passed == PATIENCE + PATIENCE / 2 || (serve && (!waited || in->serve_output == in->watched))) {
		input_watch_next(in);
		return;
	}
	if (serve && in->serve_requeue) {
		in->watched_waited = 0;
	}
	in->passed +=
		(uint8_t)(in->busy_with.insists
				  ? !may_start
				  : in->busy || (in->gives_way && (outputs_entered(card, port) >> in->watched & 1)));
	in->busy_with.insists = in->passed >= PATIENCE;
}

/* The outputs asked for, if no queue goes without a match. */
static inline unsigned input_asks(const input_t *in, unsigned wants)
{
	return in->busy_with.insists ? wants & 1u << in->watched : wants;
}

/* ---------------------------------------------------------------- cycle 1: request */

/* Queues of an output whose head has room in the buffer behind it. */
static inline unsigned input_room(const card_t *card, const input_t *in, unsigned output)
{
	const credits_t *c = &card->credits[output];
	unsigned room = 0;

	for (unsigned k = 0; k < CLASSES; k++) {
		room |= in->of_class[k][output] & (output < LINKS ? c->room[k] : c->room[k] & 1 ? ~0u : 0u);
	}
	return room;
}

static inline unsigned input_tcs_of(unsigned output, unsigned queues)
{
	unsigned tcs = 0;

	if (output >= LINKS || !queues) {
		return queues;
	}
	for (unsigned t = 0; t < TCS; t++) {
		tcs |= (unsigned)((queues & tc_vcs(t)) != 0) << t;
	}
	return tcs;
}

/* TCs with heads that wait for their turn. */
static inline unsigned input_granted(const input_t *in)
{
	unsigned tcs = 0;

	for (unsigned rest = MONITORS ? in->outputs & ALL_PORTS : 0; rest; rest &= rest - 1) {
		tcs |= input_tcs_of(lowest(rest), in->eligible[lowest(rest)]);
	}
	return tcs;
}

/* Eligible queues and requests; returns the TCs that wait for credits. */
static inline unsigned input_request(
	const card_t *card, input_t *in, unsigned before, int weighted, unsigned stream_output)
{
	unsigned any = 0, may_be_long = 0, starved = 0;

	for (unsigned rest = (in->outputs | before) & ALL_PORTS; rest; rest &= rest - 1) {
		const unsigned o = lowest(rest);
		const unsigned able = in->nonempty[o] & (card->credits[o].ample ? ~0u : input_room(card, in, o));
		unsigned eligible = able;

		for (unsigned blocked = card->block[o]; blocked; blocked &= blocked - 1) {
			eligible &= ~queues_of_tc(o, lowest(blocked));
		}
		in->eligible[o] = (queue_mask_t)eligible;
		any |= (unsigned)(eligible != 0) << o;
		may_be_long |= (unsigned)((eligible & ~input_short(in, o)) != 0) << o;
		if (weighted) {
			in->wanted[o] =
				(uint8_t)(stream_output != NO_PORT && stream_output != o ? 0 : input_tcs_of(o, able));
		}
		if (MONITORS && able != in->nonempty[o]) {
			starved |= input_tcs_of(o, in->nonempty[o] & ~able);
		}
	}
	in->request = (uint16_t)input_asks(in, any);
	in->watched_waited |= (uint8_t)input_may_start_watched(in);
	in->wants = (uint16_t)any;
	in->may_be_long = (uint16_t)may_be_long;
	return starved;
}

/* Ages the heads of adaptive queues. */
static inline void input_age(input_t *in, int tick, unsigned served_output, unsigned served)
{
	unsigned ageing = 0;

	for (unsigned o = 0; o < LINKS; o++) {
		unsigned here = in->nonempty[o] & EXTORUS_VCS_ADAPTIVE & ~(o == served_output ? served : 0);
		unsigned waited = in->waited[o];

		in->waited[o] = (queue_mask_t)((waited | (tick ? here : 0)) & here);
		in->must[o] = (queue_mask_t)((in->must[o] | (tick ? waited : 0)) & here);
		ageing |= in->waited[o] | in->must[o];
	}
	in->busy_with.ageing = ageing != 0;
}

/* The queue whose head escapes next: the first behind the one that escaped last, cyclically. */
static inline void input_choose_escape(input_t *in, unsigned served_output, unsigned served)
{
	for (unsigned k = 0; k <= LINKS; k++) {
		unsigned o = (in->escape_output + k) % LINKS;
		unsigned must = in->must[o] & ~(o == served_output ? served : 0);

		if (k == 0) {
			must &= ~in->escape_done;
		}
		if (must) {
			in->busy_with.own = 1;
			in->own_output = (uint8_t)o;
			in->own_queue = (uint8_t)lowest(must);
			return;
		}
	}
}
