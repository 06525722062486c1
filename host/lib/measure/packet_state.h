/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a packet is on its way through the network. */
#pragma once

#include <stdint.h>

#include "traffic/packet_generator.h"

/* A packet in the network. */
typedef struct {
	xt_packet_t packet;
	uint64_t head_sent; /* cycle in which the first switch accepted the head */
	/* The input port that the head entered last, and since when; a PE's packet starts at its NIC port. */
	uint64_t since;
	uint32_t card;
	uint32_t hops;
	uint16_t sent; /* cells accepted so far */
	uint8_t port;
	uint8_t vc;      /* of all VCs; XT_NO_VC at a NIC port */
	uint8_t escaped; /* has left a card by a link on a deterministic VC */
} xt_packet_state_t;

#define XT_NO_VC UINT8_MAX
_Static_assert(XT_MAX_VCS < XT_NO_VC && XT_MAX_PORTS <= UINT8_MAX, "a byte names each VC, each port, or none");
