/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that share rounds of work, so short that they wait for each other awake before they sleep. */
#ifndef EXTORUS_MODEL_CREW_H
#define EXTORUS_MODEL_CREW_H

typedef struct crew crew_t;

/* `threads` with the caller's, for rounds of `items` pieces of work; work(context, item) does one. Where threads can't
 * be had the others do the work. NULL: out of memory. */
crew_t *crew_open(unsigned threads, unsigned items, void (*work)(void *context, unsigned item), void *context);
/* Every item once; meanwhile, first of all, the caller's thread does own(context). Returns when all is done. */
void crew_run(crew_t *crew, void (*own)(void *context));
/* `crew` may be NULL. */
void crew_close(crew_t *crew);

#endif
