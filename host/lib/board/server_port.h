/* SPDX-License-Identifier: Apache-2.0
 *
 * The board's queue of packets from a NIC port. A packet takes its words and one more. Positions count words since
 * reset, modulo 65536, and are always those of a packet or of the end: whatever a host says is checked here. */
#pragma once

#include <stdint.h>

#include "frame.h"

enum { XT_SERVER_QUEUE_WORDS = 1 << 14 };

typedef struct {
	uint32_t ring[XT_SERVER_QUEUE_WORDS]; /* words | poisoned << 16, and the words; by position modulo its size */
	uint16_t acknowledged, sent, written; /* positions, in this order */
	uint16_t limit;                       /* positions before it may be sent */
	int told;                             /* that packets wait */
} xt_server_port_t;

/* Empties the queue; positions begin at 0. */
void xt_server_port_reset(xt_server_port_t *port);
/* A new session: nothing may be sent, and what was not acknowledged is sent again. */
void xt_server_port_rewind(xt_server_port_t *port);
/* Whether there is room for a packet of so many words. */
int xt_server_port_has_room(const xt_server_port_t *port, unsigned words);
void xt_server_port_put(xt_server_port_t *port, const uint32_t *words, unsigned count, int poisoned);
/* A RECEIVE. An argument that is not the position of a packet that was sent, or of the next, acknowledges nothing. */
void xt_server_port_receive(xt_server_port_t *port, uint16_t argument, uint32_t word);
/* The next PACKET that may be sent: 1, and its words are in `words` (room for XT_FRAME_MAX_WORDS); or 0. */
int xt_server_port_send(xt_server_port_t *port, xt_frame_t *frame, uint32_t *words);
/* Whether the host is to be told that packets wait; once. */
int xt_server_port_tell(xt_server_port_t *port);
