/* SPDX-License-Identifier: Apache-2.0
 *
 * Routes of a pair. TCs with the same route are drawn as one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "dot.h"
#include "extorus/trace.h"

enum {
	MOST_CARDS = 256, /* of a topology that is drawn behind the routes */
	LABEL = 34,       /* points */
};

static const char background[] = "#d0d0d0";

/* Whether no trace before it is the same. */
static bool is_first(const xt_trace_set_t *set, unsigned i)
{
	for (unsigned j = 0; j < i; j++) {
		if (xt_trace_equal(&set->trace[j], &set->trace[i])) {
			return false;
		}
	}
	return true;
}

/* "TC 0, TC 2: 5 links, delivered" */
static void describe(const xt_trace_set_t *set, unsigned i, char *text, size_t size)
{
	const xt_trace_t *t = &set->trace[i];
	size_t used = (size_t)snprintf(text, size, "TC %u", t->tc);

	for (unsigned j = i + 1; j < set->traces; j++) {
		if (xt_trace_equal(t, &set->trace[j])) {
			used += (size_t)snprintf(text + used, size - used, ", TC %u", set->trace[j].tc);
		}
	}
	snprintf(text + used, size - used, ": %u link%s, %s", t->hops - 1, t->hops == 2 ? "" : "s",
		xt_walk_name(t->how));
}

static void write_title(const xt_image_t *image, const xt_trace_set_t *set, const char *attributes, FILE *out)
{
	char title[512], text[96];
	bool adaptive = false;

	snprintf(title, sizeof(title), "%s, %s: PE %u to PE %u", xt_image_topology(image), xt_image_algorithm(image),
		set->source, set->dest);
	xt_draw_title(title, "from the tables of the image; at each link the VC within the TC", attributes, out);
	for (unsigned i = 0; i < set->traces; i++) {
		adaptive = adaptive || set->trace[i].candidates;
		if (is_first(set, i)) {
			describe(set, i, text, sizeof(text));
			xt_draw_legend(xt_drawing_colour[i], "&#9473;&#9473;", text, out);
		}
	}
	if (adaptive) {
		xt_draw_legend("#666666", "&#9549;&#9549;", "adaptive candidates", out);
	}
	xt_draw_title_end(out);
}

static bool leads_on(const xt_trace_t *t, unsigned hop)
{
	return hop + 1 < t->hops || t->how == XT_WALK_LIVELOCK;
}

static bool is_on_route(const xt_trace_set_t *set, uint32_t card)
{
	for (unsigned i = 0; i < set->traces; i++) {
		for (unsigned h = 0; h < set->trace[i].hops; h++) {
			if (set->trace[i].hop[h].card == card) {
				return true;
			}
		}
	}
	return false;
}

static void write_background(const xt_image_t *image, const xt_topology_t *t, const xt_trace_set_t *set, FILE *out)
{
	xt_pen_t pen = {.colour = background, .width = 0.8, .tooltip = "", .arrow = xt_topology_directed(t)};
	uint32_t from = xt_image_pe_card(image, set->source), to = xt_image_pe_card(image, set->dest);
	unsigned cards = xt_topology_cards(t), ports = xt_topology_profile(t)->link_ports;
	char attributes[160], coordinates[64], text[32];
	xt_point_t p;

	for (unsigned card = 0; card < cards; card++) {
		bool on = is_on_route(set, card);

		xt_topology_write_coordinates(t, card, coordinates, sizeof(coordinates));
		snprintf(attributes, sizeof(attributes),
			"color=\"%s\" fontcolor=\"%s\" penwidth=%d tooltip=\"card %u %s\"", on ? "black" : background,
			on ? "black" : "#999999", card == from || card == to ? 2 : 1, card, coordinates);
		xt_draw_card(
			card, xt_draw_position(t, card), on ? xt_draw_card_colour(t, card) : "white", attributes, out);
	}
	for (size_t i = 0; i < (size_t)cards * ports; i++) {
		if (xt_topology_lists_link(t, (unsigned)(i / ports), (unsigned)(i % ports))) {
			xt_draw_link(t, (unsigned)(i / ports), (unsigned)(i % ports), 0, &pen, out);
		}
	}
	p = xt_draw_position(t, from);
	p.y += 18;
	snprintf(text, sizeof(text), "from PE %u", set->source);
	xt_draw_note("source", p, "black", text, out);
	p = xt_draw_position(t, to);
	p.y -= 18;
	snprintf(text, sizeof(text), "to PE %u", set->dest);
	xt_draw_note("dest", p, "black", text, out);
}

/* Whether a route drawn before already has the label of this hop. */
static bool is_labelled(const xt_trace_set_t *set, unsigned i, const xt_hop_t *hop)
{
	for (unsigned j = 0; j < i; j++) {
		for (unsigned h = 0; h < set->trace[j].hops; h++) {
			const xt_hop_t *other = &set->trace[j].hop[h];

			if (other->card == hop->card && other->route.port == hop->route.port &&
				other->route.vc == hop->route.vc) {
				return true;
			}
		}
	}
	return false;
}

/* On the link, or beside one that is hardly longer than the label; `rank`: of the routes that differ here. */
static void write_label(
	const xt_topology_t *t, const xt_hop_t *hop, unsigned rank, unsigned h, xt_point_t middle, FILE *out)
{
	unsigned peer = xt_topology_peer(t, hop->card, hop->route.port).card;
	xt_point_t a = xt_draw_position(t, hop->card), b = xt_draw_position(t, peer);
	bool level = fabs(b.x - a.x) > 2 * fabs(b.y - a.y), is_long = hypot(b.x - a.x, b.y - a.y) > 3 * LABEL;
	char text[16], name[32];

	middle.x += level || is_long ? 0 : 22;
	middle.y += level && !is_long ? 10 + 11.0 * rank : -11.0 * rank;
	snprintf(text, sizeof(text), "VC %u", hop->route.vc);
	snprintf(name, sizeof(name), "vc%u_%u", rank, h);
	xt_draw_note(name, middle, "black", text, out);
}

/* Route i of the set, `rank` of the different ones: beside the others, candidates on the other side. */
static void write_over(const xt_topology_t *t, const xt_trace_set_t *set, unsigned i, unsigned rank, FILE *out)
{
	const xt_trace_t *trace = &set->trace[i];
	char text[64];
	xt_pen_t pen = {.colour = xt_drawing_colour[i], .arrow = true, .tooltip = text};

	pen.width = 0.9;
	pen.style = "dashed";
	for (unsigned c = 0; c < trace->candidates; c++) {
		const xt_candidate_t *candidate = &trace->candidate[c];

		snprintf(text, sizeof(text), "TC %u, adaptive: card %u %s", trace->tc, candidate->card,
			xt_topology_port_name(t, candidate->card, candidate->port));
		if (xt_topology_peer(t, candidate->card, candidate->port).card != XT_NO_CARD) {
			xt_draw_link(t, candidate->card, candidate->port, -6 - 4.0 * rank, &pen, out);
		}
	}
	pen.width = 2.4;
	pen.style = NULL;
	for (unsigned h = 0; h < trace->hops; h++) {
		const xt_hop_t *hop = &trace->hop[h];

		if (leads_on(trace, h)) {
			xt_point_t middle;

			snprintf(text, sizeof(text), "TC %u: card %u %s, VC %u", trace->tc, hop->card,
				xt_topology_port_name(t, hop->card, hop->route.port), hop->route.vc);
			middle = xt_draw_link(t, hop->card, hop->route.port, 5.0 * rank, &pen, out);
			if (!is_labelled(set, i, hop)) {
				write_label(t, hop, rank, h, middle, out);
			}
		}
	}
}

static void write_alone(
	const xt_image_t *image, const xt_topology_t *t, const xt_trace_set_t *set, unsigned i, FILE *out)
{
	const xt_trace_t *trace = &set->trace[i];
	const char *colour = xt_drawing_colour[i];
	char coordinates[64] = "";

	for (unsigned h = 0; h < trace->hops; h++) {
		const xt_hop_t *hop = &trace->hop[h];
		uint32_t card = hop->card;

		if (t) {
			xt_topology_write_coordinates(t, card, coordinates, sizeof(coordinates));
		}
		fprintf(out, "\tc%u [label=\"card %u\\n%s\" fillcolor=\"#dbe9f6\"%s];\n", card, card, coordinates,
			card == xt_image_pe_card(image, set->source) || card == xt_image_pe_card(image, set->dest)
				? " penwidth=2"
				: "");
		if (leads_on(trace, h)) {
			fprintf(out,
				"\tc%u -> c%u [label=\"%s\\nVC %u\" color=\"%s\" fontcolor=\"%s\" penwidth=2 "
				"weight=4];\n",
				card, xt_image_peer(image, card, hop->route.port).card,
				xt_image_port_name(image, card, hop->route.port), hop->route.vc, colour, colour);
		}
		for (unsigned mask = hop->route.adaptive_mask; mask; mask &= mask - 1) {
			unsigned port = (unsigned)__builtin_ctz(mask);
			uint32_t next = xt_image_peer(image, card, port).card;

			if (next != XT_NO_CARD) {
				if (!is_on_route(set, next)) {
					fprintf(out, "\tc%u [label=\"card %u\" fillcolor=white];\n", next, next);
				}
				fprintf(out,
					"\tc%u -> c%u [label=\"%s\" color=\"%s\" fontcolor=\"%s\" style=dashed];\n",
					card, next, xt_image_port_name(image, card, port), colour, colour);
			}
		}
	}
}

/* A file may have changed since the image was made. */
static bool has_wiring_of(const xt_topology_t *t, const xt_image_t *image)
{
	unsigned ports = xt_image_profile(image)->link_ports;

	if (xt_topology_cards(t) != xt_image_cards(image)) {
		return false;
	}
	for (size_t i = 0; i < (size_t)xt_image_cards(image) * ports; i++) {
		xt_peer_t a = xt_topology_peer(t, (unsigned)(i / ports), (unsigned)(i % ports));
		xt_peer_t b = xt_image_peer(image, (unsigned)(i / ports), (unsigned)(i % ports));

		if (a.card != b.card || (a.card != XT_NO_CARD && a.port != b.port)) {
			return false;
		}
	}
	return true;
}

void xt_trace_write_dot(const xt_image_t *image, const xt_topology_t *topology, const xt_trace_set_t *set, FILE *out)
{
	XT_POINT_IN_FRACTIONS;
	bool over = topology && xt_topology_cards(topology) <= MOST_CARDS && has_wiring_of(topology, image);

	fprintf(out, "// SPDX-License-Identifier: Apache-2.0\n// Draw it with: dot -Tsvg\n%s {\n",
		over ? "graph" : "digraph");
	write_title(image, set, over ? "layout=nop2 outputorder=edgesfirst" : "rankdir=LR", out);
	if (over) {
		write_background(image, topology, set, out);
	}
	for (unsigned i = 0, rank = 0; i < set->traces; i++) {
		if (!is_first(set, i)) {
			continue;
		}
		if (over) {
			write_over(topology, set, i, rank++, out);
		} else {
			write_alone(image, topology, set, i, out);
		}
	}
	fprintf(out, "}\n");
}
