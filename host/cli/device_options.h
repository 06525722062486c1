/* SPDX-License-Identifier: Apache-2.0
 *
 * What the subcommands on devices share. */
#ifndef EXTORUS_DEVICE_OPTIONS_H
#define EXTORUS_DEVICE_OPTIONS_H

#include "extorus/device.h"
#include "options.h"

enum {
	XT_KEY_DEVICE = 0x1800,
	XT_KEY_IMAGE,
	XT_KEY_FORCE,
	XT_KEY_BACKDOOR,
	XT_KEY_CARD,
};

#define XT_OPTION_DEVICE                                                                        \
	{                                                                                       \
		"device", XT_KEY_DEVICE, "URI", 0,                                              \
			"sim:SPEC (a topology) or sim:FILE (an image's wiring); see the end", 0 \
	}
#define XT_OPTION_IMAGE                                                                                             \
	{                                                                                                           \
		"image", XT_KEY_IMAGE, "FILE", 0, "Load this image first (a simulator starts with empty tables)", 0 \
	}
#define XT_OPTION_FORCE                                                                \
	{                                                                              \
		"force", XT_KEY_FORCE, 0, 0, "Load an image that the check refuses", 0 \
	}
#define XT_OPTION_BACKDOOR                                                                                   \
	{                                                                                                    \
		"backdoor", XT_KEY_BACKDOOR, 0, 0, "Write tables past the registers where the device can", 0 \
	}

#define XT_DEVICE_DOC \
	"URI is sim:SPEC or sim:FILE, with options after semicolons: profile=NAME, latency=CYCLES, evaluate=all.\n"

/* A number from 0 to `max`, or a usage error about option `name`. */
uint64_t xt_parse_number(struct argp_state *state, const char *name, const char *arg, uint64_t max);

/* Reads `path` and loads it with a progress bar; *image is freed with xt_image_free. */
int xt_load_file(xt_device_t *device, const char *path, unsigned flags, xt_image_t **image, xt_diag_t *diag);

#endif
