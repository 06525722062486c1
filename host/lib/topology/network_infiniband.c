/* SPDX-License-Identifier: Apache-2.0
 *
 * The dump of ibnetdiscover. A node begins with `Switch 24 "S-GUID" # "description" base port 0 lid 6 lmc 0`, `Ca` or
 * `Rt`. A line `[22] "H-GUID"[1](port GUID) # ...` is a cable from port 22 of this node to port 1 of another one, which
 * has a line for it too. Nodes of every kind are cards. A host is named by the first word of its description. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "network_graph.h"

enum { MOST_PORT = 254 };

/* A cable as one of its ends tells of it, for finding the other end's line. */
typedef struct {
	uint32_t node, peer;
	int32_t port, peer_port;
	unsigned long line;
} cable_t;

typedef struct {
	xt_network_t *network;
	cable_t *cables;
	size_t count, room;
	uint32_t node; /* whose lines are read; UINT32_MAX: none yet */
	bool host;
	xt_diag_t *diag;
} dump_t;

/* "text" at *line; NULL: none. *line is left behind it. */
static char *cut_quoted(char **line)
{
	char *begin = *line + strspn(*line, " \t"), *end = *begin == '"' ? strchr(begin + 1, '"') : NULL;

	if (!end) {
		return NULL;
	}
	*end = '\0';
	*line = end + 1;
	return begin + 1;
}

/* The number in brackets, as of [22]. */
static bool cut_port(char **line, int32_t *port)
{
	char *begin = *line + strspn(*line, " \t"), *end;

	if (*begin != '[' || !isdigit((unsigned char)begin[1])) {
		return false;
	}
	*port = (int32_t)strtol(begin + 1, &end, 10);
	if (*end != ']' || end - begin > 4 || *port < 0 || *port > MOST_PORT) {
		return false;
	}
	*line = end + 1;
	return true;
}

/* What is in brackets of either kind after a port: the port's GUID, or the number on the case. */
static char *skip_brackets(char *line)
{
	while (*line == '(' || *line == '[') {
		char *end = strchr(line, *line == '(' ? ')' : ']');

		if (!end) {
			break;
		}
		line = end + 1;
	}
	return line;
}

static uint32_t lid_after(const char *text)
{
	const char *lid = strstr(text, "lid ");
	unsigned long value = lid ? strtoul(lid + 4, NULL, 10) : 0;

	return value <= UINT16_MAX ? (uint32_t)value : 0;
}

/* The description is the label, that of a host up to the first space. */
static int describe(dump_t *d, char *rest)
{
	xt_network_node_t *node = &d->network->nodes[d->node];
	char *comment = strchr(rest, '#'), *text;

	if (!comment) {
		return XT_OK;
	}
	comment++;
	text = cut_quoted(&comment);
	if (!d->host) {
		node->lid = lid_after(comment);
	}
	return text ? xt_network_label(d->network, d->node, text, d->host ? strcspn(text, " ") : strlen(text), d->diag)
		    : XT_OK;
}

/* `Switch 24 "S-GUID" # ...` */
static int begin_node(dump_t *d, const char *kind, char *line, unsigned long number)
{
	xt_network_node_t *node;
	char *ports = xt_network_cut_word(&line, " \t"), *key = cut_quoted(&line);
	int status;

	if (!ports || !isdigit((unsigned char)*ports) || !key || !*key) {
		return xt_network_refuse(d->network, number, d->diag,
			"no node; it should be like: %s 24 \"S-0002c902400a1b40\"; run ibnetdiscover again", kind);
	}
	if ((status = xt_network_node(d->network, key, strlen(key), number, &d->node, d->diag)) != XT_OK) {
		return status;
	}
	node = &d->network->nodes[d->node];
	if (node->declared) {
		return xt_network_refuse(d->network, number, d->diag,
			"node \"%.40s\" is there twice, since line %lu; leave one out", key, node->line);
	}
	node->declared = true;
	node->line = number;
	node->host = d->host = strcmp(kind, "Switch") != 0;
	node->guid = key[0] && key[1] == '-' ? strtoull(key + 2, NULL, 16) : 0;
	return describe(d, line);
}

static int keep(dump_t *d, cable_t cable)
{
	if (d->count == d->room) {
		size_t room = d->room ? 2 * d->room : 64;
		cable_t *cables = realloc(d->cables, room * sizeof(*cables));

		if (!cables) {
			return xt_fail(d->diag, XT_ERR_NOMEM, "%.200s: out of memory", d->network->path);
		}
		d->cables = cables;
		d->room = room;
	}
	d->cables[d->count++] = cable;
	return XT_OK;
}

/* `[22] "H-GUID"[1](port GUID) # ...` */
static int read_cable(dump_t *d, char *line, unsigned long number)
{
	cable_t cable = {.node = d->node, .line = number};
	char *key = NULL, *comment;
	int status;

	if (d->node == UINT32_MAX) {
		return xt_network_refuse(d->network, number, d->diag,
			"a port before any Switch or Ca line; the beginning of the dump is lacking: run ibnetdiscover "
			"again");
	}
	if (cut_port(&line, &cable.port)) {
		if (d->host && *line == '(') {
			/* The GUID of the port, by which OpenSM knows its LID. */
			d->network->nodes[d->node].guid = strtoull(line + 1, NULL, 16);
		}
		line = skip_brackets(line);
		key = cut_quoted(&line);
	}
	if (!key || !*key || !cut_port(&line, &cable.peer_port)) {
		return xt_network_refuse(d->network, number, d->diag,
			"no cable; it should be like: [22] \"H-0008f10403961354\"[1], with ports up to %d; run "
			"ibnetdiscover "
			"again",
			MOST_PORT);
	}
	status = xt_network_node(d->network, key, strlen(key), number, &cable.peer, d->diag);
	comment = strchr(line, '#');
	if (status == XT_OK && d->host && comment && !d->network->nodes[d->node].lid) {
		d->network->nodes[d->node].lid = lid_after(comment);
	}
	return status == XT_OK ? keep(d, cable) : status;
}

static int by_ends(const void *a, const void *b)
{
	const cable_t *x = a, *y = b;
	const bool x_first = x->node < x->peer || (x->node == x->peer && x->port <= x->peer_port);
	const bool y_first = y->node < y->peer || (y->node == y->peer && y->port <= y->peer_port);
	const int64_t left[4] = {x_first ? x->node : x->peer, x_first ? x->port : x->peer_port,
		x_first ? x->peer : x->node, x_first ? x->peer_port : x->port};
	const int64_t right[4] = {y_first ? y->node : y->peer, y_first ? y->port : y->peer_port,
		y_first ? y->peer : y->node, y_first ? y->peer_port : y->port};

	for (unsigned i = 0; i < 4; i++) {
		if (left[i] != right[i]) {
			return left[i] < right[i] ? -1 : 1;
		}
	}
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The two lines of a cable become a link. */
static int join(dump_t *d)
{
	int status = XT_OK;

	if (d->count) {
		qsort(d->cables, d->count, sizeof(*d->cables), by_ends);
	}
	for (size_t i = 0; i < d->count && status == XT_OK; i++) {
		const cable_t *c = &d->cables[i], *back = i + 1 < d->count ? c + 1 : NULL;

		status = xt_network_link(d->network,
			(xt_network_link_t){{c->node, c->peer}, {c->port, c->peer_port}, c->line, false}, d->diag);
		if (back && back->node == c->peer && back->peer == c->node && back->port == c->peer_port &&
			back->peer_port == c->port) {
			i++;
		}
	}
	return status;
}

/* Labels that several nodes have get the GUID as well. */
static int tell_apart(xt_network_t *n, xt_diag_t *diag)
{
	xt_network_t labels = {.path = n->path};
	char text[256];
	int status = XT_OK;

	for (unsigned pass = 0; pass < 2 && status == XT_OK; pass++) {
		for (size_t i = 0; i < n->node_count && status == XT_OK; i++) {
			const char *label = n->nodes[i].label ? n->nodes[i].label : n->nodes[i].key;
			uint32_t which;

			status = xt_network_node(&labels, label, strlen(label), n->nodes[i].line, &which, diag);
			if (status == XT_OK && pass == 0) {
				labels.nodes[which].terminals++;
			} else if (status == XT_OK && labels.nodes[which].terminals > 1) {
				snprintf(text, sizeof(text), "%.150s %.40s", label, n->nodes[i].key);
				status = xt_network_label(n, (uint32_t)i, text, strlen(text), diag);
			}
		}
	}
	xt_network_clear(&labels);
	return status;
}

static int read_line(dump_t *d, char *line, unsigned long number)
{
	static const char *const kinds[] = {"Switch", "Ca", "Hca", "Rt"};

	line += strspn(line, " \t");
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i]);

		if (strncmp(line, kinds[i], length) == 0 && strchr(" \t", line[length])) {
			return begin_node(d, kinds[i], line + length, number);
		}
	}
	if (*line == '[') {
		return read_cable(d, line, number);
	}
	if (*line && *line != '#' && !strchr(line, '=') && strncmp(line, "Chassis", 7) != 0 &&
		strncmp(line, "Non-Chassis", 11) != 0 && strncmp(line, "DR path", 7) != 0 &&
		strncmp(line, "ibwarn", 6) != 0) {
		return xt_network_refuse(d->network, number, d->diag,
			"\"%.60s\" is no line of a dump of ibnetdiscover; leave it out", line);
	}
	return XT_OK;
}

static int read_dump(xt_network_t *n, char *text, size_t size, xt_diag_t *diag)
{
	dump_t d = {.network = n, .node = UINT32_MAX, .diag = diag};
	unsigned long number = 0;
	int status = XT_OK;
	char *line;

	(void)size;
	while (status == XT_OK && (line = xt_network_cut_line(&text)) != NULL) {
		status = read_line(&d, line, ++number);
	}
	if (status == XT_OK &&
		(status = xt_network_all_declared(n, "no Switch or Ca line declares that", diag)) == XT_OK &&
		(status = join(&d)) == XT_OK) {
		status = tell_apart(n, diag);
	}
	free(d.cables);
	return status;
}

static bool recognise(const char *text)
{
	return strstr(text, "\nSwitch\t") || strstr(text, "\nCa\t") || strstr(text, "switchguid=") ||
	       strstr(text, "caguid=") || strstr(text, "# Topology file: generated") ||
	       strncmp(text, "Switch\t", 7) == 0 || strncmp(text, "Switch ", 7) == 0;
}

const xt_network_format_t xt_network_infiniband = {
	.name = "ibnetdiscover",
	.suffixes = ".ibnetdiscover .ibnd .ibnet .topo",
	.recognise = recognise,
	.read = read_dump,
};
