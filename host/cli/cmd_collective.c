/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/workload.h"
#include "options/device_options.h"
#include "options/options.h"
#include "report/workload_report.h"
#include "runs/replay_command.h"

typedef struct {
	const char *name, *svg;
	xt_collective_t c;
	uint32_t last_ranks; /* of a range */
	bool all_roots, graph, list, json;
	xt_replay_cli_t replay;
} options_t;

static void take_ranks(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	options_t *o = options;
	char *dash = *arg ? strchr(arg + 1, '-') : NULL;

	if (dash) {
		*dash = '\0';
	}
	o->c.ranks = (uint32_t)xt_parse_number(state, option->name, arg, option->min, option->max);
	o->last_ranks =
		dash ? (uint32_t)xt_parse_number(state, option->name, dash + 1, o->c.ranks, option->max) : o->c.ranks;
}

static void take_root(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	options_t *o = options;

	o->all_roots = strcmp(arg, "all") == 0;
	o->c.root = o->all_roots ? 0 : (uint32_t)xt_parse_number(state, option->name, arg, option->min, option->max);
}

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (!o->list && !o->c.ranks) {
		argp_error(state, "say of how many ranks, for example --ranks 64");
	}
	if (o->svg && (o->list || o->graph || o->replay.image)) {
		argp_error(state, "--svg draws what is sent; leave out --list, --graph and --on");
	}
	if (o->replay.timeline && !o->replay.image) {
		argp_error(state, "--timeline is of a replay; say on which network with --on");
	}
	if (!o->graph && (o->all_roots || o->last_ranks != o->c.ranks)) {
		argp_error(state, "several sizes or roots are for --graph only");
	}
}

static const xt_option_t option_list[] = {
	{"ranks", "N", "Tasks that take part; N-M, with --graph: all from N to M", .min = 1, .max = XT_MAX_RANKS,
		.take = take_ranks},
	{"bytes", "N",
		"Of the vector (broadcast, reduce, allreduce) or of each rank's block (the others); default 1024",
		.value = XT_AT(options_t, c.bytes), .max = UINT64_C(1) << 32},
	{"root", "RANK", "Where there is one (default 0); `all`, with --graph: one after the other",
		.max = XT_MAX_RANKS - 1, .take = take_root},
	{"algorithm", "NAME", "Instead of the one that the rules choose", .value = XT_AT(options_t, c.algorithm)},
	{"rules", "NAME", "tuned (default) or basic, see below", .value = XT_AT(options_t, c.rules),
		.take = xt_take_rules},
	{"segment", "BYTES", "Cut the vector so; 0: not at all (default: by the rules)",
		.value = XT_AT(options_t, c.segment), .max = UINT64_C(1) << 32},
	{"fanout", "N", "Chains of `chain`, messages at a time of `linear-sync` (default 4)",
		.value = XT_AT(options_t, c.fanout), .min = 1, .max = 32},
	{"element", "BYTES", "What is never cut (default 1)", .value = XT_AT(options_t, c.element), .min = 1,
		.max = 65536},
	{"list", NULL, "Name the algorithms of this collective and end", .mark = XT_AT(options_t, list), .group = 1},
	{"graph", NULL, "Print every event, what it waits for and what it carries, as a line of JSON for each graph",
		.mark = XT_AT(options_t, graph)},
	{"svg", "FILE", "Draw who sends how much to whom", .value = XT_AT(options_t, svg), .writes = true},
	{"on", "IMAGE", "Replay it on the network of this image", .value = XT_AT(options_t, replay.image), .group = 2},
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(options_t, name),
	.required = "say which collective, for example alltoall",
	.check = check,
	.child = &xt_replay_syntax,
	.child_title = "Replay, with --on:",
	.child_group = 3,
	.child_offset = offsetof(options_t, replay),
	.args_doc = "NAME",
	.doc = "Shows what a collective of MPI sends by the algorithms of Open MPI: broadcast, reduce, allreduce, "
	       "gather, scatter, allgather, barrier, alltoall.\v"
	       "The rules are those of components of Open MPI: tuned is coll/tuned of 4.0, its fixed decisions, by "
	       "size and ranks; basic is coll/basic, which has binomial trees for broadcast, reduce and barrier, all "
	       "that is sent at once for alltoall, and for allgather a gather and a broadcast. --graph: {\"events\": "
	       "[[kind, rank, peer, bytes, match, [waits for ...], mode, [[offset, length] ...]] ...]}, kind 0 a send, "
	       "1 a receive, 2 a join; mode 1: the receiver adds it to what it has.\n\n"
	       "Examples:\n"
	       "  extorus collective alltoall --ranks 256 --bytes 512\n"
	       "  extorus collective alltoall --bytes 16 --ranks 64 --on twin.img --timeline alltoall.svg\n"
	       "  extorus collective broadcast --list\n"
	       "  extorus collective reduce --ranks 33 --root 5 --bytes 4096 --algorithm chain --segment 1024\n"
	       "  extorus collective allgather --ranks 1-8 --bytes 16 --graph",
};

static int print_list(const char *name, xt_collective_kind_t kind)
{
	const char *algorithm;

	printf("%s:", name);
	for (unsigned i = 0; (algorithm = xt_collective_algorithm(kind, i)); i++) {
		printf(" %s", algorithm);
	}
	printf("\n");
	return XT_EXIT_OK;
}

static int print_graphs(const options_t *o, xt_diag_t *diag)
{
	int status = XT_OK;

	for (uint32_t ranks = o->c.ranks; ranks <= o->last_ranks; ranks++) {
		uint32_t roots = o->all_roots && xt_collective_is_rooted(o->c.kind) ? ranks : 1;

		for (uint32_t root = 0; root < roots && status == XT_OK; root++) {
			xt_collective_t c = o->c;
			xt_workload_t *w;

			c.ranks = ranks;
			c.root = roots > 1 ? root : o->all_roots ? 0 : o->c.root;
			c.pieces = 1;
			status = xt_collective_decide(&c, diag);
			if (status == XT_OK && (status = xt_collective_create(&c, &w, diag)) == XT_OK) {
				status = xt_collective_write_json(&c, w, stdout);
				xt_workload_free(w);
			}
		}
		if (status != XT_OK) {
			return status;
		}
	}
	return status;
}

static int print_summary(const options_t *o, xt_diag_t *diag)
{
	xt_collective_t c = o->c;
	xt_workload_statistics_t s;
	xt_workload_t *w;
	int status = xt_collective_decide(&c, diag);

	if (status != XT_OK || (status = xt_collective_create(&c, &w, diag)) != XT_OK) {
		return status;
	}
	status = xt_workload_statistics(w, &s, diag);
	if (status == XT_OK && o->svg) {
		status = xt_write_matrix(w, o->svg, diag);
	}
	if (status == XT_OK && o->json) {
		json_t *object = xt_statistics_json(&s);

		json_object_set_new(object, "collective", json_string(o->name));
		json_object_set_new(object, "algorithm", json_string(c.algorithm));
		json_object_set_new(object, "segment", json_integer((json_int_t)c.segment));
		json_object_set_new(object, "rules", json_string(xt_rules_title(c.rules)));
		xt_print_json("collective", object);
	} else if (status == XT_OK) {
		printf("%s of %" PRIu64 " bytes by %s", o->name, c.bytes, c.algorithm);
		if (c.segment) {
			printf(", segments of %" PRIu64 " bytes", c.segment);
		}
		printf(" (%s%s)\n", o->c.algorithm ? "as asked for" : "rules of ",
			o->c.algorithm ? "" : xt_rules_title(c.rules));
		xt_statistics_print(&s, stdout);
	}
	xt_workload_free(w);
	return status;
}

static int replay(const options_t *o, int *wrong, xt_diag_t *diag)
{
	xt_replay_cli_t cli = o->replay;
	xt_collective_t c = o->c;
	char name[160];
	xt_workload_t *w;
	int status = xt_collective_decide(&c, diag);

	/* First what takes no time. */
	if (status == XT_OK) {
		status = xt_replay_check_ranks(&cli, c.ranks, diag);
	}
	if (status != XT_OK || (status = xt_collective_create(&c, &w, diag)) != XT_OK) {
		return status;
	}
	snprintf(name, sizeof(name), "%s of %" PRIu64 " bytes by %s, %" PRIu32 " ranks", o->name, c.bytes, c.algorithm,
		c.ranks);
	cli.json = o->json;
	status = xt_replay_command(&cli, name, w, NULL, wrong, diag);
	xt_workload_free(w);
	return status;
}

static int run(int argc, char **argv)
{
	options_t o = {.c = {.bytes = 1024, .segment = XT_SEGMENT_BY_RULES}, .replay = xt_replay_defaults};
	xt_diag_t diag = {""};
	int status, wrong = 0;

	xt_parse_options(&syntax, argc, argv, &o);
	status = xt_collective_parse(o.name, &o.c.kind, &diag);
	if (status == XT_OK && o.list) {
		return print_list(o.name, o.c.kind);
	}
	if (status == XT_OK) {
		status = o.replay.image ? replay(&o, &wrong, &diag)
			 : o.graph      ? print_graphs(&o, &diag)
					: print_summary(&o, &diag);
	}
	return status == XT_OK ? (wrong ? XT_EXIT_WRONG : XT_EXIT_OK) : xt_report("collective", status, &diag);
}

XT_COMMAND(collective, "what an MPI collective sends, and how long it takes", run);
