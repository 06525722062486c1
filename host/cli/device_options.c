/* SPDX-License-Identifier: Apache-2.0 */
#include "device_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "progress.h"

uint64_t xt_parse_number(struct argp_state *state, const char *name, const char *arg, uint64_t max)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || errno || *end || value > max) {
		argp_error(state, "--%s: \"%s\" is not a number from 0 to %" PRIu64, name, arg, max);
	}
	return value;
}

int xt_load_file(xt_device_t *device, const char *path, unsigned flags, xt_image_t **image, xt_diag_t *diag)
{
	xt_progress_bar_t bar;
	int status = xt_image_read(path, image, diag);

	if (status == XT_OK) {
		xt_progress_begin(&bar, "loading");
		status = xt_device_load(device, *image, flags, xt_progress_step, &bar, diag);
		xt_progress_end(&bar);
	}
	return status;
}
