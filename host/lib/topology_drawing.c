/* SPDX-License-Identifier: Apache-2.0
 *
 * The network as a graph with positions. Straight links join grid neighbours; every other link is an
 * arc beside its row or column, the longer the further out, so that no link hides behind another. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "extorus/topology.h"

enum { CELL = 72, CARD_WIDTH = 34, CARD_HEIGHT = 22, ARROW = 6 }; /* points */

static const char *const dimension_colours[XT_MAX_DIMENSIONS] = {"#1f77b4", "#d95f02", "#2ca02c", "#9467bd", "#a67c00"};
static const char internal_colour[] = "#555555";

typedef struct {
	double x, y;
} point_t;

/* Distance on paper between neighbours of a dimension: the extent of the dimension two below it on the
 * same axis, and a gap. */
static double pitch(const xt_topology_t *t, unsigned dimension)
{
	double cell = CELL * (xt_topology_cards_per_node(t) == 2 ? 1.35 : 1.0);

	if (dimension < 2) {
		return cell;
	}
	return pitch(t, dimension - 2) * xt_topology_radix(t, dimension - 2) + 0.6 * cell;
}

static point_t position(const xt_topology_t *t, unsigned card)
{
	point_t p = {0, 0};

	if (xt_topology_dimensions(t) == 0) {
		unsigned cards = xt_topology_cards(t);
		double angle = 8 * atan(1.0) * card / cards, radius = fmax(CELL, CELL * cards / (8 * atan(1.0)));

		return (point_t){radius * sin(angle) + radius, radius * cos(angle) - radius};
	}
	for (unsigned d = 0; d < xt_topology_dimensions(t); d++) {
		double offset = pitch(t, d) * xt_topology_coordinate(t, card, d);

		if (d % 2 == 0) {
			p.x += offset;
		} else {
			p.y -= offset;
		}
	}
	if (xt_topology_cards_per_node(t) == 2) {
		p.x += card % 2 ? 20 : -20;
		p.y += card % 2 ? -15 : 15;
	}
	return p;
}

/* White over yellow to dark red, for loads from 0 to 1. */
static void heat_colour(double load, char colour[8])
{
	static const unsigned char stop[5][3] = {
		{222, 226, 230}, {255, 214, 102}, {247, 127, 0}, {208, 0, 0}, {106, 4, 15}};
	double place = (load < 0 ? 0 : load > 1 ? 1 : load) * 4;
	unsigned below = place >= 4 ? 3 : (unsigned)place;
	unsigned rgb[3];

	for (unsigned i = 0; i < 3; i++) {
		rgb[i] = (unsigned)lround(stop[below][i] + (stop[below + 1][i] - stop[below][i]) * (place - below));
	}
	snprintf(colour, 8, "#%02x%02x%02x", rgb[0] & 0xff, rgb[1] & 0xff, rgb[2] & 0xff);
}

static void write_edge(FILE *out, unsigned from, unsigned to, point_t a, point_t b, double bow, const char *colour,
	double width, const char *label, bool arrow)
{
	double length = hypot(b.x - a.x, b.y - a.y);
	double nx = length > 0 ? -(b.y - a.y) / length : 0, ny = length > 0 ? (b.x - a.x) / length : 0;
	/* Long arcs leave their row early and then run beside it. */
	double third = length > 3 * CELL ? CELL / length : 1.0 / 3;
	point_t p = {a.x + (b.x - a.x) * third + nx * bow, a.y + (b.y - a.y) * third + ny * bow};
	point_t q = {b.x - (b.x - a.x) * third + nx * bow, b.y - (b.y - a.y) * third + ny * bow};

	fprintf(out, "\tc%u -- c%u [pos=\"", from, to);
	if (arrow) {
		/* Graphviz takes the tip, at the rim of the card, apart from the curve, which ends short of it. */
		double dx = q.x - b.x, dy = q.y - b.y, distance = hypot(dx, dy);
		double rim = fmin(CARD_WIDTH / 2.0 / fmax(fabs(dx), 1e-9), CARD_HEIGHT / 2.0 / fmax(fabs(dy), 1e-9));
		point_t tip = {b.x + dx * rim, b.y + dy * rim};

		fprintf(out, "e,%.1f,%.1f ", tip.x, tip.y);
		b.x = tip.x + (distance > 0 ? ARROW * dx / distance : 0);
		b.y = tip.y + (distance > 0 ? ARROW * dy / distance : 0);
	}
	fprintf(out, "%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\" color=\"%s\" penwidth=%.2f tooltip=\"%s\"%s];\n", a.x,
		a.y, p.x, p.y, q.x, q.y, b.x, b.y, colour, width, label, arrow ? " dir=forward arrowsize=0.6" : "");
}

/* How far a link bows out: nothing between neighbours on the grid, more for those that jump. */
static double bow_of(const xt_topology_t *t, unsigned card, unsigned port, unsigned peer, double length)
{
	int dimension = xt_topology_port_dimension(t, card, port), from, to, step;

	if (dimension < 0) {
		return 0;
	}
	from = (int)xt_topology_coordinate(t, card, (unsigned)dimension);
	to = (int)xt_topology_coordinate(t, peer, (unsigned)dimension);
	step = xt_topology_dimension_port(t, card, (unsigned)dimension, 1) == (int)port ? 1 : -1;
	if (dimension < 2 && to - from == step) {
		return 0;
	}
	return fmin(8 + 0.10 * length, 0.7 * CELL);
}

static void write_link(const xt_topology_t *t, const double *load, unsigned card, unsigned port, FILE *out)
{
	unsigned ports = xt_topology_profile(t)->link_ports;
	xt_peer_t peer = xt_topology_peer(t, card, port);
	point_t a = position(t, card), b = position(t, peer.card);
	int dimension = xt_topology_port_dimension(t, card, port);
	double bow = bow_of(t, card, port, peer.card, hypot(b.x - a.x, b.y - a.y));
	bool arrow = xt_topology_directed(t);
	char colour[8], label[96];

	if (!load) {
		snprintf(label, sizeof(label), "card %u %s to card %u %s", card, xt_topology_port_name(t, card, port),
			peer.card, xt_topology_port_name(t, peer.card, peer.port));
		write_edge(out, card, peer.card, a, b, bow,
			dimension < 0 ? internal_colour : dimension_colours[dimension], 1.2, label, arrow);
		return;
	}
	for (unsigned direction = 0; direction < (arrow ? 1 : 2); direction++) {
		unsigned c = direction ? peer.card : card, p = direction ? peer.port : port;
		double value = load[(size_t)c * ports + p];

		heat_colour(value, colour);
		snprintf(label, sizeof(label), "card %u %s: %.3f", c, xt_topology_port_name(t, c, p), value);
		write_edge(out, card, peer.card, a, b, bow + (direction ? -2.5 : 2.5), colour, 1.0 + 2.0 * value, label,
			arrow);
	}
}

static void write_legend(const xt_topology_t *t, const double *load, FILE *out)
{
	const char *style = "shape=plaintext style=\"\" width=0.5 fontsize=14";
	unsigned n = 0;
	double y = 1.2 * CELL;

	fprintf(out, "\ttitle [%s width=3 label=\"%s\" pos=\"108.0,%.1f\"];\n", style, xt_topology_spec(t), y + 22);
	for (unsigned i = 0; load && i <= 4; i++) {
		char colour[8];

		heat_colour(i / 4.0, colour);
		fprintf(out, "\theat%u [label=\"%.2f\" fillcolor=\"%s\" fontcolor=\"%s\" pos=\"%.1f,%.1f\"];\n", i,
			i / 4.0, colour, i > 2 ? "white" : "black", 40.0 * i, y);
	}
	for (unsigned d = 0; !load && d < xt_topology_dimensions(t); d++) {
		fprintf(out, "\tlegend%u [%s label=\"d%u\" fontcolor=\"%s\" pos=\"%.1f,%.1f\"];\n", n, style, d,
			dimension_colours[d], 36.0 * n, y);
		n++;
	}
	if (!load && xt_topology_internal_port(t) >= 0) {
		fprintf(out, "\tlegend%u [%s label=\"int\" fontcolor=\"%s\" pos=\"%.1f,%.1f\"];\n", n, style,
			internal_colour, 36.0 * n, y);
	}
}

void xt_topology_write_dot(const xt_topology_t *t, const double *load, FILE *out)
{
	unsigned cards = xt_topology_cards(t), ports = xt_topology_profile(t)->link_ports;

	fprintf(out,
		"// SPDX-License-Identifier: Apache-2.0\n// Draw it with: neato -n2 -Tsvg\n"
		"graph \"%s\" {\n"
		"\tgraph [bgcolor=white outputorder=edgesfirst];\n"
		"\tnode [shape=box style=\"filled,rounded\" fixedsize=true width=%.3f height=%.3f fontname=Helvetica "
		"fontsize=10];\n",
		xt_topology_spec(t), CARD_WIDTH / 72.0, CARD_HEIGHT / 72.0);
	write_legend(t, load, out);
	for (unsigned card = 0; card < cards; card++) {
		point_t p = position(t, card);
		const char *colour = xt_topology_card_failed(t, card)                 ? "#dddddd"
				     : xt_topology_cards_per_node(t) == 2 && card % 2 ? "#ffe8cc"
										      : "#dbe9f6";

		fprintf(out, "\tc%u [label=\"%u\" pos=\"%.1f,%.1f\" fillcolor=\"%s\" tooltip=\"card %u (", card, card,
			p.x, p.y, colour, card);
		for (unsigned d = 0; d < xt_topology_dimensions(t); d++) {
			fprintf(out, "%s%u", d ? "," : "", xt_topology_coordinate(t, card, d));
		}
		fprintf(out, ")\"];\n");
	}
	for (unsigned card = 0; card < cards; card++) {
		for (unsigned port = 0; port < ports; port++) {
			xt_peer_t peer = xt_topology_peer(t, card, port);
			int dimension = xt_topology_port_dimension(t, card, port);
			/* Each link once: from its positive end, the internal one from side 0; one-way from the
			 * sender. */
			int first = dimension < 0
					    ? card < peer.card
					    : xt_topology_directed(t) || xt_topology_dimension_port(t, card,
										 (unsigned)dimension, 1) == (int)port;

			if (peer.card != XT_NO_CARD && first) {
				write_link(t, load, card, port, out);
			}
		}
	}
	fprintf(out, "}\n");
}
