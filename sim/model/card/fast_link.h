/* SPDX-License-Identifier: Apache-2.0
 *
 * A link whose cells the network carries without frames. */
#pragma once

#include "packet_pool.h"

/* What is on its way on fast links. What a link takes in cycle t is seen to leave in cycle t + SEEN_CYCLES, and is at
 * the switch at its other end in cycle t + latency + FAST_LINK_CYCLES. Its ack is back in cycle
 * t + 2 * latency + ACK_CYCLES. */
enum { SEEN_CYCLES = 2 - EXTORUS_REPLAY_BYPASS, FAST_LINK_CYCLES = SEEN_CYCLES + 3, ACK_CYCLES = SEEN_CYCLES + 7 };

typedef struct {
	token_t cell;
	uint8_t vc, credit_vc;
} fast_link_item_t;

enum { FAST_LINK_CREDITS = 16 }; /* first bit of the links that bring credits */
