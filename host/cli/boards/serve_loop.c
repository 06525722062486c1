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
	SLICE = 128,           /* bytes of them until the clock is looked at */
	MOST_OUTPUT = 1 << 17, /* bytes that wait for a host, until no more requests are read */
	GUESTS = 16,           /* connections beside the host's */
	GUEST_BYTES = 128,     /* more than an INFO takes */
	REST_MS = 1000,
	STANDING_MS = 50,
	GUEST_S = 2, /* for a guest to ask, and to go when it was answered */
	LEAVE_S = 1, /* for a host that sends no more to take the next part of its answers */
	LEAVING_MS = 20,
};

static const double going_s = 0.2, /* a host that sends no more is about to go */
	turn_s = 0.01;             /* requests are carried out, until others are heard */

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
	double since, heard, took, left; /* of the host; `took`: answers, `left`: it sends no more */
	bool leaving;                    /* the host sends no more */
	size_t first, end;               /* of what the host said and was not carried out */
	uint8_t said[BUFFER];
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
	l->first = l->end = 0;
	l->since = l->heard = l->took = xt_now_s();
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

/* Who speaks the protocol gets the board; who says anything else has GUEST_S for it. */
static bool may_have_board(const guest_t *guest)
{
	return guest->fd >= 0 && !guest->answered && xt_server_is_asked(guest->bytes, guest->count);
}

/* The host has gone: who waits is next. */
static void end_session(loop_t *l)
{
	close(l->host);
	l->host = -1;
	l->leaving = false;
	for (unsigned i = 0; i < GUESTS && l->host < 0; i++) {
		if (may_have_board(&l->guests[i])) {
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

/* Takes what a guest says. */
static void hear_guest(guest_t *guest)
{
	uint8_t unwanted[GUEST_BYTES];
	const bool full = guest->answered || guest->count == GUEST_BYTES;
	ssize_t got = full ? recv(guest->fd, unwanted, sizeof(unwanted), 0)
			   : recv(guest->fd, guest->bytes + guest->count, GUEST_BYTES - guest->count, 0);

	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
		dismiss(guest);
	} else if (got > 0 && !full) {
		guest->count += (size_t)got;
	}
}

/* The INFO of a guest is refused while another has the board, unless that one is about to go. */
static void answer_guest(loop_t *l, guest_t *guest)
{
	uint8_t answer[XT_SERVER_REFUSAL_BYTES];
	size_t size;

	if (l->host < 0) {
		if (may_have_board(guest)) {
			promote(l, guest);
		}
		return;
	}
	if (l->leaving && xt_now_s() - l->left < going_s) {
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

/* Carries out what the host said, for a while: guests and readers of counters do not wait for all of it. */
static void carry_out(loop_t *l)
{
	const double begin = xt_now_s();
	size_t waiting = 0;

	while (l->first < l->end && waiting <= MOST_OUTPUT && xt_now_s() - begin < turn_s) {
		const size_t left = l->end - l->first, slice = left < SLICE ? left : SLICE;

		xt_server_feed(l->server, l->said + l->first, slice);
		l->first += slice;
		xt_server_output(l->server, &waiting);
	}
}

/* False: the host has gone. A terminal that nobody has open says EIO; it is asked again. */
static bool hear_host(loop_t *l, short ready)
{
	size_t waiting;
	const uint8_t *bytes = xt_server_output(l->server, &waiting);
	ssize_t sent = waiting ? write(l->host, bytes, waiting) : 0, got;

	if (sent > 0) {
		l->took = xt_now_s();
		xt_server_sent(l->server, (size_t)sent);
	} else if (sent < 0 && errno != EAGAIN && errno != EINTR && !l->listener->terminal) {
		return false;
	}
	if ((ready & POLLRDHUP) && !l->leaving) {
		l->leaving = true;
		l->left = l->took = xt_now_s();
	}
	xt_server_output(l->server, &waiting);
	if (l->first < l->end || !(ready & (POLLIN | POLLHUP | POLLERR)) || waiting > MOST_OUTPUT) {
		carry_out(l);
		return true;
	}
	got = read(l->host, l->said, sizeof(l->said));
	if (got > 0) {
		l->heard = xt_now_s();
		l->first = 0;
		l->end = (size_t)got;
		carry_out(l);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		if (l->listener->terminal) {
			usleep(10000);
		}
		return l->listener->terminal;
	}
	return true;
}

enum { METRICS = 1 + XT_MOST_LISTENERS + GUESTS, POLLED = METRICS + XT_METRICS_POLLED };

/* False: the host's session is over, though it has not gone. One that asks no more and takes no answers keeps the board
 * from nobody. */
static bool may_stay(const loop_t *l, uint64_t idle_s)
{
	if (l->listener->terminal) {
		return true;
	}
	if (l->leaving && xt_now_s() - l->took > LEAVE_S) {
		return false;
	}
	if (idle_s && xt_now_s() - l->heard > (double)idle_s) {
		fprintf(stderr, "extorus serve: %s asked nothing for %" PRIu64 " s, its session is over\n", l->name,
			idle_s);
		return false;
	}
	return true;
}

/* Who is waited for: the host, the listeners, the guests, the readers of counters; the last ones with a negative
 * descriptor, if need be. */
static void await(loop_t *l, struct pollfd polled[POLLED], xt_server_work_t work)
{
	static const int rests[] = {
		[XT_SERVER_IDLE] = REST_MS, [XT_SERVER_WORKS] = 0, [XT_SERVER_STANDS] = STANDING_MS};
	const bool more = l->first < l->end;
	size_t waiting;
	int rest = rests[work];

	xt_server_output(l->server, &waiting);
	polled[0] = (struct pollfd){.fd = l->host, .events = POLLRDHUP};
	polled[0].events |= (short)((waiting ? POLLOUT : 0) | (waiting > MOST_OUTPUT || more ? 0 : POLLIN));
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
	if (l->leaving && rest > LEAVING_MS) {
		rest = LEAVING_MS;
	}
	poll(polled, POLLED, more && waiting <= MOST_OUTPUT ? 0 : rest);
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
			hear_guest(guest);
		}
		if (guest->fd >= 0 && guest->count && !guest->answered) {
			answer_guest(l, guest);
		}
		if (guest->fd >= 0 && xt_now_s() - guest->since > GUEST_S) {
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
		gone = gone || (l.host >= 0 && !may_stay(&l, idle_s));
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
