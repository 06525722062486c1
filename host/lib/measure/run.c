/* SPDX-License-Identifier: Apache-2.0
 *
 * A run: the source's packets go through the back end's NICs, the scoreboard checks what comes out, the
 * statistics are taken, and at the end the cards' registers must agree. */
#include "extorus/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/backend.h"
#include "device/device_internal.h"
#include "drain_check.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "scoreboard.h"
#include "stall_report.h"
#include "statistics.h"
#include "traffic/packet_generator.h"
#include "utilisation.h"
#include "violations.h"
#include "warmup.h"

enum {
	DEFAULT_WATCHDOG = 4000,
	PROGRESS_EVERY = 64, /* cycles */
	/* Between the last cell's delivery and the last credit's way home; what is not home then is missing. */
	HOME_CYCLES = 500,
	KEEPALIVES_TO_NOTICE = 4, /* a link that hears nothing for so many is down */
};

typedef enum {
	PHASE_GENERATE,
	PHASE_EMPTY, /* generation has stopped */
	PHASE_DONE,
} phase_t;

typedef struct {
	xt_device_t *device;
	const xt_image_t *image;
	const xt_traffic_t *traffic;
	const xt_run_options_t *options;
	xt_source_t *source;
	xt_scoreboard_t *scoreboard;
	xt_violations_t violations;
	xt_result_t *result;

	phase_t phase;
	uint64_t window_start, window_end; /* UINT64_MAX: not known yet */
	xt_warmup_t warmup;
	uint64_t cycle;      /* the one under way */
	uint64_t last_moves; /* of the engine, and when they last changed */
	uint64_t last_move_cycle;
	uint64_t watchdog;
	/* Cards whose links send keepalives are never idle: the run ends when nothing has moved for a while,
	 * and then STATUS tells whether the network is empty. */
	uint32_t keepalive;
	int kills;   /* links are killed in this run */
	int settled; /* ended so */

	xt_sample_t network_packet, network_cell, end_to_end_packet, end_to_end_cell;
	uint64_t offered_packets, offered_cells; /* generated in the window */
	uint64_t measured_sent, measured_delivered;
	uint64_t window_cells; /* delivered in the window */
	uint64_t tc_network_sum[XT_MAX_TCS];
	uint64_t *window_start_cells; /* port_cells at the start of the window */
	uint32_t *addresses;          /* of the PEs in service */
	unsigned address_count;
	unsigned card_ports; /* cards * ports */
	int status;          /* out of memory in a callback */
} run_t;

static int in_window(const run_t *run, uint64_t cycle)
{
	return cycle >= run->window_start && cycle < run->window_end;
}

/* How many of the cycles from `cycle` on are in the window. */
static uint64_t in_window_of(const run_t *run, uint64_t cycle, unsigned count)
{
	const uint64_t from = cycle > run->window_start ? cycle : run->window_start;
	const uint64_t to = cycle + count < run->window_end ? cycle + count : run->window_end;

	return from < to ? to - from : 0;
}

static void sample(run_t *run, xt_sample_t *sample, uint64_t value, unsigned step, unsigned count, unsigned batch)
{
	if (xt_sample_add_run(sample, value, step, count, batch)) {
		run->status = XT_ERR_NOMEM;
	}
}

static void on_delivery(void *context, const xt_packet_t *packet, uint64_t head_sent, uint64_t sent, uint64_t delivered,
	unsigned count, int last)
{
	run_t *run = context;
	xt_tc_result_t *tc = &run->result->tc[packet->tc];
	const uint64_t ended = delivered + count - 1;
	int measured = in_window(run, packet->generated);
	unsigned batch = 0;

	tc->cells_delivered += count;
	xt_warmup_cells(&run->warmup, count);
	run->window_cells += in_window_of(run, delivered, count);
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
	const run_t *run = context;

	(void)cycle;
	xt_source_take(run->source, pe, packet);
	*cells = packet->cells;
	return xt_scoreboard_make(run->scoreboard, packet);
}

static void on_begin(void *context, const xt_packet_t *packet)
{
	run_t *run = context;

	if (xt_scoreboard_register(run->scoreboard, packet) != XT_OK) {
		run->status = XT_ERR_NOMEM;
		return;
	}
	run->result->tc[packet->tc].packets_sent++;
	run->measured_sent += (uint64_t)in_window(run, packet->generated);
}

static const uint32_t *on_fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	xt_packet_t packet;
	const uint32_t *words = on_make(context, pe, cycle, &packet, cells);
	const run_t *run = context;

	on_begin(context, &packet);
	return run->status ? NULL : words;
}

static void on_sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	run_t *run = context;

	xt_scoreboard_sent(run->scoreboard, pe, cycle, index, count);
}

static void on_received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	run_t *run = context;

	xt_scoreboard_received(run->scoreboard, pe, cycle, cells, count, last, poisoned);
}

static int is_killed(void *context, unsigned card, unsigned port)
{
	const run_t *run = context;

	return xt_device_killed(run->device, card, port, XT_KILLED_NOW);
}

static void on_hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	run_t *run = context;

	xt_scoreboard_hop(run->scoreboard, card, port, vc, cycle, cell);
}

static void set_window(run_t *run, uint64_t start)
{
	run->window_start = start;
	run->window_end = start + run->traffic->measure;
	xt_source_offered(run->source, start, run->window_end, &run->offered_packets, &run->offered_cells);
}

/* The warm-up may be over earlier than at its limit. */
static void find_window(run_t *run, uint64_t cycle)
{
	int steady = xt_warmup_step(&run->warmup, cycle);

	if (steady < 0) {
		run->status = steady;
	} else if (steady || cycle == run->traffic->warmup) {
		run->result->warmup_steady = steady;
		set_window(run, cycle);
	}
}

/* The window's edges, and the end of generation. */
static void turn_pages(run_t *run, const xt_engine_state_t *state)
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
static uint64_t patience(const run_t *run)
{
	if (run->kills) {
		return run->watchdog + KEEPALIVES_TO_NOTICE * (uint64_t)run->keepalive;
	}
	return xt_scoreboard_in_flight(run->scoreboard) ? run->watchdog : HOME_CYCLES;
}

static int on_cycle(void *context, const xt_engine_state_t *state)
{
	run_t *run = context;

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

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t on_until(void *context)
{
	const run_t *run = context;
	const uint64_t cycle = run->cycle, batch = XT_WARMUP_INTERVAL * XT_WARMUP_BATCH;
	const uint32_t hops = xt_scoreboard_most_hops(run->scoreboard), cards = run->result->cards;
	uint64_t until;

	if (run->window_start == UINT64_MAX) {
		until = cycle < run->traffic->warmup ? earlier(run->traffic->warmup, (cycle / batch + 1) * batch) : 0;
	} else {
		until = cycle < run->window_start ? run->window_start : run->window_end;
	}
	if (run->phase != PHASE_GENERATE || run->keepalive || run->status || until <= cycle || hops >= cards) {
		return cycle + 1;
	}
	/* A stall, and a livelock: a head makes at most one hop in a cycle. */
	until = earlier(until, run->last_move_cycle + run->watchdog + 1);
	return earlier(until, cycle + 1 + cards - hops);
}

static int prepare(run_t *run, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(run->device);
	int status;

	run->card_ports = xt_device_cards(run->device) * xt_profile_ports(profile);
	run->window_start = run->window_end = UINT64_MAX;
	run->watchdog = run->options->watchdog ? run->options->watchdog : DEFAULT_WATCHDOG;
	run->kills = xt_device_kills(run->device);
	if (profile->replay_cells) {
		status = xt_device_read(
			run->device, 0, xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0), &run->keepalive, 1, diag);
		if (status) {
			return status;
		}
	}
	run->result = calloc(1, sizeof(*run->result));
	run->window_start_cells = calloc(run->card_ports, sizeof(*run->window_start_cells));
	run->addresses = calloc(xt_image_pes(run->image), sizeof(*run->addresses));
	if (run->result) {
		run->result->port_load = calloc(run->card_ports, sizeof(*run->result->port_load));
	}
	if (!run->result || !run->window_start_cells || !run->addresses || !run->result->port_load) {
		return xt_fail(diag, XT_ERR_NOMEM, "run: out of memory");
	}
	for (unsigned pe = 0; pe < xt_image_pes(run->image); pe++) {
		if (xt_image_pe_in_service(run->image, pe)) {
			run->addresses[run->address_count++] = xt_image_pe_address(run->image, pe);
		}
	}
	status = xt_source_create(run->traffic, run->image, &run->source, diag);
	if (status) {
		return status;
	}
	if (!run->traffic->detect_warmup) {
		set_window(run, run->traffic->warmup);
	}
	status = xt_scoreboard_create(
		run->image, xt_device_peers(run->device), &run->violations, on_delivery, run, &run->scoreboard, diag);
	if (status == XT_OK) {
		xt_scoreboard_set_killed(run->scoreboard, is_killed, run);
	}
	return status;
}

static int simulate(run_t *run, xt_diag_t *diag)
{
	xt_engine_t *engine;
	const xt_backend_t *backend = xt_device_backend(run->device, &engine);
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
		.hop = on_hop,
		.threads = run->options->threads,
		.addresses = run->addresses,
		.address_count = run->address_count,
		.make = on_make,
		.begin = on_begin,
		.until = on_until,
	};
	xt_result_t *result = run->result;
	double start = xt_now_s();
	int status = backend->run(engine, &client, diag);

	if (status == XT_OK && run->status) {
		status = xt_fail(diag, run->status, "run: out of memory at cycle %" PRIu64, run->cycle);
	}
	result->wall_seconds = xt_now_s() - start;
	result->cycles = run->cycle;
	result->evaluated_card_cycles = backend->evaluated(engine);
	result->engine = backend->engine;
	result->errors_injected = backend->errors ? backend->errors(engine) : 0;
	result->faults_waiting = backend->faults_waiting(engine);
	if (result->wall_seconds > 0.0) {
		result->card_cycles_per_second = (double)result->cards * (double)result->cycles / result->wall_seconds;
	}
	return status;
}

/* A network that is never idle: is it empty? */
static int look_inside(run_t *run, xt_diag_t *diag)
{
	int status = xt_drain_check_idle(run->device, &run->result->drained, diag);

	if (status == XT_OK && !run->result->drained && xt_scoreboard_in_flight(run->scoreboard)) {
		xt_stall_report(run->image, run->scoreboard, run->last_move_cycle, &run->violations);
	}
	return status;
}

/* When the links that are down went down, as far as the engine knows. */
static void date_links(const run_t *run)
{
	xt_engine_t *engine;
	const xt_backend_t *backend = xt_device_backend(run->device, &engine);

	for (unsigned i = 0; i < run->result->links_down_count; i++) {
		xt_link_down_t *down = &run->result->links_down[i];

		down->since = backend->down_since ? backend->down_since(engine, down->card, down->port) : UINT64_MAX;
	}
}

/* What is left in the scoreboard, and what the cards say. */
static int take_stock(run_t *run, xt_diag_t *diag)
{
	xt_result_t *result = run->result;
	xt_drain_check_t drain;
	int status = run->settled ? look_inside(run, diag) : XT_OK;

	if (status == XT_OK && run->settled) {
		status = xt_device_rest_links(run->device, diag);
	}

	if (status != XT_OK) {
		return status;
	}
	/* What a stall or a livelock holds in the network is not lost. */
	if (!run->violations.counts[XT_FINDING_STALL] && !run->violations.counts[XT_FINDING_LIVELOCK]) {
		xt_scoreboard_close(run->scoreboard);
	}
	result->packets_poisoned = xt_scoreboard_poisoned(run->scoreboard);
	result->packets_dropped = xt_scoreboard_dropped(run->scoreboard);
	status = xt_drain_check(run->device, run->image, result->drained, &run->violations, &drain, diag);
	result->link_totals = drain.totals;
	result->links_down = drain.down;
	result->links_down_count = drain.down_count;
	date_links(run);
	result->lost_on_links = drain.lost;
	if (status == XT_OK && run->kills && result->drained && !xt_device_killed_earlier(run->device) &&
		drain.lost != result->packets_dropped) {
		xt_violations_add(&run->violations, XT_FINDING_CONSERVATION,
			"%" PRIu64 " packets ran into killed links, but the two ends of these say that %" PRIu64
			" went lost there",
			result->packets_dropped, drain.lost);
	}
	return status;
}

/* The cells of so many random packets vary by about their number's root; by more where the lengths do. */
static int is_saturated(const run_t *run)
{
	double offered = (double)run->offered_cells, packets = (double)run->offered_packets;
	double missing = offered - (double)run->window_cells;

	return run->offered_packets && missing > 0.05 * offered && missing > 3.0 * offered / sqrt(packets);
}

static void summarise(run_t *run)
{
	xt_result_t *result = run->result;
	double capacity = (double)result->pes * (double)run->traffic->measure;

	result->offered_load = (double)run->offered_cells / capacity;
	result->accepted_load = (double)run->window_cells / capacity;
	result->saturated = is_saturated(run);
	result->warmup = run->window_start;
	xt_utilisation(run->device, result);
	result->network_packet = xt_sample_summary(&run->network_packet);
	result->network_cell = xt_sample_summary(&run->network_cell);
	result->end_to_end_packet = xt_sample_summary(&run->end_to_end_packet);
	result->end_to_end_cell = xt_sample_summary(&run->end_to_end_cell);
	result->measured_packets = run->offered_packets;
	result->measured_unsent = run->offered_packets - run->measured_sent;
	for (unsigned t = 0; t < XT_MAX_TCS; t++) {
		xt_tc_result_t *tc = &result->tc[t];

		result->packets_sent += tc->packets_sent;
		result->packets_delivered += tc->packets_delivered;
		tc->network_mean = tc->measured ? (double)run->tc_network_sum[t] / (double)tc->measured : NAN;
	}
	memcpy(result->findings, run->violations.counts, sizeof(result->findings));
	result->reports = run->violations.reports;
	result->report_count = run->violations.report_count;
	run->violations.reports = NULL;
	run->violations.report_count = 0;
}

static void clean_up(run_t *run)
{
	xt_warmup_free(&run->warmup);
	xt_sample_free(&run->network_packet);
	xt_sample_free(&run->network_cell);
	xt_sample_free(&run->end_to_end_packet);
	xt_sample_free(&run->end_to_end_cell);
	xt_source_free(run->source);
	xt_scoreboard_free(run->scoreboard);
	xt_violations_free(&run->violations);
	free(run->window_start_cells);
	free(run->addresses);
	xt_result_free(run->result);
}

static int check_errors(const xt_run_options_t *options, const xt_profile_t *profile, xt_diag_t *diag)
{
	if (!(options->error_rate >= 0.0 && options->error_rate <= XT_MAX_ERROR_RATE)) {
		return xt_fail(diag, XT_ERR_RANGE, "run: an error rate of %g is not in 0 .. %g", options->error_rate,
			XT_MAX_ERROR_RATE);
	}
	if (options->error_rate > 0.0 && !profile->replay_cells) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"run: the links of profile %s have no link layer that would repair errors", profile->name);
	}
	return XT_OK;
}

int xt_device_run(xt_device_t *device, const xt_image_t *image, const xt_traffic_t *traffic,
	const xt_run_options_t *options, xt_result_t **out, xt_diag_t *diag)
{
	static const xt_run_options_t no_options = {0};
	xt_engine_t *engine;
	run_t run = {.device = device, .image = image, .traffic = traffic, .options = options ? options : &no_options};
	int status;

	*out = NULL;
	if (!xt_device_backend(device, &engine)->run) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "run: this device is not simulated");
	}
	if (xt_image_profile(image) != xt_device_profile(device) || xt_image_cards(image) != xt_device_cards(device)) {
		return xt_fail(diag, XT_ERR_MISMATCH,
			"run: the image is for %u cards of profile %s, the device has %u of %s", xt_image_cards(image),
			xt_image_profile(image)->name, xt_device_cards(device), xt_device_profile(device)->name);
	}
	if (run.options->threads > 1 && !xt_device_backend(device, &engine)->threads) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"run: engine %s simulates a network on one thread; the fast model can on several",
			xt_device_backend(device, &engine)->engine);
	}
	status = xt_traffic_check(traffic, xt_image_profile(image), xt_image_pes(image), diag);
	if (status == XT_OK && run.options->nic_stall && run.options->nic_stall >= run.options->nic_period) {
		status = xt_fail(diag, XT_ERR_RANGE,
			"run: a NIC that stalls %" PRIu32 " of %" PRIu32 " cycles takes nothing",
			run.options->nic_stall, run.options->nic_period);
	}
	if (status == XT_OK) {
		status = check_errors(run.options, xt_device_profile(device), diag);
	}
	if (status == XT_OK) {
		status = prepare(&run, diag);
	}
	if (status == XT_OK) {
		run.result->cards = xt_device_cards(device);
		run.result->pes = xt_image_pes(image);
		if (run.options->packet_log) {
			fprintf(run.options->packet_log,
				"packet,source,destination,tc,cells,generated,sent,delivered\n");
		}
		status = simulate(&run, diag);
	}
	if (status == XT_OK) {
		status = take_stock(&run, diag);
		xt_device_kills_over(device);
	}
	if (status == XT_OK) {
		summarise(&run);
		*out = run.result;
		run.result = NULL;
	}
	clean_up(&run);
	return status;
}

int xt_result_ok(const xt_result_t *result)
{
	for (unsigned i = 0; i < XT_FINDINGS; i++) {
		if (result->findings[i]) {
			return 0;
		}
	}
	return result->drained;
}

void xt_result_free(xt_result_t *result)
{
	if (!result) {
		return;
	}
	for (unsigned i = 0; i < result->report_count; i++) {
		free(result->reports[i]);
	}
	free(result->reports);
	free(result->links_down);
	free(result->port_load);
	free(result);
}
