/* SPDX-License-Identifier: Apache-2.0
 *
 * The assignment of ports to cards with the least crossings. */
#include <string.h>

#include "extorus/random.h"
#include "port_assignment_internal.h"

enum {
	MOST_TRIED = 28, /* ports of which all assignments are tried */
	BEGINNINGS = 256,
};

/* A stream of random numbers that neither traffic nor failures have. */
static const uint64_t assignment_stream = UINT64_C(3) << 32;

/* Traffic between two ports, both directions. */
typedef struct {
	unsigned ports;
	double between[XT_MAX_SWITCH_PORTS][XT_MAX_SWITCH_PORTS];
} pairs_t;

static void add_up(const xt_turns_t *t, int stage, pairs_t *pairs)
{
	memset(pairs, 0, sizeof(*pairs));
	pairs->ports = t->ports;
	for (unsigned s = 0; s < t->stages; s++) {
		for (unsigned a = 0; (stage < 0 || (unsigned)stage == s) && a < t->ports; a++) {
			for (unsigned b = 0; b < t->ports; b++) {
				pairs->between[a][b] += xt_turns_weight(t, s, a, b) + xt_turns_weight(t, s, b, a);
			}
		}
	}
}

/* Of a port with the ports below `end` that are (or are not) on card 0. */
static double traffic_with(const pairs_t *p, unsigned port, unsigned end, uint64_t card0, bool on_card0)
{
	double sum = 0;

	for (unsigned other = 0; other < end; other++) {
		sum += (card0 >> other & 1) == on_card0 ? p->between[port][other] : 0;
	}
	return sum;
}

/* Goes through all ways to place the ports from `port` on, `left` of them on card 0, card 0 first. */
static void each(const pairs_t *p, unsigned port, unsigned left, uint64_t card0, double crossings,
	xt_assignment_visit_t visit, void *context)
{
	if (port == p->ports) {
		visit(context, card0, crossings);
		return;
	}
	if (left > 0) {
		each(p, port + 1, left - 1, card0 | UINT64_C(1) << port,
			crossings + traffic_with(p, port, port, card0, false), visit, context);
	}
	if (port > 0 && left < p->ports - port) {
		each(p, port + 1, left, card0, crossings + traffic_with(p, port, port, card0, true), visit, context);
	}
}

static double crossings_of(const pairs_t *p, uint64_t card0)
{
	double sum = 0;

	for (unsigned port = 0; port < p->ports; port++) {
		sum += traffic_with(p, port, port, card0, !(card0 >> port & 1));
	}
	return sum;
}

static void keep_best(void *context, uint64_t card0, double crossings)
{
	xt_assignment_t *best = context;

	best->assignments++;
	/* Less by more than rounding. */
	if (best->card0 == 0 || crossings < best->crossings * (1 - 1e-12)) {
		best->crossings = crossings;
		best->card0 = card0;
	}
}

/* One pass of Kernighan and Lin: exchanges each port once, always the pair that gains most or loses least, and
 * keeps the exchanges up to the best sum. Whether that was a gain. */
static bool improve(const pairs_t *p, uint64_t *card0)
{
	uint64_t now = *card0, moved = 0, best = now;
	double gained = 0, most = 1e-9 * crossings_of(p, now);

	for (unsigned pass = 0; pass < p->ports / 2; pass++) {
		double gain[XT_MAX_SWITCH_PORTS], top = 0;
		unsigned from = XT_MAX_SWITCH_PORTS, to = 0;

		for (unsigned port = 0; port < p->ports; port++) {
			bool side = now >> port & 1;

			gain[port] = traffic_with(p, port, p->ports, now, !side) -
				     traffic_with(p, port, p->ports, now, side) + p->between[port][port];
		}
		for (unsigned a = 0; a < p->ports; a++) {
			for (unsigned b = 0; b < p->ports; b++) {
				double sum = gain[a] + gain[b] - 2 * p->between[a][b];

				if (!((moved >> a | moved >> b) & 1) && (now >> a & 1) && !(now >> b & 1) &&
					(from == XT_MAX_SWITCH_PORTS || sum > top)) {
					from = a;
					to = b;
					top = sum;
				}
			}
		}
		moved |= UINT64_C(1) << from | UINT64_C(1) << to;
		now ^= UINT64_C(1) << from | UINT64_C(1) << to;
		gained += top;
		if (gained > most) {
			most = gained;
			best = now;
		}
	}
	if (best == *card0) {
		return false;
	}
	*card0 = best;
	return true;
}

static uint64_t draw_half(xt_random_t *random, unsigned ports)
{
	uint64_t card0 = 0;

	for (unsigned left = ports / 2; left > 0;) {
		uint64_t bit = UINT64_C(1) << xt_random_below(random, ports);

		left -= !(card0 & bit);
		card0 |= bit;
	}
	return card0;
}

static void search(const pairs_t *p, uint64_t seed, xt_assignment_t *best)
{
	xt_random_t random;

	xt_random_seed(&random, seed, assignment_stream);
	for (unsigned i = 0; i < BEGINNINGS; i++) {
		uint64_t card0 = draw_half(&random, p->ports);

		while (improve(p, &card0)) {
		}
		if (!(card0 & 1)) {
			card0 = ~card0 & (UINT64_MAX >> (64 - p->ports));
		}
		keep_best(best, card0, crossings_of(p, card0));
	}
}

void xt_turns_best(const xt_turns_t *turns, int stage, uint64_t seed, xt_assignment_t *best)
{
	pairs_t pairs;

	add_up(turns, stage, &pairs);
	memset(best, 0, sizeof(*best));
	best->optimal = turns->ports <= MOST_TRIED;
	if (best->optimal) {
		each(&pairs, 0, turns->ports / 2, 0, 0, keep_best, best);
	} else {
		search(&pairs, seed, best);
		best->assignments = 0;
	}
}

int xt_turns_each(const xt_turns_t *turns, int stage, xt_assignment_visit_t visit, void *context, xt_diag_t *diag)
{
	pairs_t pairs;

	if (turns->ports > MOST_TRIED) {
		return xt_fail(diag, XT_ERR_RANGE, "%u ports can be shared out in too many ways to list; up to %d can",
			turns->ports, MOST_TRIED);
	}
	add_up(turns, stage, &pairs);
	each(&pairs, 0, turns->ports / 2, 0, 0, visit, context);
	return XT_OK;
}
