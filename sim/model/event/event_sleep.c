/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs that sleep: the cycles that they leave out. */
#include "event.h"
#include "model/card/switch.h"

/* Cells in the buffer after `n` cycles of sleep that began with `used`. */
static unsigned used_after(const input_t *in, unsigned used, unsigned reads, unsigned n)
{
	const unsigned came = in->in_packet ? (in->left < n ? in->left : n) : 0;

	return n == 0 ? used : used + came - in->x_valid - (n <= reads ? n - 1 : reads);
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

void event_monitor(card_t *card, unsigned i)
{
	const input_t *in = &card->input[i];

	if (MONITORS && step_monitor(card, i, in->free != BUFFER_CELLS, in->x_valid, 0)) {
		note_timeouts(card, 1u << i);
	}
}

static void note_stalls(card_t *card, unsigned i, unsigned stalls)
{
	if (MONITORS && stalls) {
		count_stalls(card, i, stalls, 1);
	}
}

int event_match_alone(card_t *card, event_card_t *f, common_t *common, unsigned i, uint64_t t)
{
	const input_t *in = &card->input[i];
	const int arrives = in->in_packet;
	unsigned request = in->busy || !input_is_settled(in) ? 0 : in->request & ~(unsigned)card->output_busy;
	unsigned match, stalls;

	for (unsigned rest = in->gives_way ? request & outputs_entered(card, i) : 0; rest; rest &= rest - 1) {
		request &= ~((unsigned)event_is_crowded(card, f, lowest(rest), t) << lowest(rest));
	}
	if (!request) {
		return 0;
	}
	for (unsigned rest = in->outputs; rest; rest &= rest - 1) {
		const unsigned o = lowest(rest);

		event_look_at_room(&f->credits[o], &card->credits[o], division_of_output(o), t);
	}
	event_traffic_until(f, t);
	event_monitor(card, i);
	match = round_robin_down(request, card->accept_below[i]);
	islip_alone(card, i, match);
	stalls = input_match_only(card, common, i, match);
	note_stalls(card, i, stalls);
	card->output_busy = (uint16_t)(f->sleep_outputs | (in->busy ? 1u << match : 0));
	if (arrives || stalls || f->stalling) {
		event_count(card, f, t, t, t);
	}
	return 1;
}

int event_pass_alone(card_t *card, event_card_t *f, common_t *common, unsigned i, uint64_t t)
{
	input_t *in = &card->input[i];
	const unsigned o = in->e_output, plain = card->fast | (ALL_PORTS & ~(unsigned)ALL_LINKS), queue = in->e_queue;
	buffered_t *b = &common->packets.buffered[in->arriving];

	if (in->left <= EVENT_LOOKUP || in->outputs || in->stream || in->x_valid ||
		((card->output_busy | ~plain) >> o & 1) || card->block[o] || card->settings.stall_timeout ||
		!card->credits[o].ample || !event_is_ample(&f->credits[o], division_of_output(o)) ||
		(in->gives_way && (outputs_entered(card, i) >> o & 1) && event_is_crowded(card, f, o, t))) {
		return 0;
	}
	if (MONITORS) {
		/* It held the head, and one cell more in the second cycle. */
		mark(card, i, 1);
		card->high_water_used[i] = card->stalled[i] = EVENT_LOOKUP;
		card->monitors_stirring |= (uint16_t)(1u << i);
	}
	islip_alone(card, i, o);
	input_push(in, &common->packets, o, queue, in->e_packet);
	in->eligible[o] = (queue_mask_t)(1u << queue);
	in->request = in->may_be_long = (uint16_t)(1u << o);
	(void)input_choose(in, o, NO_PORT, 0);
	in->busy_with.head = 0;
	in->busy_with.serve = 1;
	in->serve_requeue = 0;
	in->serve_from = in->serve_output = (uint8_t)o;
	in->serve_queue = (uint8_t)queue;
	in->busy = in->own_requeue = 1;
	in->held_off = in->requeue_fresh = 0;
	input_give_way(card, in, 1, 0);
	card->counter[i][COUNT_RX_CELLS + vc_tc[b->vc]] += EVENT_LOOKUP;
	b->arrived = (uint16_t)(b->arrived + EVENT_LOOKUP);
	in->left = (uint8_t)(in->left - EVENT_LOOKUP);
	in->free = (uint16_t)(in->free - EVENT_LOOKUP);
	f->early &= (uint16_t) ~(1u << i);
	return 1;
}

/* The cycle in which a stream begins whose effects are known. */
static void serve_alone(card_t *card, event_card_t *f, common_t *common, unsigned i, int copied)
{
	event_monitor(card, i);
	note_stalls(card, i, input_serve_only(card, common, i, copied));
	f->starting &= (uint16_t) ~(1u << i);
	f->since[i]++;
}

void event_catch_up(card_t *card, event_card_t *f, unsigned i, uint64_t t, common_t *common, int copied)
{
	input_t *in = &card->input[i];
	packets_t *packets = &common->packets;
	unsigned n = (uint32_t)t - f->since[i], len, reads, read, came;
	buffered_t *arriving;

	if (n == 0) {
		return;
	}
	if (f->early >> i & 1) {
		input_push(in, packets, in->e_output, in->e_queue, in->e_packet);
		in->busy_with.head = 0;
	}
	if (f->starting >> i & 1) {
		serve_alone(card, f, common, i, copied);
		if (--n == 0) {
			return;
		}
		card->stalls[i] = 0;
	}
	len = in->x_len;
	reads = in->more ? len + 1u - in->stream_index : 0;
	read = n < reads ? n : reads;
	came = in->in_packet ? (in->left < n ? in->left : n) : 0;
	arriving = &packets->buffered[in->arriving];
	if (MONITORS && f->stalling >> i & 1) {
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
	in->x_valid = n <= reads;
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
	if (f->early >> i & 1) {
		event_look_at_room(
			&f->credits[in->e_output], &card->credits[in->e_output], division_of_output(in->e_output), t);
		note_stalls(card, i, input_request(card, in, 0, 0, NO_PORT));
	}
}

void event_finish(card_t *card, event_card_t *f, unsigned i, uint64_t t, common_t *common)
{
	const unsigned bit = 1u << i;

	input_t *in = &card->input[i];

	const int whole = f->starting >> i & 1;
	const unsigned grows = whole && !in->x_valid;

	event_tick(card, f, t - 1, 1);
	if (whole) {
		note_stalls(card, i, input_serve_whole(in, &common->packets));
		f->starting &= (uint16_t)~bit;
	}
	/* The last cell was read in t - 2: all that a stream leaves behind. Before its first one, it had one more. */
	if (MONITORS) {
		mark(card, i, card->high_water_used[i]);
		mark(card, i, f->since[i] + 1 != (uint32_t)t ? BUFFER_CELLS - in->free + grows : 0);
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
	in->x_first = in->x_valid = in->more = in->busy = in->written = in->received = 0;
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
