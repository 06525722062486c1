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

enum { KEY_LISTEN = XT_KEY_COMMAND, KEY_SERIAL, KEY_ONCE, KEY_WINDOW, KEY_SAY_VERSION, KEY_SAY_PROFILE };
enum { BUFFER = 65536, REST_MS = 1000 };

typedef struct {
	const char *device, *image, *listen;
	xt_server_options_t server;
	unsigned flags;
	int once;
} serve_options_t;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	serve_options_t *o = state->input;
	char *end;

	switch (key) {
	case XT_KEY_IMAGE:
		o->image = arg;
		return 0;
	case XT_KEY_FORCE:
		o->flags |= XT_LOAD_FORCE;
		return 0;
	case KEY_LISTEN:
		o->listen = arg;
		return 0;
	case KEY_SERIAL:
		o->server.serial = strtoull(arg, &end, 16);
		if (!*arg || *end) {
			argp_error(state, "--serial: \"%s\" is not a hexadecimal number", arg);
		}
		return 0;
	case KEY_ONCE:
		o->once = 1;
		return 0;
	case KEY_WINDOW:
		o->server.window = (unsigned)xt_parse_number(state, "window", arg, 4, XT_FRAME_MAX_WINDOW);
		if (o->server.window & (o->server.window - 1)) {
			argp_error(state, "--window: %s is not a power of two", arg);
		}
		return 0;
	case KEY_SAY_VERSION:
		o->server.version = (uint16_t)xt_parse_number(state, "say-version", arg, 0, UINT16_MAX);
		o->server.claims_version = 1;
		return 0;
	case KEY_SAY_PROFILE:
		o->server.profile_hash = (uint32_t)strtoull(arg, &end, 16);
		o->server.claims_profile_hash = 1;
		return 0;
	case ARGP_KEY_ARG:
		return xt_take_argument(state, arg, &o->device);
	case ARGP_KEY_END:
		if (!o->device || !o->listen) {
			argp_error(state,
				"say what and where, for example: serve model:torus:2x2 --listen tcp:localhost:5555");
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_list[] = {
	{"listen", KEY_LISTEN, "WHERE", 0,
		"tcp:HOST:PORT (port 0: any free one), or pty: a pseudo terminal for uart:", 0},
	XT_OPTION_IMAGE,
	XT_OPTION_FORCE,
	{"serial", KEY_SERIAL, "HEX", 0, "Serial number of the board (default 0)", 0},
	{"once", KEY_ONCE, 0, 0, "End when the first host has gone", 0},
	{"window", KEY_WINDOW, "N", 0, "Requests that may be under way, a power of two from 4 on (default 64)", 0},
	{"say-version", KEY_SAY_VERSION, "N", 0, "For tests: claim to speak this version of the protocol only", 0},
	{"say-profile", KEY_SAY_PROFILE, "HEX", 0, "For tests: claim this hash of the profile", 0},
	{0},
};

static const struct argp serve_argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "URI",
	.doc = "Speaks for a simulated network as a board would: everything that opens tcp: or uart: can use it. "
	       "Prints the "
	       "URI of the board when it is ready, and goes on until it is killed.\v" XT_DEVICE_DOC "\n"
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

static int serve_all(const serve_options_t *o, xt_server_t *server, xt_diag_t *diag)
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
	serve_options_t o = {.server = XT_OPTIONS_INIT(xt_server_options_t)};
	xt_device_t *device = NULL;
	xt_image_t *image = NULL;
	xt_server_t *server = NULL;
	xt_diag_t diag = {""};
	int status, result = XT_EXIT_OK;

	xt_parse_options(&serve_argp, argc, argv, &o);
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

extern const xt_command_t xt_command_serve;
const xt_command_t xt_command_serve = {"serve", "speak for a simulated network as a board would", run};
