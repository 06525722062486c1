/* SPDX-License-Identifier: Apache-2.0
 *
 * A way of folding gives every card a digit for each ring of the folding. A floor is an order of these digits, some
 * in the columns and the others in the rows, the first the innermost. The place of a card is the mixed radix number
 * of its digits. The length of a wire depends only on the differences of the digits at its ends. Few different
 * differences exist, so all orders can be tried. */
#include "extorus/floor_plan.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = XT_MAX_DIMENSIONS + 1 };

typedef struct {
	unsigned count;
	unsigned radix[MAX_DIGITS];
	unsigned value[MAX_DIGITS];
} digits_t;

typedef enum {
	PLAIN,
	FOLDED,
	TRELLIS,
	WOUND,
	METHODS,
} method_t;

static const char *const method_names[METHODS] = {
	[PLAIN] = "plain",
	[FOLDED] = "folded",
	[TRELLIS] = "trellis-folded",
	[WOUND] = "folded, dimension 0 wound twice",
};

/* Which digits are in the columns, which in the rows, the innermost first. */
typedef struct {
	unsigned order[MAX_DIGITS], in_columns;
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
	} else if (method == WOUND) {
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
	case WOUND:
		return kind == XT_TOPOLOGY_RTT || kind == XT_TOPOLOGY_PTT || kind == XT_TOPOLOGY_PDTT;
	default:
		return true;
	}
}

/* Column and row of digits, or of differences of digits. */
static void place(const arrangement_t *a, const digits_t *digits, const int *value, int64_t *column, int64_t *row)
{
	int64_t stride = 1;

	*column = *row = 0;
	for (unsigned i = 0; i < digits->count; i++) {
		stride = i == a->in_columns ? 1 : stride;
		*(i < a->in_columns ? column : row) += stride * value[a->order[i]];
		stride *= digits->radix[a->order[i]];
	}
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
	const xt_floor_t *f = s->floor;
	int64_t column, row, columns = 1, rows = 1;
	score_t score = {0};

	for (size_t i = 0; i < s->kinds; i++) {
		uint64_t mm;

		place(a, digits, s->kind[i].difference, &column, &row);
		mm = (uint64_t)llabs(column) * f->column_mm + (uint64_t)llabs(row) * f->row_mm;
		score.longest_mm = mm > score.longest_mm ? mm : score.longest_mm;
		score.total_mm += mm * s->kind[i].wires;
	}
	for (unsigned i = 0; i < digits->count; i++) {
		*(i < a->in_columns ? &columns : &rows) *= digits->radix[a->order[i]];
	}
	columns *= f->column_mm;
	rows *= f->row_mm;
	score.side_mm = (uint64_t)(columns > rows ? columns : rows);
	return score;
}

static bool is_better(const score_t *a, const score_t *b)
{
	if (a->longest_mm != b->longest_mm) {
		return a->longest_mm < b->longest_mm;
	}
	return a->total_mm != b->total_mm ? a->total_mm < b->total_mm : a->side_mm < b->side_mm;
}

/* All orders of the digits that are not in a->order[0 .. depth-1], and all divisions into columns and rows. */
static void try_orders(search_t *s, const digits_t *digits, arrangement_t *a, unsigned depth, unsigned taken)
{
	for (unsigned i = 0; i < digits->count && depth < digits->count; i++) {
		if (!(taken >> i & 1)) {
			a->order[depth] = i;
			try_orders(s, digits, a, depth + 1, taken | 1u << i);
		}
		if (depth < s->fixed) {
			break;
		}
	}
	if (depth < digits->count) {
		return;
	}
	for (unsigned rows = 0; rows <= digits->count - s->fixed; rows++) {
		score_t score;

		a->in_columns = digits->count - rows;
		score = score_of(s, a, digits);
		if (is_better(&score, &s->score)) {
			s->score = score;
			s->best = *a;
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

static int list_wires(const xt_topology_t *t, xt_floor_plan_t *layout)
{
	unsigned ports = xt_topology_profile(t)->link_ports;

	for (unsigned pass = 0; pass < 2; pass++) {
		layout->wires = 0;
		for (unsigned card = 0; card < layout->cards; card++) {
			for (unsigned port = 0; port < ports; port++) {
				if (xt_topology_lists_link(t, card, port)) {
					xt_peer_t peer = xt_topology_peer(t, card, port);
					xt_wire_t wire = {card, peer.card, (uint8_t)port, (uint8_t)peer.port, 0, 0};

					if (pass) {
						layout->wire[layout->wires] = wire;
					}
					layout->wires++;
				}
			}
		}
		if (!pass && !(layout->wire = calloc(layout->wires + 1, sizeof(*layout->wire)))) {
			return XT_ERR_NOMEM;
		}
	}
	return XT_OK;
}

static void place_cards(const search_t *s, xt_floor_plan_t *layout)
{
	for (unsigned card = 0; card < layout->cards; card++) {
		digits_t digits = digits_of(s->topology, s->method, card);
		int value[MAX_DIGITS];
		int64_t column, row;

		for (unsigned i = 0; i < digits.count; i++) {
			value[i] = (int)digits.value[i];
		}
		place(&s->best, &digits, value, &column, &row);
		layout->slot[card] = (xt_slot_t){(uint32_t)column, (uint32_t)row};
		layout->columns = column >= layout->columns ? (unsigned)column + 1 : layout->columns;
		layout->rows = row >= layout->rows ? (unsigned)row + 1 : layout->rows;
	}
	layout->method = method_names[s->method];
	layout->cabinets_across = (layout->columns - 1) / s->floor->cabinet_columns + 1;
	layout->cabinets_down = (layout->rows - 1) / s->floor->cabinet_rows + 1;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

static int measure_wires(xt_floor_plan_t *layout)
{
	for (size_t w = 0; w < layout->wires; w++) {
		xt_wire_t *wire = &layout->wire[w];
		xt_slot_t a = layout->slot[wire->card], b = layout->slot[wire->peer];
		uint32_t across = distance(a.column, b.column), down = distance(a.row, b.row);

		wire->slots = across + down;
		wire->mm = across * layout->floor.column_mm + down * layout->floor.row_mm;
		layout->longest = wire->slots > layout->longest ? wire->slots : layout->longest;
		layout->longest_mm = wire->mm > layout->longest_mm ? wire->mm : layout->longest_mm;
		layout->total += wire->slots;
		layout->total_mm += wire->mm;
		layout->between_cabinets +=
			xt_floor_plan_cabinet(layout, wire->card) != xt_floor_plan_cabinet(layout, wire->peer);
	}
	layout->histogram = calloc((size_t)layout->longest + 1, sizeof(*layout->histogram));
	if (!layout->histogram) {
		return XT_ERR_NOMEM;
	}
	for (size_t w = 0; w < layout->wires; w++) {
		layout->histogram[layout->wire[w].slots]++;
	}
	return XT_OK;
}

/* The best way of folding and arrangement, or the best arrangement of the plain layout. */
static int search(const xt_topology_t *t, bool plain, xt_floor_plan_t *layout)
{
	search_t best = {.topology = NULL};

	/* The rows of a mesh are not rings. */
	plain = plain || xt_topology_kind(t) == XT_TOPOLOGY_MESH;
	for (method_t method = plain ? PLAIN : FOLDED; method < (plain ? FOLDED : METHODS); method++) {
		search_t s = {.topology = t, .floor = &layout->floor, .method = method};

		if (!applies(t, method)) {
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
	return measure_wires(layout);
}

static int check_floor(const xt_floor_t *f, xt_diag_t *diag)
{
	if (f->column_mm < 1 || f->row_mm < 1 || f->column_mm > XT_MAX_PITCH_MM || f->row_mm > XT_MAX_PITCH_MM) {
		return xt_fail(diag, XT_ERR_RANGE, "the pitch of slots is %u x %u mm; it can be from 1 to %u mm",
			f->column_mm, f->row_mm, XT_MAX_PITCH_MM);
	}
	if (f->cabinet_columns < 1 || f->cabinet_rows < 1) {
		return xt_fail(diag, XT_ERR_RANGE, "a cabinet of %u x %u slots; it has one slot or more",
			f->cabinet_columns, f->cabinet_rows);
	}
	return XT_OK;
}

int xt_floor_plan_create(
	const xt_topology_t *topology, const xt_floor_t *floor, bool plain, xt_floor_plan_t **out, xt_diag_t *diag)
{
	int status = check_floor(floor, diag);
	xt_floor_plan_t *layout;

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	if (xt_topology_dimensions(topology) == 0) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"%s: cards are placed by their coordinates, and those of a network from a file have none; "
			"name a torus or a mesh",
			xt_topology_spec(topology));
	}
	layout = calloc(1, sizeof(*layout));
	if (layout) {
		layout->floor = *floor;
		layout->cards = xt_topology_cards(topology);
		layout->slot = calloc(layout->cards, sizeof(*layout->slot));
	}
	if (!layout || !layout->slot || list_wires(topology, layout) != XT_OK ||
		search(topology, plain, layout) != XT_OK) {
		xt_floor_plan_free(layout);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for the layout");
	}
	*out = layout;
	return XT_OK;
}

void xt_floor_plan_free(xt_floor_plan_t *layout)
{
	if (layout) {
		free(layout->slot);
		free(layout->wire);
		free(layout->histogram);
		free(layout);
	}
}

unsigned xt_floor_plan_cabinet(const xt_floor_plan_t *l, unsigned card)
{
	return l->slot[card].row / l->floor.cabinet_rows * l->cabinets_across +
	       l->slot[card].column / l->floor.cabinet_columns;
}

unsigned xt_floor_plan_cabinet_slot(const xt_floor_plan_t *l, unsigned card)
{
	return l->slot[card].row % l->floor.cabinet_rows * l->floor.cabinet_columns +
	       l->slot[card].column % l->floor.cabinet_columns;
}

static void write_end(const xt_topology_t *t, const xt_floor_plan_t *l, unsigned card, unsigned port, FILE *out)
{
	fprintf(out, "%u,%s,%u,%u,%u,%u,", card, xt_topology_port_name(t, card, port), xt_floor_plan_cabinet(l, card),
		xt_floor_plan_cabinet_slot(l, card), l->slot[card].column, l->slot[card].row);
}

void xt_floor_plan_write_csv(const xt_topology_t *t, const xt_floor_plan_t *l, FILE *out)
{
	XT_POINT_IN_FRACTIONS;
	fprintf(out, "card,port,cabinet,slot,column,row,"
		     "peer_card,peer_port,peer_cabinet,peer_slot,peer_column,peer_row,slots,metres\n");
	for (size_t w = 0; w < l->wires; w++) {
		const xt_wire_t *wire = &l->wire[w];

		write_end(t, l, wire->card, wire->port, out);
		write_end(t, l, wire->peer, wire->peer_port, out);
		fprintf(out, "%u,%.3f\n", wire->slots, wire->mm / 1000.0);
	}
}
