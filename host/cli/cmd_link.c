/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "boards/cable_check.h"
#include "boards/link_training.h"
#include "extorus/fault.h"
#include "extorus/link_state.h"
#include "extorus/protocol.h"
#include "extorus/registers.h"
#include "options/board_list.h"

typedef struct {
	xt_boards_t boards;
	const char *wiring; /* NULL: not checked */
	uint64_t keepalive;
	int retrain, set_keepalive, json;
} options_t;

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
	       "Exit status 0: no link is down but those that are disabled, and no cable is wrong; 1: some are.\n\n"
	       "Examples:\n"
	       "  extorus link --device usb:\n"
	       "  extorus link --device usb:serial=1 --device usb:serial=2 --retrain --keepalive 4000",
};

static int tell(xt_device_t *device, unsigned card, json_t *list, int *down, xt_diag_t *diag)
{
	uint32_t window = 0, pins = 0;
	int status;

	status = xt_pins_read(device, card, XT_FRAME_REG_WINDOW, 0, &window, diag);
	if (status == XT_OK) {
		status = xt_pins_read(device, card, XT_FRAME_REG_LINK_PINS, 0, &pins, diag);
	}
	for (unsigned port = 0; port < xt_device_profile(device)->link_ports && status == XT_OK; port++) {
		const char *lanes = !(window >> port & 1)    ? "no pins"
				    : pins >> (port + 8) & 1 ? "both ends"
				    : pins >> port & 1       ? "this end"
							     : "none";
		const char *name = xt_device_port_name(device, card, port);
		uint32_t state = 0, crc = 0, dropped = 0;

		status = xt_link_read_state(device, card, port, &state, diag);
		if (status == XT_OK) {
			status = xt_register_read(
				device, card, xt_register_address(XT_REG_CRC_ERRORS, port, 0), &crc, diag);
		}
		if (status == XT_OK) {
			status = xt_register_read(
				device, card, xt_register_address(XT_REG_DROPPED, port, 0), &dropped, diag);
		}
		if (status != XT_OK) {
			break;
		}
		*down |= xt_link_state_of(state) == XT_LINK_DOWN && xt_link_cause_of(state) != XT_CAUSE_DISABLED;
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

/* Without `diag` it goes on where a board fails. */
static int write_keepalive(const options_t *o, uint64_t cycles, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned d = 0; d < o->boards.count && (status == XT_OK || !diag); d++) {
		status = xt_device_write_all(
			o->boards.devices[d], xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0), (uint32_t)cycles, diag);
	}
	return status;
}

static int read_keepalive(const options_t *o, uint32_t *cycles, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned d = o->boards.count; d-- > 0 && status == XT_OK;) {
		status = xt_register_read(
			o->boards.devices[d], 0, xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0), cycles, diag);
	}
	return status;
}

/* Sets it at all cards or, if that fails, at none: a link whose one end only awaits keepalives goes down. So do those
 * whose ends learn of it too long after each other; these are trained again. */
static int set_keepalive(const options_t *o, xt_diag_t *diag)
{
	xt_link_ports_t *up = calloc(o->boards.count, sizeof(*up));
	uint32_t before = 0;
	int status = up ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	if (status == XT_OK) {
		status = xt_links_find(&o->boards, XT_LINK_UP, up, diag);
	}
	if (status == XT_OK) {
		status = read_keepalive(o, &before, diag);
	}
	if (status == XT_OK) {
		xt_boards_shield(&o->boards, 1);
	}
	if (status == XT_OK && (status = write_keepalive(o, o->keepalive, diag)) != XT_OK) {
		(void)write_keepalive(o, before, NULL);
	}
	if (status == XT_OK) {
		status = xt_links_train(&o->boards, up, diag);
	}
	xt_boards_shield(&o->boards, 0);
	free(up);
	return status;
}

static int need_link_layer(const xt_boards_t *boards, xt_diag_t *diag)
{
	for (unsigned d = 0; d < boards->count; d++) {
		const xt_profile_t *profile = xt_device_profile(boards->devices[d]);

		if (!profile->replay_cells) {
			return xt_fail(diag, XT_ERR_UNSUPPORTED,
				"%.100s: profile %s has links without a link layer, which have no state",
				boards->uris[d], profile->name);
		}
	}
	return XT_OK;
}

/* Appends wrong cables to `cables` or, if that is NULL, prints them; *wrong counts them. */
static int check_wiring(const options_t *o, json_t *cables, unsigned *wrong, xt_diag_t *diag)
{
	xt_image_t *image;
	int status = xt_image_read(o->wiring, &image, diag);

	if (status == XT_OK) {
		status = xt_check_wiring(&o->boards, image, cables, wrong, diag);
	}
	xt_image_free(image);
	return status;
}

static int links(const options_t *o, xt_diag_t *diag, int *wrong, json_t *boards, json_t *cables)
{
	unsigned wrong_ends = 0;
	int status = o->set_keepalive ? set_keepalive(o, diag) : XT_OK;

	if (status == XT_OK && o->retrain) {
		status = xt_links_train(&o->boards, NULL, diag);
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
		for (unsigned card = 0; card < xt_device_cards(o->boards.devices[d]) && status == XT_OK; card++) {
			status = tell(o->boards.devices[d], card, list, wrong, diag);
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
	status = xt_boards_open(&o.boards, &diag);
	if (status == XT_OK) {
		status = need_link_layer(&o.boards, &diag);
	}
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
	return xt_boards_close(&o.boards, "link", result);
}

XT_COMMAND(link, "state of a board's links, training", run);
