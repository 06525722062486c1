/* SPDX-License-Identifier: Apache-2.0
 *
 * Which profiles have the VCs, TCs and flow control that an algorithm needs on a topology. */
#pragma once

#include "extorus/routing.h"

/* XT_ERR_UNSUPPORTED, with a profile that does, if that of the topology has not what the routes need. */
int xt_routing_check_profile(const xt_topology_t *topology, const xt_route_options_t *options, xt_diag_t *diag);
