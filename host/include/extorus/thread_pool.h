/* SPDX-License-Identifier: Apache-2.0
 *
 * Items of work shared out among threads. */
#ifndef EXTORUS_THREAD_POOL_H
#define EXTORUS_THREAD_POOL_H

#include <stdint.h>

#include "extorus/export.h"

XT_BEGIN_C

enum { XT_MOST_THREADS = 64 };

/* `wanted`, or as many as there are processors for 0; not more than XT_MOST_THREADS. */
XT_API unsigned xt_thread_count(unsigned wanted);

/* Calls work(context, worker, item) once for each item below `count`, workers 0 .. threads-1 at the same time, each
 * with rising items. The caller's thread is worker 0; `step`, which may be NULL, is called from it only, now and
 * then, with the number of items that are done. Where threads can't be had the others do the work. */
XT_API void xt_parallel(unsigned threads, uint32_t count, void (*work)(void *context, unsigned worker, uint32_t item),
	void (*step)(void *context, uint32_t done), void *context);

XT_END_C
#endif
