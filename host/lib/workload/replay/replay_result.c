/* SPDX-License-Identifier: Apache-2.0
 *
 * The critical path and the utilisation of a replay. */
#include "replay_result.h"

#include <stdlib.h>

#include "workload/build.h"

/* A place on the critical path: the end of an event, or its begin. */
typedef struct {
	uint32_t event;
	int begin;
} place_t;

static uint64_t time_of(const xt_schedule_t *s, place_t place)
{
	return place.begin ? s->begin[place.event] : s->end[place.event];
}

/* What the place waited for last, and how the cycles since then were spent. */
static place_t step_back(xt_replay_result_t *result, const xt_schedule_t *s, const uint32_t *queued, place_t at)
{
	const xt_workload_t *w = s->w;
	uint32_t e = at.event, cause = s->cause[e];
	int receives = w->kind[e] == XT_EVENT_RECV;
	place_t before = {cause, s->of_begin && s->of_begin[e] & 1};
	uint64_t *spent = &result->path_waiting, behind = 0;

	if (!at.begin && !receives) {
		before = (place_t){e, 1};
		spent = w->kind[e] == XT_EVENT_CALC ? &result->path_calculation : &result->path_sends;
	} else if (at.begin && s->begin_cause) {
		before = (place_t){s->begin_cause[e], s->of_begin[e] >> 1};
	} else if (!at.begin && cause != XT_NO_EVENT && xt_schedule_is_message(s, e, cause)) {
		before = (place_t){cause, 1};
		spent = &result->path_transfer;
		behind = queued[cause];
		result->path_messages++;
	}
	*spent += time_of(s, at) - (before.event == XT_NO_EVENT ? 0 : time_of(s, before)) - behind;
	result->path_sends += behind;
	return before;
}

int xt_replay_path(xt_replay_result_t *result, const xt_schedule_t *schedule, const uint32_t *queued, uint32_t room)
{
	uint32_t *path = malloc(room * sizeof(*path));
	uint32_t count = 0, last = XT_NO_EVENT;

	if (!path) {
		return XT_ERR_NOMEM;
	}
	for (place_t at = {schedule->last, 0}; at.event != XT_NO_EVENT; at = step_back(result, schedule, queued, at)) {
		if (at.event != last && count < room) {
			path[count++] = at.event;
		} else if (at.event != last) {
			result->path_cut = 1;
		}
		last = at.event;
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
	free(result->jobs);
	free(result->begin);
	free(result->end);
	free(result);
}
