/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_command.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "extorus/atomic_file.h"
#include "extorus/confidence.h"

/* ---------------------------------------------------------------- one map */

typedef struct {
	const xt_replay_result_t *result;
	const xt_workload_t *workload;
} replayed_t;

static int write_timeline(void *context, FILE *out, xt_diag_t *diag)
{
	const replayed_t *r = context;

	return xt_replay_timeline(r->result, r->workload, out, diag);
}

static int replay_once(const xt_replay_cli_t *cli, const char *name, const xt_workload_t *workload, xt_stream_t *stream,
	int *wrong, xt_diag_t *diag)
{
	xt_replay_result_t *result;
	int status = xt_replay_once(cli, workload, stream, &result, diag);

	if (status != XT_OK || !result) {
		return status;
	}
	if (cli->timeline) {
		status = xt_write_file(cli->timeline, write_timeline, &(replayed_t){result, workload}, diag);
	}
	if (status == XT_OK) {
		*wrong |= !xt_replay_ok(result);
		if (cli->json) {
			json_t *object = xt_replay_json(name, cli->image,
				stream ? xt_stream_ranks(stream) : xt_workload_ranks(workload), result, workload);

			if (result->job_count) {
				json_object_set_new(object, "jobs", xt_replay_jobs_json(cli->jobs, result));
			}
			xt_print_json("replay", object);
		} else {
			xt_replay_print(cli, name, workload, result);
		}
	}
	xt_replay_free(result);
	return status;
}

/* ---------------------------------------------------------------- random maps */

enum { EXECUTION, NETWORK, END_TO_END, UTILISATION, FIGURES };

static const struct {
	const char *key, *title;
} figures[FIGURES] = {
	[EXECUTION] = {"execution_cycles", "execution time, cycles"},
	[NETWORK] = {"network_packet_latency", "packet latency, network"},
	[END_TO_END] = {"end_to_end_packet_latency", "packet latency, end to end"},
	[UTILISATION] = {"utilisation", "utilisation of the ports"},
};

/* [FIGURES][cli->mappings] */
static double *figure_of(const xt_replay_cli_t *cli, double *values, unsigned figure)
{
	return values + (size_t)figure * cli->mappings;
}

static int replay_map(
	const xt_replay_cli_t *cli, const xt_workload_t *workload, uint32_t i, double *values, int *ok, xt_diag_t *diag)
{
	xt_replay_cli_t one = *cli;
	xt_replay_result_t *result;
	int status;

	one.map.kind = XT_MAP_RANDOM;
	one.map.seed += i;
	status = xt_replay_once(&one, workload, NULL, &result, diag);
	if (status == XT_OK && result) {
		figure_of(cli, values, EXECUTION)[i] = (double)result->execution_cycles;
		figure_of(cli, values, NETWORK)[i] = result->network_packet.mean;
		figure_of(cli, values, END_TO_END)[i] = result->end_to_end_packet.mean;
		figure_of(cli, values, UTILISATION)[i] = result->utilisation;
		*ok &= xt_replay_ok(result);
	}
	xt_replay_free(result);
	return status;
}

static void find_range(const double *values, uint32_t count, double *least, double *most)
{
	*least = *most = values[0];
	for (uint32_t i = 1; i < count; i++) {
		*least = fmin(*least, values[i]);
		*most = fmax(*most, values[i]);
	}
}

static void print_maps(const xt_replay_cli_t *cli, const char *name, double *values, int ok)
{
	printf("%s on %s, %s, %" PRIu32 " random maps from seed %" PRIu64 " on: %s\n", name, cli->image, cli->engine,
		cli->mappings, cli->map.seed, ok ? "every packet right" : "WRONG");
	printf("%-28s %14s %14s %14s %14s\n", "", "mean", "95 % +-", "least", "most");
	for (unsigned f = 0; f < FIGURES; f++) {
		const double *of_maps = figure_of(cli, values, f);
		xt_mean_t mean = xt_mean_of(of_maps, cli->mappings);
		double least, most;

		find_range(of_maps, cli->mappings, &least, &most);
		printf("%-28s %14.6g %14.6g %14.6g %14.6g\n", figures[f].title, mean.mean, mean.ci95, least, most);
	}
}

static json_t *maps_json(const xt_replay_cli_t *cli, const char *name, double *values, int ok)
{
	json_t *object = json_pack("{s:s, s:s, s:s, s:b, s:I, s:I}", "workload", name, "image", cli->image, "engine",
		cli->engine, "ok", ok, "mappings", (json_int_t)cli->mappings, "map_seed", (json_int_t)cli->map.seed);

	for (unsigned f = 0; f < FIGURES; f++) {
		const double *of_maps = figure_of(cli, values, f);
		xt_mean_t mean = xt_mean_of(of_maps, cli->mappings);
		json_t *each = json_array();
		double least, most;

		find_range(of_maps, cli->mappings, &least, &most);
		for (uint32_t i = 0; i < cli->mappings; i++) {
			json_array_append_new(each, json_real(of_maps[i]));
		}
		json_object_set_new(object, figures[f].key,
			json_pack("{s:f, s:f, s:f, s:f, s:o}", "mean", mean.mean, "ci95", mean.ci95, "least", least,
				"most", most, "each", each));
	}
	return object;
}

static int replay_maps(const xt_replay_cli_t *cli, const char *name, const xt_workload_t *workload, xt_stream_t *stream,
	int *wrong, xt_diag_t *diag)
{
	double *values;
	int ok = 1, status;

	if (stream || cli->timeline || (cli->map.kind != XT_MAP_CONSECUTIVE && cli->map.kind != XT_MAP_RANDOM)) {
		return xt_fail(diag, XT_ERR_INVALID,
			"--mappings are random maps of a whole workload; leave --window, --timeline and other maps "
			"out");
	}
	values = calloc((size_t)FIGURES * cli->mappings, sizeof(*values));
	status = values ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	for (uint32_t i = 0; i < cli->mappings && status == XT_OK; i++) {
		status = replay_map(cli, workload, i, values, &ok, diag);
	}
	if (xt_ranks_own(cli->replay.ranks) > 0) {
		free(values);
		return status;
	}
	if (status == XT_OK && cli->json) {
		xt_print_json("mappings", maps_json(cli, name, values, ok));
	} else if (status == XT_OK) {
		print_maps(cli, name, values, ok);
	}
	*wrong |= status == XT_OK && !ok;
	free(values);
	return status;
}

int xt_replay_command(const xt_replay_cli_t *cli, const char *name, const xt_workload_t *workload, xt_stream_t *stream,
	int *wrong, xt_diag_t *diag)
{
	return (cli->mappings ? replay_maps : replay_once)(cli, name, workload, stream, wrong, diag);
}
