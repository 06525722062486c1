/* SPDX-License-Identifier: Apache-2.0
 *
 * How long the ways can become when links or cards fail. */
#ifndef EXTORUS_FAULT_DIAMETER_H
#define EXTORUS_FAULT_DIAMETER_H

#include "extorus/export.h"
#include "extorus/topology.h"

XT_BEGIN_C

enum {
	XT_MOST_FAULTS = 16,
	XT_MOST_FAULT_CARDS = 1024, /* of a network whose fault diameter is looked for */
	XT_CONNECTIVITY_FAULTS = -1,
};

typedef struct {
	unsigned connectivity; /* the fewest links (cards) without which some card does not reach another one */
	unsigned faults;       /* links (cards) that fail */
	unsigned diameter;     /* the largest, over all ways to choose them; between cards in service */
	/* A case in which it is that large: what fails, not more than `faults`, and the two cards that are so far
	 * from each other. A failed link is told by a card and port that send. */
	unsigned failed, source, dest;
	xt_peer_t failures[XT_MOST_FAULTS]; /* cards: the port is 0 */
	uint64_t searches;                  /* shortest paths that were looked for */
} xt_fault_diameter_t;

/* When any `faults` links (or with `cards` any cards) fail in addition to those that have failed already; for
 * XT_CONNECTIVITY_FAULTS one fewer than the connectivity. Exact: a path that is shortest gets longer only if one of
 * its links fails, so that all cases that matter are found along shortest paths. XT_ERR_RANGE for more cards than
 * XT_MOST_FAULT_CARDS, for so many faults that the network can fall apart, and if there are too many cases
 * (2^30 steps of searches, about a minute); XT_ERR_NOMEM. `progress` is called with the sources done; it may be NULL.
 */
XT_API int xt_topology_fault_diameter(const xt_topology_t *topology, bool cards, int faults,
	void (*progress)(void *context, uint64_t done, uint64_t total), void *context, xt_fault_diameter_t *result,
	xt_diag_t *diag);

XT_END_C
#endif
