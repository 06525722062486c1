/* SPDX-License-Identifier: Apache-2.0 */
#include "network_graph.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* More than the ports of all cards together can have. */
enum { MOST_LINKS = 1 << 20, MOST_NAME = 200 };

/* Length of the UTF-8 sequence at `c`, of a character that can be shown; 0: there is none. */
static unsigned sequence(const unsigned char *c)
{
	unsigned length = *c < 0x80                 ? 1
			  : *c >= 0xc2 && *c < 0xe0 ? 2
			  : *c >= 0xe0 && *c < 0xf0 ? 3
			  : *c >= 0xf0 && *c < 0xf5 ? 4
						    : 0;

	if (*c < ' ' || *c == 0x7f) {
		return 0;
	}
	for (unsigned i = 1; i < length; i++) {
		if ((c[i] & 0xc0) != 0x80) {
			return 0;
		}
	}
	if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] >= 0xa0) || (*c == 0xf0 && c[1] < 0x90) ||
		(*c == 0xf4 && c[1] >= 0x90) || (*c == 0xef && c[1] == 0xbf && c[2] >= 0xbe)) {
		return 0;
	}
	return length;
}

void xt_network_make_printable(char *text)
{
	unsigned char *c = (unsigned char *)text;

	while (*c) {
		unsigned length = sequence(c);

		if (length == 0) {
			*c = '?';
			length = 1;
		}
		c += length;
	}
}

int xt_network_refuse(const xt_network_t *network, unsigned long line, xt_diag_t *diag, const char *format, ...)
{
	char text[sizeof(diag->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	xt_network_make_printable(text);
	return xt_fail(diag, XT_ERR_INVALID, "%.200s:%lu: %s", network->path, line, text);
}

static uint32_t hash_of(const char *key, size_t length)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < length; i++) {
		hash = (hash ^ (unsigned char)key[i]) * 16777619u;
	}
	return hash;
}

static int grow_nodes(xt_network_t *n, xt_diag_t *diag)
{
	size_t room = n->node_room ? 2 * n->node_room : 64;
	xt_network_node_t *nodes = realloc(n->nodes, room * sizeof(*nodes));
	uint32_t *heads = calloc(room, sizeof(*heads));

	n->nodes = nodes ? nodes : n->nodes;
	if (!nodes || !heads) {
		free(heads);
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", n->path);
	}
	free(n->heads);
	n->heads = heads;
	n->node_room = room;
	for (size_t i = 0; i < n->node_count; i++) {
		uint32_t *head = &heads[hash_of(nodes[i].key, strlen(nodes[i].key)) % room];

		nodes[i].next = *head;
		*head = (uint32_t)i + 1;
	}
	return XT_OK;
}

int xt_network_node(
	xt_network_t *n, const char *key, size_t length, unsigned long line, uint32_t *node, xt_diag_t *diag)
{
	uint32_t *head;
	char *copy;
	int status;

	for (uint32_t i = n->node_room ? n->heads[hash_of(key, length) % n->node_room] : 0; i;
		i = n->nodes[i - 1].next) {
		if (strlen(n->nodes[i - 1].key) == length && memcmp(n->nodes[i - 1].key, key, length) == 0) {
			*node = i - 1;
			return XT_OK;
		}
	}
	if (length == 0 || length > MOST_NAME) {
		return xt_network_refuse(
			n, line, diag, "a name of %zu characters; give each node one of 1 to %d", length, MOST_NAME);
	}
	if (n->node_count == XT_MAX_CARDS) {
		return xt_fail(diag, XT_ERR_RANGE, "%.200s:%lu: more than %u nodes; take a smaller part of the network",
			n->path, line, XT_MAX_CARDS);
	}
	if (n->node_count == n->node_room && (status = grow_nodes(n, diag)) != XT_OK) {
		return status;
	}
	copy = strndup(key, length);
	if (!copy) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", n->path);
	}
	head = &n->heads[hash_of(key, length) % n->node_room];
	*node = (uint32_t)n->node_count++;
	n->nodes[*node] = (xt_network_node_t){.key = copy, .line = line, .next = *head};
	*head = *node + 1;
	return XT_OK;
}

int xt_network_label(xt_network_t *n, uint32_t node, const char *label, size_t length, xt_diag_t *diag)
{
	char *copy = length ? strndup(label, length > MOST_NAME ? MOST_NAME : length) : NULL;

	if (length && !copy) {
		return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", n->path);
	}
	free(n->nodes[node].label);
	n->nodes[node].label = copy;
	return XT_OK;
}

int xt_network_link(xt_network_t *n, xt_network_link_t link, xt_diag_t *diag)
{
	if (link.node[0] == link.node[1]) {
		return xt_network_refuse(n, link.line, diag,
			"node %.80s is linked to itself; remove the link, or link two different nodes",
			n->nodes[link.node[0]].key);
	}
	if (n->link_count == MOST_LINKS) {
		return xt_fail(diag, XT_ERR_RANGE, "%.200s:%lu: more than %d links; take a smaller part of the network",
			n->path, link.line, MOST_LINKS);
	}
	if (n->link_count == n->link_room) {
		size_t room = n->link_room ? 2 * n->link_room : 64;
		xt_network_link_t *links = realloc(n->links, room * sizeof(*links));

		if (!links) {
			return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", n->path);
		}
		n->links = links;
		n->link_room = room;
	}
	n->links[n->link_count++] = link;
	return XT_OK;
}

int xt_network_all_declared(const xt_network_t *n, const char *what, xt_diag_t *diag)
{
	for (size_t i = 0; i < n->node_count; i++) {
		if (!n->nodes[i].declared) {
			return xt_network_refuse(n, n->nodes[i].line, diag,
				"\"%.80s\" is named here, but %s; is the file cut off? Add the lines that are lacking",
				n->nodes[i].label ? n->nodes[i].label : n->nodes[i].key, what);
		}
	}
	return XT_OK;
}

void xt_network_clear(xt_network_t *n)
{
	for (size_t i = 0; i < n->node_count; i++) {
		free(n->nodes[i].key);
		free(n->nodes[i].label);
	}
	free(n->nodes);
	free(n->links);
	free(n->heads);
	*n = (xt_network_t){0};
}

char *xt_network_cut_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (*line == '\0') {
		return NULL;
	}
	*text = end ? end + 1 : line + strlen(line);
	end = end ? end : *text;
	while (end > line && strchr(" \t\r", end[-1])) {
		end--;
	}
	*end = '\0';
	return line;
}

char *xt_network_cut_word(char **line, const char *between)
{
	char *word = *line + strspn(*line, between), *end = word + strcspn(word, between);

	*line = *end ? end + 1 : end;
	*end = '\0';
	return *word ? word : NULL;
}
