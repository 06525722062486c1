/* SPDX-License-Identifier: Apache-2.0 */
#include "route_tables.h"

#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"

enum { FIRST_ROOM = 256, MAX_WORDS = 1 << 16 };

static uint32_t hash_of(uint32_t data)
{
	uint64_t h = data * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(h ^ h >> 29);
}

static unsigned field_of(uint32_t data, unsigned i)
{
	return data >> i * EXTORUS_ENTRY_TC_BITS & ((1u << EXTORUS_ENTRY_TC_BITS) - 1);
}

static unsigned code_of(uint16_t codes, unsigned i)
{
	return codes >> i * XT_ENTRY_CODE_BITS & ((1u << XT_ENTRY_CODE_BITS) - 1);
}

uint16_t route_word_codes(uint32_t data)
{
	unsigned codes = 0;

	for (unsigned i = 0; i < WORD_TCS; i++) {
		codes |= (unsigned)xt_entry_code((uint16_t)field_of(data, i)) << i * XT_ENTRY_CODE_BITS;
	}
	return (uint16_t)codes;
}

static route_t route_of(unsigned field, unsigned tc, int damaged)
{
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

int route_words_open(route_words_t *words)
{
	memset(words, 0, sizeof(*words));
	words->room = FIRST_ROOM;
	words->hash_size = 4 * MAX_WORDS;
	words->words = calloc(FIRST_ROOM, sizeof(*words->words));
	words->hash = calloc(words->hash_size, sizeof(*words->hash));
	if (!words->words || !words->hash) {
		return 0;
	}
	return route_words_number(words, 0, 0) == 0 && !words->failed;
}

void route_words_close(route_words_t *words)
{
	free(words->words);
	free(words->hash);
}

static uint16_t add(route_words_t *words, uint32_t data, uint16_t codes)
{
	route_word_t *word;

	if (words->count == words->room) {
		uint32_t room = words->room * 2;
		route_word_t *more = room <= MAX_WORDS ? realloc(words->words, room * sizeof(*more)) : NULL;

		if (!more) {
			words->failed = 1;
			return 0;
		}
		words->words = more;
		words->room = room;
	}
	word = &words->words[words->count];
	word->data = data;
	word->codes = codes;
	word->intact = !TABLE_ECC || route_word_codes(data) == codes;
	for (unsigned tc = 0; tc < TCS; tc++) {
		unsigned field = field_of(data, tc % WORD_TCS);
		int damaged = TABLE_ECC && xt_entry_code((uint16_t)field) != code_of(codes, tc % WORD_TCS);

		word->route[tc] = route_of(field, tc, damaged);
	}
	return (uint16_t)words->count++;
}

/* The place of a word in the hash, or the free one where it belongs; `codes` -1: those that fit. */
static uint32_t place_of(const route_words_t *words, uint32_t data, int codes)
{
	uint32_t at = hash_of(data) & (words->hash_size - 1);

	for (; words->hash[at]; at = (at + 1) & (words->hash_size - 1)) {
		const route_word_t *word = &words->words[words->hash[at] - 1];

		if (word->data == data && (codes < 0 ? word->intact : word->codes == codes)) {
			break;
		}
	}
	return at;
}

uint16_t route_words_number(route_words_t *words, uint32_t data, uint16_t codes)
{
	uint32_t at = place_of(words, data, codes);

	if (!words->hash[at]) {
		words->hash[at] = add(words, data, codes) + 1u;
	}
	return (uint16_t)(words->hash[at] - 1);
}

/* Of a word with the codes that fit, which take a while to compute. */
static uint16_t number_of_intact(route_words_t *words, uint32_t data)
{
	uint32_t at = place_of(words, data, -1);

	return words->hash[at] ? (uint16_t)(words->hash[at] - 1)
			       : route_words_number(words, data, TABLE_ECC ? route_word_codes(data) : 0);
}

static void let_go(table_t *table)
{
	if (table && --table->users == 0) {
		free(table);
	}
}

void tables_write(route_words_t *words, table_t **tables, unsigned ports, unsigned index, uint16_t word)
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
		if (shared ? shared->word[index] == word : word == 0) {
			continue;
		}
		/* Those that are written part from those that are not. */
		if (!shared || shared->users != (unsigned)__builtin_popcount(sharing)) {
			own = calloc(1, sizeof(*own));
			if (!own) {
				words->failed = 1;
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
		own->word[index] = word;
	}
}

void tables_set(route_words_t *words, table_t **tables, const uint64_t *grt, const uint64_t *lrt)
{
	table_t *table = calloc(1, sizeof(*table));

	if (!table) {
		words->failed = 1;
		return;
	}
	for (unsigned i = 0; i < TABLE_WORDS; i++) {
		const unsigned tc = i % ENTRY_WORDS * WORD_TCS, index = i / ENTRY_WORDS;
		const uint64_t entry = i < GRT_WORDS ? grt[index] : lrt[index - EXTORUS_GRT_ENTRIES];
		uint32_t data = (uint32_t)(entry >> tc * EXTORUS_ENTRY_TC_BITS);

		if (TCS - tc < 2) {
			data &= (1u << EXTORUS_ENTRY_TC_BITS) - 1;
		}
		table->word[i] = number_of_intact(words, data);
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
