/* SPDX-License-Identifier: Apache-2.0 */
#include "serve_loop.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "options/monotonic.h"

enum {
	BUFFER = 4096,         /* of requests read at a time */
	MOST_OUTPUT = 1 << 17, /* bytes that wait for a host, until no more requests are read */
	GUESTS = 16,           /* connections beside the host's */
	GUEST_BYTES = 128,     /* more than an INFO takes */
	REST_MS = 1000,
	STANDING_MS = 50,
	GUEST_S = 2, /* for a guest to ask, and to go when it was answered */
};

/* A connection that does not have the board, or not yet. */
typedef struct {
	int fd; /* -1: none */
	double since;
	bool answered;
	size_t count;
	uint8_t bytes[GUEST_BYTES];
} guest_t;

typedef struct {
	xt_server_t *server;
	const xt_listener_t *listener;
	xt_metrics_server_t *metrics; /* NULL: none */
	int host;                     /* -1: none */
	char name[80];
	double since, heard;
	bool leaving; /* the host sends no more */
	guest_t guests[GUESTS];
} loop_t;

static void name_of(int fd, char *name, size_t size)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	char host[64] = "?", port[8] = "?";

	if (getpeername(fd, (struct sockaddr *)&address, &length) == 0) {
		getnameinfo((struct sockaddr *)&address, length, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV);
	}
	snprintf(name, size, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

static void begin_session(loop_t *l, int fd, const uint8_t *bytes, size_t count)
{
	const int one = 1;

	l->host = fd;
	l->leaving = false;
	l->since = l->heard = xt_now_s();
	if (!l->listener->terminal) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		name_of(fd, l->name, sizeof(l->name));
	}
	xt_server_restart(l->server);
	xt_server_feed(l->server, bytes, count);
}

static void dismiss(guest_t *guest)
{
	close(guest->fd);
	guest->fd = -1;
}

/* A guest who has spoken has the board from now on. */
static void promote(loop_t *l, guest_t *guest)
{
	const int fd = guest->fd;

	guest->fd = -1;
	begin_session(l, fd, guest->bytes, guest->count);
}

/* The host has gone: who waits is next. */
static void end_session(loop_t *l)
{
	close(l->host);
	l->host = -1;
	l->leaving = false;
	for (unsigned i = 0; i < GUESTS && l->host < 0; i++) {
		if (l->guests[i].fd >= 0 && l->guests[i].count && !l->guests[i].answered) {
			promote(l, &l->guests[i]);
		}
	}
}

/* If there are too many guests, the one that came first must go. */
static void accept_guest(loop_t *l, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	guest_t *place = l->guests;

	if (fd < 0) {
		return;
	}
	for (guest_t *guest = l->guests; guest < l->guests + GUESTS && place->fd >= 0; guest++) {
		if (guest->fd < 0 || guest->since < place->since) {
			place = guest;
		}
	}
	if (place->fd >= 0) {
		dismiss(place);
	}
	*place = (guest_t){.fd = fd, .since = xt_now_s()};
}

/* The INFO of a guest is refused while another has the board, unless that one is about to go. */
static void hear_guest(loop_t *l, guest_t *guest)
{
	uint8_t answer[XT_SERVER_REFUSAL_BYTES], unwanted[GUEST_BYTES];
	const bool full = guest->answered || guest->count == GUEST_BYTES;
	ssize_t got = full ? recv(guest->fd, unwanted, sizeof(unwanted), 0)
			   : recv(guest->fd, guest->bytes + guest->count, GUEST_BYTES - guest->count, 0);
	size_t size;

	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
		dismiss(guest);
		return;
	}
	guest->count += got > 0 && !full ? (size_t)got : 0;
	if (guest->answered || l->leaving) {
		return;
	}
	if (l->host < 0) {
		promote(l, guest);
		return;
	}
	size = xt_server_refuse(
		guest->bytes, guest->count, l->name, (uint64_t)(xt_now_s() - l->since), answer, sizeof(answer));
	if (size) {
		guest->answered = true;
		guest->since = xt_now_s();
		if (send(guest->fd, answer, size, MSG_NOSIGNAL) < 0 || shutdown(guest->fd, SHUT_WR) < 0) {
			dismiss(guest);
		}
	}
}

/* False: the host has gone. A terminal that nobody has open says EIO; it is asked again. */
static bool hear_host(loop_t *l, short ready)
{
	uint8_t buffer[BUFFER];
	size_t waiting;
	const uint8_t *bytes = xt_server_output(l->server, &waiting);
	ssize_t sent = waiting ? write(l->host, bytes, waiting) : 0, got;

	if (sent > 0) {
		xt_server_sent(l->server, (size_t)sent);
	} else if (sent < 0 && errno != EAGAIN && errno != EINTR && !l->listener->terminal) {
		return false;
	}
	if (ready & POLLRDHUP) {
		l->leaving = true;
	}
	xt_server_output(l->server, &waiting);
	if (!(ready & (POLLIN | POLLHUP | POLLERR)) || waiting > MOST_OUTPUT) {
		return true;
	}
	got = read(l->host, buffer, sizeof(buffer));
	if (got > 0) {
		l->heard = xt_now_s();
		xt_server_feed(l->server, buffer, (size_t)got);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		if (l->listener->terminal) {
			usleep(10000);
		}
		return l->listener->terminal;
	}
	return true;
}

enum { METRICS = 1 + XT_MOST_LISTENERS + GUESTS, POLLED = METRICS + XT_METRICS_POLLED };

/* Who is waited for: the host, the listeners, the guests, the readers of counters; the last ones with a negative
 * descriptor, if need be. */
static void await(loop_t *l, struct pollfd polled[POLLED], xt_server_work_t work)
{
	static const int rests[] = {
		[XT_SERVER_IDLE] = REST_MS, [XT_SERVER_WORKS] = 0, [XT_SERVER_STANDS] = STANDING_MS};
	size_t waiting;

	xt_server_output(l->server, &waiting);
	polled[0] = (struct pollfd){.fd = l->host, .events = POLLRDHUP};
	polled[0].events |= (short)((waiting ? POLLOUT : 0) | (waiting > MOST_OUTPUT ? 0 : POLLIN));
	for (unsigned i = 0; i < XT_MOST_LISTENERS; i++) {
		const bool open = i < l->listener->count && !l->listener->terminal;

		polled[1 + i] = (struct pollfd){.fd = open ? l->listener->fd[i] : -1, .events = POLLIN};
	}
	for (unsigned i = 0; i < GUESTS; i++) {
		polled[1 + XT_MOST_LISTENERS + i] = (struct pollfd){.fd = l->guests[i].fd, .events = POLLIN};
	}
	for (unsigned i = METRICS; i < POLLED; i++) {
		polled[i].fd = -1;
	}
	if (l->metrics) {
		xt_metrics_server_await(l->metrics, polled + METRICS);
	}
	if (l->leaving) {
		/* The hang-up is known, and would end every wait. */
		polled[0].events &= (short)~POLLRDHUP;
	}
	poll(polled, POLLED, rests[work]);
}

static void attend_to_guests(loop_t *l, const struct pollfd polled[POLLED])
{
	for (unsigned i = 0; i < l->listener->count; i++) {
		if (polled[1 + i].revents) {
			accept_guest(l, l->listener->fd[i]);
		}
	}
	for (unsigned i = 0; i < GUESTS; i++) {
		guest_t *guest = &l->guests[i];

		if (guest->fd >= 0 && polled[1 + XT_MOST_LISTENERS + i].fd == guest->fd &&
			polled[1 + XT_MOST_LISTENERS + i].revents) {
			hear_guest(l, guest);
		}
		if (guest->fd >= 0 && xt_now_s() - guest->since > GUEST_S &&
			!(l->leaving && guest->count && !guest->answered)) {
			dismiss(guest);
		}
	}
}

int xt_serve(
	xt_server_t *server, const xt_listener_t *listener, xt_metrics_server_t *metrics, bool once, uint64_t idle_s)
{
	loop_t l = {.server = server, .listener = listener, .metrics = metrics, .host = -1};
	xt_server_work_t work = XT_SERVER_IDLE;
	xt_diag_t diag;

	signal(SIGPIPE, SIG_IGN);
	for (unsigned i = 0; i < GUESTS; i++) {
		l.guests[i].fd = -1;
	}
	if (listener->terminal) {
		begin_session(&l, listener->fd[0], NULL, 0);
	}
	for (;;) {
		struct pollfd polled[POLLED];
		bool gone = false;

		await(&l, polled, work);
		if (l.host >= 0) {
			gone = !hear_host(&l, polled[0].revents);
		}
		if (l.host >= 0 && !gone && idle_s && !listener->terminal && xt_now_s() - l.heard > (double)idle_s) {
			fprintf(stderr, "extorus serve: %s asked nothing for %" PRIu64 " s, its session is over\n",
				l.name, idle_s);
			gone = true;
		}
		if (gone) {
			end_session(&l);
			if (once) {
				return XT_OK;
			}
		}
		if (!listener->terminal) {
			attend_to_guests(&l, polled);
		}
		if (metrics) {
			xt_metrics_server_attend(metrics, polled + METRICS);
		}
		if (xt_server_step(server, &work, &diag) != XT_OK) {
			fprintf(stderr, "extorus serve: %s; packets are refused from now on\n", diag.text);
		}
	}
}
