/* SPDX-License-Identifier: Apache-2.0
 *
 * What an address of the register map names. */
#pragma once

#include "card_state.h"

typedef enum {
	IN_NOTHING,
	IN_SINGLE,
	IN_PORT,
	IN_LATENCY,
	IN_GRT,
	IN_LRT,
} area_t;

typedef struct {
	area_t area;
	unsigned port;   /* or NIC */
	unsigned offset; /* of a register that exists once, or among those of its port */
	unsigned index;  /* table entry, or bin */
} place_t;

place_t register_place(unsigned address);
static inline int place_in_table(const place_t *place)
{
	return place->area == IN_GRT || place->area == IN_LRT;
}
/* Of the registers per TC or VC from `first` on: which, or -1. */
static inline int register_item(unsigned offset, unsigned first, unsigned items)
{
	first &= 0xff;
	return offset >= first && offset < first + 4 * items ? (int)(offset - first) / 4 : -1;
}
/* Number of the counter, -1: none, -2: one that is always 0 here. */
int register_counter(const place_t *place);
