/* SPDX-License-Identifier: Apache-2.0
 *
 * Molecular dynamics after NAMD (Phillips et al., Scalable molecular dynamics with NAMD, J. Comput. Chem. 26, 2005):
 * space is cut into patches, here one for each rank of a periodic grid in 3D. A pair of neighbours has one home for its
 * forces. In a step a patch sends its atoms to the homes of its pairs, and gets the forces from there. Left out are the
 * particle mesh, migration of atoms and balancing of load. */
#include <inttypes.h>
#include <stdlib.h>

#include "generator_parts.h"

enum { ATOM = 32, FORCE = 24, MOST_PAIRS = 13, STEPS = 500 };

typedef struct {
	xt_generator_t *g;
	uint64_t atoms;
	uint32_t size[3];
	/* [rank * MOST_PAIRS + i]: ranks that have the forces of its pairs; of how many such pairs. */
	uint32_t *home, *count;
} namd_t;

static uint64_t atoms_of(const namd_t *n, uint32_t rank)
{
	return n->atoms * (rank + 1) / n->g->ranks - n->atoms * rank / n->g->ranks;
}

static uint32_t at(const namd_t *n, uint32_t rank, int x, int y, int z)
{
	uint32_t place[3] = {rank % n->size[0], rank / n->size[0] % n->size[1], rank / n->size[0] / n->size[1]};
	int move[3] = {x, y, z};

	for (unsigned i = 0; i < 3; i++) {
		place[i] = (place[i] + n->size[i] + (uint32_t)move[i]) % n->size[i];
	}
	return (place[2] * n->size[1] + place[1]) * n->size[0] + place[0];
}

static int has(const namd_t *n, uint32_t rank, uint32_t home)
{
	for (uint32_t i = 0; i < n->count[rank]; i++) {
		if (n->home[rank * MOST_PAIRS + i] == home) {
			return 1;
		}
	}
	return 0;
}

/* A pair is that of a patch and one of the 13 of its 26 neighbours that come after it. In a small grid two of them are
 * one rank, or a pair is found from both sides. */
static void find_pairs(const namd_t *n)
{
	for (uint32_t r = 0; r < n->g->ranks; r++) {
		for (int i = 14; i < 27; i++) {
			uint32_t home = at(n, r, i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);

			if (home != r && !has(n, r, home) && !has(n, home, r)) {
				n->home[r * MOST_PAIRS + n->count[r]++] = home;
			}
		}
	}
}

/* Both directions of a step: with `forces` from the homes back. */
static void send_all(const namd_t *n, int forces, uint32_t *events, const uint32_t *first, const uint32_t *guests)
{
	for (uint32_t r = 0; r < n->g->ranks; r++) {
		xt_program_t *p = &n->g->programs[r];
		uint32_t count = 0;

		for (uint32_t i = first[r]; i < first[r + 1]; i++) {
			uint64_t atoms = atoms_of(n, guests[i]);

			events[count++] = forces ? xt_program_send(p, guests[i], FORCE * atoms)
						 : xt_program_recv(p, guests[i], ATOM * atoms);
		}
		for (uint32_t i = 0; i < n->count[r]; i++) {
			uint32_t home = n->home[r * MOST_PAIRS + i];

			events[count++] = forces ? xt_program_recv(p, home, FORCE * atoms_of(n, r))
						 : xt_program_send(p, home, ATOM * atoms_of(n, r));
		}
		xt_program_wait(p, events, count);
		xt_generator_compute(n->g, r, 2);
	}
}

/* `first` and `guests`: of each home those that send to it. */
static int write_all(namd_t *n, uint32_t rounds)
{
	uint32_t ranks = n->g->ranks, pairs = 0;
	uint32_t *first = calloc((size_t)ranks + 2, sizeof(*first));
	uint32_t *guests = malloc((size_t)ranks * MOST_PAIRS * sizeof(*guests));
	uint32_t *events = malloc(2 * (size_t)ranks * MOST_PAIRS * sizeof(*events));
	int status = first && guests && events ? XT_OK : XT_ERR_NOMEM;

	for (uint32_t r = 0; r < ranks && status == XT_OK; r++) {
		for (uint32_t i = 0; i < n->count[r]; i++) {
			first[n->home[r * MOST_PAIRS + i] + 2]++;
			pairs++;
		}
	}
	for (uint32_t r = 0; r < ranks && status == XT_OK; r++) {
		first[r + 2] += first[r + 1];
	}
	for (uint32_t r = 0; r < ranks && status == XT_OK; r++) {
		for (uint32_t i = 0; i < n->count[r]; i++) {
			guests[first[n->home[r * MOST_PAIRS + i] + 1]++] = r;
		}
	}
	for (uint32_t i = 0; i < rounds && pairs && status == XT_OK; i++) {
		send_all(n, 0, events, first, guests);
		send_all(n, 1, events, first, guests);
		status = n->g->w->status;
	}
	free(first);
	free(guests);
	free(events);
	return status;
}

int xt_generate_namd(xt_generator_t *g)
{
	static const char *const names[] = {"apoa1", "f1atpase", "stmv", NULL};
	static const uint64_t atoms[] = {92224, 327506, 1066628};
	namd_t n = {.g = g, .size = {1, 1, 1}};
	unsigned index;
	int status = xt_generator_problem(g, names, &index);

	if (status != XT_OK) {
		return status;
	}
	n.atoms = atoms[index];
	for (uint32_t i = 1; i * i * i <= g->ranks; i++) {
		n.size[0] = g->ranks % i == 0 ? i : n.size[0];
	}
	for (uint32_t i = 1, left = g->ranks / n.size[0]; i * i <= left; i++) {
		n.size[1] = left % i == 0 ? i : n.size[1];
	}
	n.size[2] = g->ranks / n.size[0] / n.size[1];
	n.home = malloc((size_t)g->ranks * MOST_PAIRS * sizeof(*n.home));
	n.count = calloc(g->ranks, sizeof(*n.count));
	if (!n.home || !n.count) {
		status = XT_ERR_NOMEM;
	} else {
		find_pairs(&n);
		status = write_all(&n, xt_generator_rounds(g, STEPS));
	}
	free(n.home);
	free(n.count);
	return status;
}
