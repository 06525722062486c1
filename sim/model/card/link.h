/* SPDX-License-Identifier: Apache-2.0
 *
 * The link layer of one link port: training, two go-back-N streams, completion of packets that were cut, going down.
 * In profiles without one a link is wires, and only frame_t is used. */
#pragma once

#include "packet_pool.h"

enum { CTRL_NORMAL, CTRL_TRAIN, CTRL_HEARD, CTRL_DOWN };
enum { LINK_TRAIN, LINK_UP, LINK_DOWN };

typedef struct {
	token_t cell;
	uint16_t cell_seq, credit_seq, cell_ack, credit_ack;
	uint8_t ctrl, vc, credit_vc;
	uint8_t cell_valid : 1, credit_valid : 1, cell_nack : 1, credit_nack : 1;
	uint8_t broken : 1; /* the check word does not fit */
} frame_t;

typedef struct {
	uint16_t expected;
	uint8_t missed, nack, pending;
} retry_rx_t;

typedef struct {
	uint16_t write, send, acked; /* sequence numbers */
	uint16_t timer;
	uint8_t fresh, drain, retries;
} retry_tx_t;

/* A cell in the replay buffer. */
typedef struct {
	token_t cell;
	uint8_t vc, last;
} replay_cell_t;

/* What has been sent and is not acknowledged, by sequence numbers. */
typedef struct {
#if EXTORUS_FRAME_LAYER
	replay_cell_t cells[EXTORUS_REPLAY_CELLS];
	uint8_t credits[EXTORUS_BUFFER_CELLS];
#else
	int none;
#endif
} link_buffers_t;

/* What other parts of the card see of a link, and its registers. */
typedef struct {
	uint8_t state, cause;
	uint8_t hold, down, restart;

	/* Frame that came in the last cycle. */
	uint8_t in_valid;
	frame_t in;
	retry_rx_t cells_rx, credits_rx;
	uint8_t in_packet, in_completion, in_left; /* packet that is being received */
	uint8_t ack_valid, cell_nack, credit_nack;
	uint16_t cell_ack, credit_ack;
	uint8_t train_event, heard_event, answer, down_event, normal_event;

	/* To the switch. */
	uint8_t rx_credit_valid, rx_credit_vc;

	uint8_t tx_packet, tx_accepted, tx_left;
	retry_tx_t cells_tx, credits_tx;
	uint8_t drain, draining, lost_cell;
	uint8_t body_valid, out_valid;
	frame_t body, out;

	uint16_t keepalive_quiet;
	uint32_t silent;
	uint8_t ready, settle, settled, burst, retrain, heard;

	link_buffers_t *buffers; /* NULL: nothing has been sent yet; ends with link_close */
} link_t;

/* Events of a cycle: bits in the order of the counters from POISONED on, and one more. */
enum {
	LINK_CUT = 1 << 0,
	LINK_CRC_ERROR = 1 << 1,
	LINK_NACK = 1 << 2,
	LINK_REPLAY = 1 << 3,
	LINK_TIMEOUT = 1 << 4,
	LINK_RETRAIN = 1 << 5,
	LINK_DROPPED = 1 << 6,
};

typedef struct {
	const frame_t *frame; /* that arrives, or NULL */
	int tx_valid, tx_credit_valid;
	token_t tx_cell;
	uint8_t tx_vc, tx_credit_vc;
	int input_empty, initialising, retrain, disable;
	uint16_t timeout, keepalive;
	uint8_t retry_limit;
} link_inputs_t;

/* The cell that goes to the switch. */
typedef struct {
	int valid;
	uint8_t vc; /* only with a cell of a frame; completions keep that of the last */
	int has_vc;
	token_t cell;
} link_cell_t;

/* Of one that was in use, or is all zero. */
void link_reset(link_t *link);
/* 0: out of memory. */
int link_make_buffers(link_t *link);
void link_close(link_t *link);
/* One cycle; returns the events. */
unsigned link_step(link_t *link, packets_t *packets, const link_inputs_t *in, link_cell_t *cell);
/* Something is in flight or pending: but for frames and signs of life, and with them. Before the cycle's step, of
 * which `in` are the inputs and `rx_valid` says that a cell has gone to the switch. */
int link_busy(const link_t *link, const link_inputs_t *in, int rx_valid);
int link_active(const link_t *link, const link_inputs_t *in);

/* It sends the same frame in every cycle, and nothing in it changes as long as none comes. */
int link_trains_in_vain(const link_t *link, const link_inputs_t *in);

/* After a step: without an input, and with the settings of that step, nothing changes. */
int link_rests(const link_t *link, const link_inputs_t *in);
