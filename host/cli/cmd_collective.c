/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "device_options.h"
#include "extorus/workload.h"
#include "options.h"
#include "replay_options.h"
#include "workload_report.h"

enum {
	KEY_RANKS = XT_KEY_COMMAND,
	KEY_BYTES,
	KEY_ROOT,
	KEY_ALGORITHM,
	KEY_SEGMENT,
	KEY_FANOUT,
	KEY_ELEMENT,
	KEY_GRAPH,
	KEY_LIST,
	KEY_SVG,
	KEY_ON,
	KEY_RULES,
};

typedef struct {
	const char *name, *svg;
	xt_collective_t c;
	uint32_t last_ranks; /* of a range */
	bool all_roots, graph, list, json;
	xt_replay_cli_t replay;
} collective_options_t;

static uint64_t take_size(struct argp_state *state, const char *option, const char *arg)
{
	return xt_parse_number(state, option, arg, 0, UINT64_C(1) << 32);
}

static void take_ranks(struct argp_state *state, collective_options_t *o, char *arg)
{
	char *dash = strchr(arg, '-');

	if (dash) {
		*dash = '\0';
	}
	o->c.ranks = (uint32_t)xt_parse_number(state, "ranks", arg, 1, XT_MAX_RANKS);
	o->last_ranks =
		dash ? (uint32_t)xt_parse_number(state, "ranks", dash + 1, o->c.ranks, XT_MAX_RANKS) : o->c.ranks;
}

static void check_all(struct argp_state *state, const collective_options_t *o)
{
	if (!o->name) {
		argp_error(state, "say which collective, for example alltoall");
	}
	if (!o->list && !o->c.ranks) {
		argp_error(state, "say of how many ranks, for example --ranks 64");
	}
	if (!o->graph && (o->all_roots || o->last_ranks != o->c.ranks)) {
		argp_error(state, "several sizes or roots are for --graph only");
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	collective_options_t *o = state->input;
	xt_diag_t diag = {""};

	switch (key) {
	case KEY_RANKS:
		take_ranks(state, o, arg);
		return 0;
	case KEY_BYTES:
		o->c.bytes = take_size(state, "bytes", arg);
		return 0;
	case KEY_ROOT:
		o->all_roots = strcmp(arg, "all") == 0;
		o->c.root = o->all_roots ? 0 : (uint32_t)xt_parse_number(state, "root", arg, 0, XT_MAX_RANKS - 1);
		return 0;
	case KEY_ALGORITHM:
		o->c.algorithm = arg;
		return 0;
	case KEY_SEGMENT:
		o->c.segment = take_size(state, "segment", arg);
		return 0;
	case KEY_FANOUT:
		o->c.fanout = (uint32_t)xt_parse_number(state, "fanout", arg, 1, 32);
		return 0;
	case KEY_ELEMENT:
		o->c.element = (uint32_t)xt_parse_number(state, "element", arg, 1, 65536);
		return 0;
	case KEY_GRAPH:
		o->graph = true;
		return 0;
	case KEY_RULES:
		if (xt_rules_parse(arg, &o->c.rules, &diag) != XT_OK) {
			argp_error(state, "--rules: %s", diag.text);
		}
		return 0;
	case KEY_LIST:
		o->list = true;
		return 0;
	case KEY_SVG:
		o->svg = arg;
		return 0;
	case KEY_ON:
		o->replay.image = arg;
		return 0;
	case XT_KEY_JSON:
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		return xt_take_argument(state, arg, &o->name);
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->replay;
		return 0;
	case ARGP_KEY_END:
		check_all(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_list[] = {
	{"ranks", KEY_RANKS, "N", 0, "Tasks that take part; N-M, with --graph: all from N to M", 0},
	{"bytes", KEY_BYTES, "N", 0,
		"Of the vector (broadcast, reduce, allreduce) or of each rank's block (the others); default 1024", 0},
	{"root", KEY_ROOT, "RANK", 0, "Where there is one (default 0); `all`, with --graph: one after the other", 0},
	{"algorithm", KEY_ALGORITHM, "NAME", 0, "Instead of the one that the rules choose", 0},
	{"rules", KEY_RULES, "NAME", 0, "tuned (default) or basic, see below", 0},
	{"segment", KEY_SEGMENT, "BYTES", 0, "Cut the vector so; 0: not at all (default: by the rules)", 0},
	{"fanout", KEY_FANOUT, "N", 0, "Chains of `chain`, messages at a time of `linear-sync` (default 4)", 0},
	{"element", KEY_ELEMENT, "BYTES", 0, "What is never cut (default 1)", 0},
	{"list", KEY_LIST, 0, 0, "Name the algorithms of this collective and end", 1},
	{"graph", KEY_GRAPH, 0, 0,
		"Print every event, what it waits for and what it carries, as a line of JSON for each graph", 1},
	{"svg", KEY_SVG, "FILE", 0, "Draw who sends how much to whom", 1},
	{"on", KEY_ON, "IMAGE", 0, "Replay it on the network of this image", 2},
	XT_OPTION_JSON,
	{0},
};

static const struct argp_child children[] = {{&xt_replay_argp, 0, "Replay, with --on:", 3}, {0}};

static const struct argp collective_argp = {
	.options = option_list,
	.parser = parse,
	.children = children,
	.args_doc = "NAME",
	.doc = "Shows what a collective of MPI sends by the algorithms of Open MPI: broadcast, reduce, allreduce, "
	       "gather, "
	       "scatter, allgather, barrier, alltoall.\v"
	       "The rules are those of components of Open MPI: tuned is coll/tuned of 4.0, its fixed decisions, by "
	       "size and "
	       "ranks; basic is coll/basic, which has binomial trees for broadcast, reduce and barrier, all that is "
	       "sent "
	       "at once for alltoall, and for allgather a gather and a broadcast. --graph: {\"events\": [[kind, rank, "
	       "peer, bytes, "
	       "match, [waits for ...], mode, [[offset, length] ...]] ...]}, kind 0 a send, 1 a receive, 2 a join; "
	       "mode 1: "
	       "the receiver adds it to what it has.\n\n"
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

static int print_graphs(const collective_options_t *o, xt_diag_t *diag)
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

static int print_summary(const collective_options_t *o, xt_diag_t *diag)
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

static int replay(const collective_options_t *o, int *wrong, xt_diag_t *diag)
{
	xt_replay_cli_t cli = o->replay;
	xt_collective_t c = o->c;
	char name[160];
	xt_workload_t *w;
	int status = xt_collective_decide(&c, diag);

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
	collective_options_t o = {.c = {.bytes = 1024, .segment = XT_SEGMENT_BY_RULES}, .replay = xt_replay_defaults};
	xt_diag_t diag = {""};
	int status, wrong = 0;

	xt_parse_options(&collective_argp, argc, argv, &o);
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

extern const xt_command_t xt_command_collective;
const xt_command_t xt_command_collective = {"collective", "what an MPI collective sends, and how long it takes", run};
