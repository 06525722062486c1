/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/replay.h"
#include "base/options_take.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/backend.h"
#include "device/device_internal.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "measure/drain_check.h"
#include "measure/scoreboard.h"
#include "measure/stall_report.h"
#include "measure/statistics.h"
#include "replay_result.h"
#include "schedule.h"
#include "stream.h"

enum {
	DEFAULT_WATCHDOG = 4000,
	DEFAULT_PATH = 10000,
	PROGRESS_EVERY = 1024, /* cycles */
	HOME_CYCLES = 500,     /* as in run.c: until the last credit is home, where cards are never idle */
};

/* What a PE has to send, in order. */
typedef struct {
	uint32_t first, last; /* sends, linked by `next` */
	uint32_t left;        /* cells of the first one that were not fetched */
	uint32_t sequence;
	uint32_t cells; /* of the packet that was fetched last, */
	uint32_t event; /* its send, */
	int ends;       /* and whether it is the last one of it */
	uint8_t turn;   /* of the traffic classes */
} queue_t;

typedef struct {
	xt_device_t *device;
	const xt_image_t *image;
	const xt_workload_t *w; /* of a stream: its window */
	const xt_replay_options_t *options;
	xt_stream_t *stream; /* NULL: the whole workload goes by the schedule */
	xt_schedule_t schedule;
	const uint32_t *begin; /* [event] */
	xt_scoreboard_t *scoreboard;
	xt_violations_t findings;
	xt_replay_result_t *result;
	queue_t *queues;    /* [pe] */
	uint64_t *ready_at; /* [pe] */
	uint32_t *next;     /* [event] */
	uint32_t *missing;  /* [event], of a send: cells that have not arrived */
	unsigned cell_bytes, packet_cells, least_cells;
	xt_sample_t network_cell, end_to_end_cell, network_packet, end_to_end_packet;
	uint64_t arrived; /* messages */
	uint64_t total;
	uint64_t cycle, last_moves, last_move_cycle, watchdog;
	uint32_t keepalive;
	uint64_t *card_cells;
	int status;
} replay_t;

static uint32_t cells_of(const replay_t *r, uint32_t send)
{
	uint64_t cells = (r->w->size[send] + r->cell_bytes - 1) / r->cell_bytes;
	uint32_t last = cells ? (uint32_t)((cells - 1) % r->packet_cells) + 1 : 0;

	return (uint32_t)cells + (last < r->least_cells ? r->least_cells - last : 0);
}

/* From the begin of a send to the cycle in which the card may have its first cell. */
static uint64_t delay(const replay_t *r)
{
	return (uint64_t)r->options->nic_latency + r->options->turnaround;
}

static void tell(replay_t *r, uint32_t event)
{
	if (r->stream) {
		xt_stream_tell(r->stream, event);
	} else {
		xt_schedule_tell(&r->schedule, event);
	}
}

/* A send goes to the end of its PE's queue. */
static int on_send(void *context, uint32_t event, uint64_t cycle)
{
	replay_t *r = context;
	uint32_t pe = r->options->pe[r->w->rank[event]];
	queue_t *q = &r->queues[pe];

	r->result->messages++;
	if (r->options->pe[r->w->peer[event]] == pe) {
		r->result->local_messages++;
		r->arrived++;
		return 1;
	}
	r->missing[event] = cells_of(r, event);
	r->next[event] = XT_NO_EVENT;
	if (q->first == XT_NO_EVENT) {
		q->first = event;
		q->left = r->missing[event];
		r->ready_at[pe] = cycle + delay(r);
	} else {
		r->next[q->last] = event;
	}
	q->last = event;
	return 0;
}

static uint8_t next_tc(const replay_t *r, queue_t *q, uint32_t pe)
{
	unsigned allowed = xt_image_pe_tc_mask(r->image, pe);
	unsigned mask = r->options->tc_mask ? allowed & r->options->tc_mask : allowed & -allowed;

	do {
		q->turn = (uint8_t)((q->turn + 1) % XT_MAX_TCS);
	} while (!(mask >> q->turn & 1));
	return q->turn;
}

static const uint32_t *on_fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	replay_t *r = context;
	queue_t *q = &r->queues[pe];
	uint32_t event = q->first;
	xt_packet_t packet = {.source = pe, .sequence = q->sequence};
	const uint32_t *words;

	(void)cycle;
	if (q->left == cells_of(r, event)) {
		next_tc(r, q, pe);
	}
	q->cells = q->left < r->packet_cells ? q->left : r->packet_cells;
	q->left -= q->cells;
	q->event = event;
	q->ends = q->left == 0;
	packet.generated = r->begin[event];
	packet.destination = r->options->pe[r->w->peer[event]];
	packet.cells = (uint16_t)q->cells;
	packet.tc = q->turn;
	packet.message = event;
	words = xt_scoreboard_send(r->scoreboard, &packet);
	if (!words) {
		r->status = XT_ERR_NOMEM;
		return NULL;
	}
	q->sequence++;
	r->result->packets++;
	r->result->cells += q->cells;
	if (q->ends) {
		q->first = r->next[event];
		r->ready_at[pe] = UINT64_MAX;
		if (q->first != XT_NO_EVENT) {
			q->left = cells_of(r, q->first);
			r->ready_at[pe] = r->begin[q->first] + delay(r);
		}
	}
	*cells = q->cells;
	return words;
}

static void on_sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	replay_t *r = context;
	const queue_t *q = &r->queues[pe];

	xt_scoreboard_sent(r->scoreboard, pe, cycle, index, count);
	if (q->ends && index + count == q->cells) {
		tell(r, q->event);
	}
}

static void on_received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	replay_t *r = context;

	xt_scoreboard_received(r->scoreboard, pe, cycle, cells, count, last, poisoned);
}

static void on_hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	replay_t *r = context;

	xt_scoreboard_hop(r->scoreboard, card, port, vc, cycle, cell);
}

static void sample(replay_t *r, xt_sample_t *sample, uint64_t value, unsigned step, unsigned count)
{
	if (xt_sample_add_run(sample, value, step, count, 0)) {
		r->status = XT_ERR_NOMEM;
	}
}

static void on_delivery(void *context, const xt_packet_t *packet, uint64_t head_sent, uint64_t sent, uint64_t delivered,
	unsigned count, int last)
{
	replay_t *r = context;
	const uint64_t ended = delivered + count - 1;
	uint32_t send = packet->message;

	sample(r, &r->network_cell, delivered - sent + r->options->nic_latency, 0, count);
	sample(r, &r->end_to_end_cell, delivered - packet->generated, 1, count);
	if (last) {
		sample(r, &r->network_packet, ended - head_sent + r->options->nic_latency, 0, 1);
		sample(r, &r->end_to_end_packet, ended - packet->generated, 0, 1);
	}
	r->missing[send] -= count;
	if (r->missing[send] == 0) {
		r->arrived++;
		tell(r, r->w->match[send]);
	}
}

/* Nothing moves, although packets are in the network, for too long. */
static int stands_still(replay_t *r, const xt_engine_state_t *state)
{
	if (state->moves != r->last_moves) {
		r->last_moves = state->moves;
		r->last_move_cycle = state->cycle;
		return 0;
	}
	return state->cycle - r->last_move_cycle > r->watchdog && xt_scoreboard_in_flight(r->scoreboard);
}

static void count_cells(replay_t *r, const xt_engine_state_t *state)
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

static int on_cycle(void *context, const xt_engine_state_t *state)
{
	replay_t *r = context;
	xt_replay_result_t *result = r->result;

	r->cycle = state->cycle;
	xt_scoreboard_settle(r->scoreboard);
	if (r->stream) {
		xt_stream_step(r->stream, state->cycle);
		r->status = r->status == XT_OK ? r->stream->status : r->status;
	} else {
		xt_schedule_step(&r->schedule, state->cycle);
		r->status = r->status == XT_OK ? r->schedule.status : r->status;
	}
	if (r->options->progress && state->cycle % PROGRESS_EVERY == 0) {
		r->options->progress(r->options->progress_context, state->cycle, r->arrived, r->total);
	}
	if (r->status != XT_OK) {
		return 1;
	}
	if (stands_still(r, state)) {
		xt_stall_report(r->image, r->scoreboard, r->last_move_cycle, &r->findings);
		return 1;
	}
	if (r->stream ? !xt_stream_finished(r->stream) : r->schedule.done < r->w->count) {
		/* A packet that was lost is waited for in vain. */
		return state->cycle - r->last_move_cycle > r->watchdog &&
		       !(r->stream ? xt_stream_waits_for_time(r->stream) : xt_schedule_waits_for_time(&r->schedule));
	}
	result->drained = r->keepalive ? !xt_scoreboard_in_flight(r->scoreboard) &&
						 state->cycle - r->last_move_cycle > HOME_CYCLES
				       : state->quiet;
	if (result->drained) {
		result->empty_cycles = state->cycle;
		count_cells(r, state);
	}
	return result->drained;
}

/* ---------------------------------------------------------------- before and after */

static int check(const replay_t *r, xt_diag_t *diag)
{
	const xt_image_t *image = r->image;
	unsigned pes = xt_image_pes(image);

	if (xt_image_profile(image) != xt_device_profile(r->device) ||
		xt_image_cards(image) != xt_device_cards(r->device)) {
		return xt_fail(diag, XT_ERR_MISMATCH, "replay: the device was not made for this image");
	}
	if (r->least_cells > r->packet_cells) {
		return xt_fail(diag, XT_ERR_RANGE, "replay: packets of at least %u cells; choose 1 to %u",
			r->least_cells, r->packet_cells);
	}
	for (uint32_t rank = 0; rank < r->w->ranks; rank++) {
		uint32_t pe = r->options->pe[rank];

		if (pe >= pes || !xt_image_pe_in_service(image, pe)) {
			return xt_fail(diag, XT_ERR_RANGE,
				"replay: rank %" PRIu32 " is on PE %" PRIu32 ", which is not in service", rank, pe);
		}
		if (!(xt_image_pe_tc_mask(image, pe) & (r->options->tc_mask ? r->options->tc_mask : ~0u))) {
			return xt_fail(diag, XT_ERR_INVALID,
				"replay: the image allows PE %" PRIu32 " none of these traffic classes; choose others",
				pe);
		}
	}
	for (uint32_t e = 0; e < r->w->count; e++) {
		if (r->w->kind[e] == XT_EVENT_SEND && r->w->size[e] / r->cell_bytes >= UINT32_MAX - r->packet_cells) {
			return xt_fail(diag, XT_ERR_RANGE, "replay: a message of %" PRIu64 " bytes is too long",
				r->w->size[e]);
		}
	}
	return XT_OK;
}

static int prepare(replay_t *r, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(r->device);
	const double cycles_per_ns = (r->options->cycles_per_ns > 0.0 ? r->options->cycles_per_ns : 0.65) *
				     (r->options->compute_scale >= 0.0 ? r->options->compute_scale : 1.0);
	unsigned pes = xt_image_pes(r->image);
	int status;

	r->cell_bytes = (profile->cell_bits + 7) / 8;
	r->packet_cells = profile->packet_cells;
	r->least_cells = r->options->least_cells ? r->options->least_cells : 1;
	if ((status = check(r, diag)) != XT_OK) {
		return status;
	}
	if (profile->replay_cells) {
		status = xt_device_read(
			r->device, 0, xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0), &r->keepalive, 1, diag);
		if (status != XT_OK) {
			return status;
		}
	}
	r->watchdog = r->options->watchdog ? r->options->watchdog : DEFAULT_WATCHDOG;
	r->result = calloc(1, sizeof(*r->result));
	r->queues = calloc(pes, sizeof(*r->queues));
	r->ready_at = malloc(pes * sizeof(*r->ready_at));
	r->next = malloc(((size_t)r->w->count + 1) * sizeof(*r->next));
	r->missing = calloc((size_t)r->w->count + 1, sizeof(*r->missing));
	r->card_cells = calloc(xt_device_cards(r->device), sizeof(*r->card_cells));
	if (!r->result || !r->queues || !r->ready_at || !r->next || !r->missing || !r->card_cells ||
		(!r->stream && xt_schedule_begin(&r->schedule, r->w) != XT_OK)) {
		return xt_fail(diag, XT_ERR_NOMEM, "replay: out of memory for %" PRIu32 " events", r->w->count);
	}
	for (unsigned pe = 0; pe < pes; pe++) {
		r->ready_at[pe] = UINT64_MAX;
		r->queues[pe].first = XT_NO_EVENT;
		r->queues[pe].turn = XT_MAX_TCS - 1;
	}
	if (r->stream) {
		r->total = r->stream->vef.messages;
		r->stream->send = on_send;
		r->stream->context = r;
		r->stream->cycles_per_ns = cycles_per_ns;
		r->begin = r->stream->begin;
	} else {
		for (uint32_t e = 0; e < r->w->count; e++) {
			r->total += r->w->kind[e] == XT_EVENT_SEND;
		}
		r->schedule.send = on_send;
		r->schedule.context = r;
		r->schedule.cycles_per_ns = cycles_per_ns;
		r->begin = r->schedule.begin;
	}
	r->result->cards = xt_device_cards(r->device);
	r->result->pes = pes;
	return xt_scoreboard_create(
		r->image, xt_device_peers(r->device), &r->findings, on_delivery, r, &r->scoreboard, diag);
}

static int simulate(replay_t *r, xt_diag_t *diag)
{
	xt_engine_t *engine;
	const xt_backend_t *backend = xt_device_backend(r->device, &engine);
	xt_client_t client = {.context = r,
		.pes = xt_image_pes(r->image),
		.ready_at = r->ready_at,
		.cycle = on_cycle,
		.fetch = on_fetch,
		.sent = on_sent,
		.received = on_received,
		.hop = on_hop};
	double start = xt_now_s();
	xt_drain_check_t census = {0};
	int status = backend->run(engine, &client, diag);

	r->result->wall_seconds = xt_now_s() - start;
	r->result->engine = backend->engine;
	if (status == XT_OK && r->stream && r->stream->status != XT_OK) {
		return xt_fail(diag, r->stream->status, "%s", r->stream->diag.text);
	}
	if (status == XT_OK && r->status != XT_OK) {
		status = xt_fail(diag, r->status, "replay: out of memory at cycle %" PRIu64, r->cycle);
	}
	if (status != XT_OK) {
		return status;
	}
	if (!r->findings.counts[XT_FINDING_STALL]) {
		xt_scoreboard_close(r->scoreboard);
	}
	status = xt_drain_check(r->device, r->image, r->result->drained, &r->findings, &census, diag);
	free(census.down);
	return status;
}

static int summarise(replay_t *r, xt_diag_t *diag)
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
	path_room = r->options->path_events ? r->options->path_events : DEFAULT_PATH;
	if (xt_replay_path(result, r->w, &r->schedule, path_room) != XT_OK) {
		return xt_fail(diag, XT_ERR_NOMEM, "replay: out of memory");
	}
	result->begin = r->schedule.begin;
	result->end = r->schedule.end;
	r->schedule.begin = r->schedule.end = NULL;
	return XT_OK;
}

static void clean_up(replay_t *r)
{
	xt_sample_free(&r->network_cell);
	xt_sample_free(&r->end_to_end_cell);
	xt_sample_free(&r->network_packet);
	xt_sample_free(&r->end_to_end_packet);
	xt_scoreboard_free(r->scoreboard);
	xt_violations_free(&r->findings);
	xt_schedule_free(&r->schedule);
	free(r->queues);
	free(r->ready_at);
	free(r->next);
	free(r->missing);
	free(r->card_cells);
	xt_replay_free(r->result);
}

static int replay(replay_t *r, const xt_replay_options_t *given, xt_replay_result_t **out, xt_diag_t *diag)
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
	status = prepare(r, diag);
	if (status == XT_OK) {
		status = simulate(r, diag);
	}
	if (status == XT_OK && (status = summarise(r, diag)) == XT_OK) {
		*out = r->result;
		r->result = NULL;
	}
	clean_up(r);
	return status;
}

int xt_device_replay(xt_device_t *device, const xt_image_t *image, const xt_workload_t *workload,
	const xt_replay_options_t *options, xt_replay_result_t **out, xt_diag_t *diag)
{
	return replay(&(replay_t){.device = device, .image = image, .w = workload}, options, out, diag);
}

int xt_device_replay_stream(xt_device_t *device, const xt_image_t *image, xt_stream_t *stream,
	const xt_replay_options_t *options, xt_replay_result_t **out, xt_diag_t *diag)
{
	return replay(
		&(replay_t){.device = device, .image = image, .w = stream->w, .stream = stream}, options, out, diag);
}
