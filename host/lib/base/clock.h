/* SPDX-License-Identifier: Apache-2.0
 *
 * A clock that only goes forward. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "extorus/export.h"

XT_BEGIN_C

uint64_t xt_now_ms(void);
/* Seconds. */
double xt_now_s(void);
/* For pthread_cond_timedwait on a condition with CLOCK_MONOTONIC. */
struct timespec xt_deadline(unsigned ms);

XT_END_C
