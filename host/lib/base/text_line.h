/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdio.h>

enum { XT_LONGEST_LINE = 1 << 20 };

/* Reads a line without its end into *line, which grows as getline's does. 1: a line. 0: the file is over, or cannot be
 * read. -1: a zero byte, more than XT_LONGEST_LINE characters, or no memory; *line has what comes before. */
int xt_line_read(FILE *file, char **line, size_t *room);
