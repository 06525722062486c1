/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

static struct timespec now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time;
}

uint64_t xt_now_ms(void)
{
	struct timespec time = now();

	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

double xt_now_s(void)
{
	struct timespec time = now();

	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct timespec xt_deadline(unsigned ms)
{
	struct timespec time = now();

	time.tv_sec += ms / 1000;
	time.tv_nsec += (long)(ms % 1000) * 1000000;
	if (time.tv_nsec >= 1000000000) {
		time.tv_sec++;
		time.tv_nsec -= 1000000000;
	}
	return time;
}
