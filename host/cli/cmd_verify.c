/* SPDX-License-Identifier: Apache-2.0 */
#include "device_options.h"
#include "progress.h"

typedef struct {
	xt_target_t target;
	const char *image;
} verify_options_t;

static error_t parse(int key, char *arg, struct argp_state *state)
{
	verify_options_t *o = state->input;

	switch (key) {
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
	XT_OPTION_IMAGE,
	XT_OPTION_FORCE,
	XT_OPTION_JSON,
	{0},
};

static const struct argp verify_argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "IMAGE",
	.doc = "Reads the tables of every card at every input port and compares them with an image.\v" XT_DEVICE_DOC
	       "\n"
	       "Exit status 0: the same; 1: not, and the first difference is named.\n\n"
	       "Examples:\n"
	       "  extorus verify twin.img --device sim:twin:2x2x2x2x2 --image twin.img",
};

static int verify(const verify_options_t *o, const xt_image_t *image)
{
	xt_device_t *device = o->target.device;
	xt_progress_bar_t bar;
	xt_diag_t diag = {""};
	int status;

	xt_progress_begin(&bar, "verifying");
	status = xt_device_verify(device, image, xt_progress_step, &bar, &diag);
	xt_progress_end(&bar);
	if (status != XT_OK && status != XT_ERR_MISMATCH) {
		return xt_report("verify", status, &diag);
	}
	if (o->target.json) {
		int printed = xt_print_json("verify",
			json_pack("{s:s, s:s, s:i, s:b, s:s?}", "topology", xt_image_topology(image), "profile",
				xt_device_profile(device)->name, "cards", (int)xt_device_cards(device), "equal",
				status == XT_OK, "difference", status == XT_OK ? NULL : diag.text));

		return printed != XT_EXIT_OK ? printed : status == XT_OK ? XT_EXIT_OK : XT_EXIT_WRONG;
	}
	if (status == XT_OK) {
		printf("%s: %u cards hold the image at every input port\n", xt_image_topology(image),
			xt_device_cards(device));
		return XT_EXIT_OK;
	}
	return xt_report("verify", status, &diag);
}

static int run(int argc, char **argv)
{
	verify_options_t o = {0};
	xt_image_t *image = NULL;
	xt_diag_t diag = {""};
	int status, result;

	xt_parse_options(&verify_argp, argc, argv, &o);
	status = xt_image_read(o.image, &image, &diag);
	if (status == XT_OK) {
		status = xt_target_open(&o.target, &diag);
	}
	result = status == XT_OK ? verify(&o, image) : xt_report("verify", status, &diag);
	xt_target_close(&o.target);
	xt_image_free(image);
	return result;
}

extern const xt_command_t xt_command_verify;
const xt_command_t xt_command_verify = {"verify", "compare the tables of a device with an image", run};
