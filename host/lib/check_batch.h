/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of many destinations at once. */
#ifndef EXTORUS_CHECK_BATCH_H
#define EXTORUS_CHECK_BATCH_H

#include "check_internal.h"

enum { XT_BATCH_LANES = 64 }; /* most destinations of a batch */

/* One walk over all destinations stands for the TCs that have the same entries, orders, masks and sources. */
typedef struct {
	unsigned tc;    /* the lowest of them */
	unsigned alike; /* bit per TC */
	bool adaptive;  /* its entries have candidates */
	bool counts;    /* some `counted` is not 0 */
	/* [card] PEs that may inject in it; of these, those that have no lower TC: their pairs are counted here. */
	uint16_t *sources, *counted;
	/* The PEs in service in the order of batches; batch b is dest[first[b]] to dest[first[b + 1] - 1]. */
	uint32_t *dest, *first;
	unsigned batches;
} xt_pass_t;

/* count == 0: the image can't be checked in batches. */
typedef struct {
	unsigned count;
	xt_pass_t pass[XT_MAX_TCS];
} xt_passes_t;

/* XT_OK or XT_ERR_NOMEM; freed with xt_passes_free in either case. */
int xt_passes_plan(const checker_t *c, xt_passes_t *passes);
void xt_passes_free(xt_passes_t *passes);

/* What the passes have found about one destination. */
typedef struct {
	uint64_t hops, non_minimal, candidates, escapes;
	uint32_t max_hops, longest;
	uint8_t adaptive_tcs; /* in which packets to it meet candidates */
	bool left;            /* the rest does not count: it is to be checked by itself */
} xt_tally_t;

typedef struct xt_batch xt_batch_t;

xt_batch_t *xt_batch_new(unsigned cards); /* NULL: out of memory */
void xt_batch_free(xt_batch_t *batch);    /* NULL is allowed */
/* Checks the routes of a pass to `lanes` destinations (PEs) and adds to tallies[PE]. */
void xt_batch_check(checker_t *c, const xt_pass_t *pass, const uint32_t *dests, unsigned lanes, xt_tally_t *tallies);

#endif
