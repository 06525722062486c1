/* SPDX-License-Identifier: Apache-2.0
 *
 * Communicators of a captured run. Ranks mean the same one by the same name: its key, and its ranks. */
#include "merge_group.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/error.h"
#include "workload/text.h"

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++) {
		h = (h ^ (uint8_t)*name) * 16777619u;
	}
	return h % XT_GROUP_BUCKETS;
}

/* One more rank than the group has; XT_ERR_NOMEM. */
static int add_member(xt_call_group_t *g, uint32_t *room, uint32_t rank)
{
	if (g->count == *room) {
		uint32_t more = *room ? 2 * *room : 16, *larger = realloc(g->members, more * sizeof(*larger));

		if (!larger) {
			return XT_ERR_NOMEM;
		}
		g->members = larger;
		*room = more;
	}
	g->members[g->count++] = rank;
	return XT_OK;
}

/* a, a-b or a-b:step. */
static int add_range(xt_call_group_t *g, uint32_t *room, char *word, uint32_t ranks, uint8_t *seen)
{
	char *to = strchr(word, '-'), *by = to ? strchr(to, ':') : NULL;
	uint64_t first, last, step = 1;

	if (to) {
		*to++ = '\0';
	}
	if (by) {
		*by++ = '\0';
	}
	if (!xt_word_number(word, ranks - 1, &first) || (to && !xt_word_number(to, ranks - 1, &last)) ||
		(by && !xt_word_number(by, ranks, &step)) || step == 0) {
		return XT_ERR_FORMAT;
	}
	last = to ? last : first;
	for (uint64_t r = first; r <= last; r += step) {
		if (seen[r]++ || add_member(g, room, (uint32_t)r) != XT_OK) {
			return XT_ERR_FORMAT;
		}
	}
	return XT_OK;
}

static void free_group(xt_call_group_t *g)
{
	free(g->name);
	free(g->members);
	free(g->calls);
	free(g->declared);
	free(g);
}

static xt_call_group_t *create(const char *name, uint32_t ranks)
{
	xt_call_group_t *g = calloc(1, sizeof(*g));
	uint8_t *seen = calloc(ranks, 1);
	char *words = strdup(name), *rest = words, *word;
	uint32_t room = 0;
	int right =
		g && words && seen && (g->name = strdup(name)) != NULL && (word = strtok_r(words, " ", &rest)) != NULL;

	while (right && (word = strtok_r(NULL, " ", &rest)) != NULL) {
		right = add_range(g, &room, word, ranks, seen) == XT_OK;
	}
	if (right) {
		g->calls = calloc((size_t)g->count + 1, sizeof(*g->calls));
		g->declared = calloc((size_t)g->count + 1, 1);
		right = g->calls && g->declared;
	}
	free(words);
	free(seen);
	if (g && !right) {
		free_group(g);
		g = NULL;
	}
	return g;
}

/* The rank's place in the group. Of two groups `place` is one within the rank's own. */
static uint32_t place_of(const xt_call_group_t *g, uint32_t rank, uint32_t place)
{
	if (place < g->count && g->members[place] == rank) {
		return place;
	}
	for (place = 0; place < g->count && g->members[place] != rank; place++) {
	}
	return place;
}

/* A name that the same rank says again is another group's. */
xt_call_group_t *xt_group_find(xt_groups_t *groups, const char *name, uint32_t rank, uint32_t *place)
{
	xt_call_group_t **at = &groups->bucket[hash(name)];

	for (; *at; at = &(*at)->next) {
		if (strcmp((*at)->name, name) == 0) {
			uint32_t own = place_of(*at, rank, *place);

			if (own < (*at)->count && !(*at)->declared[own]) {
				break;
			}
		}
	}
	if (!*at) {
		*at = create(name, groups->ranks);
		if (!*at) {
			return NULL;
		}
		(*at)->number = ++groups->count;
	}
	*place = place_of(*at, rank, *place);
	if (*place >= (*at)->count) {
		return NULL;
	}
	(*at)->declared[*place] = 1;
	return *at;
}

void xt_groups_free(xt_groups_t *groups)
{
	for (unsigned i = 0; i < XT_GROUP_BUCKETS; i++) {
		while (groups->bucket[i]) {
			xt_call_group_t *next = groups->bucket[i]->next;

			free_group(groups->bucket[i]);
			groups->bucket[i] = next;
		}
	}
}
