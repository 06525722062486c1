/* SPDX-License-Identifier: Apache-2.0
 *
 * The critical path and the utilisation of a replay. */
#include "replay_result.h"

#include <stdlib.h>

#include "build.h"

int xt_replay_path(xt_replay_result_t *result, const xt_workload_t *w, const xt_schedule_t *schedule, uint32_t room)
{
	uint32_t *path = malloc(room * sizeof(*path));
	uint32_t count = 0;

	if (!path) {
		return XT_ERR_NOMEM;
	}
	for (uint32_t e = schedule->last; e != XT_NO_EVENT; e = schedule->cause[e]) {
		uint32_t cause = schedule->cause[e];

		if (count < room) {
			path[count++] = e;
		} else {
			result->path_cut = 1;
		}
		if (w->kind[e] == XT_EVENT_RECV && cause == w->match[e]) {
			result->path_messages++;
			result->path_transfer += schedule->end[e] - schedule->begin[cause];
		} else if (w->kind[e] == XT_EVENT_CALC) {
			result->path_calculation += schedule->end[e] - schedule->begin[e];
		}
	}
	for (uint32_t i = 0; i < count / 2; i++) {
		uint32_t kept = path[i];

		path[i] = path[count - 1 - i];
		path[count - 1 - i] = kept;
	}
	result->path = path;
	result->path_count = count;
	return XT_OK;
}

void xt_replay_utilisation(xt_replay_result_t *result, const uint64_t *card_cells, unsigned ports)
{
	double slots = (double)result->execution_cycles * ports;

	for (unsigned card = 0; card < result->cards && slots > 0.0; card++) {
		double used = (double)card_cells[card] / slots;

		result->utilisation += used / result->cards;
		if (used > result->utilisation_most) {
			result->utilisation_most = used;
			result->utilisation_most_card = card;
		}
	}
}

int xt_replay_ok(const xt_replay_result_t *result)
{
	for (unsigned i = 0; i < XT_FINDINGS; i++) {
		if (result->findings[i]) {
			return 0;
		}
	}
	return result->drained;
}

void xt_replay_free(xt_replay_result_t *result)
{
	if (!result) {
		return;
	}
	for (unsigned i = 0; i < result->report_count; i++) {
		free(result->reports[i]);
	}
	free(result->reports);
	free(result->path);
	free(result->begin);
	free(result->end);
	free(result);
}
