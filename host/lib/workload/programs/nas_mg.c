/* SPDX-License-Identifier: Apache-2.0
 *
 * NAS MG (NPB 3.4, MG/mg.f). V-cycles on a periodic cube, cut among a grid of ranks in 3D. Borders are exchanged axis
 * by axis. Where a coarse level has fewer points than ranks along an axis some ranks rest, and get theirs back from
 * their neighbours on the next finer level. An axis with one rank has it send to itself, as in the program. */
#include <stdlib.h>

#include "generator_parts.h"

enum { MOST_LEVELS = 13, WORD = 8 };

static const struct {
	unsigned levels; /* logarithm of the cube's side */
	uint32_t rounds;
} classes[] = {{5, 4}, {7, 4}, {8, 4}, {8, 20}, {9, 20}, {10, 50}, {11, 50}, {12, 50}};

/* A rank on a level, [0] the coarsest: points along each axis with the two borders, neighbours before and behind. */
typedef struct {
	uint32_t points[3], neighbour[3][2];
	uint8_t gives[3], takes[3]; /* to those that rest on the next coarser level, or from others as one of these */
	uint8_t rests;
} level_t;

typedef struct {
	xt_generator_t *g;
	unsigned levels;
	uint32_t ranks[3]; /* along each axis */
	level_t *level;    /* [rank * levels + level] */
} mg_t;

static level_t *level_of(const mg_t *m, uint32_t rank, unsigned level)
{
	return &m->level[(size_t)rank * m->levels + level];
}

/* Of the points of a side, those of a place along it. */
static uint32_t points_of(uint32_t side, uint32_t ranks, uint32_t place)
{
	return (place + 1) * side / ranks - place * side / ranks;
}

/* One axis of a rank, from the finest level down; `stride` is the number of places before the next rank of the axis,
 * `next` how far the neighbour that does not rest is. */
static void set_axis(const mg_t *m, uint32_t rank, unsigned axis, uint32_t stride)
{
	uint32_t ranks = m->ranks[axis], place = rank / stride % ranks, next = 1, base = rank - place * stride;

	for (unsigned k = m->levels; k-- > 0;) {
		level_t *level = level_of(m, rank, k);
		uint32_t side = UINT32_C(2) << k, own = points_of(side, ranks, place);
		uint32_t other = points_of(side, ranks, next + place);

		level->points[axis] = own + 2;
		if (k + 1 < m->levels) {
			level_t *finer = level_of(m, rank, k + 1);

			finer->gives[axis] = other == 0 && own == 1;
			finer->takes[axis] = other == 1 && own == 0;
		}
		next *= other == 0 || own == 0 ? 2 : 1;
		level->rests |= own == 0;
		level->neighbour[axis][0] = base + (place + ranks - next % ranks) % ranks * stride;
		level->neighbour[axis][1] = base + (place + next) % ranks * stride;
	}
}

/* Bytes of a border along `axis`: with the borders of those axes that have been exchanged already; `whole`: of all. */
static uint64_t face(const level_t *level, unsigned axis, int whole)
{
	uint64_t bytes = WORD;

	for (unsigned i = 0; i < 3; i++) {
		bytes *= i == axis ? 1 : level->points[i] - (whole || i < axis ? 0 : 2);
	}
	return bytes;
}

/* Both borders of each axis, from both sides at once. */
static void exchange(const mg_t *m, uint32_t rank, unsigned k)
{
	const level_t *level = level_of(m, rank, k);
	xt_program_t *p = &m->g->programs[rank];

	for (unsigned axis = 0; axis < 3 && !level->rests; axis++) {
		uint64_t bytes = face(level, axis, 0);
		uint32_t posted[2] = {xt_program_recv(p, level->neighbour[axis][0], bytes),
			xt_program_recv(p, level->neighbour[axis][1], bytes)};

		xt_program_wait_one(p, xt_program_send(p, level->neighbour[axis][1], bytes));
		xt_program_wait_one(p, xt_program_send(p, level->neighbour[axis][0], bytes));
		xt_program_wait(p, posted, 2);
	}
}

/* To ranks that rested: two layers to the one behind, one layer to the one before. */
static void expand(const mg_t *m, uint32_t rank, unsigned k)
{
	const level_t *level = level_of(m, rank, k);
	xt_program_t *p = &m->g->programs[rank];

	for (unsigned axis = 0; axis < 3; axis++) {
		uint32_t before = level->neighbour[axis][0], behind = level->neighbour[axis][1];

		if (level->takes[axis]) {
			uint32_t posted[2] = {xt_program_recv(p, before, 2 * face(level_of(m, before, k), axis, 1)),
				xt_program_recv(p, behind, face(level_of(m, behind, k), axis, 1))};

			xt_program_wait(p, posted, 2);
		}
		if (level->gives[axis]) {
			uint64_t bytes = face(level, axis, 1);

			xt_program_wait_one(p, xt_program_send(p, behind, 2 * bytes));
			xt_program_wait_one(p, xt_program_send(p, before, bytes));
		}
	}
}

/* `step` on one level, by all ranks. */
static void all(const mg_t *m, void (*step)(const mg_t *m, uint32_t rank, unsigned k), unsigned k)
{
	for (uint32_t r = 0; r < m->g->ranks && m->g->ranks > 1; r++) {
		step(m, r, k);
	}
}

static void cycle(const mg_t *m)
{
	for (unsigned k = m->levels - 1; k > 0; k--) {
		xt_generator_compute_all(m->g, UINT64_C(2) * (m->levels - 1));
		all(m, exchange, k - 1);
	}
	all(m, exchange, 0);
	for (unsigned k = 1; k < m->levels; k++) {
		xt_generator_compute_all(m->g, UINT64_C(2) * (m->levels - 1));
		all(m, expand, k);
		all(m, exchange, k);
		all(m, exchange, k);
	}
}

static int norm(const mg_t *m)
{
	int status = xt_generator_all(m->g, XT_COLLECTIVE_ALLREDUCE, WORD, WORD);

	return status == XT_OK ? xt_generator_all(m->g, XT_COLLECTIVE_ALLREDUCE, WORD, WORD) : status;
}

int xt_generate_mg(xt_generator_t *g)
{
	mg_t m = {.g = g, .ranks = {1, 1, 1}};
	unsigned index;
	int status = xt_generator_nas_class(g, &index);

	if (status != XT_OK) {
		return status;
	}
	m.levels = classes[index].levels;
	/* The third axis has the most ranks. */
	for (unsigned axis = 2, left = g->ranks; left > 1; left /= 2, axis = axis ? axis - 1 : 2) {
		m.ranks[axis] *= 2;
	}
	m.level = calloc((size_t)g->ranks * m.levels, sizeof(*m.level));
	if (!m.level) {
		return XT_ERR_NOMEM;
	}
	for (uint32_t r = 0; r < g->ranks; r++) {
		set_axis(&m, r, 0, 1);
		set_axis(&m, r, 1, m.ranks[0]);
		set_axis(&m, r, 2, m.ranks[0] * m.ranks[1]);
	}
	all(&m, exchange, m.levels - 1);
	status = norm(&m);
	for (uint32_t i = 0; i < xt_generator_rounds(g, classes[index].rounds) && g->w->status == XT_OK; i++) {
		cycle(&m);
		all(&m, exchange, m.levels - 1);
	}
	status = status == XT_OK ? norm(&m) : status;
	free(m.level);
	return status;
}
