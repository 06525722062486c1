/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables that cards of an image have in common are kept once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The different tables of one kind so far. */
typedef struct {
	uint32_t *place; /* by hash: the card that has it + 1, or 0 */
	uint32_t size;   /* a power of two */
} xt_tables_seen_t;

/* Room for the tables of so many cards; XT_ERR_NOMEM or XT_OK. xt_tables_seen_close in any case. */
int xt_tables_seen_open(xt_tables_seen_t *seen, uint32_t cards);
void xt_tables_seen_close(xt_tables_seen_t *seen);
/* Puts the card's table, of `size` entries, at its place in `tables`, if no place is found with the same one. Returns
 * whose place has it. The place of `card` must be untouched. */
uint32_t xt_tables_seen_put(
	xt_tables_seen_t *seen, uint64_t *tables, size_t size, uint32_t card, const uint64_t *table);
