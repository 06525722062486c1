/* SPDX-License-Identifier: Apache-2.0 */
#include "text_line.h"

#include <stdlib.h>

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
