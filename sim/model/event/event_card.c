/* SPDX-License-Identifier: Apache-2.0
 *
 * One cycle of a card in a run by events: the inputs that are awake, those that take a step alone, and the NICs. */
#include <string.h>

#include "event.h"
#include "model/card/nic.h"
#include "model/card/switch.h"

/* ---------------------------------------------------------------- NICs */

static void step_nic(xt_engine_t *network, uint32_t c, unsigned n, const xt_client_t *client, uint64_t t)
{
	event_run_t *run = network->event_run;
	card_t *card = &network->card[c];
	event_card_t *f = &run->card[c];
	event_nic_t *nic = &f->nic[n];
	inject_t *in = &card->inject[n];
	const uint32_t pe = c * NICS + n;
	sending_t *sending = &network->sending[pe];

	if (t < nic->end) {
		return;
	}
	if (in->beat) {
		inject_plan_t plan;

		event_traffic_until(f, t);
		event_look_at_room(&f->inject[n], &in->credits, division_of_inject(), t);
		plan = inject_plan(card, &network->common.packets, n, 0);
		if (!plan.start) {
			return;
		}
		nic->start = t;
		nic->end = t + plan.header.len;
		nic->packet = token_packet(in->data);
		nic->len = plan.header.len;
		nic->vc = in->vc = tc_first_vc[plan.header.tc];
		in->beat = 0;
		event_charge(&f->inject[n], division_of_inject(), t, t, plan.header.tc, nic->len + 1u);
		event_put(run, t + 1, EVENT_HEAD, c, LINKS + n, nic->vc, nic->len, nic->packet);
		event_traffic_until(f, t + nic->len + 1);
		if (nic->len) {
			if (nic->len > 1) {
				client->sent(client->context, pe, network->cycle, 1, nic->len - 1u);
				event_put(run, nic->end - 1, EVENT_ACCEPTED, c, n, 0, nic->len, 0);
			} else {
				client->sent(client->context, pe, network->cycle, 1, 1);
			}
			event_put_moves(run, t, nic->len);
			event_put(run, nic->end, EVENT_INJECTED, c, n, 0, 0, 0);
			return;
		}
	}
	if (sending->packet) {
		event_traffic_until(f, t);
		client->sent(client->context, pe, network->cycle, 0, 1);
		network->moves++;
		in->beat = 1;
		in->data = token_of(sending->packet, 0);
		in->last = sending->count == 1;
		sending->next = 1;
		if (sending->count == 1) {
			sending->packet = 0;
		}
	}
}

/* ---------------------------------------------------------------- one cycle of a card */

/* What comes to the inputs that are awake: a body follows its head without a gap. */
static void take_cells(card_t *card, const packets_t *packets, unsigned awake, unsigned heads)
{
	unsigned valid = heads;

	for (unsigned rest = awake & ~heads; rest; rest &= rest - 1) {
		const unsigned i = lowest(rest);
		const input_t *in = &card->input[i];

		if (in->in_packet) {
			const buffered_t *b = &packets->buffered[in->arriving];

			valid |= 1u << i;
			card->in_cell[i] = token_of(b->packet, b->arrived);
			card->in_vc[i] = b->vc;
		}
	}
	card->in_valid = (uint16_t)valid;
}

void event_look_at_links(card_t *card, const event_card_t *f, uint64_t t)
{
	for (unsigned p = 0; p < LINKS; p++) {
		event_settle_used(&f->credits[p], &card->credits[p], division_of_output(0), t + 1 - EVENT_SETTLED);
		look_behind(card, p);
	}
	tell_inputs(card);
}

/* What the inputs need to know of the outputs. */
static void look_at_outputs(xt_engine_t *network, card_t *card, event_card_t *f, unsigned awake, uint64_t t)
{
	unsigned outputs = 0;

	for (unsigned rest = awake; rest; rest &= rest - 1) {
		const input_t *in = &card->input[lowest(rest)];

		outputs |= in->outputs | (in->busy_with.head ? 1u << in->e_output : 0);
		/* A head that goes over to its deterministic way. */
		outputs |= ADAPTIVE && in->busy_with.requeue_waits
				   ? 1u << network->common.packets.buffered[in->again].escape_port
				   : 0;
	}
	if (ADAPTIVE && network->event_run->adaptive && card->in_valid) {
		event_look_at_links(card, f, t);
	}
	for (outputs &= ALL_PORTS; outputs; outputs &= outputs - 1) {
		const unsigned o = lowest(outputs);

		event_look_at_room(&f->credits[o], &card->credits[o], division_of_output(o), t);
	}
}

/* What the match needs to know of the outputs at which packets that give way enter. */
static void look_for_crowds(card_t *card, const event_card_t *f, unsigned awake, uint64_t t)
{
	unsigned outputs = 0, crowded = 0;

	for (unsigned rest = room_to_enter(card) ? awake : 0; rest; rest &= rest - 1) {
		const unsigned i = lowest(rest);
		const input_t *in = &card->input[i];

		outputs |= in->busy || !in->gives_way
				   ? 0
				   : in->request & outputs_entered(card, i) & ~(unsigned)card->output_busy;
	}
	for (; outputs; outputs &= outputs - 1) {
		const unsigned o = lowest(outputs);

		crowded |= (unsigned)event_is_crowded(card, f, o, t) << o;
	}
	card->crowded = (uint16_t)crowded;
}

/* Whether nothing will happen to an input but that its stream goes on, until a head comes, its stream is over, or an
 * output is free that its heads wait for. There is room for these behind all their outputs, and has been. */
static int may_sleep(const event_run_t *run, const card_t *card, const event_card_t *f, unsigned i)
{
	const input_t *in = &card->input[i];

	/* A watchdog that runs out does so in the next cycle, even if that serves the input; and none runs out at once.
	 */
	if (card->settings.stall_timeout && card->stalled[i] + 1 >= card->settings.stall_timeout) {
		return 0;
	}
	if (input_only_streams(in)) {
		return 1;
	}
	if (!input_is_settled(in) || (!in->busy && (in->request & ~(unsigned)card->output_busy)) ||
		(in->outputs >> DROP_OUTPUT & 1) || in->request != input_asks(in, in->wants)) {
		return 0;
	}
	for (unsigned rest = in->outputs; rest; rest &= rest - 1) {
		const unsigned o = lowest(rest);

		if (in->eligible[o] != (card->block[o] ? 0 : in->nonempty[o]) ||
			!event_is_ample(&f->credits[o], division_of_output(o)) ||
			(in->may_be_long >> o & 1) != ((in->eligible[o] & ~input_short(in, o)) != 0) ||
			(ADAPTIVE && run->adaptive && o < LINKS && (in->nonempty[o] & EXTORUS_VCS_ADAPTIVE))) {
			return 0;
		}
	}
	return 1;
}

/* Whether in the next cycle the only head of an input is served, while its body comes, and then the input sleeps. */
static int starts_alone(const card_t *card, unsigned i)
{
	const input_t *in = &card->input[i];

	return in->busy && in->in_packet && input_only_serves(in) && !in->serve_requeue && !in->dropped &&
	       in->outputs == 1u << in->serve_from && in->nonempty[in->serve_from] == 1u << in->serve_queue &&
	       !(in->several[in->serve_from] >> in->serve_queue & 1) &&
	       !(card->settings.stall_timeout && card->stalled[i] + 1 >= card->settings.stall_timeout);
}

void event_sleep_ahead(xt_engine_t *network, uint32_t c, unsigned i, uint64_t t, unsigned cycles)
{
	event_card_t *f = &network->event_run->card[c];

	f->asleep |= (uint16_t)(1u << i);
	f->since[i] = (uint32_t)t;
	f->lasts[i] = 0;
	event_awaken(network, c, t + cycles);
}

/* What the step has begun and ended. Something that is not a plain stream over a fast link is for the cells' steps. */
static void look_at_inputs(xt_engine_t *network, uint32_t c, unsigned inputs, uint64_t t)
{
	event_run_t *run = network->event_run;
	card_t *card = &network->card[c];
	event_card_t *f = &run->card[c];
	const unsigned plain = card->fast | (ALL_PORTS & ~(unsigned)ALL_LINKS);

	card->output_busy |= f->sleep_outputs;
	for (unsigned rest = inputs; rest; rest &= rest - 1) {
		const unsigned i = lowest(rest);
		const input_t *in = &card->input[i];

		if (in->busy_with.serve && !in->serve_requeue &&
			(in->serve_output == NO_PORT || !(plain >> in->serve_output & 1))) {
			run->leave = 1;
			continue;
		}
		if (!(card->stirring >> i & 1)) {
			continue;
		}
		if (starts_alone(card, i)) {
			event_start_ahead(network, c, i, t);
		} else if (may_sleep(run, card, f, i)) {
			event_put_to_sleep(network, c, i, t);
		}
	}
	if (f->waiting) {
		event_wake_waiting(f, card);
	}
}

/* Heads that have been looked up. */
static unsigned due_inputs(const event_card_t *f, uint64_t t)
{
	unsigned due = 0;

	for (unsigned rest = f->early; rest; rest &= rest - 1) {
		const unsigned bit = rest & -rest;

		due |= f->since[lowest(rest)] + (f->prompt & bit ? 1 : EVENT_LOOKUP) == (uint32_t)t ? bit : 0;
	}
	return due;
}

/* Whether all that happens is that an input takes the way of most packets, which it need not be woken for. */
static int passes_alone(xt_engine_t *network, uint32_t c, uint64_t t)
{
	card_t *card = &network->card[c];
	event_card_t *f = &network->event_run->card[c];
	const unsigned bit = f->wake;

	if ((bit & (bit - 1)) || !(bit & f->early & ~f->prompt) || f->heads ||
		((card->stirring | card->monitors_stirring) & ~(unsigned)f->asleep) ||
		!event_pass_alone(card, f, &network->common, lowest(bit), t)) {
		return 0;
	}
	f->wake = 0;
	event_start_ahead(network, c, lowest(bit), t);
	card->output_busy |= f->sleep_outputs;
	if (f->waiting) {
		event_wake_waiting(f, card);
	}
	return 1;
}

static unsigned wake_inputs(xt_engine_t *network, uint32_t c, uint64_t t)
{
	card_t *card = &network->card[c];
	event_card_t *f = &network->event_run->card[c];
	unsigned queued;

	for (unsigned rest = f->wake & f->asleep; rest; rest &= rest - 1) {
		const unsigned i = lowest(rest);

		event_catch_up(card, f, i, t - 1, &network->common, 0);
		if (f->holding >> i & 1) {
			f->holding &= (uint16_t) ~(1u << i);
			f->sleep_outputs &= (uint16_t) ~(1u << card->input[i].serve_output);
		}
	}
	queued = f->early & ~f->prompt & ~f->heads & f->wake;
	f->asleep &= (uint16_t)~f->wake;
	f->waiting &= (uint16_t)~f->wake;
	f->stalling &= (uint16_t)~f->wake;
	f->early &= (uint16_t)~f->wake;
	f->prompt &= (uint16_t)~f->wake;
	f->wake = 0;
	/* Behind a stream, or one of another input, they wait. */
	for (; queued; queued &= queued - 1) {
		if (may_sleep(network->event_run, card, f, lowest(queued))) {
			event_put_to_sleep(network, c, lowest(queued), t - 1);
		}
	}
	return (card->stirring | f->heads) & ~(unsigned)f->asleep;
}

/* Whether something was in the inputs that slept before this cycle. */
static int has_slept(const event_card_t *f, uint64_t t)
{
	unsigned asleep = f->asleep;

	for (unsigned rest = f->early; rest; rest &= rest - 1) {
		asleep &= ~(f->since[lowest(rest)] == (uint32_t)t ? rest & -rest : 0);
	}
	return asleep != 0;
}

static void step_awake(xt_engine_t *network, uint32_t c, unsigned awake, int slept, uint64_t t)
{
	card_t *card = &network->card[c];
	event_card_t *f = &network->event_run->card[c];
	unsigned waiting = 0, served = 0;

	take_cells(card, &network->common.packets, awake, f->heads);
	f->heads = 0;
	for (unsigned rest = awake; rest; rest &= rest - 1) {
		const unsigned i = lowest(rest);
		const input_t *in = &card->input[i];

		waiting |= (unsigned)(in->free != BUFFER_CELLS) << i;
		served |= (unsigned)in->x_valid << i;
		if (card->in_valid || input_active(in) || in->received) {
			event_traffic_until(f, t);
		}
	}
	card->counted = card->in_valid != 0 || f->stalling;
	event_tick(card, f, t - 1, slept);
	if (MONITORS) {
		note_timeouts(card, step_monitors(card, ~(unsigned)f->asleep, waiting, served, 0));
	}
	if (awake) {
		look_at_outputs(network, card, f, awake, t);
		look_for_crowds(card, f, awake, t);
		card->stirring |= card->in_valid;
		step_inputs(card, &network->common, awake, 0);
		if (card->counted) {
			event_count(card, f, t, t, t);
		}
		/* Before streams of the next cycle. */
		for (unsigned rest = awake; rest; rest &= rest - 1) {
			if (card->input[lowest(rest)].x_valid && card->input[lowest(rest)].x_first) {
				event_start_stream(network, c, lowest(rest), t);
			}
		}
		look_at_inputs(network, c, awake, t);
	}
	event_tick(card, f, t, waiting || slept);
}

void event_step_card(xt_engine_t *network, uint32_t c, const xt_client_t *client, uint64_t t)
{
	event_run_t *run = network->event_run;
	card_t *card = &network->card[c];
	event_card_t *f = &run->card[c];
	const int slept = ADAPTIVE && t > f->ticked && has_slept(f, t);
	unsigned alone, awake;

	f->wake |= (uint16_t)due_inputs(f, t);
	alone = (f->early & ~(unsigned)f->prompt) | f->waiting;
	if (f->wake && passes_alone(network, c, t)) {
		memset(card->stalls, 0, sizeof(card->stalls));
		f->stepped = t;
		event_tick(card, f, t - 1, slept);
		event_tick(card, f, t, 1);
		awake = 0;
	} else {
		awake = wake_inputs(network, c, t);
	}
	if (awake) {
		memset(card->stalls, 0, sizeof(card->stalls));
		f->stepped = t;
	}
	if (awake && !(awake & ~alone) && !(awake & (awake - 1)) && !f->heads &&
		!(card->monitors_stirring & ~(unsigned)f->asleep & ~awake) &&
		event_match_alone(card, f, &network->common, lowest(awake), t)) {
		event_tick(card, f, t - 1, slept);
		event_tick(card, f, t, 1);
		look_at_inputs(network, c, awake, t);
	} else if (awake || (card->monitors_stirring & ~(unsigned)f->asleep)) {
		step_awake(network, c, awake, slept, t);
	}
	for (unsigned rest = f->nics_awake; rest; rest &= rest - 1) {
		const unsigned n = lowest(rest);

		step_nic(network, c, n, client, t);
		if (t < f->nic[n].end || !(card->inject[n].beat || network->sending[c * NICS + n].packet)) {
			f->nics_awake &= (uint8_t) ~(1u << n);
		}
	}
	run->leave |= card->errors;
	if (((card->stirring | card->monitors_stirring) & ~(unsigned)f->asleep) || f->nics_awake || f->wake) {
		event_awaken(network, c, t + 1);
	}
}
