/* SPDX-License-Identifier: Apache-2.0
 *
 * The routing tables of all cards, word by word. A word is kept once, however many tables hold it, with its routes
 * taken apart; input ports whose tables are the same share one. */
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

/* The fields of WORD_TCS TCs, that of the lowest TC lowest, with their codes alike. */
typedef struct {
	uint32_t data;
	uint16_t codes;
	uint8_t intact;     /* all codes fit */
	route_t route[TCS]; /* of a TC: from its field, if the word is the one of that TC */
} route_word_t;

/* GRT first, then LRT; shared by `users` ports. */
typedef struct {
	uint32_t users;
	uint16_t word[TABLE_WORDS]; /* numbers of words */
} table_t;

typedef struct {
	route_word_t *words;
	uint32_t count, room;
	uint32_t *hash; /* number of a word + 1, or 0 */
	uint32_t hash_size;
	int failed; /* out of memory, or more different words than numbers */
} route_words_t;

int route_words_open(route_words_t *words);
void route_words_close(route_words_t *words);
/* The number of that word; 0 is the empty one. */
uint16_t route_words_number(route_words_t *words, uint32_t data, uint16_t codes);
/* The codes of a word's fields. */
uint16_t route_word_codes(uint32_t data);

/* Sets a word of the tables of the ports in `ports`. */
void tables_write(route_words_t *words, table_t **tables, unsigned ports, unsigned index, uint16_t word);
/* All entries of all ports. */
void tables_set(route_words_t *words, table_t **tables, const uint64_t *grt, const uint64_t *lrt);
void tables_close(table_t **tables);
