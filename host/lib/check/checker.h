/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the checker share.
 * - check_walk.c walks the deterministic routes.
 * - check_adaptive.c follows the candidates of adaptive TCs.
 * - check_destination.c does both for one destination.
 * - check_batch.c does both for many destinations at once.
 * - check_cycles.c searches the channel dependencies.
 * - check.c calls them and combines their findings. */
#pragma once

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

/* What candidates reach. */
typedef struct {
	uint8_t progress;   /* progress_t */
	uint8_t rest;       /* candidates not yet followed */
	uint8_t candidates; /* the connected ones, bit per port */
	uint32_t longest;   /* links to the NIC, once ENDED */
} place_t;

/* A place is a card. Where the candidates of cards lead round, it is a card and the port of arrival: no packet takes a
 * candidate back by the link of arrival. */
typedef struct {
	place_t *place;    /* [card * arrivals + arrival] */
	uint32_t *stack;   /* likewise */
	uint32_t *order;   /* [card]: those ENDED, each after all that its candidates lead to; of cards only */
	uint32_t ordered;  /* how many */
	uint16_t *met;     /* [card]: with several arrivals the candidates met by any, and a bit for the card itself */
	unsigned arrivals; /* 1, or the link ports and the NICs together as the last */
	bool leads_round;  /* candidates of cards do */
} reach_t;

/* Which cards are walked; walks end where they leave these. */
typedef enum {
	ALL_CARDS,
	SHARED_CARDS,  /* those that send all destinations of a batch the same way; they have no bit of part_t */
	PRIVATE_CARDS, /* the others of the batch */
} extent_t;

/* Bits of checker_t.part. */
typedef enum {
	PRIVATE = 1,
	WALKED_TO = 2, /* a walk over shared cards ends here */
	LED_TO = 4,    /* candidates of shared cards lead here */
} part_t;

/* What one thread works with. Image, profile, in_service and sender are the same for all. */
typedef struct {
	const xt_image_t *image;
	const xt_profile_t *profile;
	const uint8_t *in_service; /* [PE] */
	const xt_peer_t *sender;   /* [card * link ports + port]: the end that sends to it */
	xt_check_t *result;        /* what this thread has found */
	unsigned cards, pes;
	unsigned bits, vc_stride;     /* channels of a card and TC, those of one link */
	unsigned vcs[XT_MAX_TCS];     /* deterministic ones */
	step_t *step;                 /* [card] */
	uint32_t *path;               /* [card] */
	uint32_t *order;              /* [card]: cards whose walk goes on, after the card they go on to */
	uint32_t ordered;             /* how many */
	uint32_t *distance;           /* [card], to the destination */
	uint32_t *pair_hops;          /* [source], of the lowest TC; UINT32_MAX: none yet */
	uint8_t *pair_how;            /* [source] */
	uint8_t *pair_longer;         /* [source]: some TC is not minimal */
	reach_t *reach;               /* NULL if no entry has candidates */
	struct xt_check_batch *batch; /* of check_batch.c */
	uint64_t total_hops;
	extent_t extent;
	uint8_t *part; /* [card]: part_t, in a batch */
	bool faulty;   /* a fault of candidates was met in a batch */
} checker_t;

static inline bool xt_check_within(const checker_t *c, uint32_t card)
{
	return c->extent == ALL_CARDS || (c->part[card] & PRIVATE) == (c->extent == PRIVATE_CARDS);
}

/* Walks the deterministic route from `card`, unless an earlier walk has been there: afterwards
 * c->step[card] is ENDED. The channels and dependencies that it uses are added to the result. A walk
 * that leaves the shared cards counts as delivered, one that leaves the private ones as livelock. */
void xt_check_walk(checker_t *c, uint32_t card, unsigned tc, unsigned dest);

/* All TCs to one PE in service, and everything there is to say about it. */
void xt_check_destination(checker_t *c, unsigned dest);

/* What check_adaptive.c found of one TC and destination. */
typedef struct {
	uint64_t candidates, escapes;
	uint32_t longest; /* links over candidates and escape to the NIC, from the sources */
} xt_candidates_t;

reach_t *xt_check_reach_new(unsigned cards, unsigned links); /* NULL: out of memory */
void xt_check_reach_free(reach_t *reach);                    /* NULL is allowed */

/* To be called before the candidates of another TC or destination are followed. */
void xt_check_reach_restart(checker_t *c, bool by_arrival);
/* Follows the candidates from a card where packets are injected, unless that was done, and walks on from
 * every card they reach. Adds to *found. */
void xt_check_candidates(checker_t *c, uint32_t card, unsigned tc, unsigned dest, xt_candidates_t *found);

/* Searches the dependencies of each TC; XT_OK or XT_ERR_NOMEM. */
int xt_check_find_cycles(checker_t *c);
