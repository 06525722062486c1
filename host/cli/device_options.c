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

void xt_need_device(struct argp_state *state, const char *device)
{
	if (!device) {
		argp_error(state, "say which device, for example --device sim:twin:2x2x2x2x2");
	}
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

static void log_line(void *context, xt_log_level_t level, const char *text)
{
	static const char *const names[] = {"error", "warning", "info"};

	(void)context;
	fprintf(stderr, "extorus: %s: %s\n", names[level], text);
}

int xt_open(const char *uri, xt_device_t **out, xt_diag_t *diag)
{
	const char *wanted = getenv("EXTORUS_LOG");
	xt_open_options_t options = {.log = wanted && *wanted ? log_line : NULL};

	return extorus_open_with(uri, &options, out, diag);
}

int xt_check_card(const xt_device_t *device, uint64_t card, xt_diag_t *diag)
{
	return card < xt_device_cards(device)
		       ? XT_OK
		       : xt_fail(diag, XT_ERR_RANGE, "there is no card %" PRIu64 ", only 0 to %u", card,
				 xt_device_cards(device) - 1);
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
