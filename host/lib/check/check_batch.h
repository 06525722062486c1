/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of many destinations at once. */
#pragma once

#include "checker.h"

enum { XT_BATCH_LANES = 64 }; /* most destinations of a batch */

/* One walk over all destinations stands for the TCs that have the same entries, orders, masks and sources. */
typedef struct {
	unsigned tc;     /* the lowest of them */
	unsigned alike;  /* bit per TC */
	bool adaptive;   /* its entries have candidates */
	bool new_routes; /* no lower pass of the group has the same deterministic routes */
	/* [card] PEs that may inject in it; of these, those that have no lower TC: their pairs are counted here. */
	uint16_t *sources, *counted;
} xt_pass_t;

/* No PE may use TCs of two groups: what is found of a pair comes from one. */
typedef struct {
	xt_pass_t pass[XT_MAX_TCS];
	unsigned passes;
	/* The PEs in service in the order of batches; batch b is dest[first[b]] to dest[first[b + 1] - 1]. */
	uint32_t *dest, *first;
	unsigned batches;
} xt_group_t;

/* count == 0: the image can't be checked in batches. */
typedef struct {
	unsigned count;
	xt_group_t group[XT_MAX_TCS];
} xt_plan_t;

/* XT_OK or XT_ERR_NOMEM; freed with xt_plan_free in either case. */
int xt_plan_make(const checker_t *c, xt_plan_t *plan);
void xt_plan_free(xt_plan_t *plan);

/* What the batches have found about one destination. */
typedef struct {
	uint64_t hops, non_minimal, candidates, escapes;
	uint32_t max_hops, longest;
	uint8_t adaptive_tcs; /* in which packets to it meet candidates */
	bool left;            /* the rest does not count: it is to be checked by itself */
} xt_tally_t;

typedef struct xt_check_batch xt_check_batch_t;

xt_check_batch_t *xt_check_batch_new(unsigned cards); /* NULL: out of memory */
void xt_check_batch_free(xt_check_batch_t *batch);    /* NULL is allowed */
/* Checks the routes of a group's TCs to the destinations of a batch and adds to tallies[PE]. */
void xt_batch_check(checker_t *c, const xt_group_t *group, unsigned batch, xt_tally_t *tallies);
