/* SPDX-License-Identifier: Apache-2.0 */
#include "run_client.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "stall_report.h"

enum {
	PROGRESS_EVERY = 64, /* cycles */
	/* Between the last cell's delivery and the last credit's way home; what is not home then is missing. */
	HOME_CYCLES = 500,
	KEEPALIVES_TO_NOTICE = 4, /* a link that hears nothing for so many is down */
};

static int in_window(const xt_run_t *run, uint64_t cycle)
{
	return cycle >= run->window_start && cycle < run->window_end;
}

/* How many of the cycles from `cycle` on are in the window. */
static uint64_t in_window_of(const xt_run_t *run, uint64_t cycle, unsigned count)
{
	const uint64_t from = cycle > run->window_start ? cycle : run->window_start;
	const uint64_t to = cycle + count < run->window_end ? cycle + count : run->window_end;

	return from < to ? to - from : 0;
}

static void sample(xt_run_t *run, xt_sample_t *sample, uint64_t value, unsigned step, unsigned count, unsigned batch)
{
	if (xt_sample_add_run(sample, value, step, count, batch)) {
		run->status = XT_ERR_NOMEM;
	}
}

void xt_run_on_delivery(void *context, const xt_packet_t *packet, uint64_t head_sent, uint64_t sent, uint64_t delivered,
	unsigned count, int last)
{
	xt_run_t *run = context;
	xt_tc_result_t *tc = &run->result->tc[packet->tc];
	const uint64_t ended = delivered + count - 1;
	int measured = in_window(run, packet->generated);
	unsigned batch = 0;

	tc->cells_delivered += count;
	xt_warmup_cells(&run->warmup, count);
	run->window_cells += in_window_of(run, delivered, count);
	run->source_cells[packet->source] += in_window_of(run, delivered, count);
	if (measured) {
		batch = (unsigned)((packet->generated - run->window_start) * XT_BATCHES / run->traffic->measure);
		sample(run, &run->network_cell, delivered - sent, 0, count, batch);
		sample(run, &run->end_to_end_cell, delivered - packet->generated, 1, count, batch);
	}
	if (!last) {
		return;
	}
	tc->packets_delivered++;
	xt_warmup_packet(&run->warmup, ended - head_sent);
	if (measured) {
		run->measured_delivered++;
		tc->measured++;
		run->tc_network_sum[packet->tc] += ended - head_sent;
		sample(run, &run->network_packet, ended - head_sent, 0, 1, batch);
		sample(run, &run->end_to_end_packet, ended - packet->generated, 0, 1, batch);
	}
	if (run->options->packet_log) {
		fprintf(run->options->packet_log,
			"%" PRIu32 ".%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			packet->source, packet->sequence, packet->source, packet->destination, packet->tc,
			packet->cells, packet->generated, head_sent, ended);
	}
}

static const uint32_t *on_make(void *context, unsigned pe, uint64_t cycle, xt_packet_t *packet, unsigned *cells)
{
	const xt_run_t *run = context;

	(void)cycle;
	xt_source_take(run->source, pe, packet);
	*cells = packet->cells;
	return xt_scoreboard_make(run->scoreboard, packet);
}

static const uint32_t *on_make_head(void *context, unsigned pe, uint64_t cycle, xt_packet_t *packet, unsigned *cells)
{
	const xt_run_t *run = context;

	(void)cycle;
	xt_source_take(run->source, pe, packet);
	*cells = packet->cells;
	return xt_scoreboard_make_head(run->scoreboard, packet);
}

static void on_begin(void *context, const xt_packet_t *packet)
{
	xt_run_t *run = context;

	if (xt_scoreboard_register(run->scoreboard, packet) != XT_OK) {
		run->status = XT_ERR_NOMEM;
		return;
	}
	run->result->tc[packet->tc].packets_sent++;
	run->measured_sent += (uint64_t)in_window(run, packet->generated);
}

static int on_remake(void *context, uint32_t *words, unsigned cells)
{
	const xt_run_t *run = context;

	return xt_scoreboard_remake(run->scoreboard, words, cells);
}

static const uint32_t *on_fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	xt_packet_t packet;
	const uint32_t *words = on_make(context, pe, cycle, &packet, cells);
	const xt_run_t *run = context;

	on_begin(context, &packet);
	return run->status ? NULL : words;
}

static const uint32_t *on_fetch_head(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	xt_packet_t packet;
	const uint32_t *words = on_make_head(context, pe, cycle, &packet, cells);
	const xt_run_t *run = context;

	on_begin(context, &packet);
	return run->status ? NULL : words;
}

static void on_sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	xt_run_t *run = context;

	if (xt_scoreboard_sent(run->scoreboard, pe, cycle, index, count) != XT_OK) {
		run->status = XT_ERR_NOMEM;
	}
}

static void on_received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	xt_run_t *run = context;

	xt_scoreboard_received(run->scoreboard, pe, cycle, cells, count, last, poisoned);
}

static void on_received_made(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *head, unsigned first, unsigned count, int last)
{
	xt_run_t *run = context;

	(void)first;
	xt_scoreboard_received_made(run->scoreboard, pe, cycle, head, count, last);
}

static void on_hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	xt_run_t *run = context;

	xt_scoreboard_hop(run->scoreboard, card, port, vc, cycle, cell);
}

void xt_run_set_window(xt_run_t *run, uint64_t start)
{
	run->window_start = start;
	run->window_end = start + run->traffic->measure;
	xt_source_offered(run->source, start, run->window_end, &run->offered_packets, &run->offered_cells);
}

/* The warm-up may be over earlier than at its limit. */
static void find_window(xt_run_t *run, uint64_t cycle)
{
	int steady = xt_warmup_step(&run->warmup, cycle);

	if (steady < 0) {
		run->status = steady;
	} else if (steady || cycle == run->traffic->warmup) {
		run->result->warmup_steady = steady;
		xt_run_set_window(run, cycle);
	}
}

/* The window's edges, and the end of generation. */
static void turn_pages(xt_run_t *run, const xt_engine_state_t *state)
{
	const xt_traffic_t *traffic = run->traffic;

	if (state->settle && (run->window_start == UINT64_MAX
					     ? state->cycle == traffic->warmup || xt_warmup_looks(state->cycle)
					     : state->cycle == run->window_start || state->cycle == run->window_end)) {
		state->settle(state->engine);
	}
	if (run->window_start == UINT64_MAX) {
		find_window(run, state->cycle);
	}
	if (state->cycle == run->window_start) {
		memcpy(run->window_start_cells, state->port_cells, run->card_ports * sizeof(*state->port_cells));
	}
	if (state->cycle == run->window_end) {
		for (unsigned i = 0; i < run->card_ports; i++) {
			run->result->port_load[i] =
				(double)(state->port_cells[i] - run->window_start_cells[i]) / (double)traffic->measure;
		}
	}
	if (run->phase == PHASE_GENERATE && state->cycle >= run->window_end &&
		(run->measured_delivered == run->offered_packets || state->cycle - run->window_end >= traffic->drain)) {
		xt_source_stop(run->source);
		run->phase = PHASE_EMPTY;
	}
}

/* How long nothing must have moved, in a network that is never idle. */
static uint64_t patience(const xt_run_t *run)
{
	if (run->kills) {
		return run->watchdog + KEEPALIVES_TO_NOTICE * (uint64_t)run->keepalive;
	}
	return xt_scoreboard_in_flight(run->scoreboard) ? run->watchdog : HOME_CYCLES;
}

/* The next cycle of which the state is to be kept; UINT64_MAX: none. */
static uint64_t next_checkpoint(const xt_run_t *run)
{
	const uint64_t every = run->options->checkpoint ? run->options->checkpoint_every : 0;

	return every ? (run->cycle / every + 1) * every : UINT64_MAX;
}

/* Moves of cells, into the network, over links and out, of packets of which none makes more hops than there are cards.
 */
static uint64_t most_moves(const xt_run_t *run)
{
	return run->last_in_flight * xt_image_profile(run->image)->packet_cells * (run->result->cards + 2);
}

/* With hops unseen: more moves than that since a packet has come out. Sources have stopped, so packets only get fewer.
 */
static void look_for_livelock(xt_run_t *run, const xt_engine_state_t *state)
{
	const uint64_t in_flight = xt_scoreboard_in_flight(run->scoreboard);

	if (run->phase != PHASE_EMPTY || in_flight != run->last_in_flight) {
		run->last_in_flight = in_flight;
		run->last_out_cycle = state->cycle;
		run->last_out_moves = state->moves;
	} else if (state->moves - run->last_out_moves > most_moves(run)) {
		xt_violations_add(&run->violations, XT_FINDING_LIVELOCK,
			"cells of %" PRIu64 " packet%s moved %" PRIu64 " times since cycle %" PRIu64
			", and none came out; a run that checks hops tells which",
			in_flight, in_flight == 1 ? "" : "s", state->moves - run->last_out_moves, run->last_out_cycle);
	}
}

static int on_cycle(void *context, const xt_engine_state_t *state)
{
	xt_run_t *run = context;

	run->cycle = state->cycle;
	xt_scoreboard_settle(run->scoreboard);
	turn_pages(run, state);
	if (run->options->progress && state->cycle % PROGRESS_EVERY == 0) {
		uint64_t end =
			run->window_end == UINT64_MAX ? run->traffic->warmup + run->traffic->measure : run->window_end;

		run->options->progress(run->options->progress_context, state->cycle < end ? state->cycle : end, end);
	}
	if (state->moves != run->last_moves) {
		run->last_moves = state->moves;
		run->last_move_cycle = state->cycle;
	} else if (run->keepalive) {
		if (run->phase == PHASE_EMPTY && state->cycle - run->last_move_cycle > patience(run)) {
			run->settled = 1;
			run->phase = PHASE_DONE;
		}
	} else if (!state->quiet && state->cycle - run->last_move_cycle > run->watchdog &&
		   (run->phase == PHASE_EMPTY || xt_scoreboard_in_flight(run->scoreboard))) {
		if (xt_scoreboard_in_flight(run->scoreboard)) {
			xt_stall_report(run->image, run->scoreboard, run->last_move_cycle, &run->violations);
		}
		run->phase = PHASE_DONE;
	}
	if (run->options->no_check) {
		look_for_livelock(run, state);
	}
	if (run->phase == PHASE_EMPTY && state->quiet && !run->keepalive) {
		run->result->drained = 1;
		run->phase = PHASE_DONE;
	}
	/* Packets that circle will do so for ever. */
	if (run->violations.counts[XT_FINDING_LIVELOCK] || run->status) {
		run->phase = PHASE_DONE;
	}
	return run->phase == PHASE_DONE;
}

/* The first cycle, from `cycle` on, at which so many packets may have been delivered: each PE gets at most one in a
 * cycle. */
static uint64_t earliest(const xt_run_t *run, uint64_t cycle, uint64_t packets)
{
	const uint64_t pes = run->result->pes;

	return packets > pes ? cycle + (packets + pes - 1) / pes : cycle + 1;
}

/* The next cycle at which the phase may change, or the window's edge. */
static uint64_t next_page(const xt_run_t *run, uint64_t cycle)
{
	const uint64_t batch = XT_WARMUP_INTERVAL * XT_WARMUP_BATCH;

	if (run->phase == PHASE_EMPTY && run->keepalive) {
		return run->last_move_cycle + (run->kills ? patience(run) : HOME_CYCLES) + 1;
	}
	if (run->phase == PHASE_EMPTY) {
		return run->loses ? cycle + 1 : earliest(run, cycle, xt_scoreboard_in_flight(run->scoreboard));
	}
	if (run->window_start == UINT64_MAX) {
		return cycle < run->traffic->warmup ? xt_least(run->traffic->warmup, (cycle / batch + 1) * batch) : 0;
	}
	if (cycle < run->window_end) {
		return cycle < run->window_start ? run->window_start : run->window_end;
	}
	return xt_least(run->window_end + run->traffic->drain,
		earliest(run, cycle, run->offered_packets - run->measured_delivered));
}

static uint64_t on_until(void *context)
{
	const xt_run_t *run = context;
	const uint64_t cycle = run->cycle;
	const uint32_t hops = xt_scoreboard_most_hops(run->scoreboard), cards = run->result->cards;
	uint64_t until = next_page(run, cycle);

	if (run->phase == PHASE_DONE || run->status || until <= cycle || hops >= cards) {
		return cycle + 1;
	}
	/* A stall, and a livelock: a head makes at most one hop in a cycle. */
	if (!run->keepalive) {
		until = xt_least(until, run->last_move_cycle + run->watchdog + 1);
	}
	until = xt_least(until, next_checkpoint(run));
	if (run->options->no_check && run->phase == PHASE_EMPTY) {
		const uint64_t left = most_moves(run) - (run->last_moves - run->last_out_moves);

		/* A port passes at most one cell each way in a cycle. */
		return xt_least(until, cycle + 1 + left / (2 * run->card_ports));
	}
	if (run->options->no_check) {
		return until;
	}
	return xt_least(until, cycle + 1 + cards - hops);
}

static unsigned on_decision(void *context)
{
	const xt_run_t *run = context;

	return run->phase != PHASE_GENERATE;
}

static void on_decided(void *context, unsigned stopped)
{
	xt_run_t *run = context;

	if (stopped && run->phase == PHASE_GENERATE) {
		xt_source_stop(run->source);
		run->phase = PHASE_EMPTY;
	}
}

/* The classes that any PE may use of those that the traffic has, and the longest packet. */
static void set_packets(const xt_run_t *run, xt_client_t *client)
{
	const xt_traffic_t *traffic = run->traffic;
	unsigned allowed = 0, chosen = traffic->mix_count ? 0 : traffic->tc_mask;

	for (unsigned pe = 0; pe < client->pes; pe++) {
		allowed |= xt_image_pe_tc_mask(run->image, pe);
	}
	client->packet_cells = traffic->mix_count ? 0 : traffic->length.max;
	for (unsigned i = 0; i < traffic->mix_count; i++) {
		const xt_tc_mix_t *mix = &traffic->mix[i];
		const unsigned longest = mix->length.max ? mix->length.max : traffic->length.max;

		chosen |= 1u << mix->tc;
		client->packet_cells = longest > client->packet_cells ? longest : client->packet_cells;
	}
	client->tcs = allowed & chosen;
}

xt_client_t xt_run_client(xt_run_t *run)
{
	xt_client_t client = {
		.context = run,
		.pes = xt_image_pes(run->image),
		.ready_at = xt_source_ready_at(run->source),
		.nic_stall = run->options->nic_stall,
		.nic_period = run->options->nic_period,
		.error_rate = run->options->error_rate,
		.error_seed = run->options->error_seed,
		.cycle = on_cycle,
		.fetch = on_fetch,
		.sent = on_sent,
		.received = on_received,
		.hop = run->options->no_check ? NULL : on_hop,
		.threads = run->options->threads,
		.addresses = run->addresses,
		.address_count = run->address_count,
		.make = on_make,
		.begin = on_begin,
		.fetch_head = on_fetch_head,
		.make_head = on_make_head,
		.remake = on_remake,
		.received_made = on_received_made,
		.until = on_until,
		.ranks = run->options->ranks,
		.rank_cards = run->rank_cards,
		.rank_timeout = run->options->rank_timeout,
		.decision = on_decision,
		.decided = on_decided,
		.rank_times = run->result->ranks,
	};

	set_packets(run, &client);
	return client;
}
