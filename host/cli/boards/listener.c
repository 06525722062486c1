/* SPDX-License-Identifier: Apache-2.0 */
#include "listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "extorus/number_text.h"

enum { MOST_LOOKUP_SECONDS = 30, MOST_PORTS_TRIED = 64 };

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET6) {
		return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
	}
	return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 == 127;
}

static in_port_t *port_of(struct sockaddr *address)
{
	return address->sa_family == AF_INET6 ? &((struct sockaddr_in6 *)(void *)address)->sin6_port
					      : &((struct sockaddr_in *)(void *)address)->sin_port;
}

/* 0, or the errno. *port: the one wanted, 0: any; then the one that was given. */
static int listen_at(const struct addrinfo *at, uint16_t *port, xt_listener_t *listener)
{
	struct sockaddr_storage bound;
	struct sockaddr *address = (struct sockaddr *)&bound;
	socklen_t size = at->ai_addrlen;
	const int one = 1;
	int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

	if (fd < 0) {
		return errno;
	}
	memcpy(&bound, at->ai_addr, size);
	*port_of(address) = htons(*port);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (at->ai_family == AF_INET6) {
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	}
	if (bind(fd, address, size) < 0 || listen(fd, 16) < 0 || getsockname(fd, address, &size) < 0) {
		error = errno;
		close(fd);
		return error;
	}
	*port = ntohs(*port_of(address));
	listener->fd[listener->count++] = fd;
	return 0;
}

/* An address that this machine lacks, as IPv6 of a container, is no reason to refuse the others. */
static bool is_missing(int error)
{
	return error == EAFNOSUPPORT || error == EADDRNOTAVAIL;
}

/* 0, or an errno, that of an address this machine has before that of one it lacks. *open: others can reach it. */
static int listen_at_all(const struct addrinfo *list, uint16_t *port, xt_listener_t *listener, bool *open)
{
	int error = 0;

	*open = false;
	for (const struct addrinfo *a = list; a && listener->count < XT_MOST_LISTENERS; a = a->ai_next) {
		int failed = listen_at(a, port, listener);

		*open = *open || (!failed && !is_loopback(a->ai_addr));
		error = failed && (!is_missing(failed) || !error) ? failed : error;
	}
	return error;
}

/* As listen_at_all; port 0 means one that is free at all addresses. The system gives one that is free at the first, and
 * may give it again, so what was given in vain is kept for as long as this tries. */
static int listen_at_port(const struct addrinfo *list, uint16_t *port, xt_listener_t *listener, bool *open)
{
	xt_listener_t vain[MOST_PORTS_TRIED];
	unsigned tries = 0;
	const bool any = !*port;
	int error = listen_at_all(list, port, listener, open);

	while (any && error == EADDRINUSE && tries < MOST_PORTS_TRIED) {
		vain[tries++] = *listener;
		*listener = (xt_listener_t){0};
		*port = 0;
		error = listen_at_all(list, port, listener, open);
	}
	while (tries) {
		xt_listener_close(&vain[--tries]);
	}
	return error;
}

static int listen_tcp(
	const char *option, const char *where, xt_listener_t *listener, xt_tcp_place_t *at, bool *open, xt_diag_t *diag)
{
	struct addrinfo *list;
	unsigned seconds;
	int status = xt_tcp_place_read(option, where, 0, at, diag), error;

	if (status != XT_OK || (status = xt_wait_seconds(MOST_LOOKUP_SECONDS, &seconds, diag)) != XT_OK) {
		return status;
	}
	status = xt_tcp_place_resolve(option, at, 1, seconds * 1000, &list, diag);
	if (status != XT_OK) {
		return status == XT_ERR_NODEVICE ? XT_ERR_INVALID : status;
	}
	error = listen_at_port(list, &at->port, listener, open);
	freeaddrinfo(list);
	if (!listener->count || (error && !is_missing(error))) {
		return xt_fail(diag, XT_ERR_IO, "%s: %.100s port %u: %s", option, at->host, at->port, strerror(error));
	}
	return XT_OK;
}

static int listen_board(const char *where, xt_listener_t *listener, xt_diag_t *diag)
{
	xt_tcp_place_t place;
	bool open;
	int status = listen_tcp("--listen", where, listener, &place, &open, diag);

	if (status != XT_OK) {
		return status;
	}
	if (open) {
		fprintf(stderr,
			"extorus serve: %s is not of this machine alone: whoever reaches port %u controls the "
			"network\n",
			place.host, place.port);
	}
	printf(strchr(place.host, ':') ? "tcp:[%s]:%u\n" : "tcp:%s:%u\n", place.host, place.port);
	return XT_OK;
}

int xt_listener_open_http(const char *where, const char *path, xt_listener_t *listener, xt_diag_t *diag)
{
	const bool port_alone = *where && !where[strspn(where, "0123456789")];
	char text[300];
	xt_tcp_place_t place;
	bool open;
	int status;

	*listener = (xt_listener_t){0};
	snprintf(text, sizeof(text), "%s%s", port_alone ? ":" : "", where);
	status = listen_tcp("--metrics", text, listener, &place, &open, diag);
	if (status != XT_OK) {
		xt_listener_close(listener);
		return status;
	}
	if (open) {
		fprintf(stderr,
			"extorus serve: %s is not of this machine alone: whoever reaches port %u reads the counters\n",
			place.host, place.port);
	}
	printf(strchr(place.host, ':') ? "http://[%s]:%u%s\n" : "http://%s:%u%s\n", place.host, place.port, path);
	fflush(stdout);
	return XT_OK;
}

static int open_pty(xt_listener_t *listener, xt_diag_t *diag)
{
	struct termios mode;
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0 || tcgetattr(fd, &mode) < 0) {
		int error = errno;

		if (fd >= 0) {
			close(fd);
		}
		return xt_fail(diag, XT_ERR_IO, "--listen: no pseudo terminal: %s", strerror(error));
	}
	cfmakeraw(&mode);
	tcsetattr(fd, TCSANOW, &mode);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	*listener = (xt_listener_t){{fd}, 1, true};
	printf("uart:%s\n", ptsname(fd));
	return XT_OK;
}

int xt_listener_open(const char *where, xt_listener_t *listener, xt_diag_t *diag)
{
	int status;

	*listener = (xt_listener_t){0};
	if (strcmp(where, "pty") == 0) {
		status = open_pty(listener, diag);
	} else if (strncmp(where, "tcp:", 4) == 0) {
		status = listen_board(where + 4, listener, diag);
	} else {
		status = xt_fail(diag, XT_ERR_INVALID, "--listen: \"%.100s\" is neither tcp:HOST:PORT nor pty", where);
	}
	fflush(stdout);
	if (status != XT_OK) {
		xt_listener_close(listener);
	}
	return status;
}

void xt_listener_close(xt_listener_t *listener)
{
	while (listener->count) {
		close(listener->fd[--listener->count]);
	}
}
