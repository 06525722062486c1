/* SPDX-License-Identifier: Apache-2.0
 *
 * A run. The source's packets go through the back end's NICs, and the scoreboard checks what comes out. At the end
 * the cards' registers must agree with the statistics. */
#include "extorus/run.h"
#include "base/options_take.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/device_internal.h"
#include "device/rank_partition.h"
#include "drain_check.h"
#include "energy.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "run_checkpoint.h"
#include "run_client.h"
#include "stall_report.h"
#include "utilisation.h"

enum { DEFAULT_WATCHDOG = 4000 };

static int is_killed(void *context, unsigned card, unsigned port)
{
	const xt_run_t *run = context;

	return xt_device_killed(run->device, card, port, XT_KILLED_NOW);
}

static int prepare(xt_run_t *run, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(run->device);
	int status;

	run->card_ports = xt_device_cards(run->device) * xt_profile_ports(profile);
	run->window_start = run->window_end = UINT64_MAX;
	run->watchdog = run->options->watchdog ? run->options->watchdog : DEFAULT_WATCHDOG;
	run->kills = xt_device_kills(run->device);
	run->loses = run->kills || xt_device_killed_earlier(run->device) || run->options->error_rate > 0.0;
	if (run->options->no_check && (run->kills || xt_device_killed_earlier(run->device))) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"run: only hops tell which packets a killed link has cost; leave out no_check (--no-check)");
	}
	if (profile->replay_cells) {
		unsigned card = 0;

		/* All cards have the same. */
		while (!xt_device_has(run->device, card)) {
			card++;
		}
		status = xt_device_read(
			run->device, card, xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0), &run->keepalive, 1, diag);
		if (status) {
			return status;
		}
	}
	run->result = calloc(1, sizeof(*run->result));
	run->window_start_cells = calloc(run->card_ports, sizeof(*run->window_start_cells));
	run->addresses = calloc(xt_image_pes(run->image), sizeof(*run->addresses));
	run->source_cells = calloc(xt_image_pes(run->image), sizeof(*run->source_cells));
	if (run->result) {
		run->result->hops_checked = !run->options->no_check;
		run->result->port_load = calloc(run->card_ports, sizeof(*run->result->port_load));
	}
	if (!run->result || !run->window_start_cells || !run->addresses || !run->source_cells ||
		!run->result->port_load) {
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
		xt_run_set_window(run, run->traffic->warmup);
	}
	status = xt_scoreboard_create(run->image, xt_device_peers(run->device), &run->violations, xt_run_on_delivery,
		run, &run->scoreboard, diag);
	if (status == XT_OK) {
		xt_scoreboard_set_killed(run->scoreboard, is_killed, run);
		if (run->options->no_check) {
			xt_scoreboard_do_not_follow(run->scoreboard);
		}
	}
	return status;
}

static int prepare_ranks(xt_run_t *run, xt_diag_t *diag)
{
	const unsigned count = xt_ranks_count(run->options->ranks);
	const uint32_t *opened = run->device->rank_cards;
	xt_engine_t *engine;
	const xt_backend_t *backend = xt_device_backend(run->device, &engine);
	int status;

	if (!run->options->ranks) {
		return opened ? xt_fail(diag, XT_ERR_INVALID, "run: the device was opened for ranks") : XT_OK;
	}
	run->result->ranks = calloc(count, sizeof(*run->result->ranks));
	run->result->rank_count = count;
	status = run->result->ranks ? xt_rank_partition(run->device, count, backend->checks, run->options->rank_cards,
					      &run->rank_cards, diag)
				    : xt_fail(diag, XT_ERR_NOMEM, "run: out of memory");
	if (status == XT_OK && opened && memcmp(opened, run->rank_cards, (count + 1) * sizeof(*opened)) != 0) {
		status = xt_fail(diag, XT_ERR_INVALID, "run: the device was opened for another partition");
	}
	run->device->ran |= status == XT_OK && opened;
	return status;
}

static int simulate(xt_run_t *run, xt_diag_t *diag)
{
	xt_engine_t *engine;
	const xt_backend_t *backend = xt_device_backend(run->device, &engine);
	xt_client_t client = xt_run_client(run);
	xt_result_t *result = run->result;
	double start = xt_now_s();
	int status;

	xt_run_add_checkpoints(run, &client);
	status = backend->run(engine, &client, diag);

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
static int look_inside(xt_run_t *run, xt_diag_t *diag)
{
	int status = xt_drain_check_idle(run->device, &run->result->drained, diag);

	if (status == XT_OK && !run->result->drained && xt_scoreboard_in_flight(run->scoreboard)) {
		xt_stall_report(run->image, run->scoreboard, run->last_move_cycle, &run->violations);
	}
	return status;
}

/* When the links that are down went down, as far as the engine knows. */
static void date_links(const xt_run_t *run)
{
	xt_engine_t *engine;
	const xt_backend_t *backend = xt_device_backend(run->device, &engine);

	for (unsigned i = 0; i < run->result->links_down_count; i++) {
		xt_link_down_t *down = &run->result->links_down[i];

		down->since = backend->down_since ? backend->down_since(engine, down->card, down->port) : UINT64_MAX;
	}
}

/* What is left in the scoreboard, and what the cards say. */
static int take_stock(xt_run_t *run, xt_diag_t *diag)
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
static int is_saturated(const xt_run_t *run)
{
	double offered = (double)run->offered_cells, packets = (double)run->offered_packets;
	double missing = offered - (double)run->window_cells;

	return run->offered_packets && missing > 0.05 * offered && missing > 3.0 * offered / sqrt(packets);
}

/* Jain's index over the PEs that send: 1 if each gets as much, 1/n if one gets all. */
static double fairness(const xt_run_t *run)
{
	double sum = 0, squares = 0;
	unsigned senders = 0;

	for (unsigned pe = 0; pe < run->result->pes; pe++) {
		const double cells = (double)run->source_cells[pe];

		senders += xt_source_sends(run->source, pe);
		sum += cells;
		squares += cells * cells;
	}
	return squares > 0 ? sum * sum / (senders * squares) : NAN;
}

static void summarise(xt_run_t *run)
{
	xt_result_t *result = run->result;
	unsigned pes = 0;
	double capacity;

	for (unsigned pe = 0; pe < result->pes; pe++) {
		pes += xt_image_has_pe(run->image, pe);
	}
	capacity = (double)pes * (double)run->traffic->measure;

	result->offered_load = (double)run->offered_cells / capacity;
	result->accepted_load = (double)run->window_cells / capacity;
	result->saturated = is_saturated(run);
	result->fairness = fairness(run);
	result->warmup = run->window_start;
	xt_utilisation(run->device, result);
	result->network_packet = xt_sample_summary(&run->network_packet);
	result->network_cell = xt_sample_summary(&run->network_cell);
	result->end_to_end_packet = xt_sample_summary(&run->end_to_end_packet);
	result->end_to_end_cell = xt_sample_summary(&run->end_to_end_cell);
	xt_energy(run->device, result);
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

static void clean_up(xt_run_t *run)
{
	xt_warmup_free(&run->warmup);
	xt_sample_free(&run->network_packet);
	xt_sample_free(&run->network_cell);
	xt_sample_free(&run->end_to_end_packet);
	xt_sample_free(&run->end_to_end_cell);
	xt_source_free(run->source);
	xt_scoreboard_free(run->scoreboard);
	xt_checkpoint_close(&run->checkpoint);
	xt_checkpoint_abort(&run->writer);
	xt_violations_free(&run->violations);
	free(run->window_start_cells);
	free(run->source_cells);
	free(run->addresses);
	free(run->rank_cards);
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

static int check_checkpoint(const xt_run_options_t *options, const xt_backend_t *backend, xt_diag_t *diag)
{
	if (options->checkpoint && !backend->checkpoints) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "run: engine %s makes no checkpoints; the fast model does",
			backend->engine);
	}
	if (options->checkpoint && !options->checkpoint_every) {
		return xt_fail(diag, XT_ERR_RANGE, "run: a checkpoint every 0 cycles is none");
	}
	return XT_OK;
}

int xt_device_run(xt_device_t *device, const xt_image_t *image, const xt_traffic_t *traffic,
	const xt_run_options_t *options, xt_result_t **out, xt_diag_t *diag)
{
	xt_run_options_t taken;
	xt_engine_t *engine;
	xt_run_t run = {.device = device, .image = image, .traffic = traffic, .options = &taken};
	int status = xt_options_take(options, &taken, sizeof(taken), "run", diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
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
	if (run.options->ranks && !xt_device_backend(device, &engine)->ranks) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"run: engine %s is not distributed over ranks yet; the fast model is",
			xt_device_backend(device, &engine)->engine);
	}
	if (device->ran) {
		return xt_fail(
			diag, XT_ERR_UNSUPPORTED, "run: a device that was opened for ranks has one run; open it again");
	}
	status = check_checkpoint(run.options, xt_device_backend(device, &engine), diag);
	if (status == XT_OK) {
		status = xt_traffic_check(traffic, xt_image_profile(image), xt_image_pes(image), diag);
	}
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
		status = prepare_ranks(&run, diag);
	}
	if (status == XT_OK) {
		run.result->cards = xt_device_cards(device);
		run.result->pes = xt_image_pes(image);
		status = xt_run_resume(&run, diag);
	}
	if (status == XT_OK) {
		if (run.options->packet_log && !run.checkpoint.memory) {
			fprintf(run.options->packet_log,
				"packet,source,destination,tc,cells,generated,sent,delivered\n");
		}
		status = simulate(&run, diag);
	}
	if (status == XT_OK && xt_ranks_own(run.options->ranks) > 0) {
		clean_up(&run);
		return XT_OK;
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
	free(result->ranks);
	free(result);
}
