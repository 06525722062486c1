/* SPDX-License-Identifier: Apache-2.0
 *
 * The shape of the cards that are modelled: the numbers of one profile. They come from the header that is generated
 * from its table, so loops and masks have constant bounds. */
#pragma once

#include <stdint.h>

#include "xt_registers.h"

#ifndef EXTORUS_MOST_ADAPTIVE_VCS
/* RTL has one in a TC at most. */
#define EXTORUS_MOST_ADAPTIVE_VCS 1
#define EXTORUS_RING_VCS_ADAPTIVE EXTORUS_VCS_ADAPTIVE
#endif

enum {
	LINKS = EXTORUS_LINK_PORTS,
	NICS = EXTORUS_NIC_PORTS,
	PORTS = EXTORUS_PORTS,
	TCS = EXTORUS_TCS,
	VCS = EXTORUS_VCS,
	/* Queues of an input: of (link, VC), of (NIC port, TC), and the one of packets without a route. */
	QUEUES = LINKS * VCS + NICS * TCS + 1,
	DROP_OUTPUT = PORTS, /* stands for an output where that queue is meant */
	NO_PORT = 0xff,
	CELL_WORDS = (EXTORUS_CELL_BITS + 31) / 32,
	PACKET_CELLS = EXTORUS_PACKET_CELLS,
	BUFFER_CELLS = EXTORUS_BUFFER_CELLS,
	CLASSES = EXTORUS_LENGTH_CLASSES,
	LENGTHS = EXTORUS_PACKET_CLASSES,
	MARGIN = 5, /* cells that may leave between a decision and its effect on the credits */
	LINK_LAYER = EXTORUS_FRAME_LAYER,
	ADAPTIVE = (EXTORUS_FEATURES & EXTORUS_FEATURES_ADAPTIVE_MASK) != 0,
	MONITORS = (EXTORUS_FEATURES & EXTORUS_FEATURES_MONITORS_MASK) != 0,
	LATENCY = (EXTORUS_FEATURES & EXTORUS_FEATURES_LATENCY_MASK) != 0,
	TABLE_ECC = (EXTORUS_FEATURES & EXTORUS_FEATURES_TABLE_ECC_MASK) != 0,
	QOS = (EXTORUS_FEATURES & EXTORUS_FEATURES_QOS_MASK) != 0,
	BUBBLE = EXTORUS_BUBBLE,
	VC_RINGS = (EXTORUS_FEATURES & EXTORUS_FEATURES_VC_RINGS_MASK) != 0,
	BLOCK_RAM_ONLY = EXTORUS_BLOCK_RAM_ONLY,
	U_TURNS = EXTORUS_U_TURNS,
	CREDIT_SUMS = EXTORUS_CREDIT_SUMS,
	CROSSBAR_REGISTER = EXTORUS_CROSSBAR_REGISTER,
	LOOKUP_CYCLES = EXTORUS_LOOKUP_CYCLES,
	/* A word of a table entry has the fields of so many TCs. */
	WORD_TCS = TCS < 2 ? TCS : 2,
	ENTRY_WORDS = (TCS + WORD_TCS - 1) / WORD_TCS,
	GRT_WORDS = EXTORUS_GRT_ENTRIES * ENTRY_WORDS,
	TABLE_WORDS = GRT_WORDS + EXTORUS_LRT_ENTRIES * ENTRY_WORDS,
	ALL_PORTS = (1 << PORTS) - 1,
	ALL_LINKS = (1 << LINKS) - 1,
	ALL_TCS = (1 << TCS) - 1,
	/* A TC has several adaptive VCs; only profiles without RTL do. */
	SEVERAL_ADAPTIVE = EXTORUS_MOST_ADAPTIVE_VCS > 1,
};

/* The TC of each VC, the first VC of each TC. */
static const uint8_t vc_tc[VCS] = EXTORUS_VC_TCS;
static const uint8_t tc_first_vc[TCS] = EXTORUS_TC_FIRST_VCS;
static const uint16_t class_cells[CLASSES] = EXTORUS_LENGTH_CLASS_CELLS;

/* The VCs of a TC, bit per VC. */
static inline unsigned tc_vcs(unsigned tc)
{
	unsigned end = tc + 1 < TCS ? tc_first_vc[tc + 1 < TCS ? tc + 1 : 0] : VCS;

	return (1u << end) - (1u << tc_first_vc[tc]);
}

/* Queues that an output has at each input, and their TCs: those of a NIC port are one per TC. */
static inline unsigned output_queues(unsigned output)
{
	return output < LINKS ? VCS : TCS;
}
static inline unsigned queues_of_tc(unsigned output, unsigned tc)
{
	return output < LINKS ? tc_vcs(tc) : 1u << tc;
}
static inline unsigned tc_of_queue(unsigned output, unsigned queue)
{
	return output < LINKS ? vc_tc[queue] : queue;
}
static inline unsigned queue_number(unsigned output, unsigned queue)
{
	return output < LINKS   ? output * VCS + queue
	       : output < PORTS ? LINKS * VCS + (output - LINKS) * TCS + queue
				: (unsigned)QUEUES - 1;
}

static inline unsigned lowest(unsigned mask)
{
	return (unsigned)__builtin_ctz(mask);
}
/* The bits above bit n: a round-robin pointer just past n. */
static inline unsigned above(unsigned n)
{
	return ~1u << n;
}
/* The first of `mask` at or above a pointer, else the lowest. */
static inline unsigned round_robin(unsigned mask, unsigned pointer)
{
	return lowest(mask & pointer ? mask & pointer : mask);
}
static inline unsigned highest(unsigned mask)
{
	return 31 - (unsigned)__builtin_clz(mask);
}
/* The same downwards: the bits below bit n, and the first of `mask` among those of a pointer, else the highest. */
static inline unsigned bits_below(unsigned n)
{
	return (1u << n) - 1;
}
static inline unsigned round_robin_down(unsigned mask, unsigned pointer)
{
	return highest(mask & pointer ? mask & pointer : mask);
}
