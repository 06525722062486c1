/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks in the formats of other programs. */
#ifndef EXTORUS_NETWORK_EXPORT_H
#define EXTORUS_NETWORK_EXPORT_H

#include <stdio.h>

#include "extorus/topology.h"

XT_BEGIN_C

/* GraphML: a node per card, with its name as label, and an edge per link, whose sourceport and targetport are the
 * numbers of the link ports. Write errors stay in the stream, here and below. */
XT_API int xt_topology_write_graphml(const xt_topology_t *topology, FILE *out, xt_diag_t *diag);

/* The file of BookSim's topology anynet: a router per card, a node per PE. XT_ERR_UNSUPPORTED: one-way links, or two
 * links between the same cards. */
XT_API int xt_topology_write_anynet(const xt_topology_t *topology, FILE *out, xt_diag_t *diag);

XT_END_C
#endif
