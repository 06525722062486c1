/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/replay.h"

/* PEs of a node: of the cards of a twin torus that are at one place, or of a card. Those of node n are n times so many
 * and the next ones. */
uint32_t xt_map_node_pes(const xt_image_t *image);
/* Fills pe[0 .. ranks - 1] by a file of host names, as in XT_MAP_HOSTS. */
int xt_map_hosts(const xt_map_t *map, const xt_image_t *image, uint32_t ranks, uint32_t *pe, xt_diag_t *diag);
