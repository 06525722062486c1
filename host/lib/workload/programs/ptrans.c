/* SPDX-License-Identifier: Apache-2.0
 *
 * PTRANS (HPC Challenge 1.5, PTRANS/pdtrans.c, after PUMMA): C = A' + C of a matrix in blocks, dealt out cyclically to
 * a grid of ranks. The grid is the most square one that the number of ranks allows, with rank = row * columns + column.
 */
#include <inttypes.h>

#include "generator_parts.h"

enum { WORD = 8, BLOCK = 80 };

static uint32_t divisor(uint32_t a, uint32_t b)
{
	return b ? divisor(b, a % b) : a;
}

/* The pattern repeats with the least common multiple of rows and columns: so many times in each of them. Every step is
 * a swap of all blocks of one kind, in a buffer that has room for the largest share. */
int xt_generate_ptrans(xt_generator_t *g)
{
	static const char *const names[] = {"1000", "2000", "4000", "8000", "16000", "32000", "64000", NULL};
	static const uint32_t orders[] = {1000, 2000, 4000, 8000, 16000, 32000, 64000};
	uint32_t rows = 1, columns, common, multiple, blocks;
	uint64_t bytes;
	unsigned index;
	int status = xt_generator_problem(g, names, &index);

	if (status != XT_OK) {
		return status;
	}
	for (uint32_t i = 1; i * i <= g->ranks; i++) {
		rows = g->ranks % i == 0 ? i : rows;
	}
	columns = g->ranks / rows;
	common = divisor(rows, columns);
	multiple = rows / common * columns;
	blocks = ((orders[index] + BLOCK - 1) / BLOCK + multiple - 1) / multiple;
	bytes = UINT64_C(1) * WORD * blocks * BLOCK * blocks * BLOCK;
	for (uint32_t round = 0; round < xt_generator_rounds(g, 1); round++) {
		for (uint32_t r = 0; r < g->ranks; r++) {
			uint32_t row = r / columns, column = r % columns;
			uint32_t back = (rows + column - row) % common, forth = (common - back) % common;

			xt_generator_compute(g, r, 1);
			for (uint32_t k = 0; k < multiple / rows; k++) {
				uint32_t to = (2 * columns + column - k * common - back) % columns;
				uint32_t from = (column + k * common + forth) % columns;

				for (uint32_t j = 0; j < multiple / columns; j++) {
					uint32_t to_row = (row + common * j + back) % rows;
					uint32_t from_row = (2 * rows + row - common * j - forth) % rows;

					if (to_row != row || to != column) {
						xt_generator_swap(g, r, to_row * columns + to, bytes,
							from_row * columns + from, bytes);
					}
				}
			}
		}
	}
	return status;
}
