/* SPDX-License-Identifier: Apache-2.0
 *
 * What the subcommands on devices share. */
#pragma once

#include "extorus/board.h"
#include "extorus/device.h"
#include "options.h"

/* Rows for options structs that have, or begin with an xt_target_t that has, these fields. */
/* clang-format off */
#define XT_OPTION_DEVICE \
	{"device", "URI", "Network or board to open, see below", .value = XT_AT(xt_target_t, uri)}
#define XT_OPTION_IMAGE(options, path) \
	{"image", "FILE", "Load this image first (a simulator starts with empty tables)", \
		.value = XT_AT(options, path)}
#define XT_OPTION_FORCE(options) \
	{"force", NULL, "Load an image that the check refuses", .mark = XT_AT(options, flags), .bits = XT_LOAD_FORCE}
#define XT_OPTION_CARD \
	{"card", "N", "Only this card", .value = XT_AT(xt_target_t, card), .max = UINT32_MAX, \
		.mark = XT_AT(xt_target_t, one_card)}
#define XT_TARGET_IMAGE XT_OPTION_IMAGE(xt_target_t, image_path)
#define XT_TARGET_FORCE XT_OPTION_FORCE(xt_target_t)
#define XT_TARGET_JSON XT_OPTION_JSON(xt_target_t)
/* clang-format on */

#define XT_DEVICE_DOC                                                                                                 \
	"URI names a co-simulated network: sim:SPEC has the cards of a topology, sim:FILE those of a routing image; " \
	"model:SPEC and model:FILE are the same by the fast model. "                                                  \
	"Options follow, each after a semicolon: profile=NAME (of a SPEC's cards, default extoll), latency=CYCLES "   \
	"(of every link), evaluate=all (idle cards too); of model: also switch=input-queued (the literature's "       \
	"switch, without "                                                                                            \
	"RTL) and its port-buffer=FLITS, crossbar=vc, transit=first, injection-queues=N. "                            \
	"Or it names a board: usb:, usb:serial=NUMBER, ftdi: (FIFO of an FTDI chip), uart:/dev/ttyUSB0 or "           \
	"tcp:HOST:PORT, with the options baud=RATE, timeout=MS, retries=N, wait=MS (for it to appear), wiring=SPEC "  \
	"or FILE, first=CARD (the board is a part of a network: its card 0 is that card of an image).\n"

/* The device that a subcommand works on. */
typedef struct {
	const char *uri, *image_path; /* --device and --image, or NULL */
	const char *wanted_path;      /* the image as an argument, or NULL */
	unsigned flags;               /* XT_LOAD_ */
	uint64_t card;                /* with `one_card` */
	int one_card, json;
	const char *list; /* --devices of a command that takes several boards (target_list.h), or NULL */
	/* From xt_target_open to xt_target_close. */
	xt_device_t *device;
	xt_image_t *image;   /* what was loaded, or NULL */
	xt_image_t *wanted;  /* the argument, not loaded; or NULL */
	unsigned first, end; /* the cards that are meant */
	const char *where;   /* the command, and of several boards which: for messages */
	json_t *told;        /* what was printed of each of several boards, with --json */
} xt_target_t;

/* For the check of a syntax: a usage error if no device was given. */
void xt_need_device(struct argp_state *state, const void *target);

/* Runs a command whose `options` begin with an xt_target_t: reads the command line and the wanted image, opens the
 * device, looks whether it has the card, and loads the image (xt_load). Then `work` does the rest, and says the exit
 * status (xt_check_released). */
int xt_target_run(const char *command, const xt_syntax_t *syntax, int argc, char **argv, void *options,
	int (*work)(void *options));
/* Likewise, once the command line is read. */
int xt_target_do(const char *command, void *options, int (*work)(void *options));

/* What work on a device tells: of several boards, with the device's name. A line or a table begins, */
void xt_target_print_name(const xt_target_t *target, const char *end);
/* a JSON object is freed; `key` names a part that is printed alone for one device; NULL: the whole. An exit status. */
int xt_target_print_json(const xt_target_t *target, json_t *object, const char *key);
/* xt_report. */
int xt_target_report(const xt_target_t *target, int status, const xt_diag_t *diag);

/* The switch of a simulated network: --switch and what goes with it, in a command's options as `device_switch`. */
typedef struct {
	const char *kind;          /* NULL: that of the RTL */
	uint64_t port_buffer;      /* flits; 0: XT_PORT_BUFFER */
	uint64_t injection_queues; /* of a NIC for each traffic class; 0: one */
	int crossbar_per_vc, transit_first;
	int named; /* on the command line */
} xt_device_switch_t;

enum { XT_PORT_BUFFER = 128 };

/* clang-format off */
#define XT_OPTION_SWITCH(options, field) \
	{"switch", "NAME", \
		"extorus (default): the switch of the RTL; input-queued: that of the literature, which has no RTL, with " \
		"a FIFO per VC and two round-robin stages (engine model)", \
		.value = XT_AT(options, field), .take = xt_take_switch}, \
	{"port-buffer", "FLITS", \
		"Of each port of an input-queued switch, divided among its VCs (default 128, in a published " \
		"comparison the published size)", \
		.value = XT_AT(options, field), .min = 1, .max = 32768, .take = xt_take_port_buffer}, \
	{"crossbar", "NAME", \
		"Of an input-queued switch: port (default), one crossbar input for each port, or vc, one for each VC", \
		.value = XT_AT(options, field), .take = xt_take_crossbar}, \
	{"transit-first", NULL, "Of an input-queued switch: packets from links go before packets from NICs", \
		.mark = XT_AT(options, field.transit_first)}, \
	{"injection-queues", "N", \
		"Of each NIC of an input-queued switch for each traffic class (default 1); they divide its flits", \
		.value = XT_AT(options, field), .min = 1, .max = 8, .take = xt_take_injection_queues}
/* clang-format on */

void xt_take_switch(struct argp_state *state, const xt_option_t *option, char *arg, void *device_switch);
void xt_take_crossbar(struct argp_state *state, const xt_option_t *option, char *arg, void *device_switch);
void xt_take_injection_queues(struct argp_state *state, const xt_option_t *option, char *arg, void *device_switch);
void xt_take_port_buffer(struct argp_state *state, const xt_option_t *option, char *arg, void *device_switch);
/* A usage error if `engine` does not have the switch. */
void xt_check_switch(struct argp_state *state, const xt_device_switch_t *device_switch, const char *engine);
/* Flits of each port. */
static inline uint64_t xt_switch_buffer(const xt_device_switch_t *device_switch)
{
	return device_switch->port_buffer ? device_switch->port_buffer : XT_PORT_BUFFER;
}

/* What a device's URI says of it: ";switch=KIND;port-buffer=FLITS" and so on. */
typedef struct {
	char text[128];
} xt_switch_text_t;
xt_switch_text_t xt_switch_text(const xt_device_switch_t *device_switch);
/* Adds "switch", its kind, size and that it has no RTL, to a JSON object; nothing for the switch of the RTL. */
void xt_switch_json(const xt_device_switch_t *device_switch, json_t *object);

/* Of --select. */
void xt_take_select(struct argp_state *state, const xt_option_t *option, char *arg, void *select);

/* Opens a device. If EXTORUS_LOG is set, what is lost and repeated on the way to a board is told on standard error.
 * From now on signals that end the process are noted if it is a board (interrupt.h). */
int xt_open_device(const char *uri, xt_device_t **device, xt_diag_t *diag);
/* The exit status of a command that has done its work on a device: `result`, but XT_EXIT_WRONG with a message if a
 * board's ports are quiesced, or a load ended early there. */
int xt_check_released(const char *command, xt_device_t *device, int result);

/* xt_device_load with a progress bar. If the image is refused for a cycle, the cycle is printed to
 * standard error. */
int xt_load(xt_device_t *device, const xt_image_t *image, unsigned flags, xt_diag_t *diag);
/* Likewise; *counts says what was written to a board. */
int xt_load_counted(
	xt_device_t *device, const xt_image_t *image, unsigned flags, xt_load_counts_t *counts, xt_diag_t *diag);
/* Reads `path` and loads it (xt_load); *image is freed with xt_image_free, after a failure too. */
int xt_load_file(xt_device_t *device, const char *path, unsigned flags, xt_image_t **image, xt_diag_t *diag);
