/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/atomic_file.h"
#include "extorus/routing.h"
#include "options/device_options.h"
#include "options/failures.h"
#include "options/options.h"
#include "options/progress.h"
#include "report/export_formats.h"
#include "report/transition_report.h"

typedef struct {
	const char *spec, *profile, *algorithm, *image, *csv, *from, *rewrites, *export, *format;
	unsigned fold_vcs;
	xt_ties_t ties;
	bool single_tc, up_after_down, adaptive, free_crossings, classic_dateline, json;
	xt_failures_t failures;
	xt_route_figures_t figures; /* of updown and layered: destinations != 0 */
} options_t;

static void take_ties(struct argp_state *state, const xt_option_t *option, char *arg, void *ties)
{
	xt_diag_t diag = {0};

	if (xt_ties_parse(arg, ties, &diag) != XT_OK) {
		argp_error(state, "--%s: %s", option->name, diag.text);
	}
}

/* The old image says what else there would be to say. */
static void check_from(struct argp_state *state, const options_t *o)
{
	if (o->spec || o->algorithm || o->profile || o->ties || o->single_tc || o->up_after_down || o->adaptive ||
		o->fold_vcs || o->classic_dateline || o->free_crossings) {
		argp_error(state,
			"topology, algorithm and profile are those of the image that --from names; leave out %s",
			o->spec               ? o->spec
			: o->algorithm        ? "--algorithm"
			: o->profile          ? "--profile"
			: o->adaptive         ? "--adaptive"
			: o->ties             ? "--ties"
			: o->single_tc        ? "--single-tc"
			: o->fold_vcs         ? "--fold-vcs"
			: o->classic_dateline ? "--classic-dateline"
			: o->free_crossings   ? "--free-crossings"
					      : "--up-after-down");
	}
}

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;
	const bool known = o->export && xt_export_is_known(o->export, o->format);

	if (o->format && !o->export) {
		argp_error(state, "--format goes with --export");
	}
	if (o->export && !known) {
		argp_error(
			state, "--export %s: say which format by --format: opensm, anynet, graphml or csv", o->export);
	}
	if (o->from) {
		check_from(state, o);
		return;
	}
	if (o->rewrites) {
		argp_error(state, "--rewrites lists what differs from an old image: say which with --from");
	}
	if (!o->spec) {
		argp_error(state, "say which topology, for example torus:4x4x4");
	}
}

static const xt_option_t option_list[] = {
	{"algorithm", "NAME",
		"dor (for a torus, twisted torus or mesh), ts-dor or dort (for a twin torus), bubble (for any torus), "
		"destro (for a tree), or for any network, with failures or from a file as well, updown (up*/down*, one "
		"VC; not one-way links) "
		"or layered (shortest ways while the VCs last; one-way links need two). Default: dor for a torus or "
		"twisted torus, ts-dor for a twin torus, or dort if its config= does not suit ts-dor, destro for a "
		"tree, layered for any other network",
		.value = XT_AT(options_t, algorithm)},
	{"adaptive", NULL, "Name adaptive candidates in the TCs that have an adaptive VC",
		.mark = XT_AT(options_t, adaptive)},
	{"free-crossings", NULL,
		"With --adaptive, of dort: name the internal link also where only the other card's ports are minimal",
		.mark = XT_AT(options_t, free_crossings)},
	{"from", "OLD",
		"New routes for the network of image OLD with what now has failed as well; the routes that work are "
		"kept, and it says what changes and how it is rewritten safely",
		.value = XT_AT(options_t, from)},
	{"rewrites", "FILE", "With --from: write the table entries to rewrite as CSV; - is standard output",
		.value = XT_AT(options_t, rewrites), .writes = true},
	{"output", "FILE", "Write the routing image; - is standard output", 'o', .value = XT_AT(options_t, image),
		.writes = true},
	{"csv", "FILE",
		"Write the routing function that the image encodes, card,tc,dest,port,vc and with --adaptive the "
		"candidate ports; - is standard output",
		.value = XT_AT(options_t, csv), .writes = true},
	{"export", "FILE",
		"Write the network or its forwarding tables for other programs: FILE.lft for OpenSM, FILE.anynet for "
		"BookSim, "
		"FILE.graphml, or FILE.csv as --csv does; - is standard output",
		.value = XT_AT(options_t, export), .writes = true},
	{"format", "NAME", "Of --export, whatever the name of the file: opensm, anynet, graphml or csv",
		.value = XT_AT(options_t, format)},
	{"ties", "HOW",
		"Where both ways round a ring are as long, go the positive one always (positive, as the literature "
		"does), from even coordinates only (coordinate, the default but for ts-dor), or for packets from PE0 "
		"only (source, ts-dor and its default). In a split dimension of a twin torus only positive counts, "
		"and not for ts-dor: otherwise packets take the port that their card has",
		.value = XT_AT(options_t, ties), .take = take_ties},
	{"classic-dateline", NULL,
		"dor and ts-dor: take the upper VC of a ring exactly where the destination's digit is greater, as the "
		"literature does. Otherwise both VCs of rings of six and more carry alike",
		.mark = XT_AT(options_t, classic_dateline)},
	{"single-tc", NULL, "TS-DOR with both sources in TC 0: an image that can deadlock, for trying out the checks",
		.mark = XT_AT(options_t, single_tc)},
	{"up-after-down", NULL,
		"updown with one hop, drawn by --seed, up after down: an image that can deadlock, for trying out the "
		"checks",
		.mark = XT_AT(options_t, up_after_down)},
	{"fold-vcs", "N",
		"Make VC v of every route v modulo N, for example 3 of DORT's 4 or 1 of DOR's 2, for trying out the "
		"checks: most such images can deadlock. DORT on 2 VCs cannot where no packet crosses the internal link "
		"for a split dimension: no dimension is split, or none of radix above 2 and ties do not go positive",
		.value = XT_AT(options_t, fold_vcs), .min = 1, .max = XT_MAX_VCS_PER_TC},
	{"profile", "NAME",
		"Switch profile (default: the one of the algorithm: dort, bubble, with --adaptive dort_adaptive or "
		"bubble_adaptive, for destro extoll10, otherwise extoll; if that lacks ports or VCs, the smallest "
		"that has them, such as dort7, links8 or tree8, and route says which)",
		.value = XT_AT(options_t, profile)},
	XT_OPTION_JSON(options_t),
	XT_OPTION_FAILURES(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(options_t, spec),
	.check = check,
	.args_doc = "SPEC\n--from=OLD",
	.doc = "Makes the routing tables of every card of a topology, for example torus:8x8x4 (extorus topo --help "
	       "names the families), and writes them as a routing image.\v"
	       "Without -o and --csv only the size of the tables is printed, and what updown and layered made of the "
	       "network.\n\n"
	       "What has failed is no part of the image's wiring, so that a check of the image finds every route that "
	       "needs it. PEs of failed cards keep their numbers but are no part of any pair or traffic.\n\n"
	       "Examples:\n"
	       "  extorus route torus:8x8x4 --algorithm dor -o torus.img\n"
	       "  extorus route twin:4x4x2x2x2 --algorithm ts-dor --adaptive --csv -\n"
	       "  extorus route twin:5x5x5,config=D --algorithm dort --ties positive -o dort.img\n"
	       "  extorus route rtt:32x16 --algorithm bubble --adaptive -o adaptive.img\n"
	       "  extorus route pdtt:8x4x4 --algorithm dor -o twisted.img\n"
	       "  extorus route mesh:8x8 --algorithm dor -o mesh.img\n"
	       "  extorus route tree:k=3,n=3 --algorithm destro -o tree.img\n"
	       "  extorus route manhattan:8x8x8 --algorithm layered -o streets.img\n"
	       "  extorus route torus:8x8 --algorithm layered --fail-link 5:d0+ --fail-card 9 -o damaged.img\n"
	       "  extorus route file:net.json --algorithm updown -o net.img\n"
	       "  extorus route file:fabric.topo --algorithm updown --export fabric.lft\n"
	       "  extorus route --from torus.img --fail-link 5:d0+ -o new.img --rewrites new.csv",
};

static unsigned used_entries(const uint64_t *entries, unsigned bits)
{
	unsigned used = 0;

	for (unsigned i = 0; i < 1u << bits; i++) {
		used += entries[i] != 0;
	}
	return used;
}

static json_t *figures_json(const xt_route_figures_t *f)
{
	json_t *layers = json_array(), *hops = json_array();

	for (unsigned vc = 0; vc < f->vcs; vc++) {
		json_array_append_new(layers, json_integer(f->in_layer[vc]));
		json_array_append_new(hops, json_integer((json_int_t)f->hops_on_vc[vc]));
	}
	return json_pack("{s:i, s:i, s:i, s:o, s:i, s:i, s:i, s:o, s:I, s:f, s:f}", "root", (int)f->root, "vcs",
		(int)f->vcs, "destinations", (int)f->destinations, "destinations_in_layer", layers,
		"destinations_in_several", (int)f->several, "destinations_by_escape", (int)f->escape,
		"destinations_measured", (int)f->measured, "hops_on_vc", hops, "detours", (json_int_t)f->detours,
		"mean_hops", f->mean_hops, "mean_distance", f->mean_distance);
}

static void print_figures(const xt_route_figures_t *f)
{
	printf("destinations %u:", f->destinations);
	for (unsigned vc = 0; vc < f->vcs; vc++) {
		printf(" %u on VC %u only,", f->in_layer[vc], vc);
	}
	printf(" %u changing to higher VCs, %u helped by the escape (root card %u)\n", f->several, f->escape, f->root);
	printf("hops         mean %.4f, shortest %.4f; %llu pairs of cards not minimal", f->mean_hops, f->mean_distance,
		(unsigned long long)f->detours);
	if (f->measured < f->destinations) {
		printf(", measured to %u of the destinations", f->measured);
	}
	printf("\n");
}

/* Cards in service use equally many entries, unless they are in groups of different size: the root stands for all. */
static int print_summary(const xt_image_t *image, const options_t *o)
{
	const xt_profile_t *p = xt_image_profile(image);
	unsigned card = o->figures.destinations ? o->figures.root : 0;
	unsigned grt = used_entries(xt_image_grt(image, card), p->grt_bits);
	unsigned lrt = used_entries(xt_image_lrt(image, card), p->lrt_bits);

	if (o->json) {
		json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:s?}", "topology",
			xt_image_topology(image), "algorithm", xt_image_algorithm(image), "profile", p->name, "cards",
			(int)xt_image_cards(image), "pes", (int)xt_image_pes(image), "grt_entries_used", (int)grt,
			"grt_entries", 1 << p->grt_bits, "lrt_entries_used", (int)lrt, "lrt_entries", 1 << p->lrt_bits,
			"image", o->image);

		if (object && o->figures.destinations) {
			json_object_set_new(object, "graph", figures_json(&o->figures));
		}
		return xt_print_json("route", object);
	}
	printf("%s, %s, profile %s: %u cards, %u of %u GRT and %u of %u LRT entries used\n", xt_image_topology(image),
		xt_image_algorithm(image), p->name, xt_image_cards(image), grt, 1u << p->grt_bits, lrt,
		1u << p->lrt_bits);
	if (o->figures.destinations) {
		print_figures(&o->figures);
	}
	return XT_EXIT_OK;
}

static int write_csv(void *image, FILE *out, xt_diag_t *diag)
{
	return xt_image_write_csv(image, out, diag);
}

/* The algorithm that the network has by default. */
static int find_usual(const options_t *o, const char *whole, xt_algorithm_t *algorithm, xt_diag_t *diag)
{
	const xt_profile_t *profile;
	xt_topology_t *topology = NULL;
	int status = xt_profile_require(o->profile ? o->profile : XT_DEFAULT_PROFILE, &profile, diag);

	if (status == XT_OK) {
		status = (o->profile ? xt_topology_parse : xt_topology_parse_any)(whole, profile, &topology, diag);
	}
	if (status == XT_OK) {
		*algorithm = xt_algorithm_usual(topology);
	}
	xt_topology_free(topology);
	return status;
}

/* What is taken because it is not named; of the profile, if the algorithm is meant for another. */
static void tell_taken(const options_t *o, const xt_route_options_t *route, const xt_topology_t *topology)
{
	const char *taken = xt_topology_profile(topology)->name;
	const char *usual = route->adaptive ? xt_algorithm_adaptive_profile(route->algorithm)
					    : xt_algorithm_profile(route->algorithm);
	const bool other = !o->profile && strcmp(taken, usual) != 0;

	if (o->algorithm && !other) {
		return;
	}
	fprintf(stderr, "extorus route:");
	if (!o->algorithm) {
		fprintf(stderr, " --algorithm %s%s", xt_algorithm_name(route->algorithm), other ? "" : ",");
	}
	if (other) {
		fprintf(stderr, " --profile %s, because %s lacks ports or VCs and", taken, usual);
	}
	fprintf(stderr, "%s none is named\n", other ? "" : " as");
}

/* On the profile that is named, or on one that has what the routes need. */
static int parse(const options_t *o, xt_route_options_t *route, xt_topology_t **topology, xt_diag_t *diag)
{
	const xt_profile_t *profile;
	char *whole;
	int status = xt_spec_with_failures(o->spec, &o->failures, &whole, diag);

	if (status == XT_OK) {
		status = o->algorithm ? xt_algorithm_parse(o->algorithm, &route->algorithm, diag)
				      : find_usual(o, whole, &route->algorithm, diag);
	}
	if (status == XT_OK && !o->profile) {
		status = xt_route_parse(whole, route, topology, diag);
	} else if (status == XT_OK && (status = xt_profile_require(o->profile, &profile, diag)) == XT_OK) {
		status = xt_topology_parse(whole, profile, topology, diag);
	}
	free(whole);
	if (status == XT_OK) {
		tell_taken(o, route, *topology);
	}
	return status;
}

static int make_image(
	const options_t *o, xt_route_figures_t *figures, xt_image_t **image, xt_topology_t **topology, xt_diag_t *diag)
{
	xt_route_options_t route = {
		.size = sizeof(route),
		.ties = o->ties,
		.classic_dateline = o->classic_dateline,
		.free_crossings = o->free_crossings,
		.single_tc = o->single_tc,
		.adaptive = o->adaptive,
		.up_after_down = o->up_after_down,
		.fold_vcs = o->fold_vcs,
		.seed = o->failures.seeded ? o->failures.seed : 1,
		.figures = figures,
	};
	xt_clock_t clock;
	int status = parse(o, &route, topology, diag);

	if (status != XT_OK) {
		return status;
	}
	xt_clock_begin(&clock, "making tables");
	status = xt_route(*topology, &route, image, diag);
	xt_clock_end(&clock);
	return status;
}

static int update(const options_t *o, xt_diag_t *diag)
{
	xt_image_t *before = NULL, *after = NULL;
	xt_transition_t *transition = NULL;
	xt_topology_t *damaged = NULL;
	xt_update_figures_t figures;
	xt_clock_t clock;
	int result = XT_EXIT_OK, status;

	xt_clock_begin(&clock, "new routes, and a safe way to them");
	if ((status = xt_image_read(o->from, &before, diag)) == XT_OK &&
		(status = xt_image_with_failures(before, &o->failures, &damaged, diag)) == XT_OK &&
		(status = xt_route_update(before, damaged, &after, &figures, diag)) == XT_OK) {
		status = xt_check_transition(before, after, &transition, diag);
	}
	xt_clock_end(&clock);
	if (status == XT_OK && o->image) {
		status = xt_image_write(after, o->image, diag);
	}
	if (status == XT_OK && o->csv) {
		status = xt_write_file(o->csv, write_csv, after, diag);
	}
	if (status == XT_OK && o->export) {
		status = xt_export(o->export, o->format, after, damaged, diag);
	}
	if (status == XT_OK && o->rewrites) {
		status = xt_write_rewrites(transition, o->rewrites, diag);
	}
	if (status != XT_OK) {
		result = xt_report("route", status, diag);
	} else if (o->json) {
		result = xt_print_json("route", xt_update_json(after, &figures, transition, o->image));
	} else if (!xt_is_stdout(o->image) && !xt_is_stdout(o->csv) && !xt_is_stdout(o->rewrites) &&
		   !xt_is_stdout(o->export)) {
		xt_print_update(after, &figures, transition);
	}
	xt_transition_free(transition);
	xt_topology_free(damaged);
	xt_image_free(before);
	xt_image_free(after);
	return result;
}

static int run(int argc, char **argv)
{
	options_t o = {0};
	xt_topology_t *topology = NULL;
	xt_image_t *image = NULL;
	xt_diag_t diag = {""};
	int result = XT_EXIT_OK, status;

	xt_parse_options(&syntax, argc, argv, &o);
	if (xt_is_stdout(o.image) + xt_is_stdout(o.csv) + xt_is_stdout(o.rewrites) + xt_is_stdout(o.export) + o.json >
		1) {
		fprintf(stderr,
			"extorus route: only one of -o -, --csv -, --rewrites -, --export - and --json can go to "
			"standard output\n");
		return XT_EXIT_USAGE;
	}
	if (o.from) {
		return update(&o, &diag);
	}
	status = make_image(&o, &o.figures, &image, &topology, &diag);
	if (status == XT_OK && o.image) {
		status = xt_image_write(image, o.image, &diag);
	}
	if (status == XT_OK && o.csv) {
		status = xt_write_file(o.csv, write_csv, image, &diag);
	}
	if (status == XT_OK && o.export) {
		status = xt_export(o.export, o.format, image, topology, &diag);
	}
	if (status != XT_OK) {
		result = xt_report("route", status, &diag);
	} else if (!xt_is_stdout(o.image) && !xt_is_stdout(o.csv) && !xt_is_stdout(o.export)) {
		result = print_summary(image, &o);
	}
	xt_topology_free(topology);
	xt_image_free(image);
	return result;
}

XT_COMMAND(route, "make the routing image of a topology", run);
