/* SPDX-License-Identifier: Apache-2.0 */
#include "text_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input_file.h"

void xt_line_drop_mark(char *line)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t length = sizeof(mark) - 1;

	if (strncmp(line, mark, length) == 0) {
		memmove(line, line + length, strlen(line + length) + 1);
	}
}

int xt_line_read(FILE *file, char **line, size_t *room)
{
	size_t length = 0;
	int c, status = 1;

	while ((c = getc_unlocked(file)) != EOF && c != '\n' && status > 0) {
		if (length + 1 >= *room) {
			char *larger = realloc(*line, 2 * *room + 256);

			if (!larger) {
				return -1;
			}
			*line = larger;
			*room = 2 * *room + 256;
		}
		status = c == '\0' || length == XT_LONGEST_LINE ? -1 : 1;
		(*line)[length++] = (char)c;
	}
	if (c == EOF && length == 0) {
		return 0;
	}
	if (!*line && !(*line = malloc(*room = 256))) {
		return -1;
	}
	length -= status < 0 || (length && (*line)[length - 1] == '\r');
	(*line)[length] = '\0';
	return status;
}

int xt_lines_take(FILE *file, const char *path, const char *what, xt_line_take_t take, void *context,
	unsigned long *lines, xt_diag_t *diag)
{
	char *text = NULL;
	size_t room = 0;
	int status = XT_OK, read;

	*lines = 0;
	errno = 0;
	while (status == XT_OK && (read = xt_line_read(file, &text, &room)) != 0) {
		if (++*lines == 1 && read > 0) {
			xt_line_drop_mark(text);
		}
		status = read > 0 ? take(context, *lines, text, diag)
				  : xt_fail(diag, XT_ERR_INVALID,
					    "%.200s:%lu: a zero byte, or over %d characters; this is no %s", path,
					    *lines, XT_LONGEST_LINE, what);
	}
	free(text);
	return status == XT_OK && ferror(file)
		       ? xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", path, xt_input_error(errno))
		       : status;
}

int xt_lines_read(const char *path, const char *what, xt_line_take_t take, void *context, xt_diag_t *diag)
{
	unsigned long lines;
	FILE *file;
	int status = xt_input_open(path, &file, diag);

	if (status != XT_OK) {
		return status;
	}
	status = xt_lines_take(file, path, what, take, context, &lines, diag);
	fclose(file);
	return status;
}
