/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/routing.h"

/* Routes by up/down or layered where the LRT has no entry for each PE. The lower half of the deterministic VCs leads
 * to the groups of card_groups.h, the upper half to the cards within a group, so that the two together close no cycle.
 * `before`: an image whose groups are kept, or NULL. XT_ERR_UNSUPPORTED with fewer than two VCs, in a one-way network
 * four. */
int xt_route_in_groups(const xt_topology_t *topology, const xt_route_options_t *options, const char *name,
	const xt_image_t *before, xt_image_t **out, xt_diag_t *diag);
