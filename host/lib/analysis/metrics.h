/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of xt_topology_metrics that other analyses use. */
#pragma once

#include "extorus/topology.h"

/* Fills in the bisection, its lower bound and method. load[card * link_ports + port], of a network without a rule
 * only, is what goes out by each port when one packet goes from each card to each card; NULL if it is not known. */
int xt_topology_bisection(const xt_topology_t *t, const double *load, xt_topology_metrics_t *m, xt_diag_t *diag);

/* Uniform traffic, a packet from each card to each, divided evenly over the shortest paths: what is carried by the
 * links on which a few cards send that stand for all. NULL: too many cards. */
typedef struct {
	unsigned links, sources;
	double *load; /* [link], to be freed */
} xt_link_loads_t;

/* With the metrics but the bisection. */
int xt_topology_loads(const xt_topology_t *t, xt_topology_metrics_t *m, xt_link_loads_t *loads, xt_diag_t *diag);
