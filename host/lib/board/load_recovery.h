/* SPDX-License-Identifier: Apache-2.0
 *
 * What a load that ended early left in the cards of a board, and how the old tables come back. */
#pragma once

#include "board_internal.h"
#include "device/ownership.h"
#include "journal.h"

/* Sets QUIESCE of every card as the journal says it was. */
int xt_load_release(xt_device_t *device, const xt_journal_t *journal, xt_diag_t *diag);
/* Puts the old tables of a load back, releases the cards and removes the journal. */
int xt_load_roll_back(xt_device_t *device, const xt_journal_t *journal, xt_diag_t *diag);

/* Recovers if this user has the journal. Otherwise *found says what the cards are like now. */
int xt_load_recover(xt_device_t *device, xt_ownership_summary_t *found, int *recovered, xt_diag_t *diag);
