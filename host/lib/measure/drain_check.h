/* SPDX-License-Identifier: Apache-2.0
 *
 * After a run the cards' own registers must agree with an empty network. */
#pragma once

#include "extorus/device.h"
#include "violations.h"

/* What the links' own counters say. */
typedef struct {
	xt_link_totals_t totals;
	xt_link_down_t *down; /* to be freed; NULL if there is none */
	unsigned down_count;
	uint64_t lost; /* packets that left one end of a cut link and never reached the other */
} xt_drain_check_t;

/* Reads every card: nothing dropped or misframed, both ends of every link counted the same, no link down
 * that nobody killed or disabled; if `drained` also no credit and no buffer cell missing and every card idle.
 * If not, links whose credits do not match the cells behind them are named. Of a link that was killed or is
 * not up, the ends need not agree, and credits and buffers need not be home. */
int xt_drain_check(xt_device_t *device, const xt_image_t *image, int drained, xt_violations_t *violations,
	xt_drain_check_t *out, xt_diag_t *diag);

/* Whether STATUS of every card says that it holds no cell. */
int xt_drain_check_idle(xt_device_t *device, int *idle, xt_diag_t *diag);
