/* SPDX-License-Identifier: Apache-2.0
 *
 * The routing tables of all cards. An entry is kept once, however many tables hold it, with its routes taken apart;
 * input ports whose tables are the same share one. */
#pragma once

#include <stdint.h>

#include "shape.h"

/* Legal: the output and the VC exist, damaged or not. */
enum { ROUTE_LEGAL = 1, ROUTE_DAMAGED = 2, ROUTE_HAS_VC = 4 };

typedef struct {
	uint8_t port; /* of the deterministic way, NO_PORT if there is no such port */
	uint8_t vc;   /* of all VCs */
	uint8_t mask; /* adaptive candidates */
	uint8_t flags;
} route_t;

/* Whether packets follow the route: others are dropped. */
static inline int route_leads(const route_t *route)
{
	return (route->flags & (ROUTE_LEGAL | ROUTE_DAMAGED)) == ROUTE_LEGAL;
}

typedef struct {
	uint64_t data;
	uint8_t code, intact; /* the code fits */
	route_t route[TCS];
} entry_t;

/* GRT first, then LRT; shared by `users` ports. */
typedef struct {
	uint32_t users;
	uint16_t entry[TABLE_ENTRIES];
} table_t;

typedef struct {
	entry_t *entries;
	uint32_t count, room;
	uint32_t *hash; /* number of an entry + 1, or 0 */
	uint32_t hash_size;
	int failed; /* out of memory, or more different entries than numbers */
} entries_t;

int entries_open(entries_t *entries);
void entries_close(entries_t *entries);
/* The number of that entry; 0 is the empty one. */
uint16_t entries_number(entries_t *entries, uint64_t data, uint8_t code);

/* Sets an entry of the tables of the ports in `ports`. */
void tables_write(entries_t *entries, table_t **tables, unsigned ports, unsigned index, uint16_t entry);
/* All entries of all ports. */
void tables_set(entries_t *entries, table_t **tables, const uint64_t *grt, const uint64_t *lrt);
void tables_close(table_t **tables);
