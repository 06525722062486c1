/* SPDX-License-Identifier: Apache-2.0 */
#include "help_examples.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MARGIN = 79 }; /* of argp */

static const char break_text[] = " \\\n      ";
enum { INDENT = sizeof(break_text) - sizeof(" \\\n") };

static size_t right_margin(void)
{
	const char *format = getenv("ARGP_HELP_FMT"), *at = format ? strstr(format, "rmargin=") : NULL;
	const unsigned long margin = at ? strtoul(at + strlen("rmargin="), NULL, 10) : 0;

	return margin ? margin : DEFAULT_MARGIN;
}

/* The last blank before `room` characters that is not quoted and separates words, if possible before an option; 0:
 * none. */
static size_t find_break(const char *line, size_t length, size_t room)
{
	size_t any = 0, option = 0;
	char quote = '\0';

	for (size_t i = 0; i < length && i < room; i++) {
		if (line[i] == '\'' || line[i] == '"') {
			quote = quote == line[i] ? '\0' : quote ? quote : line[i];
		} else if (line[i] == ' ' && !quote && i > 0 && line[i - 1] != ' ') {
			any = i;
			option = line[i + 1] == '-' ? i : option;
		}
	}
	return option ? option : any;
}

static void write_line(FILE *out, const char *line, size_t length, size_t margin)
{
	size_t room = margin, cut;

	while (length >= room && (cut = find_break(line, length, room - strlen(" \\"))) > 0) {
		fprintf(out, "%.*s%s", (int)cut, line, break_text);
		line += cut + 1;
		length -= cut + 1;
		room = margin - INDENT;
	}
	fprintf(out, "%.*s", (int)length, line);
}

char *xt_help_examples(const char *text)
{
	const size_t margin = right_margin();
	const char *one = strstr(text, "Example:\n"), *examples = one ? one : strstr(text, "Examples:\n");
	char *made = NULL;
	size_t size;
	FILE *out = examples ? open_memstream(&made, &size) : NULL;

	if (!out) {
		return NULL;
	}
	fprintf(out, "%.*s", (int)(examples - text), text);
	for (const char *line = examples; *line;) {
		const size_t length = strcspn(line, "\n");

		write_line(out, line, length, *line == ' ' ? margin : SIZE_MAX);
		line += length;
		if (*line) {
			fputc(*line++, out);
		}
	}
	if (fclose(out) != 0) {
		free(made);
		return NULL;
	}
	return made;
}
