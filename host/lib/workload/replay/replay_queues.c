/* SPDX-License-Identifier: Apache-2.0
 *
 * What the PEs send, message by message. The back end may take packets ahead of what the program is told. So a queue
 * has what was taken, and what of that was told. */
#include "replay_state.h"

static uint32_t cells_of(const xt_replay_t *r, uint32_t send)
{
	uint64_t cells = (xt_workload_size(r->w, send) + r->cell_bytes - 1) / r->cell_bytes;
	uint32_t last = cells ? (uint32_t)((cells - 1) % r->packet_cells) + 1 : 0;

	return (uint32_t)cells + (last < r->least_cells ? r->least_cells - last : 0);
}

uint64_t xt_replay_delay(const xt_replay_t *r)
{
	return (uint64_t)r->options->nic_latency + r->options->turnaround;
}

/* How long the send has stood behind others since it could have been fetched. */
static uint32_t queued_for(const xt_replay_t *r, uint32_t event, uint64_t cycle)
{
	uint64_t waited = cycle - (r->begin[event] - r->jumped + xt_replay_delay(r));

	return waited < UINT32_MAX ? (uint32_t)waited : UINT32_MAX;
}

int xt_replay_on_send(void *context, uint32_t event, uint64_t cycle)
{
	xt_replay_t *r = context;
	uint32_t pe = r->options->pe[r->w->rank[event]];
	xt_replay_queue_t *q = &r->queues[pe];

	r->result->messages++;
	if (r->options->pe[xt_workload_peer(r->w, event)] == pe) {
		r->result->local_messages++;
		r->arrived++;
		r->next[event] = 0;
		return 1;
	}
	r->missing[event] = cells_of(r, event);
	r->next[event] = XT_NO_EVENT;
	if (q->first == XT_NO_EVENT) {
		q->first = event;
		q->left = r->missing[event];
		r->ready_at[pe] = cycle - r->jumped + xt_replay_delay(r);
	} else {
		r->next[q->last] = event;
	}
	q->last = event;
	return 0;
}

static uint8_t next_tc(const xt_replay_t *r, xt_replay_queue_t *q, uint32_t pe)
{
	unsigned allowed = xt_image_pe_tc_mask(r->image, pe);
	unsigned mask = r->options->tc_mask ? allowed & r->options->tc_mask : allowed & -allowed;

	do {
		q->turn = (uint8_t)((q->turn + 1) % XT_MAX_TCS);
	} while (!(mask >> q->turn & 1));
	return q->turn;
}

/* The next packet of a PE. */
static void take(xt_replay_t *r, unsigned pe, xt_packet_t *packet)
{
	xt_replay_queue_t *q = &r->queues[pe];
	const uint32_t event = q->first;

	if (q->left == cells_of(r, event)) {
		next_tc(r, q, pe);
	}
	*packet = (xt_packet_t){.source = pe,
		.sequence = q->sequence++,
		.generated = r->begin[event] - r->jumped,
		.destination = r->options->pe[xt_workload_peer(r->w, event)],
		.cells = (uint16_t)(q->left < r->packet_cells ? q->left : r->packet_cells),
		.tc = q->turn,
		.message = event};
	q->left -= packet->cells;
	if (q->left == 0) {
		q->first = r->next[event];
		r->ready_at[pe] = UINT64_MAX;
		if (q->first != XT_NO_EVENT) {
			q->left = cells_of(r, q->first);
			r->ready_at[pe] = r->begin[q->first] - r->jumped + xt_replay_delay(r);
		}
	}
}

const uint32_t *xt_replay_on_make(void *context, unsigned pe, uint64_t cycle, xt_packet_t *packet, unsigned *cells)
{
	xt_replay_t *r = context;

	(void)cycle;
	take(r, pe, packet);
	*cells = packet->cells;
	return xt_scoreboard_make(r->scoreboard, packet);
}

void xt_replay_on_begin(void *context, const xt_packet_t *packet)
{
	xt_replay_t *r = context;
	xt_replay_queue_t *q = &r->queues[packet->source];
	const uint32_t event = packet->message;

	if (packet->source < r->own_first || packet->source >= r->own_end) {
		xt_packet_t same;

		take(r, packet->source, &same);
	}
	if (xt_scoreboard_register(r->scoreboard, packet) != XT_OK) {
		r->status = XT_ERR_NOMEM;
		return;
	}
	r->result->packets++;
	r->result->cells += packet->cells;
	if (q->left_of_send == 0) {
		q->left_of_send = cells_of(r, event);
		q->waited = queued_for(r, event, r->cycle - r->jumped);
	}
	q->event = event;
	q->cells = packet->cells;
	q->left_of_send -= packet->cells;
	if (q->left_of_send == 0) {
		r->next[event] = q->waited;
	}
}

const uint32_t *xt_replay_on_fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	xt_packet_t packet;
	const uint32_t *words = xt_replay_on_make(context, pe, cycle, &packet, cells);

	xt_replay_on_begin(context, &packet);
	return ((const xt_replay_t *)context)->status ? NULL : words;
}
