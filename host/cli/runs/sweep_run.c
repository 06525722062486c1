/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "extorus/run.h"
#include "report/sim_report.h"
#include "runs.h"
#include "sweep.h"

/* Which run, by the place of its result. */
typedef struct {
	unsigned network, pattern, load, seed;
} place_t;

typedef struct {
	xt_sweep_t *sweep;
	xt_store_t *store;
	uint32_t *pending; /* places of the runs to do */
	uint32_t count;
} work_t;

static place_t place_of(const xt_sweep_t *s, uint32_t index)
{
	place_t place = {.seed = index % s->seed_count};

	index /= s->seed_count;
	place.load = index % s->load_count;
	index /= s->load_count;
	place.pattern = index % s->pattern_count;
	place.network = index / s->pattern_count;
	return place;
}

const char *xt_sweep_pattern(const xt_sweep_t *sweep, unsigned pattern)
{
	return pattern < sweep->traffic->pattern_count ? sweep->traffic->patterns[pattern] : "uniform";
}

static xt_traffic_t traffic_of(const xt_sweep_t *s, place_t place)
{
	const xt_profile_t *profile = xt_image_profile(s->networks[place.network].image);

	return xt_traffic_from_options(s->traffic, profile, place.pattern, s->loads[place.load], s->seed + place.seed);
}

static json_t *key_of(const xt_sweep_t *s, place_t place)
{
	const xt_sweep_network_t *network = &s->networks[place.network];

	return json_pack("{s:s, s:s, s:s, s:s, s:f, s:I}", "network", network->name, "image_hash", network->image_hash,
		"simulator", network->simulator, "traffic", xt_sweep_pattern(s, place.pattern), "load",
		s->loads[place.load], "seed", (json_int_t)(s->seed + place.seed));
}

/* Of the weights that were read: a pipe cannot be read again, and a file may have changed since. */
static json_t *matrix_sum(const xt_sweep_t *s)
{
	const unsigned ends = xt_image_pes(s->networks[0].image);
	double *row = malloc(ends * sizeof(*row));
	unsigned long sum = crc32_z(0, NULL, 0);
	json_t *text;

	for (unsigned source = 0; row && source < ends; source++) {
		xt_traffic_matrix_row(s->traffic->matrix, source, row);
		sum = crc32_z(sum, (const unsigned char *)row, ends * sizeof(*row));
	}
	text = row ? json_sprintf("%08lx", sum) : NULL;
	free(row);
	return text;
}

/* What all runs share; with other networks, patterns, loads or seeds a file can be gone on with. Lengths that are the
 * profile's are said as 0. */
static json_t *common_of(const xt_sweep_t *s)
{
	xt_traffic_t traffic = xt_traffic_from_options(s->traffic, xt_image_profile(s->networks[0].image), 0, 0.0, 0);
	json_t *common = json_object();

	if (!s->traffic->length.max) {
		traffic.length = s->traffic->length;
	}
	xt_traffic_json(&traffic, common);
	json_object_del(common, "traffic");
	json_object_del(common, "load");
	json_object_del(common, "seed");
	json_object_set_new(common, "zipf_exponent", json_real(traffic.zipf_exponent));
	json_object_set_new(common, "tc_mask", json_integer((json_int_t)s->traffic->tc_mask));
	json_object_set_new(common, "warmup_detected", json_boolean(traffic.detect_warmup));
	json_object_set_new(common, "engine", json_string(s->engine));
	if (s->no_check) {
		json_object_set_new(common, "hops_checked", json_false());
	}
	xt_switch_json(&s->device_switch, common);
	json_object_set_new(common, "link_latency", json_integer((json_int_t)s->latency));
	if (s->traffic->matrix) {
		json_object_set_new(common, "matrix_sum", matrix_sum(s));
	}
	return common;
}

static double real_of(const json_t *object, const char *a, const char *b, const char *c)
{
	const char *names[] = {a, b, c};

	for (unsigned i = 0; i < 3 && names[i]; i++) {
		object = json_object_get(object, names[i]);
	}
	return json_is_number(object) ? json_number_value(object) : NAN;
}

static int is_measured(const json_t *object, const char *a, const char *b, const char *c)
{
	const char *names[] = {a, b, c};

	for (unsigned i = 0; i < 3 && names[i]; i++) {
		object = json_object_get(object, names[i]);
	}
	return json_is_number(object) || json_is_null(object);
}

static int is_result(const json_t *r)
{
	static const char *const latencies[] = {"network_latency", "end_to_end_latency"};
	int good = json_is_number(json_object_get(r, "offered_load")) &&
		   json_is_number(json_object_get(r, "accepted_load")) &&
		   json_is_boolean(json_object_get(r, "saturated")) && json_is_boolean(json_object_get(r, "ok")) &&
		   is_measured(r, "link_utilisation", "mean", NULL) &&
		   is_measured(r, "link_utilisation", "max", NULL) &&
		   is_measured(r, "switch_utilisation", "mean", NULL);

	for (unsigned i = 0; i < 2; i++) {
		good = good && is_measured(r, latencies[i], "packet", "mean") &&
		       is_measured(r, latencies[i], "packet", "ci95") &&
		       is_measured(r, latencies[i], "packet", "p99") && is_measured(r, latencies[i], "cell", "mean");
	}
	return good;
}

static xt_point_t point_of(const json_t *r)
{
	xt_point_t point = {
		.offered = real_of(r, "offered_load", NULL, NULL),
		.accepted = real_of(r, "accepted_load", NULL, NULL),
		.network_packet = real_of(r, "network_latency", "packet", "mean"),
		.network_packet_ci = real_of(r, "network_latency", "packet", "ci95"),
		.network_p99 = real_of(r, "network_latency", "packet", "p99"),
		.network_cell = real_of(r, "network_latency", "cell", "mean"),
		.end_to_end_packet = real_of(r, "end_to_end_latency", "packet", "mean"),
		.end_to_end_cell = real_of(r, "end_to_end_latency", "cell", "mean"),
		.link_mean = real_of(r, "link_utilisation", "mean", NULL),
		.link_max = real_of(r, "link_utilisation", "max", NULL),
		.switch_mean = real_of(r, "switch_utilisation", "mean", NULL),
		.internal = real_of(r, "channel_utilisation", "int", NULL),
		.energy = real_of(r, "energy_pj_per_cell", NULL, NULL),
		.saturated = json_is_true(json_object_get(r, "saturated")),
		.ok = json_is_true(json_object_get(r, "ok")),
		.done = 1,
	};

	return point;
}

/* One run on a network of its own. */
static int run_one(const xt_sweep_t *s, place_t place, xt_run_watch_t *watch, json_t **out, xt_diag_t *diag)
{
	const xt_sweep_network_t *network = &s->networks[place.network];
	xt_traffic_t traffic = traffic_of(s, place);
	xt_run_options_t options = {
		.size = sizeof(options), .progress = xt_run_step, .progress_context = watch, .no_check = s->no_check};
	xt_sim_run_t run = {.path = network->name,
		.image = network->image,
		.traffic = &traffic,
		.device_switch = &s->device_switch,
		.link_latency = s->latency ? s->latency : xt_image_profile(network->image)->link_latency};
	xt_result_t *result = NULL;
	xt_device_t *device;
	int status = xt_sweep_network_open(network, s->engine, &s->device_switch, run.link_latency, &device, diag);

	if (status == XT_OK) {
		status = xt_device_run(device, network->image, &traffic, &options, &result, diag);
	}
	if (status == XT_OK) {
		run.result = result;
		*out = xt_sim_json(&run);
	}
	xt_result_free(result);
	xt_device_close(device);
	return status;
}

static int do_run(void *context, uint32_t item, xt_run_watch_t *watch, json_t **result, xt_diag_t *diag)
{
	const work_t *work = context;

	return run_one(work->sweep, place_of(work->sweep, item), watch, result, diag);
}

static int keep_run(void *context, uint32_t item, json_t *result, xt_diag_t *diag)
{
	work_t *work = context;

	work->sweep->points[item] = point_of(result);
	return xt_store_add(work->store, key_of(work->sweep, place_of(work->sweep, item)), result, diag);
}

static uint32_t run_count(const xt_sweep_t *s)
{
	return s->network_count * s->pattern_count * s->load_count * s->seed_count;
}

/* Takes the result of a run from the store, or notes that the run is to be done. */
static int find_one(work_t *work, uint32_t index, xt_diag_t *diag)
{
	xt_sweep_t *s = work->sweep;
	json_t *key = key_of(s, place_of(s, index));
	const json_t *result = xt_store_find(work->store, key);
	int status = XT_OK;

	if (result) {
		s->points[index] = point_of(result);
		s->kept++;
		status = s->shards ? XT_OK : xt_store_adopt(work->store, key, diag);
	} else {
		work->pending[work->count++] = index;
	}
	s->done++;
	json_decref(key);
	return status;
}

/* Sorts out what is in the store already. Runs of high loads take longest and are begun first. A shard has each N-th
 * run of that order, whatever is done. */
static int find_pending(work_t *work, xt_diag_t *diag)
{
	const xt_sweep_t *s = work->sweep;
	uint32_t number = 0;
	int status = XT_OK;

	for (unsigned load = s->load_count; load-- > 0;) {
		for (uint32_t index = 0; index < run_count(s) && status == XT_OK; index++) {
			if (place_of(s, index).load == load && (!s->shards || number++ % s->shards + 1 == s->shard)) {
				status = find_one(work, index, diag);
			}
		}
	}
	return status;
}

static int check_traffic(const xt_sweep_t *s, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned i = 0; i < s->network_count * s->pattern_count && status == XT_OK; i++) {
		place_t place = {.network = i / s->pattern_count, .pattern = i % s->pattern_count};
		const xt_image_t *image = s->networks[place.network].image;
		xt_traffic_t traffic = traffic_of(s, place);

		status = xt_traffic_check(&traffic, xt_image_profile(image), xt_image_pes(image), diag);
	}
	return status;
}

/* Results that are there, and those that are lacking. */
static int open_store(work_t *work, xt_diag_t *diag)
{
	const xt_sweep_t *s = work->sweep;
	json_t *common = common_of(s);
	int status = xt_store_open(s->command, s->path, json_incref(common), is_result, &work->store, diag);

	if (status == XT_OK) {
		status = xt_sweep_shards_include(s, work->store, common, diag);
	}
	json_decref(common);
	return status == XT_OK ? find_pending(work, diag) : status;
}

int xt_sweep_run(xt_sweep_t *s, xt_diag_t *diag)
{
	work_t work = {.sweep = s};
	xt_runs_t runs = {.what = "simulating",
		.threads = s->threads,
		.one = do_run,
		.keep = keep_run,
		.context = &work,
		.ranks = s->ranks};
	int status = XT_OK;

	s->pattern_count = s->traffic->pattern_count ? s->traffic->pattern_count : 1;
	s->kept = s->done = 0;
	s->points = calloc(run_count(s), sizeof(*s->points));
	work.pending = calloc(run_count(s), sizeof(*work.pending));
	if (!s->points || !work.pending) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for %u runs", run_count(s));
	}
	for (unsigned i = 0; i < s->network_count && status == XT_OK; i++) {
		status = xt_sweep_network_identify(&s->networks[i], s->engine, &s->device_switch, diag);
	}
	if (status == XT_OK) {
		status = check_traffic(s, diag);
	}
	if (xt_ranks_own(s->ranks) > 0) {
		status = xt_runs_serve(&runs, status, diag);
	} else if (status != XT_OK || (status = open_store(&work, diag)) != XT_OK) {
		xt_runs_dismiss(s->ranks);
	} else {
		runs.count = work.count;
		runs.items = work.pending;
		status = xt_runs_do(&runs, diag);
	}
	xt_store_close(work.store);
	free(work.pending);
	return status;
}

void xt_sweep_give_up(const xt_sweep_t *sweep, int status, const xt_diag_t *diag)
{
	if (xt_ranks_own(sweep->ranks) > 0) {
		(void)xt_runs_serve(&(xt_runs_t){.ranks = sweep->ranks}, status, diag);
	} else {
		xt_runs_dismiss(sweep->ranks);
	}
}

void xt_sweep_free(xt_sweep_t *sweep)
{
	for (unsigned i = 0; i < sweep->network_count; i++) {
		xt_sweep_network_free(&sweep->networks[i]);
	}
	free(sweep->points);
}
