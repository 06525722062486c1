/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/atomic_file.h"
#include "extorus/floor_plan.h"
#include "options/failures.h"
#include "options/options.h"

typedef struct {
	const char *spec, *profile, *dot, *svg, *csv;
	bool json, plain;
	xt_floor_t floor;
	xt_failures_t failures;
} options_t;

enum { MAX_CABINET = 1000 }; /* slots on a side */

/* The part of arg behind the next x, or NULL; arg ends there. */
static char *next_part(char *arg)
{
	char *x = arg ? strchr(arg, 'x') : NULL;

	if (x) {
		*x++ = '\0';
	}
	return x;
}

/* "4x8" or "4x8x2" */
static void take_cabinet(struct argp_state *state, const xt_option_t *option, char *arg, void *field)
{
	xt_floor_t *floor = field;
	char *rows = next_part(arg), *levels = next_part(rows);

	if (!rows) {
		argp_error(state,
			"--%s %s: write columns and rows of slots, like 4x8, or columns, rows and levels, like 4x8x2",
			option->name, arg);
		return;
	}
	floor->cabinet_columns = (unsigned)xt_parse_number(state, option->name, arg, 1, MAX_CABINET);
	floor->cabinet_rows = (unsigned)xt_parse_number(state, option->name, rows, 1, MAX_CABINET);
	floor->cabinet_levels = levels ? (unsigned)xt_parse_number(state, option->name, levels, 1, MAX_CABINET) : 0;
}

static void take_levels(struct argp_state *state, const xt_option_t *option, char *arg, void *field)
{
	((xt_floor_t *)field)->levels = (unsigned)xt_parse_number(state, option->name, arg, 1, MAX_CABINET);
}

static void take_fold(struct argp_state *state, const xt_option_t *option, char *arg, void *field)
{
	static const char *const name[XT_FOLDS] = {"best", "rings", "trellis", "blocks"};

	for (xt_fold_t fold = XT_FOLD_BEST; fold < XT_FOLDS; fold++) {
		if (strcmp(arg, name[fold]) == 0) {
			((xt_floor_t *)field)->fold = fold;
			return;
		}
	}
	argp_error(state, "--%s %s: write best, rings, trellis or blocks", option->name, arg);
}

static unsigned millimetres(struct argp_state *state, const xt_option_t *option, const char *arg)
{
	return (unsigned)lround(1000 * xt_parse_real(state, option->name, arg, 0.001, XT_MAX_PITCH_MM / 1000.0));
}

/* "0.15", "0.6x0.05" for columns and rows, or "0.6x0.05x0.1" for columns, rows and levels; in m */
static void take_pitch(struct argp_state *state, const xt_option_t *option, char *arg, void *field)
{
	xt_floor_t *floor = field;
	char *row = next_part(arg), *level = next_part(row);

	floor->column_mm = millimetres(state, option, arg);
	floor->row_mm = row ? millimetres(state, option, row) : floor->column_mm;
	floor->level_mm = level ? millimetres(state, option, level) : floor->column_mm;
}

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	xt_need_one_stdout(state, o->json, o->csv, o->dot, o->svg);
	if (o->plain && o->floor.fold != XT_FOLD_BEST) {
		argp_error(state, "--plain does not fold; leave it or --fold out");
	}
}

static const xt_option_t option_list[] = {
	XT_OPTION_PROFILE(options_t),
	{"plain", NULL, "Do not fold: cards in the order of their coordinates", .mark = XT_AT(options_t, plain)},
	{"fold", "WAY", "Fold by rings, trellis or blocks (default: best, the one with the shortest longest wire)",
		.value = XT_AT(options_t, floor), .take = take_fold},
	{"levels", "N", "Slots one above the other, at most (default: 1)", .value = XT_AT(options_t, floor),
		.take = take_levels},
	{"cabinet", "CxR[xL]",
		"Columns, rows and levels of slots in a cabinet (default: 4x8, and all levels). A board of several "
		"cards is a small cabinet",
		.value = XT_AT(options_t, floor), .take = take_cabinet},
	{"pitch", "M[xM[xM]]",
		"Metres from slot to slot, or from column to column, row to row and level to level (default: 0.15, "
		"which makes a cabinet of 4x8 slots 0.6 m wide and 1.2 m deep; a level without a pitch has that of "
		"the columns)",
		.value = XT_AT(options_t, floor), .take = take_pitch},
	{"svg", "FILE", "Have Graphviz draw the floor", .value = XT_AT(options_t, svg), .writes = true},
	{"dot", "FILE", "Write the drawing for Graphviz (neato -n2)", .value = XT_AT(options_t, dot), .writes = true},
	{"csv", "FILE",
		"Write the list of wires: card, port, cabinet, slot at both ends, and length; - is standard output",
		.value = XT_AT(options_t, csv), .writes = true},
	XT_OPTION_JSON(options_t),
	XT_OPTION_FAILURES(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(options_t, spec),
	.required = "say which topology, for example rtt:8x4",
	.check = check,
	.args_doc = "SPEC",
	.doc = "Places the cards of a topology in cabinets and lists the wires between them, the longest one stated.\v"
	       "The floor is a grid of slots in columns and rows, with --levels in columns, rows and levels. A wire "
	       "runs along all: its length is the sum of the distances, without what plugs and slack need. Cabinets, "
	       "and the slots in each, are numbered along the rows from 0, level by level; the two cards of a node of "
	       "a twin torus are side by side.\n\n"
	       "Rings are folded, 0 k-1 1 k-2 ..., so that neighbours are at most two places apart. RTT and PTT are "
	       "trellis-folded, along both diagonals of their planes: no wire of an RTT is then longer than 3 slots. "
	       "A PDTT is folded by blocks: its two halves lie one in the other, so that a twisted wrap-around ends "
	       "nearby; RTT and PTT can be folded like that too, which keeps each wire within the next module. Without "
	       "levels, dimensions beyond the second share columns and rows with others, in the order "
	       "that makes the longest wire, and then the total, least. With as many levels as a radix, a torus of "
	       "three dimensions has no wire of more than 2 slots, and none beyond the next module of 2x2x2 "
	       "slots.\n\n"
	       "Examples:\n"
	       "  extorus layout rtt:8x4 --svg floor.svg\n"
	       "  extorus layout torus:8x8x8 --cabinet 8x16 --pitch 0.075 --csv cables.csv\n"
	       "  extorus layout torus:8x8x8 --levels 8 --cabinet 2x2x2\n"
	       "  extorus layout torus:16 --plain",
};

static json_t *end_json(const xt_topology_t *t, const xt_floor_plan_t *l, unsigned card, unsigned port)
{
	return json_pack("{s:i, s:s, s:i, s:i, s:i, s:i, s:i}", "card", (int)card, "port",
		xt_topology_port_name(t, card, port), "cabinet", (int)xt_floor_plan_cabinet(l, card), "slot",
		(int)xt_floor_plan_cabinet_slot(l, card), "column", (int)l->slot[card].column, "row",
		(int)l->slot[card].row, "level", (int)l->slot[card].level);
}

static unsigned cabinets(const xt_floor_plan_t *l)
{
	return l->cabinets_across * l->cabinets_down * l->cabinets_up;
}

static unsigned cabinet_levels(const xt_floor_plan_t *l)
{
	return l->floor.cabinet_levels ? l->floor.cabinet_levels : l->levels;
}

static json_t *layout_json(const xt_topology_t *t, const xt_floor_plan_t *l, const xt_floor_plan_t *plain)
{
	json_t *histogram = json_array(), *wires = json_array();

	for (unsigned length = 0; length <= l->longest; length++) {
		if (l->histogram[length]) {
			json_array_append_new(histogram, json_pack("{s:i, s:I}", "slots", (int)length, "wires",
								 (json_int_t)l->histogram[length]));
		}
	}
	for (size_t w = 0; w < l->wires; w++) {
		const xt_wire_t *wire = &l->wire[w];

		json_array_append_new(
			wires, json_pack("{s:o, s:o, s:i, s:f}", "from", end_json(t, l, wire->card, wire->port), "to",
				       end_json(t, l, wire->peer, wire->peer_port), "slots", (int)wire->slots, "metres",
				       wire->mm / 1000.0));
	}
	return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:[i, i, i], s:[f, f, f], s:i, s:f, s:I, s:f, s:I, s:i, "
			 "s:{s:i, s:f, s:I, s:f}, s:o, s:o}",
		"topology", xt_topology_spec(t), "profile", xt_topology_profile(t)->name, "layout", l->method,
		"columns", (int)l->columns, "rows", (int)l->rows, "levels", (int)l->levels, "cabinets",
		(int)cabinets(l), "cabinet_slots", (int)l->floor.cabinet_columns, (int)l->floor.cabinet_rows,
		(int)cabinet_levels(l), "pitch_m", l->floor.column_mm / 1000.0, l->floor.row_mm / 1000.0,
		l->floor.level_mm / 1000.0, "longest_slots", (int)l->longest, "longest_m", l->longest_mm / 1000.0,
		"total_slots", (json_int_t)l->total, "total_m", (double)l->total_mm / 1000.0, "wires_between_cabinets",
		(json_int_t)l->between_cabinets, "longest_cabinets", (int)l->longest_cabinets, "plain", "longest_slots",
		(int)plain->longest, "longest_m", plain->longest_mm / 1000.0, "total_slots", (json_int_t)plain->total,
		"total_m", (double)plain->total_mm / 1000.0, "histogram", histogram, "wires", wires);
}

static void print_floor(const xt_floor_plan_t *l)
{
	const xt_floor_t *f = &l->floor;

	printf("floor          %u x %u", l->columns, l->rows);
	if (l->levels > 1) {
		printf(" x %u", l->levels);
	}
	printf(" slots, pitch %.3g x %.3g", f->column_mm / 1000.0, f->row_mm / 1000.0);
	if (l->levels > 1) {
		printf(" x %.3g", f->level_mm / 1000.0);
	}
	printf(" m; %u cabinet%s of %u x %u", cabinets(l), cabinets(l) == 1 ? "" : "s", f->cabinet_columns,
		f->cabinet_rows);
	if (l->levels > 1) {
		printf(" x %u", cabinet_levels(l));
	}
	printf(" slots\nwires          %zu, of which %zu leave their cabinet", l->wires, l->between_cabinets);
	if (l->between_cabinets) {
		printf(", at most %u cabinet%s away", l->longest_cabinets, l->longest_cabinets == 1 ? "" : "s");
	}
	printf("\n");
}

static void print_layout(const xt_topology_t *t, const xt_floor_plan_t *l, const xt_floor_plan_t *plain)
{
	printf("%s, %s layout\n", xt_topology_spec(t), l->method);
	print_floor(l);
	printf("longest wire   %u slots, %.3f m", l->longest, l->longest_mm / 1000.0);
	if (plain != l) {
		printf(" (plain layout: %u slots, %.3f m)", plain->longest, plain->longest_mm / 1000.0);
	}
	printf("\ntotal          %" PRIu64 " slots, %.3f m", l->total, (double)l->total_mm / 1000.0);
	if (plain != l) {
		printf(" (plain layout: %" PRIu64 " slots, %.3f m)", plain->total, (double)plain->total_mm / 1000.0);
	}
	printf("\n");
	for (unsigned length = 0; length <= l->longest; length++) {
		if (l->histogram[length]) {
			printf("  %4u slot%s  %8" PRIu64 " wires\n", length, length == 1 ? " " : "s",
				l->histogram[length]);
		}
	}
}

typedef struct {
	const xt_topology_t *topology;
	const xt_floor_plan_t *layout;
} drawing_t;

static int write_dot(void *context, FILE *out, xt_diag_t *diag)
{
	const drawing_t *d = context;

	(void)diag;
	xt_floor_plan_write_dot(d->topology, d->layout, out);
	return XT_OK;
}

static int write_csv(void *context, FILE *out, xt_diag_t *diag)
{
	const drawing_t *d = context;

	(void)diag;
	xt_floor_plan_write_csv(d->topology, d->layout, out);
	return XT_OK;
}

static int show(const options_t *o, const xt_topology_t *t, const xt_floor_plan_t *l, const xt_floor_plan_t *plain)
{
	drawing_t drawing = {t, l};
	xt_diag_t diag = {""};
	int status = XT_OK;

	if (o->dot) {
		status = xt_write_graph(o->dot, 0, "neato", "-n2", write_dot, &drawing, &diag);
	}
	if (status == XT_OK && o->svg) {
		status = xt_write_graph(o->svg, 1, "neato", "-n2", write_dot, &drawing, &diag);
	}
	if (status == XT_OK && o->csv) {
		status = xt_write_file(o->csv, write_csv, &drawing, &diag);
	}
	if (status != XT_OK) {
		return xt_report("layout", status, &diag);
	}
	if (o->json) {
		return xt_print_json("layout", layout_json(t, l, plain));
	}
	if (!xt_is_stdout(o->csv) && !xt_is_stdout(o->dot) && !xt_is_stdout(o->svg)) {
		print_layout(t, l, plain);
	}
	return XT_EXIT_OK;
}

static int run(int argc, char **argv)
{
	options_t options = {
		.profile = XT_DEFAULT_PROFILE,
		.floor = {.column_mm = 150,
			.row_mm = 150,
			.level_mm = 150,
			.cabinet_columns = 4,
			.cabinet_rows = 8,
			.levels = 1},
	};
	xt_floor_plan_t *plain = NULL, *folded = NULL;
	const xt_profile_t *profile;
	xt_topology_t *topology = NULL;
	xt_diag_t diag = {""};
	int status, result;

	xt_parse_options(&syntax, argc, argv, &options);
	if ((status = xt_profile_require(options.profile, &profile, &diag)) != XT_OK ||
		(status = xt_parse_with_failures(options.spec, &options.failures, profile, &topology, &diag)) !=
			XT_OK ||
		(status = xt_floor_plan_create(topology, &options.floor, true, &plain, &diag)) != XT_OK ||
		(!options.plain &&
			(status = xt_floor_plan_create(topology, &options.floor, false, &folded, &diag)) != XT_OK)) {
		result = xt_report("layout", status, &diag);
	} else {
		result = show(&options, topology, folded ? folded : plain, plain);
	}
	xt_floor_plan_free(folded);
	xt_floor_plan_free(plain);
	xt_topology_free(topology);
	return result;
}

XT_COMMAND(layout, "place cards in cabinets and list the wires, the longest stated", run);
