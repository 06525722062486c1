/* SPDX-License-Identifier: Apache-2.0 */
#include "options/device_options.h"

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_CARD,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = xt_need_device,
	.doc = "Resets the cards of a board: their tables are empty then, packets in them are lost. Links are trained "
	       "again. "
	       "Links without a link layer can't be: over them a card is reset alone only while no packet is under "
	       "way.\v" XT_DEVICE_DOC "\n"
	       "Example:\n"
	       "  extorus reset --device usb: --card 0",
};

static int reset(void *options)
{
	const xt_target_t *target = options;
	unsigned cards = target->end - target->first, done = 0;
	xt_diag_t diag = {""};
	int status;

	if (cards == xt_device_cards(target->device)) {
		status = xt_device_reset_all(target->device, &done, &diag);
	} else {
		status = xt_device_reset(target->device, target->first, &diag);
		done = status == XT_OK;
	}
	if (status != XT_OK) {
		printf("%u of %u cards are reset and have empty tables\n", done, cards);
		return xt_report("reset", status, &diag);
	}
	printf("%u cards are reset and have empty tables\n", cards);
	return XT_EXIT_OK;
}

static int run(int argc, char **argv)
{
	xt_target_t target = {0};

	return xt_target_run("reset", &syntax, argc, argv, &target, reset);
}

XT_COMMAND(reset, "reset the cards of a board", run);
