/* SPDX-License-Identifier: Apache-2.0 */
#include "image_bytes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/input_file.h"
#include "image_format.h"

enum {
	LEAST_SIZE = XT_IMAGE_MAGIC_SIZE + 4 + XT_IMAGE_CRC_SIZE,
	WINDOW = 1 << 16,
};

static const size_t MOST_BYTES = 1 << 30;

static bool is_image(const uint8_t *bytes, size_t size)
{
	return size >= LEAST_SIZE && memcmp(bytes, XT_IMAGE_MAGIC, XT_IMAGE_MAGIC_SIZE) == 0;
}

static int no_image(const char *name, xt_diag_t *diag)
{
	return xt_fail(diag, XT_ERR_FORMAT, "%.200s: not a routing image (made by extorus route)", name);
}

static int unreadable(const char *name, xt_diag_t *diag)
{
	/* Without an error there were fewer bytes than there should be. */
	return xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", name, xt_input_error(errno ? errno : EIO));
}

static uint32_t little_endian(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static int check_crc(xt_image_bytes_t *b, uint32_t crc, const char *name, xt_diag_t *diag)
{
	b->at = XT_IMAGE_MAGIC_SIZE;
	return crc == b->stored ? XT_OK
				: xt_fail(diag, XT_ERR_FORMAT,
					  "%.200s: damaged or cut off: the CRC at byte %zu is wrong; make the image "
					  "again with extorus route",
					  name, b->size);
}

int xt_image_bytes_of(const void *bytes, size_t size, const char *name, xt_image_bytes_t *out, xt_diag_t *diag)
{
	*out = (xt_image_bytes_t){.held = bytes, .file = -1};
	if (!is_image(bytes, size)) {
		return no_image(name, diag);
	}
	out->size = out->end = size - XT_IMAGE_CRC_SIZE;
	out->stored = little_endian(out->held + out->size);
	out->crc = (uint32_t)crc32_z(0, bytes, out->size);
	return check_crc(out, out->crc, name, diag);
}

/* As many bytes as there are, up to `room`; less than 0: errno says why. */
static ssize_t read_full(int file, uint8_t *bytes, size_t room)
{
	size_t got = 0;
	ssize_t more = 1;

	while (got < room && more > 0) {
		more = xt_input_read(file, bytes + got, room - got);
		got += more > 0 ? (size_t)more : 0;
	}
	return more < 0 ? more : (ssize_t)got;
}

/* The next part of the file; what is held of it from `at` on stays. */
static int fill(xt_image_bytes_t *b)
{
	const size_t kept = b->end - b->at, left = b->size - b->end,
		     wanted = left < WINDOW - kept ? left : WINDOW - kept;

	memmove(b->window, b->held + (b->at - b->first), kept);
	b->held = b->window;
	b->first = b->at;
	if (read_full(b->file, b->window + kept, wanted) != (ssize_t)wanted) {
		return 0;
	}
	b->crc = (uint32_t)crc32_z(b->crc, b->window + kept, wanted);
	b->end += wanted;
	return 1;
}

/* Reads the whole file once, for its CRC. */
static int scan(xt_image_bytes_t *b, const char *name, xt_diag_t *diag)
{
	uint8_t stored[XT_IMAGE_CRC_SIZE];
	uint32_t crc;

	errno = 0;
	while (b->end < b->size && fill(b)) {
		if (b->first == 0 && !is_image(b->held, b->size + XT_IMAGE_CRC_SIZE)) {
			return no_image(name, diag);
		}
		b->at = b->end;
	}
	if (b->end < b->size || read_full(b->file, stored, sizeof(stored)) != sizeof(stored) ||
		lseek(b->file, 0, SEEK_SET) != 0) {
		return unreadable(name, diag);
	}
	b->stored = little_endian(stored);
	crc = b->crc;
	b->first = b->end = b->at = 0;
	b->crc = 0;
	return fill(b) ? check_crc(b, crc, name, diag) : unreadable(name, diag);
}

/* All that comes out of a pipe, but no more than the first bytes of what is no image. */
static int read_all(xt_image_bytes_t *b, const char *name, xt_diag_t *diag)
{
	size_t room = 0, size = 0;
	ssize_t got = 1;
	xt_image_bytes_t held;
	int status;

	while (got > 0) {
		if (size == room) {
			uint8_t *larger = realloc(b->window, room = room ? 2 * room : WINDOW);

			if (!larger) {
				return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", name);
			}
			b->window = larger;
		}
		got = read_full(b->file, b->window + size, room - size);
		size += got > 0 ? (size_t)got : 0;
		if (got < 0) {
			return unreadable(name, diag);
		}
		if (!is_image(b->window, size) || size > MOST_BYTES) {
			return no_image(name, diag);
		}
	}
	status = xt_image_bytes_of(b->window, size, name, &held, diag);
	held.window = b->window;
	close(b->file);
	*b = held;
	return status;
}

int xt_image_bytes_open(const char *path, xt_image_bytes_t *out, xt_diag_t *diag)
{
	struct stat info;
	int status;

	*out = (xt_image_bytes_t){.file = -1};
	status = xt_input_descriptor(path, &out->file, diag);
	if (status != XT_OK) {
		out->file = -1;
		return status;
	}
	if (fstat(out->file, &info) != 0) {
		return unreadable(path, diag);
	}
	if (!S_ISREG(info.st_mode)) {
		return read_all(out, path, diag);
	}
	if (info.st_size < LEAST_SIZE || (uintmax_t)info.st_size > MOST_BYTES) {
		return no_image(path, diag);
	}
	out->size = (size_t)info.st_size - XT_IMAGE_CRC_SIZE;
	out->held = out->window = malloc(WINDOW);
	return out->window ? scan(out, path, diag) : xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);
}

void xt_image_bytes_close(xt_image_bytes_t *b)
{
	if (b->file >= 0) {
		close(b->file);
	}
	free(b->window);
}

const uint8_t *xt_image_bytes_next(xt_image_bytes_t *b, size_t count)
{
	if (b->at + count > b->end && (b->file < 0 || !fill(b))) {
		return NULL;
	}
	return b->held + (b->at - b->first);
}

int xt_image_bytes_same(const xt_image_bytes_t *b)
{
	return b->crc == b->stored;
}
