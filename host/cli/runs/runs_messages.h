/* SPDX-License-Identifier: Apache-2.0
 *
 * What ranks say to each other about the runs that they share. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "extorus/error.h"
#include "extorus/ranks.h"

#define XT_RUNS_NONE UINT32_MAX

/* To the first rank: a thread asks for an item, with the result of the one that it has done. */
typedef struct {
	uint32_t from, thread, item;
	int goes; /* the rank does no more */
	int status;
	xt_diag_t diag;
	json_t *result; /* NULL: there is none */
} xt_runs_message_t;

/* The result, if any, is taken over. */
int xt_runs_message_send(xt_ranks_t *ranks, xt_runs_message_t *message, xt_diag_t *diag);
int xt_runs_message_take(xt_ranks_t *ranks, xt_runs_message_t *message, xt_diag_t *diag);
/* The answer; XT_RUNS_NONE: there is no more. */
int xt_runs_item_send(xt_ranks_t *ranks, const xt_runs_message_t *asked, uint32_t item, xt_diag_t *diag);
int xt_runs_item_take(xt_ranks_t *ranks, uint32_t thread, uint32_t *item, xt_diag_t *diag);
/* The first rank says to all others that these runs are over, and how they went. */
int xt_runs_over_send(xt_ranks_t *ranks, int over, xt_diag_t *diag);
int xt_runs_over_take(xt_ranks_t *ranks, int *over, xt_diag_t *diag);
