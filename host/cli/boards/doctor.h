/* SPDX-License-Identifier: Apache-2.0
 *
 * What a report of a fault needs: findings, each with what to do, and facts. */
#pragma once

#include <jansson.h>

#include "extorus/image.h"
#include "options/board_list.h"

typedef struct {
	json_t *findings; /* {"about", "problem", "remedy"} each */
	json_t *facts;
} xt_doctor_t;

/* `remedy` NULL: the problem's text has it. */
void xt_doctor_find(xt_doctor_t *d, const char *about, const char *problem, const char *remedy);

/* The command, libraries, the operating system, and boards and serial ports that are plugged in. *boards: those on
 * native USB. */
void xt_doctor_look_at_host(xt_doctor_t *d, unsigned *boards);

/* What is done with a board beside reading its state. */
typedef struct {
	const xt_image_t *image; /* the tables have to be these; or NULL */
	int selftest;
} xt_doctor_orders_t;

/* An open board. A card that does not answer is a finding; the others are looked at. An xt_status_t: what ended it. */
int xt_doctor_look_at_board(xt_doctor_t *d, const char *uri, xt_device_t *device, const xt_doctor_orders_t *orders);
