/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "extorus/error.h"

enum { XT_LONGEST_LINE = 1 << 20 };

/* Reads a line without its end into *line, which grows as getline's does. 1: a line. 0: the file is over, or cannot be
 * read. -1: a zero byte, more than XT_LONGEST_LINE characters, or no memory; *line has what comes before. */
int xt_line_read(FILE *file, char **line, size_t *room);
/* Takes away the byte-order mark with which some editors and spreadsheets begin the first line. */
void xt_line_drop_mark(char *line);

/* Takes a line, counted from 1, of the file that its context knows. */
typedef int (*xt_line_take_t)(void *context, unsigned long line, char *text, xt_diag_t *diag);

/* Gives every line of the file to `take`, until that fails; *lines: how many came. For messages `path` names the file,
 * and `what` says what it is not if a line is none. */
int xt_lines_take(FILE *file, const char *path, const char *what, xt_line_take_t take, void *context,
	unsigned long *lines, xt_diag_t *diag);
/* Likewise of the file at `path`. */
int xt_lines_read(const char *path, const char *what, xt_line_take_t take, void *context, xt_diag_t *diag);
