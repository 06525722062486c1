/* SPDX-License-Identifier: Apache-2.0
 *
 * The streams of packets at the NIC ports of a board, as the host counts them. Each has a ring of received packets. The
 * lock of the session is held in every function. */
#include "session_internal.h"

static uint32_t *ring_at(xt_stream_port_t *stream, unsigned offset)
{
	return &stream->ring[(stream->head + offset) % RING_ROOM];
}

void xt_session_take_packet(xt_session_t *s, const xt_frame_t *f)
{
	xt_stream_port_t *stream;

	if (f->card >= s->info.cards || f->unit >= s->info.nics) {
		return;
	}
	stream = xt_stream_of(s, f->card, f->unit);
	if (!stream->known || stream->used + f->words + 1 > RING_ROOM) {
		return; /* not asked for */
	}
	if (f->argument != stream->expected) {
		/* One that came before is sent again for others' sake; one that comes too early leaves a gap. */
		stream->rewind |= xt_frame_distance(f->argument, stream->expected) > 0;
		s->counts.packets_again++;
		return;
	}
	*ring_at(stream, stream->used) = f->words | (uint32_t)(f->status & XT_FRAME_POISONED) << 16;
	for (unsigned i = 0; i < f->words; i++) {
		*ring_at(stream, stream->used + 1 + i) = f->payload[i];
	}
	stream->used += f->words + 1;
	stream->expected = (uint16_t)(stream->expected + f->words + 1);
	s->counts.packets_received++;
}

void xt_session_take_room(xt_session_t *s, unsigned card, unsigned unit, uint16_t taken)
{
	xt_stream_port_t *stream = xt_stream_of(s, card, unit);

	if (xt_frame_distance(taken, stream->taken) > 0) {
		stream->taken = taken;
	}
}

unsigned xt_stream_room(const xt_session_t *s, const xt_stream_port_t *stream)
{
	return s->paused ? 0 : s->info.inject_words - (uint16_t)(stream->put - stream->taken);
}

int xt_stream_must_tell(const xt_session_t *s, const xt_stream_port_t *stream)
{
	unsigned news = (uint16_t)(stream->expected - stream->told);
	unsigned eaten = (uint16_t)(stream->consumed + RING_WORDS - stream->limit);

	return news > s->info.receive_words / 4 || eaten > RING_WORDS / 4 || (!stream->used && (news || eaten)) ||
	       stream->rewind;
}

int xt_stream_take(xt_stream_port_t *stream, uint32_t *words, unsigned room, unsigned *count, int *poisoned)
{
	uint32_t head;
	unsigned size;

	if (!stream->used) {
		return 0;
	}
	head = *ring_at(stream, 0);
	size = head & 0xffff;
	if (size > room) {
		*count = size;
		return XT_ERR_RANGE;
	}
	for (unsigned i = 0; i < size; i++) {
		words[i] = *ring_at(stream, 1 + i);
	}
	*count = size;
	*poisoned = (head >> 16 & XT_FRAME_POISONED) != 0;
	stream->head = (stream->head + size + 1) % RING_ROOM;
	stream->used -= size + 1;
	stream->consumed = (uint16_t)(stream->consumed + size + 1);
	return 1;
}
