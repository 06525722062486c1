/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_line.h"

int xt_text_line(xt_text_t *text)
{
	int read;

	while (text->line < UINT32_MAX && (read = xt_line_read(text->file, &text->text, &text->room)) != 0) {
		text->line++;
		if (!text->text) {
			return 0; /* no memory for the first line, so that the header is missing */
		}
		if (read < 0) {
			/* Not text: no reader knows this word. */
			strcpy(text->text, "?");
		}
		text->text[strcspn(text->text, "\r")] = '\0';
		text->rest = text->text;
		if (text->line == 1) {
			xt_line_drop_mark(text->text);
		}
		if (text->text[strspn(text->text, " \t")]) {
			return 1;
		}
	}
	return 0;
}

char *xt_text_word(xt_text_t *text)
{
	char *word = text->rest + strspn(text->rest, " \t");

	if (!*word) {
		return NULL;
	}
	text->rest = word + strcspn(word, " \t");
	if (*text->rest) {
		*text->rest++ = '\0';
	}
	return word;
}

int xt_text_fail(const xt_text_t *text, const char *format, ...)
{
	char message[400];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	for (char *c = message; *c; c++) {
		*c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
	}
	return xt_fail(text->diag, XT_ERR_FORMAT, "%.100s:%" PRIu32 ": %s", text->name, text->line, message);
}

int xt_word_number(const char *word, uint64_t most, uint64_t *value)
{
	*value = 0;
	if (!*word) {
		return 0;
	}
	for (; *word; word++) {
		unsigned digit = (unsigned)(*word - '0');

		if (digit > 9 || digit > most || *value > (most - digit) / 10) {
			return 0;
		}
		*value = *value * 10 + digit;
	}
	return 1;
}

int xt_text_number(xt_text_t *text, const char *what, uint64_t most, uint64_t *value)
{
	const char *word = xt_text_word(text);

	if (!word) {
		return xt_text_fail(text, "the line ends before %s", what);
	}
	if (!xt_word_number(word, most, value)) {
		return xt_text_fail(text, "%s \"%.40s\" is not a number from 0 to %" PRIu64, what, word, most);
	}
	return XT_OK;
}

int xt_text_end(xt_text_t *text)
{
	const char *word = xt_text_word(text);

	return word ? xt_text_fail(text, "\"%.40s\" is too much on this line", word) : XT_OK;
}
