/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device_options.h"
#include "extorus/thread_pool.h"
#include "progress.h"

enum { URI_SIZE = 8192, MOST_SHOWN = 12 /* ranks of the critical path */ };

const xt_replay_cli_t xt_replay_defaults = {.engine = "model",
	.replay = {.size = sizeof(xt_replay_options_t),
		.cycles_per_ns = 0.65,
		.compute_scale = 1.0,
		.rank_timeout = 600.0}};

static void take_clock(struct argp_state *state, const xt_option_t *option, char *arg, void *cycles_per_ns)
{
	*(double *)cycles_per_ns = xt_parse_real(state, option->name, arg, option->least, option->most) / 1000.0;
}

static void take_engine(struct argp_state *state, const xt_option_t *option, char *arg, void *engine)
{
	if (strcmp(arg, "rtl") != 0 && strcmp(arg, "model") != 0) {
		argp_error(state, "--%s %s: write rtl or model", option->name, arg);
	}
	*(const char **)engine = arg;
}

static void take_map(struct argp_state *state, const xt_option_t *option, char *arg, void *field)
{
	xt_map_t *map = field;

	static const struct {
		const char *name;
		xt_map_kind_t kind;
	} ways[] = {{"consecutive", XT_MAP_CONSECUTIVE}, {"core", XT_MAP_CONSECUTIVE}, {"random", XT_MAP_RANDOM},
		{"node", XT_MAP_NODE}, {"file:", XT_MAP_FILE}, {"hosts:", XT_MAP_HOSTS}};

	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		size_t length = strlen(ways[i].name);
		int has_path = ways[i].name[length - 1] == ':';

		if (strncmp(arg, ways[i].name, length) == 0 && has_path == (arg[length] != '\0')) {
			map->kind = ways[i].kind;
			map->path = arg + length;
			return;
		}
	}
	argp_error(state, "--%s %s: write consecutive, core, node, random, file:PATH or hosts:PATH", option->name, arg);
}

static void take_tcs(struct argp_state *state, const xt_option_t *option, char *arg, void *mask)
{
	char *rest = NULL;

	for (char *word = strtok_r(arg, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		*(unsigned *)mask |= 1u << xt_parse_number(state, option->name, word, 0, XT_MAX_TCS - 1);
	}
}

static const xt_option_t option_list[] = {
	{"engine", "NAME", "rtl or model (default)", .value = XT_AT(xt_replay_cli_t, engine), .take = take_engine},
	{"latency", "CYCLES", "Of every link (default: the profile's)", .value = XT_AT(xt_replay_cli_t, latency),
		.min = 1, .max = XT_MAX_LINK_LATENCY},
	{"nic-latency", "CYCLES",
		"Of every cell between the task and its card, beyond what the card's NIC takes (default 0); part of "
		"the latencies",
		.value = XT_AT(xt_replay_cli_t, replay.nic_latency), .max = 1000000},
	{"turnaround", "CYCLES", "From what a send waits for to the send, above the other latencies (default 0)",
		.value = XT_AT(xt_replay_cli_t, replay.turnaround), .max = 1000000},
	{"least-cells", "N", "A packet has at least so many cells (default 1)",
		.value = XT_AT(xt_replay_cli_t, replay.least_cells), .min = 1, .max = UINT16_MAX},
	{"select", "NAME",
		"Selection of adaptive routing: rr, no-internal, 2-priority or 3-priority (default: the card's)",
		.value = XT_AT(xt_replay_cli_t, settings.select), .take = xt_take_select,
		.mark = XT_AT(xt_replay_cli_t, settings.given), .bits = XT_SETTING_SELECT},
	{"map", "HOW",
		"Rank r on PE r: consecutive or core (default); the next rank on the next node: node; random; "
		"file:PATH, a PE per line; hosts:PATH, a host per line (name, name:N, name slots=N), which is a node",
		.value = XT_AT(xt_replay_cli_t, map), .take = take_map},
	{"map-seed", "N", "Of the random map (default 0)", .value = XT_AT(xt_replay_cli_t, map.seed),
		.max = XT_MOST_SEED},
	{"mappings", "N", "N random maps, of the seeds from --map-seed on: mean and 95 % confidence of the results",
		.value = XT_AT(xt_replay_cli_t, mappings), .min = 2, .max = 100000},
	{"tasks-per-pe", "N", "So many ranks on each PE (default 1)", .value = XT_AT(xt_replay_cli_t, map.tasks_per_pe),
		.min = 1, .max = XT_MAX_RANKS},
	{"clock", "MHZ", "Of the cards, for times in ns (default 650)",
		.value = XT_AT(xt_replay_cli_t, replay.cycles_per_ns), .least = 1e-3, .most = DBL_MAX,
		.take = take_clock},
	{"compute-scale", "F", "Computations take F times as long (default 1)",
		.value = XT_AT(xt_replay_cli_t, replay.compute_scale), .most = DBL_MAX},
	{"tc", "N,N", "Traffic classes, in turn message by message (default: the lowest that the PE may use)",
		.value = XT_AT(xt_replay_cli_t, replay.tc_mask), .take = take_tcs},
	{"timeline", "FILE", "Draw sends, computations and the critical path (SVG)",
		.value = XT_AT(xt_replay_cli_t, timeline), .writes = true},
	{"every-cycle", NULL,
		"Simulate the cycles too in which the network is at rest, instead of going on to the next event: the "
		"same results, later",
		.mark = XT_AT(xt_replay_cli_t, replay.every_cycle)},
	{"threads", "N", "Simulate the network on N threads (default 1); changes nothing but the time",
		.value = XT_AT(xt_replay_cli_t, replay.threads), .min = 1, .max = XT_MOST_THREADS},
	{"rank-timeout", "S", "Seconds for which a rank waits for another one under mpirun (default 600)",
		.value = XT_AT(xt_replay_cli_t, replay.rank_timeout), .least = 0.1, .most = 1e9},
	{"force", NULL, "Load an image that the check refuses", .mark = XT_AT(xt_replay_cli_t, force)},
	{0},
};

void xt_take_rules(struct argp_state *state, const xt_option_t *option, char *arg, void *rules)
{
	xt_diag_t diag;

	if (xt_rules_parse(arg, rules, &diag) != XT_OK) {
		argp_error(state, "--%s: %s", option->name, diag.text);
	}
}

const xt_syntax_t xt_replay_syntax = {.options = option_list};

/* ---------------------------------------------------------------- the run */

static int open_network(const xt_replay_cli_t *cli, xt_image_t **image, xt_device_t **device, xt_diag_t *diag)
{
	char uri[URI_SIZE];
	int used, status;

	*image = NULL;
	*device = NULL;
	if (strchr(cli->image, ';')) {
		return xt_fail(diag, XT_ERR_INVALID, "a file name with a ';' cannot be part of a device's name");
	}
	used = snprintf(uri, sizeof(uri), "%s:%s", strcmp(cli->engine, "model") == 0 ? "model" : "sim", cli->image);
	if (cli->latency && used < URI_SIZE) {
		used += snprintf(uri + used, sizeof(uri) - (size_t)used, ";latency=%" PRIu64, cli->latency);
	}
	if (used >= URI_SIZE) {
		return xt_fail(diag, XT_ERR_RANGE, "the image's name is too long");
	}
	status = xt_image_read(cli->image, image, diag);
	if (status == XT_OK) {
		status = xt_device_open(uri, device, diag);
	}
	if (status == XT_OK) {
		status = xt_load(
			*device, *image, XT_LOAD_BACKDOOR | XT_LOAD_NO_VERIFY | (cli->force ? XT_LOAD_FORCE : 0), diag);
	}
	if (status == XT_OK && cli->settings.given) {
		status = xt_device_configure(*device, &cli->settings, diag);
	}
	return status;
}

typedef struct {
	xt_progress_bar_t bar;
	char what[96];
} watched_t;

static void watch(void *context, uint64_t cycle, uint64_t done, uint64_t total)
{
	watched_t *watched = context;

	snprintf(watched->what, sizeof(watched->what), "cycle %" PRIu64 ", %" PRIu64 " of %" PRIu64 " messages", cycle,
		done, total);
	watched->bar.what = watched->what;
	xt_progress_step(&watched->bar, done, total ? total : 1);
}

int xt_replay_check_ranks(const xt_replay_cli_t *cli, uint32_t ranks, xt_diag_t *diag)
{
	uint32_t *pe = malloc(ranks * sizeof(*pe));
	xt_image_t *image = NULL;
	int status = pe ? xt_image_read(cli->image, &image, diag) : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	if (status == XT_OK) {
		status = xt_map_ranks(&cli->map, image, ranks, pe, diag);
	}
	xt_image_free(image);
	free(pe);
	return status;
}

static int replay(const xt_replay_cli_t *cli, xt_device_t *device, const xt_image_t *image,
	const xt_workload_t *workload, xt_stream_t *stream, xt_replay_result_t **result, xt_diag_t *diag)
{
	uint32_t ranks = stream ? xt_stream_ranks(stream) : xt_workload_ranks(workload);
	uint32_t *pe = malloc((ranks + cli->job_count) * sizeof(*pe)), *job_ranks = pe + ranks;
	xt_replay_options_t options = cli->replay;
	watched_t watched = {.what = "replaying"};
	int status = !pe         ? xt_fail(diag, XT_ERR_NOMEM, "out of memory")
		     : cli->jobs ? xt_map_jobs(cli->jobs, cli->job_count, image, pe, diag)
				 : xt_map_ranks(&cli->map, image, ranks, pe, diag);

	if (status == XT_OK) {
		for (unsigned j = 0; j < cli->job_count; j++) {
			job_ranks[j] = cli->jobs[j].ranks;
		}
		options.job_ranks = job_ranks;
		options.jobs = cli->job_count;
		options.pe = pe;
		options.progress = xt_ranks_own(options.ranks) ? NULL : watch;
		options.progress_context = &watched;
		xt_progress_begin(&watched.bar, watched.what);
		status = stream ? xt_device_replay_stream(device, image, stream, &options, result, diag)
				: xt_device_replay(device, image, workload, &options, result, diag);
		xt_progress_end(&watched.bar);
	}
	free(pe);
	return status;
}

int xt_replay_once(const xt_replay_cli_t *cli, const xt_workload_t *workload, xt_stream_t *stream,
	xt_replay_result_t **result, xt_diag_t *diag)
{
	xt_image_t *image;
	xt_device_t *device;
	int status = open_network(cli, &image, &device, diag);

	*result = NULL;
	if (status == XT_OK) {
		status = replay(cli, device, image, workload, stream, result, diag);
	}
	xt_device_close(device);
	xt_image_free(image);
	return status;
}

/* ---------------------------------------------------------------- the report */

static json_t *latency_json(const xt_latency_t *l)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I}", "mean", l->count ? json_real(l->mean) : json_null(), "p50",
		(json_int_t)l->p50, "p95", (json_int_t)l->p95, "p99", (json_int_t)l->p99, "max", (json_int_t)l->max,
		"count", (json_int_t)l->count);
}

json_t *xt_replay_jobs_json(const xt_job_t *jobs, const xt_replay_result_t *r)
{
	json_t *list = json_array();

	for (unsigned j = 0; j < r->job_count; j++) {
		const xt_job_result_t *job = &r->jobs[j];

		json_array_append_new(
			list, json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o}", "workload", jobs[j].name, "pes",
				      jobs[j].pes, "ranks", (json_int_t)job->ranks, "execution_cycles",
				      (json_int_t)job->execution_cycles, "messages", (json_int_t)job->messages,
				      "local_messages", (json_int_t)job->local_messages, "network_packet_latency",
				      latency_json(&job->network_packet), "end_to_end_packet_latency",
				      latency_json(&job->end_to_end_packet)));
	}
	return list;
}

static json_t *path_json(const xt_replay_result_t *r, const xt_workload_t *w)
{
	static const char *const kinds[] = {"send", "receive", "computation"};
	json_t *path = json_array();

	for (uint32_t i = 0; i < r->path_count; i++) {
		uint32_t e = r->path[i];
		xt_event_t event = xt_workload_event(w, e);

		json_t *step = json_pack("{s:I, s:s, s:I, s:I, s:I, s:I}", "event", (json_int_t)e, "kind",
			kinds[event.kind], "rank", (json_int_t)event.rank, "size", (json_int_t)event.size, "begin",
			(json_int_t)r->begin[e], "end", (json_int_t)r->end[e]);

		if (event.kind != XT_EVENT_CALC) {
			json_object_set_new(step, "peer", json_integer(event.peer));
		}
		json_array_append_new(path, step);
	}
	return path;
}

static json_t *findings_json(const xt_replay_result_t *r)
{
	json_t *findings = json_object();

	for (unsigned i = 0; i < XT_FINDINGS; i++) {
		if (r->findings[i]) {
			json_object_set_new(
				findings, xt_finding_name((xt_finding_t)i), json_integer((json_int_t)r->findings[i]));
		}
	}
	return findings;
}

json_t *xt_replay_json(
	const char *name, const char *image, uint32_t ranks, const xt_replay_result_t *r, const xt_workload_t *w)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "workload", name, "image",
		image, "engine", r->engine, "ok", xt_replay_ok(r), "ranks", (json_int_t)ranks, "execution_cycles",
		(json_int_t)r->execution_cycles, "empty_cycles", (json_int_t)r->empty_cycles, "messages",
		(json_int_t)r->messages, "local_messages", (json_int_t)r->local_messages, "packets",
		(json_int_t)r->packets, "cells", (json_int_t)r->cells);

	json_object_set_new(object, "network_cell_latency", latency_json(&r->network_cell));
	json_object_set_new(object, "end_to_end_cell_latency", latency_json(&r->end_to_end_cell));
	json_object_set_new(object, "network_packet_latency", latency_json(&r->network_packet));
	json_object_set_new(object, "end_to_end_packet_latency", latency_json(&r->end_to_end_packet));
	json_object_set_new(object, "findings", findings_json(r));
	json_object_set_new(object, "jumped_cycles", json_integer((json_int_t)r->jumped_cycles));
	json_object_set_new(object, "utilisation", json_real(r->utilisation));
	json_object_set_new(object, "utilisation_most", json_real(r->utilisation_most));
	json_object_set_new(object, "utilisation_most_card", json_integer(r->utilisation_most_card));
	if (!r->begin) {
		json_object_set_new(object, "late_messages", json_integer((json_int_t)r->late_messages));
		return object;
	}
	json_object_set_new(object, "critical_messages", json_integer((json_int_t)r->path_messages));
	json_object_set_new(object, "critical_transfer_cycles", json_integer((json_int_t)r->path_transfer));
	json_object_set_new(object, "critical_calculation_cycles", json_integer((json_int_t)r->path_calculation));
	json_object_set_new(object, "critical_send_cycles", json_integer((json_int_t)r->path_sends));
	json_object_set_new(object, "critical_waiting_cycles", json_integer((json_int_t)r->path_waiting));
	json_object_set_new(object, "critical_path", path_json(r, w));
	return object;
}

static void print_latency(const char *what, const xt_latency_t *l)
{
	printf("  %-21s %10.2f %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n", what, l->mean, l->p50, l->p95,
		l->p99, l->max);
}

/* The ranks that the critical path comes through. */
static void print_path(const xt_replay_result_t *r, const xt_workload_t *w)
{
	uint32_t last = UINT32_MAX, shown = 0;

	for (uint32_t i = 0; i < r->path_count; i++) {
		uint32_t rank = xt_workload_event(w, r->path[i]).rank;

		if (rank != last && shown++ < MOST_SHOWN) {
			printf("%s%" PRIu32, shown > 1 ? ", " : "                 through ranks ", rank);
		}
		last = rank;
	}
	printf("%s%s", shown > MOST_SHOWN ? ", ..." : "", shown ? "\n" : "");
}

static void print_jobs(const xt_replay_cli_t *cli, const xt_replay_result_t *r)
{
	if (r->job_count) {
		printf("job                             ranks    execution    messages  packet, network  end to end\n");
	}
	for (unsigned j = 0; j < r->job_count; j++) {
		const xt_job_result_t *job = &r->jobs[j];
		char name[64];

		snprintf(name, sizeof(name), "%s@%s", cli->jobs[j].name, cli->jobs[j].pes);
		printf("  %-28s %6" PRIu32 " %12" PRIu64 " %11" PRIu64 " %16.2f %11.2f\n", name, job->ranks,
			job->execution_cycles, job->messages, job->network_packet.mean, job->end_to_end_packet.mean);
	}
}

void xt_replay_print(const xt_replay_cli_t *cli, const char *name, const xt_workload_t *w, const xt_replay_result_t *r)
{
	printf("%s on %s, %s: %s\n", name, cli->image, r->engine, xt_replay_ok(r) ? "every packet right" : "WRONG");
	printf("execution time   %" PRIu64 " cycles; network at rest after %" PRIu64 "\n", r->execution_cycles,
		r->empty_cycles);
	printf("sent             %" PRIu64 " messages (%" PRIu64 " within a PE) in %" PRIu64 " packets of %" PRIu64
	       " cells\n",
		r->messages, r->local_messages, r->packets, r->cells);
	printf("utilisation      of the switches' ports %.4f, at most %.4f (card %" PRIu32 ")\n", r->utilisation,
		r->utilisation_most, r->utilisation_most_card);
	if (r->begin) {
		printf("critical path    %" PRIu64 " messages, %" PRIu64 " cycles from send to arrival, %" PRIu64
		       " of computation, %" PRIu64 " of own sends, %" PRIu64 " of waiting\n",
			r->path_messages, r->path_transfer, r->path_calculation, r->path_sends, r->path_waiting);
		print_path(r, w);
	} else {
		printf("window           %" PRIu64 " messages began later than without one\n", r->late_messages);
	}
	print_jobs(cli, r);
	if (r->network_cell.count) {
		printf("latency in cycles            mean      p50      p95      p99      max\n");
		print_latency("cell, network", &r->network_cell);
		print_latency("cell, end to end", &r->end_to_end_cell);
		print_latency("packet, network", &r->network_packet);
		print_latency("packet, end to end", &r->end_to_end_packet);
	}
	for (unsigned i = 0; i < r->report_count; i++) {
		printf("%s\n", r->reports[i]);
	}
}
