/* SPDX-License-Identifier: Apache-2.0
 *
 * Proves or refutes an image, per TC. Every packet that may be injected is walked through the tables as the
 * hardware would route it. The channel dependencies of these walks are searched for cycles.
 *
 * Adaptive TCs: a packet from a NIC port or on the adaptive VC may take any candidate of the mask, or the
 * deterministic route. A packet on a deterministic VC may take the deterministic route only. So the candidates are
 * followed to all cards they can lead to. No card takes a candidate back by the link of arrival. From each card the
 * deterministic route, the escape, must deliver, and the candidates must not lead round in a circle. The dependencies
 * of the escape channels are those of the deterministic routes from all these cards.
 *
 * Bubble profiles: a dependency along a ring (register RING) needs room for one packet where every entry into the
 * ring leaves room for one. A cycle of such dependencies only is therefore no deadlock. A cycle with any other
 * dependency is one. No channel may go on from two others. */
#ifndef EXTORUS_CHECK_H
#define EXTORUS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/image.h"
#include "extorus/options_size.h"

XT_BEGIN_C

/* A vertex of the channel dependency graph: the directed link that leaves `card` by `port`, and the
 * VC within the TC. */
typedef struct {
	uint32_t card;
	uint8_t port;
	uint8_t tc;
	uint8_t vc;
} xt_channel_t;

typedef enum {
	XT_WALK_DELIVERED,
	XT_WALK_LIVELOCK,     /* comes back to a card where it was */
	XT_WALK_MISDELIVERED, /* leaves by the wrong NIC port */
	XT_WALK_ILLEGAL,      /* no valid entry, or a port or VC that does not exist */
	XT_WALK_UNCONNECTED,  /* leaves by a link port that leads nowhere */
} xt_walk_t;

typedef enum {
	XT_ADAPTIVE_UNCONNECTED, /* a candidate is a port that leads nowhere */
	XT_ADAPTIVE_NO_ESCAPE,   /* the deterministic route from where a candidate leads does not deliver */
	XT_ADAPTIVE_LIVELOCK,    /* candidates lead back to a card and port of arrival where the packet was */
	/* Without U-turns: a candidate leads to a card whose deterministic route leads back by the same link. */
	XT_ADAPTIVE_U_TURN,
} xt_adaptive_fault_t;

typedef struct {
	xt_adaptive_fault_t how;
	unsigned tc, dest; /* PE */
	unsigned card, port;
	/* XT_ADAPTIVE_NO_ESCAPE: how the route from `card` ends, and where. */
	xt_walk_t escape;
	unsigned escape_card;
} xt_adaptive_failure_t;

typedef struct {
	unsigned out_of_service; /* PEs of failed cards, see xt_image_pe_in_service; they are no part of a pair */
	uint64_t pairs;          /* ordered pairs of different PEs */
	uint64_t unreachable; /* pairs of which some TC that the source may use does not deliver; of these, by cause: */
	uint64_t livelock, misdelivered, illegal, unconnected;
	/* Links between cards, internal ones counted. A pair counts once in the mean, with the lowest TC
	 * that delivers it; the maximum is over all TCs. */
	unsigned max_hops;
	double mean_hops;
	uint64_t non_minimal; /* delivered pairs that took more links than the shortest way */

	/* The first packet that is not delivered; set if unreachable != 0. */
	struct {
		xt_walk_t how;
		unsigned tc, source, dest; /* PEs */
		unsigned card;             /* where it went wrong */
	} failure;

	unsigned adaptive_tcs;        /* bit per TC in which packets meet candidates */
	uint64_t adaptive_candidates; /* (TC, destination, card, port) that packets can meet */
	uint64_t escapes;             /* (TC, destination, card) from which they may have to escape; all are walked */
	uint64_t adaptive_faults;     /* of candidates and escapes */
	unsigned adaptive_max_hops;   /* longest way over candidates and escape; 0 without candidates */
	xt_adaptive_failure_t adaptive_failure; /* the first; set if adaptive_faults != 0 */

	uint64_t ring_merges;    /* channels that continue more than one other channel */
	xt_channel_t ring_merge; /* the first; set if ring_merges != 0 */

	unsigned tcs;                      /* of the profile */
	unsigned cyclic_tcs;               /* bit per TC */
	uint64_t channels[XT_MAX_TCS];     /* vertices that packets use */
	uint64_t dependencies[XT_MAX_TCS]; /* edges */
	uint64_t rings[XT_MAX_TCS];        /* cycles that bubble flow control keeps moving */
	xt_channel_t *cycle[XT_MAX_TCS];   /* each waits for the next, the last for the first */
	size_t cycle_length[XT_MAX_TCS];   /* 0: acyclic */
	/* The graph itself. used[tc][card]: bit xt_channel_bit(vc_stride, port, vc) for each channel that packets use;
	 * successors[tc][card * link_ports * vc_stride + bit]: the channels of the card at the other end that they
	 * go on to. vc_stride: xt_profile_vc_stride. */
	unsigned vc_stride;
	uint64_t *used[XT_MAX_TCS];
	uint64_t *successors[XT_MAX_TCS];
} xt_check_t;

static inline unsigned xt_channel_bit(unsigned vc_stride, unsigned port, unsigned vc)
{
	return port * vc_stride + vc;
}

/* XT_OK when the image could be examined, whatever was found. *out is freed with xt_check_free. */
XT_API int xt_check_image(const xt_image_t *image, xt_check_t **out, xt_diag_t *diag);

typedef struct {
	size_t size;      /* sizeof of this struct; see options_size.h */
	unsigned threads; /* 0: as many as there are processors, for small images one; the results are the same */
	bool one_by_one;  /* no destinations together: slow, with the same results; for tests of the check itself */
	void (*progress)(
		void *context, uint64_t done, uint64_t total); /* now and then, in the caller's thread; or NULL */
	void *context;
} xt_check_options_t;

XT_API int xt_check_image_with(
	const xt_image_t *image, const xt_check_options_t *options, xt_check_t **out, xt_diag_t *diag);
XT_API void xt_check_free(xt_check_t *check); /* NULL is allowed */

/* Everything is delivered, by every candidate as well, and no TC can deadlock. */
XT_API bool xt_check_passed(const xt_check_t *check);
/* XT_OK, or XT_ERR_UNSAFE with the first finding in `diag`. */
XT_API int xt_check_verdict(const xt_image_t *image, const xt_check_t *check, xt_diag_t *diag);
/* "unconnected", "no escape", "livelock", "u-turn" */
XT_API const char *xt_adaptive_fault_name(xt_adaptive_fault_t how);
/* "delivered", "livelock", ... */
XT_API const char *xt_walk_name(xt_walk_t how);
/* The cycles link by link, one channel per line. */
XT_API void xt_check_print_cycles(const xt_image_t *image, const xt_check_t *check, FILE *out);

/* The channel dependency graph of all TCs for Graphviz (dot), channels of cycles in red. */
XT_API int xt_check_write_cdg(const xt_image_t *image, const xt_check_t *check, FILE *out, xt_diag_t *diag);

XT_END_C
#endif
