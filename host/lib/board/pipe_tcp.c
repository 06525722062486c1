/* SPDX-License-Identifier: Apache-2.0
 *
 * A TCP connection, made within the time that the caller gives: name, connection, all of it. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "extorus/number_text.h"
#include "pipe_fd.h"

/* The system's resolver knows no time limit, so a thread of its own waits for it. Whoever is last frees. */
typedef struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned users;
	int done, error;
	char host[256], port[8];
	struct addrinfo *list;
} lookup_t;

static void leave(lookup_t *lookup)
{
	unsigned left = --lookup->users;

	pthread_mutex_unlock(&lookup->lock);
	if (!left) {
		if (lookup->list) {
			freeaddrinfo(lookup->list);
		}
		pthread_cond_destroy(&lookup->changed);
		pthread_mutex_destroy(&lookup->lock);
		free(lookup);
	}
}

static void *look_up(void *argument)
{
	const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
	lookup_t *lookup = argument;
	struct addrinfo *list = NULL;
	int error = getaddrinfo(lookup->host, lookup->port, &wanted, &list);

	pthread_mutex_lock(&lookup->lock);
	lookup->error = error;
	lookup->list = error ? NULL : list;
	lookup->done = 1;
	pthread_cond_signal(&lookup->changed);
	leave(lookup);
	return NULL;
}

static int resolve_name(const xt_tcp_place_t *place, unsigned ms, struct addrinfo **list, xt_diag_t *diag)
{
	lookup_t *lookup = calloc(1, sizeof(*lookup));
	struct timespec end = xt_deadline(ms);
	pthread_condattr_t monotonic;
	pthread_t thread;
	int done, error;

	*list = NULL;
	if (!lookup) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	pthread_mutex_init(&lookup->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&lookup->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	lookup->users = 2;
	memcpy(lookup->host, place->host, sizeof(lookup->host));
	snprintf(lookup->port, sizeof(lookup->port), "%u", place->port);
	if (pthread_create(&thread, NULL, look_up, lookup) != 0) {
		lookup->users = 1;
		pthread_mutex_lock(&lookup->lock);
		leave(lookup);
		return xt_fail(diag, XT_ERR_NOMEM, "device: no thread");
	}
	pthread_detach(thread);
	pthread_mutex_lock(&lookup->lock);
	while (!lookup->done && pthread_cond_timedwait(&lookup->changed, &lookup->lock, &end) != ETIMEDOUT) {
	}
	done = lookup->done;
	error = lookup->error;
	*list = lookup->list;
	lookup->list = NULL;
	leave(lookup);
	if (!done) {
		return xt_fail(diag, XT_ERR_TIMEOUT, "device: no address for %.100s within %u ms", place->host, ms);
	}
	return error ? xt_fail(diag, XT_ERR_NODEVICE, "device: %.100s port %u: %s", place->host, place->port,
			       gai_strerror(error))
		     : XT_OK;
}

/* Literals need no resolver. */
static int resolve(const xt_tcp_place_t *place, unsigned ms, struct addrinfo **list, xt_diag_t *diag)
{
	const struct addrinfo literal = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	char port[8];

	snprintf(port, sizeof(port), "%u", place->port);
	return getaddrinfo(place->host, port, &literal, list) == 0 ? XT_OK : resolve_name(place, ms, list, diag);
}

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
	int status = resolve(place, ms, &list, diag), error = ETIMEDOUT, fd = -1;
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
