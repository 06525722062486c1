/* SPDX-License-Identifier: Apache-2.0
 *
 * k-ary n-trees. Their switches have no PE and no routing table of ours: a tree is something to count turns in,
 * not a topology to route. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "port_assignment_internal.h"

enum {
	MOST_K = XT_MAX_SWITCH_PORTS / 2,
	MOST_DIGITS = 12, /* of an end's number: the most that XT_MAX_SWITCHES allows, with k = 2 */
};

static const char prefix[] = "tree:";

bool xt_tree_is_spec(const char *spec)
{
	return strncmp(spec, prefix, strlen(prefix)) == 0;
}

unsigned xt_tree_ends(const xt_tree_t *tree)
{
	unsigned ends = 1;

	for (unsigned i = 0; i < tree->n; i++) {
		ends *= tree->k;
	}
	return ends;
}

/* "k=4", from 1 to `most`, and what is after it. */
static bool take(const char **text, const char *key, unsigned most, unsigned *value)
{
	const size_t length = strlen(key);
	uint64_t number = 0;

	if (strncmp(*text, key, length) != 0 || (*text)[length] < '0' || (*text)[length] > '9') {
		return false;
	}
	*text += length;
	*value = xt_number_take(text, most, &number) == XT_OK ? (unsigned)number : most + 1;
	return true;
}

int xt_tree_parse(const char *spec, xt_tree_t *tree, xt_diag_t *diag)
{
	const char *text = spec + strlen(prefix);
	uint64_t ends = 1;

	if (!xt_tree_is_spec(spec) || !take(&text, "k=", MOST_K, &tree->k) ||
		!take(&text, ",n=", MOST_DIGITS, &tree->n) || *text) {
		return xt_fail(diag, XT_ERR_INVALID, "tree \"%.80s\": write for example tree:k=4,n=3", spec);
	}
	if (tree->k < 2 || tree->k > MOST_K || tree->n < 1 || tree->n > MOST_DIGITS) {
		return xt_fail(diag, XT_ERR_RANGE, "tree \"%.80s\": k is from 2 to %d, n from 1 to %d", spec, MOST_K,
			MOST_DIGITS);
	}
	for (unsigned i = 0; i < tree->n; i++) {
		ends *= tree->k;
	}
	if (ends > XT_MAX_SWITCHES) {
		return xt_fail(diag, XT_ERR_RANGE,
			"tree \"%.80s\": %llu ends, and %d are as many as can be walked; lower k or n", spec,
			(unsigned long long)ends, XT_MAX_SWITCHES);
	}
	return XT_OK;
}

/* Turns from end to end. On its way a packet enters stage s by a port that has the number of digit s: of the source
 * at down ports, and of the destination, by whose digits it ascended, at up ports. */
static void walk(xt_turns_t *t, const xt_tree_t *tree, unsigned source, unsigned dest, double weight)
{
	unsigned from[MOST_DIGITS] = {0}, to[MOST_DIGITS] = {0}, top = 0, k = tree->k;

	for (unsigned s = 0; s < tree->n; s++) {
		from[s] = source % k;
		to[s] = dest % k;
		source /= k;
		dest /= k;
		top = from[s] != to[s] ? s : top;
	}
	for (unsigned s = 0; s < top; s++) {
		*xt_turns_place(t, s, from[s], k + to[s]) += weight;
	}
	*xt_turns_place(t, top, from[top], to[top]) += weight;
	for (unsigned s = top; s-- > 0;) {
		*xt_turns_place(t, s, k + to[s], to[s]) += weight;
	}
}

int xt_turns_of_tree(const xt_tree_t *tree, const xt_traffic_matrix_t *matrix, xt_turns_t **out, xt_diag_t *diag)
{
	unsigned ends = xt_tree_ends(tree);
	double *row = malloc(ends * sizeof(*row));
	xt_turns_t *turns = NULL;
	int status = row ? xt_turns_create(tree->n, 2 * tree->k, &turns, diag)
			 : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	*out = turns;
	for (unsigned source = 0; status == XT_OK && source < ends; source++) {
		xt_traffic_matrix_row(matrix, source, row);
		for (unsigned dest = 0; dest < ends; dest++) {
			if (dest != source) {
				walk(turns, tree, source, dest, row[dest]);
			}
		}
	}
	free(row);
	if (status != XT_OK) {
		return status;
	}
	turns->switches = ends / tree->k;
	for (unsigned port = 0; port < tree->k; port++) {
		snprintf(turns->name[port], XT_SWITCH_PORT_NAME_SIZE, "down%u", port);
		snprintf(turns->name[tree->k + port], XT_SWITCH_PORT_NAME_SIZE, "up%u", port);
	}
	return XT_OK;
}
