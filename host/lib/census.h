/* SPDX-License-Identifier: Apache-2.0
 *
 * After a run the cards' own registers must agree with an empty network. */
#ifndef EXTORUS_CENSUS_H
#define EXTORUS_CENSUS_H

#include "extorus/device.h"
#include "lib/findings.h"

/* Reads every card: nothing dropped or misframed, both ends of every link counted the same; if `drained`
 * also no credit and no buffer cell missing and every card idle. If not, links whose credits do not
 * match the cells behind them are named. */
int xt_census(xt_device_t *device, const xt_image_t *image, int drained, xt_findings_t *findings, xt_diag_t *diag);

#endif
