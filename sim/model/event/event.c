/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include <stdlib.h>
#include <string.h>

#include "model/card/nic.h"
#include "model/card/switch.h"
#include "model/network/fast_links.h"
#include "prefetch.h"

enum { FIRST_SPANS = 1024 };

static void awaken(xt_engine_t *network, uint32_t card)
{
	flow_awaken(network, card, network->common.now);
	flow_stir(network, card);
}

/* ---------------------------------------------------------------- PEs */

/* The first PE from `pe` on that has a packet; almost none has in any one cycle. */
static unsigned next_ready(const xt_engine_t *network, const xt_client_t *client, unsigned pe)
{
	const uint64_t *ready_at = client->ready_at, now = network->cycle;
	const unsigned end = network->end_card * NICS;

	for (; pe + 4 <= end; pe += 4) {
		if ((ready_at[pe] <= now) | (ready_at[pe + 1] <= now) | (ready_at[pe + 2] <= now) |
			(ready_at[pe + 3] <= now)) {
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

	for (unsigned pe = next_ready(network, client, network->first_card * NICS); pe < end;
		pe = next_ready(network, client, pe + 1)) {
		sending_t *sending = &network->sending[pe];
		const uint32_t *words;

		if (sending->packet) {
			continue;
		}
		words = client->fetch(client->context, pe, network->cycle, &sending->count);
		sending->next = sending->told = 0;
		if (words) {
			sending->packet = packets_fetch(packets, words, sending->count);
		}
		if (sending->packet) {
			const header_t header = packets->packets[sending->packet].header;

			network->flow->card[pe / NICS].nics_awake |= (uint8_t)(1u << pe % NICS);
			awaken(network, pe / NICS);
			network->flow->leave |= header.tc >= TCS || header.len + 1u != sending->count;
		}
	}
}

static void deliver(xt_engine_t *network, const flow_event_t *e, const xt_client_t *client)
{
	const flow_t *flow = network->flow;
	const packet_t *p = &network->common.packets.packets[e->packet];
	const flow_span_t *span = &flow->spans[flow->card[e->card].cells[e->port].first];

	while (span->at + span->len != network->common.now) {
		span = &flow->spans[span->next];
	}
	client->received(client->context, e->card * NICS + e->port - LINKS, network->cycle - e->cells + span->told,
		p->words + (size_t)span->told * CELL_WORDS, e->cells + 1u - span->told, 1, 0);
	if (flow->part) {
		parts_release(flow->part, e->packet);
	} else {
		packets_release(&network->common.packets, e->packet);
	}
}

/* ---------------------------------------------------------------- one cycle */

/* An input at rest takes a head, and nothing else happens to it in that cycle. */
static void take_first(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t)
{
	flow_t *flow = network->flow;
	card_t *card = &network->card[c];
	flow_card_t *f = &flow->card[c];
	input_t *in = &card->input[i];
	unsigned error;
	int prompt;

	if (ADAPTIVE && flow->adaptive) {
		flow_look_at_links(card, f, t);
	}
	if (!f->asleep) {
		flow_tick(card, f, card->stirring ? t - 1 : t, 0);
	}
	error = input_receive(card, &network->common, i);
	in->free--;
	in->written = in->received = 1;
	card->stirring |= (uint16_t)(1u << i);
	if (error) {
		card->error[i] |= (uint8_t)error;
		card->errors = 1;
		flow->leave = 1;
	}
	prompt = !in->in_packet || in->e_output == DROP_OUTPUT ||
		 (ADAPTIVE && flow->adaptive && in->e_output < LINKS && (EXTORUS_VCS_ADAPTIVE >> in->e_queue & 1));
	/* The body comes without a gap. */
	flow_count(card, f, t, t, t + in->left);
	flow_traffic_until(f, t);
	flow_stir(network, c);
	f->early |= (uint16_t)(1u << i);
	f->prompt |= (uint16_t)((unsigned)prompt << i);
	flow_sleep_ahead(network, c, i, t, prompt ? 1 : FLOW_LOOKUP);
}

static void take_head(xt_engine_t *network, const flow_event_t *e, uint64_t t)
{
	card_t *card = &network->card[e->card];
	flow_card_t *f = &network->flow->card[e->card];
	const unsigned bit = 1u << e->port;

	card->in_cell[e->port] = token_of(e->packet, 0);
	card->in_vc[e->port] = e->vc;
	if (e->port < LINKS) {
		f->arrived = flow_later(f->arrived, t + e->cells);
	}
	if (!((card->stirring | card->monitors_stirring) & bit)) {
		take_first(network, e->card, e->port, t);
		return;
	}
	f->heads |= (uint16_t)bit;
	f->wake |= (uint16_t)bit;
	awaken(network, e->card);
}

static void happen(xt_engine_t *network, const flow_event_t *e, const xt_client_t *client, uint64_t t)
{
	flow_card_t *f = &network->flow->card[e->card];
	card_t *card = &network->card[e->card];

	switch ((flow_kind_t)e->kind) {
	case FLOW_HEAD:
		take_head(network, e, t);
		break;
	case FLOW_RETURN:
		flow_give_back(&f->credits[e->port], division_of_output(e->port), t, t, e->vc, e->cells);
		if (e->port < LINKS) {
			f->arrived = flow_later(f->arrived, t + e->cells - 1);
		}
		/* Two cycles after the last one it has been counted. */
		flow_traffic_until(f, t + e->cells - 1 + 2);
		flow_stir(network, e->card);
		break;
	case FLOW_RELEASE:
		if ((f->holding >> e->port & 1) && f->since[e->port] + f->lasts[e->port] == (uint32_t)t + 2) {
			flow_let_go(card, f, e->port);
			flow_wake_waiting(f, card);
			if (f->wake) {
				flow_awaken(network, e->card, t);
			}
		}
		break;
	case FLOW_FINISH:
		if ((f->asleep & ~f->waiting) >> e->port & 1 && f->lasts[e->port] &&
			f->since[e->port] + f->lasts[e->port] == (uint32_t)t) {
			flow_finish(card, f, e->port, t, &network->common);
		}
		break;
	case FLOW_LATE:
		if (f->waiting >> e->port & 1) {
			f->wake |= (uint16_t)(1u << e->port);
			flow_awaken(network, e->card, t);
		}
		break;
	case FLOW_HOP:
		client->hop(client->context, e->card, e->port, e->vc, network->cycle,
			network->common.packets.packets[e->packet].words);
		break;
	case FLOW_DELIVERED:
		deliver(network, e, client);
		break;
	case FLOW_ACCEPTED:
		client->sent(client->context, e->card * NICS + e->port, network->cycle, e->cells, 1);
		break;
	case FLOW_INJECTED:
		network->sending[e->card * NICS + e->port].packet = 0;
		f->nics_awake |= (uint8_t)(1u << e->port);
		awaken(network, e->card);
		break;
	case FLOW_IDLE:
		break;
	}
}

/* Whether something in a card is not known to come to rest by itself. */
static int is_stepped(const xt_engine_t *network, uint32_t c, uint64_t t)
{
	const flow_t *flow = network->flow;

	for (unsigned k = 1; k < FLOW_AHEAD; k++) {
		if (flow->awake[(t + k) % FLOW_AHEAD * network->words + c / 64] >> c % 64 & 1) {
			return 1;
		}
	}
	return flow->card[c].waiting != 0;
}

/* Cards that have been quiet for long enough, after the step. */
static void retire(xt_engine_t *network, flow_events_t *idles, uint64_t t)
{
	flow_t *flow = network->flow;

	for (uint32_t i = 0; i < idles->count; i++) {
		const uint32_t c = idles->events[i].card;
		flow_card_t *f = &flow->card[c];
		uint64_t idle;

		idle = is_stepped(network, c, t) ? t + QUIET_CYCLES : flow_idle_at(&network->card[c], f, t);
		if (idle > t) {
			idle = idle < t + FLOW_SLOTS ? idle : t + FLOW_SLOTS - 1;
			flow_put_event(flow, idle, FLOW_IDLE, c, 0, 0, 0, 0);
		} else {
			for (unsigned p = 0; p < PORTS; p++) {
				flow_fold(&f->credits[p], division_of_output(p), t);
			}
			for (unsigned n = 0; n < NICS; n++) {
				flow_fold(&f->inject[n], division_of_inject(), t);
			}
			f->busy = 0;
			flow->busy--;
		}
	}
	idles->count = 0;
}

/* What is delivered in one cycle is told in the order of cards and ports, in which the cells' steps tell it. */
static void order_deliveries(flow_events_t *deliveries)
{
	for (uint32_t i = 1; i < deliveries->count; i++) {
		const flow_event_t e = deliveries->events[i];
		uint32_t k = i;

		for (; k > 0; k--) {
			const flow_event_t *before = &deliveries->events[k - 1];

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
	uint32_t *order = network->flow->order, count = 0;

	for (unsigned w = network->first_card / 64; w < (network->end_card + 63) / 64; w++) {
		for (uint64_t rest = awake[w]; rest; rest &= rest - 1) {
			order[count++] = w * 64 + (unsigned)__builtin_ctzll(rest);
		}
		awake[w] = 0;
	}
	for (uint32_t k = 0; k < count; k++) {
		if (k + AHEAD_STEP < count) {
			ask_for_step(network, order[k + AHEAD_STEP]);
		}
		if (k + AHEAD_INPUTS < count) {
			ask_for_inputs(network, order[k + AHEAD_INPUTS]);
		}
		if (k + AHEAD_OUTPUTS < count) {
			ask_for_outputs(network, order[k + AHEAD_OUTPUTS]);
		}
		flow_step_card(network, order[k], client, t);
	}
}

void flow_step(xt_engine_t *network, const xt_client_t *client)
{
	flow_t *flow = network->flow;
	const uint64_t t = network->common.now;
	/* No event is for the cycle in which it is made. */
	flow_slot_t *slot = &flow->slot[t % FLOW_SLOTS];
	uint64_t *awake = &flow->awake[t % FLOW_AHEAD * network->words];

	order_deliveries(&slot->list[FLOW_DELIVERIES]);
	for (unsigned l = FLOW_PLAIN; l <= FLOW_DELIVERIES; l++) {
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
	flow->moving += flow->moves[t % FLOW_SLOTS];
	flow->moves[t % FLOW_SLOTS] = 0;
	network->moves += (uint64_t)flow->moving;
	network->evaluated += flow->busy;
	retire(network, &slot->list[FLOW_IDLES], t);
	network->common.now++;
}

int flow_is_quiet(xt_engine_t *network)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < flow_parts(network); i++) {
		busy += flow_part(network, i)->flow->busy;
	}
	return busy == 0;
}

/* ---------------------------------------------------------------- a run */

int flow_serves(const xt_engine_t *network, const xt_client_t *client)
{
	if (!LINK_LAYER || client->nic_stall || network->fault_count || network->common.late_count) {
		return 0;
	}
	for (unsigned c = 0; c < network->cards; c++) {
		const card_t *card = &network->card[c];

		if (!card_idle(card) || card->settings.stamp || (QOS && card->settings.weights_set) ||
			card->registers_awake || card->errors || network->blocked_nics[c]) {
			return 0;
		}
		for (unsigned n = 0; n < NICS; n++) {
			if (network->sending[c * NICS + n].packet) {
				return 0;
			}
		}
	}
	return 1;
}

static int adaptive_routes(const entries_t *entries)
{
	for (uint32_t i = 0; i < entries->count; i++) {
		for (unsigned tc = 0; tc < TCS; tc++) {
			if (entries->entries[i].route[tc].mask) {
				return 1;
			}
		}
	}
	return 0;
}

static int allocate(flow_t *flow, const xt_engine_t *network)
{
	flow->awake = calloc((size_t)FLOW_AHEAD * network->words, sizeof(*flow->awake));
	flow->order = calloc(network->end_card - network->first_card, sizeof(*flow->order));
	flow->spans = calloc(FIRST_SPANS, sizeof(*flow->spans));
	flow->span_room = FIRST_SPANS;
	flow->span_count = 1;
	return flow->awake && flow->order && flow->spans;
}

/* What every part has of its own. */
static void release(flow_t *flow)
{
	for (unsigned i = 0; i < FLOW_SLOTS; i++) {
		for (unsigned l = 0; l < FLOW_LISTS; l++) {
			free(flow->slot[i].list[l].events);
		}
	}
	free(flow->awake);
	free(flow->order);
	free(flow->spans);
	free(flow);
}

int flow_open(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	flow_t *flow = calloc(1, sizeof(*flow));

	network->flow = flow;
	if (flow) {
		flow->card = calloc(network->cards, sizeof(*flow->card));
		flow->port_cells = calloc((size_t)network->cards * PORTS, sizeof(*flow->port_cells));
	}
	if (!flow || !flow->card || !flow->port_cells || !allocate(flow, network)) {
		flow_close(network);
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for %u cards", network->cards);
	}
	flow->client = client;
	flow->first = network->common.now;
	flow->adaptive = adaptive_routes(&network->common.entries);
	for (unsigned c = 0; c < network->cards; c++) {
		card_t *card = &network->card[c];
		flow_card_t *f = &flow->card[c];

		f->stepped = f->scanned = network->common.now - 1;
		f->ticked = flow->adaptive ? network->common.now - 1 : UINT64_MAX;
		for (unsigned p = 0; p < PORTS; p++) {
			card->block[p] = card->settings.quiesce >> p & 1 ? ALL_TCS : 0;
		}
	}
	return XT_OK;
}

void flow_close(xt_engine_t *network)
{
	flow_t *flow = network->flow;

	if (!flow) {
		return;
	}
	parts_close(network);
	network->common.packets.failed |= flow->failed;
	free(flow->card);
	free(flow->port_cells);
	release(flow);
	network->flow = NULL;
}

int flow_open_part(xt_engine_t *part, const xt_engine_t *network)
{
	flow_t *flow = calloc(1, sizeof(*flow));

	part->flow = flow;
	if (!flow || !allocate(flow, part)) {
		return 0;
	}
	flow->card = network->flow->card;
	flow->client = network->flow->client;
	flow->first = network->flow->first;
	flow->adaptive = network->flow->adaptive;
	return 1;
}

void flow_close_part(xt_engine_t *part)
{
	if (part->flow) {
		part->common.packets.failed |= part->flow->failed;
		release(part->flow);
		part->flow = NULL;
	}
}

/* Of the packets that are on their way into a PE of a part. */
static void tell_part(const xt_engine_t *part, const xt_client_t *client)
{
	const flow_t *flow = part->flow;
	const uint64_t t = part->common.now - 1;

	for (uint32_t i = part->first_card * NICS; i < part->end_card * NICS; i++) {
		const flow_list_t *list = &flow->card[i / NICS].cells[LINKS + i % NICS];

		for (uint32_t s = list->first; s; s = flow->spans[s].next) {
			flow_span_t *span = &flow->spans[s];
			const unsigned come = (unsigned)(t + 1 - span->at);

			if (span->at <= t && come <= span->len && come > span->told) {
				client->received(client->context, i, span->at + span->told - flow->first,
					part->common.packets.packets[span->packet].words +
						(size_t)span->told * CELL_WORDS,
					come - span->told, 0, 0);
				span->told = (uint8_t)come;
			}
		}
	}
}

void flow_tell(xt_engine_t *network)
{
	for (unsigned i = 0; i < flow_parts(network); i++) {
		tell_part(flow_part(network, i), network->flow->client);
	}
}

void flow_leave(xt_engine_t *network)
{
	flow_tell(network);
	flow_settle(network, network);
	flow_close(network);
}
