/* SPDX-License-Identifier: Apache-2.0
 *
 * A network divided into groups of cards, so that tables of two levels route it: an entry of the GRT for each group,
 * and one of the LRT for each PE of the card's own group. */
#pragma once

#include "extorus/image.h"
#include "extorus/topology.h"

/* The cards in service of a group reach each other over links within it. */
typedef struct {
	unsigned groups;
	uint32_t *group;   /* [card]; XT_NO_CARD for a failed card */
	uint32_t *address; /* [card]: that of its first PE, the group above lrt_bits */
} xt_card_groups_t;

/* Many groups, since ways are the shorter the more there are. Boxes of coordinates where the topology has these: their
 * longest side is cut while the GRT has entries for them and they stay connected. Otherwise branches of a tree, which
 * one-way links do not allow; the search for these begins at the smallest size that the GRT has entries for.
 * XT_ERR_RANGE where no division fits the profile. Ends with xt_card_groups_free, also after an error. */
int xt_card_groups_make(xt_card_groups_t *groups, const xt_topology_t *topology, xt_diag_t *diag);
/* Those that an image has, for what is left of its network. XT_ERR_RANGE where they are no longer connected, or where
 * an address is of a group above the number of cards. */
int xt_card_groups_keep(
	xt_card_groups_t *groups, const xt_image_t *image, const xt_topology_t *topology, xt_diag_t *diag);
void xt_card_groups_free(xt_card_groups_t *groups);
