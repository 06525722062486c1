/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "extorus/atomic_file.h"
#include "extorus/thread_pool.h"
#include "options/device_options.h"
#include "runs/reproduce.h"

typedef struct {
	const char *name, *folder;
	xt_reproduce_options_t what;
	int list, json;
} options_t;

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (!o->name && !o->list) {
		argp_error(state, "say which comparison, or all; --list names them");
	}
	xt_check_switch(state, &o->what.device_switch, "model");
}

static const xt_option_t option_list[] = {
	{"list", NULL, "Say which comparisons there are, where they are published, and what cannot be run",
		.mark = XT_AT(options_t, list)},
	{"quick", NULL, "Small networks and short windows: seconds, to see that it works",
		.mark = XT_AT(options_t, what.quick)},
	{"group", "TEXT[,TEXT...]", "Only the groups whose label has one of these in it, such as 512",
		.value = XT_AT(options_t, what.only)},
	{"output", "FOLDER",
		"Where results go, a folder for each comparison (default: out/reproduce, with -quick, and "
		"-extorus or -input-queued if --switch says so)",
		'o', .value = XT_AT(options_t, folder)},
	{"threads", "N", "Runs at the same time (default: one per processor, or one per rank)",
		.value = XT_AT(options_t, what.threads), .min = 1, .max = XT_MOST_THREADS},
	XT_OPTION_SWITCH(options_t, what.device_switch),
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(options_t, name),
	.check = check,
	.args_doc = "NAME|all",
	.doc = "Does a published comparison again with the fast model, which is cycle-exact with the hardware, or with "
	       "the "
	       "literature's switch, which has no RTL.\v"
	       "FOLDER/NAME gets table.md and table.json, in which what is published and what was measured here stand "
	       "side by side, pictures of every group (load_latency, load_throughput, burton_normal_form; collectives "
	       "have none), "
	       "and a line of JSON for each run. A comparison that was interrupted goes on where it was. Under mpirun "
	       "the ranks share the runs. The sentence "
	       "at the end is worked out from the data; \"within noise\" is a difference below the 95 % confidence of "
	       "the means.\n"
	       "A comparison runs with the switch that its source names, if the model has this switch. --switch "
	       "chooses another.\n"
	       "The comparisons with their networks, loads, published figures and sources are those of "
	       "sim/experiments/reproductions/experiments.json when the command was built.\n"
	       "Exit status 1 if anything was wrong in a run; a disagreement is none.\n\n"
	       "Examples:\n"
	       "  extorus reproduce --list\n"
	       "  extorus reproduce twisted -o out\n"
	       "  extorus reproduce collectives --group 256,512\n"
	       "  extorus reproduce bubble-vcs --switch input-queued --port-buffer 128\n"
	       "  extorus reproduce all --quick --json",
};

static const char *text_of(const json_t *experiment, const char *name)
{
	return json_string_value(json_object_get(experiment, name));
}

static int list_all(const options_t *o, const json_t *experiments)
{
	json_t *list = json_array();
	const json_t *experiment, *need;
	size_t index, at;

	json_array_foreach(experiments, index, experiment)
	{
		char source[512];

		if (o->json) {
			json_array_append_new(list, xt_reproduce_entry(experiment));
			continue;
		}
		xt_reproduce_source(experiment, source, sizeof(source));
		printf("%-20s %s\n%-20s from %s\n", text_of(experiment, "name"), text_of(experiment, "title"), "",
			source);
		json_array_foreach(json_object_get(experiment, "needs"), at, need)
		{
			printf("%-20s not run: %s: %s\n", "", text_of(need, "claim"), text_of(need, "needs"));
		}
	}
	if (o->json) {
		return xt_print_json("reproduce", list);
	}
	json_decref(list);
	return XT_EXIT_OK;
}

/* table.json beside table.md: what a document's tables are written from. */
static int keep_table(const char *folder, const json_t *table, xt_diag_t *diag)
{
	char path[XT_REPRODUCE_PATH + 32];
	xt_output_t *output;
	int status;

	snprintf(path, sizeof(path), "%s/table.json", folder);
	if ((status = xt_output_open(path, &output, diag)) != XT_OK) {
		return status;
	}
	json_dumpf(table, xt_output_stream(output), JSON_INDENT(1));
	return xt_output_commit(output, diag);
}

/* Whether some group of a comparison is meant; without --group all are. */
static int has_group(const options_t *o, const json_t *experiment)
{
	const json_t *group;
	size_t index;

	json_array_foreach(json_object_get(experiment, "groups"), index, group)
	{
		if (xt_reproduce_wants(group, &o->what)) {
			return 1;
		}
	}
	return !o->what.only;
}

static int is_meant(const options_t *o, const json_t *experiment)
{
	return !strcmp(o->name, "all") || !strcmp(o->name, text_of(experiment, "name"));
}

/* Whether there is something to run, of which all ranks have the same to say. */
static int check_names(const options_t *o, const json_t *experiments, xt_diag_t *diag)
{
	const json_t *experiment;
	int named = 0, found = 0;
	size_t index;

	json_array_foreach(experiments, index, experiment)
	{
		named |= is_meant(o, experiment);
		found |= is_meant(o, experiment) && has_group(o, experiment);
	}
	if (!named) {
		return xt_fail(
			diag, XT_ERR_RANGE, "no comparison \"%.40s\"; extorus reproduce --list names them", o->name);
	}
	return found ? XT_OK
		     : xt_fail(diag, XT_ERR_RANGE,
			       "--group: no group of %.40s%s has one of \"%.80s\" in its label; extorus reproduce "
			       "--list --json has the labels",
			       o->name, o->what.quick ? " in the quick run" : "", o->what.only);
}

static int run_named(const options_t *o, const json_t *experiments, json_t *tables, unsigned *wrong, xt_diag_t *diag)
{
	const xt_device_switch_t *chosen = &o->what.device_switch;
	const char *kind = chosen->named && !chosen->kind ? "extorus" : chosen->kind;
	const int is_first = xt_ranks_own(o->what.ranks) == 0;
	char folder[64];
	const json_t *experiment;
	int status = XT_OK;
	size_t index;

	snprintf(folder, sizeof(folder), "out/reproduce%s%s%s", o->what.quick ? "-quick" : "", kind ? "-" : "",
		kind ? kind : "");
	json_array_foreach(experiments, index, experiment)
	{
		char path[XT_REPRODUCE_PATH];
		json_t *table = NULL;

		if (status != XT_OK || !is_meant(o, experiment) || !has_group(o, experiment)) {
			continue;
		}
		snprintf(path, sizeof(path), "%s/%s", o->folder ? o->folder : folder, text_of(experiment, "name"));
		status = (json_object_get(experiment, "rules") ? xt_reproduce_collectives : xt_reproduce)(
			experiment, &o->what, path, o->json || !is_first ? NULL : stdout, &table, wrong, diag);
		if (status == XT_OK && table && is_first) {
			status = keep_table(path, table, diag);
		}
		if (table) {
			json_array_append_new(tables, table);
		}
	}
	return status;
}

static int run(int argc, char **argv)
{
	options_t o = {0};
	json_t *experiments, *tables = json_array();
	xt_diag_t diag = {""};
	unsigned wrong = 0;
	int status, result = XT_EXIT_OK;

	xt_parse_options(&syntax, argc, argv, &o);
	experiments = xt_experiments();
	if (o.list) {
		result = list_all(&o, experiments);
	} else if ((status = xt_ranks_open(&o.what.ranks, &diag)) != XT_OK) {
		result = xt_report("reproduce", status, &diag);
	} else if ((status = check_names(&o, experiments, &diag)) != XT_OK) {
		/* All ranks end so: none waits for another one. */
		result = xt_ranks_own(o.what.ranks) == 0 ? xt_report("reproduce", status, &diag) : XT_EXIT_OK;
	} else if ((status = run_named(&o, experiments, tables, &wrong, &diag)) != XT_OK) {
		result = xt_ranks_own(o.what.ranks) == 0 ? xt_report("reproduce", status, &diag) : XT_EXIT_OK;
		if (o.what.ranks && xt_ranks_own(o.what.ranks) == 0) {
			/* The others wait for runs that do not come. */
			xt_ranks_abort(o.what.ranks, result);
		}
	} else if (o.json && xt_ranks_own(o.what.ranks) == 0) {
		result = xt_print_json("reproduce", json_incref(tables));
	}
	if (wrong) {
		fprintf(stderr, "extorus reproduce: something was wrong in %u runs; their lines of results say what\n",
			wrong);
	}
	xt_ranks_close(o.what.ranks);
	json_decref(experiments);
	json_decref(tables);
	return result != XT_EXIT_OK ? result : wrong ? XT_EXIT_WRONG : XT_EXIT_OK;
}

XT_COMMAND(reproduce, "do a published comparison again", run);
