/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include <stdlib.h>
#include <string.h>

#include "model/card/nic.h"
#include "model/card/switch.h"
#include "model/network/fast_links.h"
#include "prefetch.h"

static void awaken(xt_engine_t *network, uint32_t card)
{
	event_awaken(network, card, network->common.now);
	event_stir(network, card);
}

/* ---------------------------------------------------------------- PEs */

/* The first PE from `pe` on that has a packet; almost none has in any one cycle. */
static unsigned next_ready(const xt_engine_t *network, const xt_client_t *client, unsigned pe)
{
	enum { ROW = 16 };
	const uint64_t *ready_at = client->ready_at, now = network->cycle;
	const unsigned end = network->end_card * NICS;

	for (; pe + ROW <= end; pe += ROW) {
		const uint64_t *row = &ready_at[pe];
		unsigned later = 0;

		for (unsigned k = 0; k < (unsigned)ROW; k++) {
			later += row[k] > now;
		}
		if (later < (unsigned)ROW) {
			break;
		}
	}
	while (pe < end && ready_at[pe] > now) {
		pe++;
	}
	return pe;
}

/* Every PE whose NIC is free and that has a packet begins to send it. */
static void start_packets(xt_engine_t *network, const xt_client_t *client)
{
	packets_t *packets = &network->common.packets;
	const unsigned end = network->end_card * NICS;
	const uint32_t *(*fetch)(void *, unsigned, uint64_t, unsigned *) =
		client->fetch_head ? client->fetch_head : client->fetch;

	for (unsigned pe = next_ready(network, client, network->first_card * NICS); pe < end;
		pe = next_ready(network, client, pe + 1)) {
		sending_t *sending = &network->sending[pe];
		const uint32_t *words;

		if (sending->packet) {
			continue;
		}
		words = fetch(client->context, pe, network->cycle, &sending->count);
		sending->next = sending->told = 0;
		if (words) {
			sending->packet = packets_fetch(packets, sending_name(sending, pe), words, sending->count,
				event_kept(network->event_run, words, sending->count));
		}
		if (sending->packet) {
			const header_t header = packets->packets[sending->packet].header;

			network->event_run->card[pe / NICS].nics_awake |= (uint8_t)(1u << pe % NICS);
			awaken(network, pe / NICS);
			network->event_run->leave |= header.tc >= TCS || header.len + 1u != sending->count;
		}
	}
}

static void deliver(xt_engine_t *network, const event_t *e, const xt_client_t *client)
{
	const event_run_t *run = network->event_run;
	const packet_t *p = &network->common.packets.packets[e->packet];
	const event_span_t *span = &run->spans[run->card[e->card].cells[e->port].first];

	while (span->at + span->len != network->common.now) {
		span = &run->spans[span->next];
	}
	event_tell_received(network, client, e->card * NICS + e->port - LINKS, network->cycle - e->cells + span->told,
		p, span->told, e->cells + 1u - span->told, 1);
	if (network->shard) {
		shards_release(network->shard, e->packet);
	} else {
		packets_release(&network->common.packets, e->packet);
	}
}

/* ---------------------------------------------------------------- one cycle */

/* An input at rest, or one that does nothing but stream, takes a head. */
static void take_first(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t)
{
	event_run_t *run = network->event_run;
	card_t *card = &network->card[c];
	event_card_t *f = &run->card[c];
	const input_t *in = &card->input[i];
	unsigned error;
	int prompt;

	if (ADAPTIVE && run->adaptive) {
		event_look_at_links(card, f, t);
	}
	if (!f->asleep) {
		event_tick(card, f, card->stirring ? t - 1 : t, 0);
	}
	if (f->asleep >> i & 1) {
		event_catch_up(card, f, i, t - 1, &network->common, 0);
		event_monitor(card, i);
	}
	card->in_valid = (uint16_t)(1u << i);
	error = input_stream(card, &network->common, i).error;
	ask_for_output(network, c, i);
	card->stirring |= (uint16_t)(1u << i);
	if (error) {
		card->error[i] |= (uint8_t)error;
		card->errors = 1;
		run->leave = 1;
	}
	prompt = !in->in_packet || in->e_output == DROP_OUTPUT ||
		 (ADAPTIVE && run->adaptive && in->e_output < LINKS && (EXTORUS_VCS_ADAPTIVE >> in->e_queue & 1));
	/* The body comes without a gap. */
	event_count(card, f, t, t, t + in->left);
	event_traffic_until(f, t);
	event_stir(network, c);
	f->early |= (uint16_t)(1u << i);
	f->prompt |= (uint16_t)((unsigned)prompt << i);
	event_sleep_ahead(network, c, i, t, prompt ? 1 : EVENT_LOOKUP);
}

static void take_head(xt_engine_t *network, const event_t *e, uint64_t t)
{
	card_t *card = &network->card[e->card];
	event_card_t *f = &network->event_run->card[e->card];
	const unsigned bit = 1u << e->port;

	card->in_cell[e->port] = token_of(e->packet, 0);
	card->in_vc[e->port] = e->vc;
	if (e->port < LINKS) {
		f->arrived = event_later(f->arrived, t + e->cells);
	}
	if (!((card->stirring | card->monitors_stirring) & bit) || (f->asleep & ~(f->early | f->waiting) & bit)) {
		take_first(network, e->card, e->port, t);
		return;
	}
	f->heads |= (uint16_t)bit;
	f->wake |= (uint16_t)bit;
	awaken(network, e->card);
}

static void happen(xt_engine_t *network, const event_t *e, const xt_client_t *client, uint64_t t)
{
	event_card_t *f = &network->event_run->card[e->card];
	card_t *card = &network->card[e->card];

	switch ((event_kind_t)e->kind) {
	case EVENT_HEAD:
		take_head(network, e, t);
		break;
	case EVENT_RETURN:
		event_give_back(&f->credits[e->port], division_of_output(e->port), t, t, e->vc, e->cells);
		if (e->port < LINKS) {
			f->arrived = event_later(f->arrived, t + e->cells - 1);
		}
		/* Two cycles after the last one it has been counted. */
		event_traffic_until(f, t + e->cells - 1 + 2);
		event_stir(network, e->card);
		break;
	case EVENT_RELEASE:
		if (f->holding >> e->port & 1) {
			event_let_go(card, f, e->port);
			event_wake_waiting(f, card);
			if (f->wake) {
				event_awaken(network, e->card, t);
			}
		}
		break;
	case EVENT_FINISH:
		if ((f->asleep & ~f->waiting) >> e->port & 1 && f->lasts[e->port] &&
			f->since[e->port] + f->lasts[e->port] == (uint32_t)t) {
			event_finish(card, f, e->port, t, &network->common);
		}
		break;
	case EVENT_LATE:
		if (f->waiting >> e->port & 1) {
			f->wake |= (uint16_t)(1u << e->port);
			event_awaken(network, e->card, t);
		}
		break;
	case EVENT_HOP:
		client->hop(client->context, e->card, e->port, e->vc, network->cycle,
			network->common.packets.packets[e->packet].words);
		break;
	case EVENT_DELIVERED:
		deliver(network, e, client);
		break;
	case EVENT_ACCEPTED:
		client->sent(client->context, e->card * NICS + e->port, network->cycle, e->cells, 1);
		break;
	case EVENT_INJECTED:
		network->sending[e->card * NICS + e->port].packet = 0;
		f->nics_awake |= (uint8_t)(1u << e->port);
		awaken(network, e->card);
		break;
	case EVENT_GONE:
		shards_release(network->shard, e->packet);
		break;
	case EVENT_IDLE:
		break;
	}
}

/* Whether something in a card is not known to come to rest by itself. */
static int is_stepped(const xt_engine_t *network, uint32_t c, uint64_t t)
{
	const event_run_t *run = network->event_run;

	for (unsigned k = 1; k < EVENT_AHEAD; k++) {
		if (run->awake[(t + k) % EVENT_AHEAD * network->words + c / 64] >> c % 64 & 1) {
			return 1;
		}
	}
	return run->card[c].waiting != 0;
}

/* Cards that have been quiet for long enough, after the step. */
static void retire(xt_engine_t *network, event_list_t *idles, uint64_t t)
{
	event_run_t *run = network->event_run;

	for (uint32_t i = 0; i < idles->count; i++) {
		const uint32_t c = idles->events[i].card;
		event_card_t *f = &run->card[c];
		uint64_t idle;

		idle = is_stepped(network, c, t) ? t + QUIET_CYCLES : event_idle_at(&network->card[c], f, t);
		if (idle > t) {
			idle = idle < t + EVENT_SLOTS ? idle : t + EVENT_SLOTS - 1;
			event_put(run, idle, EVENT_IDLE, c, 0, 0, 0, 0);
		} else {
			for (unsigned p = 0; p < PORTS; p++) {
				event_fold(&f->credits[p], division_of_output(p), t);
			}
			for (unsigned n = 0; n < NICS; n++) {
				event_fold(&f->inject[n], division_of_inject(), t);
			}
			f->busy = 0;
			run->busy--;
		}
	}
	idles->count = 0;
}

/* What is delivered in one cycle is told in the order of cards and ports, in which the cells' steps tell it. */
static void order_deliveries(event_list_t *deliveries)
{
	for (uint32_t i = 1; i < deliveries->count; i++) {
		const event_t e = deliveries->events[i];
		uint32_t k = i;

		for (; k > 0; k--) {
			const event_t *before = &deliveries->events[k - 1];

			if (before->card < e.card || (before->card == e.card && before->port < e.port)) {
				break;
			}
			deliveries->events[k] = *before;
		}
		deliveries->events[k] = e;
	}
}

/* The cards of a set, which is empty then. */
static void step_cards(xt_engine_t *network, uint64_t *awake, const xt_client_t *client, uint64_t t)
{
	for (unsigned w = network->first_card / 64; w < (network->end_card + 63) / 64; w++) {
		uint64_t rest = awake[w];

		awake[w] = 0;
		for (; rest; rest &= rest - 1) {
			event_step_card(network, w * 64 + (unsigned)__builtin_ctzll(rest), client, t);
		}
	}
}

void event_step(xt_engine_t *network, const xt_client_t *client)
{
	event_run_t *run = network->event_run;
	const uint64_t t = network->common.now;
	/* No event is for the cycle in which it is made. */
	event_slot_t *slot = &run->slot[t % EVENT_SLOTS];
	uint64_t *awake = &run->awake[t % EVENT_AHEAD * network->words];

	order_deliveries(&slot->list[EVENT_DELIVERIES]);
	for (unsigned l = EVENT_PLAIN; l <= EVENT_DELIVERIES; l++) {
		const uint32_t count = slot->list[l].count;

		for (uint32_t i = 0; i < count; i++) {
			if (i + AHEAD_CARD < count) {
				ask_for_card(network, &slot->list[l].events[i + AHEAD_CARD]);
			}
			if (i + AHEAD_PACKET < count) {
				ask_for_packet(network, &slot->list[l].events[i + AHEAD_PACKET]);
			}
			happen(network, &slot->list[l].events[i], client, t);
		}
		slot->list[l].count = 0;
	}
	start_packets(network, client);
	step_cards(network, awake, client, t);
	run->moving += run->moves[t % EVENT_SLOTS];
	run->moves[t % EVENT_SLOTS] = 0;
	network->moves += (uint64_t)run->moving;
	network->evaluated += run->busy;
	retire(network, &slot->list[EVENT_IDLES], t);
	network->common.now++;
}
