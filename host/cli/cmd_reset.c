/* SPDX-License-Identifier: Apache-2.0 */
#include "device_options.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return xt_take_target(key, arg, state, state->input);
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_CARD,
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
	xt_target_t target = {0};
	xt_diag_t diag = {""};
	int status;

	xt_parse_options(&reset_argp, argc, argv, &target);
	status = xt_target_open(&target, &diag);
	for (unsigned card = target.first; card < target.end && status == XT_OK; card++) {
		status = xt_device_reset(target.device, card, &diag);
	}
	xt_target_close(&target);
	if (status != XT_OK) {
		return xt_report("reset", status, &diag);
	}
	printf("%u cards are reset and have empty tables\n", target.end - target.first);
	return XT_EXIT_OK;
}

extern const xt_command_t xt_command_reset;
const xt_command_t xt_command_reset = {"reset", "reset the cards of a board", run};
