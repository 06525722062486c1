/* SPDX-License-Identifier: Apache-2.0
 *
 * A clock that only goes forward, and waiting. */
#pragma once

#include <stdint.h>
#include <time.h>

/* Seconds. */
static inline double xt_now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline uint64_t xt_now_ms(void)
{
	return (uint64_t)(1e3 * xt_now_s());
}

static inline void xt_sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}
