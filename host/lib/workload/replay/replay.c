/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/replay.h"
#include "base/options_take.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "device/backend.h"
#include "device/device_internal.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "measure/drain_check.h"
#include "measure/stall_report.h"
#include "replay_result.h"
#include "replay_state.h"

enum {
	DEFAULT_PATH = 10000,
	PROGRESS_EVERY = 1024, /* cycles */
	HOME_CYCLES = 500,     /* as in run.c: until the last credit is home, where cards are never idle */
	/* So long after a movement the network is not at rest yet: a card is idle after 16 cycles. */
	RESTLESS_CYCLES = 12,
};

static void tell(xt_replay_t *r, uint32_t event)
{
	if (r->stream) {
		xt_stream_tell(r->stream, event);
	} else {
		xt_schedule_tell(&r->schedule, event);
	}
}

static int is_finished(const xt_replay_t *r)
{
	return r->stream ? xt_stream_finished(r->stream) : r->schedule.done == r->w->count;
}

static int waits_for_time(const xt_replay_t *r)
{
	return r->stream ? xt_stream_waits_for_time(r->stream) : xt_schedule_waits_for_time(&r->schedule);
}

/* Some message was sent and has not arrived. */
static int is_on_its_way(const xt_replay_t *r)
{
	return r->result->messages > r->arrived;
}

static void on_sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	xt_replay_t *r = context;
	const xt_replay_queue_t *q = &r->queues[pe];

	if (xt_scoreboard_sent(r->scoreboard, pe, cycle, index, count) != XT_OK) {
		r->status = XT_ERR_NOMEM;
	}
	if (q->left_of_send == 0 && index + count == q->cells) {
		tell(r, q->event);
	}
}

static void on_received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	xt_replay_t *r = context;

	xt_scoreboard_received(r->scoreboard, pe, cycle, cells, count, last, poisoned);
}

static void on_received_made(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *head, unsigned first, unsigned count, int last)
{
	xt_replay_t *r = context;

	(void)first;
	xt_scoreboard_received_made(r->scoreboard, pe, cycle, head, count, last);
}

static void on_hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	xt_replay_t *r = context;

	xt_scoreboard_hop(r->scoreboard, card, port, vc, cycle, cell);
}

static void sample(xt_replay_t *r, xt_sample_t *sample, uint64_t value, unsigned step, unsigned count)
{
	if (xt_sample_add_run(sample, value, step, count, 0)) {
		r->status = XT_ERR_NOMEM;
	}
}

static void on_delivery(void *context, const xt_packet_t *packet, uint64_t head_sent, uint64_t sent, uint64_t delivered,
	unsigned count, int last)
{
	xt_replay_t *r = context;
	const uint64_t ended = delivered + count - 1;
	uint32_t send = packet->message;

	sample(r, &r->network_cell, delivered - sent + r->options->nic_latency, 0, count);
	sample(r, &r->end_to_end_cell, delivered - packet->generated, 1, count);
	if (last) {
		sample(r, &r->network_packet, ended - head_sent + r->options->nic_latency, 0, 1);
		sample(r, &r->end_to_end_packet, ended - packet->generated, 0, 1);
		if (r->job_of) {
			const uint32_t job = r->job_of[r->w->rank[send]];

			sample(r, &r->job_samples[job].network, ended - head_sent + r->options->nic_latency, 0, 1);
			sample(r, &r->job_samples[job].end_to_end, ended - packet->generated, 0, 1);
		}
	}
	r->missing[send] -= count;
	if (r->missing[send] == 0) {
		r->arrived++;
		tell(r, r->w->match[send]);
	}
}

/* Nothing moves for too long, although something is in the network or was sent and has not arrived. */
static int stands_still(xt_replay_t *r, const xt_engine_state_t *state)
{
	int holds = xt_scoreboard_in_flight(r->scoreboard) > 0;

	if (state->moves != r->last_moves) {
		r->last_moves = state->moves;
		r->last_move_cycle = r->held_cycle = state->cycle;
		return 0;
	}
	if (!holds && (!is_on_its_way(r) || waits_for_time(r))) {
		r->held_cycle = state->cycle;
		return 0;
	}
	return state->cycle - r->held_cycle > r->watchdog + (holds ? 0 : xt_replay_delay(r));
}

static void count_cells(xt_replay_t *r, const xt_engine_state_t *state)
{
	unsigned ports = xt_profile_ports(xt_device_profile(r->device));

	if (state->settle) {
		state->settle(state->engine);
	}
	for (unsigned card = 0; card < r->result->cards; card++) {
		r->card_cells[card] = 0;
		for (unsigned port = 0; port < ports; port++) {
			r->card_cells[card] += state->port_cells[card * ports + port];
		}
	}
}

/* The events of cycle r->cycle of the program. */
static void step(xt_replay_t *r)
{
	int status;

	if (r->stream) {
		xt_stream_step(r->stream, r->cycle);
		status = r->stream->status;
	} else {
		xt_schedule_step(&r->schedule, r->cycle);
		status = r->schedule.status;
	}
	r->status = r->status == XT_OK ? status : r->status;
}

/* The cycle of the program in which something happens next, with nothing in the network. */
static uint64_t next_event(const xt_replay_t *r)
{
	const xt_timers_t *timers = r->stream ? &r->stream->timers : &r->schedule.timers;
	uint64_t ready = UINT64_MAX, due = timers->count ? timers->heap[0].at : UINT64_MAX;

	for (unsigned pe = 0; is_on_its_way(r) && pe < r->result->pes; pe++) {
		ready = r->ready_at[pe] < ready ? r->ready_at[pe] : ready;
	}
	ready += ready == UINT64_MAX ? 0 : r->jumped;
	return ready < due ? ready : due;
}

/* With the network at rest all cards hold still until the next timer or until the next message is ready: that cycle of
 * the program is simulated next. No card sees that time has passed. */
static void jump(xt_replay_t *r, const xt_engine_state_t *state)
{
	while (r->status == XT_OK && state->quiet && !r->options->every_cycle && !is_finished(r) &&
		xt_scoreboard_in_flight(r->scoreboard) == 0) {
		uint64_t due = next_event(r), skipped = due - r->cycle;

		if (due <= r->cycle || due == UINT64_MAX) {
			return;
		}
		for (unsigned pe = 0; pe < r->result->pes; pe++) {
			r->ready_at[pe] -= r->ready_at[pe] == UINT64_MAX ? 0 : skipped;
		}
		r->jumped += skipped;
		r->cycle = due;
		step(r);
	}
}

/* Until all credits are home. */
static int drain(xt_replay_t *r, const xt_engine_state_t *state)
{
	xt_replay_result_t *result = r->result;

	result->drained = r->keepalive ? !xt_scoreboard_in_flight(r->scoreboard) &&
						 state->cycle - r->last_move_cycle > HOME_CYCLES
				       : state->quiet;
	if (result->drained) {
		result->empty_cycles = r->cycle;
		result->jumped_cycles = r->jumped;
		count_cells(r, state);
	}
	return result->drained || state->cycle - r->last_move_cycle > r->watchdog + HOME_CYCLES;
}

/* Nothing will happen any more by itself: receives that take any message have taken those of others. */
static int is_stuck(const xt_replay_t *r)
{
	return !r->stream && !is_finished(r) && !is_on_its_way(r) && !waits_for_time(r) && !r->schedule.told_count;
}

static int on_cycle(void *context, const xt_engine_state_t *state)
{
	xt_replay_t *r = context;

	r->cycle = state->cycle + r->jumped;
	xt_scoreboard_settle(r->scoreboard);
	step(r);
	jump(r, state);
	if (r->options->progress && state->cycle % PROGRESS_EVERY == 0) {
		r->options->progress(r->options->progress_context, r->cycle, r->arrived, r->total);
	}
	if (r->status != XT_OK) {
		return 1;
	}
	if (is_stuck(r)) {
		r->status = XT_ERR_INVALID;
		return 1;
	}
	if (stands_still(r, state)) {
		xt_stall_report(r->image, r->scoreboard, r->held_cycle + r->jumped, &r->findings);
		return 1;
	}
	if (r->findings.counts[XT_FINDING_LIVELOCK]) {
		/* What goes round by the tables arrives never. */
		return 1;
	}
	return is_finished(r) && drain(r, state);
}

/* How far the network may go before the program is told. What comes out in a cycle makes a PE send in the next cycle,
 * and the delay later, at the earliest. Meanwhile the replay neither ends nor jumps. */
static uint64_t on_until(void *context)
{
	const xt_replay_t *r = context;
	const uint64_t cycle = r->cycle - r->jumped, latency = xt_device_link_latency(r->device);
	const uint64_t most = xt_least(xt_replay_delay(r), latency) + 1;
	const uint32_t hops = xt_scoreboard_most_hops(r->scoreboard), cards = r->result->cards;

	if (!r->last_moves || cycle + most > r->last_move_cycle + RESTLESS_CYCLES || r->watchdog < RESTLESS_CYCLES ||
		hops + most > cards) {
		return cycle + 1;
	}
	return cycle + most;
}

static int report_stuck(const xt_replay_t *r, xt_diag_t *diag)
{
	uint32_t e = 0;

	while (e + 1 < r->w->count && !xt_schedule_waits_for_message(&r->schedule, e)) {
		e++;
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"replay: rank %" PRIu32 " waits for a message that others have taken (line %" PRIu32
		"); receives from any source or with any tag leave none for it",
		r->w->rank[e], r->w->line[e]);
}

static int has_findings(const xt_replay_t *r)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < XT_FINDINGS; i++) {
		count += r->findings.counts[i];
	}
	return count > 0;
}

static int on_remake(void *context, uint32_t *words, unsigned cells)
{
	const xt_replay_t *r = context;

	return xt_scoreboard_remake(r->scoreboard, words, cells);
}

static int simulate(xt_replay_t *r, xt_diag_t *diag)
{
	xt_engine_t *engine;
	const xt_backend_t *backend = xt_device_backend(r->device, &engine);
	xt_client_t client = {.context = r,
		.pes = xt_image_pes(r->image),
		.ready_at = r->ready_at,
		.cycle = on_cycle,
		.fetch = xt_replay_on_fetch,
		.sent = on_sent,
		.received = on_received,
		.hop = on_hop,
		.threads = r->options->threads,
		.addresses = r->addresses,
		.address_count = r->address_count,
		.make = xt_replay_on_make,
		.begin = xt_replay_on_begin,
		.remake = on_remake,
		.received_made = on_received_made,
		.until = on_until,
		.ranks = r->options->ranks,
		.rank_cards = r->rank_cards,
		.rank_timeout = r->options->rank_timeout,
		.alike = 1};
	double start = xt_now_s();
	xt_drain_check_t census = {0};
	int status = backend->run(engine, &client, diag);

	r->result->wall_seconds = xt_now_s() - start;
	snprintf(r->result->engine, sizeof(r->result->engine), "%s", backend->engine);
	if (status == XT_OK && r->stream && r->stream->status != XT_OK) {
		return xt_fail(diag, r->stream->status, "%s", r->stream->diag.text);
	}
	if (status == XT_OK && r->status == XT_ERR_INVALID) {
		return report_stuck(r, diag);
	}
	if (status == XT_OK && r->status != XT_OK) {
		status = xt_fail(diag, r->status, "replay: out of memory at cycle %" PRIu64, r->cycle);
	}
	if (status != XT_OK || xt_ranks_own(r->options->ranks) > 0) {
		return status;
	}
	if (!r->findings.counts[XT_FINDING_STALL] && !r->findings.counts[XT_FINDING_LIVELOCK]) {
		xt_scoreboard_close(r->scoreboard);
	}
	status = xt_drain_check(r->device, r->image, r->result->drained, &r->findings, &census, diag);
	free(census.down);
	if (status == XT_OK && !r->result->drained && !has_findings(r)) {
		xt_violations_add(&r->findings, XT_FINDING_STALL,
			"the network is not at rest at cycle %" PRIu64 ", although nothing is under way", r->cycle);
	}
	return status;
}

static int summarise(xt_replay_t *r, xt_diag_t *diag)
{
	xt_replay_result_t *result = r->result;
	uint32_t path_room;

	result->execution_cycles = r->stream                         ? r->stream->last_cycle
				   : r->schedule.last == XT_NO_EVENT ? 0
								     : r->schedule.end[r->schedule.last];
	result->network_cell = xt_sample_summary(&r->network_cell);
	result->end_to_end_cell = xt_sample_summary(&r->end_to_end_cell);
	result->network_packet = xt_sample_summary(&r->network_packet);
	result->end_to_end_packet = xt_sample_summary(&r->end_to_end_packet);
	xt_replay_utilisation(result, r->card_cells, xt_profile_ports(xt_device_profile(r->device)));
	memcpy(result->findings, r->findings.counts, sizeof(result->findings));
	result->reports = r->findings.reports;
	result->report_count = r->findings.report_count;
	r->findings.reports = NULL;
	r->findings.report_count = 0;
	if (r->stream) {
		result->late_messages = r->stream->late;
		return XT_OK;
	}
	xt_replay_jobs_summarise(r);
	path_room = r->options->path_events ? r->options->path_events : DEFAULT_PATH;
	if (xt_replay_path(result, &r->schedule, r->next, path_room) != XT_OK) {
		return xt_fail(diag, XT_ERR_NOMEM, "replay: out of memory");
	}
	xt_schedule_close(&r->schedule);
	result->begin = r->schedule.begin;
	result->end = r->schedule.end;
	r->schedule.begin = r->schedule.end = NULL;
	return XT_OK;
}

static int replay(xt_replay_t *r, const xt_replay_options_t *given, xt_replay_result_t **out, xt_diag_t *diag)
{
	xt_replay_options_t options;
	xt_engine_t *engine;
	int status = xt_options_take(given, &options, sizeof(options), "replay", diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	r->options = &options;
	if (!xt_device_backend(r->device, &engine)->run) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "replay: this device is not simulated");
	}
	if ((options.threads > 1 && !xt_device_backend(r->device, &engine)->threads) ||
		(options.ranks && !xt_device_backend(r->device, &engine)->ranks)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"replay: engine %s simulates a network on one thread of one process; the fast model can on "
			"several",
			xt_device_backend(r->device, &engine)->engine);
	}
	status = xt_replay_prepare(r, xt_replay_on_send, on_delivery, diag);
	if (status == XT_OK) {
		status = simulate(r, diag);
	}
	if (status == XT_OK && xt_ranks_own(options.ranks) == 0 && (status = summarise(r, diag)) == XT_OK) {
		*out = r->result;
		r->result = NULL;
	}
	xt_replay_clean_up(r);
	return status;
}

int xt_device_replay(xt_device_t *device, const xt_image_t *image, const xt_workload_t *workload,
	const xt_replay_options_t *options, xt_replay_result_t **out, xt_diag_t *diag)
{
	return replay(&(xt_replay_t){.device = device, .image = image, .w = workload}, options, out, diag);
}

int xt_device_replay_stream(xt_device_t *device, const xt_image_t *image, xt_stream_t *stream,
	const xt_replay_options_t *options, xt_replay_result_t **out, xt_diag_t *diag)
{
	return replay(
		&(xt_replay_t){.device = device, .image = image, .w = stream->w, .stream = stream}, options, out, diag);
}
