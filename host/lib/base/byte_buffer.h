/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of ranks and parts of checkpoints: packed and unpacked in pieces of whole words of 8 bytes. */
#pragma once

#include <stdlib.h>
#include <string.h>

typedef struct {
	void *items;
	size_t count, room;
} xt_bytes_t;

static inline size_t xt_bytes_padded(size_t size)
{
	return (size + 7) / 8 * 8;
}

/* 0: out of memory. */
static inline int xt_bytes_reserve(xt_bytes_t *bytes, size_t room)
{
	void *more = bytes->items;

	if (room > bytes->room) {
		more = realloc(bytes->items, 2 * room);
		if (more) {
			bytes->items = more;
			bytes->room = 2 * room;
		}
	}
	return more != NULL;
}

/* Room for a piece, whose contents come later; NULL: out of memory. */
static inline void *xt_bytes_more(xt_bytes_t *bytes, size_t size)
{
	const size_t at = bytes->count;

	if (!xt_bytes_reserve(bytes, at + xt_bytes_padded(size) + 8)) {
		return NULL;
	}
	bytes->count = at + xt_bytes_padded(size);
	memset((char *)bytes->items + at + size, 0, xt_bytes_padded(size) - size);
	return (char *)bytes->items + at;
}

static inline int xt_bytes_add(xt_bytes_t *bytes, const void *items, size_t size)
{
	void *piece = xt_bytes_more(bytes, size);

	if (piece && size) {
		memcpy(piece, items, size);
	}
	return piece != NULL;
}

/* The next piece of a message; NULL: it is not that long. */
typedef struct {
	const char *at, *end;
} xt_bytes_reader_t;

static inline const void *xt_bytes_next(xt_bytes_reader_t *reader, size_t size)
{
	const char *piece = reader->at;

	if ((size_t)(reader->end - reader->at) < xt_bytes_padded(size)) {
		return NULL;
	}
	reader->at += xt_bytes_padded(size);
	return piece;
}

/* Copies the next piece; 0: the message is not that long. */
static inline int xt_bytes_take(xt_bytes_reader_t *reader, void *items, size_t size)
{
	const void *piece = xt_bytes_next(reader, size);

	if (piece && size) {
		memcpy(items, piece, size);
	}
	return piece != NULL;
}

/* Likewise, into an array of its own, which may be empty. */
static inline int xt_bytes_take_array(xt_bytes_reader_t *reader, void *array, size_t size)
{
	const void *piece = xt_bytes_next(reader, size);
	void *copy = piece ? malloc(size + 1) : NULL;

	if (copy && size) {
		memcpy(copy, piece, size);
	}
	memcpy(array, &copy, sizeof(copy));
	return copy != NULL;
}
