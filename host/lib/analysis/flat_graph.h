/* SPDX-License-Identifier: Apache-2.0
 *
 * The cards in service of a network and their links, as a graph in flat arrays, and what is computed on it. */
#pragma once

#include "extorus/topology.h"

typedef struct {
	unsigned vertices, links;
	/* The links on which vertex v sends are those from first[v] to first[v + 1] - 1. Both directions of a link have
	 * one number; there may be several links between two vertices. */
	unsigned *first, *peer, *link;
	unsigned *card;    /* [vertex] */
	xt_peer_t *sender; /* [link]: card and port of an end that sends */
} xt_graph_t;

/* XT_ERR_NOMEM. Ends with xt_graph_end, also after an error. */
int xt_graph_begin(xt_graph_t *graph, const xt_topology_t *topology, xt_diag_t *diag);
void xt_graph_end(xt_graph_t *graph);

/* The best halves from a number of beginnings. */
int64_t xt_graph_bisect(const xt_graph_t *graph, xt_diag_t *diag);

/* One packet between each unordered pair of vertices is routed, in fractions, so that the busiest link carries little:
 * *busiest gets how much. No half can have fewer links to the other than pairs / *busiest. `load` [link], what the
 * links carry when the packets are divided over shortest paths, is the beginning, and is changed. Ends when *busiest
 * is below `enough`, or after a number of rounds. XT_ERR_NOMEM. */
int xt_graph_spread(const xt_graph_t *graph, double *load, double enough, double *busiest, xt_diag_t *diag);

/* The fewest links, or vertices other than the two, without which some vertex does not reach some other one; of
 * vertices, one less than there are if each is linked to each. XT_ERR_NOMEM. */
int xt_graph_connectivity(const xt_graph_t *graph, bool of_vertices, unsigned *connectivity, xt_diag_t *diag);
