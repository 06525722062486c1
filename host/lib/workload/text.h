/* SPDX-License-Identifier: Apache-2.0
 *
 * Text files by lines and words, with the line for messages. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "extorus/error.h"

typedef struct {
	FILE *file;
	const char *name;
	char *text; /* the line, taken apart */
	size_t room;
	char *rest; /* what of it was not taken yet */
	uint32_t line;
	xt_diag_t *diag;
} xt_text_t;

/* The next line with a word on it: 1, or 0 at the end. Cuts it at its end and at '\r'. */
int xt_text_line(xt_text_t *text);
/* The next word of the line; NULL behind the last. */
char *xt_text_word(xt_text_t *text);
/* Fails with NAME:LINE and the text. */
int xt_text_fail(const xt_text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The next word as a whole number up to `most`; `what` names it. */
int xt_text_number(xt_text_t *text, const char *what, uint64_t most, uint64_t *value);
/* A whole word as a number. */
int xt_word_number(const char *word, uint64_t most, uint64_t *value);
/* Fails unless the line ends here. */
int xt_text_end(xt_text_t *text);
