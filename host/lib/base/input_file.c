/* SPDX-License-Identifier: Apache-2.0 */
#include "input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check(int fd, const char *path, xt_diag_t *diag)
{
	struct pollfd writer = {.fd = fd, .events = POLLIN};
	struct stat info;

	if (fd < 0 || fstat(fd, &info) != 0) {
		return xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", path, strerror(errno));
	}
	if (S_ISDIR(info.st_mode)) {
		return xt_fail(diag, XT_ERR_IO, "%.200s: is a folder; give the name of a file", path);
	}
	if (S_ISFIFO(info.st_mode) && poll(&writer, 1, XT_OTHER_END_MS) <= 0) {
		return xt_fail(diag, XT_ERR_IO, "%.200s: a pipe into which nobody wrote for %d s", path,
			XT_OTHER_END_MS / 1000);
	}
	/* Opened without waiting, read with. */
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) < 0) {
		return xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", path, strerror(errno));
	}
	return XT_OK;
}

int xt_input_descriptor(const char *path, int *fd, xt_diag_t *diag)
{
	int status;

	*fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	status = check(*fd, path, diag);
	if (status != XT_OK && *fd >= 0) {
		close(*fd);
	}
	return status;
}

int xt_input_open(const char *path, FILE **out, xt_diag_t *diag)
{
	int fd, status = xt_input_descriptor(path, &fd, diag);

	*out = status == XT_OK ? fdopen(fd, "rb") : NULL;
	if (status == XT_OK && !*out) {
		status = xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);
		close(fd);
	}
	return status;
}
