/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "device_options.h"
#include "extorus/protocol.h"
#include "extorus/server.h"

enum { BUFFER = 65536, REST_MS = 1000 };

typedef struct {
	const char *device, *image, *listen;
	xt_server_options_t server;
	unsigned flags;
	int once;
} options_t;

static void take_serial(struct argp_state *state, const xt_option_t *option, char *arg, void *serial)
{
	char *end;

	*(uint64_t *)serial = strtoull(arg, &end, 16);
	if (!*arg || *end) {
		argp_error(state, "--%s: \"%s\" is not a hexadecimal number", option->name, arg);
	}
}

static void take_hash(struct argp_state *state, const xt_option_t *option, char *arg, void *hash)
{
	(void)state;
	(void)option;
	*(uint32_t *)hash = (uint32_t)strtoull(arg, NULL, 16);
}

static void take_window(struct argp_state *state, const xt_option_t *option, char *arg, void *window)
{
	unsigned value = (unsigned)xt_parse_number(state, option->name, arg, 4, XT_FRAME_MAX_WINDOW);

	if (value & (value - 1)) {
		argp_error(state, "--%s: %s is not a power of two", option->name, arg);
	}
	*(unsigned *)window = value;
}

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (!o->device || !o->listen) {
		argp_error(state, "say what and where, for example: serve model:torus:2x2 --listen tcp:localhost:5555");
	}
}

static const xt_option_t option_list[] = {
	{"listen", "WHERE", "tcp:HOST:PORT (port 0: any free one), or pty: a pseudo terminal for uart:",
		.value = XT_AT(options_t, listen)},
	XT_OPTION_IMAGE(options_t, image),
	XT_OPTION_FORCE(options_t),
	{"serial", "HEX", "Serial number of the board (default 0)", .value = XT_AT(options_t, server.serial),
		.take = take_serial},
	{"once", NULL, "End when the first host has gone", .mark = XT_AT(options_t, once)},
	{"window", "N", "Requests that may be under way, a power of two from 4 on (default 64)",
		.value = XT_AT(options_t, server.window), .take = take_window},
	{"say-version", "N", "For tests: claim to speak this version of the protocol only",
		.value = XT_AT(options_t, server.version), .max = UINT16_MAX,
		.mark = XT_AT(options_t, server.claims_version)},
	{"say-profile", "HEX", "For tests: claim this hash of the profile",
		.value = XT_AT(options_t, server.profile_hash), .take = take_hash,
		.mark = XT_AT(options_t, server.claims_profile_hash)},
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(options_t, device),
	.check = check,
	.args_doc = "URI",
	.doc = "Speaks for a simulated network as a board would: everything that opens tcp: or uart: can use it. "
	       "Prints the URI of the board when it is ready, and goes on until it is killed.\v" XT_DEVICE_DOC "\n"
	       "Example:\n"
	       "  extorus serve model:twin:2x2x2x2x2 --listen tcp:localhost:5555 &\n"
	       "  extorus probe --device tcp:localhost:5555",
};

static int listen_tcp(const char *where, xt_diag_t *diag)
{
	const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	char host[256] = "localhost";
	const char *colon = strrchr(where, ':');
	struct sockaddr_in bound;
	socklen_t size = sizeof(bound);
	struct addrinfo *list;
	const int one = 1;
	int fd;

	if (!colon || (size_t)(colon - where) >= sizeof(host)) {
		return xt_fail(
			diag, XT_ERR_INVALID, "--listen: tcp: needs host and port, for example tcp:localhost:5555");
	}
	memcpy(host, where, (size_t)(colon - where));
	host[colon - where] = '\0';
	if (getaddrinfo(host, colon + 1, &wanted, &list) != 0) {
		return xt_fail(diag, XT_ERR_INVALID, "--listen: there is no %.200s", where);
	}
	fd = socket(list->ai_family, list->ai_socktype | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) < 0 || listen(fd, 1) < 0 ||
		getsockname(fd, (struct sockaddr *)&bound, &size) < 0) {
		freeaddrinfo(list);
		return xt_fail(diag, XT_ERR_IO, "--listen: tcp:%.200s: %s", where, strerror(errno));
	}
	freeaddrinfo(list);
	printf("tcp:%s:%u\n", host, ntohs(bound.sin_port));
	return fd;
}

static int open_pty(xt_diag_t *diag)
{
	struct termios mode;
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0 || tcgetattr(fd, &mode) < 0) {
		return xt_fail(diag, XT_ERR_IO, "--listen: no pseudo terminal: %s", strerror(errno));
	}
	cfmakeraw(&mode);
	tcsetattr(fd, TCSANOW, &mode);
	printf("uart:%s\n", ptsname(fd));
	return fd;
}

static int flush_output(xt_server_t *server, int fd)
{
	size_t count;
	const uint8_t *bytes = xt_server_output(server, &count);
	ssize_t sent = count ? write(fd, bytes, count) : 0;

	if (sent > 0) {
		xt_server_sent(server, (size_t)sent);
	}
	return sent < 0 && errno != EAGAIN && errno != EINTR ? -1 : 0;
}

/* Until the host goes. A terminal that nobody has open says EIO; it is asked again. */
static int serve_one(xt_server_t *server, int fd, int terminal, xt_diag_t *diag)
{
	static uint8_t buffer[BUFFER];
	int status = XT_OK, busy = 0;

	xt_server_restart(server);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	while (status == XT_OK) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		size_t waiting;
		ssize_t got;

		xt_server_output(server, &waiting);
		if (waiting) {
			ready.events |= POLLOUT;
		}
		if (waiting > BUFFER) {
			ready.events = POLLOUT;
		}
		poll(&ready, 1, busy ? 0 : REST_MS);
		if (flush_output(server, fd) && !terminal) {
			return XT_OK;
		}
		got = ready.revents & (POLLIN | POLLHUP | POLLERR) ? read(fd, buffer, sizeof(buffer)) : -2;
		if (got > 0) {
			status = xt_server_feed(server, buffer, (size_t)got, diag);
		} else if (got == 0 || (got == -1 && errno != EAGAIN && errno != EINTR)) {
			if (!terminal) {
				return XT_OK;
			}
			usleep(10000);
		}
		if (status == XT_OK) {
			status = xt_server_step(server, &busy, diag);
		}
	}
	return status;
}

static int serve_all(const options_t *o, xt_server_t *server, xt_diag_t *diag)
{
	const int one = 1;
	int terminal = strcmp(o->listen, "pty") == 0;
	int fd, status = XT_OK;

	if (!terminal && strncmp(o->listen, "tcp:", 4) != 0) {
		return xt_fail(
			diag, XT_ERR_INVALID, "--listen: \"%.100s\" is neither tcp:HOST:PORT nor pty", o->listen);
	}
	fd = terminal ? open_pty(diag) : listen_tcp(o->listen + 4, diag);
	if (fd < 0) {
		return fd;
	}
	fflush(stdout);
	signal(SIGPIPE, SIG_IGN);
	if (terminal) {
		status = serve_one(server, fd, 1, diag);
	}
	while (!terminal && status == XT_OK) {
		int host = accept(fd, NULL, NULL);

		if (host >= 0) {
			setsockopt(host, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			status = serve_one(server, host, 0, diag);
			close(host);
		}
		if (o->once) {
			break;
		}
	}
	close(fd);
	return status;
}

static int run(int argc, char **argv)
{
	options_t o = {.server = XT_OPTIONS_INIT(xt_server_options_t)};
	xt_device_t *device = NULL;
	xt_image_t *image = NULL;
	xt_server_t *server = NULL;
	xt_diag_t diag = {""};
	int status, result = XT_EXIT_OK;

	xt_parse_options(&syntax, argc, argv, &o);
	status = xt_device_open(o.device, &device, &diag);
	if (status == XT_OK && o.image) {
		status = xt_load_file(device, o.image, o.flags, &image, &diag);
	}
	if (status == XT_OK) {
		status = xt_server_create(device, &o.server, &server, &diag);
	}
	if (status == XT_OK) {
		status = serve_all(&o, server, &diag);
	}
	if (status != XT_OK) {
		result = xt_report("serve", status, &diag);
	}
	xt_server_free(server);
	xt_image_free(image);
	xt_device_close(device);
	return result;
}

XT_COMMAND(serve, "speak for a simulated network as a board would", run);
