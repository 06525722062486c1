/* SPDX-License-Identifier: Apache-2.0
 *
 * Files plain or compressed by gzip. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/input_file.h"
#include "formats.h"

static ssize_t read_some(void *cookie, char *text, size_t size)
{
	return gzread(cookie, text, (unsigned)(size < (1u << 30) ? size : 1u << 30));
}

static int seek_to(void *cookie, off64_t *offset, int whence)
{
	z_off_t at = gzseek(cookie, (z_off_t)*offset, whence);

	*offset = at;
	return at < 0 ? -1 : 0;
}

static int close_it(void *cookie)
{
	return gzclose(cookie) == Z_OK ? 0 : -1;
}

/* zlib reads what is not compressed as it is. */
int xt_trace_open(const char *path, FILE **out, xt_diag_t *diag)
{
	int fd, status = xt_input_descriptor(path, &fd, diag);
	gzFile zipped;

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	zipped = gzdopen(fd, "rb");
	*out = zipped ? fopencookie(zipped, "r", (cookie_io_functions_t){read_some, NULL, seek_to, close_it}) : NULL;
	if (!*out) {
		int error = errno;

		if (zipped) {
			gzclose(zipped);
		} else {
			close(fd);
		}
		return xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", path, strerror(error));
	}
	return XT_OK;
}
