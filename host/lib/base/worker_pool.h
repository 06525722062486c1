/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that share rounds of work, so short that they wait for each other awake before they sleep. */
#pragma once

#include "extorus/export.h"

XT_BEGIN_C

typedef struct xt_worker_pool xt_worker_pool_t;

/* `threads` with the caller's, for rounds of `items` pieces of work; work(context, item) does one. Where threads can't
 * be had the others do the work. NULL: out of memory. */
xt_worker_pool_t *xt_worker_pool_open(
	unsigned threads, unsigned items, void (*work)(void *context, unsigned item), void *context);
/* Every item once; meanwhile, first of all, the caller's thread does own(context). Returns when all is done. */
void xt_worker_pool_run(xt_worker_pool_t *pool, void (*own)(void *context));
/* `pool` may be NULL. */
void xt_worker_pool_close(xt_worker_pool_t *pool);

XT_END_C
