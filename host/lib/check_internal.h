/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the checker share: check.c walks the deterministic routes, check_adaptive.c follows
 * the candidates of adaptive TCs, check_cycles.c searches the channel dependencies. */
#ifndef EXTORUS_CHECK_INTERNAL_H
#define EXTORUS_CHECK_INTERNAL_H

#include "extorus/check.h"

/* How the walk from a card ends. */
typedef enum {
	UNKNOWN = 0,
	ON_PATH,
	ENDED,
} progress_t;

typedef struct {
	uint8_t progress;
	uint8_t how; /* xt_walk_t, once ENDED */
	uint8_t bit; /* channel taken, where `next` is a card */
	uint8_t has_channel;
	uint32_t hops;
	uint32_t next; /* card or XT_NO_CARD */
	uint32_t end;  /* card at which it ends or goes wrong */
} step_t;

typedef struct {
	const xt_image_t *image;
	const xt_profile_t *profile;
	xt_check_t *result;
	unsigned cards, pes, bits; /* bits: channels of a card and TC */
	step_t *step;              /* [card] */
	uint32_t *path;            /* [card] */
	uint32_t *sender;          /* [card * link ports + port]: card that sends to it, or XT_NO_CARD */
	uint32_t *distance;        /* [card], to the destination */
	uint32_t *pair_hops;       /* [source], of the lowest TC; UINT32_MAX: none yet */
	uint8_t *pair_how;         /* [source] */
	uint8_t *pair_longer;      /* [source]: some TC is not minimal */
	uint8_t *in_service;       /* [PE] */
	struct xt_reach *reach;    /* of check_adaptive.c; NULL if no entry has candidates */
	uint64_t total_hops;
} checker_t;

/* Walks the deterministic route from `card`, unless an earlier walk has been there: afterwards
 * c->step[card] is ENDED. The channels and dependencies that it uses are added to the result. */
void xt_check_walk(checker_t *c, uint32_t card, unsigned tc, unsigned dest);

/* Follows the candidates from all sources of `tc` to `dest`, and walks on from every card they reach. */
void xt_check_candidates(checker_t *c, unsigned tc, unsigned dest);
struct xt_reach *xt_check_reach_new(unsigned cards); /* NULL: out of memory */
void xt_check_reach_free(struct xt_reach *reach);    /* NULL is allowed */

/* Searches the dependencies of each TC; XT_OK or XT_ERR_NOMEM. */
int xt_check_find_cycles(checker_t *c);

#endif
