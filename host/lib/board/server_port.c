/* SPDX-License-Identifier: Apache-2.0 */
#include "server_port.h"

#include <assert.h>

static uint32_t *at(xt_server_port_t *port, uint16_t position)
{
	return &port->ring[position % XT_SERVER_QUEUE_WORDS];
}

static unsigned words_at(xt_server_port_t *port, uint16_t position)
{
	return *at(port, position) & 0xffff;
}

void xt_server_port_reset(xt_server_port_t *port)
{
	port->acknowledged = port->sent = port->written = port->limit = 0;
	port->told = 0;
}

void xt_server_port_rewind(xt_server_port_t *port)
{
	port->sent = port->limit = port->acknowledged;
}

int xt_server_port_has_room(const xt_server_port_t *port, unsigned words)
{
	return (uint16_t)(port->written - port->acknowledged) + words + 1 < XT_SERVER_QUEUE_WORDS;
}

void xt_server_port_put(xt_server_port_t *port, const uint32_t *words, unsigned count, int poisoned)
{
	assert(count <= XT_FRAME_MAX_WORDS && xt_server_port_has_room(port, count));
	*at(port, port->written++) = count | (uint32_t)(poisoned != 0) << 16;
	for (unsigned i = 0; i < count; i++) {
		*at(port, port->written++) = words[i];
	}
}

/* Whether a packet that was sent begins there, or the next one. */
static int is_position(xt_server_port_t *port, uint16_t wanted)
{
	uint16_t position = port->acknowledged;

	while (position != port->sent && position != wanted) {
		position = (uint16_t)(position + words_at(port, position) + 1);
	}
	return position == wanted;
}

void xt_server_port_receive(xt_server_port_t *port, uint16_t argument, uint32_t word)
{
	if (is_position(port, argument)) {
		port->acknowledged = argument;
	}
	port->limit = (uint16_t)word;
	port->told = 0;
	if (word & XT_FRAME_REWIND) {
		port->sent = port->acknowledged;
	}
}

int xt_server_port_send(xt_server_port_t *port, xt_frame_t *frame, uint32_t *words)
{
	if (port->sent == port->written || xt_frame_distance(port->sent, port->limit) >= 0) {
		return 0;
	}
	frame->kind = XT_FRAME_PACKET;
	frame->argument = port->sent;
	frame->status = *at(port, port->sent) >> 16 & XT_FRAME_POISONED;
	frame->words = words_at(port, port->sent);
	frame->payload = words;
	for (unsigned i = 0; i < frame->words; i++) {
		words[i] = *at(port, (uint16_t)(port->sent + 1 + i));
	}
	port->sent = (uint16_t)(port->sent + frame->words + 1);
	return 1;
}

int xt_server_port_tell(xt_server_port_t *port)
{
	int tell = !port->told && port->sent != port->written && xt_frame_distance(port->sent, port->limit) >= 0;

	port->told |= tell;
	return tell;
}
