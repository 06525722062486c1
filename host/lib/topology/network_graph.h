/* SPDX-License-Identifier: Apache-2.0
 *
 * A network as a file describes it: nodes with names, and links with their lines. A reader of a format fills it in;
 * xt_network_wire makes cards and ports of it. */
#pragma once

#include <stddef.h>

#include "wiring.h"

enum { XT_NO_PORT = -1, XT_NO_LINE = 0 };

typedef struct {
	char *key;          /* by which the file refers to it */
	char *label;        /* for people; NULL: the key */
	unsigned long line; /* that declares it, or mentions it first */
	bool declared;
	bool host; /* an end node of a dump of InfiniBand */
	uint64_t guid;
	uint32_t lid;
	uint32_t terminals; /* end nodes that the file hangs on it and that are no nodes here */
	uint32_t next;      /* in the chain of its hash, plus 1 */
} xt_network_node_t;

typedef struct {
	uint32_t node[2];
	int32_t port[2]; /* as numbered in the file, or XT_NO_PORT */
	unsigned long line;
	bool one_way; /* a mention in the other direction is the same link */
} xt_network_link_t;

typedef struct xt_network {
	const char *path;
	xt_network_node_t *nodes;
	xt_network_link_t *links;
	size_t node_count, node_room, link_count, link_room;
	uint32_t *heads; /* of the chains; node_room of them */
} xt_network_t;

/* XT_ERR_INVALID with "path:line: text". */
int xt_network_refuse(const xt_network_t *network, unsigned long line, xt_diag_t *diag, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* The node of this key; it is added if it is new. XT_ERR_NOMEM, or XT_ERR_RANGE for too many. */
int xt_network_node(
	xt_network_t *network, const char *key, size_t length, unsigned long line, uint32_t *node, xt_diag_t *diag);
/* Takes the place of the label that is there. */
int xt_network_label(xt_network_t *network, uint32_t node, const char *label, size_t length, xt_diag_t *diag);
int xt_network_link(xt_network_t *network, xt_network_link_t link, xt_diag_t *diag);
/* XT_ERR_INVALID for the first node that is mentioned but not declared; `what` declares nodes. */
int xt_network_all_declared(const xt_network_t *network, const char *what, xt_diag_t *diag);
void xt_network_clear(xt_network_t *network);

/* Cards and ports of the network, more than the profile has only if it `may_be_wide`. Nodes whose keys are all numbers
 * are in the order of the numbers, others in the order of the file; likewise the ports of a card. */
int xt_network_wire(
	xt_network_t *network, const xt_profile_t *profile, bool may_be_wide, xt_wiring_t **out, xt_diag_t *diag);

/* What JSON and drawings cannot show becomes a question mark. */
void xt_network_make_printable(char *text);
/* Cuts the next line off *text and ends it with a zero, without spaces at its end; NULL: there is none. */
char *xt_network_cut_line(char **text);
/* Likewise the next word of a line, which any of `between` ends. */
char *xt_network_cut_word(char **line, const char *between);

/* Formats, in the order in which a text is tried. */
typedef struct {
	const char *name;
	/* Of names of files, separated by spaces: they decide before the text does. */
	const char *suffixes;
	bool (*recognise)(const char *text);
	/* `text` ends with a zero and may be written to. */
	int (*read)(xt_network_t *network, char *text, size_t size, xt_diag_t *diag);
} xt_network_format_t;

extern const xt_network_format_t xt_network_graphml, xt_network_infiniband, xt_network_slurm, xt_network_dot,
	xt_network_anynet, xt_network_edge_list;
