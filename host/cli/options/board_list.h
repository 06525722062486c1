/* SPDX-License-Identifier: Apache-2.0
 *
 * The boards of commands that take several: named one by one, or by a list. */
#pragma once

#include "device_options.h"

enum { XT_MOST_BOARDS = 64 };
/* A command's options have them as `boards`. */
typedef struct {
	const char *uris[XT_MOST_BOARDS];
	unsigned count;
	const char *list; /* --devices, or NULL */
	/* From xt_boards_open to xt_boards_close. */
	xt_device_t *devices[XT_MOST_BOARDS];
	char *made[XT_MOST_BOARDS];     /* URIs of the list */
	unsigned first[XT_MOST_BOARDS]; /* cards, as the list has them */
	unsigned lines[XT_MOST_BOARDS]; /* of the list */
} xt_boards_t;

/* clang-format off */
#define XT_OPTION_BOARD_LIST(options, path) \
	{"devices", "FILE", \
		"List of boards. A line has the number of a board's first card and its URI, as in: 2 usb:serial=0123. # begins a comment", \
		.value = XT_AT(options, path)}
#define XT_OPTION_BOARDS(options) \
	{"device", "URI", "Board, see below; once for each", .value = XT_AT(options, boards), .take = xt_take_board}, \
	XT_OPTION_BOARD_LIST(options, boards.list)
/* clang-format on */

void xt_take_board(struct argp_state *state, const xt_option_t *option, char *arg, void *boards);
/* A usage error if there is none. */
void xt_need_boards(struct argp_state *state, const xt_boards_t *boards);

/* Reads the list, if there is one, and opens the boards, in the order of their cards. The cards of a list follow each
 * other from 0 on. xt_boards_close follows, after a failure too. */
int xt_boards_open(xt_boards_t *boards, xt_diag_t *diag);
/* The parts of that: reads the list, if there is one; then opens one board, in their order. *next is the card that it
 * has to begin with, and then that of the next one; -1: not known, because a board is missing. */
int xt_boards_read(xt_boards_t *boards, xt_diag_t *diag);
int xt_boards_open_one(xt_boards_t *boards, unsigned board, int *next, xt_diag_t *diag);
/* Whether the cards of the boards, in their order, are as many as the image's, and of its profile. */
int xt_boards_fit(const xt_boards_t *boards, const xt_image_t *image, xt_diag_t *diag);
/* The exit status of a command that has done its work on them: see xt_check_released. */
int xt_boards_close(xt_boards_t *boards, const char *command, int result);
