/* SPDX-License-Identifier: Apache-2.0
 *
 * A link per line: two names, separated by spaces or, where the line has one, by a tab, comma or semicolon. What
 * follows them is left out. The wiring that `topo --csv` writes is read as well: its columns are told by the header. */
#include <string.h>
#include <strings.h>

#include "network_graph.h"

static const char wiring_header[] = "card,port,peer_card,peer_port";

/* A line before any link whose names are those of columns. */
static bool is_header(const char *a, const char *b)
{
	static const char *const names[][2] = {
		{"source", "target"}, {"from", "to"}, {"src", "dst"}, {"node1", "node2"}, {"a", "b"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcasecmp(a, names[i][0]) == 0 && strcasecmp(b, names[i][1]) == 0) {
			return i + 1 < sizeof(names) / sizeof(names[0]) || a[0] == 'A';
		}
	}
	return false;
}

static char *without_quotes(char *word)
{
	size_t length = word ? strlen(word) : 0;

	if (length > 1 && (*word == '"' || *word == '\'') && word[length - 1] == *word) {
		word[length - 1] = '\0';
		return word + 1;
	}
	return word;
}

static char *cut_field(char **line, const char *between)
{
	char *word = xt_network_cut_word(line, between);
	char *end = word ? word + strlen(word) : word;

	while (word && (*word == ' ' || *word == '\t')) {
		word++;
	}
	while (word && end > word && (end[-1] == ' ' || end[-1] == '\t')) {
		*--end = '\0';
	}
	return without_quotes(word);
}

static int read_edges(xt_network_t *n, char *text, size_t size, xt_diag_t *diag)
{
	unsigned long number = 0;
	bool begun = false, wiring = false;
	char *line;

	(void)size;
	while ((line = xt_network_cut_line(&text)) != NULL) {
		const char *between = strchr(line, '\t')  ? "\t"
				      : strchr(line, ',') ? ","
				      : strchr(line, ';') ? ";"
							  : " ";
		char *a, *b, *c;
		uint32_t node[2];
		int status;

		number++;
		line += strspn(line, " \t");
		if (*line == '\0' || *line == '#' || *line == '%' || strncmp(line, "//", 2) == 0) {
			continue;
		}
		if (!begun && strcmp(line, wiring_header) == 0) {
			wiring = begun = true;
			continue;
		}
		a = cut_field(&line, between);
		b = cut_field(&line, between);
		c = wiring ? cut_field(&line, between) : b;
		if (!a || !b || !c) {
			return xt_network_refuse(n, number, diag,
				"no link; write two names of nodes, as in: 0 1. Other files may be JSON, GraphML, DOT, "
				"anynet, "
				"topology.conf or of ibnetdiscover");
		}
		if (!begun && is_header(a, b)) {
			begun = true;
			continue;
		}
		begun = true;
		if ((status = xt_network_node(n, a, strlen(a), number, &node[0], diag)) != XT_OK ||
			(status = xt_network_node(n, c, strlen(c), number, &node[1], diag)) != XT_OK ||
			(status = xt_network_link(n,
				 (xt_network_link_t){{node[0], node[1]}, {XT_NO_PORT, XT_NO_PORT}, number, true},
				 diag)) != XT_OK) {
			return status;
		}
	}
	return XT_OK;
}

/* The last format: everything else may be one. */
static bool recognise(const char *text)
{
	(void)text;
	return true;
}

const xt_network_format_t xt_network_edge_list = {
	.name = "edge list",
	.suffixes = ".edges .edgelist .csv .tsv",
	.recognise = recognise,
	.read = read_edges,
};
