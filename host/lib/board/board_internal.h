/* SPDX-License-Identifier: Apache-2.0
 *
 * A device that is a board: its URI, its session, and the back end that moves registers over it. */
#ifndef EXTORUS_LIB_BOARD_H
#define EXTORUS_LIB_BOARD_H

#include "device/device_internal.h"
#include "extorus/board.h"
#include "session.h"

/* "usb:serial=0123;timeout=500" taken apart; the strings point into `text`. */
typedef struct {
	char *text;
	const char *scheme;
	xt_pipe_place_t place;
	const char *wiring; /* NULL: not told */
	int part;           /* the board is a part of a network: */
	unsigned first;     /* card of its image that card 0 of the board is */
	xt_session_options_t session;
	unsigned wait_ms;
} xt_board_uri_t;

typedef struct xt_board {
	xt_board_uri_t uri;
	xt_session_t *session;
	xt_line_info_t info;
	int wired; /* the URI tells how the cards are connected */
} xt_board_t;

int xt_board_is_uri(const char *uri);
/* Takes a URI apart; *out is freed with xt_board_uri_free, after a failure too. */
int xt_board_uri_parse(const char *uri, xt_board_uri_t *out, xt_diag_t *diag);
void xt_board_uri_free(xt_board_uri_t *uri);

/* Opens the board into `device`: board, back end, profile and number of cards. *wiring: what the URI says of it, or
 * NULL. */
int xt_board_open(
	xt_device_t *device, const char *uri, const xt_open_options_t *options, const char **wiring, xt_diag_t *diag);
void xt_board_free(xt_board_t *board); /* NULL is allowed */
/* For a board of unknown wiring: ports with plain names that lead nowhere. */
int xt_board_unwired(xt_device_t *device, xt_diag_t *diag);
/* Whether the board has as many cards as the wiring. */
int xt_board_check_cards(const xt_device_t *device, xt_diag_t *diag);

#endif
