/* SPDX-License-Identifier: Apache-2.0 */
#include "dot_tokens.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Spaces, comments, and lines that begin with #. */
static int skip_spaces(xt_dot_tokens_t *t)
{
	for (;;) {
		char *c = t->rest, *end;

		if (*c == '\n') {
			t->line_of_rest++;
			t->rest = c[1] == '#' ? c + 1 + strcspn(c + 1, "\n") : c + 1;
		} else if (isspace((unsigned char)*c)) {
			t->rest++;
		} else if (*c == '/' && c[1] == '/') {
			t->rest += strcspn(c, "\n");
		} else if (*c == '/' && c[1] == '*') {
			end = strstr(c + 2, "*/");
			if (!end) {
				return xt_network_refuse(t->network, t->line_of_rest, t->diag,
					"a comment that does not end; close it by */");
			}
			for (; c < end; c++) {
				t->line_of_rest += *c == '\n';
			}
			t->rest = end + 2;
		} else {
			return XT_OK;
		}
	}
}

/* A quoted text in place, without its quotes and backslashes; others may be added by +. */
static int take_quoted(xt_dot_tokens_t *t)
{
	char *to = t->rest;

	t->text = to;
	t->sign = '"';
	for (;;) {
		char *from = t->rest + 1;
		xt_dot_tokens_t ahead;

		while (*from != '"') {
			if (*from == '\0') {
				return xt_network_refuse(
					t->network, t->line, t->diag, "a text that does not end; close it by \"");
			}
			t->line_of_rest += *from == '\n';
			if (*from == '\\' && from[1] == '\n') {
				t->line_of_rest++;
				from += 2;
			} else {
				from += *from == '\\' && (from[1] == '"' || from[1] == '\\');
				*to++ = *from++;
			}
		}
		t->rest = from + 1;
		t->length = (size_t)(to - t->text);
		ahead = *t;
		if (skip_spaces(&ahead) != XT_OK || *ahead.rest != '+') {
			return XT_OK;
		}
		ahead.rest++;
		if (skip_spaces(&ahead) != XT_OK || *ahead.rest != '"') {
			return xt_network_refuse(
				t->network, ahead.line_of_rest, t->diag, "no text after +; write \"...\"");
		}
		*t = ahead;
	}
}

static int take_html(xt_dot_tokens_t *t)
{
	unsigned depth = 0;
	char *c = t->rest;

	t->text = c;
	t->sign = '<';
	do {
		if (*c == '\0') {
			return xt_network_refuse(t->network, t->line, t->diag, "HTML that does not end; close it by >");
		}
		depth += *c == '<';
		depth -= *c == '>';
		t->line_of_rest += *c == '\n';
		c++;
	} while (depth);
	t->length = (size_t)(c - t->rest);
	t->rest = c;
	return XT_OK;
}

static int take_plain(xt_dot_tokens_t *t)
{
	char *c = t->rest;

	if (in_name(*c) && !isdigit((unsigned char)*c)) {
		while (in_name(*c)) {
			c++;
		}
	} else {
		c += *c == '-';
		while (isdigit((unsigned char)*c) || *c == '.') {
			c++;
		}
	}
	t->text = t->rest;
	t->length = (size_t)(c - t->rest);
	t->rest = c;
	return XT_OK;
}

int xt_dot_next(xt_dot_tokens_t *t)
{
	int status = skip_spaces(t);
	const char *c = t->rest;

	if (status != XT_OK) {
		return status;
	}
	t->line = t->line_of_rest;
	t->sign = '\0';
	t->length = 0;
	t->kind = *c ? XT_DOT_ID : XT_DOT_END;
	if (*c == '\0') {
		return XT_OK;
	}
	if (*c == '-' && (c[1] == '-' || c[1] == '>')) {
		t->kind = XT_DOT_EDGE;
		t->sign = c[1];
		t->rest += 2;
		return XT_OK;
	}
	if (strchr("{}[]=;,:", *c)) {
		t->kind = XT_DOT_SIGN;
		t->sign = *c;
		t->rest++;
		return XT_OK;
	}
	if (*c == '"') {
		return take_quoted(t);
	}
	if (*c == '<') {
		return take_html(t);
	}
	if (in_name(*c) || *c == '.' || (*c == '-' && (isdigit((unsigned char)c[1]) || c[1] == '.'))) {
		return take_plain(t);
	}
	return xt_network_refuse(
		t->network, t->line, t->diag, "\"%c\" begins no word of DOT; put names with signs into quotes", *c);
}

bool xt_dot_is(const xt_dot_tokens_t *t, const char *word)
{
	return t->kind == XT_DOT_ID && t->sign == '\0' && t->length == strlen(word) &&
	       strncasecmp(t->text, word, t->length) == 0;
}

bool xt_dot_is_sign(const xt_dot_tokens_t *t, char sign)
{
	return t->kind == XT_DOT_SIGN && t->sign == sign;
}
