/* SPDX-License-Identifier: Apache-2.0
 *
 * The floor as it is, cards in their slots. A straight wire would run under the cards between its ends wherever
 * its direction has slots on the way; such wires are arcs. */
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "dot.h"
#include "extorus/floor_plan.h"

enum { SLOT = 58, CLASSES = 5 }; /* points; of length */

/* From short to long, by lightness as well. */
static const char *const class_colour[CLASSES] = {"#56b4e9", "#0072b2", "#e69f00", "#d55e00", "#7a0403"};

/* The levels are drawn side by side, with a gap of a slot. */
static double left_of_level(const xt_floor_plan_t *l, unsigned level)
{
	return SLOT * (double)level * (l->columns + 1);
}

static xt_point_t position(const xt_floor_plan_t *l, unsigned card)
{
	xt_slot_t at = l->slot[card];

	return (xt_point_t){left_of_level(l, at.level) + SLOT * (double)at.column, -SLOT * (double)at.row};
}

/* The lengths that occur are divided into classes: one each where they are few, otherwise equal ranges. */
typedef struct {
	uint32_t first[CLASSES + 1]; /* shortest wire of each class in slots; the last is beyond the longest */
	unsigned count;
} classes_t;

static classes_t classes_of(const xt_floor_plan_t *l)
{
	classes_t c = {.count = 0};
	unsigned lengths = 0;

	for (uint32_t length = 0; length <= l->longest; length++) {
		if (l->histogram[length]) {
			if (lengths++ < CLASSES) {
				c.first[c.count++] = length;
			}
		}
	}
	for (unsigned i = 0; lengths > CLASSES && i < CLASSES; i++) {
		c.first[i] = 1 + i * l->longest / CLASSES;
	}
	c.first[c.count] = l->longest + 1;
	return c;
}

/* The longest always has the last colour. */
static const char *colour_of(const classes_t *c, unsigned class)
{
	return class_colour[c->count > 1 ? class * (CLASSES - 1) / (c->count - 1) : 0];
}

static unsigned class_of(const classes_t *c, uint32_t length)
{
	unsigned i = 0;

	while (i + 1 < c->count && length >= c->first[i + 1]) {
		i++;
	}
	return i;
}

static void write_title(const xt_topology_t *t, const xt_floor_plan_t *l, const classes_t *c, FILE *out)
{
	char title[XT_SPEC_SIZE + 64], text[256];

	snprintf(title, sizeof(title), "%s, %s layout", xt_topology_spec(t), l->method);
	snprintf(text, sizeof(text),
		"longest wire: %u slots, %.2f m; mean %.2f slots; %u x %u x %u slots of %.3g x %.3g x %.3g m, cabinets "
		"of %u x %u x %u slots",
		l->longest, l->longest_mm / 1000.0, l->wires ? (double)l->total / (double)l->wires : 0.0, l->columns,
		l->rows, l->levels, l->floor.column_mm / 1000.0, l->floor.row_mm / 1000.0, l->floor.level_mm / 1000.0,
		l->floor.cabinet_columns, l->floor.cabinet_rows,
		l->floor.cabinet_levels ? l->floor.cabinet_levels : l->levels);
	xt_draw_title(title, text, "outputorder=edgesfirst", out);
	for (unsigned i = 0; i < c->count; i++) {
		uint32_t shortest = 0, longest = 0;
		unsigned long long wires = 0;

		for (uint32_t length = c->first[i]; length < c->first[i + 1]; length++) {
			if (l->histogram[length]) {
				shortest = shortest ? shortest : length;
				longest = length;
				wires += l->histogram[length];
			}
		}
		if (shortest == longest) {
			snprintf(text, sizeof(text), "%u slot%s: %llu wires", longest, longest == 1 ? "" : "s", wires);
		} else {
			snprintf(text, sizeof(text), "%u to %u slots: %llu wires", shortest, longest, wires);
		}
		xt_draw_legend(colour_of(c, i), "&#9473;&#9473;", text, out);
	}
	xt_draw_title_end(out);
}

/* Outlines of one level, which the wires run under. */
static void write_cabinets(const xt_floor_plan_t *l, unsigned level, FILE *out)
{
	double width = SLOT * (double)l->floor.cabinet_columns, height = SLOT * (double)l->floor.cabinet_rows;
	unsigned on_a_level = l->cabinets_across * l->cabinets_down;
	unsigned first = l->floor.cabinet_levels ? level / l->floor.cabinet_levels * on_a_level : 0;

	for (unsigned i = 0; i < on_a_level; i++) {
		double left = width * (i % l->cabinets_across) - SLOT / 2.0, w = width, h = height;
		double top = SLOT / 2.0 - height * (i / l->cabinets_across);

		/* What the network does not fill is not drawn. */
		if (left + w > SLOT * (l->columns - 0.5)) {
			w = SLOT * (l->columns - 0.5) - left;
		}
		if (top - h < -SLOT * (l->rows - 0.5)) {
			h = top + SLOT * (l->rows - 0.5);
		}
		left += left_of_level(l, level);
		fprintf(out,
			"\tcabinet%u_%u [label=\"cabinet %u\\l\" labelloc=t pos=\"%.1f,%.1f\" width=%.3f height=%.3f "
			"fixedsize=true style=\"\" color=\"#888888\" penwidth=1.5 fontsize=8 fontcolor=\"#666666\"];\n",
			first + i, level, first + i, left + w / 2, top - h / 2, (w - 3) / 72, (h - 3) / 72);
	}
}

static unsigned common_divisor(unsigned a, unsigned b)
{
	while (b) {
		unsigned rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void write_wire(
	const xt_topology_t *t, const xt_floor_plan_t *l, const classes_t *c, const xt_wire_t *wire, FILE *out)
{
	xt_slot_t a = l->slot[wire->card], b = l->slot[wire->peer];
	unsigned a_column = a.column + a.level * (l->columns + 1), b_column = b.column + b.level * (l->columns + 1);
	unsigned across = (unsigned)abs((int)a_column - (int)b_column), down = (unsigned)abs((int)a.row - (int)b.row);
	unsigned class = class_of(c, wire->slots);
	/* Past the cards between; wires of one length that overlap begin at different slots, and get different arcs. */
	unsigned begin = (a_column < b_column ? a_column : b_column) + (a.row < b.row ? a.row : b.row);
	double bow = (across ? 15 : 24) + 1.5 * wire->slots + 2.5 * (begin % wire->slots);
	char tooltip[128];
	xt_pen_t pen = {.colour = colour_of(c, class), .width = 1.0 + 0.2 * class, .tooltip = tooltip};

	snprintf(tooltip, sizeof(tooltip), "card %u %s to card %u %s: %u slots, %.2f m", wire->card,
		xt_topology_port_name(t, wire->card, wire->port), wire->peer,
		xt_topology_port_name(t, wire->peer, wire->peer_port), wire->slots, wire->mm / 1000.0);
	xt_draw_curve(wire->card, wire->peer, position(l, wire->card), position(l, wire->peer),
		common_divisor(across, down) > 1 ? fmin(bow, 0.8 * SLOT) : 0, &pen, out);
}

void xt_floor_plan_write_dot(const xt_topology_t *t, const xt_floor_plan_t *l, FILE *out)
{
	XT_POINT_IN_FRACTIONS;
	classes_t classes = classes_of(l);
	char tooltip[128], coordinates[64];

	fprintf(out, "// SPDX-License-Identifier: Apache-2.0\n// Draw it with: neato -n2 -Tsvg\ngraph {\n");
	write_title(t, l, &classes, out);
	for (unsigned level = 0; level < l->levels; level++) {
		write_cabinets(l, level, out);
	}
	for (unsigned card = 0; card < l->cards; card++) {
		xt_topology_write_coordinates(t, card, coordinates, sizeof(coordinates));
		snprintf(tooltip, sizeof(tooltip), "tooltip=\"card %u %s, column %u, row %u, level %u\"", card,
			coordinates, l->slot[card].column, l->slot[card].row, l->slot[card].level);
		xt_draw_card(card, position(l, card), xt_draw_card_colour(t, card), tooltip, out);
	}
	for (size_t w = 0; w < l->wires; w++) {
		write_wire(t, l, &classes, &l->wire[w], out);
	}
	fprintf(out, "}\n");
}
