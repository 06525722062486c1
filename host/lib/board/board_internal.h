/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a board as a back end. */
#pragma once

#include "board_device.h"
#include "device/load.h"
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

/* A board's own state behind the back end's table. */
struct xt_engine {
	xt_board_uri_t uri;
	xt_session_t *session;
	xt_frame_info_t info;
	const xt_profile_t *profile;
};

/* Of the back end's table: loads all or nothing, and puts back what an interrupted load changed. */
int xt_board_load(xt_engine_t *board, xt_load_job_t *job, unsigned flags, xt_load_counts_t *counts);
int xt_board_recover(xt_device_t *device, int *recovered, xt_diag_t *diag);
int xt_board_interrupted(xt_device_t *device);
