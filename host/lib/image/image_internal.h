/* SPDX-License-Identifier: Apache-2.0
 *
 * What an image is made of; for the files of this room only. */
#pragma once

#include "extorus/image.h"
#include "extorus/topology.h"

enum { XT_IMAGE_SPEC_SIZE = XT_SPEC_SIZE, XT_IMAGE_ALGORITHM_SIZE = 64, XT_IMAGE_PORT_NAME_SIZE = 16 };

typedef struct {
	char text[XT_IMAGE_PORT_NAME_SIZE];
} xt_port_name_t;

struct xt_image {
	const xt_profile_t *profile;
	char spec[XT_IMAGE_SPEC_SIZE];
	char algorithm[XT_IMAGE_ALGORITHM_SIZE];
	uint32_t cards;
	uint32_t pes; /* a multiple of cards */
	unsigned pes_per_card;
	unsigned ports;              /* link and NIC ports of the profile */
	uint8_t vc_mask[XT_MAX_TCS]; /* bits of a route's VC that cards look at */
	uint32_t *pe_address;        /* [pe] */
	uint8_t *pe_tc_mask;         /* [pe] */
	int32_t *address_pe;    /* [address] or -1, also for that of a NIC port without a PE; 1 << id_bits of them */
	uint32_t *route_order;  /* [card] */
	uint32_t *match_mask;   /* [card][tc] */
	xt_peer_t *peer;        /* [card][link port] */
	uint16_t *ring;         /* [card][link port] */
	uint16_t *vc_ring_from; /* [card][link port]; NULL without vc_rings */
	uint16_t *adaptive;     /* [card], internal and middle ports */
	xt_port_name_t *name;   /* [card][port] */
	/* A card's table is at the place of a card that has the same one, if the image was read. The other places stay
	 * untouched, and take no memory. */
	uint32_t *grt_at, *lrt_at; /* [card] */
	uint64_t *grt;             /* [place][1 << grt_bits] */
	uint64_t *lrt;             /* [place][1 << lrt_bits] */
	int shared;                /* some place is not the card's own */
};

/* An image of the profile with all arrays zeroed, no peers and no addresses. */
int xt_image_allocate(const xt_profile_t *profile, uint32_t cards, uint32_t pes, xt_image_t **out, xt_diag_t *diag);
