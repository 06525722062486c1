/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "device_options.h"
#include "extorus/link_state.h"
#include "extorus/registers.h"
#include "monotonic.h"

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
	       "all. On a terminal the view stays in place; elsewhere looks follow each other.\v" XT_DEVICE_DOC "\n"
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

static int watch(void *options)
{
	const options_t *o = options;
	xt_device_t *device = o->target.device;
	unsigned ports = xt_profile_ports(xt_device_profile(device)), first = o->target.first;
	unsigned count = (o->target.end - first) * ports;
	look_t *before = calloc(count, sizeof(*before)), *now = calloc(count, sizeof(*now));
	double last = 0, time;
	xt_diag_t diag = {""};
	int status = before && now ? XT_OK : xt_fail(&diag, XT_ERR_NOMEM, "out of memory");

	for (uint64_t n = 0; status == XT_OK && (!o->count || n <= o->count); n++) {
		time = xt_now_s();
		for (unsigned i = 0; i < count && status == XT_OK; i++) {
			status = look_at(device, first + i / ports, i % ports, &now[i], &diag);
		}
		if (n && status == XT_OK) {
			if (xt_is_screen(STDOUT_FILENO)) {
				printf("\033[H\033[J");
			}
			printf("card port   link     rx pkt/s    rx cell/s     tx pkt/s    tx cell/s     errors\n");
			for (unsigned i = 0; i < count; i++) {
				print_look(device, first + i / ports, i % ports, &now[i], &before[i], time - last);
			}
			if (fflush(stdout) != 0) {
				status = xt_fail(&diag, XT_ERR_IO, "writing to standard output failed");
			}
		}
		for (unsigned i = 0; i < count; i++) {
			before[i] = now[i];
		}
		last = time;
		if (status == XT_OK && (!o->count || n < o->count)) {
			xt_sleep_ms((unsigned)o->interval_ms);
		}
	}
	free(before);
	free(now);
	return status == XT_OK ? XT_EXIT_OK : xt_report("watch", status, &diag);
}

static int run(int argc, char **argv)
{
	options_t o = {.interval_ms = 1000};

	return xt_target_run("watch", &syntax, argc, argv, &o, watch);
}

XT_COMMAND(watch, "show ports, rates and errors live", run);
