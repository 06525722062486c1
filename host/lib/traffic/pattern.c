/* SPDX-License-Identifier: Apache-2.0
 *
 * Bit and digit permutations are those of W. Dally and B. Towles, "Principles and Practices of Interconnection
 * Networks" (2004), table 3.1. */
#include "pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix_rows.h"
#include "zipf_ranks.h"

/* The hot region: so much of the traffic goes to one in so many PEs, the first. */
static const double hot_share = 0.25;
enum { HOT_PART = 8 };

typedef struct kind kind_t;

struct xt_pattern {
	const kind_t *kind;
	uint32_t pes;
	unsigned bits; /* pes == 1 << bits, if it is a power of two */
	xt_grid_t grid;
	uint32_t *target; /* [pe] of a permutation */
	xt_zipf_t *zipf;
	uint32_t hot; /* PEs of the hot region */
	const xt_traffic_matrix_t *matrix;
};

typedef enum {
	NEEDS_NOTHING,
	NEEDS_POWER_OF_2,
	NEEDS_POWER_OF_4,
	NEEDS_REGION,
	NEEDS_GRID,
	NEEDS_MATRIX,
} need_t;

struct kind {
	const char *name;
	const char *summary;
	need_t need;
	/* Of a permutation. */
	uint32_t (*target)(const xt_pattern_t *pattern, uint32_t pe);
	/* Of the others: a destination other than `pe`, */
	uint32_t (*draw)(const xt_pattern_t *pattern, xt_random_t *random, uint32_t pe);
	/* and how likely one is, `dest` not being `pe`. */
	double (*chance)(const xt_pattern_t *pattern, uint32_t pe, uint32_t dest);
};

static uint32_t complement(const xt_pattern_t *pattern, uint32_t pe)
{
	return ~pe & (pattern->pes - 1);
}

static uint32_t reversal(const xt_pattern_t *pattern, uint32_t pe)
{
	uint32_t dest = 0;

	for (unsigned bit = 0; bit < pattern->bits; bit++) {
		dest |= (pe >> bit & 1) << (pattern->bits - 1 - bit);
	}
	return dest;
}

static uint32_t rotate(const xt_pattern_t *pattern, uint32_t pe, unsigned by)
{
	return (pe << by | pe >> (pattern->bits - by)) & (pattern->pes - 1);
}

static uint32_t shuffle(const xt_pattern_t *pattern, uint32_t pe)
{
	return rotate(pattern, pe, 1);
}

static uint32_t transpose(const xt_pattern_t *pattern, uint32_t pe)
{
	return rotate(pattern, pe, pattern->bits / 2);
}

/* The PE at the same place of the node that is step[d] further in dimension d. */
static uint32_t shifted(const xt_grid_t *grid, uint32_t pe, const unsigned *step)
{
	uint32_t node = pe / grid->pes_per_node, dest = 0, weight = 1;

	for (unsigned d = 0; d < grid->dimensions; d++) {
		dest += (node % grid->radix[d] + step[d]) % grid->radix[d] * weight;
		node /= grid->radix[d];
		weight *= grid->radix[d];
	}
	return dest * grid->pes_per_node + pe % grid->pes_per_node;
}

static uint32_t tornado(const xt_pattern_t *pattern, uint32_t pe)
{
	unsigned step[XT_MAX_DIMENSIONS];

	for (unsigned d = 0; d < pattern->grid.dimensions; d++) {
		step[d] = (pattern->grid.radix[d] + 1) / 2 - 1;
	}
	return shifted(&pattern->grid, pe, step);
}

static uint32_t neighbor(const xt_pattern_t *pattern, uint32_t pe)
{
	unsigned step[XT_MAX_DIMENSIONS];

	for (unsigned d = 0; d < pattern->grid.dimensions; d++) {
		step[d] = 1;
	}
	return shifted(&pattern->grid, pe, step);
}

/* Directions in which there is another node: two, or the one of a ring of two. */
static unsigned ways(unsigned radix)
{
	return radix > 2 ? 2 : radix - 1;
}

static unsigned all_ways(const xt_grid_t *grid)
{
	unsigned count = 0;

	for (unsigned d = 0; d < grid->dimensions; d++) {
		count += ways(grid->radix[d]);
	}
	return count;
}

static uint32_t adjacent(const xt_grid_t *grid, uint32_t pe, unsigned way)
{
	unsigned step[XT_MAX_DIMENSIONS] = {0}, d = 0;

	while (way >= ways(grid->radix[d])) {
		way -= ways(grid->radix[d++]);
	}
	step[d] = way == 0 ? 1 : grid->radix[d] - 1;
	return shifted(grid, pe, step);
}

static uint32_t draw_nearest(const xt_pattern_t *pattern, xt_random_t *random, uint32_t pe)
{
	return adjacent(&pattern->grid, pe, xt_random_below(random, all_ways(&pattern->grid)));
}

static double nearest_chance(const xt_pattern_t *pattern, uint32_t pe, uint32_t dest)
{
	unsigned count = all_ways(&pattern->grid);

	for (unsigned way = 0; way < count; way++) {
		if (adjacent(&pattern->grid, pe, way) == dest) {
			return 1.0 / count;
		}
	}
	return 0.0;
}

static uint32_t draw_uniform(const xt_pattern_t *pattern, xt_random_t *random, uint32_t pe)
{
	uint32_t other = xt_random_below(random, pattern->pes - 1);

	return other + (other >= pe);
}

static double uniform_chance(const xt_pattern_t *pattern, uint32_t pe, uint32_t dest)
{
	(void)pe, (void)dest;
	return 1.0 / (pattern->pes - 1);
}

/* PEs of the hot region that are not `pe`. */
static uint32_t hot_others(const xt_pattern_t *pattern, uint32_t pe)
{
	return pattern->hot - (pe < pattern->hot);
}

static uint32_t draw_hot(const xt_pattern_t *pattern, xt_random_t *random, uint32_t pe)
{
	int hot = xt_random_unit(random) < hot_share;
	uint32_t other;

	if (!hot || hot_others(pattern, pe) == 0) {
		return draw_uniform(pattern, random, pe);
	}
	other = xt_random_below(random, hot_others(pattern, pe));
	return other + (other >= pe);
}

static double hot_chance(const xt_pattern_t *pattern, uint32_t pe, uint32_t dest)
{
	uint32_t others = hot_others(pattern, pe);

	if (others == 0) {
		return uniform_chance(pattern, pe, dest);
	}
	return (1.0 - hot_share) * uniform_chance(pattern, pe, dest) + (dest < pattern->hot ? hot_share / others : 0.0);
}

static uint32_t draw_rank(const xt_pattern_t *pattern, xt_random_t *random, uint32_t pe)
{
	return xt_zipf_draw(pattern->zipf, random, pe);
}

static double rank_chance(const xt_pattern_t *pattern, uint32_t pe, uint32_t dest)
{
	return xt_zipf_chance(pattern->zipf, pe, dest);
}

static uint32_t draw_pair(const xt_pattern_t *pattern, xt_random_t *random, uint32_t pe)
{
	return xt_matrix_draw(pattern->matrix, random, pe);
}

static const char common_zipf[] = "zipf-common";
static const kind_t kinds[] = {
	{"uniform", "every other PE with the same probability", NEEDS_NOTHING, NULL, draw_uniform, uniform_chance},
	{"zipf", "the PE of rank r with a probability like 1/r^s; the seed gives each PE a ranking of the others",
		NEEDS_NOTHING, NULL, draw_rank, rank_chance},
	{common_zipf, "the same with one ranking for all: the NIC of the first PE is the first to saturate",
		NEEDS_NOTHING, NULL, draw_rank, rank_chance},
	{"hot-region", "25 % to the first eighth of the PEs, the rest uniform; from 8 PEs on", NEEDS_REGION, NULL,
		draw_hot, hot_chance},
	{"bit-complement", "every bit of the PE's number inverted; 2^b PEs", NEEDS_POWER_OF_2, complement, NULL, NULL},
	{"bit-reversal", "the bits of the PE's number reversed; 2^b PEs", NEEDS_POWER_OF_2, reversal, NULL, NULL},
	{"shuffle", "the bits of the PE's number rotated to the left by one; 2^b PEs", NEEDS_POWER_OF_2, shuffle, NULL,
		NULL},
	{"transpose", "the bits of the PE's number rotated by half of them; 4^b PEs", NEEDS_POWER_OF_4, transpose, NULL,
		NULL},
	{"tornado", "ceil(k/2) - 1 nodes further in every dimension of radix k; some radix above 2", NEEDS_GRID,
		tornado, NULL, NULL},
	{"neighbor", "one node further in every dimension", NEEDS_GRID, neighbor, NULL, NULL},
	{"nearest", "one of the nodes that are one step away in one dimension", NEEDS_GRID, NULL, draw_nearest,
		nearest_chance},
	{"matrix", "from a file, pair by pair; who sends most has the load, the others their part of it", NEEDS_MATRIX,
		NULL, draw_pair, NULL},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const kind_t *find(const char *name)
{
	for (unsigned i = 0; i < KINDS; i++) {
		if (strcmp(kinds[i].name, name) == 0) {
			return &kinds[i];
		}
	}
	return NULL;
}

int xt_pattern_known(const char *name)
{
	return find(name) != NULL;
}

int xt_pattern_needs_grid(const char *name)
{
	const kind_t *kind = find(name);

	return kind && kind->need == NEEDS_GRID;
}

void xt_pattern_names(char *text, unsigned size)
{
	unsigned used = 0;

	for (unsigned i = 0; i < KINDS && used < size; i++) {
		used += (unsigned)snprintf(text + used, size - used, "%s%s",
			i == 0           ? ""
			: i + 1 == KINDS ? " or "
					 : ", ",
			kinds[i].name);
	}
}

const char *xt_pattern_list(unsigned index, const char **summary)
{
	if (index >= KINDS) {
		return NULL;
	}
	if (summary) {
		*summary = kinds[index].summary;
	}
	return kinds[index].name;
}

static int fill_targets(xt_pattern_t *pattern)
{
	pattern->target = calloc(pattern->pes, sizeof(*pattern->target));
	if (!pattern->target) {
		return XT_ERR_NOMEM;
	}
	for (uint32_t pe = 0; pe < pattern->pes; pe++) {
		pattern->target[pe] = pattern->kind->target(pattern, pe);
	}
	return XT_OK;
}

static int moves_nobody(const xt_pattern_t *pattern)
{
	for (uint32_t pe = 0; pe < pattern->pes; pe++) {
		if (pattern->target[pe] != pe) {
			return 0;
		}
	}
	return 1;
}

static int check_size(const xt_pattern_t *pattern, const xt_grid_t *grid, xt_diag_t *diag)
{
	const char *name = pattern->kind->name;
	int power = (pattern->pes & (pattern->pes - 1)) == 0;

	switch (pattern->kind->need) {
	case NEEDS_POWER_OF_2:
		return power ? XT_OK
			     : xt_fail(diag, XT_ERR_UNSUPPORTED,
				       "traffic: pattern %s is defined for 2, 4, 8, 16 ... PEs, not for %u", name,
				       pattern->pes);
	case NEEDS_POWER_OF_4:
		return power && pattern->bits % 2 == 0
			       ? XT_OK
			       : xt_fail(diag, XT_ERR_UNSUPPORTED,
					 "traffic: pattern %s is defined for 4, 16, 64, 256 ... PEs, not for %u", name,
					 pattern->pes);
	case NEEDS_REGION:
		return pattern->pes >= HOT_PART
			       ? XT_OK
			       : xt_fail(diag, XT_ERR_UNSUPPORTED,
					 "traffic: pattern %s has no region in %u PEs; it is defined from %d on", name,
					 pattern->pes, HOT_PART);
	case NEEDS_GRID:
		return grid && grid->dimensions
			       ? XT_OK
			       : xt_fail(diag, XT_ERR_UNSUPPORTED,
					 "traffic: pattern %s needs nodes with coordinates, which this network has not",
					 name);
	case NEEDS_MATRIX:
		return pattern->matrix
			       ? XT_OK
			       : xt_fail(diag, XT_ERR_INVALID, "traffic: pattern %s needs a file src,dst,weight", name);
	default:
		return XT_OK;
	}
}

static int make_ready(xt_pattern_t *pattern, const xt_traffic_t *traffic, xt_diag_t *diag)
{
	int status = XT_OK;

	if (pattern->kind->draw == draw_rank) {
		pattern->zipf = xt_zipf_create(
			pattern->pes, traffic->zipf_exponent, traffic->seed, pattern->kind->name != common_zipf);
		status = pattern->zipf ? XT_OK : XT_ERR_NOMEM;
	} else if (pattern->kind->target) {
		status = fill_targets(pattern);
	}
	if (status != XT_OK) {
		return xt_fail(diag, status, "traffic: out of memory for %u PEs", pattern->pes);
	}
	if ((pattern->target && moves_nobody(pattern)) ||
		(pattern->kind->draw == draw_nearest && all_ways(&pattern->grid) == 0)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"traffic: by pattern %s every PE of this network would send to itself; take another pattern",
			pattern->kind->name);
	}
	return XT_OK;
}

int xt_pattern_create(const xt_traffic_t *traffic, const char *name, unsigned pes, const xt_grid_t *grid,
	xt_pattern_t **out, xt_diag_t *diag)
{
	const kind_t *kind = find(name);
	char names[256];
	xt_pattern_t *pattern;
	int status;

	*out = NULL;
	if (!kind) {
		xt_pattern_names(names, sizeof(names));
		return xt_fail(diag, XT_ERR_RANGE, "traffic: pattern \"%.40s\" is not known; use %s", name, names);
	}
	if (!(pattern = calloc(1, sizeof(*pattern)))) {
		return xt_fail(diag, XT_ERR_NOMEM, "traffic: out of memory");
	}
	pattern->kind = kind;
	pattern->pes = pes;
	pattern->matrix = traffic->matrix;
	pattern->hot = pes / HOT_PART;
	while (pes >> (pattern->bits + 1)) {
		pattern->bits++;
	}
	if (grid) {
		pattern->grid = *grid;
	}
	if ((status = check_size(pattern, grid, diag)) != XT_OK ||
		(status = make_ready(pattern, traffic, diag)) != XT_OK) {
		xt_pattern_free(pattern);
		return status;
	}
	*out = pattern;
	return XT_OK;
}

void xt_pattern_free(xt_pattern_t *pattern)
{
	if (pattern) {
		free(pattern->target);
		xt_zipf_free(pattern->zipf);
		free(pattern);
	}
}

double xt_pattern_share(const xt_pattern_t *pattern, uint32_t pe)
{
	if (pattern->kind->need == NEEDS_MATRIX) {
		return xt_matrix_share(pattern->matrix, pe);
	}
	return !pattern->target || pattern->target[pe] != pe;
}

uint32_t xt_pattern_target(const xt_pattern_t *pattern, uint32_t pe)
{
	return pattern->target ? pattern->target[pe] : XT_NO_PE;
}

uint32_t xt_pattern_draw(const xt_pattern_t *pattern, xt_random_t *random, uint32_t pe)
{
	return pattern->target ? pattern->target[pe] : pattern->kind->draw(pattern, random, pe);
}

void xt_pattern_row(const xt_pattern_t *pattern, uint32_t pe, double *row)
{
	if (pattern->kind->need == NEEDS_MATRIX) {
		xt_matrix_row(pattern->matrix, pe, row);
		return;
	}
	for (uint32_t dest = 0; dest < pattern->pes; dest++) {
		if (dest == pe) {
			row[dest] = 0.0;
		} else if (pattern->target) {
			row[dest] = pattern->target[pe] == dest ? pattern->pes - 1.0 : 0.0;
		} else {
			row[dest] = (pattern->pes - 1.0) * pattern->kind->chance(pattern, pe, dest);
		}
	}
}
