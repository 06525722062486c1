/* SPDX-License-Identifier: Apache-2.0 */
#include "device_options.h"

typedef struct {
	const char *image, *device;
	unsigned flags;
	int json;
} load_options_t;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	load_options_t *o = state->input;

	switch (key) {
	case XT_KEY_DEVICE:
		o->device = arg;
		return 0;
	case XT_KEY_FORCE:
		o->flags |= XT_LOAD_FORCE;
		return 0;
	case XT_KEY_BACKDOOR:
		o->flags |= XT_LOAD_BACKDOOR;
		return 0;
	case XT_KEY_JSON:
		o->json = 1;
		return 0;
	case ARGP_KEY_ARG:
		return xt_take_argument(state, arg, &o->image);
	case ARGP_KEY_END:
		xt_need_image(state, o->image);
		xt_need_device(state, o->device);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_DEVICE,
	XT_OPTION_FORCE,
	XT_OPTION_BACKDOOR,
	XT_OPTION_JSON,
	{0},
};

static const struct argp load_argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "IMAGE",
	.doc = "Checks an image, writes it to every card of a device and reads it back. An image that can deadlock or "
	       "does not deliver is refused.\v" XT_DEVICE_DOC "\n"
	       "Examples:\n"
	       "  extorus load twin.img --device sim:twin:2x2x2x2x2\n"
	       "  extorus load torus.img --device 'sim:torus.img;latency=4' --json",
};

static int print(const xt_image_t *image, const xt_device_t *device, int json)
{
	if (json) {
		return xt_print_json("load",
			json_pack("{s:s, s:s, s:s, s:i, s:b}", "topology", xt_image_topology(image), "algorithm",
				xt_image_algorithm(image), "profile", xt_device_profile(device)->name, "cards",
				(int)xt_device_cards(device), "loaded", 1));
	}
	printf("%s, %s: %u cards of profile %s loaded and read back\n", xt_image_topology(image),
		xt_image_algorithm(image), xt_device_cards(device), xt_device_profile(device)->name);
	return XT_EXIT_OK;
}

static int run(int argc, char **argv)
{
	load_options_t o = {0};
	xt_device_t *device = NULL;
	xt_image_t *image = NULL;
	xt_diag_t diag = {""};
	int status, result;

	xt_parse_options(&load_argp, argc, argv, &o);
	status = extorus_open(o.device, &device, &diag);
	if (status == XT_OK) {
		status = xt_load_file(device, o.image, o.flags, &image, &diag);
	}
	result = status == XT_OK ? print(image, device, o.json) : xt_report("load", status, &diag);
	xt_image_free(image);
	extorus_close(device);
	return result;
}

extern const xt_command_t xt_command_load;
const xt_command_t xt_command_load = {"load", "check an image and load it into the cards of a device", run};
