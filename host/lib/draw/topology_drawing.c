/* SPDX-License-Identifier: Apache-2.0
 *
 * The network as a graph with positions. Straight links join grid neighbours; every other link is an
 * arc beside its row or column, the longer the further out, so that no link hides behind another. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/number.h"
#include "dot.h"
#include "extorus/topology.h"

enum { CELL = 72 }; /* points */

static const char internal_colour[] = "#555555";

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

xt_point_t xt_draw_position(const xt_topology_t *t, unsigned card)
{
	xt_point_t p = {0, 0};

	if (xt_topology_dimensions(t) == 0) {
		unsigned cards = xt_topology_cards(t);
		double angle = 8 * atan(1.0) * card / cards, radius = fmax(CELL, CELL * cards / (8 * atan(1.0)));

		return (xt_point_t){radius * sin(angle) + radius, radius * cos(angle) - radius};
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

const char *xt_draw_card_colour(const xt_topology_t *t, unsigned card)
{
	if (xt_topology_card_failed(t, card)) {
		return "#dddddd";
	}
	return xt_topology_cards_per_node(t) == 2 && card % 2 ? "#ffe8cc" : "#dbe9f6";
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

/* Several links may join two cards without coordinates: the first is straight, the others bow out. */
static double bow_among_parallels(const xt_topology_t *t, unsigned card, unsigned port, unsigned peer)
{
	bool from_lower = card < peer;
	unsigned end = from_lower ? port : xt_topology_peer(t, card, port).port, before = 0;

	for (unsigned p = 0; p < end; p++) {
		before += xt_topology_peer(t, from_lower ? card : peer, p).card == (from_lower ? peer : card);
	}
	return (from_lower ? 14.0 : -14.0) * before;
}

/* How far a link bows out to its left: nothing between neighbours on the grid, more for those that jump. Arcs that
 * would run in the same place, from blocks of cards to blocks of cards, are spread by the place in the block. */
static double bow_of(const xt_topology_t *t, unsigned card, unsigned port, unsigned peer)
{
	int dimension = xt_topology_port_dimension(t, card, port), from, to, step;
	xt_point_t a = xt_draw_position(t, card), b = xt_draw_position(t, peer);
	double spread = 0;

	if (dimension < 0) {
		return xt_topology_dimensions(t) ? 0 : bow_among_parallels(t, card, port, peer);
	}
	from = (int)xt_topology_coordinate(t, card, (unsigned)dimension);
	to = (int)xt_topology_coordinate(t, peer, (unsigned)dimension);
	step = xt_topology_dimension_port(t, card, (unsigned)dimension, 1) == (int)port ? 1 : -1;
	if (dimension < 2 && to - from == step) {
		return 0;
	}
	if (dimension >= 2) {
		unsigned inner = (unsigned)dimension - 2, k = xt_topology_radix(t, inner);

		spread = fmin(5, 0.3 * CELL / k) * xt_topology_coordinate(t, card, inner);
	}
	spread += fmin(8 + 0.10 * hypot(b.x - a.x, b.y - a.y), 0.6 * CELL);
	if (xt_topology_cards_per_node(t) == 2 && card % 2 == peer % 2) {
		/* Card 0 of a node is at the upper left of card 1; their arcs keep out of each other's way. */
		bool right_or_down = dimension % 2 ? b.y < a.y : b.x > a.x;

		spread += to - from == step ? 0 : 8;
		return right_or_down == (dimension % 2 == (int)(card % 2)) ? spread : -spread;
	}
	/* Both directions of a link have one place: to the left of the positive one. */
	return step * spread;
}

xt_point_t xt_draw_link(
	const xt_topology_t *t, unsigned card, unsigned port, double aside, const xt_pen_t *pen, FILE *out)
{
	unsigned peer = xt_topology_peer(t, card, port).card;

	return xt_draw_curve(card, peer, xt_draw_position(t, card), xt_draw_position(t, peer),
		bow_of(t, card, port, peer) + aside, pen, out);
}

static void write_link(const xt_topology_t *t, const double *load, unsigned card, unsigned port, FILE *out)
{
	unsigned ports = xt_topology_profile(t)->link_ports;
	xt_peer_t peer = xt_topology_peer(t, card, port);
	int dimension = xt_topology_port_dimension(t, card, port);
	bool one_way = xt_topology_directed(t);
	char colour[8], label[96];
	xt_pen_t pen = {.width = 1.2, .arrow = one_way, .tooltip = label};

	if (!load) {
		snprintf(label, sizeof(label), "card %u %s to card %u %s", card, xt_topology_port_name(t, card, port),
			peer.card, xt_topology_port_name(t, peer.card, peer.port));
		pen.colour = dimension < 0 ? internal_colour : xt_drawing_colour[dimension];
		xt_draw_link(t, card, port, 0, &pen, out);
		return;
	}
	for (unsigned direction = 0; direction < (one_way ? 1 : 2); direction++) {
		unsigned c = direction ? peer.card : card, p = direction ? peer.port : port;
		double value = load[(size_t)c * ports + p];

		heat_colour(value, colour);
		snprintf(label, sizeof(label), "card %u %s: %.3f", c, xt_topology_port_name(t, c, p), value);
		pen.colour = colour;
		pen.width = 1.0 + 2.0 * value;
		xt_draw_link(t, c, p, 2.5, &pen, out);
	}
}

static void write_title(const xt_topology_t *t, const double *load, unsigned links, FILE *out)
{
	const char *line = "&#9473;&#9473;";
	char text[96];

	snprintf(text, sizeof(text), "%u cards, %u %slinks%s", xt_topology_cards(t) - xt_topology_failed_cards(t),
		links, xt_topology_directed(t) ? "one-way " : "",
		load ? ", coloured by load (1: a cell in every cycle)" : "");
	xt_draw_title(xt_topology_spec(t), text, "outputorder=edgesfirst", out);
	for (unsigned i = 0; load && i <= 4; i++) {
		char colour[8];

		heat_colour(i / 4.0, colour);
		snprintf(text, sizeof(text), "%.2f", i / 4.0);
		xt_draw_legend(colour, line, text, out);
	}
	for (unsigned d = 0; !load && d < xt_topology_dimensions(t); d++) {
		snprintf(text, sizeof(text), "dimension %u", d);
		xt_draw_legend(xt_drawing_colour[d], line, text, out);
	}
	if (!load && xt_topology_internal_port(t) >= 0) {
		xt_draw_legend(internal_colour, line, "internal link", out);
	}
	if (xt_topology_cards_per_node(t) == 2) {
		xt_draw_legend("#7f9fbf", "&#9632;", "card 0 of a node", out);
		xt_draw_legend("#e0a060", "&#9632;", "card 1", out);
	}
	if (xt_topology_failed_cards(t)) {
		xt_draw_legend("#aaaaaa", "&#9632;", "failed card", out);
	}
	xt_draw_title_end(out);
}

void xt_topology_write_dot(const xt_topology_t *t, const double *load, FILE *out)
{
	XT_POINT_IN_FRACTIONS;
	unsigned cards = xt_topology_cards(t), ports = xt_topology_profile(t)->link_ports, links = 0;
	char tooltip[96], coordinates[64];

	for (size_t i = 0; i < (size_t)cards * ports; i++) {
		links += xt_topology_lists_link(t, (unsigned)(i / ports), (unsigned)(i % ports));
	}
	fprintf(out, "// SPDX-License-Identifier: Apache-2.0\n// Draw it with: neato -n2 -Tsvg\ngraph {\n");
	write_title(t, load, links, out);
	for (unsigned card = 0; card < cards; card++) {
		xt_topology_write_coordinates(t, card, coordinates, sizeof(coordinates));
		snprintf(tooltip, sizeof(tooltip), "tooltip=\"card %u %s\"", card, coordinates);
		xt_draw_card(card, xt_draw_position(t, card), xt_draw_card_colour(t, card), tooltip, out);
	}
	for (unsigned card = 0; card < cards; card++) {
		for (unsigned port = 0; port < ports; port++) {
			if (xt_topology_lists_link(t, card, port)) {
				write_link(t, load, card, port, out);
			}
		}
	}
	fprintf(out, "}\n");
}
