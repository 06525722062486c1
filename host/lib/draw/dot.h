/* SPDX-License-Identifier: Apache-2.0
 *
 * What the drawings for Graphviz share: colours, titles, links as curves, a topology as a background. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "extorus/topology.h"

enum { XT_DRAWING_COLOURS = 5 };

/* Colours that remain apart for the colour-blind (Okabe and Ito), darkest first. */
extern const char *const xt_drawing_colour[XT_DRAWING_COLOURS];

typedef struct {
	double x, y; /* points, y upwards */
} xt_point_t;

typedef struct {
	const char *colour;
	const char *style; /* of Graphviz; NULL: solid */
	double width;      /* points */
	bool arrow;
	const char *tooltip;
} xt_pen_t;

/* The picture's head: "TITLE" in bold and `subtitle`, then what the caller writes in the same label until
 * xt_draw_title_end. `attributes` are more ones of the graph. Draws at the upper left. */
void xt_draw_title(const char *title, const char *subtitle, const char *attributes, FILE *out);
/* An entry of the legend: a line of this colour and text. */
void xt_draw_legend(const char *colour, const char *line, const char *text, FILE *out);
void xt_draw_title_end(FILE *out);

/* A curve from card `from` at `a` to card `to` at `b`, bowed to the left of its direction by `bow` points; returns
 * its middle. */
xt_point_t xt_draw_curve(
	unsigned from, unsigned to, xt_point_t a, xt_point_t b, double bow, const xt_pen_t *pen, FILE *out);
/* A card; `attributes` are more ones of the node. */
void xt_draw_card(unsigned card, xt_point_t at, const char *fill, const char *attributes, FILE *out);
/* Text on white; `name` is its unique name in the graph. */
void xt_draw_note(const char *name, xt_point_t at, const char *colour, const char *text, FILE *out);

/* Where a card is in the drawing of a topology. */
xt_point_t xt_draw_position(const xt_topology_t *topology, unsigned card);
const char *xt_draw_card_colour(const xt_topology_t *topology, unsigned card);
/* The link that leaves `card` by `port`, drawn in this direction `aside` points beside its place; returns its
 * middle. */
xt_point_t xt_draw_link(
	const xt_topology_t *topology, unsigned card, unsigned port, double aside, const xt_pen_t *pen, FILE *out);
