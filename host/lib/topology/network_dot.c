/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs in DOT. A node is a card, an edge a link of both directions; an edge of a digraph and its opposite are one
 * link. `a:3` names port 3 of a card. A node's label is its attribute label. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dot_tokens.h"

enum { MOST_DEPTH = 32 };

/* An end of edges: a node with its port, or a subgraph's nodes. */
typedef struct {
	size_t first, count; /* of `members` */
	int32_t port;
} side_t;

typedef struct {
	xt_dot_tokens_t token;
	xt_network_t *network;
	bool directed;
	/* Nodes of the subgraphs that are open, in the order of mention. */
	uint32_t *members;
	size_t count, room;
	xt_diag_t *diag;
} graph_t;

static int expected(const graph_t *g, const char *what)
{
	const xt_dot_tokens_t *t = &g->token;

	if (t->kind == XT_DOT_END) {
		return xt_network_refuse(
			g->network, t->line, g->diag, "the file ends where %s should be; is it cut off?", what);
	}
	if (t->kind == XT_DOT_ID) {
		return xt_network_refuse(g->network, t->line, g->diag, "\"%.*s\" where %s should be; mend the line",
			(int)(t->length > 40 ? 40 : t->length), t->text, what);
	}
	return xt_network_refuse(g->network, t->line, g->diag, "\"%s%c\" where %s should be; mend the line",
		t->kind == XT_DOT_EDGE ? "-" : "", t->sign, what);
}

static int add_member(graph_t *g, uint32_t node)
{
	if (g->count == g->room) {
		size_t room = g->room ? 2 * g->room : 64;
		uint32_t *members = realloc(g->members, room * sizeof(*members));

		if (!members) {
			return xt_fail(g->diag, XT_ERR_NOMEM, "%.200s: out of memory", g->network->path);
		}
		g->members = members;
		g->room = room;
	}
	g->members[g->count++] = node;
	return XT_OK;
}

/* `[a=b, c=d]` any number of times; *label: that of a node, or NULL. */
static int read_attributes(graph_t *g, const char **label, size_t *length)
{
	int status = XT_OK;

	while (status == XT_OK && xt_dot_is_sign(&g->token, '[')) {
		status = xt_dot_next(&g->token);
		while (status == XT_OK && !xt_dot_is_sign(&g->token, ']')) {
			const bool is_label = xt_dot_is(&g->token, "label");

			if (g->token.kind != XT_DOT_ID) {
				return expected(g, "the name of an attribute or ]");
			}
			if ((status = xt_dot_next(&g->token)) != XT_OK) {
				return status;
			}
			if (xt_dot_is_sign(&g->token, '=')) {
				if ((status = xt_dot_next(&g->token)) != XT_OK) {
					return status;
				}
				if (g->token.kind != XT_DOT_ID) {
					return expected(g, "the value of an attribute");
				}
				if (is_label && label && g->token.sign != '<') {
					*label = g->token.text;
					*length = g->token.length;
				}
				status = xt_dot_next(&g->token);
			}
			if (status == XT_OK && (xt_dot_is_sign(&g->token, ',') || xt_dot_is_sign(&g->token, ';'))) {
				status = xt_dot_next(&g->token);
			}
		}
		status = status == XT_OK ? xt_dot_next(&g->token) : status;
	}
	return status;
}

static int32_t port_of(const xt_dot_tokens_t *t)
{
	const size_t prefix = t->length > 1 && t->text[0] == 'p';
	int32_t value = 0;

	if (t->length == 0 || t->length - prefix > 4) {
		return XT_NO_PORT;
	}
	for (size_t i = prefix; i < t->length; i++) {
		if (!isdigit((unsigned char)t->text[i])) {
			return XT_NO_PORT;
		}
		value = 10 * value + (t->text[i] - '0');
	}
	return value;
}

/* `name`, `name:port` or `name:port:compass`; the name was read as `t`. */
static int read_node(graph_t *g, const xt_dot_tokens_t *t, side_t *side)
{
	uint32_t node;
	int status = xt_network_node(g->network, t->text, t->length, t->line, &node, g->diag);

	*side = (side_t){.first = g->count, .count = 1, .port = XT_NO_PORT};
	if (status != XT_OK || (status = add_member(g, node)) != XT_OK) {
		return status;
	}
	for (unsigned i = 0; i < 2 && xt_dot_is_sign(&g->token, ':'); i++) {
		if ((status = xt_dot_next(&g->token)) != XT_OK) {
			return status;
		}
		if (g->token.kind != XT_DOT_ID) {
			return expected(g, "the name of a port");
		}
		side->port = i ? side->port : port_of(&g->token);
		if ((status = xt_dot_next(&g->token)) != XT_OK) {
			return status;
		}
	}
	return XT_OK;
}

static int read_statements(graph_t *g, unsigned depth);

/* `subgraph name { ... }` or `{ ... }` */
static int read_subgraph(graph_t *g, unsigned depth, side_t *side)
{
	int status = XT_OK;

	*side = (side_t){.first = g->count, .port = XT_NO_PORT};
	if (xt_dot_is(&g->token, "subgraph")) {
		if ((status = xt_dot_next(&g->token)) == XT_OK && g->token.kind == XT_DOT_ID) {
			status = xt_dot_next(&g->token);
		}
	}
	if (status != XT_OK) {
		return status;
	}
	if (!xt_dot_is_sign(&g->token, '{')) {
		return expected(g, "{ of the subgraph");
	}
	if (depth == MOST_DEPTH) {
		return xt_network_refuse(g->network, g->token.line, g->diag,
			"more than %d subgraphs in one another; flatten the graph", MOST_DEPTH);
	}
	if ((status = xt_dot_next(&g->token)) == XT_OK && (status = read_statements(g, depth + 1)) == XT_OK) {
		side->count = g->count - side->first;
		status = xt_dot_next(&g->token);
	}
	return status;
}

static int link_sides(graph_t *g, side_t from, side_t to, unsigned long line)
{
	int status = XT_OK;

	for (size_t i = 0; i < from.count && status == XT_OK; i++) {
		for (size_t j = 0; j < to.count && status == XT_OK; j++) {
			status = xt_network_link(g->network,
				(xt_network_link_t){{g->members[from.first + i], g->members[to.first + j]},
					{from.port, to.port}, line, g->directed},
				g->diag);
		}
	}
	return status;
}

static int read_side(graph_t *g, unsigned depth, side_t *side)
{
	xt_dot_tokens_t first = g->token;
	int status;

	if (xt_dot_is_sign(&g->token, '{') || xt_dot_is(&g->token, "subgraph")) {
		return read_subgraph(g, depth, side);
	}
	if (g->token.kind != XT_DOT_ID) {
		return expected(g, "a node");
	}
	status = xt_dot_next(&g->token);
	return status == XT_OK ? read_node(g, &first, side) : status;
}

/* A node or subgraph, and what it is joined to by -- or ->. */
static int read_edges(graph_t *g, unsigned depth)
{
	const bool single = g->token.kind == XT_DOT_ID && !xt_dot_is(&g->token, "subgraph");
	const char *label = NULL;
	size_t length = 0;
	side_t side, next;
	bool joined = false;
	int status = read_side(g, depth, &side);
	const size_t first = side.first;

	while (status == XT_OK && g->token.kind == XT_DOT_EDGE) {
		unsigned long line = g->token.line;

		if ((g->token.sign == '>') != g->directed) {
			return xt_network_refuse(g->network, line, g->diag,
				g->directed ? "-- in a digraph; write ->" : "-> in a graph; write --");
		}
		joined = true;
		if ((status = xt_dot_next(&g->token)) == XT_OK && (status = read_side(g, depth, &next)) == XT_OK) {
			status = link_sides(g, side, next, line);
		}
		side = next;
	}
	if (status == XT_OK) {
		status = read_attributes(g, &label, &length);
	}
	if (status == XT_OK && single && !joined && label && !(length == 2 && memcmp(label, "\\N", 2) == 0)) {
		status = xt_network_label(g->network, g->members[first], label, length, g->diag);
	}
	return status;
}

static int read_statement(graph_t *g, unsigned depth)
{
	xt_dot_tokens_t ahead = g->token;
	int status;

	if (xt_dot_is(&g->token, "graph") || xt_dot_is(&g->token, "node") || xt_dot_is(&g->token, "edge")) {
		status = xt_dot_next(&g->token);
		return status == XT_OK ? read_attributes(g, NULL, NULL) : status;
	}
	if (g->token.kind == XT_DOT_ID && g->token.sign == '\0') {
		/* A plain word changes nothing in the text, and so can be read again. */
		ahead.rest += strspn(ahead.rest, " \t");
		if (*ahead.rest == '=') {
			if ((status = xt_dot_next(&g->token)) != XT_OK || (status = xt_dot_next(&g->token)) != XT_OK) {
				return status;
			}
			return g->token.kind == XT_DOT_ID ? xt_dot_next(&g->token) : expected(g, "a value");
		}
	}
	return read_edges(g, depth);
}

/* Up to the closing brace, which is left. */
static int read_statements(graph_t *g, unsigned depth)
{
	int status = XT_OK;

	while (status == XT_OK && !xt_dot_is_sign(&g->token, '}')) {
		if (g->token.kind == XT_DOT_END) {
			return expected(g, "}");
		}
		if (xt_dot_is_sign(&g->token, ';')) {
			status = xt_dot_next(&g->token);
		} else {
			status = read_statement(g, depth);
		}
		if (depth == 0) {
			g->count = 0;
		}
	}
	return status;
}

static int read_graph(graph_t *g)
{
	int status = xt_dot_next(&g->token);

	if (status == XT_OK && xt_dot_is(&g->token, "strict")) {
		status = xt_dot_next(&g->token);
	}
	if (status != XT_OK) {
		return status;
	}
	g->directed = xt_dot_is(&g->token, "digraph");
	if (!g->directed && !xt_dot_is(&g->token, "graph")) {
		return expected(g, "graph or digraph");
	}
	if ((status = xt_dot_next(&g->token)) == XT_OK && g->token.kind == XT_DOT_ID) {
		status = xt_dot_next(&g->token);
	}
	if (status != XT_OK) {
		return status;
	}
	if (!xt_dot_is_sign(&g->token, '{')) {
		return expected(g, "{");
	}
	if ((status = xt_dot_next(&g->token)) == XT_OK && (status = read_statements(g, 0)) == XT_OK &&
		(status = xt_dot_next(&g->token)) == XT_OK && g->token.kind != XT_DOT_END) {
		status = expected(g, "the end of the file");
	}
	return status;
}

static int read_dot(xt_network_t *n, char *text, size_t size, xt_diag_t *diag)
{
	graph_t g = {.network = n, .diag = diag};
	int status;

	(void)size;
	g.token = (xt_dot_tokens_t){.network = n, .rest = text, .line_of_rest = 1, .diag = diag};
	if (*text == '#') {
		g.token.rest += strcspn(text, "\n");
	}
	status = read_graph(&g);
	free(g.members);
	return status;
}

static bool recognise(const char *text)
{
	static const char *const words[] = {"strict", "graph", "digraph"};

	for (;;) {
		const char *end = strncmp(text, "/*", 2) == 0 ? strstr(text, "*/") : NULL;

		if (end) {
			text = end + 2;
		} else if (*text == '#' || strncmp(text, "//", 2) == 0) {
			text += strcspn(text, "\n");
		} else if (isspace((unsigned char)*text)) {
			text++;
		} else {
			break;
		}
	}
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);

		if (strncasecmp(text, words[i], length) == 0 && strchr(" \t\r\n{\"", text[length])) {
			return strchr(text, '{') != NULL;
		}
	}
	return false;
}

const xt_network_format_t xt_network_dot = {
	.name = "DOT",
	.suffixes = ".dot .gv",
	.recognise = recognise,
	.read = read_dot,
};
