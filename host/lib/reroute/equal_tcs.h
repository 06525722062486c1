/* SPDX-License-Identifier: Apache-2.0
 *
 * Traffic classes whose packets go the same ways, so that one of them need be looked at. */
#pragma once

#include <stdbool.h>

#include "extorus/image.h"

static inline bool xt_same_route(xt_route_t a, xt_route_t b)
{
	return a.valid == b.valid && a.port == b.port && a.vc == b.vc && a.adaptive_mask == b.adaptive_mask;
}

/* same_as[TC]: the lowest one with the same sources and routes in both images, which are of the same cards. */
void xt_equal_tcs_find(const xt_image_t *before, const xt_image_t *after, uint8_t *same_as);
