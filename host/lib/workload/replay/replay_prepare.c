/* SPDX-License-Identifier: Apache-2.0
 *
 * What is checked and made before a replay runs. */
#include <inttypes.h>
#include <stdlib.h>

#include "device/device_internal.h"
#include "device/rank_partition.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "replay_state.h"

enum { DEFAULT_WATCHDOG = 4000 };

static int check(const xt_replay_t *r, xt_diag_t *diag)
{
	const xt_image_t *image = r->image;
	unsigned pes = xt_image_pes(image);

	if (xt_image_profile(image) != xt_device_profile(r->device) ||
		xt_image_cards(image) != xt_device_cards(r->device)) {
		return xt_fail(diag, XT_ERR_MISMATCH, "replay: the device was not made for this image");
	}
	if (r->least_cells > r->packet_cells) {
		return xt_fail(diag, XT_ERR_RANGE, "replay: packets of at least %u cells; choose 1 to %u",
			r->least_cells, r->packet_cells);
	}
	for (uint32_t rank = 0; rank < r->w->ranks; rank++) {
		uint32_t pe = r->options->pe[rank];

		if (pe >= pes || !xt_image_pe_in_service(image, pe)) {
			return xt_fail(diag, XT_ERR_RANGE,
				"replay: rank %" PRIu32 " is on PE %" PRIu32 ", which is not in service", rank, pe);
		}
		if (!(xt_image_pe_tc_mask(image, pe) & (r->options->tc_mask ? r->options->tc_mask : ~0u))) {
			return xt_fail(diag, XT_ERR_INVALID,
				"replay: the image allows PE %" PRIu32 " none of these traffic classes; choose others",
				pe);
		}
	}
	for (uint32_t e = 0; e < r->w->count; e++) {
		if (r->w->kind[e] == XT_EVENT_SEND &&
			xt_workload_size(r->w, e) / r->cell_bytes >= UINT32_MAX - r->packet_cells) {
			return xt_fail(diag, XT_ERR_RANGE, "replay: a message of %" PRIu64 " bytes is too long",
				xt_workload_size(r->w, e));
		}
	}
	return XT_OK;
}

/* Which PEs are this process's. */
static int prepare_ranks(xt_replay_t *r, xt_diag_t *diag)
{
	const unsigned pes = xt_image_pes(r->image), own = xt_ranks_own(r->options->ranks);
	const unsigned per_card = pes / xt_device_cards(r->device);
	int status;

	r->own_end = pes;
	if (!r->options->ranks) {
		return XT_OK;
	}
	status = xt_rank_partition(r->device, xt_ranks_count(r->options->ranks), 0, NULL, &r->rank_cards, diag);
	if (status == XT_OK) {
		r->own_first = r->rank_cards[own] * per_card;
		r->own_end = r->rank_cards[own + 1] * per_card;
	}
	return status;
}

int xt_replay_prepare(xt_replay_t *r, int (*send)(void *context, uint32_t event, uint64_t cycle),
	xt_delivery_t delivered, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(r->device);
	const double cycles_per_ns = (r->options->cycles_per_ns > 0.0 ? r->options->cycles_per_ns : 0.65) *
				     (r->options->compute_scale >= 0.0 ? r->options->compute_scale : 1.0);
	unsigned pes = xt_image_pes(r->image);
	int status;

	r->cell_bytes = (profile->cell_bits + 7) / 8;
	r->packet_cells = profile->packet_cells;
	r->least_cells = r->options->least_cells ? r->options->least_cells : 1;
	status = xt_device_need_all(r->device, "replay", diag);
	if (status != XT_OK || (status = check(r, diag)) != XT_OK) {
		return status;
	}
	if (profile->replay_cells) {
		status = xt_device_read(
			r->device, 0, xt_register_address(XT_REG_LINK_KEEPALIVE, 0, 0), &r->keepalive, 1, diag);
		if (status != XT_OK) {
			return status;
		}
	}
	r->watchdog = r->options->watchdog ? r->options->watchdog : DEFAULT_WATCHDOG;
	r->result = calloc(1, sizeof(*r->result));
	r->queues = calloc(pes, sizeof(*r->queues));
	r->ready_at = malloc(pes * sizeof(*r->ready_at));
	r->next = malloc(((size_t)r->w->count + 1) * sizeof(*r->next));
	r->card_cells = calloc(xt_device_cards(r->device), sizeof(*r->card_cells));
	r->addresses = malloc(pes * sizeof(*r->addresses));
	status = r->stream ? XT_OK : xt_schedule_begin(&r->schedule, r->w);
	/* A send that waits for its cpu has not begun. */
	r->missing = r->stream ? malloc(((size_t)r->w->count + 1) * sizeof(*r->missing)) : r->schedule.next_waiting;
	if (!r->result || !r->queues || !r->ready_at || !r->next || !r->missing || !r->card_cells || !r->addresses ||
		status != XT_OK) {
		return xt_fail(diag, XT_ERR_NOMEM, "replay: out of memory for %" PRIu32 " events", r->w->count);
	}
	for (unsigned pe = 0; pe < pes; pe++) {
		r->ready_at[pe] = UINT64_MAX;
		r->queues[pe].first = XT_NO_EVENT;
		r->queues[pe].turn = XT_MAX_TCS - 1;
		if (xt_image_pe_in_service(r->image, pe)) {
			r->addresses[r->address_count++] = xt_image_pe_address(r->image, pe);
		}
	}
	if ((status = prepare_ranks(r, diag)) != XT_OK) {
		return status;
	}
	if (r->stream) {
		r->total = r->stream->vef.messages;
		r->stream->send = send;
		r->stream->context = r;
		r->stream->cycles_per_ns = cycles_per_ns;
		r->begin = r->stream->begin;
	} else {
		for (uint32_t e = 0; e < r->w->count; e++) {
			r->total += r->w->kind[e] == XT_EVENT_SEND;
		}
		r->schedule.send = send;
		r->schedule.context = r;
		r->schedule.cycles_per_ns = cycles_per_ns;
		r->begin = r->schedule.begin;
	}
	r->result->cards = xt_device_cards(r->device);
	r->result->pes = pes;
	if (r->options->jobs && (status = xt_replay_jobs_prepare(r, diag)) != XT_OK) {
		return status;
	}
	return xt_scoreboard_create(
		r->image, xt_device_peers(r->device), &r->findings, delivered, r, &r->scoreboard, diag);
}

void xt_replay_clean_up(xt_replay_t *r)
{
	xt_sample_free(&r->network_cell);
	xt_sample_free(&r->end_to_end_cell);
	xt_sample_free(&r->network_packet);
	xt_sample_free(&r->end_to_end_packet);
	xt_replay_jobs_clean_up(r);
	xt_scoreboard_free(r->scoreboard);
	xt_violations_free(&r->findings);
	if (r->missing != r->schedule.next_waiting) {
		free(r->missing);
	}
	xt_schedule_free(&r->schedule);
	free(r->queues);
	free(r->ready_at);
	free(r->next);
	free(r->card_cells);
	free(r->addresses);
	free(r->rank_cards);
	xt_replay_free(r->result);
}
