/* SPDX-License-Identifier: Apache-2.0
 *
 * The way of one packet through the tables of an image. */
#ifndef EXTORUS_TRACE_H
#define EXTORUS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "extorus/check.h"
#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/image.h"
#include "extorus/topology.h"

XT_BEGIN_C

/* What the tables of a card do with the packet. */
typedef struct {
	uint32_t card;
	xt_route_t route;       /* adaptive_mask 0 in a TC without an adaptive VC */
	xt_table_place_t place; /* the entry that says so */
} xt_hop_t;

/* One adaptive candidate: the packet may leave `card` by `port` on an adaptive VC. */
typedef struct {
	uint32_t card;
	uint8_t port;
} xt_candidate_t;

/* The deterministic route of one TC: the card of the source first; the last hop is the one that delivers or fails.
 * Candidates are those of all cards that other candidates lead to from the source, each once; from any of them the
 * packet may also go on by that card's deterministic route. */
typedef struct {
	unsigned tc;
	xt_walk_t how;
	unsigned hops; /* links it takes, and one */
	xt_hop_t *hop;
	unsigned candidates;
	xt_candidate_t *candidate;
} xt_trace_t;

typedef struct {
	unsigned source, dest; /* PEs */
	unsigned traces;
	xt_trace_t trace[XT_MAX_TCS]; /* of the TCs that the source may use, ascending */
} xt_trace_set_t;

/* XT_ERR_RANGE if there is no such PE or it is out of service (see xt_image_pe_in_service), XT_ERR_NOMEM.
 * A packet that is not delivered is no error. Freed with xt_trace_free. */
XT_API int xt_trace_pair(const xt_image_t *image, unsigned source, unsigned dest, xt_trace_set_t *out, xt_diag_t *diag);
XT_API void xt_trace_free(xt_trace_set_t *set);
/* Both are the same but for the TC. */
XT_API bool xt_trace_equal(const xt_trace_t *a, const xt_trace_t *b);

/* For Graphviz (dot -Tsvg), the routes in colours with the VC of each link, candidates dashed: drawn into `topology`,
 * or by themselves if it is NULL, has another wiring than the image, or more than 256 cards. */
XT_API void xt_trace_write_dot(
	const xt_image_t *image, const xt_topology_t *topology, const xt_trace_set_t *set, FILE *out);

XT_END_C
#endif
