/* SPDX-License-Identifier: Apache-2.0
 *
 * A TCP connection, made within the time that the caller gives: name, connection, all of it. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "extorus/number_text.h"
#include "pipe_fd.h"

/* 0, or the errno. */
static int connect_by(int fd, const struct addrinfo *address, uint64_t end)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	int error = 0;
	socklen_t size = sizeof(error);

	if (connect(fd, address->ai_addr, address->ai_addrlen) == 0) {
		return 0;
	}
	if (errno != EINPROGRESS) {
		return errno;
	}
	for (uint64_t now = xt_now_ms(); now < end; now = xt_now_ms()) {
		int got = poll(&ready, 1, (int)(end - now));

		if (got > 0) {
			return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
		}
		if (got < 0 && errno != EINTR) {
			return errno;
		}
	}
	return ETIMEDOUT;
}

/* Connects to the first address that accepts. */
static int connect_to(const xt_tcp_place_t *place, unsigned ms, xt_diag_t *diag)
{
	const uint64_t begin = xt_now_ms(), end = begin + ms;
	struct addrinfo *list;
	int status = xt_tcp_place_resolve("device", place, 0, ms, &list, diag), error = ETIMEDOUT, fd = -1;
	const int one = 1;

	if (status != XT_OK) {
		return status;
	}
	for (struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
		error = fd < 0 ? errno : connect_by(fd, a, end);
		if (fd >= 0 && error) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (fd < 0) {
		return xt_fail(diag, XT_ERR_NODEVICE,
			"nothing answers at %.100s port %u: %s; start the board's server first", place->host,
			place->port, strerror(error));
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

int xt_pipe_open_tcp(const xt_pipe_place_t *where, xt_pipe_t **out, xt_diag_t *diag)
{
	xt_tcp_place_t place;
	int status = xt_tcp_place_read("device: tcp", where->where, 1, &place, diag), fd;

	if (status != XT_OK) {
		return status;
	}
	fd = connect_to(&place, where->timeout_ms ? where->timeout_ms : XT_PIPE_TIMEOUT_MS, diag);
	return fd < 0 ? fd : xt_pipe_wrap(fd, 1, "connection", out, diag);
}
