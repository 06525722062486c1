/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/number_text.h"
#include "extorus/trace.h"
#include "options/options.h"

typedef struct {
	const char *path, *dot, *svg;
	bool json;
	unsigned pes, pe[2]; /* source and destination */
} options_t;

static void take_argument(struct argp_state *state, char *arg, void *options)
{
	options_t *o = options;
	uint64_t pe;
	xt_diag_t diag;

	if (!o->path) {
		o->path = arg;
		return;
	}
	if (o->pes == 2) {
		argp_error(state, "unexpected argument \"%s\"", arg);
	}
	if (xt_number_read("PE", arg, 10, 0, UINT32_MAX, &pe, &diag) != XT_OK) {
		argp_error(state, "%s", diag.text);
	}
	o->pe[o->pes++] = (unsigned)pe;
}

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (o->pes < 2) {
		argp_error(state, "say which image, and the PEs from and to which, for example twin.img 3 60");
	}
	if (o->json + xt_is_stdout(o->dot) + xt_is_stdout(o->svg) > 1) {
		argp_error(state, "only one of --json, --dot - and --svg - can go to standard output");
	}
}

static const xt_option_t option_list[] = {
	{"svg", "FILE", "Have Graphviz draw the routes; - is standard output", .value = XT_AT(options_t, svg),
		.writes = true},
	{"dot", "FILE", "Write the drawing for Graphviz", .value = XT_AT(options_t, dot), .writes = true},
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.take_argument = take_argument,
	.check = check,
	.args_doc = "FILE FROM TO",
	.doc = "Follows a packet from one PE to another through the tables of an image, in every TC that the source "
	       "may use.\v"
	       "Each line is a card on the way: its coordinates, the port by which its tables send the packet, the VC "
	       "within the TC, and the entry that says so, of the global (GRT) or the local table (LRT). In adaptive "
	       "TCs the candidates follow; the drawing and JSON have those of all cards that candidates lead to. "
	       "Networks of more than 256 cards, and those whose file is not there, are drawn without the cards beside "
	       "the routes.\n\n"
	       "Exit status 0: every TC delivers; 1: not so, or the file is damaged.\n\n"
	       "Examples:\n"
	       "  extorus trace twin.img 3 60\n"
	       "  extorus trace twin.img 3 60 --svg route.svg",
};

typedef struct {
	const xt_image_t *image;
	const xt_topology_t *topology; /* NULL if its file is not there */
	const xt_trace_set_t *set;
} tracing_t;

static json_t *coordinates_json(const xt_topology_t *t, unsigned card)
{
	json_t *coordinates = json_array();

	for (unsigned d = 0; t && d < xt_topology_dimensions(t); d++) {
		json_array_append_new(coordinates, json_integer(xt_topology_coordinate(t, card, d)));
	}
	return coordinates;
}

static json_t *hop_json(const tracing_t *t, const xt_hop_t *hop)
{
	unsigned links = xt_image_profile(t->image)->link_ports;
	bool link = hop->route.valid && hop->route.port < links;
	json_t *adaptive = json_array(), *object;

	for (unsigned mask = hop->route.adaptive_mask; mask; mask &= mask - 1) {
		json_array_append_new(
			adaptive, json_string(xt_image_port_name(t->image, hop->card, (unsigned)__builtin_ctz(mask))));
	}
	object = json_pack("{s:i, s:o, s:s, s:i, s:o, s:o}", "card", (int)hop->card, "coordinates",
		coordinates_json(t->topology, hop->card), "table", hop->place.global ? "GRT" : "LRT", "entry",
		(int)hop->place.index, "port",
		hop->route.valid ? json_string(xt_image_port_name(t->image, hop->card, hop->route.port)) : json_null(),
		"vc", link ? json_integer(hop->route.vc) : json_null());
	json_object_set_new(object, "adaptive", adaptive);
	return object;
}

static json_t *trace_json(const tracing_t *t, const xt_trace_t *trace)
{
	json_t *hops = json_array(), *candidates = json_array();

	for (unsigned h = 0; h < trace->hops; h++) {
		json_array_append_new(hops, hop_json(t, &trace->hop[h]));
	}
	for (unsigned c = 0; c < trace->candidates; c++) {
		const xt_candidate_t *candidate = &trace->candidate[c];
		uint32_t next = xt_image_peer(t->image, candidate->card, candidate->port).card;

		json_array_append_new(
			candidates, json_pack("{s:i, s:s, s:o}", "card", (int)candidate->card, "port",
					    xt_image_port_name(t->image, candidate->card, candidate->port), "to_card",
					    next == XT_NO_CARD ? json_null() : json_integer(next)));
	}
	return json_pack("{s:i, s:s, s:i, s:o, s:o}", "tc", (int)trace->tc, "result", xt_walk_name(trace->how), "links",
		(int)trace->hops - 1, "hops", hops, "candidates", candidates);
}

static json_t *set_json(const tracing_t *t)
{
	json_t *routes = json_array();

	for (unsigned i = 0; i < t->set->traces; i++) {
		json_array_append_new(routes, trace_json(t, &t->set->trace[i]));
	}
	return json_pack("{s:s, s:s, s:s, s:i, s:i, s:o}", "topology", xt_image_topology(t->image), "algorithm",
		xt_image_algorithm(t->image), "profile", xt_image_profile(t->image)->name, "source",
		(int)t->set->source, "dest", (int)t->set->dest, "routes", routes);
}

static void print_hop(const tracing_t *t, const xt_hop_t *hop)
{
	const xt_image_t *image = t->image;
	unsigned links = xt_image_profile(image)->link_ports;
	char coordinates[64] = "";

	if (t->topology) {
		xt_topology_write_coordinates(t->topology, hop->card, coordinates, sizeof(coordinates));
	}
	printf("  card %-6u %-14s", hop->card, coordinates);
	if (!hop->route.valid) {
		printf(" no valid route");
	} else if (hop->route.port >= links) {
		printf(" %-6s     ", xt_image_port_name(image, hop->card, hop->route.port));
	} else {
		printf(" %-6s VC %u", xt_image_port_name(image, hop->card, hop->route.port), hop->route.vc);
	}
	printf("   %s %u", hop->place.global ? "GRT" : "LRT", hop->place.index);
	for (unsigned mask = hop->route.adaptive_mask; mask; mask &= mask - 1) {
		printf("%s %s", mask == hop->route.adaptive_mask ? "   adaptive:" : "",
			xt_image_port_name(image, hop->card, (unsigned)__builtin_ctz(mask)));
	}
	printf("\n");
}

static void print_set(const tracing_t *t)
{
	printf("%s, %s, profile %s: PE %u to PE %u\n", xt_image_topology(t->image), xt_image_algorithm(t->image),
		xt_image_profile(t->image)->name, t->set->source, t->set->dest);
	for (unsigned i = 0; i < t->set->traces; i++) {
		const xt_trace_t *trace = &t->set->trace[i];
		bool shown = false;

		for (unsigned j = 0; j < i && !shown; j++) {
			shown = xt_trace_equal(&t->set->trace[j], trace);
			if (shown) {
				printf("TC %u: as TC %u\n", trace->tc, t->set->trace[j].tc);
			}
		}
		if (shown) {
			continue;
		}
		printf("TC %u: %u link%s, %s\n", trace->tc, trace->hops - 1, trace->hops == 2 ? "" : "s",
			xt_walk_name(trace->how));
		for (unsigned h = 0; h < trace->hops; h++) {
			print_hop(t, &trace->hop[h]);
		}
	}
}

static int write_dot(void *context, FILE *out, xt_diag_t *diag)
{
	const tracing_t *t = context;

	(void)diag;
	xt_trace_write_dot(t->image, t->topology, t->set, out);
	return XT_OK;
}

static int show(const options_t *o, const tracing_t *t)
{
	int status = XT_OK, result = XT_EXIT_OK;
	xt_diag_t diag = {""};

	if (o->dot) {
		status = xt_write_graph(o->dot, 0, "dot", NULL, write_dot, (void *)t, &diag);
	}
	if (status == XT_OK && o->svg) {
		status = xt_write_graph(o->svg, 1, "dot", NULL, write_dot, (void *)t, &diag);
	}
	if (status != XT_OK) {
		return xt_report("trace", status, &diag);
	}
	if (o->json) {
		result = xt_print_json("trace", set_json(t));
	} else if (!xt_is_stdout(o->dot) && !xt_is_stdout(o->svg)) {
		print_set(t);
	}
	for (unsigned i = 0; i < t->set->traces && result == XT_EXIT_OK; i++) {
		if (t->set->trace[i].how != XT_WALK_DELIVERED) {
			fprintf(stderr, "extorus trace: TC %u does not deliver: %s at card %u\n", t->set->trace[i].tc,
				xt_walk_name(t->set->trace[i].how),
				t->set->trace[i].hop[t->set->trace[i].hops - 1].card);
			result = XT_EXIT_WRONG;
		}
	}
	return result;
}

static int run(int argc, char **argv)
{
	options_t options = {0};
	xt_topology_t *topology = NULL;
	xt_image_t *image = NULL;
	xt_trace_set_t set = {0};
	xt_diag_t diag = {""};
	int status, result;

	xt_parse_options(&syntax, argc, argv, &options);
	if ((status = xt_image_read(options.path, &image, &diag)) != XT_OK ||
		(status = xt_trace_pair(image, options.pe[0], options.pe[1], &set, &diag)) != XT_OK) {
		result = xt_report("trace", status, &diag);
	} else {
		/* Only for coordinates and the picture: the image has the wiring. */
		if (xt_image_parse_topology(image, &topology, NULL) != XT_OK) {
			topology = NULL;
		}
		result = show(&options, &(tracing_t){image, topology, &set});
	}
	xt_trace_free(&set);
	xt_topology_free(topology);
	xt_image_free(image);
	return result;
}

XT_COMMAND(trace, "the route of a pair of PEs through an image, card by card", run);
