/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "counter_report.h"
#include "device_options.h"
#include "extorus/run.h"
#include "progress.h"

typedef struct {
	xt_target_t target;
	uint64_t cycles;
	double load;
	int has_cycles;
} counters_options_t;

enum { KEY_LOAD = XT_KEY_COMMAND, KEY_CYCLES };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	counters_options_t *o = state->input;
	char *end;

	switch (key) {
	case KEY_LOAD:
		o->load = strtod(arg, &end);
		if (end == arg || *end || !(o->load >= 0.0 && o->load <= 1.0)) {
			argp_error(state, "--load: \"%s\" is not a number from 0 to 1", arg);
		}
		return 0;
	case KEY_CYCLES:
		o->cycles = xt_parse_number(state, "cycles", arg, 1, UINT32_MAX);
		o->has_cycles = 1;
		return 0;
	case ARGP_KEY_END:
		if (o->load > 0.0 && !o->target.image_path) {
			argp_error(state, "--load needs --image: without tables nothing can be sent");
		}
		if (o->has_cycles && o->load == 0.0) {
			argp_error(state, "--cycles goes with --load");
		}
		return xt_take_target(key, arg, state, &o->target);
	default:
		return xt_take_target(key, arg, state, &o->target);
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_IMAGE,
	XT_OPTION_FORCE,
	{"load", KEY_LOAD, "L", 0,
		"First send uniform traffic of this load, a fraction of the NIC bandwidth from 0 to 1", 0},
	{"cycles", KEY_CYCLES, "N", 0,
		"With --load: generate traffic for N cycles (default 1000), then run until the network is empty", 0},
	XT_OPTION_CARD,
	XT_OPTION_JSON,
	{0},
};

static const struct argp counters_argp = {
	.options = option_list,
	.parser = parse,
	.doc = "Reads the traffic and error counters of every card and port. As a table they are summed over TCs and "
	       "VCs, "
	       "and ports that saw nothing are left out; JSON has all of them.\v" XT_DEVICE_DOC "\n"
	       "Examples:\n"
	       "  extorus counters --device sim:torus:2x2 --image torus.img --load 0.2\n"
	       "  extorus counters --device sim:torus:2x2 --card 0 --json",
};

static int run_traffic(const counters_options_t *o, xt_diag_t *diag)
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

static int show(const counters_options_t *o, xt_diag_t *diag)
{
	json_t *counters = xt_counters_json(o->target.device, o->target.first, o->target.end, diag);
	int result = XT_EXIT_OK;

	if (!counters) {
		return xt_report("counters", XT_ERR_PROTOCOL, diag);
	}
	if (o->target.json) {
		return xt_print_json("counters", counters);
	}
	if (xt_counters_print(counters, stdout) != XT_OK || fflush(stdout) != 0) {
		result = xt_report("counters", XT_ERR_IO, NULL);
	}
	json_decref(counters);
	return result;
}

static int run(int argc, char **argv)
{
	counters_options_t o = {.cycles = 1000};
	xt_diag_t diag = {""};
	int status, result;

	xt_parse_options(&counters_argp, argc, argv, &o);
	status = xt_target_open(&o.target, &diag);
	if (status == XT_OK && o.load > 0.0) {
		status = run_traffic(&o, &diag);
	}
	result = status == XT_OK ? show(&o, &diag) : xt_report("counters", status, &diag);
	xt_target_close(&o.target);
	return result;
}

extern const xt_command_t xt_command_counters;
const xt_command_t xt_command_counters = {"counters", "read the traffic and error counters of a device", run};
