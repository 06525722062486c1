/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/application.h"
#include "extorus/atomic_file.h"
#include "extorus/workload_file.h"
#include "extorus/workload_merge.h"
#include "options/device_options.h"
#include "options/options.h"
#include "report/workload_report.h"
#include "runs/job_command.h"
#include "runs/rank_failure.h"

typedef struct {
	const char *word[3]; /* action, and what it is for */
	unsigned words;
	const char *svg, *output;
	xt_made_t made;
	xt_application_t application;
	xt_replay_cli_t replay;
	uint32_t records; /* 0: all */
	uint32_t window;  /* 0: all in memory */
	xt_job_list_t jobs;
	int json, one_dependency;
} options_t;

static const struct {
	const char *name;
	unsigned words;
} actions[] = {{"check", 2}, {"stats", 2}, {"convert", 3}, {"generate", 2}, {"merge", 2}, {"replay", 3}};

enum { ACTIONS = sizeof(actions) / sizeof(actions[0]), USUAL_ROUNDS = 4 };

static void check_jobs(struct argp_state *state, const options_t *o)
{
	if (strcmp(o->word[0], "replay") != 0 || o->words != 2) {
		argp_error(state, "--job is for replay, with an image and without another trace");
	}
	if (o->window || o->replay.mappings || o->replay.map.kind != XT_MAP_CONSECUTIVE) {
		argp_error(state, "--job names the PEs; leave --map, --mappings and --window out");
	}
}

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;
	unsigned i = 0;

	while (i < ACTIONS && (!o->words || strcmp(o->word[0], actions[i].name) != 0)) {
		i++;
	}
	if (i == ACTIONS) {
		argp_error(state, "say what to do: check, stats, convert, generate, merge or replay");
	}
	if (o->jobs.count) {
		check_jobs(state, o);
	} else if (o->words != actions[i].words) {
		argp_error(state, "%s takes %u argument%s", o->word[0], actions[i].words - 1,
			actions[i].words == 2 ? "" : "s");
	}
	if (strcmp(o->word[0], "convert") == 0 && xt_is_same_file(o->word[1], o->word[2])) {
		argp_error(state, "convert would write %s, which it reads; name another file", o->word[2]);
	}
	if (o->svg && strcmp(o->word[0], "stats") != 0 && strcmp(o->word[0], "check") != 0) {
		argp_error(state, "--svg is for stats");
	}
	if (o->replay.timeline && strcmp(o->word[0], "replay") != 0) {
		argp_error(state, "--timeline is for replay");
	}
	if (o->output && strcmp(o->word[0], "generate") != 0 && strcmp(o->word[0], "merge") != 0) {
		argp_error(state, "-o is for generate and merge");
	}
	if (o->window && (strcmp(o->word[0], "replay") != 0 || o->replay.timeline)) {
		argp_error(state, "--window is for replay, without a timeline");
	}
	if (o->records && strcmp(o->word[0], "merge") != 0) {
		argp_error(state, "--records is for merge");
	}
	if ((strcmp(o->word[0], "generate") == 0 || strcmp(o->word[0], "merge") == 0) && !o->output) {
		argp_error(state, "say where to with -o FILE.vef or FILE.goal");
	}
}

static void take_word(struct argp_state *state, char *arg, void *options)
{
	options_t *o = options;

	if (o->words == 3) {
		argp_error(state, "too many arguments");
	}
	o->word[o->words++] = arg;
}

static const xt_option_t option_list[] = {
	{.doc = "stats:", .group = 1},
	{"svg", "FILE", "Draw who sends how much to whom", .value = XT_AT(options_t, svg), .writes = true},
	{.doc = "generate and merge:", .group = 2},
	{"output", "FILE", "Where to, .vef or .goal", 'o', .value = XT_AT(options_t, output), .writes = true},
	{"rules", "NAME", "Of collectives, tuned (default) or basic, as in extorus collective",
		.value = XT_AT(options_t, application.rules), .take = xt_take_rules},
	{"records", "N", "merge: only the first N records of each rank, the begin of a long run",
		.value = XT_AT(options_t, records), .min = 1, .max = UINT32_MAX - 1},
	{.doc = "generate:", .group = 3},
	{"ranks", "N", "Tasks (default 64)", .value = XT_AT(options_t, made.ranks), .min = 1, .max = 4096},
	{"rounds", "N",
		"Rounds of communication (default 4), of a program iterations (default: as many as its class has)",
		.value = XT_AT(options_t, made.rounds), .min = 1, .max = 100000},
	{"compute", "NS", "Time of a task between rounds, of a program in an iteration (default 0)",
		.value = XT_AT(options_t, made.compute_ns), .max = UINT64_C(1) << 40},
	{"bytes", "N", "Of a message of random, halo, fft and graph (default 512)",
		.value = XT_AT(options_t, made.bytes), .max = UINT64_C(1) << 40},
	{"seed", "N", "Of what random and graph draw (default 1)", .value = XT_AT(options_t, made.seed),
		.max = XT_MOST_SEED},
	{.doc = "generate, of programs:", .group = 4},
	{"class", "NAME", "Class or size of the problem, see below", .value = XT_AT(options_t, application.problem)},
	{"tensor", "N", "training: ranks of a tensor-parallel group (default: as published)",
		.value = XT_AT(options_t, application.tensor), .min = 1, .max = XT_MAX_APPLICATION_RANKS},
	{"pipeline", "N", "training: stages of the pipeline (default: as published)",
		.value = XT_AT(options_t, application.pipeline), .min = 1, .max = XT_MAX_APPLICATION_RANKS},
	{"expert", "N", "training: ranks of an expert-parallel group (default: no experts)",
		.value = XT_AT(options_t, application.expert), .min = 1, .max = XT_MAX_APPLICATION_RANKS},
	{"levels", "N", "graph500: levels of a search (default: 7)", .value = XT_AT(options_t, application.levels),
		.min = 1, .max = 1000},
	{"micro-batches", "N", "training: of an iteration (default: as many as stages)",
		.value = XT_AT(options_t, application.micro_batches), .min = 1, .max = 100000},
	{.doc = "convert, generate and merge:", .group = 5},
	{"one-dependency", NULL,
		"Into VEF, which has one dependency for each message: of several things that a message waits for, keep "
		"the receive that comes last in the program or, without one, the send; says how many wait for less",
		.mark = XT_AT(options_t, one_dependency)},
	{.doc = "replay of traces larger than memory:", .group = 7},
	{"window", "N",
		"Hold no more than N messages of a VEF trace that are not done, and as many that are; says how many "
		"began later for that",
		.value = XT_AT(options_t, window), .min = 1, .max = XT_MOST_WINDOW},
	{.doc = "replay of several traces in one network:", .group = 8},
	{"job", "TRACE@PES",
		"Another job, with its ranks on these PEs in this order, as run.goal@0-31,40; repeat for each",
		.value = XT_AT(options_t, jobs), .take = xt_take_job},
	{.doc = "check, stats, generate, merge and replay:", .group = 9},
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.take_argument = take_word,
	.check = check,
	.child = &xt_replay_syntax,
	.child_title = "replay:",
	.child_group = 6,
	.child_offset = offsetof(options_t, replay),
	.args_doc = "check FILE\nstats FILE\nconvert FROM TO\ngenerate KIND -o FILE\nmerge FOLDER -o FILE\nreplay "
		    "IMAGE FILE\nreplay IMAGE --job TRACE@PES ...",
	.doc = "Traces of parallel programs: VEF (.vef), GOAL schedules (.goal, LogGOPSim's text) and execution "
	       "traces of Chakra (NAME.0.et and so on, to be read).\v"
	       "check reads all of a trace and says what is wrong with its line (exit status 1). convert goes by the "
	       "names' ends; VEF has one dependency for each message, so not every GOAL becomes VEF. replay sends the "
	       "messages through a simulated network as the trace's dependencies and times allow. Files "
	       "may be compressed by gzip.\n\n"
	       "generate makes up traces of the kinds random, halo, fft and graph, or writes the communication of a "
	       "program: cg, is, ft, lu, mg (NAS Parallel Benchmarks, class S, W, A, B, C, D, E or F), graph500, "
	       "randomaccess, ptrans (HPC Challenge), namd and training. Without --class it is the smallest one; a "
	       "wrong one is answered with those that there are. The timed part of the program is written.\n\n"
	       "merge makes one trace of the files that libextorus-capture.so wrote while an MPI program ran. The "
	       "library "
	       "does so itself when all ranks have ended well.\n\n"
	       "Examples:\n"
	       "  mpirun -n 32 -x LD_PRELOAD=libextorus-capture.so -x EXTORUS_CAPTURE=run.goal ./program\n"
	       "  extorus workload merge run.goal.ranks -o run.goal\n"
	       "  extorus workload generate halo --ranks 64 --compute 500 -o halo.goal\n"
	       "  extorus workload generate cg --class A --ranks 64 --rounds 1 -o cg.goal\n"
	       "  extorus workload generate training --class 7.5B --ranks 64 --expert 8 -o training.goal\n"
	       "  extorus workload stats halo.goal --svg halo.svg\n"
	       "  extorus workload convert trace.vef trace.goal\n"
	       "  extorus workload generate fft --ranks 256 --one-dependency -o fft.vef\n"
	       "  extorus workload replay twin.img trace.vef --map random --map-seed 7 --timeline run.svg\n"
	       "  extorus workload replay twin.img long.vef --window 1000000\n"
	       "  extorus workload replay twin.img --job cg.goal@0-15 --job run.vef@16-31,40",
};

static int ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && strcmp(text + length - tail, end) == 0;
}

static int write_to(const options_t *o, const char *path, const xt_workload_t *w, xt_diag_t *diag)
{
	uint64_t less = 0;
	xt_output_t *output;
	int status, vef = ends_with(path, ".vef");

	if (!vef && !ends_with(path, ".goal")) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s: the name ends neither with .vef nor with .goal", path);
	}
	if ((status = xt_output_open(path, &output, diag)) != XT_OK) {
		return status;
	}
	status = vef ? xt_workload_write_vef(w, xt_output_stream(output), o->one_dependency ? &less : NULL, diag)
		     : xt_workload_write_goal(w, xt_output_stream(output), diag);
	if (status != XT_OK) {
		xt_output_abort(output);
		return status;
	}
	if (less && !o->json) {
		printf("%s: %" PRIu64 " messages wait for one thing instead of several\n", path, less);
	}
	return xt_output_commit(output, diag);
}

static int show(const options_t *o, xt_workload_t *w, xt_diag_t *diag)
{
	xt_workload_statistics_t s;
	int status = xt_workload_statistics(w, &s, diag);

	if (status == XT_OK && o->svg) {
		status = xt_write_matrix(w, o->svg, diag);
	}
	if (status == XT_OK && o->json) {
		xt_print_json("workload", xt_statistics_json(&s));
	} else if (status == XT_OK && strcmp(o->word[0], "check") == 0) {
		printf("%s: %" PRIu64 " messages of %" PRIu32
		       " ranks, every one received, and nothing waits for itself\n",
			o->word[1], s.messages, s.ranks);
	} else if (status == XT_OK) {
		xt_statistics_print(&s, stdout);
	}
	return status;
}

static int generate(options_t *o, xt_workload_t **w, xt_diag_t *diag)
{
	xt_application_t *a = &o->application;
	xt_made_t *made = &o->made;

	if (xt_application_parse(o->word[1], &a->kind, diag) == XT_OK) {
		a->ranks = made->ranks;
		a->rounds = made->rounds;
		a->compute_ns = made->compute_ns;
		return xt_application_create(a, w, diag);
	}
	if (xt_made_parse(o->word[1], &made->kind, diag) != XT_OK) {
		return xt_fail(diag, XT_ERR_INVALID,
			"no kind of trace \"%.40s\"; there are random, halo, fft and graph, and of programs cg, is, "
			"ft, "
			"lu, mg, graph500, randomaccess, ptrans, namd and training",
			o->word[1]);
	}
	made->rounds = made->rounds ? made->rounds : USUAL_ROUNDS;
	return xt_workload_make(made, w, diag);
}

static int merge(const options_t *o, xt_workload_t **w, xt_diag_t *diag)
{
	xt_merge_report_t report;
	int status = xt_workload_merge(o->word[1], o->application.rules, o->records, w, &report, diag);

	if (status == XT_OK && !o->json) {
		xt_merge_report_print(&report, stdout);
	}
	return status;
}

static int act(const options_t *o, xt_workload_t *w, xt_diag_t *diag)
{
	int generated = strcmp(o->word[0], "generate") == 0 || strcmp(o->word[0], "merge") == 0, status;

	if (strcmp(o->word[0], "convert") == 0) {
		return write_to(o, o->word[2], w, diag);
	}
	if (generated && ((status = write_to(o, o->output, w, diag)) != XT_OK || !o->json)) {
		return status;
	}
	return show(o, w, diag);
}

static int replay(options_t *o, int *wrong, xt_diag_t *diag)
{
	const char *path = o->word[2];
	xt_stream_t *stream = NULL;
	xt_workload_t *w = NULL;
	int status;

	o->replay.image = o->word[1];
	o->replay.json = o->json;
	if (o->jobs.count) {
		return xt_replay_jobs(&o->replay, &o->jobs, wrong, diag);
	}
	status = o->window ? xt_stream_open(path, o->window, &stream, diag) : xt_workload_load(path, &w, diag);
	if (w) {
		xt_workload_trim(w);
	}
	if (status == XT_OK) {
		status = xt_replay_command(&o->replay, path, w, stream, wrong, diag);
	}
	xt_stream_close(stream);
	xt_workload_free(w);
	return status;
}

static int run(int argc, char **argv)
{
	options_t o = {.made = {.ranks = 64, .bytes = 512, .seed = 1}, .replay = xt_replay_defaults};
	xt_diag_t diag = {""};
	xt_workload_t *w = NULL;
	int status, wrong = 0;

	xt_parse_options(&syntax, argc, argv, &o);
	if (strcmp(o.word[0], "generate") == 0) {
		status = generate(&o, &w, &diag);
	} else if (strcmp(o.word[0], "merge") == 0) {
		status = merge(&o, &w, &diag);
	} else if (strcmp(o.word[0], "replay") == 0) {
		int result;

		status = xt_ranks_open(&o.replay.replay.ranks, &diag);
		status = status == XT_OK ? replay(&o, &wrong, &diag) : status;
		result = status != XT_OK ? xt_ranks_give_up("workload", o.replay.replay.ranks, status, &diag)
			 : wrong         ? XT_EXIT_WRONG
					 : XT_EXIT_OK;
		xt_ranks_close(o.replay.replay.ranks);
		return result;
	} else {
		status = xt_workload_load(o.word[1], &w, &diag);
	}
	/* What was to be checked is wrong. */
	if (strcmp(o.word[0], "check") == 0 && (status == XT_ERR_FORMAT || status == XT_ERR_INVALID)) {
		xt_report("workload", status, &diag);
		return XT_EXIT_WRONG;
	}
	if (status == XT_OK) {
		status = act(&o, w, &diag);
	}
	xt_workload_free(w);
	return status != XT_OK ? xt_report("workload", status, &diag) : XT_EXIT_OK;
}

XT_COMMAND(workload, "check, convert, make and replay traces", run);
