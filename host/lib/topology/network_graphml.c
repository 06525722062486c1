/* SPDX-License-Identifier: Apache-2.0
 *
 * GraphML, read by expat. A node is a card, an edge a link of both directions; an edge of a directed graph and its
 * opposite are one link. The node's label is the data whose key is named label, name or Label. */
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "network_graph.h"

enum { KEY_SIZE = 64, LABEL_SIZE = 256, MOST_DEPTH = 64 };

typedef struct {
	xt_network_t *network;
	XML_Parser parser;
	xt_diag_t *diag;
	int status;
	bool one_way, seen_graph;
	unsigned depth;
	char label_key[KEY_SIZE];  /* id of the key; empty: none */
	uint32_t node[MOST_DEPTH]; /* that an element at this depth is in; UINT32_MAX: none */
	bool takes_label;
	char label[LABEL_SIZE];
	size_t label_length;
} reader_t;

static void stop(reader_t *r, int status)
{
	if (status != XT_OK && r->status == XT_OK) {
		r->status = status;
		XML_StopParser(r->parser, XML_FALSE);
	}
}

/* Expat 2.9 deprecates what is all that older ones have. */
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define XML_GetCurrentLineNumber XML_GetCurrentLineNumber64
#define XML_GetCurrentColumnNumber XML_GetCurrentColumnNumber64
#endif

static unsigned long line_of(const reader_t *r)
{
	return (unsigned long)XML_GetCurrentLineNumber(r->parser);
}

/* A name without the prefix of its name space. */
static const char *local_name(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon ? colon + 1 : name;
}

static const char *attribute(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2) {
		if (strcmp(local_name(attributes[0]), name) == 0) {
			return attributes[1];
		}
	}
	return NULL;
}

static int32_t port_of(const char *text)
{
	size_t length = text ? strspn(text + (*text == 'p'), "0123456789") : 0;

	return length && length < 5 && text[length + (*text == 'p')] == '\0'
		       ? (int32_t)strtol(text + (*text == 'p'), NULL, 10)
		       : XT_NO_PORT;
}

static int begin_edge(reader_t *r, const char **attributes)
{
	const char *ends[2] = {attribute(attributes, "source"), attribute(attributes, "target")};
	const char *directed = attribute(attributes, "directed");
	xt_network_link_t link = {.line = line_of(r), .one_way = directed ? strcmp(directed, "true") == 0 : r->one_way};

	for (unsigned i = 0; i < 2; i++) {
		int status;

		if (!ends[i] || !*ends[i]) {
			return xt_network_refuse(r->network, link.line, r->diag,
				"an edge without %s; give it source and target", i ? "target" : "source");
		}
		status = xt_network_node(r->network, ends[i], strlen(ends[i]), link.line, &link.node[i], r->diag);
		if (status != XT_OK) {
			return status;
		}
		link.port[i] = port_of(attribute(attributes, i ? "targetport" : "sourceport"));
	}
	return xt_network_link(r->network, link, r->diag);
}

static int begin_node(reader_t *r, const char **attributes)
{
	const char *id = attribute(attributes, "id");
	unsigned long line = line_of(r);
	uint32_t node;
	int status;

	if (!id || !*id) {
		return xt_network_refuse(r->network, line, r->diag, "a node without id; give it one");
	}
	if ((status = xt_network_node(r->network, id, strlen(id), line, &node, r->diag)) != XT_OK) {
		return status;
	}
	if (r->network->nodes[node].declared) {
		return xt_network_refuse(r->network, line, r->diag,
			"node \"%.60s\" is there twice, since line %lu; leave one out", id,
			r->network->nodes[node].line);
	}
	r->network->nodes[node].declared = true;
	r->network->nodes[node].line = line;
	r->node[r->depth] = node;
	return XT_OK;
}

static void take_key(reader_t *r, const char **attributes)
{
	const char *id = attribute(attributes, "id"), *of = attribute(attributes, "for"),
		   *name = attribute(attributes, "attr.name");

	if (id && name && (!of || strcmp(of, "node") == 0 || strcmp(of, "all") == 0) && strlen(id) < KEY_SIZE &&
		(strcmp(name, "label") == 0 ||
			((strcmp(name, "name") == 0 || strcmp(name, "Label") == 0) && !*r->label_key))) {
		snprintf(r->label_key, sizeof(r->label_key), "%s", id);
	}
}

static void begin(void *context, const char *element, const char **attributes)
{
	reader_t *r = context;
	const char *name = local_name(element), *key;
	int status = XT_OK;

	if (++r->depth >= MOST_DEPTH) {
		r->depth = MOST_DEPTH - 1;
		stop(r, xt_network_refuse(r->network, line_of(r), r->diag,
				"more than %d elements in one another; flatten the graph", MOST_DEPTH));
		return;
	}
	r->node[r->depth] = r->node[r->depth - 1];
	if (r->depth == 1 && strcmp(name, "graphml") != 0) {
		status = xt_network_refuse(r->network, line_of(r), r->diag,
			"<%.40s> is no GraphML; save the network as GraphML, whose first element is <graphml>", name);
	} else if (strcmp(name, "graph") == 0) {
		key = attribute(attributes, "edgedefault");
		r->one_way = key && strcmp(key, "directed") == 0;
		r->seen_graph = true;
	} else if (strcmp(name, "key") == 0) {
		take_key(r, attributes);
	} else if (strcmp(name, "node") == 0) {
		status = begin_node(r, attributes);
	} else if (strcmp(name, "edge") == 0) {
		r->node[r->depth] = UINT32_MAX;
		status = begin_edge(r, attributes);
	} else if (strcmp(name, "hyperedge") == 0) {
		status = xt_network_refuse(
			r->network, line_of(r), r->diag, "a hyperedge; a link joins two nodes: write edges");
	} else if (strcmp(name, "data") == 0) {
		key = attribute(attributes, "key");
		r->takes_label =
			key && *r->label_key && strcmp(key, r->label_key) == 0 && r->node[r->depth] != UINT32_MAX;
		r->label_length = 0;
	}
	stop(r, status);
}

static void end(void *context, const char *element)
{
	reader_t *r = context;

	(void)element;
	if (r->takes_label) {
		r->takes_label = false;
		stop(r, xt_network_label(r->network, r->node[r->depth], r->label, r->label_length, r->diag));
	}
	r->depth -= r->depth > 0;
}

static void take_text(void *context, const char *text, int length)
{
	reader_t *r = context;
	size_t room = LABEL_SIZE - r->label_length, taken = (size_t)length < room ? (size_t)length : room;

	if (r->takes_label) {
		memcpy(r->label + r->label_length, text, taken);
		r->label_length += taken;
	}
}

/* Entities can make a large text of a small one. */
static void begin_doctype(void *context, const char *name, const char *system, const char *public, int internal)
{
	reader_t *r = context;

	(void)name;
	(void)system;
	(void)public;
	if (internal) {
		stop(r, xt_network_refuse(r->network, line_of(r), r->diag,
				"a document type with declarations of its own; leave <!DOCTYPE out"));
	}
}

static int parse(reader_t *r, const char *text, size_t size)
{
	XML_SetUserData(r->parser, r);
	XML_SetElementHandler(r->parser, begin, end);
	XML_SetCharacterDataHandler(r->parser, take_text);
	XML_SetStartDoctypeDeclHandler(r->parser, begin_doctype);
	if (XML_Parse(r->parser, text, (int)size, 1) != XML_STATUS_OK && r->status == XT_OK) {
		return xt_network_refuse(r->network, line_of(r), r->diag,
			"column %lu: %s; mend the XML, or save the network again",
			(unsigned long)XML_GetCurrentColumnNumber(r->parser) + 1,
			XML_ErrorString(XML_GetErrorCode(r->parser)));
	}
	if (r->status == XT_OK && !r->seen_graph) {
		return xt_network_refuse(r->network, line_of(r), r->diag, "no <graph>; save the network again");
	}
	return r->status == XT_OK ? xt_network_all_declared(r->network, "there is no <node> of this id", r->diag)
				  : r->status;
}

static int read_graphml(xt_network_t *n, char *text, size_t size, xt_diag_t *diag)
{
	reader_t *r = calloc(1, sizeof(*r));
	int status = XT_ERR_NOMEM;

	if (r && (r->parser = XML_ParserCreate(NULL)) != NULL) {
		r->network = n;
		r->diag = diag;
		r->node[0] = UINT32_MAX;
		status = parse(r, text, size);
		XML_ParserFree(r->parser);
	} else {
		status = xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", n->path);
	}
	free(r);
	return status;
}

static bool recognise(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '<';
}

const xt_network_format_t xt_network_graphml = {
	.name = "GraphML",
	.suffixes = ".graphml .xml",
	.recognise = recognise,
	.read = read_graphml,
};
