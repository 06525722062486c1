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

/* ---------------------------------------------------------------- credits */

/* The registers after t, and the shared cells that were free before. Returns whether a charge or a credit was counted
 * in t. */
static int settle_credits(const event_credits_t *f, credits_t *c, division_t d, uint64_t t, unsigned *shared)
{
	event_settle_used(f, c, d, t - 1);
	c->ample = 0;
	credits_find_room(c, d);
	*shared = c->shared_free;
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

		c->changed |= event_within(at, f->back[i].cells, t - 1);
		if (event_within(at, f->back[i].cells, t)) {
			c->credited = 1;
			c->credit_vc = f->back[i].vc;
		}
	}
	return c->changed;
}

static void settle_all_credits(card_t *card, const event_card_t *f, uint64_t t)
{
	unsigned moved = 0, stirring = 0, crowded = 0, shared;

	if (ADAPTIVE) {
		event_look_at_links(card, f, t + 1);
		for (unsigned p = 0; p < LINKS; p++) {
			event_settle_used(&f->credits[p], &card->credits[p], division_of_output(p), t - 1);
			look_behind(card, p);
		}
	}
	for (unsigned p = 0; p < PORTS; p++) {
		credits_t *c = &card->credits[p];

		moved |= (unsigned)settle_credits(&f->credits[p], c, division_of_output(p), t, &shared) << p;
		crowded |= (unsigned)(EXTORUS_SHARED_CELLS && p < LINKS && shared < room_to_enter(card)) << p;
		stirring |= (unsigned)(credits_busy(c) != 0) << p;
	}
	card->credits_moved = (uint16_t)(moved & ALL_LINKS);
	card->credits_stirring = (uint16_t)stirring;
	card->crowded = (uint16_t)crowded;
	for (unsigned n = 0; n < NICS; n++) {
		(void)settle_credits(&f->inject[n], &card->inject[n].credits, division_of_inject(), t, &shared);
	}
}

/* ---------------------------------------------------------------- outputs and links */

static void settle_crossings(card_t *card, const event_card_t *f, const event_run_t *run, uint64_t t)
{
	unsigned valid = 0, crossing = 0, first = 0;

	for (unsigned o = 0; o < PORTS; o++) {
		const unsigned since = o < LINKS ? EVENT_TAKEN - EVENT_OUT : EVENT_DELIVER - EVENT_OUT;

		for (uint32_t s = f->cells[o].first; s; s = run->spans[s].next) {
			const event_span_t *span = &run->spans[s];
			const uint64_t at = span->at - since;
			const unsigned cells = span->len + 1u, tc = tc_of_queue(o, span->vc);

			card->counter[o][COUNT_TX_CELLS + tc] -= cells - event_so_far(at, cells, t);
			card->counter[o][COUNT_TX_PACKETS + tc] -= t < at;
			if (event_within(at, cells, t)) {
				valid |= 1u << o;
				card->out_cell[o] = token_of(span->packet, (unsigned)(t - at));
				card->out_vc[o] = span->vc;
			}
			if (CROSSBAR_REGISTER && event_within(at, cells, t + 1)) {
				crossing |= 1u << o;
				first |= (unsigned)(t + 1 == at) << o;
				card->crossing_cell[o] = token_of(span->packet, (unsigned)(t + 1 - at));
				card->crossing_vc[o] = span->vc;
			}
		}
	}
	card->out_valid = (uint16_t)valid;
	card->crossing_valid = (uint16_t)crossing;
	card->crossing_first = (uint16_t)first;
}

/* What the links of a card have taken. */
static void settle_links(const xt_engine_t *network, card_t *card, const event_card_t *f, uint64_t t)
{
	const event_span_t *spans = network->event_run->spans;

	card->sent_cells = card->sent_credits = card->leaving_cells = card->leaving_credits = 0;
	for (unsigned p = 0; p < LINKS; p++) {
		uint64_t pushed = 0;

		for (uint32_t s = f->cells[p].first; s; s = spans[s].next) {
			const unsigned cells = spans[s].len + 1u, done = event_so_far(spans[s].at, cells, t);

			card->pushed_cells[p] = (uint16_t)(card->pushed_cells[p] - (cells - done));
			pushed = done ? event_later(pushed, spans[s].at + done - 1) : pushed;
			if (event_within(spans[s].at, cells, t)) {
				card->sent_cells |= (uint16_t)(1u << p);
				card->sent_cell[p] = token_of(spans[s].packet, (unsigned)(t - spans[s].at));
				card->sent_vc[p] = spans[s].vc;
			}
			if (event_within(spans[s].at, cells, t + 1 - SEEN_CYCLES)) {
				card->leaving_cells |= (uint16_t)(1u << p);
				card->leaving_cell[p] =
					token_of(spans[s].packet, (unsigned)(t + 1 - SEEN_CYCLES - spans[s].at));
				card->leaving_vc[p] = spans[s].vc;
			}
		}
		for (uint32_t s = f->returned[p].first; s; s = spans[s].next) {
			const unsigned cells = spans[s].len + 1u, done = event_so_far(spans[s].at, cells, t);

			card->pushed_credits[p] = (uint16_t)(card->pushed_credits[p] - (cells - done));
			pushed = done ? event_later(pushed, spans[s].at + done - 1) : pushed;
			if (event_within(spans[s].at, cells, t)) {
				card->sent_credits |= (uint16_t)(1u << p);
				card->sent_credit_vc[p] = spans[s].vc;
			}
			if (event_within(spans[s].at, cells, t + 1 - SEEN_CYCLES)) {
				card->leaving_credits |= (uint16_t)(1u << p);
			}
		}
		card->pushed_at[p] = event_later(card->pushed_at[p], pushed);
	}
	if (f->pushed) {
		card->links_busy_until = event_earlier(f->pushed, t) + 2 * network->latency + ACK_CYCLES;
	}
	if (f->arrived) {
		card->links_active_until = event_earlier(f->arrived, t) + 2;
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
	to->fast_links.came[at] |= 1u << (credit ? FAST_LINK_CREDITS + port : port);
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
				const uint64_t at = spans[s].at;

				/* What was taken in the last cycle is in the card. */
				for (uint64_t taken = event_later(at + history, t + 1) - history;
					taken < t && taken - at <= spans[s].len; taken++) {
					put_item(network, to, taken + way, peer.card, peer.port, credit,
						token_of(spans[s].packet, (unsigned)(taken - at)), spans[s].vc);
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
	if (nic->packet && event_within(nic->start, nic->len + 1u, t)) {
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
		const unsigned cells = spans[s].len + 1u, taken = event_so_far(spans[s].at, cells, t);
		const packet_t *p = &network->common.packets.packets[spans[s].packet];

		for (unsigned k = taken; k < event_so_far(spans[s].at - 2, cells, t); k++) {
			e->cells[(written + k) % EXTORUS_EJECT_CELLS] = token_of(spans[s].packet, k);
		}
		read = read + taken;
		ready += event_so_far(spans[s].at - 2, cells, t - 1);
		written += event_so_far(spans[s].at - 2, cells, t);
		e->credit |= event_within(spans[s].at, cells, t);
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
	/* EVENT_RELEASE frees these outputs before the next step. An input that took a head in t had nothing to catch
	 * up with. */
	for (unsigned rest = f.holding; rest; rest &= rest - 1) {
		if (!card->input[lowest(rest)].busy) {
			event_let_go(card, &f, lowest(rest));
		}
	}
	event_tick(card, &f, t, slept);
	card->counted = event_within(f.counted_from, (unsigned)(f.counted_to - f.counted_from + 1), t);
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
	last = event_later(event_earlier(f.traffic, t), event_last_other(card, &f, t));
	event_scan(&card->bank, &f, f.scanned, t);
	card->traffic_quiet = (uint8_t)event_earlier(QUIET_CYCLES, t - event_earlier(f.traffic, t));
	card->quiet = (uint8_t)event_earlier(QUIET_CYCLES, t - last);
	card->rest = 0;
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
		/* A link's are seen some cycles after it has taken them. */
		const unsigned seen = p < LINKS ? EVENT_LEAVE - EVENT_TAKEN : 0;

		for (uint32_t s = shard->event_run->card[c].cells[p].first; s; s = spans[s].next) {
			const unsigned n = spans[s].len + 1u;

			cells[(size_t)c * PORTS + p] -= n - event_so_far(spans[s].at + seen, n, t);
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
