/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs done again on the networks of a group: means over the maps of their ranks. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/application.h"
#include "options/replay_options.h"
#include "reproduce.h"
#include "runs.h"

enum { MOST_MAPS = 100 };

/* Run r is map r % maps of curve r / maps. */
typedef struct {
	const json_t *program, *group, *constants;
	const xt_reproduce_options_t *options;
	xt_workload_t *workload;
	xt_replay_options_t replay;
	uint32_t tasks_per_pe, maps;
	int is_random; /* maps; else there is one, the consecutive one */
	xt_curve_t *curves;
	xt_sweep_network_t *networks;
	unsigned count;
	json_t **results; /* owned; NULL until they are there */
	xt_store_t *store;
} work_t;

static const char *text_of(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static uint32_t number_of(const json_t *object, const char *name)
{
	return (uint32_t)json_integer_value(json_object_get(object, name));
}

/* ---------------------------------------------------------------- a run */

static int make_workload(work_t *work, xt_diag_t *diag)
{
	const char *rules = text_of(work->program, "rules");
	xt_application_t application = {.ranks = number_of(work->program, "ranks"),
		.problem = text_of(work->program, "class"),
		.rounds = number_of(work->program, "rounds"),
		.levels = number_of(work->program, "levels"),
		.compute_ns = number_of(work->program, "compute")};
	const char *name = text_of(work->program, "name");
	int status;

	if ((status = xt_application_parse(name ? name : "", &application.kind, diag)) != XT_OK ||
		(rules && (status = xt_rules_parse(rules, &application.rules, diag)) != XT_OK)) {
		return status;
	}
	return xt_application_create(&application, &work->workload, diag);
}

static void step(void *watch, uint64_t cycle, uint64_t done, uint64_t total)
{
	(void)cycle;
	xt_run_step(watch, done, total);
}

static int replay(const work_t *work, const xt_sweep_network_t *network, uint32_t map, xt_device_t *device,
	xt_run_watch_t *watch, xt_diag_t *diag, json_t **out)
{
	xt_replay_options_t options = work->replay;
	xt_map_t how = {.kind = work->is_random ? XT_MAP_RANDOM : XT_MAP_CONSECUTIVE,
		.seed = map,
		.tasks_per_pe = work->tasks_per_pe};
	uint32_t ranks = xt_workload_ranks(work->workload), *pe = malloc(ranks * sizeof(*pe));
	xt_replay_result_t *result = NULL;
	int status =
		pe ? xt_map_ranks(&how, network->image, ranks, pe, diag) : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	options.pe = pe;
	options.progress_context = watch;
	if (status == XT_OK &&
		(status = xt_device_replay(device, network->image, work->workload, &options, &result, diag)) == XT_OK) {
		*out = xt_replay_json(text_of(work->program, "name"), network->name, ranks, result, work->workload);
		json_object_del(*out, "critical_path");
	}
	xt_replay_free(result);
	free(pe);
	return status;
}

static int do_run(void *context, uint32_t item, xt_run_watch_t *watch, json_t **result, xt_diag_t *diag)
{
	const work_t *work = context;
	const xt_sweep_network_t *network = &work->networks[item / work->maps];
	xt_device_t *device = NULL;
	int status = xt_sweep_network_open(network, "model", &work->options->device_switch,
		number_of(work->constants, "link_latency"), &device, diag);

	if (status == XT_OK) {
		status = replay(work, network, item % work->maps, device, watch, diag, result);
	}
	xt_device_close(device);
	return status;
}

/* ---------------------------------------------------------------- all runs */

static json_t *key_of(const work_t *work, uint32_t item)
{
	const xt_sweep_network_t *network = &work->networks[item / work->maps];

	return json_pack("{s:O, s:I, s:s, s:s, s:s, s:o}", "program", work->program, "tasks_per_pe",
		(json_int_t)work->tasks_per_pe, "network", network->name, "image_hash", network->image_hash,
		"simulator", network->simulator, "map",
		work->is_random ? json_integer(item % work->maps) : json_string("consecutive"));
}

static int keep_run(void *context, uint32_t item, json_t *result, xt_diag_t *diag)
{
	work_t *work = context;

	work->results[item] = result;
	return xt_store_add(work->store, key_of(work, item), json_incref(result), diag);
}

static double figure_of(const json_t *result, xt_program_figure_t figure)
{
	static const char *const latencies[] = {"network_packet_latency", "end_to_end_packet_latency"};

	switch (figure) {
	case XT_PROGRAM_TIME:
		return json_number_value(json_object_get(result, "execution_cycles"));
	case XT_PROGRAM_UTILISATION:
		return json_number_value(json_object_get(result, "utilisation"));
	default:
		return json_number_value(json_object_get(json_object_get(result, latencies[figure]), "mean"));
	}
}

static int is_result(const json_t *result)
{
	int is_whole = json_is_boolean(json_object_get(result, "ok"));

	for (xt_program_figure_t f = 0; f < XT_PROGRAM_FIGURES; f++) {
		is_whole &= figure_of(result, f) > 0.0;
	}
	return is_whole;
}

static uint32_t find_pending(work_t *work, uint32_t *pending)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < work->count * work->maps; i++) {
		json_t *key = key_of(work, i);
		const json_t *kept = xt_store_find(work->store, key);

		json_decref(key);
		if (kept) {
			work->results[i] = json_deep_copy(kept);
		} else {
			pending[count++] = i;
		}
	}
	return count;
}

static int run_all(work_t *work, const char *path, xt_diag_t *diag)
{
	json_t *common;
	uint32_t *pending;
	xt_runs_t runs = {.what = text_of(work->group, "label"),
		.threads = work->options->threads,
		.one = do_run,
		.keep = keep_run,
		.context = work,
		.ranks = work->options->ranks};
	int status;

	if (xt_ranks_own(runs.ranks) > 0) {
		status = make_workload(work, diag);
		return xt_runs_serve(&runs, status, diag);
	}
	common = json_pack("{s:s, s:O?, s:i}", "engine", "model", "constants", work->constants, "tc_mask",
		(int)work->replay.tc_mask);
	xt_switch_json(&work->options->device_switch, common);
	status = xt_store_open("reproduce", path, common, is_result, &work->store, diag);
	pending = malloc((size_t)work->count * work->maps * sizeof(*pending));
	if (status == XT_OK && !pending) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	if (status == XT_OK && (runs.count = find_pending(work, pending)) > 0) {
		status = make_workload(work, diag);
	}
	runs.items = pending;
	if (status == XT_OK) {
		status = xt_runs_do(&runs, diag);
	} else {
		xt_runs_dismiss(runs.ranks);
	}
	xt_store_close(work->store);
	free(pending);
	return status;
}

static void find_figures(const work_t *work, unsigned *wrong)
{
	double values[MOST_MAPS];

	for (unsigned c = 0; c < work->count; c++) {
		json_t **results = work->results + (size_t)c * work->maps;

		work->curves[c].runs = work->maps;
		for (xt_program_figure_t f = 0; f < XT_PROGRAM_FIGURES; f++) {
			for (uint32_t m = 0; m < work->maps; m++) {
				values[m] = figure_of(results[m], f);
			}
			work->curves[c].program[f] = xt_mean_of(values, work->maps);
		}
		for (uint32_t m = 0; m < work->maps; m++) {
			*wrong += !json_is_true(json_object_get(results[m], "ok"));
		}
	}
}

static int make_curves(work_t *work, const json_t *experiment, xt_diag_t *diag)
{
	const json_t *curve;
	size_t index;

	json_array_foreach(json_object_get(work->group, "curves"), index, curve)
	{
		const json_t *const objects[] = {curve, work->group, experiment, NULL};
		int status;

		if (work->count == XT_MOST_CURVES || !text_of(curve, "label")) {
			return xt_fail(diag, XT_ERR_FORMAT, "experiments: a curve has no label, or there are too many");
		}
		if ((status = xt_reproduce_network(objects, &work->networks[work->count], diag)) != XT_OK ||
			(status = xt_sweep_network_identify(&work->networks[work->count], "model",
				 &work->options->device_switch, diag)) != XT_OK) {
			return status;
		}
		work->curves[work->count++] = (xt_curve_t){.label = text_of(curve, "label"), .width = 1.0};
	}
	return XT_OK;
}

static void set_up(work_t *work, const json_t *experiment)
{
	const json_t *constants = json_object_get(experiment, "constants");
	const char *tcs = text_of(experiment, "tc");
	uint32_t maps = number_of(work->group, "random_maps"), tasks_per_pe = number_of(work->group, "tasks_per_pe");

	work->constants = constants;
	work->is_random = maps > 0;
	work->maps = maps > MOST_MAPS ? MOST_MAPS : maps ? maps : 1;
	work->tasks_per_pe = tasks_per_pe ? tasks_per_pe : 1;
	work->replay = (xt_replay_options_t){.size = sizeof(work->replay),
		.nic_latency = number_of(constants, "nic_latency"),
		.least_cells = number_of(constants, "least_cells"),
		.compute_scale = 1.0,
		.path_events = 1,
		.progress = step};
	for (; tcs && *tcs; tcs += tcs[1] ? 2 : 1) {
		work->replay.tc_mask |= 1u << (*tcs - '0');
	}
}

int xt_reproduce_program(const json_t *experiment, const json_t *group, const xt_reproduce_options_t *options,
	const char *path, xt_curve_t *curves, unsigned *count, unsigned *wrong, xt_diag_t *diag)
{
	work_t work = {
		.program = json_object_get(group, "program"), .group = group, .options = options, .curves = curves};
	int status;

	set_up(&work, experiment);
	work.networks = calloc(XT_MOST_CURVES, sizeof(*work.networks));
	work.results = calloc((size_t)XT_MOST_CURVES * work.maps, sizeof(*work.results));
	status = work.networks && work.results ? make_curves(&work, experiment, diag)
					       : xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	if (status == XT_OK && (status = run_all(&work, path, diag)) == XT_OK && xt_ranks_own(options->ranks) == 0) {
		find_figures(&work, wrong);
		*count = work.count;
	}
	for (uint32_t i = 0; work.results && i < work.count * work.maps; i++) {
		json_decref(work.results[i]);
	}
	for (unsigned i = 0; work.networks && i < work.count; i++) {
		xt_sweep_network_free(&work.networks[i]);
	}
	xt_workload_free(work.workload);
	free(work.results);
	free(work.networks);
	return status;
}
