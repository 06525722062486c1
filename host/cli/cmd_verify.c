/* SPDX-License-Identifier: Apache-2.0 */
#include "options/progress.h"
#include "options/target_list.h"

static const xt_option_t option_list[] = {
	XT_OPTION_DEVICE,
	XT_TARGET_LIST,
	XT_TARGET_IMAGE,
	XT_TARGET_FORCE,
	XT_TARGET_JSON,
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(xt_target_t, wanted_path),
	.required = "say which image",
	.check = xt_need_device,
	.args_doc = "IMAGE",
	.doc = "Reads the tables of every card at every input port and compares them with an image.\v" XT_DEVICE_DOC
	       "\n"
	       "Exit status 0: the same; 1: not, and the first difference is named.\n\n"
	       "Examples:\n"
	       "  extorus verify twin.img --device sim:twin:2x2x2x2x2 --image twin.img\n"
	       "  extorus verify torus.img --devices boards.txt",
};

static int verify(void *options)
{
	const xt_target_t *target = options;
	const xt_image_t *image = target->wanted;
	xt_device_t *device = target->device;
	xt_progress_bar_t bar;
	xt_diag_t diag = {""};
	int status;

	xt_progress_begin(&bar, "verifying");
	status = xt_device_verify(device, image, xt_progress_step, &bar, &diag);
	xt_progress_end(&bar);
	if (status != XT_OK && status != XT_ERR_MISMATCH) {
		return xt_target_report(target, status, &diag);
	}
	if (target->json) {
		int printed = xt_target_print_json(target,
			json_pack("{s:s, s:s, s:i, s:b, s:s?}", "topology", xt_image_topology(image), "profile",
				xt_device_profile(device)->name, "cards", (int)xt_device_cards(device), "equal",
				status == XT_OK, "difference", status == XT_OK ? NULL : diag.text),
			NULL);

		return printed != XT_EXIT_OK ? printed : status == XT_OK ? XT_EXIT_OK : XT_EXIT_WRONG;
	}
	if (status == XT_OK) {
		xt_target_print_name(target, ": ");
		printf("%s: %u cards hold the image at every input port\n", xt_image_topology(image),
			xt_device_cards(device));
		return XT_EXIT_OK;
	}
	return xt_target_report(target, status, &diag);
}

static int run(int argc, char **argv)
{
	xt_target_t target = {0};

	return xt_target_list_run("verify", &syntax, argc, argv, &target, verify);
}

XT_COMMAND(verify, "compare the tables of a device with an image", run);
