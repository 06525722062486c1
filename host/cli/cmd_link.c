/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "boards/cable_check.h"
#include "extorus/fault.h"
#include "extorus/link_state.h"
#include "extorus/protocol.h"
#include "extorus/registers.h"
#include "options/device_options.h"
#include "options/monotonic.h"

enum { UP_MS = 3000, ROUNDS = 3, MOST_CARDS = 255 };

typedef struct {
	xt_boards_t boards;
	xt_device_t *devices[XT_MOST_BOARDS];
	const char *wiring; /* NULL: not checked */
	uint64_t keepalive;
	int retrain, set_keepalive, json;
} options_t;

/* Of a board; bit per port. */
typedef struct {
	uint32_t of_card[MOST_CARDS];
} ports_t;

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	xt_need_boards(state, &o->boards);
	/* Errors that come together, or a slow link, must not take several keepalives. */
	if (o->keepalive && o->keepalive < XT_KILL_KEEPALIVE) {
		argp_error(state, "--keepalive: %" PRIu64 " is neither 0 nor %d to 65535", o->keepalive,
			XT_KILL_KEEPALIVE);
	}
}

static const xt_option_t option_list[] = {
	XT_OPTION_BOARDS(options_t),
	{"retrain", NULL, "Train every link that is down again; of a cable both ends have to do so",
		.mark = XT_AT(options_t, retrain)},
	{"keepalive", "CYCLES",
		"An idle link sends a sign of life after so many cycles, and goes down after four times as many "
		"without one. At least 256; 0: never. All boards need it",
		.value = XT_AT(options_t, keepalive), .max = 65535, .mark = XT_AT(options_t, set_keepalive)},
	{"wiring", "IMAGE",
		"Find the cable of every link, name those that lead elsewhere than the image says, and what to plug "
		"where. "
		"Name all boards, in the order of their cards; links go down for a moment, so no packet may be under "
		"way",
		.value = XT_AT(options_t, wiring)},
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = check,
	.doc = "Says how the links of boards are: whether the lanes of a cable are aligned at this end and at both, "
	       "state and cause of the link layer, frames that were damaged and packets that were "
	       "dropped.\v" XT_DEVICE_DOC "\n"
	       "Exit status 0: no link is down, no cable wrong; 1: some are.\n\n"
	       "Examples:\n"
	       "  extorus link --device usb:\n"
	       "  extorus link --device usb:serial=1 --device usb:serial=2 --retrain --keepalive 4000",
};

static int read_one(xt_device_t *device, unsigned card, uint32_t address, uint32_t *value, xt_diag_t *diag)
{
	return xt_device_read(device, card, address, value, 1, diag);
}

/* A register beside the card's own, which a board has for its pins; one that has no pins has none. */
static int read_pins(
	xt_device_t *device, unsigned card, uint32_t address, uint32_t without, uint32_t *value, xt_diag_t *diag)
{
	int status = read_one(device, card, address, value, diag);

	if (status == XT_ERR_RANGE) {
		*value = without;
		status = XT_OK;
	}
	return status;
}

static int state_of(xt_device_t *device, unsigned card, unsigned port, uint32_t *state, xt_diag_t *diag)
{
	return read_one(device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), state, diag);
}

/* Ports of a card whose link is in `state`. */
static int ports_in(xt_device_t *device, unsigned card, unsigned state, uint32_t *ports, xt_diag_t *diag)
{
	uint32_t value = 0;
	int status = XT_OK;

	*ports = 0;
	for (unsigned port = 0; port < xt_device_profile(device)->link_ports && status == XT_OK; port++) {
		status = state_of(device, card, port, &value, diag);
		*ports |= (uint32_t)(xt_link_state_of(value) == state) << port;
	}
	return status;
}

/* Trains links that are down: those of `only`, or all. A link that trains takes its other end down, if that was up, so
 * one round may leave some. */
static int retrain(const options_t *o, const ports_t *only, xt_diag_t *diag)
{
	int status = XT_OK, some = 1;

	for (unsigned round = 0; round < ROUNDS && some && status == XT_OK; round++) {
		uint64_t end = xt_now_ms() + UP_MS;

		some = 0;
		for (unsigned d = 0; d < o->boards.count && status == XT_OK; d++) {
			for (unsigned card = 0; card < xt_device_cards(o->devices[d]) && status == XT_OK; card++) {
				uint32_t ports;

				status = ports_in(o->devices[d], card, XT_LINK_DOWN, &ports, diag);
				ports &= only ? only[d].of_card[card] : UINT32_MAX;
				if (status == XT_OK && ports) {
					status = xt_device_write(o->devices[d], card,
						xt_register_address(XT_REG_LINK_RETRAIN, 0, 0), &ports, 1, diag);
					some = 1;
				}
			}
		}
		while (some && status == XT_OK && xt_now_ms() < end) {
			uint32_t waiting = 0;

			for (unsigned d = 0; d < o->boards.count && status == XT_OK; d++) {
				for (unsigned card = 0; card < xt_device_cards(o->devices[d]) && status == XT_OK;
					card++) {
					uint32_t pins = 0, ports = 0;

					status = ports_in(o->devices[d], card, XT_LINK_TRAIN, &ports, diag);
					if (status == XT_OK) {
						status = read_pins(o->devices[d], card, XT_FRAME_REG_LINK_PINS,
							UINT32_MAX, &pins, diag);
					}
					waiting |= ports & pins >> 8;
				}
			}
			if (!waiting) {
				break;
			}
		}
	}
	return status;
}

static int tell(xt_device_t *device, unsigned card, json_t *list, int *down, xt_diag_t *diag)
{
	uint32_t window = 0, pins = 0;
	int status;

	status = read_pins(device, card, XT_FRAME_REG_WINDOW, 0, &window, diag);
	if (status == XT_OK) {
		status = read_pins(device, card, XT_FRAME_REG_LINK_PINS, 0, &pins, diag);
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

static int open_all(options_t *o, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned d = 0; d < o->boards.count && status == XT_OK; d++) {
		status = xt_open_device(o->boards.uris[d], &o->devices[d], diag);
		if (status == XT_OK && !xt_device_board(o->devices[d], NULL)) {
			status = xt_fail(diag, XT_ERR_UNSUPPORTED, "%.100s is no board", o->boards.uris[d]);
		}
		if (status == XT_OK && !xt_device_profile(o->devices[d])->replay_cells) {
			status = xt_fail(diag, XT_ERR_UNSUPPORTED,
				"%.100s: profile %s has links without a link layer, which have no state",
				o->boards.uris[d], xt_device_profile(o->devices[d])->name);
		}
	}
	return status;
}

/* Without `diag` it goes on where a board fails. */
static int write_keepalive(const options_t *o, uint64_t cycles, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned d = 0; d < o->boards.count && (status == XT_OK || !diag); d++) {
		status = xt_device_write_all(
			o->devices[d], xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0), (uint32_t)cycles, diag);
	}
	return status;
}

/* Ports whose link is in `state`, of all cards of all boards. */
static int find_ports(const options_t *o, unsigned state, ports_t *ports, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned d = 0; d < o->boards.count && status == XT_OK; d++) {
		for (unsigned card = 0; card < xt_device_cards(o->devices[d]) && status == XT_OK; card++) {
			status = ports_in(o->devices[d], card, state, &ports[d].of_card[card], diag);
		}
	}
	return status;
}

static int read_keepalive(const options_t *o, uint32_t *cycles, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned d = o->boards.count; d-- > 0 && status == XT_OK;) {
		status = read_one(o->devices[d], 0, xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0), cycles, diag);
	}
	return status;
}

static void shield(const options_t *o, int shielded)
{
	for (unsigned d = 0; d < o->boards.count; d++) {
		xt_device_shield(o->devices[d], shielded);
	}
}

/* Sets it at all cards or, if that fails, at none: a link whose one end only awaits keepalives goes down. So do those
 * whose ends learn of it too long after each other; these are trained again. */
static int set_keepalive(const options_t *o, xt_diag_t *diag)
{
	ports_t *up = calloc(o->boards.count, sizeof(*up));
	uint32_t before = 0;
	int status = up ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	if (status == XT_OK) {
		status = find_ports(o, XT_LINK_UP, up, diag);
	}
	if (status == XT_OK) {
		status = read_keepalive(o, &before, diag);
	}
	if (status == XT_OK) {
		shield(o, 1);
	}
	if (status == XT_OK && (status = write_keepalive(o, o->keepalive, diag)) != XT_OK) {
		(void)write_keepalive(o, before, NULL);
	}
	if (status == XT_OK) {
		status = retrain(o, up, diag);
	}
	shield(o, 0);
	free(up);
	return status;
}

/* Appends wrong cables to `cables` or, if that is NULL, prints them; *wrong counts them. */
static int check_wiring(const options_t *o, json_t *cables, unsigned *wrong, xt_diag_t *diag)
{
	ports_t *up = calloc(o->boards.count, sizeof(*up));
	xt_image_t *image = NULL;
	int restored, status = up ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	if (status == XT_OK) {
		status = xt_image_read(o->wiring, &image, diag);
	}
	if (status == XT_OK) {
		status = find_ports(o, XT_LINK_UP, up, diag);
	}
	if (status == XT_OK) {
		status = xt_check_cables(o->devices, o->boards.uris, o->boards.count, image, cables, wrong, diag);
		shield(o, 1);
		restored = retrain(o, up, status == XT_OK ? diag : NULL);
		shield(o, 0);
		status = status == XT_OK ? restored : status;
	}
	xt_image_free(image);
	free(up);
	return status;
}

static int links(const options_t *o, xt_diag_t *diag, int *wrong, json_t *boards, json_t *cables)
{
	unsigned wrong_ends = 0;
	int status = o->set_keepalive ? set_keepalive(o, diag) : XT_OK;

	if (status == XT_OK && o->retrain) {
		status = retrain(o, NULL, diag);
	}
	if (status == XT_OK && o->wiring) {
		status = check_wiring(o, cables, &wrong_ends, diag);
		*wrong |= wrong_ends != 0;
	}
	for (unsigned d = 0; d < o->boards.count && status == XT_OK; d++) {
		json_t *list = boards ? json_array() : NULL;

		if (list) {
			json_array_append_new(
				boards, json_pack("{s:s, s:o}", "device", o->boards.uris[d], "links", list));
		} else {
			printf("%s%s\n%4s %-6s %-10s %-6s %-10s %10s %8s\n", d ? "\n" : "", o->boards.uris[d], "card",
				"port", "lanes", "state", "cause", "crc errors", "dropped");
		}
		for (unsigned card = 0; card < xt_device_cards(o->devices[d]) && status == XT_OK; card++) {
			status = tell(o->devices[d], card, list, wrong, diag);
		}
	}
	return status;
}

static int run(int argc, char **argv)
{
	options_t o = {0};
	xt_diag_t diag = {""};
	json_t *boards, *cables;
	int status, wrong = 0, result;

	xt_parse_options(&syntax, argc, argv, &o);
	boards = o.json ? json_array() : NULL;
	cables = o.json ? json_array() : NULL;
	status = open_all(&o, &diag);
	if (status == XT_OK) {
		status = links(&o, &diag, &wrong, boards, cables);
	}
	if (status != XT_OK) {
		json_decref(boards);
		json_decref(cables);
		result = xt_report("link", status, &diag);
	} else {
		result = boards ? xt_print_json("link", json_pack("{s:b, s:o, s:o}", "ok", !wrong, "boards", boards,
								"wrong_cables", cables))
				: XT_EXIT_OK;
		result = result == XT_EXIT_OK && wrong ? XT_EXIT_WRONG : result;
	}
	for (unsigned d = 0; d < o.boards.count; d++) {
		result = xt_check_released("link", o.devices[d], result);
		xt_device_close(o.devices[d]);
	}
	return result;
}

XT_COMMAND(link, "state of a board's links, training", run);
