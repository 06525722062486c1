/* SPDX-License-Identifier: Apache-2.0
 *
 * Pipes that are a file descriptor, and a UART, which is one. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "pipe_fd.h"

typedef struct {
	xt_pipe_t pipe;
	int fd, wake, is_socket;
	const char *what; /* for messages */
} fd_pipe_t;

static int fail_io(const fd_pipe_t *p, int error, xt_diag_t *diag)
{
	if (error == EPIPE || error == ECONNRESET || error == EIO || error == ENXIO || error == ENODEV) {
		return xt_fail(
			diag, XT_ERR_GONE, "the %s was closed from the other end; is the board still there?", p->what);
	}
	return xt_fail(diag, XT_ERR_IO, "the %s fails: %s", p->what, strerror(error));
}

/* All bytes within the time-out, and what they take at the lowest rate of a UART: one that takes a byte now and then
 * holds nobody up. */
static int fd_send(xt_pipe_t *pipe, const uint8_t *bytes, size_t count, unsigned timeout_ms, xt_diag_t *diag)
{
	enum { MS_PER_KBYTE = 1100 }; /* 9600 baud */
	fd_pipe_t *p = (fd_pipe_t *)pipe;
	const uint64_t end = xt_now_ms() + timeout_ms + count * MS_PER_KBYTE / 1000;

	while (count) {
		ssize_t sent = p->is_socket ? send(p->fd, bytes, count, MSG_NOSIGNAL) : write(p->fd, bytes, count);

		if (sent > 0) {
			bytes += sent;
			count -= (size_t)sent;
		} else if (sent < 0 && errno == EAGAIN) {
			struct pollfd ready = {.fd = p->fd, .events = POLLOUT};
			const uint64_t now = xt_now_ms();

			if (now >= end || poll(&ready, 1, (int)(end - now)) == 0) {
				return xt_fail(diag, XT_ERR_TIMEOUT, "the board takes no more bytes; reset it");
			}
		} else if (sent < 0 && errno != EINTR) {
			return fail_io(p, errno, diag);
		}
	}
	return XT_OK;
}

static int fd_receive(xt_pipe_t *pipe, uint8_t *bytes, size_t room, unsigned timeout_ms, size_t *count, xt_diag_t *diag)
{
	fd_pipe_t *p = (fd_pipe_t *)pipe;
	struct pollfd ready[2] = {{.fd = p->fd, .events = POLLIN}, {.fd = p->wake, .events = POLLIN}};
	ssize_t got;

	*count = 0;
	if (poll(ready, 2, (int)timeout_ms) <= 0) {
		return XT_OK;
	}
	if (ready[1].revents) {
		uint64_t calls;

		if (read(p->wake, &calls, sizeof(calls)) < 0) {
			return XT_OK;
		}
	}
	if (!ready[0].revents) {
		return XT_OK;
	}
	got = read(p->fd, bytes, room);
	if (got > 0) {
		*count = (size_t)got;
		return XT_OK;
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
		return XT_OK;
	}
	return fail_io(p, got < 0 ? errno : EPIPE, diag);
}

static void fd_wake(xt_pipe_t *pipe)
{
	const uint64_t one = 1;
	ssize_t written = write(((fd_pipe_t *)pipe)->wake, &one, sizeof(one));

	(void)written; /* a counter that is full wakes as well */
}

/* Until the other end closes too, and not for long. A connection that is closed with bytes unread is reset, and with it
 * goes what was sent and not yet taken there: the last acknowledgements, for want of which the board would give its
 * last packets to the next program. */
static void see_out(int fd)
{
	enum { MOST_MS = 100 };
	const uint64_t begin = xt_now_ms();
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	uint8_t unwanted[4096];

	if (shutdown(fd, SHUT_WR) < 0) {
		return;
	}
	for (uint64_t ms = 0; ms < MOST_MS && poll(&ready, 1, (int)(MOST_MS - ms)) > 0; ms = xt_now_ms() - begin) {
		if (read(fd, unwanted, sizeof(unwanted)) <= 0) {
			return;
		}
	}
}

static void fd_close(xt_pipe_t *pipe)
{
	fd_pipe_t *p = (fd_pipe_t *)pipe;

	if (p->is_socket) {
		see_out(p->fd);
	}
	close(p->fd);
	close(p->wake);
	free(p);
}

static const xt_pipe_operations_t operations = {fd_send, fd_receive, fd_wake, fd_close};

int xt_pipe_wrap(int fd, int is_socket, const char *what, xt_pipe_t **out, xt_diag_t *diag)
{
	fd_pipe_t *p = calloc(1, sizeof(*p));

	if (!p) {
		close(fd);
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	*p = (fd_pipe_t){.pipe = {&operations},
		.fd = fd,
		.is_socket = is_socket,
		.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.what = what};
	if (p->wake < 0 || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0) {
		int error = errno;

		close(fd);
		if (p->wake >= 0) {
			close(p->wake);
		}
		free(p);
		return xt_fail(diag, XT_ERR_IO, "device: %s", strerror(error));
	}
	*out = &p->pipe;
	return XT_OK;
}

static int speed_of(unsigned baud, speed_t *speed)
{
	static const struct {
		unsigned baud;
		speed_t speed;
	} speeds[] = {{9600, B9600}, {19200, B19200}, {38400, B38400}, {57600, B57600}, {115200, B115200},
		{230400, B230400}, {460800, B460800}, {500000, B500000}, {576000, B576000}, {921600, B921600},
		{1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000}, {2000000, B2000000}, {2500000, B2500000},
		{3000000, B3000000}, {3500000, B3500000}, {4000000, B4000000}};

	for (unsigned i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		if (speeds[i].baud == baud) {
			*speed = speeds[i].speed;
			return XT_OK;
		}
	}
	return XT_ERR_RANGE;
}

static int open_error(const char *path, int error, xt_diag_t *diag)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return xt_fail(diag, XT_ERR_NODEVICE, "there is no %.200s; is the board plugged in?", path);
	case EACCES:
	case EPERM:
		return xt_fail(diag, XT_ERR_PERMISSION,
			"no permission for %.200s; install the udev rules, or join the group of that file (dialout)",
			path);
	case EBUSY:
	case EWOULDBLOCK:
		return xt_fail(diag, XT_ERR_BUSY, "%.200s is in use by another program; end that one first", path);
	default:
		return xt_fail(diag, XT_ERR_IO, "%.200s: %s", path, strerror(error));
	}
}

int xt_pipe_open_uart(const xt_pipe_place_t *place, xt_pipe_t **out, xt_diag_t *diag)
{
	struct termios mode;
	speed_t speed;
	int fd;

	if (!*place->where) {
		return xt_fail(diag, XT_ERR_INVALID, "device: uart: needs a file, for example uart:/dev/ttyUSB0");
	}
	if (speed_of(place->baud ? place->baud : XT_UART_BAUD, &speed)) {
		return xt_fail(diag, XT_ERR_RANGE, "device: %u baud is not a rate of this system", place->baud);
	}
	fd = open(place->where, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0) {
		return open_error(place->where, errno, diag);
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int error = errno;

		close(fd);
		return open_error(place->where, error, diag);
	}
	if (tcgetattr(fd, &mode) < 0) {
		close(fd);
		return xt_fail(diag, XT_ERR_INVALID, "device: %.200s is not a serial port", place->where);
	}
	cfmakeraw(&mode);
	mode.c_cflag = (mode.c_cflag & ~(tcflag_t)(CSTOPB | CRTSCTS)) | CLOCAL | CREAD;
	mode.c_cc[VMIN] = 0;
	mode.c_cc[VTIME] = 0;
	if (cfsetspeed(&mode, speed) < 0 || tcsetattr(fd, TCSANOW, &mode) < 0) {
		int error = errno;

		close(fd);
		return open_error(place->where, error, diag);
	}
	tcflush(fd, TCIOFLUSH);
	return xt_pipe_wrap(fd, 0, "serial port", out, diag);
}
