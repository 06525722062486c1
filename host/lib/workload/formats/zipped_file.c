/* SPDX-License-Identifier: Apache-2.0
 *
 * Files plain or compressed by gzip. Behind the last compressed part anything may stand, as gzip allows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/input_file.h"
#include "formats.h"

enum { GZIP = 16 + MAX_WBITS, MAGIC_0 = 0x1f, MAGIC_1 = 0x8b };

typedef struct {
	int fd;
	int begun, zipped, within; /* `within` a part that is compressed */
	z_stream z;
	unsigned char in[1 << 16];
} zipped_t;

/* More bytes behind those that are there. As read(2). */
static ssize_t fetch(zipped_t *f)
{
	ssize_t got;

	if (f->z.avail_in) {
		memmove(f->in, f->z.next_in, f->z.avail_in);
	}
	f->z.next_in = f->in;
	got = xt_input_read(f->fd, f->in + f->z.avail_in, sizeof(f->in) - f->z.avail_in);
	f->z.avail_in += got > 0 ? (unsigned)got : 0;
	return got;
}

static int is_zipped(const zipped_t *f)
{
	return f->z.avail_in >= 2 && f->z.next_in[0] == MAGIC_0 && f->z.next_in[1] == MAGIC_1;
}

static void copy(z_stream *z)
{
	unsigned count = z->avail_in < z->avail_out ? z->avail_in : z->avail_out;

	memcpy(z->next_out, z->next_in, count);
	z->next_in += count;
	z->avail_in -= count;
	z->next_out += count;
	z->avail_out -= count;
}

/* 1: something may have come; 0: the end; -1: errno says why. */
static ssize_t step(zipped_t *f)
{
	int result;

	if (f->begun && !f->zipped) {
		copy(&f->z);
		return 1;
	}
	if (!f->within) {
		while (f->z.avail_in < 2) {
			ssize_t got = fetch(f);

			if (got < 0) {
				return -1;
			}
			if (got == 0) {
				break;
			}
		}
		f->zipped |= !f->begun && is_zipped(f);
		f->begun = 1;
		f->within = is_zipped(f);
		return f->within ? inflateReset(&f->z) == Z_OK : !f->zipped && f->z.avail_in;
	}
	result = inflate(&f->z, Z_NO_FLUSH);
	f->within = result != Z_STREAM_END;
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
		errno = EBADMSG;
		return -1;
	}
	return 1;
}

static ssize_t read_some(void *cookie, char *text, size_t size)
{
	zipped_t *f = cookie;
	const unsigned room = size < (1u << 30) ? (unsigned)size : 1u << 30;

	f->z.next_out = (unsigned char *)text;
	f->z.avail_out = room;
	while (f->z.avail_out == room) {
		ssize_t got = f->z.avail_in ? 1 : fetch(f);

		if (got == 0 && f->within) {
			errno = EBADMSG; /* cut off */
			return -1;
		}
		got = got > 0 ? step(f) : got;
		if (got <= 0) {
			return got;
		}
	}
	return room - f->z.avail_out;
}

static int close_it(void *cookie)
{
	zipped_t *f = cookie;
	int status = close(f->fd);

	inflateEnd(&f->z);
	free(f);
	return status;
}

int xt_trace_open(const char *path, FILE **out, xt_diag_t *diag)
{
	int fd, status = xt_input_descriptor(path, &fd, diag);
	zipped_t *f;

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	f = calloc(1, sizeof(*f));
	if (f && inflateInit2(&f->z, GZIP) == Z_OK) {
		f->fd = fd;
		*out = fopencookie(f, "r", (cookie_io_functions_t){read_some, NULL, NULL, close_it});
		if (*out) {
			return XT_OK;
		}
		inflateEnd(&f->z);
	}
	free(f);
	close(fd);
	return xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);
}
