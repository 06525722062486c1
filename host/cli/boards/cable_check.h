/* SPDX-License-Identifier: Apache-2.0
 *
 * Which link each cable joins, found by taking one end down after the other, against the wiring of an image. */
#pragma once

#include "extorus/board.h"
#include "extorus/image.h"
#include "options/options.h"

/* The cards of the boards, in their order, are those of the image. Every link that is up goes down and stays so: the
 * caller trains it again, also after a failure. Prints each wrong end with what to plug where, or appends it to `list`;
 * *wrong counts them. No packet may be under way. */
int xt_check_cables(xt_device_t *const *devices, const char *const *uris, unsigned boards, const xt_image_t *image,
	json_t *list, unsigned *wrong, xt_diag_t *diag);
