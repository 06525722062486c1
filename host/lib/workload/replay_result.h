/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/replay.h"
#include "schedule.h"

/* The critical path, back from the event that was done last by what each waited for last; at most `room` events of
 * the path are kept. XT_ERR_NOMEM. */
int xt_replay_path(xt_replay_result_t *result, const xt_workload_t *w, const xt_schedule_t *schedule, uint32_t room);
/* The share of the cell slots of each card's ports that card_cells[card] used. */
void xt_replay_utilisation(xt_replay_result_t *result, const uint64_t *card_cells, unsigned ports);
