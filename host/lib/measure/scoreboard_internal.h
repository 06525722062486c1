/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a scoreboard: what comes out (scoreboard.c) and the hops on the way (hop_check.c). */
#pragma once

#include "extorus/profiles.h"
#include "packet_tracker.h"
#include "scoreboard.h"

/* The packet that a PE is receiving. */
typedef struct {
	xt_tracked_t *tracked; /* NULL: not recognised */
	uint32_t index;        /* of the next cell */
	uint8_t damaged;       /* the packet is already counted as corrupted */
	uint8_t different;     /* there is a difference */
} xt_receiver_t;

/* The first one of the packet that a PE is receiving, behind the head: counted when the packet ends without being
 * poisoned. */
typedef struct {
	char text[256];
} xt_difference_t;

/* A head that has left its card. */
typedef struct {
	uint32_t card, port, vc;
	uint64_t cycle;
	xt_tracked_t *const *place;
	xt_tracked_t *tracked;
} xt_hop_t;

enum { XT_MOST_HOPS = 64 };

struct xt_scoreboard {
	const xt_image_t *image;
	const xt_profile_t *profile;
	const xt_peer_t *peers;
	xt_violations_t *violations;
	xt_delivery_t delivery;
	void *context;
	unsigned pes, cards;
	xt_tracker_t *tracker;
	const xt_payload_t *payload;
	xt_receiver_t *receivers;
	xt_difference_t *differences; /* [pe] */
	/* Hops that have been told and not checked yet, and their heads. */
	xt_hop_t hops[XT_MOST_HOPS];
	uint32_t *heads;
	unsigned hop_count;
	unsigned adaptive; /* bit per TC: the image has candidates for it */
	/* By VC of all VCs, and by TC: asked for every hop. */
	uint8_t vc_tc[XT_MAX_VCS], first_vc[XT_MAX_TCS];
	uint32_t adaptive_vcs;
	int (*killed)(void *context, unsigned card, unsigned port);
	void *killed_context;
	uint64_t poisoned, dropped;
	int unfollowed;     /* hops are not told */
	uint32_t most_hops; /* of a packet so far */
};

/* "packet 5.123 (PE 5 to PE 9, TC 1, 12 cells)" */
typedef struct {
	char text[96];
} xt_packet_name_t;
xt_packet_name_t xt_packet_name(const xt_packet_t *packet);

/* The head is on its way to an input of its card: which table entry decides there. */
void xt_scoreboard_look_ahead(const xt_scoreboard_t *scoreboard, xt_tracked_t *tracked);
