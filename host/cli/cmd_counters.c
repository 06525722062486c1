/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "extorus/run.h"
#include "options/progress.h"
#include "options/target_list.h"
#include "report/counter_report.h"
#include "report/metrics_text.h"

typedef struct {
	xt_target_t target;
	uint64_t cycles;
	double load;
	int has_cycles;
	bool prometheus;
} options_t;

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (o->load > 0.0 && !o->target.image_path) {
		argp_error(state, "--load needs --image: without tables nothing can be sent");
	}
	if (o->prometheus && o->target.json) {
		argp_error(state, "only one of --prometheus and --json can go to standard output");
	}
	if (o->prometheus && o->target.list) {
		argp_error(state, "--prometheus is for one board, by --device");
	}
	if (o->has_cycles && o->load == 0.0) {
		argp_error(state, "--cycles goes with --load");
	}
	xt_need_device(state, &o->target);
}

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_TARGET_LIST,
	XT_TARGET_IMAGE,
	XT_TARGET_FORCE,
	{"load", "L", "First send uniform traffic of this load, a fraction of the NIC bandwidth",
		.value = XT_AT(options_t, load), .most = 1},
	{"cycles", "N",
		"With --load: generate traffic for N cycles (default 1000), then run until the network is empty",
		.value = XT_AT(options_t, cycles), .min = 1, .max = UINT32_MAX, .mark = XT_AT(options_t, has_cycles)},
	XT_OPTION_CARD,
	{"prometheus", NULL, "Print the text that Prometheus reads: metrics with HELP and TYPE, and alerts for links",
		.mark = XT_AT(options_t, prometheus)},
	XT_TARGET_JSON,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = check,
	.doc = "Reads the traffic and error counters of every card and port. As a table they are summed over TCs and "
	       "VCs, and ports that saw nothing are left out; JSON has all of them. Counters have 32 bits and wrap, at "
	       "a cell per cycle and 100 MHz after 43 s; a line tells where that may be, and `extorus watch` adds them "
	       "up.\v" XT_DEVICE_DOC "\n"
	       "Examples:\n"
	       "  extorus counters --device sim:torus:2x2 --image torus.img --load 0.2\n"
	       "  extorus counters --device sim:torus:2x2 --card 0 --json\n"
	       "  extorus counters --devices boards.txt\n"
	       "  extorus counters --device tcp:localhost:5555 --prometheus > /var/lib/node_exporter/extorus.prom",
};

static int run_traffic(const options_t *o, xt_diag_t *diag)
{
	xt_device_t *device = o->target.device;
	xt_traffic_t traffic = xt_traffic_default(xt_device_profile(device));
	xt_run_options_t options = {.size = sizeof(options), .progress = xt_progress_step};
	xt_progress_bar_t bar;
	xt_result_t *result;
	int status;

	traffic.load = o->load;
	traffic.warmup = 0;
	traffic.measure = o->cycles;
	traffic.drain = 0;
	options.progress_context = &bar;
	xt_progress_begin(&bar, "simulating");
	status = xt_device_run(device, o->target.image, &traffic, &options, &result, diag);
	xt_progress_end(&bar);
	if (status == XT_OK) {
		for (unsigned i = 0; i < result->report_count; i++) {
			fprintf(stderr, "%s\n", result->reports[i]);
		}
		if (!xt_result_ok(result)) {
			status = xt_fail(diag, XT_ERR_MISMATCH, "the traffic was not carried correctly");
		}
		xt_result_free(result);
	}
	return status;
}

static int show(const options_t *o, xt_diag_t *diag)
{
	json_t *counters = xt_counters_json(o->target.device, o->target.first, o->target.end, diag);

	if (!counters) {
		return xt_target_report(&o->target, XT_ERR_PROTOCOL, diag);
	}
	if (o->target.json) {
		return xt_target_print_json(&o->target, json_pack("{s:o}", "counters", counters), "counters");
	}
	if (o->prometheus) {
		xt_metrics_write(
			xt_device_profile(o->target.device), xt_device_cards(o->target.device), counters, stdout);
	} else {
		xt_target_print_name(&o->target, "\n");
		xt_counters_print(counters, stdout);
	}
	json_decref(counters);
	return XT_EXIT_OK;
}

static int count(void *options)
{
	const options_t *o = options;
	xt_diag_t diag = {""};
	int status = o->load > 0.0 ? run_traffic(o, &diag) : XT_OK;

	return status == XT_OK ? show(o, &diag) : xt_target_report(&o->target, status, &diag);
}

static int run(int argc, char **argv)
{
	options_t o = {.cycles = 1000};

	return xt_target_list_run("counters", &syntax, argc, argv, &o, count);
}

XT_COMMAND(counters, "read the traffic and error counters of a device", run);
