/* SPDX-License-Identifier: Apache-2.0
 *
 * The queues of an input, and the stream of the packet that leaves it (stage S). */
#pragma once

#include "card_state.h"

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
	if (!read) {
		/* The last cell may be under way still. */
		return !(index == b->len && complete);
	}
	in->x_cell = buffered_cell(b, index);
	in->x_output = in->serve_output;
	in->x_vc = in->serve_queue;
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

/* A stream that has begun, if any, goes on. Nonzero: and still does in the next cycle. */
static inline int input_go_on(input_t *in, packets_t *packets)
{
	if (in->more) {
		return input_read(in, packets, 0);
	}
	in->x_valid = 0;
	return 0;
}

/* ---------------------------------------------------------------- queues */

static inline unsigned input_class_of(const buffered_t *b)
{
	unsigned k = 0;

	if (BUBBLE && b->enters) {
		return CLASSES - 1;
	}
	while (k + 1 < LENGTHS && b->len >= class_cells[k]) {
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
