/* SPDX-License-Identifier: Apache-2.0
 *
 * Which receive gets which message. Where all receives of a rank name source and tag, the order of the program decides:
 * the first send gets the first receive of the same ranks and tag. In a rank with a receive from any source or with
 * any tag, a message gets the first receive that has been posted and fits, or waits for one. */
#pragma once

#include "build.h"

/* Pairs of the first kind, and w->wild. */
int xt_workload_pair(xt_workload_t *w, const char *name, xt_diag_t *diag);
/* Once all are paired: none is left over, no message is longer than its receive. */
int xt_workload_check_pairs(const xt_workload_t *w, const char *name, xt_diag_t *diag);

typedef struct {
	uint32_t first, last;
} xt_event_chain_t;

typedef struct {
	xt_event_chain_t
		*lists; /* [2 * rank]: receives posted, [2 * rank + 1]: messages that came before their receive */
	uint32_t *next; /* [event] */
} xt_matching_t;

/* `next` has a place for each event and lives as long. Ends with xt_matching_free in any case. XT_ERR_NOMEM. */
int xt_matching_begin(xt_matching_t *m, const xt_workload_t *w, uint32_t *next);
void xt_matching_free(xt_matching_t *m);
/* Nothing has been posted, nothing has arrived. */
void xt_matching_clear(xt_matching_t *m, const xt_workload_t *w);
/* A receive begins, a message arrives: the other side, or XT_NO_EVENT and it waits. */
uint32_t xt_matching_post(xt_matching_t *m, const xt_workload_t *w, uint32_t recv);
uint32_t xt_matching_arrive(xt_matching_t *m, const xt_workload_t *w, uint32_t send);
/* Whether a message has arrived that fits a receive, which begins only later. */
int xt_matching_has(const xt_matching_t *m, const xt_workload_t *w, uint32_t recv);
/* The first send of the program that fits a receive; XT_NO_EVENT. */
uint32_t xt_matching_find(const xt_workload_t *w, uint32_t recv);
