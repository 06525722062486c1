/* SPDX-License-Identifier: Apache-2.0 */
#include "device_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "extorus/check.h"
#include "progress.h"

uint64_t xt_parse_number(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || errno || *end || value < min || value > max) {
		argp_error(state, "--%s: \"%s\" is not a number from %" PRIu64 " to %" PRIu64, name, arg, min, max);
	}
	return value;
}

void xt_need_image(struct argp_state *state, const char *image)
{
	if (!image) {
		argp_error(state, "say which image");
	}
}

static void print_cycles(const xt_image_t *image)
{
	xt_check_t *check;

	if (xt_check_image(image, &check, NULL) == XT_OK) {
		xt_check_print_cycles(image, check, stderr);
		xt_check_free(check);
	}
}

int xt_load_counted(
	xt_device_t *device, const xt_image_t *image, unsigned flags, xt_load_counts_t *counts, xt_diag_t *diag)
{
	xt_progress_bar_t bar;
	int status;

	xt_progress_begin(&bar, "loading");
	status = xt_device_load_counted(device, image, flags, xt_progress_step, &bar, counts, diag);
	xt_progress_end(&bar);
	if (status == XT_ERR_UNSAFE) {
		print_cycles(image);
	}
	return status;
}

int xt_load(xt_device_t *device, const xt_image_t *image, unsigned flags, xt_diag_t *diag)
{
	xt_load_counts_t counts;

	return xt_load_counted(device, image, flags, &counts, diag);
}

int xt_load_file(xt_device_t *device, const char *path, unsigned flags, xt_image_t **image, xt_diag_t *diag)
{
	int status = xt_image_read(path, image, diag);

	return status == XT_OK ? xt_load(device, *image, flags, diag) : status;
}

error_t xt_take_target(int key, char *arg, struct argp_state *state, xt_target_t *target)
{
	switch (key) {
	case XT_KEY_DEVICE:
		target->uri = arg;
		return 0;
	case XT_KEY_IMAGE:
		target->image_path = arg;
		return 0;
	case XT_KEY_FORCE:
		target->flags |= XT_LOAD_FORCE;
		return 0;
	case XT_KEY_BACKDOOR:
		target->flags |= XT_LOAD_BACKDOOR;
		return 0;
	case XT_KEY_CARD:
		target->card = xt_parse_number(state, "card", arg, 0, UINT32_MAX);
		target->one_card = 1;
		return 0;
	case XT_KEY_JSON:
		target->json = 1;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument \"%s\"", arg);
		return 0;
	case ARGP_KEY_END:
		if (!target->uri) {
			argp_error(state, "say which device, for example --device sim:twin:2x2x2x2x2");
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void log_line(void *context, xt_log_level_t level, const char *text)
{
	static const char *const names[] = {"error", "warning", "info"};

	(void)context;
	fprintf(stderr, "extorus: %s: %s\n", names[level], text);
}

int xt_target_open(xt_target_t *target, xt_diag_t *diag)
{
	const char *wanted = getenv("EXTORUS_LOG");
	xt_open_options_t options = {.size = sizeof(options), .log = wanted && *wanted ? log_line : NULL};
	int status = xt_device_open_with(target->uri, &options, &target->device, diag);

	if (status != XT_OK) {
		return status;
	}
	target->end = xt_device_cards(target->device);
	if (target->one_card) {
		if (target->card >= target->end) {
			return xt_fail(diag, XT_ERR_RANGE, "there is no card %" PRIu64 ", only 0 to %u", target->card,
				target->end - 1);
		}
		target->first = (unsigned)target->card;
		target->end = target->first + 1;
	}
	return target->image_path
		       ? xt_load_file(target->device, target->image_path, target->flags, &target->image, diag)
		       : XT_OK;
}

void xt_target_close(xt_target_t *target)
{
	xt_image_free(target->image);
	xt_device_close(target->device);
}
