/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces like those of applications, made up. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/random.h"
#include "extorus/workload_file.h"
#include "workload/build.h"

enum { MOST_ROUNDS = 100000 };

static const char *const names[XT_MADE_KINDS] = {"random", "halo", "fft", "graph"};

int xt_made_parse(const char *text, xt_made_kind_t *kind, xt_diag_t *diag)
{
	for (unsigned k = 0; k < XT_MADE_KINDS; k++) {
		if (strcmp(text, names[k]) == 0) {
			*kind = (xt_made_kind_t)k;
			return XT_OK;
		}
	}
	return xt_fail(diag, XT_ERR_INVALID, "no kind of trace \"%.40s\"; there are random, halo, fft and graph", text);
}

/* What all makers have. */
typedef struct {
	const xt_made_t *made;
	xt_workload_t *w;
	xt_random_t random;
	uint32_t *pairs; /* [2 * i]: who sends, to whom, in this round */
	size_t count;
	size_t *first;  /* [rank]: of its places in `ends`, those of the next rank follow */
	uint32_t *ends; /* places in `pairs` of each rank, rising; in the round, then the events that it waits for */
	xt_program_t *programs;
} maker_t;

/* Where each rank is in the round's pairs. */
static void find_ends(maker_t *m)
{
	memset(m->first, 0, ((size_t)m->made->ranks + 2) * sizeof(*m->first));
	for (size_t end = 0; end < 2 * m->count; end++) {
		m->first[m->pairs[end] + 2]++;
	}
	for (uint32_t r = 0; r < m->made->ranks; r++) {
		m->first[r + 2] += m->first[r + 1];
	}
	for (size_t end = 0; end < 2 * m->count; end++) {
		m->ends[m->first[m->pairs[end] + 1]++] = (uint32_t)end;
	}
}

/* All pairs of the round send; then everybody waits for what it sent and got, and computes. */
static void play_round(maker_t *m)
{
	find_ends(m);
	for (uint32_t r = 0; r < m->made->ranks; r++) {
		xt_program_t *p = &m->programs[r];
		uint32_t *events = m->ends + m->first[r];
		size_t count = m->first[r + 1] - m->first[r];

		for (size_t i = 0; i < count; i++) {
			uint32_t other = m->pairs[events[i] ^ 1];

			events[i] = events[i] % 2 ? xt_program_recv(p, other, m->made->bytes)
						  : xt_program_send(p, other, m->made->bytes);
		}
		if (count) {
			xt_program_wait(p, events, count);
			xt_program_compute(p, m->made->compute_ns);
		}
	}
	m->count = 0;
}

static void pair(maker_t *m, uint32_t from, uint32_t to)
{
	if (from != to) {
		m->pairs[2 * m->count] = from;
		m->pairs[2 * m->count + 1] = to;
		m->count++;
	}
}

/* The largest divisor of n up to its root of order `order`. */
static uint32_t near_root(uint32_t n, unsigned order)
{
	uint32_t best = 1;

	for (uint32_t d = 1; (order == 2 ? (uint64_t)d * d : (uint64_t)d * d * d) <= n; d++) {
		best = n % d == 0 ? d : best;
	}
	return best;
}

static void random_round(maker_t *m)
{
	uint32_t n = m->made->ranks;

	for (uint32_t r = 0; r < n; r++) {
		uint32_t to = xt_random_below(&m->random, n - 1);

		pair(m, r, to + (to >= r));
	}
	/* The answers wait for all requests of the rank. */
	{
		size_t requests = m->count;
		uint32_t *asked = malloc(2 * requests * sizeof(*asked));

		if (!asked) {
			m->w->status = XT_ERR_NOMEM;
			return;
		}
		memcpy(asked, m->pairs, 2 * requests * sizeof(*asked));
		play_round(m);
		for (size_t i = 0; i < requests; i++) {
			pair(m, asked[2 * i + 1], asked[2 * i]);
		}
		free(asked);
	}
	play_round(m);
}

static void halo_round(maker_t *m)
{
	uint32_t n = m->made->ranks, size[3] = {near_root(n, 3), 0, 0}, step = 1;

	size[1] = near_root(n / size[0], 2);
	size[2] = n / size[0] / size[1];
	for (unsigned d = 0; d < 3; d++) {
		for (uint32_t r = 0; r < n; r++) {
			uint32_t at = r / step % size[d], base = r - at * step;

			pair(m, r, base + (at + 1) % size[d] * step);
			pair(m, r, base + (at + size[d] - 1) % size[d] * step);
		}
		step *= size[d];
	}
	play_round(m);
}

static void fft_round(maker_t *m)
{
	uint32_t n = m->made->ranks, columns = near_root(n, 2);

	for (uint32_t r = 0; r < n; r++) {
		for (uint32_t i = 1; i < columns; i++) {
			pair(m, r, r - r % columns + (r + i) % columns);
		}
	}
	play_round(m);
	for (uint32_t r = 0; r < n; r++) {
		for (uint32_t i = 1; i < n / columns; i++) {
			pair(m, r, (r + i * columns) % n);
		}
	}
	play_round(m);
}

/* `reached` marks those that the search has met. */
static void graph_round(maker_t *m, uint8_t *reached)
{
	uint32_t n = m->made->ranks;

	for (uint32_t r = 0; r < n; r++) {
		for (uint32_t i = 1 + xt_random_below(&m->random, 3); reached[r] && i > 0; i--) {
			pair(m, r, xt_random_below(&m->random, n));
		}
	}
	for (size_t i = 0; i < m->count; i++) {
		reached[m->pairs[2 * i + 1]] = 1;
	}
	play_round(m);
}

static int play_all(maker_t *m)
{
	uint8_t *reached = calloc(m->made->ranks, sizeof(*reached));

	if (!reached) {
		return XT_ERR_NOMEM;
	}
	reached[0] = 1;
	for (uint32_t r = 0; r < m->made->ranks; r++) {
		m->programs[r] = xt_program_begin(m->w, r);
	}
	for (uint32_t i = 0; i < m->made->rounds && m->made->ranks > 1; i++) {
		switch (m->made->kind) {
		case XT_MADE_RANDOM:
			random_round(m);
			break;
		case XT_MADE_HALO:
			halo_round(m);
			break;
		case XT_MADE_FFT:
			fft_round(m);
			break;
		default:
			graph_round(m, reached);
			break;
		}
	}
	free(reached);
	return XT_OK;
}

int xt_workload_make(const xt_made_t *made, xt_workload_t **out, xt_diag_t *diag)
{
	maker_t m = {.made = made, .w = NULL};
	size_t most = (size_t)made->ranks * (made->kind == XT_MADE_FFT ? made->ranks : 6);
	int status;

	*out = NULL;
	if (made->ranks < 1 || made->ranks > 4096 || made->rounds > MOST_ROUNDS || made->bytes > UINT64_C(1) << 40) {
		return xt_fail(
			diag, XT_ERR_RANGE, "a made-up trace has 1 to 4096 ranks and up to %d rounds", MOST_ROUNDS);
	}
	m.w = xt_workload_create(made->ranks);
	m.pairs = malloc(2 * (most + 1) * sizeof(*m.pairs));
	m.ends = malloc(2 * (most + 1) * sizeof(*m.ends));
	m.first = malloc(((size_t)made->ranks + 2) * sizeof(*m.first));
	m.programs = malloc(made->ranks * sizeof(*m.programs));
	xt_random_seed(&m.random, made->seed, made->kind);
	if (!m.w || !m.pairs || !m.ends || !m.first || !m.programs || play_all(&m) != XT_OK) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for a trace of %" PRIu32 " ranks", made->ranks);
	} else {
		status = xt_workload_finish(m.w, names[made->kind], diag);
	}
	free(m.pairs);
	free(m.ends);
	free(m.first);
	free(m.programs);
	if (status != XT_OK) {
		xt_workload_free(m.w);
		return status;
	}
	*out = m.w;
	return XT_OK;
}
