/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/atomic_file.h"
#include "extorus/fault_diameter.h"
#include "extorus/topology.h"
#include "options/failures.h"
#include "options/options.h"
#include "options/progress.h"

typedef struct {
	const char *spec, *profile, *dot, *svg, *csv;
	bool json, fault_diameter;
	int faults;
	xt_failures_t failures;
} options_t;

/* [0]: of links, [1]: of cards. */
typedef struct {
	bool known;
	xt_fault_diameter_t of[2];
} fault_diameters_t;

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	xt_need_one_stdout(state, o->json, o->csv, o->dot, o->svg);
}

static const xt_option_t option_list[] = {
	{"profile", "NAME", "Switch profile (default: extoll, or the smallest other one that has the ports)",
		.value = XT_AT(options_t, profile)},
	{"dot", "FILE", "Write the drawing for Graphviz (neato -n2); - is standard output",
		.value = XT_AT(options_t, dot), .writes = true},
	{"csv", "FILE",
		"Write the wiring, card,port,peer_card,peer_port: a line for each port that sends; - is standard "
		"output",
		.value = XT_AT(options_t, csv), .writes = true},
	{"svg", "FILE", "Have Graphviz draw it", .value = XT_AT(options_t, svg), .writes = true},
	{"fault-diameter", NULL,
		"Also find the largest diameter when any links, and when any cards fail: one fewer than could cut a "
		"card off. Up to 1024 cards, and few enough failures to try all",
		.mark = XT_AT(options_t, fault_diameter)},
	{"faults", "F", "The same, when any F fail", .value = XT_AT(options_t, faults), .max = XT_MOST_FAULTS,
		.mark = XT_AT(options_t, fault_diameter)},
	XT_OPTION_JSON(options_t),
	XT_OPTION_FAILURES(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(options_t, spec),
	.required = "say which topology, for example torus:4x4x4",
	.check = check,
	.args_doc = "SPEC",
	.doc = "Describes a topology: a family and the radix of each dimension.\n"
	       "  torus:8x8x4, mesh:8x8x4\n"
	       "  twin:4x4x2x2x2         twin torus, two cards per node\n"
	       "  twin:4x4x4,config=D    with other ports on card 0: A to J in 3D, or a list\n"
	       "                         like d0-d0+d1-; config=best is the default\n"
	       "  rtt:8x4                twisted tori, 2a x a and 2a x a x a\n"
	       "  ptt:8x4x4, pdtt:8x4x4\n"
	       "  pruned:8x8x8           each card has links of dimension 0 and one other\n"
	       "  manhattan:8x8x8        one-way rings, even radices\n"
	       "  pruned-directed:8x8x8  both\n"
	       "  tree:k=4,n=5           k-ary n-tree of switches; ,cards=2,links=1 makes a switch of two\n"
	       "                         cards or more, ,ports=apart puts its up ports on one of two\n"
	       "  file:net.json          a network in JSON, {\"cards\": 3, \"links\": [[0, 0, 1, 0], [1, 1, 2, 0]]}:\n"
	       "                         a link is [card, port, card, port], all counted from 0;\n"
	       "                         \"switches\": [2] lists cards without a PE\n"
	       "  file:fabric.topo       one of ibnetdiscover, BookSim's anynet, GraphML, DOT, Slurm's\n"
	       "                         topology.conf, or an edge list: each node is a card\v"
	       "Distances are in links between cards, internal ones of a twin torus counted. The uniform limit is the "
	       "load, in cells per cycle and card, at which the busiest link is full under uniform traffic to all "
	       "other cards, divided "
	       "evenly over the shortest paths. The bisection counts one direction; bisection_method says whether it "
	       "is exact.\n\n"
	       "Of a tree the connections through its switches are counted: forward (up), turnaround and backward "
	       "(down), "
	       "those that destro uses, and of these those between the cards of a switch.\n\n"
	       "The format of a file is known by its name, .topo, .anynet, .graphml, .gv, .conf, .edges or .json, or "
	       "else by "
	       "its text. JSON output has the names of the nodes. A link goes both ways: an edge of a directed graph "
	       "and its "
	       "opposite are one link. An edge list has two names per line. Without --profile a network is measured "
	       "even if "
	       "its cards need more ports than any profile has; the profile is none then.\n\n"
	       "A fault diameter is exact, and a case is named in which it is that large.\n\n"
	       "Failures become part of the topology's name, and can be written so everywhere: torus:8x8~5:d0+~7 is "
	       "without the link at d0+ of card 5 and without card 7, torus:8x8~random=3:1 without 3 links drawn with "
	       "seed 1, torus:8x8~5:nic has no PE at card 5. The cards keep their numbers.\n\n"
	       "Examples:\n"
	       "  extorus topo twin:4x4x2x2x2 --json\n"
	       "  extorus topo twin:4x4x4,config=D --csv wiring.csv\n"
	       "  extorus topo torus:4x4x4 --svg torus.svg\n"
	       "  extorus topo torus:4x4x4 --fail-random 5 --seed 2\n"
	       "  extorus topo torus:4x4 --fault-diameter",
};

static json_t *number_or_null(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

static json_t *count_or_null(int64_t count)
{
	return count >= 0 ? json_integer(count) : json_null();
}

/* What fails in the worst case: [card, port] or a card each. */
static json_t *fault_diameter_json(const xt_topology_t *t, const xt_fault_diameter_t *f, bool cards)
{
	json_t *failed = json_array();

	for (unsigned i = 0; i < f->failed; i++) {
		xt_peer_t one = f->failures[i];

		json_array_append_new(failed,
			cards ? json_integer(one.card)
			      : json_pack("[i, s]", (int)one.card, xt_topology_port_name(t, one.card, one.port)));
	}
	return json_pack("{s:i, s:i, s:i, s:o, s:[i, i]}", "connectivity", (int)f->connectivity, "faults",
		(int)f->faults, "diameter", (int)f->diameter, "failed", failed, "between", (int)f->source,
		(int)f->dest);
}

static json_t *connections_json(const xt_connections_t *c)
{
	return json_pack("{s:I, s:I, s:I}", "forward", (json_int_t)c->forward, "turnaround", (json_int_t)c->turnaround,
		"backward", (json_int_t)c->backward);
}

static void print_connections(const char *what, const xt_connections_t *c)
{
	printf("%s%" PRIu64 " forward, %" PRIu64 " turnaround, %" PRIu64 " backward\n", what, c->forward, c->turnaround,
		c->backward);
}

static json_t *metrics_json(const xt_topology_t *t, const xt_topology_metrics_t *m)
{
	json_t *radices = json_array(), *distances = json_array(), *links = json_array(), *cards = json_array();
	const xt_failed_link_t *failed;

	for (unsigned d = 0; d < xt_topology_dimensions(t); d++) {
		json_array_append_new(radices, json_integer(xt_topology_radix(t, d)));
		if (xt_topology_is_regular(t)) {
			json_array_append_new(distances, json_real(m->dimension_distance[d]));
		}
	}
	for (unsigned i = 0; i < xt_topology_failed_links(t, &failed); i++) {
		json_array_append_new(
			links, json_pack("[i, s, i, s]", (int)failed[i].card,
				       xt_topology_port_name(t, failed[i].card, failed[i].port), (int)failed[i].peer,
				       xt_topology_port_name(t, failed[i].peer, failed[i].peer_port)));
	}
	for (unsigned card = 0; card < m->cards; card++) {
		if (xt_topology_card_failed(t, card)) {
			json_array_append_new(cards, json_integer(card));
		}
	}
	return json_pack(
		"{s:s, s:s, s:b, s:o, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}",
		"topology", xt_topology_spec(t), "profile", xt_topology_profile(t)->name, "directed",
		(int)xt_topology_directed(t), "radices", radices, "cards", (int)m->cards, "pes", (int)m->pes, "links",
		(int)m->links, "degree", (int)m->degree, "diameter", (int)m->diameter, "mean_distance",
		m->mean_distance, "mean_distance_with_self", m->mean_distance_with_self, "dimension_distance",
		distances, "bisection", count_or_null(m->bisection), "bisection_at_least",
		count_or_null(m->bisection_at_least), "bisection_method", m->bisection_method, "effective_bisection",
		number_or_null(m->effective_bisection), "uniform_limit", number_or_null(m->uniform_limit),
		"link_balance", number_or_null(m->link_balance), "failed_links", links, "failed_cards", cards);
}

static json_t *all_json(const xt_topology_t *t, const xt_topology_metrics_t *m, const fault_diameters_t *faulty)
{
	json_t *object = metrics_json(t, m), *names = xt_topology_card_name(t, 0) ? json_array() : NULL;
	xt_tree_connections_t c;

	if (xt_topology_tree_connections(t, &c)) {
		json_object_set_new(object, "connections",
			json_pack("{s:o, s:o, s:o}", "all", connections_json(&c.all), "destro",
				connections_json(&c.used), "internal", connections_json(&c.internal)));
	}

	for (unsigned card = 0; names && card < m->cards; card++) {
		json_array_append_new(names, json_string(xt_topology_card_name(t, card)));
	}
	if (names) {
		json_object_set_new(object, "names", names);
	}
	if (faulty->known) {
		json_object_set_new(object, "fault_diameter",
			json_pack("{s:o, s:o}", "links", fault_diameter_json(t, &faulty->of[0], false), "cards",
				fault_diameter_json(t, &faulty->of[1], true)));
	}
	return object;
}

static void print_metrics(const xt_topology_t *t, const xt_topology_metrics_t *m)
{
	const xt_failed_link_t *failed;
	unsigned failed_links = xt_topology_failed_links(t, &failed);
	xt_tree_connections_t connections;

	printf("%s, profile %s\n", xt_topology_spec(t), xt_topology_profile(t)->name);
	printf("cards          %u (PEs %u)\n", m->cards, m->pes);
	if (failed_links || xt_topology_failed_cards(t)) {
		printf("failed         %u cards, %u links", xt_topology_failed_cards(t), failed_links);
		for (unsigned i = 0; i < failed_links && i < 16; i++) {
			printf("%s %u:%s", i ? "," : ":", failed[i].card,
				xt_topology_port_name(t, failed[i].card, failed[i].port));
		}
		printf("%s\n", failed_links > 16 ? ", ..." : "");
	}
	printf("links          %u%s (at most %u per card)\n", m->links, xt_topology_directed(t) ? " one-way" : "",
		m->degree);
	printf("diameter       %u\n", m->diameter);
	printf("mean distance  %.4f (with self %.4f)\n", m->mean_distance, m->mean_distance_with_self);
	if (xt_topology_is_regular(t)) {
		printf("per dimension ");
		for (unsigned d = 0; d < xt_topology_dimensions(t); d++) {
			printf(" %.4f", m->dimension_distance[d]);
		}
		printf("\n");
	}
	printf("bisection      ");
	if (m->bisection < 0) {
		printf("%s\n", m->bisection_method);
	} else if (m->bisection != m->bisection_at_least) {
		printf("%" PRId64 " to %" PRId64 " links (%s)\n", m->bisection_at_least, m->bisection,
			m->bisection_method);
	} else {
		printf("%" PRId64 " links (%s)\n", m->bisection, m->bisection_method);
	}
	if (xt_topology_tree_connections(t, &connections)) {
		print_connections("connections    ", &connections.all);
		print_connections("used by destro ", &connections.used);
		print_connections("between cards  ", &connections.internal);
	}
	if (m->uniform_limit > 0) {
		printf("effective      %.4f links would limit uniform traffic as the busiest link does\n",
			m->effective_bisection);
		printf("uniform limit  %.4f cells per cycle and card (links %.0f %% balanced)\n", m->uniform_limit,
			100 * m->link_balance);
	}
}

static void print_fault_diameter(const xt_topology_t *t, const xt_fault_diameter_t *f, bool cards)
{
	const char *what = cards ? "card" : "link";

	printf("fault diameter %u when any %u %s%s fail%s (%u can cut a card off)", f->diameter, f->faults, what,
		f->faults == 1 ? "" : "s", f->faults == 1 ? "s" : "", f->connectivity);
	for (unsigned i = 0; i < f->failed; i++) {
		xt_peer_t one = f->failures[i];

		if (i == 0) {
			printf("; for example from %u to %u without", f->source, f->dest);
		}
		printf(" %u", one.card);
		if (!cards) {
			printf(":%s", xt_topology_port_name(t, one.card, one.port));
		}
	}
	printf("\n");
}

static int find_fault_diameters(const xt_topology_t *t, int faults, fault_diameters_t *found, xt_diag_t *diag)
{
	xt_progress_bar_t bar;
	int status = XT_OK;

	found->known = true;
	for (unsigned cards = 0; status == XT_OK && cards < 2; cards++) {
		xt_progress_begin(&bar, cards ? "cards fail" : "links fail");
		status = xt_topology_fault_diameter(t, cards, faults, xt_progress_step, &bar, &found->of[cards], diag);
		xt_progress_end(&bar);
	}
	return status;
}

static int write_wiring(void *context, FILE *out, xt_diag_t *diag)
{
	const xt_topology_t *t = context;
	unsigned ports = xt_topology_profile(t)->link_ports;

	(void)diag;
	fprintf(out, "card,port,peer_card,peer_port\n");
	for (unsigned card = 0; card < xt_topology_cards(t); card++) {
		for (unsigned port = 0; port < ports; port++) {
			xt_peer_t peer = xt_topology_peer(t, card, port);

			if (peer.card != XT_NO_CARD) {
				fprintf(out, "%u,%s,%u,%s\n", card, xt_topology_port_name(t, card, port), peer.card,
					xt_topology_port_name(t, peer.card, peer.port));
			}
		}
	}
	return XT_OK;
}

static int write_dot(void *context, FILE *out, xt_diag_t *diag)
{
	(void)diag;
	xt_topology_write_dot(context, NULL, out);
	return XT_OK;
}

static int run_on(xt_topology_t *topology, const options_t *o)
{
	xt_topology_metrics_t metrics;
	fault_diameters_t faulty = {.known = false};
	xt_diag_t diag = {""};
	xt_clock_t clock;
	int status;

	xt_clock_begin(&clock, "measuring");
	status = xt_topology_metrics(topology, &metrics, &diag);
	xt_clock_end(&clock);
	if (status == XT_OK && o->fault_diameter) {
		status = find_fault_diameters(topology, o->faults, &faulty, &diag);
	}
	if (status == XT_OK && o->dot) {
		status = xt_write_graph(o->dot, 0, "neato", "-n2", write_dot, topology, &diag);
	}
	if (status == XT_OK && o->svg) {
		status = xt_write_graph(o->svg, 1, "neato", "-n2", write_dot, topology, &diag);
	}
	if (status == XT_OK && o->csv) {
		status = xt_write_file(o->csv, write_wiring, topology, &diag);
	}
	if (status != XT_OK) {
		return xt_report("topo", status, &diag);
	}
	if (o->json) {
		return xt_print_json("topo", all_json(topology, &metrics, &faulty));
	}
	if (!o->dot && !o->svg && !o->csv) {
		print_metrics(topology, &metrics);
		for (unsigned cards = 0; faulty.known && cards < 2; cards++) {
			print_fault_diameter(topology, &faulty.of[cards], cards);
		}
	}
	return XT_EXIT_OK;
}

/* On the smallest profile with the ports, if none is named, or on none at all. */
static int parse(const options_t *o, xt_topology_t **topology, xt_diag_t *diag)
{
	const xt_profile_t *profile;
	char *whole = NULL;
	int status = xt_profile_require(o->profile ? o->profile : XT_DEFAULT_PROFILE, &profile, diag);

	if (status == XT_OK && o->profile) {
		return xt_parse_with_failures(o->spec, &o->failures, profile, topology, diag);
	}
	if (status == XT_OK) {
		status = xt_spec_with_failures(o->spec, &o->failures, &whole, diag);
	}
	if (status == XT_OK && (status = xt_topology_parse_any(whole, profile, topology, diag)) == XT_ERR_RANGE) {
		status = xt_topology_parse_wide(whole, profile, topology, diag);
	}
	free(whole);
	return status;
}

static int run(int argc, char **argv)
{
	options_t options = {.faults = XT_CONNECTIVITY_FAULTS};
	xt_topology_t *topology;
	xt_diag_t diag = {""};
	int status;

	xt_parse_options(&syntax, argc, argv, &options);
	status = parse(&options, &topology, &diag);
	if (status != XT_OK) {
		return xt_report("topo", status, &diag);
	}
	status = run_on(topology, &options);
	xt_topology_free(topology);
	return status;
}

XT_COMMAND(topo, "metrics, wiring and drawing of a topology", run);
