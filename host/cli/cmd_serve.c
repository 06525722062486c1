/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "boards/listener.h"
#include "boards/serve_loop.h"
#include "extorus/protocol.h"
#include "extorus/server.h"
#include "options/device_options.h"

typedef struct {
	const char *device, *image, *listen, *metrics;
	xt_server_options_t server;
	unsigned flags;
	uint64_t idle;
	bool once;
} options_t;

static void take_hexadecimal(struct argp_state *state, const xt_option_t *option, char *arg, void *field)
{
	uint64_t value = xt_parse_number_in(state, option->name, arg, 16, 0, option->max);

	if (option->max == UINT32_MAX) {
		*(uint32_t *)field = (uint32_t)value;
	} else {
		*(uint64_t *)field = value;
	}
}

static void take_window(struct argp_state *state, const xt_option_t *option, char *arg, void *window)
{
	unsigned value = (unsigned)xt_parse_number(state, option->name, arg, option->min, option->max);

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
	{"listen", "WHERE",
		"tcp:HOST:PORT (port 0: any free one; without HOST this machine alone; IPv6 as [::1]), or pty: a "
		"pseudo terminal for uart:",
		.value = XT_AT(options_t, listen)},
	{"metrics", "PORT",
		"Also answer HTTP on this port of this machine alone, or at HOST:PORT: /metrics has the counters for "
		"Prometheus. Port 0: any free one",
		.value = XT_AT(options_t, metrics)},
	XT_OPTION_IMAGE(options_t, image),
	XT_OPTION_FORCE(options_t),
	{"serial", "HEX", "Serial number of the board (default 0)", .value = XT_AT(options_t, server.serial),
		.max = UINT64_MAX, .take = take_hexadecimal},
	{"idle", "SECONDS", "End a session from which nothing came for so long (default: never)",
		.value = XT_AT(options_t, idle), .min = 1, .max = 1000000},
	{"once", NULL, "End when the first host has gone", .mark = XT_AT(options_t, once)},
	{"window", "N", "Requests that may be under way, a power of two (default 64)",
		.value = XT_AT(options_t, server.window), .min = 4, .max = XT_FRAME_MAX_WINDOW, .take = take_window},
	{"say-version", "N", "For tests: claim to speak this version of the protocol only",
		.value = XT_AT(options_t, server.version), .max = UINT16_MAX,
		.mark = XT_AT(options_t, server.claims_version)},
	{"say-profile", "HEX", "For tests: claim this hash of the profile",
		.value = XT_AT(options_t, server.profile_hash), .max = UINT32_MAX, .take = take_hexadecimal,
		.mark = XT_AT(options_t, server.claims_profile_hash)},
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(options_t, device),
	.check = check,
	.args_doc = "URI",
	.doc = "Speaks for a simulated network as a board would: everything that opens tcp: or uart: can use it. "
	       "Prints the URI of the board when it is ready, and goes on until it is killed. One host at a time has "
	       "the board. "
	       "Another one is refused, and told who has it.\v" XT_DEVICE_DOC "\n"
	       "Example:\n"
	       "  extorus serve model:twin:2x2x2x2x2 --listen tcp:localhost:5555 &\n"
	       "  extorus probe --device tcp:localhost:5555\n"
	       "  extorus serve model:torus:2x2 --listen tcp:localhost:5556 --metrics 9100",
};

/* Opens the place of --metrics, if there is one, and serves. */
static int serve(
	const options_t *o, xt_device_t *device, xt_server_t *server, const xt_listener_t *listener, xt_diag_t *diag)
{
	xt_listener_t http = {0};
	xt_metrics_server_t *metrics = o->metrics ? calloc(1, sizeof(*metrics)) : NULL;
	int status = o->metrics && !metrics ? xt_fail(diag, XT_ERR_NOMEM, "out of memory") : XT_OK;

	if (metrics) {
		xt_metrics_server_begin(metrics, device, &http);
		status = xt_listener_open_http(o->metrics, "/metrics", &http, diag);
	}
	if (status == XT_OK) {
		status = xt_serve(server, listener, metrics, o->once, o->idle);
	}
	if (metrics) {
		xt_metrics_server_end(metrics);
	}
	free(metrics);
	xt_listener_close(&http);
	return status;
}

static int run(int argc, char **argv)
{
	options_t o = {.server = XT_OPTIONS_INIT(xt_server_options_t)};
	xt_device_t *device = NULL;
	xt_image_t *image = NULL;
	xt_server_t *server = NULL;
	xt_listener_t listener = {0};
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
		status = xt_listener_open(o.listen, &listener, &diag);
	}
	if (status == XT_OK) {
		status = serve(&o, device, server, &listener, &diag);
	}
	if (status != XT_OK) {
		result = xt_report("serve", status, &diag);
	}
	xt_listener_close(&listener);
	xt_server_free(server);
	xt_image_free(image);
	xt_device_close(device);
	return result;
}

XT_COMMAND(serve, "speak for a simulated network as a board would", run);
