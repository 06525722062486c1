/* SPDX-License-Identifier: Apache-2.0
 *
 * What packets of one TC to one destination can meet while an image is rewritten. Every card has an old and a new
 * hop. A packet is in the old phase until its first new hop. */
#pragma once

#include "extorus/check.h"

/* Which hops a packet may take. */
typedef enum {
	XT_MIX_OLD,     /* old ones only */
	XT_MIX_NEW,     /* new ones only */
	XT_MIX_ORDERED, /* new ones only once it has met one */
	XT_MIX_ANY,     /* any, also what old and new registers make of old and new tables */
} xt_mix_t;

enum {
	XT_PHASE_OLD = 0,
	XT_PHASE_NEW = 1,
	XT_PHASES = 2,
	XT_MAX_OPTIONS = 4,

	/* reach: what a packet that comes to a card may do there. */
	XT_REACH_ADAPTIVE = 1, /* it came by an NIC or an adaptive VC: candidates and hop */
	XT_REACH_HOP = 2,      /* the hop only */
};

/* One hop of a card, that of option 0 the old one, of option 1 the new one. */
typedef struct {
	uint8_t how;    /* xt_walk_t; XT_WALK_DELIVERED: to the NIC, or to `card` */
	uint8_t leaves; /* by a link port: `card`, `bit` are set */
	uint8_t failed; /* that link has failed: what leaves is lost, what left before is at `card` */
	uint8_t bit;    /* xt_channel_bit */
	uint8_t mask;   /* candidates */
	uint8_t vc, port;
	uint32_t card;
} xt_option_t;

typedef struct {
	xt_option_t option[XT_MAX_OPTIONS];
	uint8_t options; /* 1: old and new are the same in everything */
	uint8_t known;
} xt_place_t;

/* A state is card * XT_PHASES + phase. */
typedef struct {
	const xt_image_t *before, *after;
	const xt_profile_t *profile;
	unsigned cards, pes, bits, vc_stride, states;
	unsigned tc, dest;           /* at hand */
	uint32_t address;            /* of `dest` */
	uint8_t same_as[XT_MAX_TCS]; /* xt_equal_tcs_find, as the images were when this was created */
	xt_place_t *place;           /* [card], of the TC and destination at hand */
	uint8_t *reach;              /* [state], of the last walk */
	uint8_t *lossy;              /* [state], of the last walk: what is there can be lost at a failed link */
	uint32_t *loop;              /* of the last walk: cards, each sends to the next and the last to the first */
	unsigned loop_length;        /* 0: none */
	unsigned undelivered;        /* states of the last walk with a hop that does not lead on to the destination */
	/* Of the search. */
	uint8_t *colour, *next_option;
	uint32_t *stack, *finished; /* finished: states, each after those that packets go on to */
	unsigned reached;
} xt_old_new_hops_t;

/* The images are of the same cards; see xt_check_transition. XT_ERR_NOMEM. */
int xt_old_new_hops_create(xt_old_new_hops_t *m, const xt_image_t *before, const xt_image_t *after, xt_diag_t *diag);
void xt_old_new_hops_free(xt_old_new_hops_t *m);

/* Chooses TC and destination (a PE). */
void xt_old_new_hops_select(xt_old_new_hops_t *m, unsigned tc, unsigned dest);
const xt_place_t *xt_old_new_hops_place(xt_old_new_hops_t *m, uint32_t card);

/* Follows the packets of all sources: fills reach, lossy, loop and undelivered. Where there is a loop, lossy may
 * lack some. */
void xt_old_new_hops_walk(xt_old_new_hops_t *m, xt_mix_t mix);

/* Called with each dependency of the last walk, which was of the same `mix`: a packet on `channel`, card * bits + bit,
 * goes on to the channel `next` of the card at its end; may be called with the same one again. False ends it. */
typedef bool (*xt_dependency_t)(void *context, uint32_t channel, unsigned next);
/* The deterministic channels only, and none that has failed. False if the function said so. */
bool xt_old_new_hops_dependencies(xt_old_new_hops_t *m, xt_mix_t mix, xt_dependency_t dependency, void *context);
/* Called with each channel that the last walk uses, likewise. */
void xt_old_new_hops_channels(
	xt_old_new_hops_t *m, xt_mix_t mix, void (*channel)(void *context, uint32_t channel), void *context);
