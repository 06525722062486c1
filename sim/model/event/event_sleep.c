/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs that sleep: the cycles that they leave out. */
#include "event.h"
#include "model/card/switch.h"

/* Cells in the buffer after `n` cycles of sleep that began with `used`. */
static unsigned used_after(const input_t *in, unsigned used, unsigned reads, unsigned n)
{
	const unsigned came = in->in_packet ? (in->left < n ? in->left : n) : 0;

	return n == 0 ? used : used + came - in->release - (n <= reads ? n - 1 : reads);
}

static void mark(card_t *card, unsigned i, unsigned used)
{
	card->high_water[i] = (uint16_t)(used > card->high_water[i] ? used : card->high_water[i]);
}

/* From the second cycle on what is in use only grows, or only falls. What is read is seen to be served a cycle later.
 */
static void catch_up_marks(card_t *card, unsigned i, unsigned n, unsigned reads)
{
	const input_t *in = &card->input[i];
	const unsigned bit = 1u << i, used = BUFFER_CELLS - in->free;
	const unsigned served = reads ? (n <= reads + 1 ? n : reads + 1) : in->x_valid;

	mark(card, i, card->high_water_used[i]);
	if (n > 1) {
		mark(card, i, used);
	}
	if (n > 2) {
		mark(card, i, used_after(in, used, reads, 1));
		mark(card, i, used_after(in, used, reads, n - 2));
	}
	card->high_water_used[i] = (uint16_t)used_after(in, used, reads, n - 1);
	card->stalled[i] = (uint16_t)(served ? n - served : card->stalled[i] + n);
	card->stall_said &= (uint16_t)~bit;
	card->monitors_stirring |= (uint16_t)bit;
}

void event_let_go(card_t *card, event_card_t *f, unsigned i)
{
	const unsigned output = 1u << card->input[i].serve_output;

	card->input[i].busy = 0;
	f->holding &= (uint16_t) ~(1u << i);
	f->sleep_outputs &= (uint16_t)~output;
	card->output_busy &= (uint16_t)~output;
}

/* The body of a packet comes to an input whose steps have nothing to do with the others' in cycle `t`. */
static void prepare_alone(card_t *card, event_card_t *f, const packets_t *packets, unsigned i, uint64_t t)
{
	const input_t *in = &card->input[i];
	const buffered_t *b = &packets->buffered[in->arriving];
	const unsigned bit = 1u << i;

	card->in_valid = (uint16_t)bit;
	card->in_cell[i] = token_of(b->packet, b->arrived);
	card->in_vc[i] = b->vc;
	if (MONITORS) {
		note_timeouts(card, step_monitors(card, bit, bit, in->x_valid ? bit : 0, 0));
	}
	event_traffic_until(f, t);
}

static void note_stalls(card_t *card, unsigned i, unsigned stalls)
{
	if (MONITORS && stalls) {
		count_stalls(card, i, stalls, 1);
	}
}

void event_serve_alone(card_t *card, event_card_t *f, common_t *common, unsigned i, uint64_t t)
{
	prepare_alone(card, f, &common->packets, i, t);
	note_stalls(card, i, input_serve_only(card, common, i));
}

int event_match_alone(card_t *card, event_card_t *f, common_t *common, unsigned i, uint64_t t)
{
	const input_t *in = &card->input[i];
	const unsigned output = in->e_output, bit = 1u << output;

	if (in->request != bit || (card->output_busy & bit) || !in->in_packet ||
		(in->gives_way && (outputs_entered(card, i) & bit) && event_is_crowded(card, f, output, t))) {
		return 0;
	}
	event_look_at_room(&f->credits[output], &card->credits[output], division_of_output(output), t);
	prepare_alone(card, f, &common->packets, i, t);
	islip_alone(card, i, output);
	note_stalls(card, i, input_match_only(card, common, i, output));
	card->output_busy = (uint16_t)(f->sleep_outputs | (in->busy ? bit : 0));
	return 1;
}

/* The second cycle of an input that was at rest. */
static void queue_alone(card_t *card, event_card_t *f, common_t *common, unsigned i, uint64_t t)
{
	/* The next head may be at the pins. */
	const token_t cell = card->in_cell[i];
	const uint8_t vc = card->in_vc[i];
	const unsigned output = card->input[i].e_output;

	event_look_at_room(&f->credits[output], &card->credits[output], division_of_output(output), t);
	prepare_alone(card, f, &common->packets, i, t);
	note_stalls(card, i, input_queue_first(card, common, i));
	card->in_cell[i] = cell;
	card->in_vc[i] = vc;
}

void event_catch_up(card_t *card, event_card_t *f, unsigned i, uint64_t t, common_t *common, int copied)
{
	input_t *in = &card->input[i];
	packets_t *packets = &common->packets;
	const unsigned n = (uint32_t)t - f->since[i], len = in->x_len;
	const unsigned reads = in->more ? len + 1u - in->stream_index : 0, read = n < reads ? n : reads;
	const unsigned came = in->in_packet ? (in->left < n ? in->left : n) : 0;
	buffered_t *arriving = &packets->buffered[in->arriving];

	if (n == 0) {
		return;
	}
	if (f->early >> i & 1) {
		f->since[i] = (uint32_t)t;
		queue_alone(card, f, common, i, t);
		if (copied) {
			arriving->arrived--;
		}
		return;
	}
	if (f->stalling >> i & 1) {
		event_count_stalls(card, f, t);
		count_stalls(card, i, f->stalls[i], n);
	}
	f->since[i] = (uint32_t)t;
	if (MONITORS) {
		catch_up_marks(card, i, n, reads);
	}
	in->free = (uint16_t)(BUFFER_CELLS - used_after(in, BUFFER_CELLS - in->free, reads, n));
	in->stream_index = (uint8_t)(in->stream_index + read);
	in->x_first = 0;
	if (read) {
		in->x_cell = (in->x_cell & ~(token_t)0xff) | (in->stream_index - 1u);
	}
	in->x_valid = in->release = n <= reads;
	in->more = in->more && in->stream_index <= len;
	in->busy = in->more && in->stream_index < len;
	in->written = in->received = in->in_packet && came == n;
	/* Inputs without an arriving packet share packet 0, so only an input with one writes. */
	if (came) {
		card->counter[i][COUNT_RX_CELLS + vc_tc[arriving->vc]] += came;
		arriving->arrived = (uint16_t)(arriving->arrived + (copied ? 0 : came));
	}
	in->left = (uint8_t)(in->left - came);
	in->in_packet = in->in_packet && in->left;
	in->own_requeue = 1;
	in->held_off = in->requeue_fresh = 0;
	input_give_way(card, in, !in->outputs, n);
	if (!in->more && in->stream) {
		if (!copied) {
			buffered_free(packets, in->stream);
		}
		in->arriving = in->arriving == in->stream ? 0 : in->arriving;
		in->stream = 0;
	}
	if (!in->busy && (f->holding >> i & 1)) {
		event_let_go(card, f, i);
	}
}

void event_finish(card_t *card, event_card_t *f, unsigned i, uint64_t t, common_t *common)
{
	const unsigned bit = 1u << i;

	input_t *in = &card->input[i];

	event_tick(card, f, t - 1, 1);
	/* The last cell was read in t - 2: all that a stream leaves behind. */
	if (MONITORS) {
		mark(card, i, card->high_water_used[i]);
		mark(card, i, f->since[i] + 1 != (uint32_t)t ? (unsigned)BUFFER_CELLS - in->free : 0);
		card->high_water_used[i] = card->stalled[i] = 0;
		card->stall_said &= (uint16_t)~bit;
	}
	if (in->in_packet) {
		card->counter[i][COUNT_RX_CELLS + vc_tc[in->x_credit_vc]] += in->left;
		in->in_packet = in->left = 0;
	}
	if (in->stream) {
		buffered_free(&common->packets, in->stream);
		in->stream = in->arriving = 0;
		in->stream_index = in->x_len + 1;
		in->x_cell = (in->x_cell & ~(token_t)0xff) | in->x_len;
	}
	in->free = BUFFER_CELLS;
	in->x_first = in->x_valid = in->release = in->more = in->busy = in->written = in->received = 0;
	in->own_requeue = 1;
	in->held_off = in->requeue_fresh = 0;
	input_give_way(card, in, 1, 0);
	if (f->holding >> i & 1) {
		event_let_go(card, f, i);
	}
	card->monitors_stirring &= (uint16_t)~bit;
	card->stirring &= (uint16_t)~bit;
	f->asleep &= (uint16_t)~bit;
}

void event_tick_on(card_t *card, event_card_t *f, uint64_t t, int waiting)
{
	const unsigned patience = card->settings.patience;
	uint64_t n = t - f->ticked;

	f->ticked = t;
	if (!waiting) {
		card->tick = 0;
		card->patience = 0;
		return;
	}
	while (n) {
		if (card->tick) {
			card->tick = 0;
			card->patience = 0;
			n--;
		} else if (card->patience >= patience) {
			card->tick = 1;
			card->patience++;
			n--;
		} else {
			const uint64_t k = event_earlier(n, patience - card->patience);

			card->patience = (uint16_t)(card->patience + k);
			n -= k;
		}
	}
}
