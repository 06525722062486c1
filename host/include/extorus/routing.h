/* SPDX-License-Identifier: Apache-2.0
 *
 * Routing algorithms: from a topology to the tables of every card. */
#ifndef EXTORUS_ROUTING_H
#define EXTORUS_ROUTING_H

#include <stdbool.h>

#include "extorus/error.h"
#include "extorus/image.h"
#include "extorus/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	XT_ALGORITHM_DOR,    /* torus: dimensions ascending */
	XT_ALGORITHM_TS_DOR, /* twin torus: PE0's packets ascending, PE1's descending, in different TCs */
} xt_algorithm_t;

/* "dor", "ts-dor". */
int xt_algorithm_parse(const char *name, xt_algorithm_t *out, xt_diag_t *diag);
const char *xt_algorithm_name(xt_algorithm_t algorithm);

typedef struct {
	xt_algorithm_t algorithm;
	/* TS-DOR with both sources in TC 0, a known way to deadlock: for showing that checks catch it.
	 * See xt_route. */
	bool single_tc;
} xt_route_options_t;

/* Makes the image. XT_ERR_UNSUPPORTED if the algorithm does not go with the topology or the profile
 * has too few TCs or VCs, XT_ERR_RANGE if the PE addresses do not fit GRT and LRT. *out is freed with
 * xt_image_free.
 *
 * single_tc: a table holds one route per (card, TC, destination), so where both sources' packets to
 * one destination meet on a card they cannot be told apart. The cards of side 0 therefore route
 * everything ascending, those of side 1 everything descending: what TS-DOR would do with a packet
 * that is still on its source's side of the nodes. Each packet arrives: side 0 crosses to side 1 only
 * when side 1 has a port that brings the packet nearer, and the other way round, so that at least
 * every second link is a minimal one of a dimension. */
int xt_route(const xt_topology_t *topology, const xt_route_options_t *options, xt_image_t **out, xt_diag_t *diag);

#ifdef __cplusplus
}
#endif
#endif
