/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the examination of a transition share: transition.c looks at all mixtures, rewrites.c lists the
 * words that differ, transition_order.c finds an order of them. */
#pragma once

#include "extorus/update.h"
#include "old_new_hops.h"

/* XT_ERR_UNSAFE if the image does not pass xt_check_image. */
int xt_check_safe(const xt_image_t *image, xt_diag_t *diag);
/* The words that differ, with step 1; fills entries, cards and destinations, too. XT_OK or XT_ERR_NOMEM. */
int xt_table_diff_find(const xt_image_t *before, const xt_image_t *after, xt_transition_t *t, xt_diag_t *diag);

/* Gives each rewrite its step, and fills how and phases, where any order is not safe. XT_OK or XT_ERR_NOMEM. */
int xt_transition_order(xt_old_new_hops_t *m, xt_transition_t *t, xt_diag_t *diag);
/* Sorts the rewrites by step, card, word and index. */
void xt_table_diff_sort(xt_transition_t *t);
/* A new phase at the end, all 0; NULL: out of memory. */
xt_transition_phase_t *xt_add_phase(xt_transition_t *t);
