/* SPDX-License-Identifier: Apache-2.0
 *
 * A result as one page of HTML that needs nothing else: no network, no script, no other file. */
#pragma once

#include <stdio.h>

#include "options/options.h"

/* The words of a command line as a shell takes them; freed with free(), NULL without memory. Reading options changes
 * the words, so this comes before. */
char *xt_command_line(int argc, char **argv);

/* Up to the heading and the command line. Write errors stay in the stream. */
void xt_html_begin(FILE *page, const char *title, const char *command_line);
void xt_html_end(FILE *page);
void xt_html_heading(FILE *page, const char *text);
/* A paragraph; texts are escaped here and below. */
void xt_html_paragraph(FILE *page, const char *text);

/* A list of objects with the same names, a row each. */
void xt_html_rows(FILE *page, const char *caption, const json_t *rows);
/* An object: what is no object or list in one table, each other member in a table of its own. */
void xt_html_object(FILE *page, const char *caption, const json_t *object);

/* The SVG that `draw` writes, with `text` for who does not see the picture. `number` differs on a page. */
int xt_html_picture(FILE *page, unsigned number, const char *text, xt_write_t draw, void *context, xt_diag_t *diag);
