/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "../lib/clock.h"
#include "../lib/link_state.h"
#include "device_options.h"
#include "protocol.h"
#include "registers.h"

enum { KEY_RETRAIN = 0x2d00, KEY_KEEPALIVE, UP_MS = 2000 };

typedef struct {
	xt_target_t target;
	uint64_t keepalive;
	int retrain, set_keepalive;
} options_t;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	options_t *o = state->input;

	switch (key) {
	case KEY_RETRAIN:
		o->retrain = 1;
		return 0;
	case KEY_KEEPALIVE:
		o->keepalive = xt_parse_number(state, "keepalive", arg, 0, 65535);
		o->set_keepalive = 1;
		return 0;
	default:
		return xt_take_target(key, arg, state, &o->target);
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_CARD,
	{"retrain", KEY_RETRAIN, 0, 0, "Train every link that is down again; the other end has to do so too", 0},
	{"keepalive", KEY_KEEPALIVE, "CYCLES", 0,
		"An idle link sends a sign of life after so many cycles, and goes down after four times as many "
		"without "
		"one; 0: never",
		0},
	XT_OPTION_JSON,
	{0},
};

static const struct argp link_argp = {
	.options = option_list,
	.parser = parse,
	.doc = "Says how the links of a board are: whether the lanes of a cable are aligned at this end and at both, "
	       "state and "
	       "cause of the link layer, frames that were damaged and packets that were dropped.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: no link is down; 1: some are.\n\n"
	       "Examples:\n"
	       "  extorus link --device usb:\n"
	       "  extorus link --device usb: --retrain",
};

static int read_one(xt_device_t *device, unsigned card, uint32_t address, uint32_t *value, xt_diag_t *diag)
{
	return xt_device_read(device, card, address, value, 1, diag);
}

static int state_of(xt_device_t *device, unsigned card, unsigned port, uint32_t *state, xt_diag_t *diag)
{
	return read_one(device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), state, diag);
}

/* Trains what is down and waits until it is up, or for a while. */
static int retrain(xt_device_t *device, unsigned card, xt_diag_t *diag)
{
	unsigned links = xt_device_profile(device)->link_ports;
	uint64_t end = xt_now_ms() + UP_MS;
	uint32_t ports = 0, waiting, state = 0;
	int status = XT_OK;

	for (unsigned port = 0; port < links && status == XT_OK; port++) {
		status = state_of(device, card, port, &state, diag);
		ports |= (uint32_t)(xt_link_state_of(state) == XT_LINK_DOWN) << port;
	}
	if (status != XT_OK || !ports) {
		return status;
	}
	status = xt_device_write(device, card, xt_register_address(XT_REG_LINK_RETRAIN, 0, 0), &ports, 1, diag);
	do {
		waiting = 0;
		for (unsigned port = 0; port < links && status == XT_OK; port++) {
			status = state_of(device, card, port, &state, diag);
			waiting |= (ports >> port & 1) && xt_link_state_of(state) != XT_LINK_UP;
		}
	} while (waiting && status == XT_OK && xt_now_ms() < end);
	return status;
}

static int tell(xt_device_t *device, unsigned card, json_t *list, int *down, xt_diag_t *diag)
{
	uint32_t window = 0, pins = 0;
	int status = XT_OK;

	if (xt_device_board(device, NULL)) {
		status = read_one(device, card, XT_LINE_REG_WINDOW, &window, diag);
	}
	if (status == XT_OK && (window & 0xff)) {
		status = read_one(device, card, XT_LINE_REG_LINK_PINS, &pins, diag);
	}
	for (unsigned port = 0; port < xt_device_profile(device)->link_ports && status == XT_OK; port++) {
		const char *lanes = !(window >> port & 1)    ? "no pins"
				    : pins >> (port + 8) & 1 ? "both ends"
				    : pins >> port & 1       ? "this end"
							     : "none";
		const char *name = xt_device_port_name(device, card, port);
		uint32_t state = 0, crc = 0, dropped = 0;

		status = state_of(device, card, port, &state, diag);
		if (status == XT_OK) {
			status = read_one(device, card, xt_register_address(XT_REG_CRC_ERRORS, port, 0), &crc, diag);
		}
		if (status == XT_OK) {
			status = read_one(device, card, xt_register_address(XT_REG_DROPPED, port, 0), &dropped, diag);
		}
		if (status != XT_OK) {
			break;
		}
		*down |= xt_link_state_of(state) == XT_LINK_DOWN;
		if (list) {
			json_array_append_new(
				list, json_pack("{s:i, s:s, s:s, s:s, s:s, s:I, s:I}", "card", (int)card, "port", name,
					      "lanes", lanes, "state", xt_link_state_name(xt_link_state_of(state)),
					      "cause", xt_link_cause_name(xt_link_cause_of(state)), "crc_errors",
					      (json_int_t)crc, "dropped", (json_int_t)dropped));
		} else {
			printf("%4u %-6s %-10s %-6s %-10s %10" PRIu32 " %8" PRIu32 "\n", card, name, lanes,
				xt_link_state_name(xt_link_state_of(state)),
				xt_link_cause_name(xt_link_cause_of(state)), crc, dropped);
		}
	}
	return status;
}

static int links(options_t *o, xt_diag_t *diag, int *down, json_t *list)
{
	xt_device_t *device = o->target.device;
	uint32_t keepalive = (uint32_t)o->keepalive;
	int status = XT_OK;

	if (!xt_device_profile(device)->replay_cells) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"profile %s has links without a link layer, which have no state",
			xt_device_profile(device)->name);
	}
	for (unsigned card = o->target.first; card < o->target.end && status == XT_OK; card++) {
		if (o->set_keepalive) {
			status = xt_device_write(
				device, card, xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0), &keepalive, 1, diag);
		}
		if (status == XT_OK && o->retrain) {
			status = retrain(device, card, diag);
		}
	}
	if (!list) {
		printf("%4s %-6s %-10s %-6s %-10s %10s %8s\n", "card", "port", "lanes", "state", "cause", "crc errors",
			"dropped");
	}
	for (unsigned card = o->target.first; card < o->target.end && status == XT_OK; card++) {
		status = tell(device, card, list, down, diag);
	}
	return status;
}

static int run(int argc, char **argv)
{
	options_t o = {0};
	xt_diag_t diag = {""};
	json_t *list = NULL;
	int status, down = 0, result;

	xt_parse_options(&link_argp, argc, argv, &o);
	status = xt_target_open(&o.target, &diag);
	if (status == XT_OK) {
		list = o.target.json ? json_array() : NULL;
		status = links(&o, &diag, &down, list);
	}
	xt_target_close(&o.target);
	if (status != XT_OK) {
		json_decref(list);
		return xt_report("link", status, &diag);
	}
	result = list ? xt_print_json("link", json_pack("{s:b, s:o}", "ok", !down, "links", list)) : XT_EXIT_OK;
	return result != XT_EXIT_OK ? result : down ? XT_EXIT_WRONG : XT_EXIT_OK;
}

extern const xt_command_t xt_command_link;
const xt_command_t xt_command_link = {"link", "state of a board's links, training", run};
