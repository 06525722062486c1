/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of BookSim's topology anynet. A line is `router 0 node 0 router 1 router 2 5`: the first names a router or a
 * node, the others what it is connected to, each with its latency after it if there is one. A router is a card, and
 * the nodes of a router are its PEs. A link is listed from one end or from both. */
#include <ctype.h>
#include <string.h>

#include "network_graph.h"

static const char spaces[] = " \t\r";

static bool is_number(const char *word)
{
	return word && *word && strlen(word) < 10 && word[strspn(word, "0123456789")] == '\0';
}

/* "router" or "node" and its number; *end: the line is over. */
static int take_item(
	const xt_network_t *n, unsigned long line, char **rest, bool *router, char **number, bool *end, xt_diag_t *diag)
{
	char *word = xt_network_cut_word(rest, spaces);

	*end = word == NULL;
	if (*end) {
		return XT_OK;
	}
	if (strcmp(word, "router") != 0 && strcmp(word, "node") != 0) {
		return xt_network_refuse(n, line, diag,
			"\"%.40s\" is neither router nor node; write for example: "
			"router 0 node 0 router 1",
			word);
	}
	*router = *word == 'r';
	*number = xt_network_cut_word(rest, spaces);
	if (!is_number(*number)) {
		return xt_network_refuse(n, line, diag, "%s \"%.40s\" has no number; write for example: router 0", word,
			*number ? *number : "");
	}
	return XT_OK;
}

/* A latency may follow; the network has that of its profile. */
static int skip_latency(const xt_network_t *n, unsigned long line, char **rest, xt_diag_t *diag)
{
	const char *next = *rest + strspn(*rest, spaces);
	char *word;

	if (*next == '\0' || isalpha((unsigned char)*next)) {
		return XT_OK;
	}
	word = xt_network_cut_word(rest, spaces);
	return is_number(word) ? XT_OK
			       : xt_network_refuse(n, line, diag, "latency \"%.40s\" is no number; write cycles", word);
}

/* Whether a node was on a router already, which is an error unless it is this one. `nodes` has a node per node, whose
 * terminals are its router, plus 1. */
static int hang(
	xt_network_t *n, xt_network_t *nodes, const char *node, uint32_t router, unsigned long line, xt_diag_t *diag)
{
	uint32_t which;
	int status = xt_network_node(nodes, node, strlen(node), line, &which, diag);

	if (status != XT_OK || nodes->nodes[which].terminals == router + 1) {
		return status;
	}
	if (nodes->nodes[which].terminals) {
		return xt_network_refuse(n, line, diag,
			"node %.40s is on router %.40s already, by line %lu; give it one router", node,
			n->nodes[nodes->nodes[which].terminals - 1].key, nodes->nodes[which].line);
	}
	nodes->nodes[which].terminals = router + 1;
	n->nodes[router].terminals++;
	return XT_OK;
}

/* *begun: there was something on the line. */
static int read_line(xt_network_t *n, xt_network_t *nodes, char *line, unsigned long number, xt_diag_t *diag)
{
	bool head_router, router, end;
	char *head, *other;
	uint32_t a, b;
	int status = take_item(n, number, &line, &head_router, &head, &end, diag);

	if (status != XT_OK || end) {
		return status;
	}
	if (head_router && (status = xt_network_node(n, head, strlen(head), number, &a, diag)) != XT_OK) {
		return status;
	}
	while ((status = take_item(n, number, &line, &router, &other, &end, diag)) == XT_OK && !end) {
		if (!router && !head_router) {
			return xt_network_refuse(n, number, diag,
				"node %.40s is connected to node %.40s; nodes go to routers", head, other);
		}
		if (router && (status = xt_network_node(n, other, strlen(other), number, &b, diag)) != XT_OK) {
			return status;
		}
		if (router && head_router) {
			status = xt_network_link(
				n, (xt_network_link_t){{a, b}, {XT_NO_PORT, XT_NO_PORT}, number, true}, diag);
		} else {
			status = hang(n, nodes, router ? head : other, router ? b : a, number, diag);
		}
		if (status != XT_OK || (status = skip_latency(n, number, &line, diag)) != XT_OK) {
			return status;
		}
	}
	return status;
}

static int read_anynet(xt_network_t *n, char *text, size_t size, xt_diag_t *diag)
{
	xt_network_t nodes = {.path = n->path};
	unsigned long number = 0;
	int status = XT_OK;
	char *line;

	(void)size;
	while (status == XT_OK && (line = xt_network_cut_line(&text)) != NULL) {
		line[strcspn(line, "#")] = '\0';
		if (strncmp(line, "//", 2) == 0) {
			*line = '\0';
		}
		status = read_line(n, &nodes, line, ++number, diag);
	}
	xt_network_clear(&nodes);
	return status;
}

static bool recognise(const char *text)
{
	while (*text == '#' || isspace((unsigned char)*text)) {
		text += *text == '#' ? strcspn(text, "\n") : 1;
	}
	return (strncmp(text, "router", 6) == 0 && isspace((unsigned char)text[6])) ||
	       (strncmp(text, "node", 4) == 0 && isspace((unsigned char)text[4]));
}

const xt_network_format_t xt_network_anynet = {
	.name = "anynet",
	.suffixes = ".anynet",
	.recognise = recognise,
	.read = read_anynet,
};
