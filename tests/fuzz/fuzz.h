/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets share. Each NAME.c defines LLVMFuzzerTestOneInput, which must return on any input;
 * a property that does not hold ends the program. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_ASSERT(condition)                                                                  \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                                \
		}                                                                               \
	} while (0)

/* A string in memory of its own size, so that reading beyond its end is found; free() it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_ASSERT(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* True for success; a refusal must say why, in one line. */
static inline int fuzz_ok(int status, const xt_diag_t *diag)
{
	FUZZ_ASSERT(status <= 0);
	FUZZ_ASSERT(status == 0 || (diag->text[0] && !strchr(diag->text, '\n')));
	return status == 0;
}
