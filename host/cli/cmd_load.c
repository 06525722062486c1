/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "device_options.h"

typedef struct {
	xt_target_t target;
	const char *image;
} load_options_t;

enum { KEY_LIVE = XT_KEY_COMMAND };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	load_options_t *o = state->input;

	switch (key) {
	case KEY_LIVE:
		o->target.flags |= XT_LOAD_LIVE;
		return 0;
	case ARGP_KEY_ARG:
		return xt_take_argument(state, arg, &o->image);
	case ARGP_KEY_END:
		xt_need_image(state, o->image);
		return xt_take_target(key, arg, state, &o->target);
	default:
		return xt_take_target(key, arg, state, &o->target);
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_FORCE,
	XT_OPTION_BACKDOOR,
	{"live", KEY_LIVE, 0, 0, "Boards: write while packets flow, without holding the cards still", 0},
	XT_OPTION_JSON,
	{0},
};

static const struct argp load_argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "IMAGE",
	.doc = "Checks an image, writes it to every card of a device and reads it back. An image that can deadlock or "
	       "does not deliver is refused. Into a board only what differs is written, and all of it or nothing: the "
	       "cards "
	       "are held still and drained before, and have their old tables back if anything fails. If this program "
	       "is "
	       "killed, the next load puts them back first.\v" XT_DEVICE_DOC "\n"
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
		}
		return xt_print_json("load", object);
	}
	printf("%s, %s: %u cards of profile %s loaded and read back", xt_image_topology(image),
		xt_image_algorithm(image), xt_device_cards(device), xt_device_profile(device)->name);
	if (xt_device_board(device, NULL)) {
		printf("; %" PRIu64 " of %" PRIu64 " entries and %" PRIu64 " registers differed and were written",
			counts->changed, counts->entries, counts->settings);
	}
	printf("\n");
	return XT_EXIT_OK;
}

static int run(int argc, char **argv)
{
	load_options_t o = {0};
	xt_image_t *image = NULL;
	xt_load_counts_t counts;
	xt_diag_t diag = {""};
	int status, result;

	xt_parse_options(&load_argp, argc, argv, &o);
	status = xt_image_read(o.image, &image, &diag);
	if (status == XT_OK) {
		status = xt_target_open(&o.target, &diag);
	}
	if (status == XT_OK) {
		status = xt_load_counted(o.target.device, image, o.target.flags, &counts, &diag);
	}
	result = status == XT_OK ? print(image, o.target.device, &counts, o.target.json)
				 : xt_report("load", status, &diag);
	xt_target_close(&o.target);
	xt_image_free(image);
	return result;
}

extern const xt_command_t xt_command_load;
const xt_command_t xt_command_load = {"load", "check an image and load it into the cards of a device", run};
