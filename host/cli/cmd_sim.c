/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/atomic_file.h"
#include "extorus/thread_pool.h"
#include "options/device_options.h"
#include "options/progress.h"
#include "options/sim_options.h"
#include "report/counter_report.h"
#include "report/heat_map.h"
#include "report/html_page.h"
#include "report/sim_report.h"
#include "runs/rank_failure.h"
#include "runs/run_log.h"
#include "runs/sim_page.h"

enum { URI_SIZE = 8192, DEFAULT_EVERY = 1000000 /* cycles */ };

static int make_uri(const sim_options_t *o, char *uri, xt_diag_t *diag)
{
	int used = snprintf(uri, URI_SIZE, "%s:%s%s%s", strcmp(o->engine, "model") == 0 ? "model" : "sim", o->image,
		o->evaluate_all ? ";evaluate=all" : "", xt_switch_text(&o->device_switch).text);

	if (strchr(o->image, ';') || (o->wave && strchr(o->wave, ';'))) {
		return xt_fail(diag, XT_ERR_INVALID, "a file name with a ';' cannot be part of a device's name");
	}
	if (o->latency && used < URI_SIZE) {
		used += snprintf(uri + used, URI_SIZE - (size_t)used, ";latency=%" PRIu64, o->latency);
	}
	if (o->wave && used < URI_SIZE) {
		used += snprintf(uri + used, URI_SIZE - (size_t)used,
			";wave=%s;wave-cards=%s;wave-from=%" PRIu64 ";wave-to=%" PRIu64, o->wave,
			o->wave_cards ? o->wave_cards : "0", o->wave_from, o->wave_to);
	}
	return used < URI_SIZE ? XT_OK : xt_fail(diag, XT_ERR_RANGE, "file names are too long");
}

static int write_link_load(void *run, FILE *out, xt_diag_t *diag)
{
	(void)diag;
	xt_sim_link_csv(run, out);
	return XT_OK;
}

/* Of those asked for, or one per processor where the network has work for as many in every cycle. */
static unsigned threads_of(const sim_options_t *o, uint32_t cards)
{
	const uint32_t least = strcmp(o->engine, "model") == 0 ? XT_SIM_MODEL_SHARE : XT_SIM_RTL_SHARE;
	const unsigned processors = xt_thread_count(0), most = cards < least ? 1 : cards / least;

	if (o->run.threads || o->run.ranks || o->device_switch.kind) {
		return o->run.threads;
	}
	return processors < most ? processors : most;
}

/* The partition that is said, for so many ranks. */
static int take_partition(const sim_options_t *o, xt_ranks_t *ranks, uint32_t *cards, unsigned all, xt_diag_t *diag)
{
	const unsigned count = xt_ranks_count(ranks);

	if (o->rank_borders + 1 != count) {
		return xt_fail(diag, XT_ERR_RANGE, "--partition: %u first cards are those of %u ranks, and there %s %u",
			o->rank_borders, o->rank_borders + 1, count == 1 ? "is" : "are", count);
	}
	memcpy(cards, o->rank_cards, count * sizeof(*cards));
	cards[count] = all;
	return XT_OK;
}

/* The run itself, with the packet log around it. */
static int simulate(const sim_options_t *o, const uint32_t *rank_cards, xt_device_t *device, const xt_image_t *image,
	const xt_traffic_t *traffic, xt_result_t **result, xt_diag_t *diag)
{
	const int is_first = xt_ranks_own(o->run.ranks) == 0;
	xt_run_options_t options = o->run;
	xt_run_log_t log = {0};
	xt_progress_bar_t bar;
	int status = XT_OK;

	options.rank_cards = rank_cards;
	if (is_first) {
		status = xt_run_log_open(&log, o->packet_log, o->run.checkpoint, diag);
	}
	if (status != XT_OK) {
		return status;
	}
	options.size = sizeof(options);
	options.threads = threads_of(o, xt_image_cards(image));
	options.error_seed = o->seed;
	options.packet_log = log.stream;
	options.checkpoint_every = o->run.checkpoint_every ? o->run.checkpoint_every : DEFAULT_EVERY;
	if (is_first) {
		options.progress = xt_progress_step;
		options.progress_context = &bar;
		xt_progress_begin(&bar, "simulating");
	}
	status = xt_device_run(device, image, traffic, &options, result, diag);
	if (is_first) {
		xt_progress_end(&bar);
	}
	return xt_run_log_close(&log, status, diag);
}

/* What is to be different in this network before the traffic begins. */
static int prepare(const sim_options_t *o, xt_device_t *device, xt_diag_t *diag)
{
	xt_settings_t settings = o->settings;
	int status;

	settings.weights = o->weights;
	status = xt_device_configure(device, &settings, diag);
	for (unsigned i = 0; i < o->fault_count && status == XT_OK; i++) {
		status = xt_device_fault(device, &o->faults[i], diag);
	}
	for (unsigned i = 0; i < o->kill_count && status == XT_OK; i++) {
		xt_fault_t fault = {.kind = XT_FAULT_KILL_LINK, .card = o->kills[i].card, .n = o->kills[i].cycle};

		status = xt_device_find_port(device, fault.card, o->kills[i].port, &fault.port, diag);
		if (status == XT_OK) {
			status = xt_device_fault(device, &fault, diag);
		}
	}
	return status;
}

/* `page` gets the pictures, `list` the result. */
static int report(const sim_options_t *o, xt_device_t *device, xt_sim_run_t *run, json_t *list, xt_sim_page_t *page,
	xt_diag_t *diag)
{
	json_t *counters = NULL;
	int status = o->link_load ? xt_write_file(o->link_load, write_link_load, run, diag) : XT_OK;

	if (status == XT_OK && o->heat_map) {
		status = xt_heat_map(run, o->heat_map, diag);
	}
	if (status == XT_OK && o->html && o->load_count == 1) {
		status = xt_sim_page_draw(page, run, diag);
	}
	if (status == XT_OK && o->counters) {
		counters = xt_counters_json(device, 0, xt_device_cards(device), diag);
		status = counters ? XT_OK : XT_ERR_PROTOCOL;
	}
	if (status != XT_OK) {
		return status;
	}
	if (o->json || o->html) {
		json_t *object = xt_sim_json(run);

		if (counters) {
			json_object_set(object, "counters", counters);
		}
		json_array_append_new(list, object);
	}
	if (!o->json) {
		if (o->load_count > 1) {
			xt_sim_print_row(run, stdout);
		} else {
			xt_sim_print(run, stdout);
		}
		if (counters) {
			status = xt_counters_print(counters, stdout);
		}
		fflush(stdout);
	}
	json_decref(counters);
	return status;
}

/* One load: a network of its own, so that a run does not depend on those before it. */
static int run_load(const sim_options_t *o, const char *uri, const xt_image_t *image, unsigned index, json_t *list,
	xt_sim_page_t *page, int *wrong, xt_diag_t *diag)
{
	xt_traffic_t traffic =
		xt_traffic_from_options(&o->traffic, xt_image_profile(image), 0, o->loads[index], o->seed);
	unsigned flags = o->flags | (index ? XT_LOAD_NO_VERIFY : 0);
	xt_sim_run_t run = {.path = o->image, .image = image, .traffic = &traffic, .device_switch = &o->device_switch};
	xt_device_t *device;
	xt_result_t *result = NULL;
	uint32_t rank_cards[XT_SIM_MOST_RANKS + 1];
	xt_open_options_t open = {.size = sizeof(open), .rank_cards = o->rank_borders ? rank_cards : NULL};
	int status = xt_traffic_check(&traffic, xt_image_profile(image), xt_image_pes(image), diag);

	/* When a dead link is noticed depends on when its ends were brought up. */
	open.ranks = o->fault_count || o->kill_count ? NULL : o->run.ranks;
	if (status == XT_OK && o->rank_borders) {
		status = take_partition(o, o->run.ranks, rank_cards, xt_image_cards(image), diag);
	}
	if (status == XT_OK) {
		status = xt_device_open_with(uri, &open, &device, diag);
	}
	if (status != XT_OK) {
		return status;
	}
	status = xt_load(device, image, flags, diag);
	if (status == XT_OK) {
		status = prepare(o, device, diag);
	}
	if (status == XT_OK) {
		status = simulate(o, open.rank_cards, device, image, &traffic, &result, diag);
	}
	if (status == XT_OK && result) {
		run.result = result;
		run.error_rate = o->run.error_rate;
		run.link_latency = o->latency ? (unsigned)o->latency : xt_image_profile(image)->link_latency;
		*wrong |= !xt_result_ok(result);
		status = report(o, device, &run, list, page, diag);
	}
	if (status == XT_OK && result && result->faults_waiting) {
		status = xt_fail(diag, XT_ERR_RANGE,
			"%u of %u faults never happened: not enough traffic passed where they are; choose another "
			"port, cycle or load",
			result->faults_waiting, o->fault_count + o->kill_count);
	}
	xt_result_free(result);
	xt_device_close(device);
	return status;
}

static int run(int argc, char **argv)
{
	sim_options_t o = {.engine = "rtl",
		.loads = {0.1},
		.load_count = 1,
		.traffic = XT_TRAFFIC_OPTIONS,
		.seed = 1,
		.run = {.rank_timeout = 600.0},
		.wave_to = UINT64_MAX};
	char uri[URI_SIZE];
	xt_image_t *image = NULL;
	xt_diag_t diag = {""};
	char *command_line = xt_command_line(argc, argv);
	xt_sim_page_t page = {.command_line = command_line};
	json_t *list;
	int status, result = XT_EXIT_OK, wrong = 0, is_first;

	xt_parse_options(&xt_sim_syntax, argc, argv, &o);
	list = json_array();
	page.path = o.html;
	page.runs = list;
	status = make_uri(&o, uri, &diag);
	if (status == XT_OK) {
		status = xt_ranks_open(&o.run.ranks, &diag);
	}
	is_first = xt_ranks_own(o.run.ranks) == 0;
	if (status == XT_OK && o.run.ranks && o.wave) {
		/* The device would begin the file. */
		status =
			xt_fail(&diag, XT_ERR_UNSUPPORTED, "waves are written by one process; start it without mpirun");
	}
	if (status == XT_OK) {
		status = xt_image_read(o.image, &image, &diag);
	}
	if (status == XT_OK) {
		status = xt_traffic_options_read(&o.traffic, xt_image_pes(image), &diag);
	}
	if (status == XT_OK && o.load_count > 1 && !o.json && is_first) {
		xt_sim_print_heading(stdout);
	}
	for (unsigned i = 0; i < o.load_count && status == XT_OK; i++) {
		status = run_load(&o, uri, image, i, list, &page, &wrong, &diag);
	}
	if (status == XT_OK && o.html) {
		status =
			json_array_size(list) == o.load_count
				? xt_sim_page_write(&page, &diag)
				: xt_fail(&diag, XT_ERR_INVALID, "the result is no UTF-8; give the image another name");
	}
	if (o.json && json_array_size(list) == o.load_count) {
		result = xt_print_json("sim", json_incref(o.load_count > 1 ? list : json_array_get(list, 0)));
	}
	if (status != XT_OK) {
		result = xt_ranks_give_up("sim", o.run.ranks, status, &diag);
	} else if (o.run.checkpoint && is_first && result == XT_EXIT_OK && fflush(stdout) == 0 && !ferror(stdout)) {
		/* The result is out, and there is nothing to go on from. */
		(void)remove(o.run.checkpoint);
	}
	xt_ranks_close(o.run.ranks);
	json_decref(list);
	free(page.pictures);
	free(command_line);
	xt_traffic_options_free(&o.traffic);
	xt_image_free(image);
	return result != XT_EXIT_OK ? result : wrong ? XT_EXIT_WRONG : XT_EXIT_OK;
}

XT_COMMAND(sim, "co-simulate the network with traffic and check every packet", run);
