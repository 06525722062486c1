/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXTORUS_FLOOR_ARRANGEMENT_H
#define EXTORUS_FLOOR_ARRANGEMENT_H

#include "extorus/floor_plan.h"

/* Whether a network can be folded so. */
bool xt_floor_folds(const xt_topology_t *t, xt_fold_t fold);

/* Gives each card its slot: by the way of folding that the floor asks for, or the best, and its best arrangement, or by
 * the best arrangement of the plain layout. The wires are listed already, without lengths. XT_ERR_NOMEM. */
int xt_floor_arrange(const xt_topology_t *t, bool plain, xt_floor_plan_t *layout);

#endif
