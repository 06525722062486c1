/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/atomic_file.h"
#include "extorus/thread_pool.h"
#include "options/device_options.h"
#include "report/html_page.h"
#include "runs/sweep.h"

enum { MOST_ROUTINGS = 16, PATH_SIZE = 4096, MOST_SHARDS = 100000 };

typedef struct {
	const char *specs[XT_MOST_NETWORKS];
	unsigned spec_count;
	const char *routings[MOST_ROUTINGS];
	unsigned routing_count;
	const char *folder, *html;
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

static void take_shard(struct argp_state *state, const xt_option_t *option, char *arg, void *sweep)
{
	xt_sweep_t *s = sweep;
	char *slash = strchr(arg, '/');

	if (!slash) {
		argp_error(state, "--%s: \"%s\" is not I/N, such as 1/8", option->name, arg);
		return;
	}
	*slash = '\0';
	s->shards = (unsigned)xt_parse_number(state, option->name, slash + 1, 1, MOST_SHARDS);
	s->shard = (unsigned)xt_parse_number(state, option->name, arg, 1, s->shards);
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
	if (o->sweep.shards && (o->json || o->html)) {
		argp_error(state, "--%s %s the whole sweep, and --shard does a part of it", o->json ? "json" : "html",
			o->json ? "prints" : "shows");
	}
	if (xt_is_stdout(o->html)) {
		argp_error(state, "--html: standard output has the table; name a file");
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
	{"no-check", NULL, "Do not hold every hop against the tables: faster, with the same numbers",
		.mark = XT_AT(options_t, sweep.no_check)},
	{"threads", "N", "Runs at the same time (default: one per processor, or one per rank)",
		.value = XT_AT(options_t, sweep.threads), .min = 1, .max = XT_MOST_THREADS},
	{"shard", "I/N", "Do only part I of N parts of the runs, I from 1 to N", .value = XT_AT(options_t, sweep),
		.take = take_shard},
	{.doc = "Output:", .group = 4},
	{"output", "FOLDER", "Where results and pictures go; made if it is not there", 'o',
		.value = XT_AT(options_t, folder)},
	{"no-plot", NULL, "Draw nothing", .mark = XT_AT(options_t, no_plot)},
	{"html", "FILE", "Write the pictures and tables as one page of HTML", .value = XT_AT(options_t, html),
		.writes = true},
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
	       "ROUTING is ALGORITHM[+TIES-ties][+classic-dateline][+adaptive[+free-crossings][:SELECT]][/PROFILE], "
	       "such as dor, dor+positive-ties or "
	       "ts-dor+adaptive:3-priority; without one it is dor for tori and twisted tori, ts-dor for twin tori, "
	       "layered for others. --traffic takes a list here.\n\n"
	       "FOLDER/results.jsonl has a line for each run, which is only ever appended: the same command again goes "
	       "on where it was interrupted, with more loads, seeds, patterns or networks it does those that are "
	       "lacking. A file of another configuration is refused. The table and the pictures (load_latency, "
	       "load_throughput and burton_normal_form, latency over accepted load) show means over the seeds with "
	       "their 95 % confidence by Student's t. A run is saturated if less than 0.95 of the offered load is "
	       "accepted.\n"
	       "With --shard I/N the results go to FOLDER/results-I-of-N.jsonl; the same command without --shard "
	       "merges "
	       "all shards, does what is lacking, and draws. Under mpirun the ranks share the runs of one command.\n"
	       "Exit status 1 if anything was wrong in a run.\n\n"
	       "Examples:\n"
	       "  mpirun -n 8 extorus sweep torus:8x8x8 --load 0.1:1:0.1 --seeds 20 -o out/cluster\n"
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
		wrong += s->points[i].done && !s->points[i].ok;
	}
	return wrong;
}

static int report(const options_t *o, const char *path)
{
	const xt_sweep_t *s = &o->sweep;
	int result = XT_EXIT_OK, wrong = count_wrong(s);

	if (s->shards) {
		printf("shard %u of %u: %u runs, %u of them kept from before, in %s; the same command without --shard "
		       "merges all shards\n",
			s->shard, s->shards, s->done, s->kept, path);
	} else if (o->json) {
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

/* What all ranks need. */
static int prepare(options_t *o, xt_diag_t *diag)
{
	int status = make_networks(o, diag);

	if (status == XT_OK && xt_ranks_own(o->sweep.ranks) == 0) {
		status = xt_make_folder(o->folder, diag);
	}
	return status == XT_OK ? xt_traffic_options_read(&o->traffic, xt_image_pes(o->sweep.networks[0].image), diag)
			       : status;
}

static int sweep(options_t *o, xt_diag_t *diag)
{
	int status = prepare(o, diag);

	if (status != XT_OK) {
		xt_sweep_give_up(&o->sweep, status, diag);
	} else if ((status = xt_sweep_run(&o->sweep, diag)) == XT_OK && xt_ranks_own(o->sweep.ranks) == 0 &&
		   !o->sweep.shards) {
		status = draw(o, diag);
	}
	return status;
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
	char whole[PATH_SIZE], shard[PATH_SIZE + 32];
	char *command_line = xt_command_line(argc, argv);
	xt_sweep_page_t page = {.sweep = &o.sweep, .command_line = command_line};
	int status, result = XT_EXIT_OK;

	xt_parse_options(&syntax, argc, argv, &o);
	page.path = o.html;
	snprintf(whole, sizeof(whole), "%s/results.jsonl", o.folder);
	xt_sweep_shard_path(whole, o.sweep.shard, o.sweep.shards, shard, sizeof(shard));
	o.sweep.path = o.sweep.shards ? shard : whole;
	o.sweep.whole_path = whole;
	o.sweep.traffic = &o.traffic;
	status = xt_ranks_open(&o.sweep.ranks, &diag);
	if (status == XT_OK) {
		status = sweep(&o, &diag);
	}
	if (xt_ranks_own(o.sweep.ranks) == 0) {
		status = status == XT_OK && o.html ? xt_sweep_page_write(&page, &diag) : status;
		result = status == XT_OK ? report(&o, o.sweep.path) : xt_report("sweep", status, &diag);
	}
	xt_ranks_close(o.sweep.ranks);
	xt_sweep_free(&o.sweep);
	xt_traffic_options_free(&o.traffic);
	free(command_line);
	return result;
}

XT_COMMAND(sweep, "simulate networks over loads, seeds, routings and patterns", run);
