/* SPDX-License-Identifier: Apache-2.0
 *
 * A workload on several random maps. */
#include "replay_mappings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "extorus/confidence.h"

enum { EXECUTION, NETWORK, END_TO_END, UTILISATION, FIGURES };

static const struct {
	const char *key, *title;
} figures[FIGURES] = {
	[EXECUTION] = {"execution_cycles", "execution time, cycles"},
	[NETWORK] = {"network_packet_latency", "packet latency, network"},
	[END_TO_END] = {"end_to_end_packet_latency", "packet latency, end to end"},
	[UTILISATION] = {"utilisation", "utilisation of the ports"},
};

typedef struct {
	double value[FIGURES];
	int ok;
} run_t;

typedef struct {
	double mean, ci95, least, most;
} summary_t;

static int run_one(const xt_replay_cli_t *cli, const xt_workload_t *workload, run_t *run, xt_diag_t *diag)
{
	xt_replay_result_t *result = NULL;
	xt_image_t *image;
	xt_device_t *device;
	int status = xt_replay_open(cli, &image, &device, diag);

	if (status == XT_OK) {
		status = xt_replay_run(cli, device, image, workload, NULL, &result, diag);
	}
	if (status == XT_OK) {
		*run = (run_t){.value = {[EXECUTION] = (double)result->execution_cycles,
				       [NETWORK] = result->network_packet.mean,
				       [END_TO_END] = result->end_to_end_packet.mean,
				       [UTILISATION] = result->utilisation},
			.ok = xt_replay_ok(result)};
	}
	xt_replay_free(result);
	xt_device_close(device);
	xt_image_free(image);
	return status;
}

static summary_t summarise(const run_t *runs, unsigned count, unsigned figure)
{
	summary_t s = {.least = runs[0].value[figure], .most = runs[0].value[figure]};
	double squares = 0.0;

	for (unsigned i = 0; i < count; i++) {
		double value = runs[i].value[figure];

		s.mean += value / count;
		s.least = fmin(s.least, value);
		s.most = fmax(s.most, value);
	}
	for (unsigned i = 0; i < count; i++) {
		squares += (runs[i].value[figure] - s.mean) * (runs[i].value[figure] - s.mean);
	}
	s.ci95 = xt_student_t(count - 1) * sqrt(squares / (count - 1) / count);
	return s;
}

static void print_runs(const xt_replay_cli_t *cli, const char *name, const run_t *runs, int ok)
{
	printf("%s on %s, %s, %" PRIu32 " random maps from seed %" PRIu64 " on: %s\n", name, cli->image, cli->engine,
		cli->mappings, cli->map.seed, ok ? "every packet right" : "WRONG");
	printf("%-28s %14s %14s %14s %14s\n", "", "mean", "95 % +-", "least", "most");
	for (unsigned f = 0; f < FIGURES; f++) {
		summary_t s = summarise(runs, cli->mappings, f);

		printf("%-28s %14.6g %14.6g %14.6g %14.6g\n", figures[f].title, s.mean, s.ci95, s.least, s.most);
	}
}

static json_t *runs_json(const xt_replay_cli_t *cli, const char *name, const run_t *runs, int ok)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:b, s:I, s:I}", "workload", name, "image", cli->image, "engine",
		cli->engine, "ok", ok, "mappings", (json_int_t)cli->mappings, "map_seed", (json_int_t)cli->map.seed);

	for (unsigned f = 0; f < FIGURES; f++) {
		summary_t s = summarise(runs, cli->mappings, f);
		json_t *each = json_array();

		for (unsigned i = 0; i < cli->mappings; i++) {
			json_array_append_new(each, json_real(runs[i].value[f]));
		}
		json_object_set_new(object, figures[f].key,
			json_pack("{s:f, s:f, s:f, s:f, s:o}", "mean", s.mean, "ci95", s.ci95, "least", s.least, "most",
				s.most, "each", each));
	}
	return object;
}

int xt_replay_mappings(const xt_replay_cli_t *cli, const char *name, const xt_workload_t *workload, xt_stream_t *stream,
	int *wrong, xt_diag_t *diag)
{
	xt_replay_cli_t one = *cli;
	run_t *runs = calloc(cli->mappings, sizeof(*runs));
	int ok = 1, status = runs ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	if (status == XT_OK &&
		(stream || cli->timeline || (cli->map.kind != XT_MAP_CONSECUTIVE && cli->map.kind != XT_MAP_RANDOM))) {
		status = xt_fail(diag, XT_ERR_INVALID,
			"--mappings are random maps of a whole workload; leave --window, --timeline and other maps "
			"out");
	}
	one.map.kind = XT_MAP_RANDOM;
	for (uint32_t i = 0; i < cli->mappings && status == XT_OK; i++) {
		one.map.seed = cli->map.seed + i;
		status = run_one(&one, workload, &runs[i], diag);
		ok &= runs[i].ok;
	}
	if (status == XT_OK && cli->json) {
		xt_print_json("mappings", runs_json(cli, name, runs, ok));
	} else if (status == XT_OK) {
		print_runs(cli, name, runs, ok);
	}
	*wrong |= status == XT_OK && !ok;
	free(runs);
	return status;
}
