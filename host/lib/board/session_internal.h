/* SPDX-License-Identifier: Apache-2.0
 *
 * The inside of a session. `lock` guards everything but the pipe and the data of the receiving thread. `send_lock`
 * keeps requests in order on the pipe. Lock order: `send_lock` before `lock`. The receiving thread never takes
 * `send_lock`. */
#pragma once

#include <pthread.h>

#include "session.h"

enum {
	SLICE_MS = 200,       /* of waiting for bytes */
	RING_WORDS = 1 << 14, /* of the packets of a NIC port that nobody has taken */
	RING_ROOM = RING_WORDS + XT_FRAME_MAX_WORDS + 2,
	POLL_MS = 1, /* between questions for room */
};

/* A request without an answer. */
typedef struct {
	uint16_t sequence, argument;
	uint8_t kind, card, unit;
	unsigned words;   /* of the answer */
	uint32_t *values; /* where they go */
	xt_batch_t *batch;
	uint8_t *bytes; /* encoded, room for a whole request */
	size_t size;
} slot_t;

/* Packets of a NIC port. */
typedef struct {
	int known; /* the board was asked for the positions below */
	/* Receiving: the next position, what the board was told last, and what the caller has taken. */
	uint16_t expected, told, limit, consumed;
	int rewind;        /* a packet was missing */
	uint64_t asked_ms; /* when the board was told last */
	/* A packet in the ring: its words | poisoned << 16, and the words; positions count them as the board does. */
	uint32_t *ring;
	unsigned head, used;
	/* Sending: position behind what was put into the board's queue, and up to which the card took it. */
	uint16_t put, taken;
} xt_stream_port_t;

struct xt_session {
	xt_pipe_t *pipe;
	xt_session_options_t options;
	xt_frame_info_t info;
	pthread_mutex_t send_lock, lock;
	pthread_cond_t changed;
	pthread_t receiver;
	int receiving, closing;

	int dead; /* status, and why, of a session that is over */
	xt_diag_t why;

	slot_t slots[XT_FRAME_MAX_WINDOW]; /* by sequence number */
	uint16_t first, next;              /* the oldest without an answer, and the next to be sent */
	int recover;                       /* answers or requests were lost: send again */
	int recovering;                    /* they were sent again, and no answer came since */
	unsigned attempts;                 /* since the last answer */
	int partial; /* of the requests without an answer, those before `resent` were sent again */
	uint16_t resent;
	uint64_t progress_ms; /* when that was */

	xt_stream_port_t *streams; /* [card * nics + unit] */
	int paused;                /* no packets are sent */
	xt_batch_t injects;
	xt_batch_t receives;
	xt_session_counts_t counts;

	xt_frame_decoder_t decoder;
	uint8_t buffer[65536];
};

/* All of these with `lock` held. */
int xt_session_dead(const xt_session_t *session, xt_diag_t *diag);
/* One request; waits for a place in the window. `words` and `values`: what its answer brings. The lock is not held. */
int xt_session_request(xt_session_t *session, const xt_frame_t *frame, unsigned words, uint32_t *values,
	xt_batch_t *batch, xt_diag_t *diag);
/* Waits until something changes, at most for `ms`, and sends again what must be. The lock is held, and is let go. */
void xt_session_idle(xt_session_t *session, unsigned ms);

/* The receiving thread; `session` is a session. */
void *xt_session_receive_loop(void *session);

/* The streams of the NIC ports; the lock is held. */
static inline xt_stream_port_t *xt_stream_of(xt_session_t *session, unsigned card, unsigned unit)
{
	return &session->streams[card * session->info.nics + unit];
}
/* A PACKET, and the argument of an answer to INJECT. */
void xt_session_take_packet(xt_session_t *session, const xt_frame_t *frame);
void xt_session_take_room(xt_session_t *session, unsigned card, unsigned unit, uint16_t taken);
/* Free words of the board's queue to a NIC port. */
unsigned xt_stream_room(const xt_session_t *session, const xt_stream_port_t *stream);
/* Whether the board should be told now. */
int xt_stream_must_tell(const xt_session_t *session, const xt_stream_port_t *stream);
/* Takes the oldest packet from the ring. 1: there was one; XT_ERR_RANGE: it is longer than `room`, and stays. */
int xt_stream_take(xt_stream_port_t *stream, uint32_t *words, unsigned room, unsigned *count, int *poisoned);
