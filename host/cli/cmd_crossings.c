/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/port_assignment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/atomic_file.h"
#include "options/options.h"
#include "options/progress.h"

enum { MOST_SHOWN = 10 }; /* assignments in the table */

typedef struct {
	const char *spec, *profile, *pattern, *matrix, *card0, *csv;
	bool paths_given, json, zipf_given;
	xt_paths_t paths;
	double zipf_exponent;
	uint64_t seed;
} options_t;

static const char *const path_names[] = {"dor", "shortest", "destro"};

static void take_paths(struct argp_state *state, const xt_option_t *option, char *arg, void *paths)
{
	for (unsigned i = 0; i < sizeof(path_names) / sizeof(path_names[0]); i++) {
		if (strcmp(arg, path_names[i]) == 0) {
			*(xt_paths_t *)paths = (xt_paths_t)i;
			return;
		}
	}
	argp_error(state, "--%s %s: there are dor, shortest and destro", option->name, arg);
}

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (o->matrix && (o->pattern || o->zipf_given)) {
		argp_error(state, "--matrix says all about the traffic; leave --traffic and --zipf-exponent out");
	}
	if (o->json && xt_is_stdout(o->csv)) {
		argp_error(state, "only one of --json and --csv - can go to standard output");
	}
}

static const xt_option_t option_list[] = {
	XT_OPTION_PROFILE(options_t),
	{"traffic", "PATTERN",
		"uniform (the default): one packet between each ordered pair of ends; zipf, zipf-common: as many, "
		"ranked "
		"as by extorus sim",
		.value = XT_AT(options_t, pattern)},
	{"zipf-exponent", "S", "With zipf, zipf-common: the exponent (default 1)",
		.value = XT_AT(options_t, zipf_exponent), .most = XT_MAX_ZIPF_EXPONENT,
		.mark = XT_AT(options_t, zipf_given)},
	{"matrix", "FILE",
		"The traffic as CSV: the line src,dst,weight, then one line per pair of ends, counted from 0",
		.value = XT_AT(options_t, matrix)},
	{"paths", "PATHS",
		"dor, or shortest: evenly divided over all shortest paths; default: dor in tori and meshes, shortest "
		"elsewhere. A tree has destro only",
		.value = XT_AT(options_t, paths), .take = take_paths, .mark = XT_AT(options_t, paths_given)},
	{"card0", "PORTS", "Count for this assignment too: ports with commas between them",
		.value = XT_AT(options_t, card0)},
	{"csv", "FILE", "Write card0,crossings: a line for each assignment; - is standard output",
		.value = XT_AT(options_t, csv), .writes = true},
	{"seed", "S", "Of the search beyond 28 ports and of the ranks of zipf (default: 1)",
		.value = XT_AT(options_t, seed), .max = XT_MOST_SEED},
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(options_t, spec),
	.required = "say which network, for example tree:k=4,n=3 or torus:4x4x4",
	.check = check,
	.args_doc = "SPEC",
	.doc = "Combined switches: the 2p ports of each switch of a network are shared out over two cards of p ports "
	       "and an internal link between them. Counts the traffic that crosses the internal links for each "
	       "assignment of the ports, one for all switches, and finds the best.\n"
	       "  tree:k=4,n=3   k-ary n-tree: k^n ends, n stages of switches with k down and k up ports\n"
	       "  torus:4x4x4    or any other topology (extorus topo --help), whose nodes are the switches; a twin "
	       "torus is compared as it is wired\v"
	       "DESTRO in a tree: a packet leaves stage s upwards by the port that is digit s, to base k, of its "
	       "destination's number, until it can go down, and stage s downwards by the same digit: the usual "
	       "D-mod-k. (The idea is of C. Gomez et al., Deterministic versus Adaptive Routing in Fat-Trees, IPDPS "
	       "workshops 2007, whose order of the digits was not compared.)\n\n"
	       "A best assignment is called optimal if all were tried (up to 28 ports); beyond, the best that "
	       "Kernighan and Lin's exchanges found. Traffic that begins or ends at a node of a topology does not pass "
	       "it and is not counted there.\n\n"
	       "Examples:\n"
	       "  extorus crossings tree:k=4,n=3\n"
	       "  extorus crossings tree:k=4,n=2 --matrix traffic.csv --card0 down0,down1,up0,up1\n"
	       "  extorus crossings twin:4x4x4,config=D --json",
};

/* Ports by their names, up to half of them. */
static int read_card0(const xt_turns_t *t, const char *text, uint64_t *card0, xt_diag_t *diag)
{
	unsigned ports = xt_turns_ports(t);

	*card0 = 0;
	for (const char *c = text;; c++) {
		size_t length = strcspn(c, ",");
		unsigned port = 0;

		while (port < ports && (strlen(xt_turns_port_name(t, port)) != length ||
					       strncmp(xt_turns_port_name(t, port), c, length) != 0)) {
			port++;
		}
		if (port == ports || (*card0 >> port & 1)) {
			return xt_fail(diag, XT_ERR_INVALID,
				"--card0: \"%.*s\" is not one more port; name %u different ones of %s to %s",
				length < 20 ? (int)length : 20, c, ports / 2, xt_turns_port_name(t, 0),
				xt_turns_port_name(t, ports - 1));
		}
		*card0 |= UINT64_C(1) << port;
		c += length;
		if (*c == '\0') {
			break;
		}
	}
	if ((unsigned)__builtin_popcountll(*card0) != ports / 2) {
		return xt_fail(diag, XT_ERR_INVALID, "--card0: %d ports named; of %u ports, %u are on each card",
			__builtin_popcountll(*card0), ports, ports / 2);
	}
	return XT_OK;
}

/* What was asked and what was counted. */
typedef struct {
	const char *spec, *paths, *traffic;
	unsigned ends;
	xt_turns_t *turns;
	uint64_t given; /* 0: no assignment was */
} count_t;

static int count(const options_t *o, const xt_profile_t *profile, const xt_tree_t *tree, const xt_topology_t *topology,
	count_t *c, xt_diag_t *diag)
{
	xt_traffic_t traffic = xt_traffic_default(profile);
	xt_paths_t paths = o->paths_given ? o->paths : tree ? XT_PATHS_DESTRO : xt_turns_usual_paths(topology);
	xt_traffic_matrix_t *matrix;
	int status;

	if (tree && paths != XT_PATHS_DESTRO) {
		return xt_fail(
			diag, XT_ERR_UNSUPPORTED, "%s: the paths of a tree are destro; leave --paths out", o->spec);
	}
	traffic.pattern = o->pattern ? o->pattern : traffic.pattern;
	traffic.zipf_exponent = o->zipf_given ? o->zipf_exponent : traffic.zipf_exponent;
	traffic.seed = o->seed;
	c->spec = tree ? o->spec : xt_topology_spec(topology);
	c->paths = path_names[paths];
	c->traffic = o->matrix ? o->matrix : traffic.pattern;
	c->ends = tree ? xt_tree_ends(tree) : xt_topology_cards(topology) / xt_topology_cards_per_node(topology);
	status = o->matrix ? xt_traffic_matrix_read(o->matrix, c->ends, &matrix, diag)
			   : xt_traffic_matrix_create(&traffic, profile, c->ends, &matrix, diag);
	if (status != XT_OK) {
		return status;
	}
	status = tree ? xt_turns_of_tree(tree, matrix, &c->turns, diag)
		      : xt_turns_of_topology(topology, paths, matrix, &c->turns, diag);
	xt_traffic_matrix_free(matrix);
	if (status == XT_OK && o->card0) {
		return read_card0(c->turns, o->card0, &c->given, diag);
	}
	if (status == XT_OK && !tree && xt_topology_kind(topology) == XT_TOPOLOGY_TWIN) {
		c->given = xt_twin_card0(topology);
	}
	return status;
}

static void print_ports(FILE *out, const xt_turns_t *t, uint64_t card0, const char *between)
{
	const char *before = "";

	for (unsigned port = 0; port < xt_turns_ports(t); port++) {
		if (card0 >> port & 1) {
			fprintf(out, "%s%s", before, xt_turns_port_name(t, port));
			before = between;
		}
	}
}

static json_t *ports_json(const xt_turns_t *t, uint64_t card0)
{
	json_t *ports = json_array();

	for (unsigned port = 0; port < xt_turns_ports(t); port++) {
		if (card0 >> port & 1) {
			json_array_append_new(ports, json_string(xt_turns_port_name(t, port)));
		}
	}
	return ports;
}

/* Over one stage or all, per switch. */
static double per_switch(const xt_turns_t *t, int stage, double sum)
{
	return sum / xt_turns_switches(t) / (stage == XT_ALL_STAGES ? xt_turns_stages(t) : 1);
}

static json_t *assignment_json(const xt_turns_t *t, int stage, uint64_t card0)
{
	double crossings = xt_turns_crossings(t, stage, card0);

	return json_pack("{s:o, s:f, s:f}", "card0", ports_json(t, card0), "crossings", crossings,
		"crossings_per_switch", per_switch(t, stage, crossings));
}

static json_t *best_json(const options_t *o, const xt_turns_t *t, int stage)
{
	xt_assignment_t best;
	json_t *object;

	xt_turns_best(t, stage, o->seed, &best);
	object = assignment_json(t, stage, best.card0);
	json_object_set_new(object, "optimal", json_boolean(best.optimal));
	json_object_set_new(
		object, "assignments", best.optimal ? json_integer((json_int_t)best.assignments) : json_null());
	return object;
}

static json_t *count_json(const options_t *o, const count_t *c)
{
	const xt_turns_t *t = c->turns;
	json_t *stages = json_array();

	for (int s = 0; s < (int)xt_turns_stages(t); s++) {
		json_array_append_new(
			stages, json_pack("{s:f, s:o}", "turns", xt_turns_total(t, s), "best", best_json(o, t, s)));
	}
	return json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:f, s:o, s:o, s:o}", "network", c->spec, "paths", c->paths,
		"traffic", c->traffic, "ends", (int)c->ends, "switches",
		(int)(xt_turns_switches(t) * xt_turns_stages(t)), "ports",
		ports_json(t, UINT64_MAX >> (64 - xt_turns_ports(t))), "turns", xt_turns_total(t, XT_ALL_STAGES),
		"best", best_json(o, t, XT_ALL_STAGES), "given",
		c->given ? assignment_json(t, XT_ALL_STAGES, c->given) : json_null(), "stages", stages);
}

/* The assignments with the least crossings, in ascending order, and how many there are. */
typedef struct {
	struct {
		uint64_t card0;
		double crossings;
	} kept[MOST_SHOWN];
	uint64_t count;
} least_t;

static void keep_least(void *context, uint64_t card0, double crossings)
{
	least_t *least = context;
	size_t i = least->count < MOST_SHOWN ? (size_t)least->count : MOST_SHOWN;

	least->count++;
	while (i > 0 && least->kept[i - 1].crossings > crossings) {
		if (i < MOST_SHOWN) {
			least->kept[i] = least->kept[i - 1];
		}
		i--;
	}
	if (i < MOST_SHOWN) {
		least->kept[i].card0 = card0;
		least->kept[i].crossings = crossings;
	}
}

static void print_line(const xt_turns_t *t, int stage, const char *name, uint64_t card0)
{
	double crossings = xt_turns_crossings(t, stage, card0), total = xt_turns_total(t, stage);

	printf("%-8s %14.6g %16.6g %7.2f %%  ", name, crossings, per_switch(t, stage, crossings),
		total > 0 ? 100 * crossings / total : 0.0);
	print_ports(stdout, t, card0, " ");
	printf("\n");
}

static void print_count(const options_t *o, const count_t *c)
{
	const xt_turns_t *t = c->turns;
	xt_assignment_t best;
	least_t least = {.count = 0};
	char name[24];

	printf("%s, paths %s, traffic %s: %u ends, %u switches of %u ports\n", c->spec, c->paths, c->traffic, c->ends,
		xt_turns_switches(t) * xt_turns_stages(t), xt_turns_ports(t));
	printf("turns    %14.6g %16.6g\n\n", xt_turns_total(t, XT_ALL_STAGES),
		per_switch(t, XT_ALL_STAGES, xt_turns_total(t, XT_ALL_STAGES)));
	printf("              crossings       per switch     share  ports of card 0\n");
	xt_turns_best(t, XT_ALL_STAGES, o->seed, &best);
	print_line(t, XT_ALL_STAGES, best.optimal ? "optimal" : "found", best.card0);
	if (c->given) {
		print_line(t, XT_ALL_STAGES, o->card0 ? "given" : "as wired", c->given);
	}
	for (int s = 0; xt_turns_stages(t) > 1 && s < (int)xt_turns_stages(t); s++) {
		xt_assignment_t alone;

		xt_turns_best(t, s, o->seed, &alone);
		printf("%sstage %d, of %.6g turns\n", s ? "" : "\n", s, xt_turns_total(t, s));
		print_line(t, s, "as above", best.card0);
		print_line(t, s, alone.optimal ? "optimal" : "found", alone.card0);
	}
	if (!best.optimal) {
		printf("\nThe best that was found, with seed %" PRIu64 "; there may be better ones.\n", o->seed);
		return;
	}
	xt_turns_each(t, XT_ALL_STAGES, keep_least, &least, NULL);
	printf("\nof %" PRIu64 " assignments\n", best.assignments);
	for (unsigned i = 0; i < MOST_SHOWN && i < least.count; i++) {
		snprintf(name, sizeof(name), "%u", i + 1);
		print_line(t, XT_ALL_STAGES, name, least.kept[i].card0);
	}
}

typedef struct {
	const xt_turns_t *turns;
	FILE *out;
} listing_t;

static void list(void *context, uint64_t card0, double crossings)
{
	const listing_t *listing = context;

	print_ports(listing->out, listing->turns, card0, " ");
	fprintf(listing->out, ",%.17g\n", crossings);
}

static int write_list(void *context, FILE *out, xt_diag_t *diag)
{
	listing_t listing = {.turns = context, .out = out};

	fprintf(out, "card0,crossings\n");
	return xt_turns_each(context, XT_ALL_STAGES, list, &listing, diag);
}

static int run(int argc, char **argv)
{
	options_t o = {.profile = XT_DEFAULT_PROFILE, .seed = 1};
	const xt_profile_t *profile;
	xt_topology_t *topology = NULL;
	count_t c = {0};
	xt_tree_t tree;
	xt_diag_t diag = {""};
	xt_clock_t clock;
	bool is_tree;
	int status, result = XT_EXIT_OK;

	xt_parse_options(&syntax, argc, argv, &o);
	is_tree = xt_tree_is_spec(o.spec);
	if ((status = xt_profile_require(o.profile, &profile, &diag)) == XT_OK) {
		status = is_tree ? xt_tree_parse(o.spec, &tree, &diag)
				 : xt_topology_parse(o.spec, profile, &topology, &diag);
	}
	if (status == XT_OK) {
		xt_clock_begin(&clock, "counting");
		status = count(&o, profile, is_tree ? &tree : NULL, topology, &c, &diag);
		xt_clock_end(&clock);
	}
	if (status == XT_OK && o.csv) {
		status = xt_write_file(o.csv, write_list, c.turns, &diag);
	}
	if (status != XT_OK) {
		result = xt_report("crossings", status, &diag);
	} else if (o.json) {
		result = xt_print_json("crossings", count_json(&o, &c));
	} else if (!o.csv) {
		print_count(&o, &c);
	}
	xt_turns_free(c.turns);
	xt_topology_free(topology);
	return result;
}

XT_COMMAND(crossings, "combined switches: which ports belong on which card, for any traffic", run);
