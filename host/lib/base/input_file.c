/* SPDX-License-Identifier: Apache-2.0 */
#include "input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extorus/number_text.h"

static int check(int fd, const char *path, xt_diag_t *diag)
{
	struct pollfd writer = {.fd = fd, .events = POLLIN};
	struct stat info;
	unsigned seconds;

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
	return xt_wait_seconds(XT_SILENCE_SECONDS, &seconds, diag);
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

ssize_t xt_input_read(int fd, void *bytes, size_t room)
{
	struct pollfd writer = {.fd = fd, .events = POLLIN};
	struct stat info;
	unsigned seconds;
	ssize_t got;
	int ready = 1;

	if (fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode) &&
		xt_wait_seconds(XT_SILENCE_SECONDS, &seconds, NULL) == XT_OK) {
		while ((ready = poll(&writer, 1, (int)seconds * 1000)) < 0 && errno == EINTR) {
		}
	}
	if (ready == 0) {
		errno = ETIMEDOUT;
		return -1;
	}
	while ((got = read(fd, bytes, room)) < 0 && errno == EINTR) {
	}
	return got;
}

const char *xt_input_error(int error)
{
	return error == ETIMEDOUT ? "nobody writes into this pipe any more" : strerror(error);
}

static ssize_t read_some(void *cookie, char *bytes, size_t room)
{
	return xt_input_read((int)(intptr_t)cookie, bytes, room);
}

static int close_it(void *cookie)
{
	return close((int)(intptr_t)cookie);
}

int xt_input_open(const char *path, FILE **out, xt_diag_t *diag)
{
	int fd, status = xt_input_descriptor(path, &fd, diag);
	struct stat info;

	*out = NULL;
	if (status == XT_OK) {
		*out = fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode)
			       ? fopencookie((void *)(intptr_t)fd, "r",
					 (cookie_io_functions_t){read_some, NULL, NULL, close_it})
			       : fdopen(fd, "rb");
	}
	if (status == XT_OK && !*out) {
		status = xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);
		close(fd);
	}
	return status;
}
