/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extorus/link_state.h"
#include "extorus/registers.h"
#include "options/device_options.h"
#include "options/monotonic.h"

typedef struct {
	xt_target_t target;
	uint64_t interval_ms, count;
} options_t;

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	{"interval", "MS", "Between two looks (default 1000)", .value = XT_AT(options_t, interval_ms), .min = 10,
		.max = 3600000},
	{"count", "N", "End after N looks (default: on interruption)", .value = XT_AT(options_t, count), .min = 1,
		.max = UINT32_MAX},
	XT_OPTION_CARD,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = xt_need_device,
	.doc = "Shows all ports again and again: state of the link, packets and cells per second each way, errors in "
	       "all, cells since the start. Counters have 32 bits and wrap; watch adds them up, and says when one may "
	       "have "
	       "wrapped unseen. On a terminal the view stays in place; elsewhere looks follow each "
	       "other.\v" XT_DEVICE_DOC "\n"
	       "Example:\n"
	       "  extorus watch --device usb: --interval 500",
};

/* Traffic first. */
enum { RX_PACKETS, RX_CELLS, TX_PACKETS, TX_CELLS, ILLEGAL_ROUTES, CRC_ERRORS, COUNTERS, TRAFFIC = ILLEGAL_ROUTES };

static const xt_register_id_t counters[COUNTERS] = {[RX_PACKETS] = XT_REG_RX_PACKETS,
	[RX_CELLS] = XT_REG_RX_CELLS,
	[TX_PACKETS] = XT_REG_TX_PACKETS,
	[TX_CELLS] = XT_REG_TX_CELLS,
	[ILLEGAL_ROUTES] = XT_REG_ILLEGAL_ROUTES,
	[CRC_ERRORS] = XT_REG_CRC_ERRORS};

enum {
	READ_MS = 10000, /* at the latest the counters are read again, whatever the interval */
	WRAP_S = 40,     /* a counter of 32 bits that counts in every cycle wraps after 43 s at 100 MHz */
};

/* Of a port. */
typedef struct {
	uint32_t read[COUNTERS][XT_MAX_TCS];         /* at the last reading */
	uint64_t total[COUNTERS], printed[COUNTERS]; /* traffic since the first reading, all errors; at the last look */
	uint32_t state;
} port_t;

typedef struct {
	xt_device_t *device;
	unsigned first_card, ports, count;
	port_t *port;
	double read_s;
	int unsure; /* since the last look a counter may have wrapped unseen */
} view_t;

static int read_port(view_t *view, unsigned index, int first, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(view->device);
	unsigned card = view->first_card + index / view->ports, number = index % view->ports;
	int link = number < profile->link_ports && profile->replay_cells, status = XT_OK;
	port_t *port = &view->port[index];

	for (unsigned c = 0; c < COUNTERS && status == XT_OK; c++) {
		unsigned items = c < TRAFFIC ? profile->tcs : 1;
		uint32_t values[XT_MAX_TCS] = {0};

		if (c == CRC_ERRORS && !link) {
			continue;
		}
		status = xt_device_read(
			view->device, card, xt_register_address(counters[c], number, 0), values, items, diag);
		for (unsigned i = 0; i < items; i++) {
			/* Right across a wrap. */
			port->total[c] += first && c < TRAFFIC ? 0 : (uint32_t)(values[i] - port->read[c][i]);
			port->read[c][i] = values[i];
		}
	}
	if (status == XT_OK && link) {
		status = xt_device_read(
			view->device, card, xt_register_address(XT_REG_LINK_STATE, number, 0), &port->state, 1, diag);
	}
	return status;
}

static int read_ports(view_t *view, int first, xt_diag_t *diag)
{
	double now = xt_now_s();
	int status = XT_OK;

	view->unsure |= !first && now - view->read_s > WRAP_S;
	view->read_s = now;
	for (unsigned i = 0; i < view->count && status == XT_OK; i++) {
		status = read_port(view, i, first, diag);
	}
	return status;
}

static void print_port(const view_t *view, unsigned index, double seconds)
{
	const xt_profile_t *profile = xt_device_profile(view->device);
	unsigned card = view->first_card + index / view->ports, number = index % view->ports;
	const port_t *port = &view->port[index];
	const char *state = number >= profile->link_ports || !profile->replay_cells
				    ? "-"
				    : xt_link_state_name(xt_link_state_of(port->state));

	printf("%4u %-6s %-6s", card, xt_device_port_name(view->device, card, number), state);
	for (unsigned c = 0; c < TRAFFIC; c++) {
		printf(" %12.0f", (double)(port->total[c] - port->printed[c]) / seconds);
	}
	printf(" %10" PRIu64 " %14" PRIu64 " %14" PRIu64 "\n", port->total[ILLEGAL_ROUTES] + port->total[CRC_ERRORS],
		port->total[RX_CELLS], port->total[TX_CELLS]);
}

static int print_ports(view_t *view, double seconds, xt_diag_t *diag)
{
	if (xt_is_screen(STDOUT_FILENO)) {
		printf("\033[H\033[J");
	}
	printf("card port   link     rx pkt/s    rx cell/s     tx pkt/s    tx cell/s     errors       rx cells       "
	       "tx cells\n");
	for (unsigned i = 0; i < view->count; i++) {
		print_port(view, i, seconds);
		memcpy(view->port[i].printed, view->port[i].total, sizeof(view->port[i].printed));
	}
	if (view->unsure) {
		printf("not read for over %d s: a counter may have wrapped unseen\n", WRAP_S);
	}
	view->unsure = 0;
	return fflush(stdout) == 0 ? XT_OK
				   : xt_fail(diag, XT_ERR_IO, "writing to standard output failed: %s", strerror(errno));
}

/* Reads in between, so that fewer than 2^32 events lie between two readings. */
static int wait_for_look(view_t *view, uint64_t left_ms, xt_diag_t *diag)
{
	int status = XT_OK;

	while (left_ms && status == XT_OK) {
		uint64_t part = left_ms < READ_MS ? left_ms : READ_MS;

		xt_sleep_ms((unsigned)part);
		left_ms -= part;
		if (left_ms) {
			status = read_ports(view, 0, diag);
		}
	}
	return status;
}

static int watch(void *options)
{
	const options_t *o = options;
	unsigned ports = xt_profile_ports(xt_device_profile(o->target.device));
	view_t view = {.device = o->target.device,
		.first_card = o->target.first,
		.ports = ports,
		.count = (o->target.end - o->target.first) * ports};
	double last = 0;
	xt_diag_t diag = {""};
	int status = XT_OK;

	view.port = calloc(view.count, sizeof(*view.port));
	if (!view.port) {
		status = xt_fail(&diag, XT_ERR_NOMEM, "out of memory");
	}
	for (uint64_t n = 0; status == XT_OK && (!o->count || n <= o->count); n++) {
		status = read_ports(&view, n == 0, &diag);
		if (n && status == XT_OK) {
			status = print_ports(&view, view.read_s - last, &diag);
		}
		last = view.read_s;
		if (status == XT_OK && (!o->count || n < o->count)) {
			status = wait_for_look(&view, o->interval_ms, &diag);
		}
	}
	free(view.port);
	return status == XT_OK ? XT_EXIT_OK : xt_report("watch", status, &diag);
}

static int run(int argc, char **argv)
{
	options_t o = {.interval_ms = 1000};

	return xt_target_run("watch", &syntax, argc, argv, &o, watch);
}

XT_COMMAND(watch, "show ports, rates and errors live", run);
