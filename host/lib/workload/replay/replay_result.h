/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/replay.h"
#include "schedule.h"

/* The critical path, back from the event that was done last by what each waited for last; at most `room` events of
 * the path are kept. queued[send]: cycles that a message stood behind others of its PE. XT_ERR_NOMEM. */
int xt_replay_path(xt_replay_result_t *result, const xt_schedule_t *schedule, const uint32_t *queued, uint32_t room);
/* The share of the cell slots of each card's ports that card_cells[card] used. */
void xt_replay_utilisation(xt_replay_result_t *result, const uint64_t *card_cells, unsigned ports);
