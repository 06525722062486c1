/* SPDX-License-Identifier: Apache-2.0
 *
 * Published latencies and times of collectives done again, each on two networks of as many cards. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/atomic_file.h"
#include "options/replay_options.h"
#include "reproduce.h"
#include "runs.h"

enum { MOST_RUNS = 512, NETWORKS = 2, METRICS = 2, MOST_ROWS = MOST_RUNS / NETWORKS };

/* A collective on one of the networks of its group. */
typedef struct {
	const json_t *group, *row;
	xt_sweep_network_t *network;
	json_t *result; /* owned; NULL until it is there */
} run_t;

typedef struct {
	const json_t *experiment;
	const xt_reproduce_options_t *options;
	xt_rules_t rules;
	unsigned link_latency, tc_mask;
	xt_replay_options_t replay;
	xt_sweep_network_t networks[XT_MOST_NETWORKS];
	unsigned network_count;
	run_t runs[MOST_RUNS]; /* row by row */
	uint32_t count;
	uint32_t pending[MOST_RUNS];
	uint32_t pending_count;
	xt_store_t *store;
} work_t;

/* What of a result stands beside a published pair. */
static const struct {
	const char *name;
	const char *unit;
} metrics[METRICS] = {{"latency", "cycles of a cell in the network"}, {"time", "cycles"}};

static double measured(const json_t *result, unsigned metric)
{
	return metric == 0 ? json_number_value(json_object_get(json_object_get(result, "network_cell_latency"), "mean"))
			   : json_number_value(json_object_get(result, "execution_cycles"));
}

static const char *text_of(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static unsigned number_of(const json_t *object, const char *name)
{
	return (unsigned)json_integer_value(json_object_get(object, name));
}

/* ---------------------------------------------------------------- what there is to run */

static json_t *key_of(const run_t *run)
{
	return json_pack("{s:s, s:s, s:s, s:O, s:O, s:O}", "network", run->network->name, "image_hash",
		run->network->image_hash, "simulator", run->network->simulator, "collective",
		json_object_get(run->row, "collective"), "bytes", json_object_get(run->row, "bytes"), "ranks",
		json_object_get(run->group, "ranks"));
}

static int set_up(work_t *work, xt_diag_t *diag)
{
	const json_t *constants = json_object_get(work->experiment, "constants");
	const char *rules = text_of(work->experiment, "rules"), *tcs = text_of(work->experiment, "tc");

	for (; tcs && *tcs; tcs += tcs[1] ? 2 : 1) {
		work->tc_mask |= 1u << (*tcs - '0');
	}
	work->link_latency = number_of(constants, "link_latency");
	work->replay = (xt_replay_options_t){.size = sizeof(work->replay),
		.nic_latency = number_of(constants, "nic_latency"),
		.least_cells = number_of(constants, "least_cells"),
		.compute_scale = 1.0,
		.tc_mask = work->tc_mask,
		.path_events = 1};
	return rules ? xt_rules_parse(rules, &work->rules, diag)
		     : xt_fail(diag, XT_ERR_FORMAT, "experiments: no rules for collectives");
}

static int add_group(work_t *work, const json_t *group, xt_diag_t *diag)
{
	const json_t *networks = json_object_get(group, "networks"), *rows = json_object_get(group, "rows"), *row;
	unsigned first = work->network_count;
	size_t index;

	if (json_array_size(networks) != NETWORKS || first + NETWORKS > XT_MOST_NETWORKS ||
		work->count + NETWORKS * json_array_size(rows) > MOST_RUNS) {
		return xt_fail(diag, XT_ERR_FORMAT,
			"experiments: a group of collectives has %zu networks, not %d, "
			"or there are too many",
			json_array_size(networks), NETWORKS);
	}
	for (unsigned i = 0; i < NETWORKS; i++) {
		const json_t *const objects[] = {json_array_get(networks, i), group, work->experiment, NULL};
		xt_sweep_network_t *network = &work->networks[work->network_count];
		int status = xt_reproduce_network(objects, network, diag);

		if (status == XT_OK) {
			status = xt_sweep_network_identify(network, "model", &work->options->device_switch, diag);
		}
		if (status != XT_OK) {
			return status;
		}
		work->network_count++;
	}
	json_array_foreach(rows, index, row)
	{
		for (unsigned i = 0; i < NETWORKS; i++) {
			work->runs[work->count++] =
				(run_t){.group = group, .row = row, .network = &work->networks[first + i]};
		}
	}
	return XT_OK;
}

/* ---------------------------------------------------------------- the runs */

static void step(void *watch, uint64_t cycle, uint64_t done, uint64_t total)
{
	(void)cycle;
	xt_run_step(watch, done, total);
}

static int replay(const work_t *work, const run_t *run, const xt_workload_t *workload, xt_device_t *device,
	xt_run_watch_t *watch, xt_diag_t *diag, json_t **out)
{
	xt_replay_options_t options = work->replay;
	const xt_image_t *image = run->network->image;
	uint32_t ranks = xt_workload_ranks(workload), *pe = malloc(ranks * sizeof(*pe));
	xt_replay_result_t *result = NULL;
	int status = pe ? xt_map_ranks(&(xt_map_t){.kind = XT_MAP_CONSECUTIVE}, image, ranks, pe, diag)
			: xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	options.pe = pe;
	options.progress = step;
	options.progress_context = watch;
	if (status == XT_OK) {
		status = xt_device_replay(device, image, workload, &options, &result, diag);
	}
	if (status == XT_OK) {
		*out = xt_replay_json(text_of(run->row, "collective"), run->network->name, ranks, result, workload);
		json_object_del(*out, "critical_path");
		json_object_set_new(*out, "wall_seconds", json_real(result->wall_seconds));
	}
	xt_replay_free(result);
	free(pe);
	return status;
}

static int run_one(const work_t *work, const run_t *run, xt_run_watch_t *watch, json_t **out, xt_diag_t *diag)
{
	xt_collective_t c = {.ranks = number_of(run->group, "ranks"),
		.bytes = number_of(run->row, "bytes"),
		.segment = XT_SEGMENT_BY_RULES,
		.rules = work->rules};
	xt_workload_t *workload = NULL;
	xt_device_t *device = NULL;
	int status = xt_collective_parse(text_of(run->row, "collective"), &c.kind, diag);

	if (status == XT_OK && (status = xt_collective_create(&c, &workload, diag)) == XT_OK &&
		(status = xt_sweep_network_open(run->network, "model", &work->options->device_switch,
			 work->link_latency, &device, diag)) == XT_OK) {
		status = replay(work, run, workload, device, watch, diag, out);
	}
	xt_device_close(device);
	xt_workload_free(workload);
	return status;
}

static int do_run(void *context, uint32_t item, xt_run_watch_t *watch, json_t **result, xt_diag_t *diag)
{
	const work_t *work = context;

	return run_one(work, &work->runs[item], watch, result, diag);
}

static int keep_run(void *context, uint32_t item, json_t *result, xt_diag_t *diag)
{
	work_t *work = context;
	run_t *run = &work->runs[item];

	run->result = result;
	return xt_store_add(work->store, key_of(run), json_incref(result), diag);
}

static json_t *common_of(const work_t *work)
{
	json_t *common = json_pack("{s:s, s:O, s:O, s:i}", "engine", "model", "constants",
		json_object_get(work->experiment, "constants"), "rules", json_object_get(work->experiment, "rules"),
		"tc_mask", (int)work->tc_mask);

	xt_switch_json(&work->options->device_switch, common);
	return common;
}

static int is_result(const json_t *result)
{
	return json_is_number(json_object_get(json_object_get(result, "network_cell_latency"), "mean")) &&
	       json_is_number(json_object_get(result, "execution_cycles")) &&
	       json_is_boolean(json_object_get(result, "ok"));
}

static int run_all(work_t *work, const char *folder, xt_diag_t *diag)
{
	xt_runs_t runs = {.what = "collectives",
		.threads = work->options->threads,
		.items = work->pending,
		.one = do_run,
		.keep = keep_run,
		.context = work,
		.ranks = work->options->ranks};
	char path[XT_REPRODUCE_PATH + 32];
	int status;

	if (xt_ranks_own(runs.ranks) > 0) {
		return xt_runs_serve(&runs, XT_OK, diag);
	}
	snprintf(path, sizeof(path), "%s/runs.jsonl", folder);
	if ((status = xt_store_open("reproduce", path, common_of(work), is_result, &work->store, diag)) != XT_OK) {
		return status;
	}
	for (uint32_t i = 0; i < work->count; i++) {
		json_t *key = key_of(&work->runs[i]);
		const json_t *kept = xt_store_find(work->store, key);

		work->runs[i].result = kept ? json_deep_copy(kept) : NULL;
		json_decref(key);
		if (!kept) {
			work->pending[work->pending_count++] = i;
		}
	}
	runs.count = work->pending_count;
	status = xt_runs_do(&runs, diag);
	xt_store_close(work->store);
	return status;
}

/* ---------------------------------------------------------------- side by side */

typedef struct {
	const run_t *runs; /* on both networks */
	unsigned metric;
	double here[NETWORKS], published[NETWORKS];
	double reduction, published_reduction; /* of the second network, percent */
	int has_published, agrees;
	const char *cause; /* of what differs; NULL: none is known, or nothing differs */
} line_t;

static double reduction(const double pair[NETWORKS])
{
	return 100.0 * (1.0 - pair[1] / pair[0]);
}

static line_t line_of(const run_t *runs, unsigned metric)
{
	const json_t *published = json_object_get(runs[0].row, metrics[metric].name);
	line_t line = {.runs = runs, .metric = metric, .has_published = json_array_size(published) == NETWORKS};

	for (unsigned i = 0; i < NETWORKS; i++) {
		line.here[i] = measured(runs[i].result, metric);
		line.published[i] = json_number_value(json_array_get(published, i));
	}
	line.reduction = reduction(line.here);
	if (line.has_published) {
		line.published_reduction = reduction(line.published);
		line.agrees = line.reduction * line.published_reduction > 0.0;
		line.cause = line.agrees ? NULL : text_of(json_object_get(runs[0].row, "cause"), metrics[metric].name);
	}
	return line;
}

static void write_lines(const line_t *lines, unsigned count, FILE *out)
{
	fprintf(out,
		"| PEs | collective | bytes | | published: %s, %s | here | error | less by, published | here | sign | "
		"cause |\n"
		"|---|---|---|---|---|---|---|---|---|---|---|\n",
		count ? lines[0].runs[0].network->label : "", count ? lines[0].runs[1].network->label : "");
	for (unsigned i = 0; i < count; i++) {
		const line_t *l = &lines[i];
		int decimals = l->metric == 0;

		fprintf(out, "| %u | %s | %u | %s | ", number_of(l->runs->group, "ranks"),
			text_of(l->runs->row, "collective"), number_of(l->runs->row, "bytes"), metrics[l->metric].name);
		if (!l->has_published) {
			fprintf(out, "- | %.*f, %.*f | - | - | %+.1f %% | - | |\n", decimals, l->here[0], decimals,
				l->here[1], l->reduction);
			continue;
		}
		fprintf(out, "%.*f, %.*f | %.*f, %.*f | %+.1f %%, %+.1f %% | %+.1f %% | %+.1f %% | %s | %s |\n",
			decimals, l->published[0], decimals, l->published[1], decimals, l->here[0], decimals,
			l->here[1], 100.0 * (l->here[0] / l->published[0] - 1.0),
			100.0 * (l->here[1] / l->published[1] - 1.0), l->published_reduction, l->reduction,
			l->agrees ? "agrees" : "**DISAGREES**", l->cause ? l->cause : "");
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of the distances between reductions here and published; `metric` METRICS: of all. Not a number of none. */
static double median_distance(const line_t *lines, unsigned count, unsigned metric)
{
	double distances[MOST_ROWS * METRICS];
	unsigned n = 0;

	for (unsigned i = 0; i < count; i++) {
		if (lines[i].has_published && (metric == METRICS || lines[i].metric == metric)) {
			distances[n++] = fabs(lines[i].reduction - lines[i].published_reduction);
		}
	}
	qsort(distances, n, sizeof(distances[0]), ascending);
	return n ? (distances[(n - 1) / 2] + distances[n / 2]) / 2.0 : NAN;
}

static void sentence(const line_t *lines, unsigned count, char *text, size_t size)
{
	unsigned judged = 0, agree = 0;

	for (unsigned i = 0; i < count; i++) {
		judged += (unsigned)lines[i].has_published;
		agree += (unsigned)lines[i].agrees;
	}
	if (judged == 0) {
		snprintf(text, size, "Nothing is published to agree with; the table says what was measured.");
		return;
	}
	snprintf(text, size,
		"%u of %u published comparisons have the published sign; the reductions are %.1f percentage points "
		"from "
		"the published ones in the median (latency %.1f, time %.1f).",
		agree, judged, median_distance(lines, count, METRICS), median_distance(lines, count, 0),
		median_distance(lines, count, 1));
}

static void write_text(const work_t *work, const line_t *lines, unsigned count, FILE *out)
{
	const json_t *constants = json_object_get(work->experiment, "constants"), *argument;
	char text[320];
	size_t index;

	xt_reproduce_head(
		work->experiment, work->options, " Quick run: a small network, of which nothing is published.", out);
	fprintf(out,
		"Constants%s: links of %u cycles, %u cycles between task and card, packets of at least %u cells.\n\n",
		json_array_size(json_object_get(work->experiment, "arguments"))
			? ", fitted on the rows of `reduce` alone"
			: "",
		number_of(constants, "link_latency"), number_of(constants, "nic_latency"),
		number_of(constants, "least_cells"));
	json_array_foreach(json_object_get(work->experiment, "arguments"), index, argument)
	{
		fprintf(out, "- %s\n", json_string_value(argument));
	}
	fprintf(out, "\nLatency: %s, mean. Time: %s until the last message has arrived.\n\n", metrics[0].unit,
		metrics[1].unit);
	write_lines(lines, count, out);
	sentence(lines, count, text, sizeof(text));
	fprintf(out, "\n%s\n", text);
}

static json_t *table_of(const work_t *work, const line_t *lines, unsigned count, unsigned wrong)
{
	json_t *rows = json_array();
	char text[320];

	for (unsigned i = 0; i < count; i++) {
		const line_t *l = &lines[i];
		json_t *row = json_pack("{s:O, s:O, s:O, s:O, s:s, s:[f,f], s:f}", "group",
			json_object_get(l->runs->group, "label"), "ranks", json_object_get(l->runs->group, "ranks"),
			"collective", json_object_get(l->runs->row, "collective"), "bytes",
			json_object_get(l->runs->row, "bytes"), "metric", metrics[l->metric].name, "here", l->here[0],
			l->here[1], "reduction_percent", l->reduction);

		if (l->has_published) {
			json_object_set_new(row, "published", json_pack("[f,f]", l->published[0], l->published[1]));
			json_object_set_new(row, "published_reduction_percent", json_real(l->published_reduction));
			json_object_set_new(row, "agrees", json_boolean(l->agrees));
		}
		if (l->cause) {
			json_object_set_new(row, "cause", json_string(l->cause));
		}
		json_array_append_new(rows, row);
	}
	sentence(lines, count, text, sizeof(text));
	return json_pack("{s:O, s:b, s:O, s:o, s:s, s:i}", "name", json_object_get(work->experiment, "name"), "quick",
		work->options->quick, "constants", json_object_get(work->experiment, "constants"), "rows", rows,
		"agreement", text, "wrong", (int)wrong);
}

static int report(const work_t *work, const char *folder, FILE *out, json_t **table, unsigned *wrong, xt_diag_t *diag)
{
	line_t *lines = calloc(MOST_ROWS * METRICS, sizeof(*lines));
	char path[XT_REPRODUCE_PATH + 32];
	unsigned count = 0, bad = 0;
	xt_output_t *output;
	int status;

	if (!lines) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (uint32_t i = 0; i < work->count; i++) {
		bad += !json_is_true(json_object_get(work->runs[i].result, "ok"));
	}
	for (uint32_t i = 0; i < work->count; i += NETWORKS) {
		for (unsigned metric = 0; metric < METRICS; metric++) {
			lines[count++] = line_of(&work->runs[i], metric);
		}
	}
	snprintf(path, sizeof(path), "%s/table.md", folder);
	if ((status = xt_output_open(path, &output, diag)) == XT_OK) {
		write_text(work, lines, count, xt_output_stream(output));
		status = xt_output_commit(output, diag);
	}
	if (status == XT_OK && out) {
		write_text(work, lines, count, out);
		fprintf(out, "\nThe table and the results are in %s.\n\n", folder);
	}
	*table = table_of(work, lines, count, bad);
	*wrong += bad;
	free(lines);
	return status;
}

int xt_reproduce_collectives(const json_t *experiment, const xt_reproduce_options_t *options, const char *folder,
	FILE *out, json_t **table, unsigned *wrong, xt_diag_t *diag)
{
	const xt_reproduce_options_t own = xt_reproduce_options_of(options, experiment);
	work_t *work = calloc(1, sizeof(*work));
	const json_t *group;
	size_t index;
	const int is_first = xt_ranks_own(options->ranks) == 0;
	int status = work ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	if (!work) {
		return status;
	}
	status = is_first ? xt_make_folder(folder, diag) : XT_OK;
	work->experiment = experiment;
	work->options = &own;
	if (status == XT_OK) {
		status = set_up(work, diag);
	}
	json_array_foreach(json_object_get(experiment, "groups"), index, group)
	{
		if (status == XT_OK && xt_reproduce_wants(group, options)) {
			status = add_group(work, group, diag);
		}
	}
	if (status == XT_OK && (status = run_all(work, folder, diag)) == XT_OK && is_first) {
		status = report(work, folder, out, table, wrong, diag);
	}
	for (uint32_t i = 0; i < work->count; i++) {
		json_decref(work->runs[i].result);
	}
	for (unsigned i = 0; i < work->network_count; i++) {
		xt_sweep_network_free(&work->networks[i]);
	}
	free(work);
	return status;
}
