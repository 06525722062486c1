/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "device_options.h"
#include "extorus/link_state.h"
#include "extorus/registers.h"
#include "monotonic.h"

enum { KEY_INTERVAL = XT_KEY_COMMAND, KEY_COUNT };

typedef struct {
	xt_target_t target;
	uint64_t interval_ms, count;
} watch_options_t;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	watch_options_t *o = state->input;

	switch (key) {
	case KEY_INTERVAL:
		o->interval_ms = xt_parse_number(state, "interval", arg, 10, 3600000);
		return 0;
	case KEY_COUNT:
		o->count = xt_parse_number(state, "count", arg, 1, UINT32_MAX);
		return 0;
	default:
		return xt_take_target(key, arg, state, &o->target);
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	{"interval", KEY_INTERVAL, "MS", 0, "Between two looks (default 1000)", 0},
	{"count", KEY_COUNT, "N", 0, "End after N looks (default: on interruption)", 0},
	XT_OPTION_CARD,
	{0},
};

static const struct argp watch_argp = {
	.options = option_list,
	.parser = parse,
	.doc = "Shows all ports again and again: state of the link, packets and cells per second each way, errors in "
	       "all. On "
	       "a terminal the view stays in place; elsewhere looks follow each other.\v" XT_DEVICE_DOC "\n"
	       "Example:\n"
	       "  extorus watch --device usb: --interval 500",
};

/* Of a port. */
typedef struct {
	uint32_t rx_packets, rx_cells, tx_packets, tx_cells, errors, state;
} look_t;

static int sum(xt_device_t *device, unsigned card, unsigned port, xt_register_id_t id, unsigned count, uint32_t *total,
	xt_diag_t *diag)
{
	uint32_t values[XT_MAX_TCS] = {0};
	int status;

	if (!xt_register_present(id, xt_profile_features(xt_device_profile(device)))) {
		return XT_OK;
	}
	status = xt_device_read(device, card, xt_register_address(id, port, 0), values, count, diag);
	for (unsigned i = 0; i < count; i++) {
		*total += values[i];
	}
	return status;
}

static int look_at(xt_device_t *device, unsigned card, unsigned port, look_t *look, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(device);
	unsigned tcs = profile->tcs;
	int link = port < profile->link_ports && profile->replay_cells, status;

	*look = (look_t){0};
	status = sum(device, card, port, XT_REG_RX_PACKETS, tcs, &look->rx_packets, diag);
	if (status == XT_OK) {
		status = sum(device, card, port, XT_REG_RX_CELLS, tcs, &look->rx_cells, diag);
	}
	if (status == XT_OK) {
		status = sum(device, card, port, XT_REG_TX_PACKETS, tcs, &look->tx_packets, diag);
	}
	if (status == XT_OK) {
		status = sum(device, card, port, XT_REG_TX_CELLS, tcs, &look->tx_cells, diag);
	}
	if (status == XT_OK) {
		status = sum(device, card, port, XT_REG_ILLEGAL_ROUTES, 1, &look->errors, diag);
	}
	if (status == XT_OK && link) {
		status = sum(device, card, port, XT_REG_CRC_ERRORS, 1, &look->errors, diag);
	}
	if (status == XT_OK && link) {
		status = xt_device_read(
			device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), &look->state, 1, diag);
	}
	return status;
}

static void print_look(const xt_device_t *device, unsigned card, unsigned port, const look_t *now, const look_t *before,
	double seconds)
{
	const xt_profile_t *profile = xt_device_profile(device);
	const char *state = port >= profile->link_ports || !profile->replay_cells
				    ? "-"
				    : xt_link_state_name(xt_link_state_of(now->state));

	printf("%4u %-6s %-6s %12.0f %12.0f %12.0f %12.0f %10" PRIu32 "\n", card,
		xt_device_port_name(device, card, port), state, (now->rx_packets - before->rx_packets) / seconds,
		(now->rx_cells - before->rx_cells) / seconds, (now->tx_packets - before->tx_packets) / seconds,
		(now->tx_cells - before->tx_cells) / seconds, now->errors);
}

static int watch(const watch_options_t *o, xt_diag_t *diag)
{
	xt_device_t *device = o->target.device;
	unsigned ports = xt_profile_ports(xt_device_profile(device)), first = o->target.first;
	unsigned count = (o->target.end - first) * ports;
	look_t *before = calloc(count, sizeof(*before)), *now = calloc(count, sizeof(*now));
	double last = 0, time;
	int status = before && now ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	for (uint64_t n = 0; status == XT_OK && (!o->count || n <= o->count); n++) {
		time = xt_now_s();
		for (unsigned i = 0; i < count && status == XT_OK; i++) {
			status = look_at(device, first + i / ports, i % ports, &now[i], diag);
		}
		if (n && status == XT_OK) {
			if (isatty(STDOUT_FILENO)) {
				printf("\033[H\033[J");
			}
			printf("card port   link     rx pkt/s    rx cell/s     tx pkt/s    tx cell/s     errors\n");
			for (unsigned i = 0; i < count; i++) {
				print_look(device, first + i / ports, i % ports, &now[i], &before[i], time - last);
			}
			fflush(stdout);
		}
		for (unsigned i = 0; i < count; i++) {
			before[i] = now[i];
		}
		last = time;
		if (status == XT_OK && (!o->count || n < o->count)) {
			nanosleep(&(struct timespec){(time_t)(o->interval_ms / 1000),
					  (long)(o->interval_ms % 1000) * 1000000},
				NULL);
		}
	}
	free(before);
	free(now);
	return status;
}

static int run(int argc, char **argv)
{
	watch_options_t o = {.interval_ms = 1000};
	xt_diag_t diag = {""};
	int status;

	xt_parse_options(&watch_argp, argc, argv, &o);
	status = xt_target_open(&o.target, &diag);
	if (status == XT_OK) {
		status = watch(&o, &diag);
	}
	xt_target_close(&o.target);
	return status == XT_OK ? XT_EXIT_OK : xt_report("watch", status, &diag);
}

extern const xt_command_t xt_command_watch;
const xt_command_t xt_command_watch = {"watch", "show ports, rates and errors live", run};
