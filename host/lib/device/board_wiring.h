/* SPDX-License-Identifier: Apache-2.0
 *
 * What a board tells of its links, against an image. */
#pragma once

#include "device_internal.h"

typedef enum {
	XT_LINKS_UP,  /* between cards of the board; of those at pins the cable is up */
	XT_LINKS_ALL, /* to other boards too; each has pins, and its cable need not be up */
} xt_board_links_t;

/* Whether the board has links where the image wants them. Of a board that does not tell, nothing is known. */
int xt_load_check_links(xt_device_t *device, const xt_image_t *image, xt_board_links_t links, xt_diag_t *diag);
/* Whether the image has links between cards of this board, and the board does not tell where its own are. */
int xt_load_untold_links(xt_device_t *device, const xt_image_t *image);
