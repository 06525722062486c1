/* SPDX-License-Identifier: Apache-2.0
 *
 * What the subcommands on devices share. */
#ifndef EXTORUS_DEVICE_OPTIONS_H
#define EXTORUS_DEVICE_OPTIONS_H

#include "extorus/board.h"
#include "extorus/device.h"
#include "options.h"

enum {
	XT_KEY_DEVICE = 0x1800,
	XT_KEY_IMAGE,
	XT_KEY_FORCE,
	XT_KEY_BACKDOOR,
	XT_KEY_CARD,
};

#define XT_OPTION_DEVICE                                                                    \
	{                                                                                   \
		"device", XT_KEY_DEVICE, "URI", 0, "Network or board to open, see below", 0 \
	}
#define XT_OPTION_IMAGE                                                                                             \
	{                                                                                                           \
		"image", XT_KEY_IMAGE, "FILE", 0, "Load this image first (a simulator starts with empty tables)", 0 \
	}
#define XT_OPTION_FORCE                                                                \
	{                                                                              \
		"force", XT_KEY_FORCE, 0, 0, "Load an image that the check refuses", 0 \
	}
#define XT_OPTION_CARD                                           \
	{                                                        \
		"card", XT_KEY_CARD, "N", 0, "Only this card", 0 \
	}
#define XT_OPTION_BACKDOOR                                                                                          \
	{                                                                                                           \
		"backdoor", XT_KEY_BACKDOOR, 0, 0,                                                                  \
			"Write the tables straight into the cards' memories, not by registers: faster, simulators " \
			"only",                                                                                     \
			0                                                                                           \
	}

#define XT_DEVICE_DOC                                                                                                 \
	"URI names a co-simulated network: sim:SPEC has the cards of a topology, sim:FILE those of a routing image; " \
	"model:SPEC and model:FILE are the same by the fast model. "                                                  \
	"Options follow, each after a semicolon: profile=NAME (of a SPEC's cards, default extoll), latency=CYCLES "   \
	"(of every link), evaluate=all (idle cards too). "                                                            \
	"Or it names a board: usb:, usb:serial=NUMBER, ftdi: (FIFO of an FTDI chip), uart:/dev/ttyUSB0 or "           \
	"tcp:HOST:PORT, with the options baud=RATE, timeout=MS, retries=N, wait=MS (for it to appear), wiring=SPEC "  \
	"or FILE, first=CARD (the board is a part of a network: its card 0 is that card of an image).\n"

/* A number from `min` to `max`, or a usage error about option `name`. */
uint64_t xt_parse_number(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max);
/* A usage error if no image was given. */
void xt_need_image(struct argp_state *state, const char *image);

/* The device that a subcommand works on. */
typedef struct {
	const char *uri, *image_path; /* --device and --image, or NULL */
	unsigned flags;               /* XT_LOAD_ */
	uint64_t card;                /* with `one_card` */
	int one_card, json;
	/* From xt_target_open to xt_target_close. */
	xt_device_t *device;
	xt_image_t *image;   /* what was loaded, or NULL */
	unsigned first, end; /* the cards that are meant */
} xt_target_t;

/* For the parser: takes the options above and --json, refuses arguments, and at the end wants a device. */
error_t xt_take_target(int key, char *arg, struct argp_state *state, xt_target_t *target);
/* Opens the device, looks whether it has the card, and loads the image (xt_load). If EXTORUS_LOG is set, what is
 * lost and repeated on the way to a board is told on standard error. */
int xt_target_open(xt_target_t *target, xt_diag_t *diag);
/* After a failure too. */
void xt_target_close(xt_target_t *target);

/* xt_device_load with a progress bar. If the image is refused for a cycle, the cycle is printed to
 * standard error. */
int xt_load(xt_device_t *device, const xt_image_t *image, unsigned flags, xt_diag_t *diag);
/* Likewise; *counts says what was written to a board. */
int xt_load_counted(
	xt_device_t *device, const xt_image_t *image, unsigned flags, xt_load_counts_t *counts, xt_diag_t *diag);
/* Reads `path` and loads it (xt_load); *image is freed with xt_image_free, after a failure too. */
int xt_load_file(xt_device_t *device, const char *path, unsigned flags, xt_image_t **image, xt_diag_t *diag);

#endif
