/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device_options.h"
#include "extorus/atomic_file.h"
#include "extorus/thread_pool.h"
#include "sweep.h"

enum { MOST_ROUTINGS = 16, PATH_SIZE = 4096 };

typedef struct {
	const char *specs[XT_MOST_NETWORKS];
	unsigned spec_count;
	const char *routings[MOST_ROUTINGS];
	unsigned routing_count;
	const char *folder;
	xt_traffic_options_t traffic;
	xt_sweep_t sweep;
	int no_plot, json;
} options_t;

static void take_routings(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	options_t *o = options;
	char *rest = NULL;

	for (char *word = strtok_r(arg, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (o->routing_count == MOST_ROUTINGS) {
			argp_error(state, "--%s: at most %d", option->name, MOST_ROUTINGS);
			return;
		}
		o->routings[o->routing_count++] = word;
	}
}

static void take_loads(struct argp_state *state, const xt_option_t *option, char *arg, void *sweep)
{
	xt_sweep_t *s = sweep;

	(void)option;
	s->load_count = xt_parse_loads(state, arg, s->loads, XT_MOST_LOADS);
}

static void take_network(struct argp_state *state, char *arg, void *options)
{
	options_t *o = options;

	if (o->spec_count == XT_MOST_NETWORKS) {
		argp_error(state, "at most %d networks", XT_MOST_NETWORKS);
	}
	o->specs[o->spec_count++] = arg;
}

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (!o->spec_count) {
		argp_error(state, "say which networks, for example torus:4x4x4 twin:2x2x2x2x2");
	}
	if (!o->folder) {
		argp_error(state, "say where the results go: -o FOLDER");
	}
	if (strcmp(o->sweep.engine, "rtl") != 0 && strcmp(o->sweep.engine, "model") != 0) {
		argp_error(state, "--engine: \"%s\" is not known; use model or rtl", o->sweep.engine);
	}
	xt_check_switch(state, &o->sweep.device_switch, o->sweep.engine);
}

static const xt_option_t option_list[] = {
	{.doc = "Sweep:", .group = 1},
	{"routing", "R[,R...]", "Routings of the networks that name none, see below", .take = take_routings},
	{"load", "LIST|FIRST:LAST:STEP", "Offered loads (default 0.1:0.9:0.2)", .value = XT_AT(options_t, sweep),
		.most = 1, .take = take_loads},
	{"seed", "S", "The first seed (default 1)", .value = XT_AT(options_t, sweep.seed), .max = XT_MOST_SEED},
	{"seeds", "N", "Runs with the seeds from there on (default 1)", .value = XT_AT(options_t, sweep.seed_count),
		.min = 1, .max = XT_MOST_SEEDS},
	{"engine", "NAME", "model: the fast model (default); rtl: the Verilated switch",
		.value = XT_AT(options_t, sweep.engine)},
	XT_OPTION_SWITCH(options_t, sweep.device_switch),
	{"latency", "N", "Cycles of every link (default: the profile's)", .value = XT_AT(options_t, sweep.latency),
		.min = 1, .max = XT_MAX_LINK_LATENCY},
	{"threads", "N", "Runs at the same time (default: one per processor)", .value = XT_AT(options_t, sweep.threads),
		.min = 1, .max = XT_MOST_THREADS},
	{.doc = "Output:", .group = 4},
	{"output", "FOLDER", "Where results and pictures go; made if it is not there", 'o',
		.value = XT_AT(options_t, folder)},
	{"no-plot", NULL, "Draw nothing", .mark = XT_AT(options_t, no_plot)},
	{"json", NULL, "Print means and confidence as JSON", .mark = XT_AT(options_t, json)},
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.take_argument = take_network,
	.check = check,
	.child = &xt_traffic_syntax,
	.child_title = "Traffic:",
	.child_group = 2,
	.child_offset = offsetof(options_t, traffic),
	.args_doc = "SPEC[@ROUTING]...",
	.doc = "Simulates networks at many loads, with several patterns and seeds, on all processors.\v"
	       "ROUTING is ALGORITHM[+TIES-ties][+adaptive[:SELECT]][/PROFILE], such as dor, dor+positive-ties or "
	       "ts-dor+adaptive:3-priority; without one it is dor for tori and twisted tori, ts-dor for twin tori, "
	       "layered for others. --traffic takes a list here.\n\n"
	       "FOLDER/results.jsonl has a line for each run, which is only ever appended: the same command again goes "
	       "on where it was interrupted, with more loads, seeds, patterns or networks it does those that are "
	       "lacking. A file of another configuration is refused. The table and the pictures (load_latency, "
	       "load_throughput and burton_normal_form, latency over accepted load) show means over the seeds with "
	       "their 95 % confidence by Student's t. A run is saturated if less than 0.95 of the offered load is "
	       "accepted.\n"
	       "Exit status 1 if anything was wrong in a run.\n\n"
	       "Examples:\n"
	       "  extorus sweep torus:4x4x4 twin:2x2x2x2x2 --load 0.1:1:0.1 --seeds 5 -o out/compare\n"
	       "  extorus sweep torus:8x8 --routing dor,updown,layered --traffic uniform,tornado -o out/routings\n"
	       "  extorus sweep twin:4x4x2@ts-dor+adaptive:rr twin:4x4x2@ts-dor --tc 0,1 --warmup auto -o out/adaptive",
};

static int make_networks(options_t *o, xt_diag_t *diag)
{
	xt_sweep_t *s = &o->sweep;

	for (unsigned i = 0; i < o->spec_count; i++) {
		unsigned variants = o->routing_count && !strchr(o->specs[i], '@') ? o->routing_count : 1;

		for (unsigned r = 0; r < variants; r++) {
			int status;

			if (s->network_count == XT_MOST_NETWORKS) {
				return xt_fail(diag, XT_ERR_RANGE, "at most %d networks", XT_MOST_NETWORKS);
			}
			status = xt_sweep_network_make(o->specs[i], o->routing_count ? o->routings[r] : NULL,
				&s->networks[s->network_count++], diag);
			if (status != XT_OK) {
				return status;
			}
		}
	}
	return XT_OK;
}

static int draw(const options_t *o, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned p = 0; p < o->sweep.pattern_count && status == XT_OK && !o->no_plot; p++) {
		char prefix[PATH_SIZE];

		snprintf(prefix, sizeof(prefix), "%s/%s", o->folder, xt_sweep_pattern(&o->sweep, p));
		status = xt_sweep_plot(&o->sweep, p, xt_sweep_pattern(&o->sweep, p), prefix, diag);
	}
	return status;
}

static int count_wrong(const xt_sweep_t *s)
{
	int wrong = 0;

	for (unsigned i = 0; i < s->network_count * s->pattern_count * s->load_count * s->seed_count; i++) {
		wrong += !s->points[i].ok;
	}
	return wrong;
}

static int report(const options_t *o, const char *path)
{
	const xt_sweep_t *s = &o->sweep;
	int result = XT_EXIT_OK, wrong = count_wrong(s);

	if (o->json) {
		result = xt_print_json("sweep", xt_sweep_json(s));
	} else {
		xt_sweep_print(s, stdout);
		printf("%u runs, %u of them kept from before, in %s%s\n",
			s->network_count * s->pattern_count * s->load_count * s->seed_count, s->kept, path,
			o->no_plot ? "" : "; pictures beside it");
	}
	if (wrong) {
		fprintf(stderr, "extorus sweep: something was wrong in %d runs; their \"reports\" in %s say what\n",
			wrong, path);
	}
	return result != XT_EXIT_OK ? result : wrong ? XT_EXIT_WRONG : XT_EXIT_OK;
}

static int run(int argc, char **argv)
{
	options_t o = {.traffic = XT_TRAFFIC_OPTIONS,
		.sweep = {.command = "sweep",
			.engine = "model",
			.seed = 1,
			.seed_count = 1,
			.loads = {0.1, 0.3, 0.5, 0.7, 0.9},
			.load_count = 5}};
	xt_diag_t diag = {""};
	char path[PATH_SIZE];
	int status, result;

	xt_parse_options(&syntax, argc, argv, &o);
	snprintf(path, sizeof(path), "%s/results.jsonl", o.folder);
	o.sweep.path = path;
	o.sweep.traffic = &o.traffic;
	if ((status = make_networks(&o, &diag)) == XT_OK && (status = xt_make_folder(o.folder, &diag)) == XT_OK &&
		(status = xt_traffic_options_read(&o.traffic, xt_image_pes(o.sweep.networks[0].image), &diag)) ==
			XT_OK &&
		(status = xt_sweep_run(&o.sweep, &diag)) == XT_OK) {
		status = draw(&o, &diag);
	}
	result = status == XT_OK ? report(&o, path) : xt_report("sweep", status, &diag);
	xt_sweep_free(&o.sweep);
	xt_traffic_options_free(&o.traffic);
	return result;
}

XT_COMMAND(sweep, "simulate networks over loads, seeds, routings and patterns", run);
