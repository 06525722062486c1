/* SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of an image, in memory or in a file, of which a part at a time is in memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "extorus/error.h"

typedef struct {
	const uint8_t *held; /* the bytes from `first` to `end` - 1 */
	size_t first, end;
	size_t at, size; /* the next byte; how many there are, without the CRC at the end */
	int file;        /* -1: all are held */
	uint8_t *window; /* of a file */
	uint32_t crc;    /* of those that have been held */
	uint32_t stored; /* at the end */
} xt_image_bytes_t;

/* Looks at magic and CRC; `at` is behind the magic then. `name` stands for the file in diagnostics. */
int xt_image_bytes_of(const void *bytes, size_t size, const char *name, xt_image_bytes_t *out, xt_diag_t *diag);
/* A file, or what comes out of a pipe. */
int xt_image_bytes_open(const char *path, xt_image_bytes_t *out, xt_diag_t *diag);
/* In any case. */
void xt_image_bytes_close(xt_image_bytes_t *b);
/* The next `count` bytes, at most 4096 and no more than there are, which stay the next. NULL: the file cannot be read
 * any more. */
const uint8_t *xt_image_bytes_next(xt_image_bytes_t *b, size_t count);
/* Whether all that was held, up to the end, is what was looked at. */
int xt_image_bytes_same(const xt_image_bytes_t *b);
