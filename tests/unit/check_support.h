/* SPDX-License-Identifier: Apache-2.0
 *
 * Images with a seeded fault, and what the checker says of them. */
#pragma once

#include "extorus/check.h"
#include "support.h"

static inline xt_check_t *checked(const xt_image_t *image)
{
	xt_check_t *check;
	xt_diag_t diag = {""};

	if (xt_check_image(image, &check, &diag) != XT_OK) {
		fail_msg("%s", diag.text);
	}
	return check;
}

static inline void set_local(xt_image_t *image, unsigned card, unsigned tc, unsigned index, xt_route_t route)
{
	uint64_t *entry = &xt_image_lrt_mutable(image, card)[index];

	*entry = xt_entry_with_route(*entry, tc, route);
}

static inline void assert_unsafe(const xt_image_t *image, const xt_check_t *check, const char *says)
{
	xt_diag_t diag = {""};

	assert_false(xt_check_passed(check));
	assert_int_equal(xt_check_verdict(image, check, &diag), XT_ERR_UNSAFE);
	assert_says(&diag, says);
}

static inline void set_mask(xt_image_t *image, unsigned card, unsigned tc, unsigned index, unsigned mask)
{
	xt_route_t route = xt_entry_route(xt_image_lrt(image, card)[index], tc);

	route.adaptive_mask = (uint8_t)mask;
	set_local(image, card, tc, index, route);
}
