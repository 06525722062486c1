/* SPDX-License-Identifier: Apache-2.0
 *
 * Which link each cable joins, found by taking one end down after the other, against the wiring of an image. */
#pragma once

#include "extorus/image.h"
#include "link_training.h"

/* The cards of the boards, in their order, are those of the image. Links that are up go down for a moment. Prints each
 * wrong end with what to plug where, or appends it to `list`; *wrong counts them. No packet may be under way. */
int xt_check_wiring(const xt_boards_t *boards, const xt_image_t *image, json_t *list, unsigned *wrong, xt_diag_t *diag);
/* Trains the links of the image that are down. The image fits the boards (xt_boards_fit). */
int xt_train_wired(const xt_boards_t *boards, const xt_image_t *image, xt_diag_t *diag);
