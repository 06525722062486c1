/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of the DOT language. cgraph, which reads them too, keeps global state and prints; a library may not. */
#pragma once

#include "network_graph.h"

typedef enum {
	XT_DOT_END,
	XT_DOT_ID,   /* a name, number, quoted or HTML text */
	XT_DOT_EDGE, /* -- or -> */
	XT_DOT_SIGN, /* one of { } [ ] = ; , : */
} xt_dot_kind_t;

typedef struct {
	const xt_network_t *network;
	char *rest; /* of the text, which the words are cut from and changed in */
	unsigned long line_of_rest;
	xt_diag_t *diag;
	/* The word that comes next. */
	xt_dot_kind_t kind;
	char sign; /* of a sign; > or - of an edge; of an ID: " if it was quoted, < if it is HTML, or 0 */
	const char *text;
	size_t length;
	unsigned long line;
} xt_dot_tokens_t;

/* Reads the next word into `tokens`. XT_ERR_INVALID for what is no word. */
int xt_dot_next(xt_dot_tokens_t *tokens);
/* Whether the next word is this one; the case of its letters does not count. */
bool xt_dot_is(const xt_dot_tokens_t *tokens, const char *word);
bool xt_dot_is_sign(const xt_dot_tokens_t *tokens, char sign);
