/* SPDX-License-Identifier: Apache-2.0 */
#include "route_tables.h"

#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"

enum { FIRST_ROOM = 256, MAX_ENTRIES = 1 << 16 };

static uint32_t hash_of(uint64_t data)
{
	uint64_t h = data * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(h ^ h >> 29);
}

static route_t route_of(uint64_t data, unsigned tc, int damaged)
{
	unsigned field = (unsigned)(data >> tc * EXTORUS_ENTRY_TC_BITS) & ((1u << EXTORUS_ENTRY_TC_BITS) - 1);
	unsigned port = field >> EXTORUS_ENTRY_PORT_LSB & ((1u << EXTORUS_ENTRY_PORT_BITS) - 1);
	unsigned top =
		tc_vcs(tc) >> tc_first_vc[tc] >> (1 << EXTORUS_ENTRY_VC_BITS) ? field >> XT_ENTRY_VC_TOP_BIT & 1 : 0;
	unsigned vc = tc_first_vc[tc] + (field >> EXTORUS_ENTRY_VC_LSB & ((1u << EXTORUS_ENTRY_VC_BITS) - 1)) +
		      (top << EXTORUS_ENTRY_VC_BITS);
	int vc_exists = (tc_vcs(tc) >> vc & 1) != 0;
	int legal = (field >> EXTORUS_ENTRY_VALID_BIT & 1) &&
		    ((port >= LINKS && port < PORTS) || (port < LINKS && vc_exists));
	route_t route = {
		.port = (uint8_t)(port < PORTS ? port : (unsigned)NO_PORT),
		.vc = (uint8_t)(vc_exists ? vc : 0),
		.mask = (uint8_t)(field >> EXTORUS_ENTRY_MASK_LSB & ((1u << EXTORUS_ENTRY_MASK_BITS) - 1) & ALL_LINKS),
		.flags = (uint8_t)((legal ? ROUTE_LEGAL : 0) | (damaged ? ROUTE_DAMAGED : 0) |
				   (vc_exists ? ROUTE_HAS_VC : 0)),
	};

	return route;
}

int entries_open(entries_t *entries)
{
	memset(entries, 0, sizeof(*entries));
	entries->room = FIRST_ROOM;
	entries->hash_size = 4 * MAX_ENTRIES;
	entries->entries = calloc(FIRST_ROOM, sizeof(*entries->entries));
	entries->hash = calloc(entries->hash_size, sizeof(*entries->hash));
	if (!entries->entries || !entries->hash) {
		return 0;
	}
	return entries_number(entries, 0, 0) == 0 && !entries->failed;
}

void entries_close(entries_t *entries)
{
	free(entries->entries);
	free(entries->hash);
}

static uint16_t add(entries_t *entries, uint64_t data, uint8_t code)
{
	entry_t *e;

	if (entries->count == entries->room) {
		uint32_t room = entries->room * 2;
		entry_t *more = room <= MAX_ENTRIES ? realloc(entries->entries, room * sizeof(*more)) : NULL;

		if (!more) {
			entries->failed = 1;
			return 0;
		}
		entries->entries = more;
		entries->room = room;
	}
	e = &entries->entries[entries->count];
	e->data = data;
	e->code = code;
	e->intact = !TABLE_ECC || xt_entry_code(data) == code;
	for (unsigned tc = 0; tc < TCS; tc++) {
		e->route[tc] = route_of(data, tc, !e->intact);
	}
	return (uint16_t)entries->count++;
}

/* The place of an entry in the hash, or the free one where it belongs; `code` -1: the one that fits. */
static uint32_t place_of(const entries_t *entries, uint64_t data, int code)
{
	uint32_t at = hash_of(data) & (entries->hash_size - 1);

	for (; entries->hash[at]; at = (at + 1) & (entries->hash_size - 1)) {
		const entry_t *e = &entries->entries[entries->hash[at] - 1];

		if (e->data == data && (code < 0 ? e->intact : e->code == code)) {
			break;
		}
	}
	return at;
}

uint16_t entries_number(entries_t *entries, uint64_t data, uint8_t code)
{
	uint32_t at = place_of(entries, data, code);

	if (!entries->hash[at]) {
		entries->hash[at] = add(entries, data, code) + 1u;
	}
	return (uint16_t)(entries->hash[at] - 1);
}

/* Of an entry with the code that fits, which takes a while to compute. */
static uint16_t number_of_intact(entries_t *entries, uint64_t data)
{
	uint32_t at = place_of(entries, data, -1);

	return entries->hash[at] ? (uint16_t)(entries->hash[at] - 1)
				 : entries_number(entries, data, TABLE_ECC ? xt_entry_code(data) : 0);
}

static void let_go(table_t *table)
{
	if (table && --table->users == 0) {
		free(table);
	}
}

void tables_write(entries_t *entries, table_t **tables, unsigned ports, unsigned index, uint16_t entry)
{
	for (unsigned rest = ports; rest;) {
		table_t *shared = tables[lowest(rest)], *own = shared;
		unsigned sharing = 0;

		for (unsigned r = rest; r; r &= r - 1) {
			if (tables[lowest(r)] == shared) {
				sharing |= 1u << lowest(r);
			}
		}
		rest &= ~sharing;
		if (shared ? shared->entry[index] == entry : entry == 0) {
			continue;
		}
		/* Those that are written part from those that are not. */
		if (!shared || shared->users != (unsigned)__builtin_popcount(sharing)) {
			own = calloc(1, sizeof(*own));
			if (!own) {
				entries->failed = 1;
				return;
			}
			if (shared) {
				*own = *shared;
			}
			own->users = 0;
			for (unsigned r = sharing; r; r &= r - 1) {
				let_go(shared);
				tables[lowest(r)] = own;
				own->users++;
			}
		}
		own->entry[index] = entry;
	}
}

void tables_set(entries_t *entries, table_t **tables, const uint64_t *grt, const uint64_t *lrt)
{
	table_t *table = calloc(1, sizeof(*table));

	if (!table) {
		entries->failed = 1;
		return;
	}
	for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
		uint64_t data = i < EXTORUS_GRT_ENTRIES ? grt[i] : lrt[i - EXTORUS_GRT_ENTRIES];

		if (TCS < 4) {
			data &= (UINT64_C(1) << (TCS * EXTORUS_ENTRY_TC_BITS) % 64) - 1;
		}
		table->entry[i] = number_of_intact(entries, data);
	}
	for (unsigned p = 0; p < PORTS; p++) {
		let_go(tables[p]);
		tables[p] = table;
		table->users++;
	}
}

void tables_close(table_t **tables)
{
	for (unsigned p = 0; p < PORTS; p++) {
		let_go(tables[p]);
		tables[p] = NULL;
	}
}
