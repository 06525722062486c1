/* SPDX-License-Identifier: Apache-2.0
 *
 * Slurm's topology.conf: `SwitchName=s0 Nodes=tux[0-3]` and `SwitchName=s1 Switches=s[0,2-5]`. Switches and nodes are
 * cards. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "network_graph.h"

/* Nodes and switches may have the same names: a key begins with what it is. */
enum { KEY_SIZE = 208, MOST_RANGES = 8 };

typedef struct {
	xt_network_t *network;
	uint32_t parent;
	char kind; /* of the children: S or N */
	unsigned long line;
	xt_diag_t *diag;
} list_t;

static int find(xt_network_t *n, char kind, const char *name, unsigned long line, uint32_t *node, xt_diag_t *diag)
{
	char key[KEY_SIZE];
	size_t length = (size_t)snprintf(key, sizeof(key), "%c%s", kind, name), count = n->node_count;
	int status;

	if (length < 2 || length >= sizeof(key)) {
		return xt_network_refuse(
			n, line, diag, "a name of %zu characters; write one of 1 to %d", length - 1, KEY_SIZE - 8);
	}
	status = xt_network_node(n, key, length, line, node, diag);
	return status == XT_OK && n->node_count > count ? xt_network_label(n, *node, name, length - 1, diag) : status;
}

static int take_child(list_t *l, const char *name)
{
	uint32_t child;
	int status = find(l->network, l->kind, name, l->line, &child, l->diag);

	if (status != XT_OK) {
		return status;
	}
	if (l->kind == 'N') {
		l->network->nodes[child].declared = l->network->nodes[child].host = true;
	}
	return xt_network_link(
		l->network, (xt_network_link_t){{l->parent, child}, {XT_NO_PORT, XT_NO_PORT}, l->line, false}, l->diag);
}

static int no_list(const list_t *l, const char *text)
{
	return xt_network_refuse(
		l->network, l->line, l->diag, "\"%.60s\" is no list of hosts; write for example tux[0-3,7]", text);
}

/* Every name of "PREFIX[0-3,07]REST": `name` has the prefix, `used` long. */
static int expand(list_t *l, char name[KEY_SIZE], size_t used, const char *rest, unsigned depth)
{
	const char *c = rest;
	int status = XT_OK;

	while (*c && *c != '[') {
		if (used + 1 >= KEY_SIZE - 1 || *c == ']') {
			return no_list(l, rest);
		}
		name[used++] = *c++;
	}
	name[used] = '\0';
	if (*c == '\0') {
		return take_child(l, name);
	}
	rest = strchr(c, ']');
	if (!rest || depth == MOST_RANGES) {
		return no_list(l, c);
	}
	for (c++; c <= rest && status == XT_OK; c++) {
		char *end;
		unsigned long first = strtoul(c, &end, 10), last = first;
		int width = (int)(end - c);

		if (!isdigit((unsigned char)*c) || width > 9) {
			return no_list(l, c);
		}
		if (*end == '-') {
			c = end + 1;
			last = strtoul(c, &end, 10);
			if (!isdigit((unsigned char)*c) || end - c > 9 || last < first ||
				last - first >= XT_MAX_CARDS) {
				return no_list(l, c);
			}
		}
		if (*end != ',' && end != rest) {
			return no_list(l, c);
		}
		for (unsigned long i = first; i <= last && status == XT_OK; i++) {
			int length = snprintf(name + used, KEY_SIZE - used, "%0*lu", width, i);

			if ((size_t)length >= KEY_SIZE - used) {
				return no_list(l, c);
			}
			status = expand(l, name, used + (size_t)length, rest + 1, depth + 1);
		}
		c = end;
	}
	return status;
}

/* Splits a list at the commas outside of brackets. */
static int take_list(list_t *l, char *text)
{
	char name[KEY_SIZE];
	int status;
	bool last;

	do {
		char *end = text;
		unsigned depth = 0;

		while (*end && (*end != ',' || depth)) {
			depth += *end == '[';
			depth -= *end == ']' && depth;
			end++;
		}
		last = *end == '\0';
		*end = '\0';
		status = expand(l, name, 0, text, 0);
		text = end + 1;
	} while (!last && status == XT_OK);
	return status;
}

static int read_switch(xt_network_t *n, char *line, unsigned long number, xt_diag_t *diag)
{
	char *word, *name = NULL, *lists[2] = {NULL, NULL};
	list_t list = {.network = n, .line = number, .diag = diag};
	int status;

	while ((word = xt_network_cut_word(&line, " \t")) != NULL) {
		if (strncasecmp(word, "SwitchName=", 11) == 0) {
			name = word + 11;
		} else if (strncasecmp(word, "Switches=", 9) == 0) {
			lists[0] = word + 9;
		} else if (strncasecmp(word, "Nodes=", 6) == 0) {
			lists[1] = word + 6;
		} else if (strncasecmp(word, "LinkSpeed=", 10) != 0 && strncasecmp(word, "Comment=", 8) != 0) {
			return xt_network_refuse(n, number, diag,
				"\"%.60s\" is none of SwitchName=, Switches=, Nodes= and LinkSpeed=; only trees of "
				"switches are "
				"networks",
				word);
		}
	}
	if (!name) {
		return lists[0] || lists[1] ? xt_network_refuse(n, number, diag, "no SwitchName=; name the switch")
					    : XT_OK;
	}
	if ((status = find(n, 'S', name, number, &list.parent, diag)) != XT_OK) {
		return status;
	}
	if (n->nodes[list.parent].declared) {
		return xt_network_refuse(n, number, diag,
			"switch %.60s is there twice, since line %lu; put its children on one line", name,
			n->nodes[list.parent].line);
	}
	n->nodes[list.parent].declared = true;
	n->nodes[list.parent].line = number;
	for (unsigned i = 0; i < 2 && status == XT_OK; i++) {
		list.kind = i ? 'N' : 'S';
		status = lists[i] ? take_list(&list, lists[i]) : XT_OK;
	}
	return status;
}

/* The line goes on with the next one. */
static bool ends_with_backslash(const char *line)
{
	size_t length = strlen(line);

	return length && line[length - 1] == '\\';
}

static int read_slurm(xt_network_t *n, char *text, size_t size, xt_diag_t *diag)
{
	unsigned long number = 0;
	int status = XT_OK;
	char *line, *next;

	(void)size;
	while (status == XT_OK && (line = xt_network_cut_line(&text)) != NULL) {
		unsigned long first = ++number;

		while (ends_with_backslash(line) && (next = xt_network_cut_line(&text)) != NULL) {
			char *end = line + strlen(line) - 1;

			memset(end, ' ', (size_t)(next - end));
			number++;
		}
		line[strcspn(line, "#")] = '\0';
		status = read_switch(n, line, first, diag);
	}
	return status == XT_OK ? xt_network_all_declared(n, "no SwitchName= declares that", diag) : status;
}

static bool recognise(const char *text)
{
	return strcasestr(text, "SwitchName=") != NULL;
}

const xt_network_format_t xt_network_slurm = {
	.name = "topology.conf",
	.suffixes = ".conf",
	.recognise = recognise,
	.read = read_slurm,
};
