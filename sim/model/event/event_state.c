/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a run by events, cell by cell. */
#include <string.h>

#include "event.h"
#include "model/card/counter_access.h"
#include "model/card/nic.h"
#include "model/card/switch.h"
#include "model/network/fast_links.h"
#include "model/network/network_internal.h"

/* How many of the cycles at, at + 1 .. at + cells - 1 are not after t. */
static unsigned so_far(uint64_t at, unsigned cells, uint64_t t)
{
	return t < at ? 0 : t - at + 1 < cells ? (unsigned)(t - at + 1) : cells;
}

/* Whether t is one of them. */
static int within(uint64_t at, unsigned cells, uint64_t t)
{
	return at <= t && t - at < cells;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---------------------------------------------------------------- what sleeps */

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

	if (in->request != bit || (card->output_busy & bit) || !in->in_packet) {
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
		arriving->arrived = (uint16_t)(arriving->arrived - (unsigned)copied);
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
	card->counter[i][COUNT_RX_CELLS + vc_tc[arriving->vc]] += came;
	in->left = (uint8_t)(in->left - came);
	in->in_packet = in->in_packet && in->left;
	in->own_requeue = 1;
	in->held_off = in->requeue_fresh = 0;
	arriving->arrived = (uint16_t)(arriving->arrived + (copied ? 0 : came));
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
			const uint64_t k = earlier(n, patience - card->patience);

			card->patience = (uint16_t)(card->patience + k);
			n -= k;
		}
	}
}

/* ---------------------------------------------------------------- signs of life */

void event_scan(counter_bank_t *b, const event_card_t *f, uint64_t from, uint64_t t)
{
	uint64_t cycle = from + 1;

	while (cycle <= t) {
		if (!b->moved) {
			cycle = event_later(cycle, f->counted_from + 1);
			if (cycle > f->counted_to + 1 || cycle > t) {
				return;
			}
			b->moved = 1;
			cycle++;
			continue;
		}
		cycle = event_later(cycle, b->end);
		if (cycle > t) {
			return;
		}
		b->end = cycle + 1 + COUNTER_COLLECT + PORTS;
		b->read_last = b->reading = 0;
		b->moved = cycle - 1 >= f->counted_from && cycle - 1 <= f->counted_to;
		cycle++;
	}
}

/* The last cycle, not after `t`, in which something but traffic kept the card from being idle. */
static uint64_t last_other(const card_t *card, const event_card_t *f, uint64_t t)
{
	counter_bank_t bank = card->bank;
	uint64_t last = event_later(earlier(t, f->counted_to + 1), earlier(t, f->arrived + 2));

	if (t > f->scanned) {
		event_scan(&bank, f, f->scanned, t - 1);
	}
	if (bank.moved) {
		return t;
	}
	return bank.end ? event_later(last, earlier(t, bank.end + COUNTER_PIPELINE - 1)) : last;
}

uint64_t event_idle_at(const card_t *card, const event_card_t *f, uint64_t now)
{
	/* After two more visits to the counters there is nothing left to visit. */
	const uint64_t end =
		event_later(event_later(f->counted_to, card->bank.end), now) + 4 * (COUNTER_COLLECT + PORTS + 2);

	return event_later(f->traffic, last_other(card, f, end)) + QUIET_CYCLES;
}

/* ---------------------------------------------------------------- credits */

void event_used(const event_credits_t *c, uint64_t before, uint16_t *used)
{
	memcpy(used, c->used, sizeof(c->used));
	for (unsigned i = 0; i < c->charges; i++) {
		if (event_cycle(c->charge[i].at, before) < before) {
			used[c->charge[i].vc] = (uint16_t)(used[c->charge[i].vc] + c->charge[i].cells);
		}
	}
	for (unsigned i = 0; i < c->returns; i++) {
		used[c->back[i].vc] = (uint16_t)(used[c->back[i].vc] - so_far(event_cycle(c->back[i].at, before),
									       c->back[i].cells, before - 1));
	}
}

void event_settle_used(const event_credits_t *f, credits_t *c, division_t d, uint64_t before)
{
	unsigned over = 0;

	event_used(f, before, c->used);
	for (unsigned v = 0; v < d.vcs; v++) {
		over += credits_over(c, d, v);
	}
	c->shared_free = (uint16_t)(d.shared - over);
}

/* The registers after t. Returns whether a charge or a credit was counted in t. */
static int settle_credits(const event_credits_t *f, credits_t *c, division_t d, uint64_t t)
{
	event_settle_used(f, c, d, t - 1);
	c->ample = 0;
	credits_find_room(c, d);
	event_settle_used(f, c, d, t);
	c->changed = c->charged = c->credited = 0;
	for (unsigned i = 0; i < f->charges; i++) {
		c->changed |= f->charge[i].at == (uint32_t)(t - 1);
		if (f->charge[i].at == (uint32_t)t) {
			c->charged = 1;
			c->charge_vc = f->charge[i].vc;
			c->charge_cells = f->charge[i].cells;
		}
	}
	for (unsigned i = 0; i < f->returns; i++) {
		const uint64_t at = event_cycle(f->back[i].at, t);

		c->changed |= within(at, f->back[i].cells, t - 1);
		if (within(at, f->back[i].cells, t)) {
			c->credited = 1;
			c->credit_vc = f->back[i].vc;
		}
	}
	return c->changed;
}

static void settle_all_credits(card_t *card, const event_card_t *f, uint64_t t)
{
	unsigned moved = 0, stirring = 0;

	if (ADAPTIVE) {
		event_look_at_links(card, f, t + 1);
		for (unsigned p = 0; p < LINKS; p++) {
			event_settle_used(&f->credits[p], &card->credits[p], division_of_output(p), t - 1);
			look_behind(card, p);
		}
	}
	for (unsigned p = 0; p < PORTS; p++) {
		credits_t *c = &card->credits[p];

		moved |= (unsigned)settle_credits(&f->credits[p], c, division_of_output(p), t) << p;
		stirring |= (unsigned)(credits_busy(c) != 0) << p;
	}
	card->credits_moved = (uint16_t)(moved & ALL_LINKS);
	card->credits_stirring = (uint16_t)stirring;
	for (unsigned n = 0; n < NICS; n++) {
		(void)settle_credits(&f->inject[n], &card->inject[n].credits, division_of_inject(), t);
	}
}

/* ---------------------------------------------------------------- outputs and links */

static void settle_crossings(card_t *card, const event_card_t *f, const event_run_t *run, uint64_t t)
{
	unsigned valid = 0;

	for (unsigned o = 0; o < PORTS; o++) {
		const unsigned since = o < LINKS ? EVENT_TAKEN - EVENT_CROSS : EVENT_DELIVER - EVENT_CROSS;

		for (uint32_t s = f->cells[o].first; s; s = run->spans[s].next) {
			const event_span_t *span = &run->spans[s];
			const uint64_t at = span->at - since;
			const unsigned cells = span->len + 1u, tc = tc_of_queue(o, span->vc);

			card->counter[o][COUNT_TX_CELLS + tc] -= cells - so_far(at, cells, t);
			card->counter[o][COUNT_TX_PACKETS + tc] -= t < at;
			if (within(at, cells, t)) {
				valid |= 1u << o;
				card->out_cell[o] = token_of(span->packet, (unsigned)(t - at));
				card->out_vc[o] = span->vc;
			}
		}
	}
	card->out_valid = (uint16_t)valid;
}

/* What the links of a card have taken. */
static void settle_links(const xt_engine_t *network, card_t *card, const event_card_t *f, uint64_t t)
{
	const event_span_t *spans = network->event_run->spans;

	card->sent_cells = card->sent_credits = 0;
	for (unsigned p = 0; p < LINKS; p++) {
		uint64_t pushed = 0;

		for (uint32_t s = f->cells[p].first; s; s = spans[s].next) {
			const unsigned cells = spans[s].len + 1u, done = so_far(spans[s].at, cells, t);

			card->pushed_cells[p] = (uint16_t)(card->pushed_cells[p] - (cells - done));
			pushed = done ? event_later(pushed, spans[s].at + done - 1) : pushed;
			if (within(spans[s].at, cells, t)) {
				card->sent_cells |= (uint8_t)(1u << p);
				card->sent_cell[p] = token_of(spans[s].packet, (unsigned)(t - spans[s].at));
				card->sent_vc[p] = spans[s].vc;
			}
		}
		for (uint32_t s = f->returned[p].first; s; s = spans[s].next) {
			const unsigned cells = spans[s].len + 1u, done = so_far(spans[s].at, cells, t);

			card->pushed_credits[p] = (uint16_t)(card->pushed_credits[p] - (cells - done));
			pushed = done ? event_later(pushed, spans[s].at + done - 1) : pushed;
			if (within(spans[s].at, cells, t)) {
				card->sent_credits |= (uint8_t)(1u << p);
				card->sent_credit_vc[p] = spans[s].vc;
			}
		}
		card->pushed_at[p] = event_later(card->pushed_at[p], pushed);
	}
	if (f->pushed) {
		card->links_busy_until = earlier(f->pushed, t) + 2 * network->latency + ACK_CYCLES;
	}
	if (f->arrived) {
		card->links_active_until = earlier(f->arrived, t) + 2;
	}
}

static void put_item(const xt_engine_t *network, xt_engine_t *to, uint64_t arrival, uint32_t card, unsigned port,
	int credit, token_t cell, unsigned vc)
{
	const size_t at = (size_t)((unsigned)arrival & (to->fast_links.slots - 1)) * to->cards + card;
	fast_link_item_t *item;

	if (!fast_links_reserve(&to->fast_links, to->cards)) {
		to->common.packets.failed = 1;
		return;
	}
	item = &to->fast_links.items[at * LINKS + port];
	to->fast_links.came[at] |= (uint16_t)(1u << (credit ? FAST_LINK_CREDITS + port : port));
	to->fast_links.filled = event_later(to->fast_links.filled, arrival);
	if (credit) {
		item->credit_vc = (uint8_t)vc;
	} else {
		item->cell = cell;
		item->vc = (uint8_t)vc;
	}
	if (arrival >= network->common.now) {
		to->in_transit++;
		insert(to, arriving_at(to, arrival), card);
	}
}

/* What is on its way, and what the state of the links still depends on. */
static void settle_fast_links(const xt_engine_t *network, xt_engine_t *to, uint32_t c, uint64_t t)
{
	const event_span_t *spans = network->event_run->spans;
	const event_card_t *f = &network->event_run->card[c];
	const unsigned way = network->latency + FAST_LINK_CYCLES, history = fast_links_history(network) + 2;

	for (unsigned rest = network->card[c].fast; rest; rest &= rest - 1) {
		const unsigned p = lowest(rest);
		const xt_peer_t peer = network->peers[c * LINKS + p];

		for (int credit = 0; credit < 2; credit++) {
			uint32_t s = credit ? f->returned[p].first : f->cells[p].first;

			for (; s; s = spans[s].next) {
				for (unsigned k = 0; k <= spans[s].len; k++) {
					const uint64_t taken = spans[s].at + k;

					/* What was taken in the last cycle is in the card. */
					if (taken < t && taken + history > t) {
						put_item(network, to, taken + way, peer.card, peer.port, credit,
							token_of(spans[s].packet, k), spans[s].vc);
					}
				}
			}
		}
	}
}

/* ---------------------------------------------------------------- NICs */

static void settle_inject(
	const xt_engine_t *network, card_t *card, sending_t *sending, const event_card_t *f, unsigned n, uint64_t t)
{
	const event_nic_t *nic = &f->nic[n];
	const unsigned port = LINKS + n, bit = 1u << port;
	inject_t *in = &card->inject[n];

	(void)network;
	card->in_valid &= (uint16_t)~bit;
	in->in_packet = in->pad = in->discard = 0;
	if (nic->packet && within(nic->start, nic->len + 1u, t)) {
		const unsigned k = (unsigned)(t - nic->start);

		card->in_valid |= (uint16_t)bit;
		card->in_cell[port] = token_of(nic->packet, k);
		card->in_vc[port] = nic->vc;
		if (k < nic->len) {
			in->in_packet = 1;
			in->left = (uint8_t)(nic->len - k);
			in->beat = 1;
			in->data = token_of(nic->packet, k + 1);
			in->last = k + 1 == nic->len;
			sending->next = k + 2;
			/* But for the last one, all is told when the packet starts. */
			sending->told = k + 1 < nic->len ? nic->len : nic->len + 1u;
			if (k + 2 == nic->len + 1u) {
				sending->packet = 0;
			}
		}
	}
	card->inject_stirring =
		(uint8_t)((card->inject_stirring & ~(1u << n)) |
			  (in->beat || in->in_packet || (card->in_valid & bit) || credits_busy(&in->credits) ? 1u << n
													     : 0));
}

/* The cells in the FIFO of an adapter; those that the PE has taken are consumed if `packets` is given. */
static void settle_eject(
	const xt_engine_t *network, card_t *card, const event_card_t *f, unsigned n, uint64_t t, packets_t *packets)
{
	const event_span_t *spans = network->event_run->spans;
	eject_t *e = &card->eject[n];
	unsigned written = e->write, ready = e->write, read = e->write;

	e->delivered = e->credit = e->in_packet = 0;
	for (uint32_t s = f->cells[LINKS + n].first; s; s = spans[s].next) {
		const unsigned cells = spans[s].len + 1u, taken = so_far(spans[s].at, cells, t);
		const packet_t *p = &network->common.packets.packets[spans[s].packet];

		for (unsigned k = taken; k < so_far(spans[s].at - 2, cells, t); k++) {
			e->cells[(written + k) % EXTORUS_EJECT_CELLS] = token_of(spans[s].packet, k);
		}
		read = read + taken;
		ready += so_far(spans[s].at - 2, cells, t - 1);
		written += so_far(spans[s].at - 2, cells, t);
		e->credit |= within(spans[s].at, cells, t);
		e->delivered |= spans[s].at + spans[s].len == t;
		if (taken && taken < cells) {
			e->in_packet = 1;
			e->left = (uint8_t)(cells - taken);
			e->header = p->words[0] | (CELL_WORDS > 1 ? (uint64_t)p->words[CELL_WORDS > 1] << 32 : 0);
			e->stamp = LATENCY ? (uint16_t)(p->words[EXTORUS_HEADER_STAMP_LSB / 32] >>
							EXTORUS_HEADER_STAMP_LSB % 32)
					   : 0;
			if (packets) {
				packets->packets[spans[s].packet].left = (uint16_t)(cells - taken);
			}
		}
	}
	e->valid = ready != read;
	e->write = (uint16_t)(written & EJECT_MASK);
	e->read = (uint16_t)(read & EJECT_MASK);
	card->eject_stirring = (uint8_t)((card->eject_stirring & ~(1u << n)) | (eject_active(e) ? 1u << n : 0));
}

/* ---------------------------------------------------------------- all of it */

/* `copied`: `to` is not the network of which `network` is a shard, but a copy of it. */
static void settle_card(const xt_engine_t *network, xt_engine_t *to, uint32_t c, uint64_t t, int copied)
{
	card_t *card = &to->card[c];
	event_card_t f = network->event_run->card[c];
	const int slept = f.asleep != 0;
	uint64_t last;

	if (f.stepped < t) {
		memset(card->stalls, 0, sizeof(card->stalls));
	}
	if (f.waiting | f.early | f.starting) {
		f.traffic = event_later(f.traffic, t);
	}
	event_count_stalls(card, &f, t);
	for (unsigned rest = f.asleep; rest; rest &= rest - 1) {
		event_catch_up(card, &f, lowest(rest), t, &to->common, copied);
	}
	event_tick(card, &f, t, slept);
	card->counted = within(f.counted_from, (unsigned)(f.counted_to - f.counted_from + 1), t);
	settle_all_credits(card, &f, t);
	settle_crossings(card, &f, network->event_run, t);
	settle_links(network, card, &f, t);
	for (unsigned n = 0; n < NICS; n++) {
		settle_inject(network, card, &to->sending[c * NICS + n], &f, n, t);
		settle_eject(network, card, &f, n, t, copied ? NULL : &to->common.packets);
		if (to->sending[c * NICS + n].packet) {
			insert(to, to->within, c);
		}
	}
	card->in_valid &= (uint16_t) ~(unsigned)ALL_LINKS;
	last = event_later(earlier(f.traffic, t), last_other(card, &f, t));
	event_scan(&card->bank, &f, f.scanned, t);
	card->traffic_quiet = (uint8_t)earlier(QUIET_CYCLES, t - earlier(f.traffic, t));
	card->quiet = (uint8_t)earlier(QUIET_CYCLES, t - last);
	if (card->quiet != QUIET_CYCLES) {
		insert(to, to->busy, c);
	}
}

void event_settle(xt_engine_t *network, xt_engine_t *to)
{
	const uint64_t t = network->common.now - 1;

	event_port_cells(network, to->port_cells);
	to->in_transit = 0;
	memset(to->busy, 0, to->set_words * sizeof(*to->busy));
	memset(to->within, 0, to->set_words * sizeof(*to->within));
	memset(to->arriving, 0, (size_t)to->slots * to->set_words * sizeof(*to->arriving));
	fast_links_clear(to);
	for (unsigned i = 0; i < event_shard_count(network); i++) {
		const xt_engine_t *shard = event_shard(network, i);

		for (uint32_t c = shard->first_card; c < shard->end_card; c++) {
			settle_fast_links(shard, to, c, t);
		}
	}
	for (unsigned i = 0; i < event_shard_count(network); i++) {
		const xt_engine_t *shard = event_shard(network, i);

		for (uint32_t c = shard->first_card; c < shard->end_card; c++) {
			settle_card(shard, to, c, t, to != network);
		}
	}
}

/* Without the cells of streams that have begun and that have not left yet. */
static void take_off(const xt_engine_t *shard, uint32_t c, uint64_t *cells)
{
	const event_span_t *spans = shard->event_run->spans;
	const uint64_t t = shard->common.now - 1;

	for (unsigned p = 0; p < PORTS; p++) {
		/* A link's are seen a cycle after it has taken them. */
		const unsigned seen = p < LINKS ? EVENT_LEAVE - EVENT_TAKEN : 0;

		for (uint32_t s = shard->event_run->card[c].cells[p].first; s; s = spans[s].next) {
			const unsigned n = spans[s].len + 1u;

			cells[(size_t)c * PORTS + p] -= n - so_far(spans[s].at + seen, n, t);
		}
	}
}

void event_port_cells(xt_engine_t *network, uint64_t *cells)
{
	if (cells != network->port_cells) {
		memcpy(cells, network->port_cells, (size_t)network->cards * PORTS * sizeof(*cells));
	}
	for (unsigned i = 0; i < event_shard_count(network); i++) {
		const xt_engine_t *shard = event_shard(network, i);

		for (uint32_t c = shard->first_card; c < shard->end_card; c++) {
			take_off(shard, c, cells);
		}
	}
}
