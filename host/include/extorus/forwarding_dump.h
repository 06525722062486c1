/* SPDX-License-Identifier: Apache-2.0
 *
 * Forwarding tables in the format of OpenSM. */
#ifndef EXTORUS_FORWARDING_DUMP_H
#define EXTORUS_FORWARDING_DUMP_H

#include <stdio.h>

#include "extorus/image.h"
#include "extorus/topology.h"

XT_BEGIN_C

/* The dump of unicast forwarding tables that OpenSM writes, and reads by `-R file -U FILE`. The network of a dump of
 * ibnetdiscover has the LIDs, GUIDs and port numbers of that dump, and tables for its switches. In another network
 * every card is a switch: LID 1 is card 0, the LIDs after the cards' are the PEs', link port 0 is port 1, and the NIC
 * ports follow the link ports. VCs are left out. XT_ERR_UNSUPPORTED: the ports depend on the TC, a host has two cables,
 * or there are more LIDs than InfiniBand has. */
XT_API int xt_image_write_opensm(const xt_image_t *image, const xt_topology_t *topology, FILE *out, xt_diag_t *diag);

XT_END_C
#endif
