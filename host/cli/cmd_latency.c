/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/latency.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"

enum { MOST_NETWORKS = 8, MOST_LOADS = 64, USUAL_LOADS = 10 };

typedef struct {
	const char *spec[MOST_NETWORKS], *profile;
	unsigned networks, loads;
	double load[MOST_LOADS];
	xt_latency_model_t model; /* 0: by the profile */
	bool json;
} options_t;

static void take_loads(struct argp_state *state, const xt_option_t *option, char *arg, void *options)
{
	options_t *o = options;

	o->loads = 0;
	while (arg) {
		if (o->loads == MOST_LOADS) {
			argp_error(state, "--%s: more than %d loads", option->name, MOST_LOADS);
		}
		o->load[o->loads++] = xt_parse_real(state, option->name, strsep(&arg, ","), 0.0, DBL_MAX);
	}
}

static const char *const kind_names[] = {[XT_LATENCY_QUEUES] = "queues", [XT_LATENCY_CONTENTION] = "contention"};

static void take_kind(struct argp_state *state, const xt_option_t *option, char *arg, void *kind)
{
	for (xt_latency_kind_t k = XT_LATENCY_QUEUES; k <= XT_LATENCY_CONTENTION; k++) {
		if (strcmp(arg, kind_names[k]) == 0) {
			*(xt_latency_kind_t *)kind = k;
			return;
		}
	}
	argp_error(state, "--%s %s: the models are queues and contention", option->name, arg);
}

static void take_network(struct argp_state *state, char *arg, void *options)
{
	options_t *o = options;

	if (o->networks == MOST_NETWORKS) {
		argp_error(state, "more than %d networks", MOST_NETWORKS);
	}
	o->spec[o->networks++] = arg;
}

static void check(struct argp_state *state, const void *options)
{
	if (((const options_t *)options)->networks == 0) {
		argp_error(state, "say which topologies, for example torus:8x8x8 pruned:8x8x8");
	}
}

static const xt_option_t option_list[] = {
	XT_OPTION_PROFILE(options_t),
	{"model", "NAME",
		"queues: each link waits by its own load (default); contention: all links are alike, as in the study "
		"of pruned and directed tori",
		.value = XT_AT(options_t, model.kind), .take = take_kind},
	{"packet-bits", "BITS", "Length of a packet (default: half of the profile's longest)",
		.value = XT_AT(options_t, model.packet_bits), .least = 1e-9, .most = DBL_MAX},
	{"pins", "PINS",
		"Pins of a card for all its links, both directions (default: those of the profile's link ports, a cell "
		"wide each way)",
		.value = XT_AT(options_t, model.pins), .least = 1e-9, .most = DBL_MAX},
	{"router", "CYCLES", "Of a head from pin to pin of a card (default: 9)",
		.value = XT_AT(options_t, model.router), .most = DBL_MAX},
	{"wire", "CYCLES", "Of a head along a link (default: 2)", .value = XT_AT(options_t, model.wire),
		.most = DBL_MAX},
	{"load", "L[,L...]", "Loads in bits per cycle and card (default: 10, up to where the first network saturates)",
		.most = DBL_MAX, .take = take_loads},
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.take_argument = take_network,
	.check = check,
	.args_doc = "SPEC...",
	.doc = "Compares topologies (extorus topo --help) by an analytic model of latency: uniform traffic, virtual "
	       "cut-through, and the same number of pins for each card, so that links are the wider the fewer a card "
	       "has.\v"
	       "width W = pins / (2 * degree); latency without load = mean distance * (router + wire) + packet / W "
	       "(constant pin count as in W. Dally, IEEE ToC 1990, and A. Agarwal, IEEE TPDS 1991). With load each "
	       "link adds the wait of a queue with random arrivals and equal packets, u / (2 (1 - u)) * packet / W at "
	       "the utilisation u (M/D/1; L. Kleinrock's independence assumption), the packets divided evenly over the "
	       "shortest paths. A network saturates when its busiest link is full. A model, no measurement: extorus "
	       "sim measures.\n\n"
	       "Model contention: latency = F + s (D - 1) + (D - 1) (1 - 1 / n) F u / (1 - u), with F = packet / W, s "
	       "= router + wire, D the mean distance with self, u = m / (1 - m) * D F / degree, m = load / packet, and "
	       "n the links from which a packet can come: degree - 1, in a directed network degree. The form is "
	       "rebuilt from the study's description and fitted to four of its values; others may differ.\n\n"
	       "Examples:\n"
	       "  extorus latency torus:8x8x8 pruned:8x8x8 manhattan:8x8x8 pruned-directed:8x8x8\n"
	       "  extorus latency torus:16x16x16 pruned:16x16x16 --model contention --packet-bits 384 --pins 240 "
	       "--router 3 --wire 0 --load 3.84\n"
	       "  extorus latency torus:16x16 rtt:16x8 --packet-bits 512 --pins 512 --load 0,10,20 --json",
};

static void set_loads(options_t *o, xt_latency_curve_t *const *curve)
{
	double most = xt_latency_figures(curve[0])->saturation;

	for (unsigned i = 0; o->loads == 0 && most > 0 && i < USUAL_LOADS; i++) {
		o->load[i] = most * i / USUAL_LOADS;
	}
	o->loads = o->loads ? o->loads : most > 0 ? USUAL_LOADS : 1;
}

static json_t *finite_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *curve_json(const options_t *o, const char *spec, const xt_latency_curve_t *curve)
{
	const xt_latency_figures_t *f = xt_latency_figures(curve);
	json_t *latency = json_array();

	for (unsigned i = 0; i < o->loads; i++) {
		json_array_append_new(latency, finite_or_null(xt_latency_at(curve, o->load[i])));
	}
	return json_pack("{s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:o, s:o}", "topology", spec, "cards", (int)f->cards,
		"degree", (int)f->degree, "mean_distance", f->mean_distance, "width", f->width, "serialisation",
		f->serialisation, "zero_load", f->zero_load, "saturation",
		f->saturation > 0 ? json_real(f->saturation) : json_null(), "latency", latency);
}

static json_t *all_json(const options_t *o, xt_latency_curve_t *const *curve)
{
	json_t *networks = json_array(), *loads = json_array();

	for (unsigned i = 0; i < o->loads; i++) {
		json_array_append_new(loads, json_real(o->load[i]));
	}
	for (unsigned n = 0; n < o->networks; n++) {
		json_array_append_new(networks, curve_json(o, o->spec[n], curve[n]));
	}
	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:o, s:o}", "model", kind_names[o->model.kind], "packet_bits",
		o->model.packet_bits, "pins", o->model.pins, "router", o->model.router, "wire", o->model.wire, "loads",
		loads, "networks", networks);
}

static void print_all(const options_t *o, xt_latency_curve_t *const *curve)
{
	printf("packets of %g bits, %g pins per card, per hop %g cycles in the card and %g on the link\n\n",
		o->model.packet_bits, o->model.pins, o->model.router, o->model.wire);
	printf("     cards degree   width   hops serialisation zero load saturation  topology\n");
	for (unsigned n = 0; n < o->networks; n++) {
		const xt_latency_figures_t *f = xt_latency_figures(curve[n]);

		printf("[%u] %6u %6u %7.1f %6.3f %13.1f %9.1f %10.3f  %s\n", n + 1, f->cards, f->degree, f->width,
			f->mean_distance, f->serialisation, f->zero_load, f->saturation, o->spec[n]);
	}
	printf("\nlatency in cycles\n    load");
	for (unsigned n = 0; n < o->networks; n++) {
		printf("       [%u]", n + 1);
	}
	printf("\n");
	for (unsigned i = 0; i < o->loads; i++) {
		printf("%8.3f", o->load[i]);
		for (unsigned n = 0; n < o->networks; n++) {
			double latency = xt_latency_at(curve[n], o->load[i]);

			isfinite(latency) ? printf(" %9.1f", latency) : printf("         -");
		}
		printf("\n");
	}
	printf("width and load in bits per cycle, load and saturation per card; -: beyond saturation");
	printf(", or too many cards to tell\n");
}

static int make_curve(
	const options_t *o, const char *spec, const xt_profile_t *profile, xt_latency_curve_t **curve, xt_diag_t *diag)
{
	xt_topology_t *topology;
	int status = xt_topology_parse(spec, profile, &topology, diag);

	if (status == XT_OK) {
		status = xt_latency_curve_create(topology, &o->model, curve, diag);
	}
	xt_topology_free(topology);
	return status;
}

static int run(int argc, char **argv)
{
	options_t o = {.profile = XT_DEFAULT_PROFILE, .model = {.router = 9, .wire = 2}};
	xt_latency_curve_t *curve[MOST_NETWORKS] = {NULL};
	const xt_profile_t *profile;
	xt_diag_t diag = {""};
	int status, result = XT_EXIT_OK;

	xt_parse_options(&syntax, argc, argv, &o);
	if ((status = xt_profile_require(o.profile, &profile, &diag)) == XT_OK) {
		double cell = profile->cell_bits;

		o.model.pins = o.model.pins > 0 ? o.model.pins : 2.0 * profile->link_ports * cell;
		o.model.packet_bits = o.model.packet_bits > 0 ? o.model.packet_bits : profile->packet_cells * cell / 2;
	}
	for (unsigned n = 0; status == XT_OK && n < o.networks; n++) {
		status = make_curve(&o, o.spec[n], profile, &curve[n], &diag);
	}
	if (status != XT_OK) {
		result = xt_report("latency", status, &diag);
	} else {
		set_loads(&o, curve);
		if (o.json) {
			result = xt_print_json("latency", all_json(&o, curve));
		} else {
			print_all(&o, curve);
		}
	}
	for (unsigned n = 0; n < o.networks; n++) {
		xt_latency_curve_free(curve[n]);
	}
	return result;
}

XT_COMMAND(latency, "compare topologies by an analytic model of latency", run);
