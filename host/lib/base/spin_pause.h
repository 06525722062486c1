/* SPDX-License-Identifier: Apache-2.0
 *
 * Between two looks at what another thread or process is about to change. */
#pragma once

static inline void xt_spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}
