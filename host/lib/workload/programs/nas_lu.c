/* SPDX-License-Identifier: Apache-2.0
 *
 * NAS LU (NPB 3.4, LU/ssor.f, exchange_1.f, exchange_3.f, rhs.f, l2norm.f). The ranks are a grid in 2D, each with a
 * column of the cube. A sweep passes every plane from corner to corner, lower triangles first, then upper ones. */
#include <inttypes.h>

#include "generator_parts.h"

enum { EQUATIONS = 5, WORD = 8 };

static const struct {
	uint32_t size, rounds;
} classes[] = {{12, 50}, {33, 300}, {64, 250}, {102, 250}, {162, 250}, {408, 300}, {1020, 300}, {2560, 300}};

typedef struct {
	xt_generator_t *g;
	uint32_t size, rows, columns; /* rank = column * rows + row */
} lu_t;

static uint32_t share(uint32_t all, uint32_t parts, uint32_t part)
{
	return all / parts + (part < all % parts);
}

/* Points of a rank along a side, less those on the border of the cube. */
static uint32_t inner(uint32_t all, uint32_t parts, uint32_t part)
{
	return share(all, parts, part) - (part == 0) - (part + 1 == parts);
}

/* Neighbours of a rank, XT_NO_EVENT where there is none, and the bytes of a plane's edge towards them. */
typedef struct {
	uint32_t north, south, west, east;
	uint64_t edge_ns, edge_we; /* of one plane in a sweep */
	uint64_t face_ns, face_we; /* two layers of all planes */
} around_t;

static around_t around(const lu_t *l, uint32_t rank)
{
	uint32_t row = rank % l->rows, column = rank / l->rows;

	return (around_t){.north = row > 0 ? rank - 1 : XT_NO_EVENT,
		.south = row + 1 < l->rows ? rank + 1 : XT_NO_EVENT,
		.west = column > 0 ? rank - l->rows : XT_NO_EVENT,
		.east = column + 1 < l->columns ? rank + l->rows : XT_NO_EVENT,
		.edge_ns = UINT64_C(1) * WORD * EQUATIONS * inner(l->size, l->columns, column),
		.edge_we = UINT64_C(1) * WORD * EQUATIONS * inner(l->size, l->rows, row),
		.face_ns = UINT64_C(2) * WORD * EQUATIONS * l->size * share(l->size, l->columns, column),
		.face_we = UINT64_C(2) * WORD * EQUATIONS * l->size * share(l->size, l->rows, row)};
}

static void receive(xt_program_t *p, uint32_t from, uint64_t bytes)
{
	if (from != XT_NO_EVENT) {
		xt_program_wait_one(p, xt_program_recv(p, from, bytes));
	}
}

static void send(xt_program_t *p, uint32_t to, uint64_t bytes)
{
	if (to != XT_NO_EVENT) {
		xt_program_wait_one(p, xt_program_send(p, to, bytes));
	}
}

/* All planes but the outer two, each after it is there from one corner's side, then passed on. */
static void sweep(const lu_t *l, uint32_t rank, const around_t *a, int upper)
{
	xt_program_t *p = &l->g->programs[rank];

	for (uint32_t plane = 2; plane < l->size; plane++) {
		receive(p, upper ? a->south : a->north, a->edge_ns);
		receive(p, upper ? a->east : a->west, a->edge_we);
		xt_generator_compute(l->g, rank, 2 * (l->size - UINT64_C(2)));
		send(p, upper ? a->north : a->south, a->edge_ns);
		send(p, upper ? a->west : a->east, a->edge_we);
	}
}

/* Sends to one side, with a receive from the other posted before. */
static void shift(xt_program_t *p, uint32_t to, uint32_t from, uint64_t bytes)
{
	uint32_t posted = from != XT_NO_EVENT ? xt_program_recv(p, from, bytes) : XT_NO_EVENT;

	send(p, to, bytes);
	if (posted != XT_NO_EVENT) {
		xt_program_wait_one(p, posted);
	}
}

static void exchange_faces(const lu_t *l, uint32_t rank, const around_t *a)
{
	xt_program_t *p = &l->g->programs[rank];

	shift(p, a->south, a->north, a->face_ns);
	shift(p, a->north, a->south, a->face_ns);
	shift(p, a->east, a->west, a->face_we);
	shift(p, a->west, a->east, a->face_we);
}

static int norm(const lu_t *l)
{
	return xt_generator_all(l->g, XT_COLLECTIVE_ALLREDUCE, WORD * EQUATIONS, WORD);
}

int xt_generate_lu(xt_generator_t *g)
{
	lu_t l = {.g = g, .columns = 1};
	unsigned index;
	int status = xt_generator_nas_class(g, &index);

	if (status != XT_OK) {
		return status;
	}
	for (uint32_t i = 1; i * i <= g->ranks; i++) {
		l.columns = g->ranks % i == 0 ? i : l.columns;
	}
	l.rows = g->ranks / l.columns;
	l.size = classes[index].size;
	if (l.rows > 2 * l.columns) {
		return xt_fail(g->diag, XT_ERR_INVALID,
			"%s: %" PRIu32 " ranks are no grid of at most two to one; choose for example a power of two",
			g->name, g->ranks);
	}
	if (l.size / l.rows < 3) {
		return xt_fail(g->diag, XT_ERR_RANGE,
			"%s: %" PRIu32 "x%" PRIu32 " ranks have less than 3 points each of %" PRIu32
			"; choose a larger class",
			g->name, l.rows, l.columns, l.size);
	}
	for (uint32_t i = 0; i < xt_generator_rounds(g, classes[index].rounds) && g->w->status == XT_OK; i++) {
		int last = i + 1 == xt_generator_rounds(g, classes[index].rounds);

		for (uint32_t r = 0; r < g->ranks; r++) {
			around_t a = around(&l, r);

			sweep(&l, r, &a, 0);
			sweep(&l, r, &a, 1);
		}
		status = last ? norm(&l) : XT_OK;
		for (uint32_t r = 0; r < g->ranks; r++) {
			around_t a = around(&l, r);

			exchange_faces(&l, r, &a);
		}
		status = last && status == XT_OK ? norm(&l) : status;
	}
	return status;
}
