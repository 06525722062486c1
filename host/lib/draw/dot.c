/* SPDX-License-Identifier: Apache-2.0 */
#include "dot.h"

#include <math.h>

#include "base/xml_text.h"

enum { CARD_WIDTH = 34, CARD_HEIGHT = 22, ARROW = 6, STRAIGHT = 216 }; /* points */

const char *const xt_drawing_colour[XT_DRAWING_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};

void xt_draw_title(const char *title, const char *subtitle, const char *attributes, FILE *out)
{
	fprintf(out,
		"\tgraph [bgcolor=white fontname=Helvetica fontsize=13 labelloc=t labeljust=l %s];\n"
		"\tnode [shape=box style=\"filled,rounded\" fontname=Helvetica fontsize=10];\n"
		"\tedge [fontname=Helvetica fontsize=9];\n"
		"\tlabel=<<b>",
		attributes);
	xt_xml_text(title, out);
	fprintf(out, "</b><br align=\"left\"/>");
	xt_xml_text(subtitle, out);
	fprintf(out, "<br align=\"left\"/>");
}

void xt_draw_legend(const char *colour, const char *line, const char *text, FILE *out)
{
	fprintf(out, "<font color=\"%s\">%s</font> ", colour, line);
	xt_xml_text(text, out);
	fprintf(out, "&nbsp;&nbsp;&nbsp; ");
}

void xt_draw_title_end(FILE *out)
{
	fprintf(out, "<br align=\"left\"/> <br/>>;\n");
}

xt_point_t xt_draw_curve(
	unsigned from, unsigned to, xt_point_t a, xt_point_t b, double bow, const xt_pen_t *pen, FILE *out)
{
	double length = hypot(b.x - a.x, b.y - a.y);
	double nx = length > 0 ? -(b.y - a.y) / length : 0, ny = length > 0 ? (b.x - a.x) / length : 0;
	/* Long arcs leave their row early and then run beside it. */
	double third = length > STRAIGHT ? STRAIGHT / 3 / length : 1.0 / 3;
	xt_point_t p = {a.x + (b.x - a.x) * third + nx * bow, a.y + (b.y - a.y) * third + ny * bow};
	xt_point_t q = {b.x - (b.x - a.x) * third + nx * bow, b.y - (b.y - a.y) * third + ny * bow};

	fprintf(out, "\tc%u -- c%u [pos=\"", from, to);
	if (pen->arrow) {
		/* Graphviz takes the tip, at the rim of the card, apart from the curve, which ends short of it. */
		double dx = q.x - b.x, dy = q.y - b.y, distance = hypot(dx, dy);
		double rim = fmin(CARD_WIDTH / 2.0 / fmax(fabs(dx), 1e-9), CARD_HEIGHT / 2.0 / fmax(fabs(dy), 1e-9));
		xt_point_t tip = {b.x + dx * rim, b.y + dy * rim};

		fprintf(out, "e,%.1f,%.1f ", tip.x, tip.y);
		b.x = tip.x + (distance > 0 ? ARROW * dx / distance : 0);
		b.y = tip.y + (distance > 0 ? ARROW * dy / distance : 0);
	}
	fprintf(out, "%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\" color=\"%s\" penwidth=%.2f tooltip=\"%s\"", a.x, a.y,
		p.x, p.y, q.x, q.y, b.x, b.y, pen->colour, pen->width, pen->tooltip);
	if (pen->style) {
		fprintf(out, " style=%s", pen->style);
	}
	fprintf(out, "%s];\n", pen->arrow ? " dir=forward arrowsize=0.6" : "");
	return (xt_point_t){(a.x + 3 * p.x + 3 * q.x + b.x) / 8, (a.y + 3 * p.y + 3 * q.y + b.y) / 8};
}

void xt_draw_card(unsigned card, xt_point_t at, const char *fill, const char *attributes, FILE *out)
{
	fprintf(out,
		"\tc%u [label=\"%u\" pos=\"%.1f,%.1f\" fixedsize=true width=%.3f height=%.3f fillcolor=\"%s\" %s];\n",
		card, card, at.x, at.y, CARD_WIDTH / 72.0, CARD_HEIGHT / 72.0, fill, attributes);
}

void xt_draw_note(const char *name, xt_point_t at, const char *colour, const char *text, FILE *out)
{
	fprintf(out,
		"\t%s [pos=\"%.1f,%.1f\" shape=plaintext style=filled fillcolor=white margin=\"0.02,0.01\" width=0 "
		"height=0 fontsize=9 fontcolor=\"%s\" label=<",
		name, at.x, at.y, colour);
	xt_xml_text(text, out);
	fprintf(out, ">];\n");
}
