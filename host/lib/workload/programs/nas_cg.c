/* SPDX-License-Identifier: Apache-2.0
 *
 * NAS CG (NPB 3.4, CG/cg.f). Sums of scalars and of vectors go along a row of the grid of ranks by recursive doubling,
 * in messages of the program's own. The vector is then exchanged with the rank at the transposed place. */
#include "generator_parts.h"

enum { STEPS = 25 }; /* of the conjugate gradient in an iteration */

static const struct {
	uint64_t order; /* of the matrix */
	uint32_t rounds;
} classes[] = {{1400, 15}, {7000, 15}, {14000, 15}, {75000, 75}, {150000, 75}, {1500000, 100}, {9000000, 100},
	{54000000, 100}};

typedef struct {
	xt_generator_t *g;
	uint64_t order;
	uint32_t rows, columns; /* of the grid; as many columns as rows, or twice as many */
} cg_t;

/* Rows of the matrix that the rank has, rather more on the first rows of the grid. */
static uint64_t matrix_rows(const cg_t *c, uint32_t rank)
{
	uint32_t row = rank / c->columns;

	return c->order / c->rows + (row < c->order % c->rows);
}

/* Elements of the vector that the rank sends to the transposed place: all of its row's, or one of two halves. */
static uint64_t piece(const cg_t *c, uint32_t rank)
{
	uint64_t all = matrix_rows(c, rank);

	return c->columns == c->rows ? all : (all + (rank % 2 == 0)) / 2;
}

static uint32_t transposed(const cg_t *c, uint32_t rank)
{
	uint32_t half = c->columns / c->rows;

	return half * (rank / half % c->rows * c->rows + rank / half / c->rows) + rank % half;
}

/* The partner in step `step` of a sum, from the far one to the neighbour. */
static uint32_t partner(const cg_t *c, uint32_t rank, uint32_t step)
{
	return rank ^ (c->columns >> (step + 1));
}

static void sum_scalars(const cg_t *c, uint64_t bytes)
{
	for (uint32_t r = 0; r < c->g->ranks; r++) {
		for (uint32_t step = 0; c->columns >> (step + 1); step++) {
			uint32_t other = partner(c, r, step);

			xt_generator_swap(c->g, r, other, bytes, other, bytes);
		}
	}
}

/* Bytes of a rank in step `step` of the sum of vectors. Of a grid that is not square the first step sends the half that
 * the partner keeps. */
static uint64_t vector_bytes(const cg_t *c, uint32_t rank, uint32_t step, uint32_t last)
{
	uint64_t own = piece(c, rank);

	return 8 * (c->columns != c->rows && step == last ? matrix_rows(c, rank) - own : own);
}

static void sum_vectors(const cg_t *c)
{
	uint32_t last = 0;

	while (c->columns >> (last + 2)) {
		last++;
	}
	for (uint32_t r = 0; r < c->g->ranks && c->columns > 1; r++) {
		uint32_t to = transposed(c, r);

		for (uint32_t step = last + 1; step-- > 0;) {
			uint32_t other = partner(c, r, step);

			xt_generator_swap(c->g, r, other, vector_bytes(c, r, step, last), other,
				vector_bytes(c, other, step, last));
		}
		xt_generator_swap(c->g, r, to, 8 * piece(c, r), to, 8 * piece(c, to));
	}
}

static void solve(const cg_t *c)
{
	sum_scalars(c, 8);
	for (unsigned i = 0; i < STEPS; i++) {
		xt_generator_compute_all(c->g, STEPS + 1);
		sum_vectors(c);
		sum_scalars(c, 8);
		sum_scalars(c, 8);
	}
	xt_generator_compute_all(c->g, STEPS + 1);
	sum_vectors(c);
	sum_scalars(c, 8);
}

int xt_generate_cg(xt_generator_t *g)
{
	cg_t c = {.g = g, .rows = 1};
	unsigned index;
	int status = xt_generator_nas_class(g, &index);

	if (status != XT_OK) {
		return status;
	}
	while (4 * c.rows * c.rows <= g->ranks) {
		c.rows *= 2;
	}
	c.columns = g->ranks / c.rows;
	c.order = classes[index].order;
	for (uint32_t i = 0; i < xt_generator_rounds(g, classes[index].rounds) && g->w->status == XT_OK; i++) {
		solve(&c);
		sum_scalars(&c, 16);
	}
	return XT_OK;
}
