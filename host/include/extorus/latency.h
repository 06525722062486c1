/* SPDX-License-Identifier: Apache-2.0
 *
 * Analytic model of the latency of a network under uniform traffic, to compare topologies at equal cost. Each card
 * has the same number of pins, so a card with fewer links has wider ones. */
#ifndef EXTORUS_LATENCY_H
#define EXTORUS_LATENCY_H

#include "extorus/export.h"
#include "extorus/topology.h"

XT_BEGIN_C

typedef enum {
	XT_LATENCY_QUEUES,     /* each link a queue of its own, by its own load: see xt_latency_at */
	XT_LATENCY_CONTENTION, /* all links alike, by the mean distance and the degree: see xt_latency_at */
} xt_latency_kind_t;

typedef struct {
	xt_latency_kind_t kind;
	double packet_bits;
	double pins;   /* of a card, for all its links, both directions */
	double router; /* cycles that a head takes through a card */
	double wire;   /* cycles that it takes along a link */
} xt_latency_model_t;

/* Fixed pin count as in W. Dally, "Performance analysis of k-ary n-cube interconnection networks" (IEEE Transactions on
 * Computers, 1990) and A. Agarwal, "Limits on interconnection network performance" (IEEE Transactions on Parallel and
 * Distributed Systems, 1991); virtual cut-through. Links of NICs take no pins and no time. */
typedef struct {
	unsigned cards, degree; /* most links on which a card sends; it receives on as many */
	double mean_distance;   /* over all ordered pairs of different cards */
	double width;           /* bits per cycle of a link: pins / (2 * degree) */
	double serialisation;   /* cycles from head to tail: packet_bits / width */
	/* Cycles: mean_distance * (router + wire) + serialisation. Contention: with one hop less, and the mean distance
	 * over all ordered pairs, self included. */
	double zero_load;
	double saturation; /* bits per cycle and card at which the busiest link is full; 0: not known */
} xt_latency_figures_t;

/* A network in the model; *out is freed with xt_latency_curve_free. XT_ERR_RANGE for a model in which anything but
 * the two times per hop is not above 0, or a network of one card; errors of xt_topology_metrics. */
typedef struct xt_latency_curve xt_latency_curve_t;

XT_API int xt_latency_curve_create(
	const xt_topology_t *topology, const xt_latency_model_t *model, xt_latency_curve_t **out, xt_diag_t *diag);
XT_API void xt_latency_curve_free(xt_latency_curve_t *curve); /* NULL is allowed */
XT_API const xt_latency_figures_t *xt_latency_figures(const xt_latency_curve_t *curve);

/* Mean latency in cycles when each card sends `load` bits per cycle to each other one in equal parts, divided evenly
 * over the shortest paths; INFINITY from saturation on, NAN if that is not known.
 * To zero_load the packet adds its waits. Each link is taken for a queue of its own with random arrivals and service
 * times that are all alike (L. Kleinrock's independence assumption, "Queueing Systems" volume II, 1976), in which one
 * waits rho * serialisation / (2 * (1 - rho)) at the utilisation rho (M/D/1). Packets that come one after the other
 * from one link do not wait for each other, which this leaves out: it is rather too much than too little.
 *
 * Contention: the model of the study of pruned and directed tori (after S. Abraham and K. Padmanabhan, Journal of
 * Parallel and Distributed Computing, 1991), with F = serialisation, D the mean distance and d the degree. A card
 * generates i packets in a cycle with probability r(i) = (1 - m) m^i, where m * packet_bits is the load. A link is then
 * busy, and a packet has to wait, with probability u = m / (1 - m) * D * F / d. Of the n links that can send to an
 * output link, the packet's own cannot be in its way; n is d in a directed network, otherwise d - 1, as no packet turns
 * back. Packets queue with probability q(i) = (1 - u) u^i, so that a hop waits F * (1 - 1 / n) * u / (1 - u), and a
 * packet does at all hops but one. The form is rebuilt from the study's description, and fitted to four of its values
 * (L = 384, s = 3, 16 x 16 x 16 cards); other values may differ. */
XT_API double xt_latency_at(const xt_latency_curve_t *curve, double load);

XT_END_C
#endif
