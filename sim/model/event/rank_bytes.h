/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages that ranks pack and unpack, in pieces of whole words of 8 bytes. */
#pragma once

#include <stdlib.h>
#include <string.h>

typedef struct {
	void *items;
	size_t count, room;
} rank_bytes_t;

static inline size_t rank_padded(size_t size)
{
	return (size + 7) / 8 * 8;
}

/* 0: out of memory. */
static inline int rank_bytes_reserve(rank_bytes_t *bytes, size_t room)
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
static inline void *rank_bytes_more(rank_bytes_t *bytes, size_t size)
{
	const size_t at = bytes->count;

	if (!rank_bytes_reserve(bytes, at + rank_padded(size) + 8)) {
		return NULL;
	}
	bytes->count = at + rank_padded(size);
	return (char *)bytes->items + at;
}

static inline int rank_bytes_add(rank_bytes_t *bytes, const void *items, size_t size)
{
	void *piece = rank_bytes_more(bytes, size);

	if (piece && size) {
		memcpy(piece, items, size);
	}
	return piece != NULL;
}

/* The next piece of a message; NULL: it is not that long. */
typedef struct {
	const char *at, *end;
} rank_reader_t;

static inline const void *rank_bytes_next(rank_reader_t *reader, size_t size)
{
	const char *piece = reader->at;

	if ((size_t)(reader->end - reader->at) < rank_padded(size)) {
		return NULL;
	}
	reader->at += rank_padded(size);
	return piece;
}
