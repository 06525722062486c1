/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device_options.h"
#include "extorus/atomic_file.h"
#include "sweep.h"

enum {
	KEY_ROUTING = XT_KEY_COMMAND,
	KEY_LOAD,
	KEY_SEED,
	KEY_SEEDS,
	KEY_ENGINE,
	KEY_LATENCY,
	KEY_THREADS,
	KEY_NO_PLOT,
	MOST_ROUTINGS = 16,
	PATH_SIZE = 4096,
};

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

static void parse_routings(struct argp_state *state, char *arg, options_t *o)
{
	char *rest = NULL;

	for (char *word = strtok_r(arg, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (o->routing_count == MOST_ROUTINGS) {
			argp_error(state, "--routing: at most %d", MOST_ROUTINGS);
			return;
		}
		o->routings[o->routing_count++] = word;
	}
}

static void parse_end(struct argp_state *state, const options_t *o)
{
	if (!o->spec_count) {
		argp_error(state, "say which networks, for example torus:4x4x4 twin:2x2x2x2x2");
	}
	if (!o->folder) {
		argp_error(state, "say where the results go: -o FOLDER");
	}
	if (strcmp(o->sweep.engine, "rtl") != 0 && strcmp(o->sweep.engine, "model") != 0) {
		argp_error(state, "--engine: \"%s\" is not known; use model or rtl", o->sweep.engine);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	options_t *o = state->input;

	switch (key) {
	case KEY_ROUTING:
		parse_routings(state, arg, o);
		return 0;
	case KEY_LOAD:
		o->sweep.load_count = xt_parse_loads(state, arg, o->sweep.loads, XT_MOST_LOADS);
		return 0;
	case KEY_SEED:
		o->sweep.seed = xt_parse_number(state, "seed", arg, 0, INT64_MAX / 2);
		return 0;
	case KEY_SEEDS:
		o->sweep.seed_count = (unsigned)xt_parse_number(state, "seeds", arg, 1, XT_MOST_SEEDS);
		return 0;
	case KEY_ENGINE:
		o->sweep.engine = arg;
		return 0;
	case KEY_LATENCY:
		o->sweep.latency = (unsigned)xt_parse_number(state, "latency", arg, 1, XT_MAX_LINK_LATENCY);
		return 0;
	case KEY_THREADS:
		o->sweep.threads = (unsigned)xt_parse_number(state, "threads", arg, 1, 64);
		return 0;
	case KEY_NO_PLOT:
		o->no_plot = 1;
		return 0;
	case XT_KEY_JSON:
		o->json = 1;
		return 0;
	case 'o':
		o->folder = arg;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->traffic;
		return 0;
	case ARGP_KEY_ARG:
		if (o->spec_count == XT_MOST_NETWORKS) {
			argp_error(state, "at most %d networks", XT_MOST_NETWORKS);
		}
		o->specs[o->spec_count++] = arg;
		return 0;
	case ARGP_KEY_END:
		parse_end(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_list[] = {
	{0, 0, 0, 0, "Sweep:", 1},
	{"routing", KEY_ROUTING, "R[,R...]", 0, "Routings of the networks that name none, see below", 1},
	{"load", KEY_LOAD, "LIST|FIRST:LAST:STEP", 0, "Offered loads, 0 to 1 (default 0.1:0.9:0.2)", 1},
	{"seed", KEY_SEED, "S", 0, "The first seed (default 1)", 1},
	{"seeds", KEY_SEEDS, "N", 0, "Runs with the seeds from there on (default 1)", 1},
	{"engine", KEY_ENGINE, "NAME", 0, "model: the fast model (default); rtl: the Verilated switch", 1},
	{"latency", KEY_LATENCY, "N", 0, "Cycles of every link (default: the profile's)", 1},
	{"threads", KEY_THREADS, "N", 0, "Runs at the same time (default: one per processor)", 1},
	{0, 0, 0, 0, "Output:", 4},
	{"output", 'o', "FOLDER", 0, "Where results and pictures go; made if it is not there", 4},
	{"no-plot", KEY_NO_PLOT, 0, 0, "Draw nothing", 4},
	{"json", XT_KEY_JSON, 0, 0, "Print means and confidence as JSON", 4},
	{0},
};

static const struct argp_child children[] = {{&xt_traffic_argp, 0, "Traffic:", 2}, {0}};

static const struct argp sweep_argp = {
	.options = option_list,
	.parser = parse,
	.children = children,
	.args_doc = "SPEC[@ROUTING]...",
	.doc = "Simulates networks at many loads, with several patterns and seeds, on all processors.\v"
	       "ROUTING is ALGORITHM[+split-ties|+source-ties][+adaptive[:SELECT]][/PROFILE], such as dor or "
	       "ts-dor+adaptive:3-priority; without "
	       "one "
	       "it is dor for tori and twisted tori, ts-dor for twin tori, layered for others. --traffic takes a list "
	       "here.\n\n"
	       "FOLDER/results.jsonl has a line for each run, which is only ever appended: the same command again "
	       "goes on "
	       "where it was interrupted, with more loads, seeds, patterns or networks it does those that are lacking. "
	       "A file "
	       "of another configuration is refused. The table and the pictures (load_latency, load_throughput and "
	       "burton_normal_form, latency over accepted load) show means over the seeds with their 95 % confidence "
	       "by "
	       "Student's t. A run is saturated if less than 0.95 of the offered load is accepted.\n"
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

	xt_parse_options(&sweep_argp, argc, argv, &o);
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

extern const xt_command_t xt_command_sweep;
const xt_command_t xt_command_sweep = {"sweep", "simulate networks over loads, seeds, routings and patterns", run};
