/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include <stdlib.h>
#include <string.h>

#if EXTORUS_FRAME_LAYER

enum {
	CELL_SEQ_MASK = (1 << EXTORUS_FRAME_CELL_SEQ_BITS) - 1,
	CREDIT_SEQ_MASK = (1 << EXTORUS_FRAME_CREDIT_SEQ_BITS) - 1,
	REPLAY_CELLS = EXTORUS_REPLAY_CELLS,
	HOLD_LIMIT = REPLAY_CELLS - 2 * PACKET_CELLS - 8,
	DOWN_FRAMES = 64,
	DRAIN_FRAMES = 55, /* until so many are left a packet may come that began before the link held */
	SETTLE_CYCLES = 15,
	CAUSE_NONE = 0,
	CAUSE_RETRIES = 1,
	CAUSE_REMOTE = 2,
	CAUSE_NO_SIGNAL = 3,
	CAUSE_DISABLED = 4,
};

void link_reset(link_t *link)
{
	link_buffers_t *buffers = link->buffers;

	memset(link, 0, sizeof(*link));
	link->buffers = buffers;
	link->down = 1;
}

/* ---------------------------------------------------------------- receiver of a stream */

static int rx_step(retry_rx_t *rx, unsigned mask, int item, unsigned seq, int error, int sent)
{
	unsigned distance = (seq - rx->expected) & mask;
	int deliver = item && distance == 0;
	int ahead = item && distance != 0 && !(distance & (mask + 1) >> 1);

	if (deliver) {
		rx->expected = (uint16_t)((rx->expected + 1u) & mask);
		rx->missed = 0;
		rx->nack = 0;
	} else if ((ahead || error) && !rx->missed) {
		rx->missed = 1;
		rx->nack = 1;
	} else if (sent) {
		rx->nack = 0;
	}
	if (item) {
		rx->pending = 1;
	} else if (sent) {
		rx->pending = 0;
	}
	return deliver;
}

static int rx_waits(const retry_rx_t *rx)
{
	return rx->pending | rx->nack;
}

/* ---------------------------------------------------------------- sender of a stream */

static unsigned tx_used(const retry_tx_t *tx, unsigned mask)
{
	return (unsigned)(tx->write - tx->acked) & mask;
}

/* An item is offered. */
static int tx_valid(const retry_tx_t *tx, int push)
{
	return tx->send != tx->write ? tx->fresh || !EXTORUS_REPLAY_BYPASS : push && EXTORUS_REPLAY_BYPASS;
}

typedef struct {
	int valid; /* an ack came */
	unsigned ack;
	int nack;
} ack_t;

enum { TX_REPLAY = 1, TX_TIMEOUT = 2, TX_FAILED = 4 };

static unsigned tx_step(retry_tx_t *tx, unsigned mask, int push, int ready, ack_t ack, int drain, unsigned timeout,
	unsigned retry_limit)
{
	unsigned newly = (ack.ack - tx->acked) & mask;
	int progress = ack.valid && newly != 0 && newly <= tx_used(tx, mask);
	unsigned acked = progress ? ack.ack : tx->acked;
	int expired = !progress && tx->timer == 1;
	int nacked = ack.valid && ack.nack;
	int go_back = !drain && acked != tx->write && (nacked || expired);
	unsigned retries = progress ? 0 : tx->retries;
	int exhausted = retries >= retry_limit;
	unsigned send = (tx->send + (unsigned)(tx_valid(tx, push) && ready)) & mask;

	if (progress && ((send - tx->acked) & mask) < newly) {
		send = ack.ack;
	}
	if (go_back || (drain && !tx->drain)) {
		send = acked;
	}
	tx->timer = (uint16_t)(tx->acked == tx->write || progress || go_back ? timeout : tx->timer - 1u);
	tx->fresh = send != tx->write;
	tx->write = (uint16_t)((tx->write + (unsigned)push) & mask);
	tx->send = (uint16_t)send;
	tx->acked = (uint16_t)acked;
	tx->drain = (uint8_t)drain;
	tx->retries = (uint8_t)(go_back && !exhausted ? retries + 1 : retries);
	return (unsigned)(go_back ? TX_REPLAY : 0) | (unsigned)(go_back && expired && !nacked ? TX_TIMEOUT : 0) |
	       (unsigned)(go_back && exhausted ? TX_FAILED : 0);
}

static void tx_reset(retry_tx_t *tx, unsigned timeout)
{
	int idle = tx->acked == tx->write;

	/* The timer has no reset, but a buffer that is empty winds it up. */
	tx->timer = (uint16_t)(idle ? timeout : tx->timer - 1u);
	tx->write = tx->send = tx->acked = 0;
	tx->fresh = tx->drain = tx->retries = 0;
}

/* ---------------------------------------------------------------- one cycle */

/* Registers of the receiving side; returns the events. */
static unsigned receive(link_t *link, packets_t *packets, int take_cell, int take_credit, int normal, link_cell_t *cell)
{
	const frame_t *in = &link->in;
	int up = link->state == LINK_UP;
	int intact = link->in_valid && !in->broken, broken = link->in_valid && in->broken;
	int complete = !up && link->in_packet;
	unsigned events = (broken ? LINK_CRC_ERROR : 0u) | (complete && !link->in_completion ? LINK_CUT : 0u);

	link->in_completion = (uint8_t)complete;
	cell->valid = take_cell || complete;
	cell->has_vc = take_cell;
	cell->vc = in->vc;
	cell->cell = take_cell ? in->cell : TOKEN_POISON;
	if (take_cell) {
		if (link->in_packet) {
			link->in_packet = link->in_left != 1;
			link->in_left--;
		} else {
			unsigned len = packets_header(packets, in->cell).len;

			link->in_packet = len != 0;
			link->in_left = (uint8_t)len;
		}
	} else if (complete) {
		link->in_packet = link->in_left != 1;
		link->in_left--;
	}
	link->rx_credit_valid = (uint8_t)take_credit;
	if (take_credit) {
		link->rx_credit_vc = in->credit_vc;
	}
	link->ack_valid = (uint8_t)normal;
	if (normal) {
		link->cell_ack = in->cell_ack;
		link->cell_nack = in->cell_nack;
		link->credit_ack = in->credit_ack;
		link->credit_nack = in->credit_nack;
	}
	link->train_event = intact && in->ctrl == CTRL_TRAIN;
	link->heard_event = intact && in->ctrl == CTRL_HEARD;
	link->answer = up && intact && in->ctrl == CTRL_HEARD && !in->cell_nack;
	link->down_event = intact && in->ctrl == CTRL_DOWN;
	link->normal_event = intact && in->ctrl == CTRL_NORMAL;
	return events;
}

static int train_ready(const link_t *link)
{
	return link->state == LINK_TRAIN && link->ready == 15;
}

/* The state machine, with what was true before this cycle. */
static unsigned change_state(link_t *link, const link_inputs_t *in, int failed, int silent, int complete, int heard,
	int train, int down, int answered, unsigned cells_used, int drain)
{
	int up = link->state == LINK_UP, trained = train_ready(link);
	int retrain = (in->retrain || link->retrain) && !in->disable &&
		      (up || (link->state == LINK_DOWN && link->burst == 0));
	unsigned was = link->state, was_burst = link->burst, settled = link->settled, settle = link->settle;

	link->retrain = was == LINK_DOWN && (in->retrain || link->retrain) && !retrain && !in->disable;
	if (link->burst) {
		link->burst--;
	}
	if (in->disable) {
		if (was != LINK_DOWN) {
			link->burst = DOWN_FRAMES;
		}
		link->state = LINK_DOWN;
		link->cause = CAUSE_DISABLED;
	} else if (retrain) {
		if (up) {
			link->burst = DOWN_FRAMES;
		}
		link->state = LINK_TRAIN;
		link->cause = CAUSE_NONE;
	} else if (trained && heard) {
		link->state = LINK_UP;
	} else if (up && (failed || down || train || silent)) {
		link->state = LINK_DOWN;
		link->burst = DOWN_FRAMES;
		link->cause = failed ? CAUSE_RETRIES : down || train ? CAUSE_REMOTE : CAUSE_NO_SIGNAL;
	}
	if (was != LINK_TRAIN || !in->input_empty || complete || drain || was_burst) {
		link->ready = 0;
	} else if (link->ready != 15) {
		link->ready++;
	}
	link->heard = was == LINK_TRAIN && (link->heard || train || heard);
	if (!up || answered) {
		link->settle = 0;
	} else if (link->settle != SETTLE_CYCLES) {
		link->settle++;
	}
	link->settled = up && (settled || settle == SETTLE_CYCLES);
	link->restart = up && !settled && settle == SETTLE_CYCLES;
	link->down = !(up && settled);
	link->hold = up ? !settled || cells_used > HOLD_LIMIT : drain;
	return retrain ? LINK_RETRAIN : 0;
}

unsigned link_step(link_t *link, packets_t *packets, const link_inputs_t *in, link_cell_t *cell)
{
	const int up = link->state == LINK_UP;
	const frame_t got = link->in;
	const int intact = link->in_valid && !got.broken, broken = link->in_valid && got.broken;
	const int normal = up && intact && got.ctrl == CTRL_NORMAL;
	const int complete = !up && link->in_packet;
	const int train = link->train_event, heard = link->heard_event, down = link->down_event;
	const int answered = link->answer;
	const int keepalive = in->keepalive != 0;
	const int silent = keepalive && link->silent >= (uint32_t)in->keepalive << 2;
	const unsigned cells_used = tx_used(&link->cells_tx, CELL_SEQ_MASK);
	const int drain = link->drain;
	const int drains = !up && drain && (link->draining || link->burst <= DRAIN_FRAMES);
	unsigned events = 0, cell_events = 0, credit_events = 0;
	int failed, dropped, lost;

	/* Cells from the switch: accepted or swallowed. */
	int last = 0, push_cell = 0;

	dropped = link->tx_packet && link->tx_accepted && !up;
	if (in->tx_valid) {
		unsigned len = link->tx_packet ? 0 : packets_header(packets, in->tx_cell).len;
		int accept = up && (link->tx_packet ? link->tx_accepted : !link->down);

		last = link->tx_packet ? link->tx_left == 1 : len == 0;
		push_cell = accept;
		dropped = link->tx_packet ? dropped : !accept;
		link->tx_left = (uint8_t)(link->tx_packet ? link->tx_left - 1u : len);
		if (!accept) {
			packets_consume(packets, in->tx_cell);
		}
	}
	if (!up) {
		link->tx_accepted = 0;
	} else if (in->tx_valid && !link->tx_packet) {
		link->tx_accepted = !link->down;
	}
	if (in->tx_valid) {
		link->tx_packet = !last;
	}
	if (((in->tx_credit_valid && up) || push_cell) && !link_make_buffers(link)) {
		packets->failed = 1;
		return 0;
	}
	if (push_cell) {
		replay_cell_t *r = &link->buffers->cells[link->cells_tx.write % REPLAY_CELLS];

		r->cell = in->tx_cell;
		r->vc = in->tx_vc;
		r->last = (uint8_t)last;
	}

	const int push_credit = in->tx_credit_valid && up;

	if (push_credit) {
		link->buffers->credits[link->credits_tx.write % BUFFER_CELLS] = in->tx_credit_vc;
	}

	/* The frame that leaves. */
	const int cell_valid = tx_valid(&link->cells_tx, push_cell);
	const int credit_valid = tx_valid(&link->credits_tx, push_credit);
	const replay_cell_t offered =
		cell_valid ? link->buffers->cells[link->cells_tx.send % REPLAY_CELLS] : (replay_cell_t){0};
	const int answer = up && answered;
	const int keepalive_due = keepalive && link->keepalive_quiet >> 1 == 0;
	const int sent = up && !answer &&
			 (cell_valid || credit_valid || rx_waits(&link->cells_rx) || rx_waits(&link->credits_rx) ||
				 keepalive_due);
	const int trains = train_ready(link);
	const int down_frame = link->burst != 0 || (link->state == LINK_DOWN && link->normal_event);
	const int body_valid = sent || answer || trains || down_frame;

	if (link->body_valid) {
		link->out = link->body;
	}
	link->out_valid = link->body_valid;
	if (body_valid) {
		frame_t *body = &link->body;

		body->ctrl = down_frame ? CTRL_DOWN
			     : trains   ? (link->heard ? CTRL_HEARD : CTRL_TRAIN)
			     : answer   ? CTRL_HEARD
					: CTRL_NORMAL;
		body->cell_valid = sent && cell_valid;
		body->cell = offered.cell;
		body->vc = offered.vc;
		body->cell_seq = link->cells_tx.send;
		body->credit_valid = sent && credit_valid;
		body->credit_vc = credit_valid ? link->buffers->credits[link->credits_tx.send % BUFFER_CELLS] : 0;
		body->credit_seq = link->credits_tx.send;
		body->cell_ack = link->cells_rx.expected;
		body->cell_nack = answer || (sent && link->cells_rx.nack);
		body->credit_ack = link->credits_rx.expected;
		body->credit_nack = sent && link->credits_rx.nack;
		body->broken = 0;
	}
	link->body_valid = (uint8_t)body_valid;
	if (sent && (link->cells_rx.nack || link->credits_rx.nack)) {
		events |= LINK_NACK;
	}
	/* What is offered is read in the next cycle. */
	lost = link->lost_cell;
	link->lost_cell = link->draining && drains && cell_valid && offered.last;

	/* Both streams, each way. */
	const ack_t cell_ack = {link->ack_valid && up, link->cell_ack, link->cell_nack};
	const ack_t credit_ack = {link->ack_valid, link->credit_ack, link->credit_nack};
	const int drained = link->cells_tx.drain && link->cells_tx.send == link->cells_tx.write;
	int take_cell = 0, take_credit = 0;

	if (up || drain) {
		cell_events = tx_step(&link->cells_tx, CELL_SEQ_MASK, push_cell, !answer, cell_ack, drains, in->timeout,
			in->retry_limit);
	} else {
		tx_reset(&link->cells_tx, in->timeout);
	}
	if (up) {
		credit_events = tx_step(&link->credits_tx, CREDIT_SEQ_MASK, push_credit, !answer, credit_ack, 0,
			in->timeout, in->retry_limit);
		take_cell =
			rx_step(&link->cells_rx, CELL_SEQ_MASK, normal && got.cell_valid, got.cell_seq, broken, sent);
		take_credit = rx_step(
			&link->credits_rx, CREDIT_SEQ_MASK, normal && got.credit_valid, got.credit_seq, broken, sent);
	} else {
		tx_reset(&link->credits_tx, in->timeout);
		memset(&link->cells_rx, 0, sizeof(link->cells_rx));
		memset(&link->credits_rx, 0, sizeof(link->credits_rx));
	}
	failed = ((cell_events | credit_events) & TX_FAILED) != 0;
	if (up && (cell_events | credit_events) & TX_REPLAY) {
		events |= LINK_REPLAY;
	}
	if (up && (cell_events | credit_events) & TX_TIMEOUT) {
		events |= LINK_TIMEOUT;
	}
	if (dropped || lost) {
		events |= LINK_DROPPED;
	}
	link->draining = (uint8_t)drains;
	link->drain = up || (drain && !drained);

	events |= receive(link, packets, take_cell, take_credit, normal, cell);

	if (!up || sent || answer) {
		link->keepalive_quiet = in->keepalive;
	} else if (link->keepalive_quiet) {
		link->keepalive_quiet--;
	}
	if (!up || intact || !keepalive) {
		link->silent = 0;
	} else {
		link->silent = (link->silent + 1) & 0x3ffff;
	}
	events |= change_state(link, in, failed, silent, complete, heard, train, down, answered, cells_used, drain);

	link->in_valid = in->frame != NULL;
	if (in->frame) {
		link->in = *in->frame;
	}
	return events;
}

int link_busy(const link_t *link, const link_inputs_t *in, int rx_valid)
{
	int up = link->state == LINK_UP;
	int up_busy = up && (!link->settled || link->down || link->cells_tx.write != link->cells_tx.acked ||
				    link->credits_tx.write != link->credits_tx.acked || rx_waits(&link->cells_rx) ||
				    rx_waits(&link->credits_rx) || in->disable);
	int train_active = link->state == LINK_TRAIN && (in->input_empty || in->disable);

	return up_busy || train_active || link->burst || link->retrain || (link->drain && !up) ||
	       (!up && link->in_packet) || in->retrain || in->tx_valid || in->tx_credit_valid || rx_valid ||
	       link->rx_credit_valid || (link->hold && !up);
}

int link_active(const link_t *link, const link_inputs_t *in)
{
	return (link->state == LINK_UP && in->keepalive) || in->frame || link->in_valid || link->normal_event ||
	       link->heard_event || link->train_event || link->down_event || link->body_valid || link->out_valid;
}

int link_trains_in_vain(const link_t *link, const link_inputs_t *in)
{
	const retry_tx_t *cells = &link->cells_tx, *credits = &link->credits_tx;

	if (link->state != LINK_TRAIN || link->ready != 15 || !link->body_valid || !link->out_valid ||
		link->body.ctrl != CTRL_TRAIN || link->out.ctrl != CTRL_TRAIN || !in->input_empty) {
		return 0;
	}
	if (in->frame || in->tx_valid || in->tx_credit_valid || in->retrain || in->disable || in->keepalive ||
		link->heard | link->in_valid | link->ack_valid | link->train_event | link->heard_event | link->answer |
			link->down_event | link->normal_event | link->rx_credit_valid | link->burst | link->retrain |
			link->restart | link->in_completion | link->draining | link->lost_cell | link->drain |
			link->hold | link->in_packet | link->tx_packet | link->tx_accepted) {
		return 0;
	}
	return cells->timer == in->timeout && credits->timer == in->timeout && cells->write == cells->acked &&
	       credits->write == credits->acked && !link->settled && link->settle == 0 && link->silent == 0 &&
	       !link->keepalive_quiet;
}

int link_rests(const link_t *link, const link_inputs_t *in)
{
	const retry_tx_t *cells = &link->cells_tx, *credits = &link->credits_tx;

	if (link->in_valid | link->ack_valid | link->train_event | link->heard_event | link->answer | link->down_event |
		link->normal_event | link->rx_credit_valid | link->body_valid | link->out_valid | link->burst |
		link->retrain | link->restart | link->in_completion | link->draining | link->lost_cell | link->hold) {
		return 0;
	}
	if (cells->timer != in->timeout || credits->timer != in->timeout || cells->write != cells->acked ||
		credits->write != credits->acked) {
		return 0;
	}
	if (link->state == LINK_UP) {
		return !in->keepalive && !link->keepalive_quiet && !in->disable && link->settled && !link->down &&
		       link->settle == SETTLE_CYCLES && link->silent == 0 && !rx_waits(&link->cells_rx) &&
		       !rx_waits(&link->credits_rx) && cells->send == cells->write && credits->send == credits->write;
	}
	/* While the card is initialised a link waits to be trained. */
	if (link->state == LINK_TRAIN && in->initialising) {
		return link->ready == 0 && !link->heard && !in->disable && !in->keepalive;
	}
	return link->state == LINK_DOWN && link->keepalive_quiet == in->keepalive && !link->drain && !link->in_packet &&
	       !link->tx_accepted && !link->settled && link->ready == 0 && link->settle == 0 && link->down;
}

#endif

int link_make_buffers(link_t *link)
{
	if (!link->buffers) {
		link->buffers = calloc(1, sizeof(*link->buffers));
	}
	return link->buffers != NULL;
}

void link_close(link_t *link)
{
	free(link->buffers);
}
