/* SPDX-License-Identifier: Apache-2.0
 *
 * One input of the switch: receives cells, chooses output and VC of each packet, queues it, asks for outputs, and
 * streams what was matched. A step does all stages of one cycle, the last one first, so that each finds what the one
 * before it left in the cycle before. */
#pragma once

#include "card_state.h"

/* What the step of an input tells the card. */
typedef struct {
	unsigned busy_outputs; /* of the next cycle */
	unsigned error;        /* ERROR_* */
} input_result_t;

/* ---------------------------------------------------------------- stage S: the stream */

/* Reads the next cell of the stream, if there is one. Nonzero: the stream goes on. */
static inline int input_read(input_t *in, packets_t *packets, int first)
{
	buffered_t *b = &packets->buffered[in->stream];
	/* A cell can be read in the second cycle after it was written. */
	unsigned readable = b->arrived - (unsigned)(in->written && in->arriving == in->stream);
	int complete = b->arrived > b->len;
	unsigned index = in->stream_index;
	int read = first || index < readable;

	in->x_valid = (uint8_t)read;
	in->x_first = (uint8_t)first;
	in->release = (uint8_t)read;
	if (!read) {
		/* The last cell may be under way still. */
		return !(index == b->len && complete);
	}
	in->x_cell = buffered_cell(b, index);
	in->x_output = in->serve_output;
	in->x_vc = in->serve_vc;
	in->x_credit_vc = b->vc;
	if (first) {
		in->x_len = b->len;
	}
	in->stream_index = (uint8_t)(index + 1);
	in->more = index < b->len;
	if (!in->more) {
		uint32_t done = in->stream;

		/* What arrives next has a record of its own. */
		in->stream = 0;
		if (in->arriving == done) {
			in->arriving = 0;
		}
		buffered_free(packets, done);
		return 0;
	}
	return !(index + 1u == b->len && complete);
}

/* ---------------------------------------------------------------- queues */

static inline unsigned input_class_of(const buffered_t *b)
{
	unsigned k = 0;

	if (BUBBLE && b->enters) {
		return CLASSES - 1;
	}
	while (k < LENGTHS - 1 && b->len >= class_cells[k]) {
		k++;
	}
	return k;
}

static inline void input_set_class(input_t *in, unsigned output, unsigned queue, unsigned class)
{
	for (unsigned k = 0; k < CLASSES; k++) {
		in->of_class[k][output] &= (queue_mask_t) ~(1u << queue);
	}
	in->of_class[class][output] |= (queue_mask_t)(1u << queue);
}

static inline uint32_t input_first(const input_t *in, const packets_t *packets, unsigned output, unsigned queue)
{
	const uint32_t last = in->last[queue_number(output, queue)];

	return in->several[output] >> queue & 1 ? packets->buffered[last].next : last;
}

static inline uint32_t input_pop(input_t *in, packets_t *packets, unsigned output, unsigned queue)
{
	const unsigned bit = 1u << queue;
	const uint32_t last = in->last[queue_number(output, queue)], b = input_first(in, packets, output, queue);

	if (in->several[output] & bit) {
		packets->buffered[last].next = packets->buffered[b].next;
		if (packets->buffered[last].next == last) {
			in->several[output] &= (queue_mask_t)~bit;
		}
		if (!(in->single[output] & bit)) {
			/* Not known until it was read. */
			input_set_class(in, output, queue, CLASSES - 1);
		}
		in->busy_with.follow = 1;
		in->follow_output = (uint8_t)output;
		in->follow_queue = (uint8_t)queue;
	} else {
		in->nonempty[output] &= (queue_mask_t)~bit;
		if (!in->nonempty[output]) {
			in->outputs &= (uint16_t) ~(1u << output);
		}
	}
	return b;
}

static inline void input_push(input_t *in, packets_t *packets, unsigned output, unsigned queue, uint32_t number)
{
	unsigned bit = 1u << queue, q = queue_number(output, queue);
	const buffered_t *b = &packets->buffered[number];
	int single = b->len == 0 && !(BUBBLE && b->enters);

	if (in->nonempty[output] & bit) {
		packets->buffered[number].next = input_first(in, packets, output, queue);
		packets->buffered[in->last[q]].next = number;
		in->several[output] |= (queue_mask_t)bit;
		if (!single) {
			in->single[output] &= (queue_mask_t)~bit;
		}
	} else {
		in->nonempty[output] |= (queue_mask_t)bit;
		in->outputs |= (uint16_t)(1u << output);
		in->single[output] = (queue_mask_t)((in->single[output] & ~bit) | (unsigned)(single ? bit : 0u));
		input_set_class(in, output, queue, input_class_of(b));
	}
	in->last[q] = number;
}

/* ---------------------------------------------------------------- cycle 2: be matched */

/* Queues of an output whose head has one cell, for certain. */
static inline unsigned input_short(const input_t *in, unsigned output)
{
	return class_cells[0] == 1 ? in->of_class[0][output] : in->single[output];
}

/* Round robin between the TCs that have an eligible queue, and between the VCs of the TC. */
static inline unsigned input_choose_vc(input_t *in, unsigned link, unsigned ready)
{
	unsigned tcs = 0, tc, members, candidates, queue;

	for (unsigned t = 0; t < TCS; t++) {
		tcs |= (unsigned)((ready & tc_vcs(t)) != 0) << t;
	}
	tc = round_robin(tcs, in->class_above[link]);
	members = tc_vcs(tc);
	candidates = ready & members;
	queue = round_robin(candidates, in->queue_above[link]);
	in->queue_above[link] = (queue_mask_t)((in->queue_above[link] & ~members) | (members & above(queue)));
	in->class_above[link] = (uint8_t)above(tc);
	return queue;
}

/* What the match of this cycle, or a queue that goes without one, serves next: written to `next`. Returns whether it
 * makes the input busy. */
typedef struct {
	uint8_t serve, from, queue, requeue, output, vc;
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
				queue = input_choose_vc(in, match, ready);
			} else {
				queue = round_robin(ready, in->tc_above[match - LINKS]);
				in->tc_above[match - LINKS] = (uint8_t)above(queue);
			}
			s.serve = 1;
			s.from = (uint8_t)match;
			s.queue = s.vc = (uint8_t)queue;
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

/* Eligible queues and requests; returns the TCs that wait for credits. */
static inline unsigned input_request(
	const card_t *card, input_t *in, unsigned before, int weighted, unsigned stream_output)
{
	unsigned any = 0, may_be_long = 0, starved = 0;

	for (unsigned rest = (in->outputs | before) & ALL_PORTS; rest; rest &= rest - 1) {
		unsigned o = lowest(rest), room = input_room(card, in, o), able = in->nonempty[o] & room;
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
		if (MONITORS) {
			starved |= input_tcs_of(o, in->nonempty[o] & ~room);
		}
	}
	in->request = (uint16_t)any;
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

/* ---------------------------------------------------------------- cycle 0: receive */

/* The output of a packet by the selection function, NO_PORT for the deterministic way. */
static inline unsigned input_adapt(card_t *card, unsigned port, unsigned tc, unsigned vc, const route_t *route)
{
	input_t *in = &card->input[port];
	unsigned candidates = card->usable[tc] & route->mask, group, chosen;
	int may = port >= LINKS ? (tc_vcs(tc) & EXTORUS_VCS_ADAPTIVE) != 0 : (EXTORUS_VCS_ADAPTIVE >> vc & 1);

	group = candidates & card->group[2];
	if (candidates & card->group[1]) {
		group = candidates & card->group[1];
	}
	if (candidates & card->group[0]) {
		group = candidates & card->group[0];
	}
	if (!may || !(route->flags & ROUTE_LEGAL) || !group) {
		return NO_PORT;
	}
	if (group & card->low[tc]) {
		group &= card->low[tc];
	}
	chosen = round_robin(group, in->candidate_above);
	in->candidate_above = (uint8_t)above(chosen);
	return chosen;
}

static inline int input_enters_ring(const card_t *card, unsigned port, unsigned in_vc, const route_t *route)
{
	unsigned ring, vc, from_vc;

	if (route->port >= LINKS || !(route->flags & ROUTE_HAS_VC)) {
		return 0;
	}
	ring = card->settings.ring[route->port];
	vc = route->vc - tc_first_vc[vc_tc[route->vc]];
	from_vc = in_vc - tc_first_vc[vc_tc[in_vc]];
	return (ring >> (4 + vc) & 1) && !((ring & 0xf) == port && (ring >> (8 + from_vc) & 1));
}

/* The number of the table entry that says where a packet goes from here. */
static inline const uint16_t *input_route_entry(const card_t *card, unsigned port, unsigned tc, uint32_t dest)
{
	static const uint16_t none;
	const address_t *at = &card->lookup;
	const uint32_t differs = (dest ^ at->own) & at->mask[tc];
	const int local_differs = (differs & (EXTORUS_LRT_ENTRIES - 1)) != 0;
	const int use_grt = differs >> EXTORUS_LRT_BITS && !((at->order >> tc & 1) && local_differs);
	const unsigned index =
		use_grt ? dest >> EXTORUS_LRT_BITS : EXTORUS_GRT_ENTRIES + (dest & (EXTORUS_LRT_ENTRIES - 1));
	const table_t *table = card->tables[port];

	return table ? &table->entry[index] : &none;
}

/* A head: its place in the buffer and its way. Returns ERROR_*. */
static inline unsigned input_receive_head(
	card_t *card, common_t *common, unsigned port, token_t cell, unsigned vc, header_t header)
{
	input_t *in = &card->input[port];
	const unsigned tc = vc_tc[vc];
	const uint16_t entry = *input_route_entry(card, port, tc, header.dest);
	const route_t *route = &common->entries.entries[entry].route[tc];
	const uint32_t *words = packets_cell(&common->packets, cell);
	uint32_t number = buffered_new(&common->packets);
	buffered_t *b = &common->packets.buffered[number];
	unsigned adaptive = ADAPTIVE ? input_adapt(card, port, tc, vc, route) : (unsigned)NO_PORT;

	in->header = words[0] | (CELL_WORDS > 1 ? (uint64_t)words[CELL_WORDS > 1] << 32 : 0);
	b->packet = token_packet(cell);
	b->odd = NULL;
	b->len = header.len;
	b->vc = (uint8_t)vc;
	b->arrived = 0;
	b->enters = BUBBLE && input_enters_ring(card, port, vc, route);
	b->escape_port = route->port;
	b->escape_vc = route->vc;
	in->arriving = in->e_packet = number;
	if (!(route->flags & ROUTE_LEGAL)) {
		in->e_output = DROP_OUTPUT;
		in->e_queue = 0;
		return route->flags & ROUTE_DAMAGED ? ERROR_TABLE : ERROR_ILLEGAL;
	}
	if (adaptive != NO_PORT) {
		in->e_output = (uint8_t)adaptive;
		in->e_queue = (uint8_t)lowest(tc_vcs(tc) & EXTORUS_VCS_ADAPTIVE);
	} else {
		in->e_output = route->port;
		in->e_queue = route->port < LINKS ? route->vc : (uint8_t)tc;
	}
	return 0;
}

/* A cell at the switch's input. */
static inline unsigned input_receive(card_t *card, common_t *common, unsigned port)
{
	input_t *in = &card->input[port];
	const token_t cell = card->in_cell[port];
	const unsigned vc = card->in_vc[port], tc = vc_tc[vc];
	unsigned error = 0;
	buffered_t *b;

	card->counter[port][COUNT_RX_CELLS + tc]++;
	in->busy_with.head = !in->in_packet;
	if (in->busy_with.head) {
		header_t header = packets_header(&common->packets, cell);

		card->counter[port][COUNT_RX_PACKETS + tc]++;
		error = input_receive_head(card, common, port, cell, vc, header);
		in->left = header.len;
		in->in_packet = header.len != 0;
	} else {
		in->in_packet = in->left != 1;
		in->left--;
	}
	b = &common->packets.buffered[in->arriving];
	if (!b->odd && cell != token_of(b->packet, b->arrived)) {
		packets_begin_odd(&common->packets, b);
	}
	if (b->odd) {
		b->odd[b->arrived] = cell;
	}
	b->arrived++;
	if (error) {
		card->counter[port][COUNT_ILLEGAL]++;
	}
	return error;
}

/* What comes in a cycle, if anything, and the cells that were released in the one before. Returns ERROR_*. */
static inline unsigned input_take(card_t *card, common_t *common, unsigned port, unsigned released)
{
	input_t *in = &card->input[port];
	const unsigned arrives = card->in_valid >> port & 1, error = arrives ? input_receive(card, common, port) : 0;

	in->free = (uint16_t)(in->free - arrives + released);
	in->written = in->received = (uint8_t)arrives;
	return error;
}

/* Outputs at which the packets of an input enter the network or a ring. */
static inline unsigned outputs_entered(const card_t *card, unsigned i)
{
	return i < LINKS ? card->settings.enters[i] : (unsigned)ALL_LINKS;
}

/* An input gives way for a while from its match on, or from when nothing waited. */
static inline void input_give_way(const card_t *card, input_t *in, int anew, unsigned cycles)
{
	in->gives_way = (uint16_t)(anew                     ? card->settings.inject_wait
				   : in->gives_way > cycles ? in->gives_way - cycles
							    : 0);
}

/* ---------------------------------------------------------------- one cycle */

static inline input_result_t input_step(
	card_t *card, common_t *common, unsigned port, unsigned match, int tick, int weighted, unsigned *stalls)
{
	input_t *in = &card->input[port];
	packets_t *packets = &common->packets;
	const unsigned before = in->outputs;
	const int head = in->busy_with.head, serve = in->busy_with.serve, requeue = serve && in->serve_requeue;
	const unsigned served_output = serve ? in->serve_from : (unsigned)NO_PORT;
	const unsigned served = serve ? 1u << in->serve_queue : 0;
	const int keeps = serve && (in->several[served_output] & in->single[served_output] & served);
	const int follow = in->busy_with.follow;
	const unsigned follow_output = in->follow_output, follow_queue = in->follow_queue;
	const int waits = in->busy_with.requeue_waits && !in->requeue_fresh, yields = in->held_off == 31;
	const unsigned released = in->release;
	const service_t next = input_choose(in, match, served_output, keeps ? 0 : served);
	const unsigned waiting_tcs_mask =
		next.serve && next.from < PORTS ? 1u << tc_of_queue(next.from, next.queue) : 0;
	input_result_t result = {0, 0};
	int goes_on = 0;
	unsigned granted = 0;

	if (MONITORS) {
		for (unsigned rest = before & ALL_PORTS; rest; rest &= rest - 1) {
			granted |= input_tcs_of(lowest(rest), in->eligible[lowest(rest)]);
		}
		granted &= ~waiting_tcs_mask;
	}
	/* Stage S. */
	in->busy_with.follow = 0;
	in->x_valid = in->release = 0;
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
		const buffered_t *b = &packets->buffered[in->again];

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
	in->own_requeue = !in->nonempty[DROP_OUTPUT];
	if (in->nonempty[DROP_OUTPUT]) {
		in->busy_with.own = (uint8_t)!yields;
		in->own_output = DROP_OUTPUT;
		in->own_queue = 0;
	} else if (ADAPTIVE && in->busy_with.ageing && !waits && !requeue && !own_requeues &&
		   !in->busy_with.requeue_pending) {
		for (unsigned o = 0; o < LINKS && !in->busy_with.own; o++) {
			unsigned must = in->must[o] & ~(o == served_output ? served : 0);

			if (must) {
				in->busy_with.own = 1;
				in->own_output = (uint8_t)o;
				in->own_queue = (uint8_t)lowest(must);
			}
		}
	}
	if (in->busy_with.own || yields) {
		in->request = 0;
	}
	if (ADAPTIVE) {
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

	input_give_way(card, in, match != NO_PORT || !in->outputs, 1);

	/* Cycle 2's result. */
	in->busy_with.serve = next.serve;
	in->serve_requeue = next.requeue;
	if (next.serve) {
		in->serve_from = next.from;
		in->serve_queue = next.queue;
		in->serve_output = next.output;
		in->serve_vc = next.vc;
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

/* input_step where a head has come in the cycle before to an input at rest. Returns the stalls. */
static inline unsigned input_queue_first(card_t *card, common_t *common, unsigned port)
{
	input_t *in = &card->input[port];
	unsigned starved;

	input_push(in, &common->packets, in->e_output, in->e_queue, in->e_packet);
	starved = input_request(card, in, 0, 0, NO_PORT);
	input_give_way(card, in, 0, 1);
	in->busy_with.head = 0;
	in->own_requeue = 1;
	in->held_off = in->requeue_fresh = 0;
	(void)input_take(card, common, port, 0);
	return starved;
}

/* input_step where nothing is under way but the only head of an input, which is matched with its output, and its body.
 * Returns the stalls. */
static inline unsigned input_match_only(card_t *card, common_t *common, unsigned port, unsigned match)
{
	input_t *in = &card->input[port];
	const unsigned granted = MONITORS ? input_tcs_of(match, in->eligible[match]) : 0, released = in->release;
	const service_t next = input_choose(in, match, NO_PORT, 0);
	const unsigned starved = input_request(card, in, 0, 0, NO_PORT);

	input_give_way(card, in, 1, 0);
	in->x_valid = in->release = 0;
	in->busy_with.serve = 1;
	in->serve_requeue = 0;
	in->serve_from = in->serve_output = next.from;
	in->serve_queue = in->serve_vc = next.queue;
	in->busy = (uint8_t)next.starts_long;
	in->own_requeue = 1;
	in->held_off = in->requeue_fresh = 0;
	(void)input_take(card, common, port, released);
	return starved | (granted & ~(1u << tc_of_queue(match, next.queue))) << 8;
}

/* input_step where the only head of an input is served, and nothing else is to be done. Returns the stalls. */
static inline unsigned input_serve_only(card_t *card, common_t *common, unsigned port)
{
	input_t *in = &card->input[port];
	const unsigned output = in->serve_from, released = in->release;
	const unsigned granted = MONITORS ? input_tcs_of(output, in->eligible[output]) : 0;

	in->stream = input_pop(in, &common->packets, output, in->serve_queue);
	in->stream_index = 0;
	in->busy = (uint8_t)input_read(in, &common->packets, 1);
	in->busy_with.serve = 0;
	in->eligible[output] = 0;
	in->request = 0;
	input_give_way(card, in, !in->outputs, 1);
	in->own_requeue = 1;
	in->held_off = in->requeue_fresh = 0;
	(void)input_take(card, common, port, released);
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
		       in->busy_with.requeue_pending | in->busy_with.ageing);
}

/* input_step for such an input. */
static inline input_result_t input_stream(card_t *card, common_t *common, unsigned port)
{
	input_t *in = &card->input[port];
	const unsigned released = in->release;
	input_result_t result = {0, 0};
	int goes_on = 0;

	if (in->more) {
		goes_on = input_read(in, &common->packets, 0);
		if (goes_on && in->serve_output != NO_PORT) {
			result.busy_outputs = 1u << in->serve_output;
		}
	} else {
		in->x_valid = in->release = 0;
	}
	in->busy = (uint8_t)goes_on;
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
	       !(in->busy_with.head | in->busy_with.serve | in->more | in->x_valid | in->written | in->release |
		       in->busy_with.follow | in->busy_with.own | in->busy | in->outputs | in->request |
		       in->busy_with.requeue_waits | in->busy_with.requeue_pending | in->busy_with.ageing);
}

/* Something is in flight inside. */
static inline int input_active(const input_t *in)
{
	return in->free != BUFFER_CELLS ||
	       (in->written | in->busy_with.follow | in->busy_with.serve | in->more | in->x_valid | in->busy_with.head |
		       (in->busy_with.requeue_waits & !in->requeue_fresh) | in->busy_with.requeue_pending);
}
