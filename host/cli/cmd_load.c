/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "options/device_options.h"

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_TARGET_FORCE,
	{"backdoor", NULL,
		"Write the tables straight into the cards' memories, not by registers: faster, simulators only",
		.mark = XT_AT(xt_target_t, flags), .bits = XT_LOAD_BACKDOOR},
	{"live", NULL, "Boards: write while packets flow, without holding the cards still",
		.mark = XT_AT(xt_target_t, flags), .bits = XT_LOAD_LIVE},
	XT_TARGET_JSON,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(xt_target_t, wanted_path),
	.required = "say which image",
	.check = xt_need_device,
	.args_doc = "IMAGE",
	.doc = "Checks an image, writes it to every card of a device and reads it back. An image that can deadlock or "
	       "does not deliver is refused. Into a board only what differs is written, and all of it or nothing: the "
	       "cards are held still and drained before, and have their old tables back if anything fails. If this "
	       "program is interrupted, it puts them back; if it is killed, the next load does, or writes them "
	       "all.\v" XT_DEVICE_DOC "\n"
	       "Examples:\n"
	       "  extorus load twin.img --device sim:twin:2x2x2x2x2\n"
	       "  extorus load torus.img --device 'sim:torus.img;latency=4' --json\n"
	       "  extorus load twin.img --device usb:serial=0123",
};

static int print(const xt_image_t *image, const xt_device_t *device, const xt_load_counts_t *counts, int json)
{
	if (json) {
		json_t *object = json_pack("{s:s, s:s, s:s, s:i, s:b}", "topology", xt_image_topology(image),
			"algorithm", xt_image_algorithm(image), "profile", xt_device_profile(device)->name, "cards",
			(int)xt_device_cards(device), "loaded", 1);

		if (object && xt_device_board(device, NULL)) {
			json_object_set_new(object, "entries", json_integer((json_int_t)counts->entries));
			json_object_set_new(object, "entries_written", json_integer((json_int_t)counts->changed));
			json_object_set_new(object, "registers_written", json_integer((json_int_t)counts->settings));
			json_object_set_new(object, "taken_over", json_boolean(counts->taken_over));
		}
		return xt_print_json("load", object);
	}
	printf("%s, %s: %u cards of profile %s loaded and read back", xt_image_topology(image),
		xt_image_algorithm(image), xt_device_cards(device), xt_device_profile(device)->name);
	if (xt_device_board(device, NULL)) {
		printf("; %" PRIu64 " of %" PRIu64 " entries and %" PRIu64 " registers differed and were written",
			counts->changed, counts->entries, counts->settings);
	}
	printf("%s\n", counts->taken_over ? "; a load or test that was interrupted before had left mixed tables" : "");
	return XT_EXIT_OK;
}

static int load(void *options)
{
	const xt_target_t *target = options;
	xt_load_counts_t counts;
	xt_diag_t diag = {""};
	int status = xt_load_counted(target->device, target->wanted, target->flags, &counts, &diag);

	return status == XT_OK ? print(target->wanted, target->device, &counts, target->json)
			       : xt_report("load", status, &diag);
}

static int run(int argc, char **argv)
{
	xt_target_t target = {0};

	return xt_target_run("load", &syntax, argc, argv, &target, load);
}

XT_COMMAND(load, "check an image and load it into the cards of a device", run);
