/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a network stands still: the blocked packets, what each waits for, and the channels that wait for
 * each other. */
#pragma once

#include <stdint.h>

#include "extorus/image.h"
#include "scoreboard.h"
#include "violations.h"

/* Adds one stall with its lines to `findings`. The waiting is read off `image`, which must be what the
 * cards hold. It is one line if the scoreboard does not follow packets. */
void xt_stall_report(
	const xt_image_t *image, const xt_scoreboard_t *scoreboard, uint64_t cycle, xt_violations_t *violations);
