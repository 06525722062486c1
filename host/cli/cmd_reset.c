/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/profiles.h"

#include "options/target_list.h"

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_TARGET_LIST,
	XT_OPTION_CARD,
	XT_TARGET_JSON,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.check = xt_need_device,
	.doc = "Resets the cards of a board: their tables are empty then, packets in them are lost. Links are trained "
	       "again. Both ends of a link without a link layer count its credits. So cards that such links join are "
	       "reset together, also with --card.\v" XT_DEVICE_DOC "\n"
	       "Examples:\n"
	       "  extorus reset --device usb: --card 0\n"
	       "  extorus reset --devices boards.txt",
};

static int reset(void *options)
{
	const xt_target_t *target = options;
	const unsigned all = xt_device_cards(target->device);
	unsigned cards = target->end - target->first, done = 0;
	const int more = cards < all && !xt_device_profile(target->device)->replay_cells;
	xt_diag_t diag = {""};
	int status;

	cards = more ? all : cards;
	if (cards == all) {
		status = xt_device_reset_all(target->device, &done, &diag);
	} else {
		status = xt_device_reset(target->device, target->first, &diag);
		done = status == XT_OK;
	}
	if (target->json && status == XT_OK) {
		return xt_target_print_json(target, json_pack("{s:i}", "cards", (int)cards), NULL);
	}
	if (!target->json) {
		xt_target_print_name(target, ": ");
		printf("%u", done);
		if (status != XT_OK) {
			printf(" of %u", cards);
		}
		printf(" cards are reset and have empty tables%s\n",
			more ? "; links without a link layer join them, so none is reset alone" : "");
	}
	return status == XT_OK ? XT_EXIT_OK : xt_target_report(target, status, &diag);
}

static int run(int argc, char **argv)
{
	xt_target_t target = {0};

	return xt_target_list_run("reset", &syntax, argc, argv, &target, reset);
}

XT_COMMAND(reset, "reset the cards of a board", run);
