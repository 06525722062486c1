/* SPDX-License-Identifier: Apache-2.0
 *
 * A way of folding gives every card a digit for each ring of the folding. A floor is an order of these digits, some
 * in the columns, others in the rows and the rest in the levels, the first the innermost. The place of a card is the
 * mixed radix number of its digits. The length of a wire depends only on the differences of the digits at its ends. Few
 * different differences exist, so all orders can be tried. */
#include "floor_arrangement.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = XT_MAX_DIMENSIONS + 1 };

typedef enum {
	COLUMN,
	ROW,
	LEVEL,
	AXES,
} axis_t;

typedef struct {
	unsigned count;
	unsigned radix[MAX_DIGITS];
	unsigned value[MAX_DIGITS];
} digits_t;

typedef enum {
	PLAIN,
	FOLDED = XT_FOLD_RINGS,
	TRELLIS = XT_FOLD_TRELLIS,
	BLOCKS = XT_FOLD_BLOCKS,
	METHODS = XT_FOLDS,
} method_t;

static const char *const method_names[METHODS] = {
	[PLAIN] = "plain",
	[FOLDED] = "folded",
	[TRELLIS] = "trellis-folded",
	[BLOCKS] = "block-folded",
};

/* Which digits are in which axis, the innermost first; end[axis]: where in the order those of the axis end. */
typedef struct {
	unsigned order[MAX_DIGITS], end[AXES];
} arrangement_t;

/* Differences of the digits at both ends of `wires` wires. */
typedef struct {
	int difference[MAX_DIGITS];
	uint64_t wires;
} kind_t;

typedef struct {
	uint64_t longest_mm, total_mm, side_mm;
} score_t;

typedef struct {
	const xt_topology_t *topology;
	const xt_floor_t *floor;
	method_t method;
	kind_t *kind; /* of wires */
	size_t kinds;
	unsigned fixed; /* the first digits, which stay innermost in the columns */
	arrangement_t best;
	score_t score; /* of the best */
} search_t;

static void add_digit(digits_t *d, unsigned radix, unsigned value)
{
	d->radix[d->count] = radix;
	d->value[d->count++] = value;
}

/* The place of i in a ring that is laid out there and back. */
static unsigned folded(unsigned i, unsigned k)
{
	return 2 * i < k ? 2 * i : 2 * (k - i) - 1;
}

/* A ring of 2a as two rows of a, one above the other and joined at both ends. */
static unsigned doubled(unsigned i, unsigned a, unsigned *back)
{
	*back = i >= a;
	return *back ? 2 * a - 1 - i : i;
}

static digits_t digits_of(const xt_topology_t *t, method_t method, unsigned card)
{
	unsigned dimensions = xt_topology_dimensions(t), first = 0;
	digits_t digits = {0};

	if (xt_topology_cards_per_node(t) == 2) {
		add_digit(&digits, 2, card % 2);
	}
	if (method == TRELLIS) {
		unsigned x = xt_topology_coordinate(t, card, 0), y = xt_topology_coordinate(t, card, 1);
		unsigned k = xt_topology_radix(t, 0), a = k / 2, u_back, v_back;
		unsigned u = doubled((x + y) % k, a, &u_back), v = doubled((x + k - y) % k, a, &v_back);

		/* u + v is even, and so v_back follows from the others. */
		add_digit(&digits, 2, u_back);
		add_digit(&digits, a, u);
		add_digit(&digits, a, v);
		first = 2;
	} else if (method == BLOCKS) {
		unsigned x = xt_topology_coordinate(t, card, 0), a = xt_topology_radix(t, 0) / 2;

		add_digit(&digits, 2, x / a);
		add_digit(&digits, a, folded(x % a, a));
		first = 1;
	}
	for (unsigned d = first; d < dimensions; d++) {
		unsigned k = xt_topology_radix(t, d), i = xt_topology_coordinate(t, card, d);

		add_digit(&digits, k, method == PLAIN ? i : folded(i, k));
	}
	return digits;
}

static bool applies(const xt_topology_t *t, method_t method)
{
	xt_topology_kind_t kind = xt_topology_kind(t);

	switch (method) {
	case TRELLIS:
		return kind == XT_TOPOLOGY_RTT || kind == XT_TOPOLOGY_PTT;
	case BLOCKS:
		return kind == XT_TOPOLOGY_RTT || kind == XT_TOPOLOGY_PTT || kind == XT_TOPOLOGY_PDTT;
	default:
		return true;
	}
}

bool xt_floor_folds(const xt_topology_t *t, xt_fold_t fold)
{
	return fold == XT_FOLD_BEST || (xt_topology_kind(t) != XT_TOPOLOGY_MESH && applies(t, (method_t)fold));
}

/* Column, row and level of digits, or of differences of digits. */
static void place(const arrangement_t *a, const digits_t *digits, const int *value, int64_t at[AXES])
{
	unsigned i = 0;

	for (axis_t axis = COLUMN; axis < AXES; axis++) {
		int64_t stride = 1;

		at[axis] = 0;
		for (; i < a->end[axis]; i++) {
			at[axis] += stride * value[a->order[i]];
			stride *= digits->radix[a->order[i]];
		}
	}
}

/* Slots of an axis. */
static uint64_t extent(const arrangement_t *a, const digits_t *digits, axis_t axis)
{
	uint64_t slots = 1;

	for (unsigned i = axis ? a->end[axis - 1] : 0; i < a->end[axis]; i++) {
		slots *= digits->radix[a->order[i]];
	}
	return slots;
}

static unsigned pitch(const xt_floor_t *f, axis_t axis)
{
	return axis == COLUMN ? f->column_mm : axis == ROW ? f->row_mm : f->level_mm;
}

static int compare_kinds(const void *a, const void *b)
{
	return memcmp(
		((const kind_t *)a)->difference, ((const kind_t *)b)->difference, sizeof(((kind_t *)0)->difference));
}

/* All wires by the differences of their digits; the sign of the whole does not matter. */
static int count_kinds(search_t *s, const xt_wire_t *wire, size_t wires)
{
	size_t kept = 0;

	s->kind = calloc(wires + 1, sizeof(*s->kind));
	if (!s->kind) {
		return XT_ERR_NOMEM;
	}
	for (size_t w = 0; w < wires; w++) {
		digits_t a = digits_of(s->topology, s->method, wire[w].card);
		digits_t b = digits_of(s->topology, s->method, wire[w].peer);
		int sign = 0;

		for (unsigned i = 0; i < a.count; i++) {
			int difference = (int)b.value[i] - (int)a.value[i];

			sign = sign ? sign : (difference > 0) - (difference < 0);
			s->kind[w].difference[i] = sign * difference;
		}
		s->kind[w].wires = 1;
	}
	qsort(s->kind, wires, sizeof(*s->kind), compare_kinds);
	for (size_t w = 0; w < wires; w++) {
		if (kept > 0 && compare_kinds(&s->kind[kept - 1], &s->kind[w]) == 0) {
			s->kind[kept - 1].wires++;
		} else {
			s->kind[kept++] = s->kind[w];
		}
	}
	s->kinds = kept;
	return XT_OK;
}

static score_t score_of(const search_t *s, const arrangement_t *a, const digits_t *digits)
{
	score_t score = {0};

	for (size_t i = 0; i < s->kinds; i++) {
		int64_t at[AXES];
		uint64_t mm = 0;

		place(a, digits, s->kind[i].difference, at);
		for (axis_t axis = COLUMN; axis < AXES; axis++) {
			mm += (uint64_t)llabs(at[axis]) * pitch(s->floor, axis);
		}
		score.longest_mm = mm > score.longest_mm ? mm : score.longest_mm;
		score.total_mm += mm * s->kind[i].wires;
	}
	for (axis_t axis = COLUMN; axis < AXES; axis++) {
		uint64_t mm = extent(a, digits, axis) * pitch(s->floor, axis);

		score.side_mm = mm > score.side_mm ? mm : score.side_mm;
	}
	return score;
}

static bool is_better(const score_t *a, const score_t *b)
{
	if (a->longest_mm != b->longest_mm) {
		return a->longest_mm < b->longest_mm;
	}
	return a->total_mm != b->total_mm ? a->total_mm < b->total_mm : a->side_mm < b->side_mm;
}

/* The order in a->order with all divisions into columns, rows and as many levels as there are. */
static void try_divisions(search_t *s, const digits_t *digits, arrangement_t *a)
{
	unsigned most = digits->count - s->fixed, levels_at_most = s->floor->levels ? s->floor->levels : 1;

	a->end[LEVEL] = digits->count;
	for (unsigned levels = 0; levels <= most; levels++) {
		a->end[ROW] = digits->count - levels;
		if (extent(a, digits, LEVEL) > levels_at_most) {
			return;
		}
		for (unsigned rows = 0; rows <= most - levels; rows++) {
			score_t score;

			a->end[COLUMN] = a->end[ROW] - rows;
			score = score_of(s, a, digits);
			if (is_better(&score, &s->score)) {
				s->score = score;
				s->best = *a;
			}
		}
	}
}

/* All orders of the digits that are not in a->order[0 .. depth-1]. */
static void try_orders(search_t *s, const digits_t *digits, arrangement_t *a, unsigned depth, unsigned taken)
{
	if (depth == digits->count) {
		try_divisions(s, digits, a);
		return;
	}
	for (unsigned i = 0; i < digits->count; i++) {
		if (!(taken >> i & 1)) {
			a->order[depth] = i;
			try_orders(s, digits, a, depth + 1, taken | 1u << i);
		}
		if (depth < s->fixed) {
			break;
		}
	}
}

static int find_arrangement(search_t *s, const xt_floor_plan_t *layout)
{
	digits_t digits = digits_of(s->topology, s->method, 0);
	arrangement_t a;
	int status = count_kinds(s, layout->wire, layout->wires);

	if (status == XT_OK) {
		s->fixed = xt_topology_cards_per_node(s->topology) == 2;
		s->score = (score_t){UINT64_MAX, UINT64_MAX, UINT64_MAX};
		try_orders(s, &digits, &a, 0, 0);
	}
	free(s->kind);
	s->kind = NULL;
	return status;
}

/* Boxes of `size` slots, or one of all, that `slots` slots fill. */
static unsigned boxes(unsigned slots, unsigned size)
{
	return size ? (slots - 1) / size + 1 : 1;
}

static void place_cards(const search_t *s, xt_floor_plan_t *layout)
{
	for (unsigned card = 0; card < layout->cards; card++) {
		digits_t digits = digits_of(s->topology, s->method, card);
		int value[MAX_DIGITS];
		int64_t at[AXES];

		for (unsigned i = 0; i < digits.count; i++) {
			value[i] = (int)digits.value[i];
		}
		place(&s->best, &digits, value, at);
		layout->slot[card] = (xt_slot_t){(uint32_t)at[COLUMN], (uint32_t)at[ROW], (uint32_t)at[LEVEL]};
		layout->columns = at[COLUMN] >= layout->columns ? (unsigned)at[COLUMN] + 1 : layout->columns;
		layout->rows = at[ROW] >= layout->rows ? (unsigned)at[ROW] + 1 : layout->rows;
		layout->levels = at[LEVEL] >= layout->levels ? (unsigned)at[LEVEL] + 1 : layout->levels;
	}
	layout->method = method_names[s->method];
	layout->cabinets_across = boxes(layout->columns, s->floor->cabinet_columns);
	layout->cabinets_down = boxes(layout->rows, s->floor->cabinet_rows);
	layout->cabinets_up = boxes(layout->levels, s->floor->cabinet_levels);
}

int xt_floor_arrange(const xt_topology_t *t, bool plain, xt_floor_plan_t *layout)
{
	search_t best = {.topology = NULL};
	xt_fold_t fold = layout->floor.fold;

	/* The rows of a mesh are not rings. */
	plain = plain || xt_topology_kind(t) == XT_TOPOLOGY_MESH;
	for (method_t method = plain ? PLAIN : FOLDED; method < (plain ? FOLDED : METHODS); method++) {
		search_t s = {.topology = t, .floor = &layout->floor, .method = method};

		if (!applies(t, method) || (!plain && fold != XT_FOLD_BEST && (xt_fold_t)method != fold)) {
			continue;
		}
		if (find_arrangement(&s, layout) != XT_OK) {
			return XT_ERR_NOMEM;
		}
		if (!best.topology || is_better(&s.score, &best.score)) {
			best = s;
		}
	}
	place_cards(&best, layout);
	return XT_OK;
}
