/* SPDX-License-Identifier: Apache-2.0
 *
 * NAS FT (NPB 3.4, FT/ft.f). The grid is cut into planes, and a transform transposes it once among all ranks. With more
 * ranks than planes it is cut into pencils, and a transform transposes it twice, among rows and columns of the ranks.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "generator_parts.h"

enum { COMPLEX = 16 }; /* bytes of a point */

static const struct {
	uint32_t x, y, z, rounds;
} classes[] = {{64, 64, 64, 6}, {128, 128, 32, 6}, {256, 256, 128, 6}, {512, 256, 256, 20}, {512, 512, 512, 20},
	{2048, 1024, 1024, 25}, {4096, 2048, 2048, 25}, {8192, 4096, 4096, 25}};

typedef struct {
	xt_generator_t *g;
	uint64_t bytes;         /* of the grid on each rank */
	uint32_t rows, columns; /* of the ranks: row r has the ranks from r * columns on */
	uint32_t *members;
} ft_t;

static int transpose_rows(const ft_t *f)
{
	int status = XT_OK;

	for (uint32_t row = 0; row < f->rows && status == XT_OK; row++) {
		for (uint32_t i = 0; i < f->columns; i++) {
			f->members[i] = row * f->columns + i;
		}
		status = xt_generator_collective(f->g, (xt_group_t){f->members, f->columns}, XT_COLLECTIVE_ALLTOALL,
			f->bytes / f->columns, COMPLEX);
	}
	return status;
}

static int transpose_columns(const ft_t *f)
{
	int status = XT_OK;

	for (uint32_t column = 0; column < f->columns && status == XT_OK && f->rows > 1; column++) {
		for (uint32_t i = 0; i < f->rows; i++) {
			f->members[i] = i * f->columns + column;
		}
		status = xt_generator_collective(
			f->g, (xt_group_t){f->members, f->rows}, XT_COLLECTIVE_ALLTOALL, f->bytes / f->rows, COMPLEX);
	}
	return status;
}

/* The transform of the initial grid, then in each iteration one back and a checksum. */
static int write_all(const ft_t *f, uint32_t rounds)
{
	int status = transpose_columns(f);

	status = status == XT_OK ? transpose_rows(f) : status;
	for (uint32_t i = 0; i < rounds && status == XT_OK; i++) {
		xt_generator_compute_all(f->g, 1);
		status = transpose_rows(f);
		status = status == XT_OK ? transpose_columns(f) : status;
		status = status == XT_OK ? xt_generator_all(f->g, XT_COLLECTIVE_REDUCE, COMPLEX, COMPLEX) : status;
	}
	return status;
}

int xt_generate_ft(xt_generator_t *g)
{
	ft_t f = {.g = g};
	unsigned index;
	uint32_t x, y, z;
	int status = xt_generator_nas_class(g, &index);

	if (status != XT_OK) {
		return status;
	}
	x = classes[index].x;
	y = classes[index].y;
	z = classes[index].z;
	f.rows = g->ranks <= z ? 1 : z;
	f.columns = g->ranks / f.rows;
	if (f.rows > x || f.rows > y || f.columns > y || f.columns > z) {
		return xt_fail(g->diag, XT_ERR_RANGE,
			"%s: %" PRIu32 " ranks are too many for a grid of %" PRIu32 "x%" PRIu32 "x%" PRIu32
			"; choose a larger class",
			g->name, g->ranks, x, y, z);
	}
	f.bytes = (uint64_t)x * y / g->ranks * z * COMPLEX;
	f.members = malloc(g->ranks * sizeof(*f.members));
	status = f.members ? write_all(&f, xt_generator_rounds(g, classes[index].rounds)) : XT_ERR_NOMEM;
	free(f.members);
	return status;
}
