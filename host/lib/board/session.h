/* SPDX-License-Identifier: Apache-2.0
 *
 * The host's side of the protocol (host/protocol/README.md) over a byte pipe: requests under way, repetition, packets.
 * Any thread may call any function; the order of calls of different threads is any. A thread of its own receives. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "extorus/device.h"
#include "frame.h"
#include "pipe.h"

typedef struct xt_session xt_session_t;

typedef struct {
	unsigned timeout_ms; /* without an answer, until requests are sent again; 0: XT_SESSION_TIMEOUT_MS */
	unsigned retries;    /* repetitions without any answer, until the session is over */
	xt_log_t log;        /* may be NULL; called by any thread, one at a time */
	void *log_context;
} xt_session_options_t;

enum { XT_SESSION_TIMEOUT_MS = 1000, XT_SESSION_RETRIES = 3 };

/* Begins a session: INFO and SYNC. Takes the pipe over, after a failure too. `info` is filled as far as the board
 * told, after a failure too. */
int xt_session_open(xt_pipe_t *pipe, const xt_session_options_t *options, xt_session_t **out, xt_frame_info_t *info,
	xt_diag_t *diag);
void xt_session_close(xt_session_t *session); /* NULL is allowed */

/* Consecutive registers. Requests follow each other without waiting, up to the board's window; the call returns when
 * all are answered. XT_ERR_RANGE: the card refused a register. */
int xt_session_read(
	xt_session_t *session, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag);
int xt_session_write(
	xt_session_t *session, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag);

/* Register accesses whose answers are waited for together. A batch is of one thread. */
typedef struct {
	unsigned waiting;
	int status;
	uint16_t address; /* of the register that was refused */
	uint8_t kind, answer;
} xt_batch_t;

#define XT_BATCH_EMPTY ((xt_batch_t){0})

/* As xt_session_write, but returns when all is sent; xt_session_wait must follow before the batch goes out of scope,
 * after a failure too. */
int xt_session_post(xt_session_t *session, xt_batch_t *batch, unsigned card, uint32_t address, const uint32_t *values,
	size_t count, xt_diag_t *diag);
/* Likewise for reading: `values` are filled when xt_session_wait returns. */
int xt_session_fetch(xt_session_t *session, xt_batch_t *batch, unsigned card, uint32_t address, uint32_t *values,
	size_t count, xt_diag_t *diag);
int xt_session_wait(xt_session_t *session, xt_batch_t *batch, xt_diag_t *diag);

/* Puts one packet, whole cells, into the queue of a NIC port. Waits for room; XT_ERR_TIMEOUT: there was none for
 * `timeout_ms`. Returns before the board has answered; a refusal is reported by a later call or by flush. */
int xt_session_inject(xt_session_t *session, unsigned card, unsigned unit, const uint32_t *words, unsigned count,
	unsigned timeout_ms, xt_diag_t *diag);
/* While paused, there is no room for packets; those in the board's queues go on. */
void xt_session_pause(xt_session_t *session, int paused);
/* All packets injected are in the board's queues. */
int xt_session_flush(xt_session_t *session, xt_diag_t *diag);
/* The next packet that a NIC port has received, into `words` (`room` of them); *count 0: none came for `timeout_ms`.
 * Of one (card, unit) one thread receives. XT_ERR_RANGE: the packet is longer than `room`; it stays. */
int xt_session_receive(xt_session_t *session, unsigned card, unsigned unit, uint32_t *words, unsigned room,
	unsigned *count, int *poisoned, unsigned timeout_ms, xt_diag_t *diag);
/* The queues of a NIC port. */
int xt_session_stream(xt_session_t *session, unsigned card, unsigned unit, xt_frame_stream_t *stream, xt_diag_t *diag);
/* Resets a card and its queues; it then initialises itself. `together`: the board resets all its cards then. */
int xt_session_reset(xt_session_t *session, unsigned card, int together, xt_diag_t *diag);

/* What happened on the pipe so far. */
typedef struct {
	uint64_t requests, repeated; /* sent, and sent again */
	uint64_t bytes_sent, bytes_received;
	uint64_t dropped; /* frames that came damaged */
	uint64_t packets_sent, packets_received, packets_again;
	uint64_t events;
} xt_session_counts_t;

void xt_session_counts(xt_session_t *session, xt_session_counts_t *counts);
