/* SPDX-License-Identifier: Apache-2.0 */
#include "device_options.h"

typedef struct {
	const char *device;
	uint64_t card;
	int one_card;
} reset_options_t;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	reset_options_t *o = state->input;

	switch (key) {
	case XT_KEY_DEVICE:
		o->device = arg;
		return 0;
	case XT_KEY_CARD:
		o->card = xt_parse_number(state, "card", arg, 0, UINT32_MAX);
		o->one_card = 1;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument \"%s\"", arg);
		return 0;
	case ARGP_KEY_END:
		xt_need_device(state, o->device);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	{"card", XT_KEY_CARD, "N", 0, "Only this card", 0},
	{0},
};

static const struct argp reset_argp = {
	.options = option_list,
	.parser = parse,
	.doc = "Resets the cards of a board: their tables are empty then, packets in them are lost.\v" XT_DEVICE_DOC
	       "\n"
	       "Example:\n"
	       "  extorus reset --device usb: --card 0",
};

static int run(int argc, char **argv)
{
	reset_options_t o = {0};
	xt_device_t *device = NULL;
	xt_diag_t diag = {""};
	unsigned first, end = 0;
	int status;

	xt_parse_options(&reset_argp, argc, argv, &o);
	status = xt_open(o.device, &device, &diag);
	if (status == XT_OK && o.one_card) {
		status = xt_check_card(device, o.card, &diag);
	}
	first = o.one_card ? (unsigned)o.card : 0;
	if (status == XT_OK) {
		end = o.one_card ? first + 1 : xt_device_cards(device);
	}
	for (unsigned card = first; card < end && status == XT_OK; card++) {
		status = xt_device_reset(device, card, &diag);
	}
	extorus_close(device);
	if (status != XT_OK) {
		return xt_report("reset", status, &diag);
	}
	printf("%u cards are reset and have empty tables\n", end - first);
	return XT_EXIT_OK;
}

extern const xt_command_t xt_command_reset;
const xt_command_t xt_command_reset = {"reset", "reset the cards of a board", run};
