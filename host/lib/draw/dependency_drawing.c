/* SPDX-License-Identifier: Apache-2.0
 *
 * The channel dependency graph, always at a readable size. Few channels are all drawn. Of many, the cycles are
 * drawn, each dependency with a pair of PEs whose packets cause it. Without cycles the channels are drawn by port
 * name and VC. TCs with the same graph are drawn as one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "dot.h"
#include "extorus/check.h"
#include "extorus/profiles.h"

enum {
	MOST_CHANNELS = 160, /* drawn one by one */
	MOST_CLASSES = 256,
	BOX = 130, /* points, of a channel in a cycle */
	MOST_LOOKUPS = 4000000,
};

typedef struct {
	const xt_image_t *image;
	const xt_check_t *check;
	unsigned bits;           /* channels of a card and TC */
	uint32_t *next_in_cycle; /* [vertex], UINT32_MAX: not on the cycle */
	unsigned drawn;          /* bit per TC that is drawn: no lower one has the same graph */
	FILE *out;
} drawing_t;

/* Light, so that black text can be read on it. */
static const char *const vc_colour[XT_MAX_VCS_PER_TC] = {
	"#cfe4f5", "#fbe0c4", "#d5efe5", "#f3dcea", "#f7f3c2", "#e0daf0", "#d9d9d9", "#f5cfcf"};

static unsigned port_of(const drawing_t *d, uint32_t vertex)
{
	return vertex % d->bits / d->check->vc_stride;
}

static uint32_t peer_base(const drawing_t *d, uint32_t vertex)
{
	return xt_image_peer(d->image, vertex / d->bits, port_of(d, vertex)).card * d->bits;
}

static uint32_t vertex_number(const drawing_t *d, const xt_channel_t *c)
{
	return c->card * d->bits + xt_channel_bit(d->check->vc_stride, c->port, c->vc);
}

static bool same_graph(const drawing_t *d, unsigned a, unsigned b)
{
	const xt_check_t *c = d->check;
	size_t cards = xt_image_cards(d->image);

	return c->channels[a] == c->channels[b] && memcmp(c->used[a], c->used[b], cards * sizeof(*c->used[a])) == 0 &&
	       memcmp(c->successors[a], c->successors[b], cards * d->bits * sizeof(*c->successors[a])) == 0;
}

/* The TCs that are drawn, and how many channels they have. */
static uint64_t choose_tcs(drawing_t *d)
{
	uint64_t channels = 0;

	for (unsigned tc = 0; tc < d->check->tcs; tc++) {
		bool seen = false;

		for (unsigned other = 0; other < tc; other++) {
			seen = seen || ((d->drawn >> other & 1) && same_graph(d, other, tc));
		}
		if (!seen && d->check->channels[tc] > 0) {
			d->drawn |= 1u << tc;
			channels += d->check->channels[tc];
		}
	}
	return channels;
}

/* "TC 0, TC 2: acyclic, 72 channels, 104 dependencies" */
static void describe_tc(const drawing_t *d, unsigned tc, char *text, size_t size)
{
	const xt_check_t *c = d->check;
	size_t used = (size_t)snprintf(text, size, "TC %u", tc);

	for (unsigned other = tc + 1; other < c->tcs; other++) {
		if (same_graph(d, tc, other)) {
			used += (size_t)snprintf(text + used, size - used, ", TC %u", other);
		}
	}
	snprintf(text + used, size - used, ": %s, %llu %schannels, %llu dependencies",
		c->cyclic_tcs >> tc & 1 ? "CYCLIC"
		: c->rings[tc]          ? "rings kept moving by bubbles"
					: "acyclic",
		(unsigned long long)c->channels[tc], c->adaptive_tcs >> tc & 1 ? "escape " : "",
		(unsigned long long)c->dependencies[tc]);
}

static void mark_cycle(const drawing_t *d, unsigned tc)
{
	const xt_check_t *c = d->check;

	memset(d->next_in_cycle, 0xff, (size_t)xt_image_cards(d->image) * d->bits * sizeof(*d->next_in_cycle));
	for (size_t i = 0; i < c->cycle_length[tc]; i++) {
		d->next_in_cycle[vertex_number(d, &c->cycle[tc][i])] =
			vertex_number(d, &c->cycle[tc][(i + 1) % c->cycle_length[tc]]);
	}
}

static void write_channels(const drawing_t *d, unsigned tc)
{
	for (unsigned card = 0; card < xt_image_cards(d->image); card++) {
		for (uint64_t rest = d->check->used[tc][card]; rest; rest &= rest - 1) {
			uint32_t vertex = card * d->bits + (uint32_t)__builtin_ctzll(rest);
			uint32_t base = peer_base(d, vertex);

			fprintf(d->out, "\t\tt%u_%u [label=\"%u %s\\nVC %u\" fillcolor=\"%s\"%s];\n", tc, vertex, card,
				xt_image_port_name(d->image, card, port_of(d, vertex)), vertex % d->check->vc_stride,
				vc_colour[vertex % d->check->vc_stride],
				d->next_in_cycle[vertex] != UINT32_MAX ? " color=red penwidth=2" : "");
			for (uint64_t on = d->check->successors[tc][vertex]; on; on &= on - 1) {
				uint32_t next = base + (uint32_t)__builtin_ctzll(on);

				fprintf(d->out, "\t\tt%u_%u -> t%u_%u%s;\n", tc, vertex, tc, next,
					d->next_in_cycle[vertex] == next ? " [color=red penwidth=2]" : "");
			}
		}
	}
}

static bool takes(const xt_image_t *image, unsigned tc, uint32_t address, const xt_channel_t *c)
{
	xt_route_t route = xt_image_lookup(image, c->card, tc, address);

	return route.valid && route.port == c->port && route.vc == c->vc;
}

/* Whether the deterministic route from a PE comes through a card; takes the lookups it needs from the budget. */
static bool passes(
	const xt_image_t *image, unsigned tc, unsigned source, uint32_t address, uint32_t card, unsigned *budget)
{
	unsigned links = xt_image_profile(image)->link_ports;
	uint32_t at = xt_image_pe_card(image, source);

	for (; at != card && at != XT_NO_CARD && *budget > 0; (*budget)--) {
		xt_route_t route = xt_image_lookup(image, at, tc, address);

		at = route.valid && route.port < links ? xt_image_peer(image, at, route.port).card : XT_NO_CARD;
	}
	return at == card;
}

/* PEs whose packet goes from one channel to the next; false if none was found within reasonable time, or only
 * adaptive ways lead there. */
static bool find_packet(const drawing_t *d, unsigned tc, const xt_channel_t *from, const xt_channel_t *to,
	unsigned *source, unsigned *dest)
{
	const xt_image_t *image = d->image;
	unsigned pes = xt_image_pes(image), per_card = pes / xt_image_cards(image), budget = MOST_LOOKUPS;

	for (*dest = 0; *dest < pes; (*dest)++) {
		uint32_t address = xt_image_pe_address(image, *dest);

		if (!xt_image_pe_in_service(image, *dest) || !takes(image, tc, address, from) ||
			!takes(image, tc, address, to)) {
			continue;
		}
		/* Nearest first: most often the packet begins at the first of the two channels. */
		for (unsigned i = 0; i < pes && budget > 0; i++) {
			*source = (from->card * per_card + i) % pes;
			if (*source != *dest && (xt_image_pe_tc_mask(image, *source) >> tc & 1) &&
				passes(image, tc, *source, address, from->card, &budget)) {
				return true;
			}
		}
	}
	return false;
}

/* Clockwise round a circle, `left` points to the right of the last one; returns the circle's width. */
static double write_cycle(const drawing_t *d, unsigned tc, double left)
{
	const xt_channel_t *cycle = d->check->cycle[tc];
	size_t length = d->check->cycle_length[tc];
	double half = 4 * atan(1.0) / (double)length; /* of the angle from channel to channel */
	double radius = fmax(1.2 * BOX, 0.63 * BOX / half), middle = radius * cos(half) - 32;
	char text[160];

	describe_tc(d, tc, text, sizeof(text));
	fprintf(d->out, "\tcentre%u [shape=plaintext style=\"\" pos=\"%.1f,%.1f!\" label=\"%s\\ncycle of %zu\"];\n", tc,
		left + radius, -radius - 50, text, length);
	for (size_t i = 0; i < length; i++) {
		const xt_channel_t *c = &cycle[i], *next = &cycle[(i + 1) % length];
		xt_peer_t peer = xt_image_peer(d->image, c->card, c->port);
		double angle = 2 * half * (double)i;
		unsigned source, dest;

		fprintf(d->out,
			"\tt%u_%u [pos=\"%.1f,%.1f!\" label=\"card %u %s to\\ncard %u %s, VC %u\" fillcolor=\"%s\" "
			"color=red "
			"penwidth=2];\n",
			tc, vertex_number(d, c), left + radius * (1 + sin(angle)), radius * cos(angle), c->card,
			xt_image_port_name(d->image, c->card, c->port), peer.card,
			xt_image_port_name(d->image, peer.card, peer.port), c->vc, vc_colour[c->vc]);
		fprintf(d->out, "\tt%u_%u -> t%u_%u [color=red penwidth=2];\n", tc, vertex_number(d, c), tc,
			vertex_number(d, next));
		if (find_packet(d, tc, c, next, &source, &dest)) {
			fprintf(d->out,
				"\tpair%u_%zu [shape=plaintext style=\"\" fontsize=9 pos=\"%.1f,%.1f!\" "
				"label=\"PE %u to %u\"];\n",
				tc, i, left + radius + middle * sin(angle + half), middle * cos(angle + half), source,
				dest);
		}
	}
	return 2 * radius + 2 * BOX;
}

/* Channels that have the port name and the VC in common. */
typedef struct {
	const char *port;
	unsigned vc;
	unsigned channels;
} class_t;

static unsigned class_of(const drawing_t *d, uint32_t vertex, class_t *classes, unsigned *count)
{
	const char *port = xt_image_port_name(d->image, vertex / d->bits, port_of(d, vertex));
	unsigned i = 0;

	while (i < *count && (classes[i].vc != vertex % d->check->vc_stride || strcmp(classes[i].port, port) != 0)) {
		i++;
	}
	/* There are as many names as an image has; the last class takes what is too many to draw. */
	i = i < MOST_CLASSES ? i : MOST_CLASSES - 1;
	if (i == *count) {
		classes[(*count)++] = (class_t){port, vertex % d->check->vc_stride, 0};
	}
	return i;
}

static int write_classes(const drawing_t *d, unsigned tc)
{
	uint32_t(*edges)[MOST_CLASSES] = calloc(MOST_CLASSES, sizeof(*edges));
	class_t classes[MOST_CLASSES];
	unsigned count = 0;

	if (!edges) {
		return XT_ERR_NOMEM;
	}
	for (unsigned card = 0; card < xt_image_cards(d->image); card++) {
		for (uint64_t rest = d->check->used[tc][card]; rest; rest &= rest - 1) {
			uint32_t vertex = card * d->bits + (uint32_t)__builtin_ctzll(rest);
			uint32_t base = peer_base(d, vertex);
			unsigned from = class_of(d, vertex, classes, &count);

			classes[from].channels++;
			for (uint64_t on = d->check->successors[tc][vertex]; on; on &= on - 1) {
				edges[from][class_of(d, base + (uint32_t)__builtin_ctzll(on), classes, &count)]++;
			}
		}
	}
	for (unsigned i = 0; i < count; i++) {
		fprintf(d->out, "\t\tt%u_%u [label=\"%s VC %u\\n%u channels\" fillcolor=\"%s\"];\n", tc, i,
			classes[i].port, classes[i].vc, classes[i].channels, vc_colour[classes[i].vc]);
		for (unsigned j = 0; j < count; j++) {
			if (edges[i][j]) {
				fprintf(d->out, "\t\tt%u_%u -> t%u_%u [label=\"%u\"];\n", tc, i, tc, j, edges[i][j]);
			}
		}
	}
	free(edges);
	return XT_OK;
}

static int write_clusters(const drawing_t *d, bool whole)
{
	int status = XT_OK;
	char text[160];

	for (unsigned tc = 0; tc < d->check->tcs && status == XT_OK; tc++) {
		if (!(d->drawn >> tc & 1)) {
			continue;
		}
		describe_tc(d, tc, text, sizeof(text));
		fprintf(d->out, "\tsubgraph cluster_tc%u {\n\t\tlabel=\"%s\"; color=\"#bbbbbb\";\n", tc, text);
		mark_cycle(d, tc);
		if (whole) {
			write_channels(d, tc);
		} else {
			status = write_classes(d, tc);
		}
		fprintf(d->out, "\t}\n");
	}
	return status;
}

static void write_title(const drawing_t *d, const char *what, const char *attributes)
{
	char title[512], text[32];
	unsigned vcs = 0;

	for (unsigned tc = 0; tc < d->check->tcs; tc++) {
		unsigned n = xt_profile_deterministic_vcs(xt_image_profile(d->image), tc);

		vcs = n > vcs ? n : vcs;
	}
	snprintf(title, sizeof(title), "Channel dependencies of %s, %s", xt_image_topology(d->image),
		xt_image_algorithm(d->image));
	xt_draw_title(title, what, attributes, d->out);
	for (unsigned vc = 0; vc < vcs; vc++) {
		snprintf(text, sizeof(text), "VC %u", vc);
		xt_draw_legend(vc_colour[vc], "&#9632;", text, d->out);
	}
	if (d->check->cyclic_tcs) {
		xt_draw_legend("red", "&#9473;&#9473;", "a cycle: each channel waits for the next", d->out);
	}
	xt_draw_title_end(d->out);
}

static int draw(drawing_t *d)
{
	uint64_t channels = choose_tcs(d);
	double left = 0;

	fprintf(d->out, "// SPDX-License-Identifier: Apache-2.0\n// Draw it with: dot -Tsvg\ndigraph {\n");
	if (channels <= MOST_CHANNELS) {
		write_title(d,
			"a box is a channel: card, port and VC; an arrow: a packet may hold the first while it waits "
			"for the second",
			"");
		return write_clusters(d, true);
	}
	if (!d->check->cyclic_tcs) {
		write_title(d,
			"a box is all channels of a port name and VC; an arrow: packets may hold one of the first "
			"while "
			"they wait for one of the second, with the number of such dependencies",
			"");
		return write_clusters(d, false);
	}
	write_title(d,
		"a cycle of each cyclic TC, no other channels; an arrow: the packet, for example between these "
		"PEs, holds the first channel while it waits for the second",
		"layout=neato inputscale=72 splines=line");
	for (unsigned tc = 0; tc < d->check->tcs; tc++) {
		if ((d->drawn & d->check->cyclic_tcs) >> tc & 1) {
			mark_cycle(d, tc);
			left += write_cycle(d, tc, left);
		}
	}
	return XT_OK;
}

int xt_check_write_cdg(const xt_image_t *image, const xt_check_t *check, FILE *out, xt_diag_t *diag)
{
	XT_POINT_IN_FRACTIONS;
	drawing_t d = {.image = image,
		.check = check,
		.bits = xt_image_profile(image)->link_ports * check->vc_stride,
		.out = out};
	int status;

	d.next_in_cycle = malloc((size_t)xt_image_cards(image) * d.bits * sizeof(*d.next_in_cycle));
	status = d.next_in_cycle ? draw(&d) : XT_ERR_NOMEM;
	fprintf(out, "}\n");
	free(d.next_in_cycle);
	return status == XT_OK ? XT_OK : xt_fail(diag, status, "out of memory for the drawing");
}
