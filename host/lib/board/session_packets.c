/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets to and from NIC ports. The host counts the room in the board's queue to a NIC port, and sends only
 * packets that fit. Of the queue from a NIC port the host acknowledges the packets in its ring, and permits no more
 * than the ring holds. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session_internal.h"

static int check_unit(const xt_session_t *s, unsigned card, unsigned unit, xt_diag_t *diag)
{
	if (card >= s->info.cards || unit >= s->info.nics) {
		return xt_fail(diag, XT_ERR_RANGE,
			"the board has %u cards with %u NIC ports each, not card %u NIC port %u", s->info.cards,
			s->info.nics, card, unit);
	}
	return XT_OK;
}

int xt_session_stream(xt_session_t *s, unsigned card, unsigned unit, xt_frame_stream_t *stream, xt_diag_t *diag)
{
	xt_batch_t batch = XT_BATCH_EMPTY;
	uint32_t words[XT_FRAME_STREAM_WORDS] = {0};
	xt_frame_t frame = {.kind = XT_FRAME_STREAM, .card = (uint8_t)card, .unit = (uint8_t)unit}, answer;
	int status = check_unit(s, card, unit, diag), waited;

	if (status) {
		return status;
	}
	status = xt_session_request(s, &frame, XT_FRAME_STREAM_WORDS, words, &batch, diag);
	waited = xt_session_wait(s, &batch, status ? NULL : diag);
	if (status || waited) {
		return status ? status : waited;
	}
	answer = (xt_frame_t){.words = XT_FRAME_STREAM_WORDS, .payload = words};
	return xt_frame_stream_unpack(&answer, stream, diag);
}

/* Positions and room as the board has them, once. */
static int get_known(xt_session_t *s, unsigned card, unsigned unit, xt_diag_t *diag)
{
	xt_stream_port_t *stream;
	xt_frame_stream_t now;
	int status = check_unit(s, card, unit, diag);

	if (status) {
		return status;
	}
	stream = xt_stream_of(s, card, unit);
	pthread_mutex_lock(&s->lock);
	if (stream->known) {
		pthread_mutex_unlock(&s->lock);
		return XT_OK;
	}
	pthread_mutex_unlock(&s->lock);
	status = xt_session_stream(s, card, unit, &now, diag);
	if (status) {
		return status;
	}
	pthread_mutex_lock(&s->lock);
	if (!stream->known) {
		stream->ring = stream->ring ? stream->ring : malloc(RING_ROOM * sizeof(*stream->ring));
		stream->expected = stream->told = stream->limit = stream->consumed = now.acknowledged;
		stream->head = stream->used = 0;
		stream->taken = now.taken;
		stream->put = (uint16_t)(now.taken + s->info.inject_words - now.free);
		stream->known = stream->ring != NULL;
	}
	status = stream->ring ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	pthread_mutex_unlock(&s->lock);
	return status;
}

/* Tells the board what has come and how much more may. */
static int tell(xt_session_t *s, unsigned card, unsigned unit, int rewind, xt_diag_t *diag)
{
	xt_stream_port_t *stream = xt_stream_of(s, card, unit);
	xt_frame_t frame = {.kind = XT_FRAME_RECEIVE, .card = (uint8_t)card, .unit = (uint8_t)unit, .words = 1};
	uint32_t word;

	pthread_mutex_lock(&s->lock);
	stream->rewind = 0;
	stream->told = stream->expected;
	stream->limit = (uint16_t)(stream->consumed + RING_WORDS);
	frame.argument = stream->told;
	word = stream->limit | (rewind ? (uint32_t)XT_FRAME_REWIND : 0);
	pthread_mutex_unlock(&s->lock);
	frame.payload = &word;
	return xt_session_request(s, &frame, 0, NULL, &s->receives, diag);
}

int xt_session_receive(xt_session_t *s, unsigned card, unsigned unit, uint32_t *words, unsigned room, unsigned *count,
	int *poisoned, unsigned timeout_ms, xt_diag_t *diag)
{
	uint64_t end = xt_now_ms() + timeout_ms;
	int status = get_known(s, card, unit, diag), got = 0, late = 0, over = 0;
	xt_stream_port_t *stream;

	*count = 0;
	*poisoned = 0;
	if (status) {
		return status;
	}
	stream = xt_stream_of(s, card, unit);
	pthread_mutex_lock(&s->lock);
	while (status == XT_OK && !got) {
		uint64_t now = xt_now_ms();
		/* The last packets of a burst may be lost with nothing behind them that would show it. */
		int stale = now - stream->asked_ms >= s->options.timeout_ms, rewind;

		status = xt_session_dead(s, diag);
		got = status ? 0 : xt_stream_take(stream, words, room, count, poisoned);
		rewind = stream->rewind || (stale && !got);
		if (status == XT_OK && (rewind || xt_stream_must_tell(s, stream))) {
			stream->asked_ms = now;
			pthread_mutex_unlock(&s->lock);
			status = tell(s, card, unit, rewind, diag);
			pthread_mutex_lock(&s->lock);
		} else if (status == XT_OK && !got) {
			/* Also a caller that does not wait repeats what was lost. */
			xt_session_idle(s, now >= end ? 0 : (unsigned)(end - now < SLICE_MS ? end - now : SLICE_MS));
			over = now >= end;
		}
		/* A board that answers each request with packets out of turn is given up at the end as well. */
		over |= late && rewind;
		late = now >= end;
		if (over && !got) {
			break;
		}
	}
	pthread_mutex_unlock(&s->lock);
	if (got == XT_ERR_RANGE) {
		return xt_fail(
			diag, got, "a packet of %u words is longer than the %u that there is room for", *count, room);
	}
	return got > 0 ? XT_OK : status;
}

int xt_session_inject(xt_session_t *s, unsigned card, unsigned unit, const uint32_t *words, unsigned count,
	unsigned timeout_ms, xt_diag_t *diag)
{
	xt_frame_t frame = {.kind = XT_FRAME_INJECT,
		.card = (uint8_t)card,
		.unit = (uint8_t)unit,
		.words = count,
		.payload = words};
	uint64_t end = xt_now_ms() + timeout_ms;
	int status = get_known(s, card, unit, diag), reserved = 0;
	xt_stream_port_t *stream;

	if (status == XT_OK && (count > s->info.request_words || count + 1 > s->info.inject_words)) {
		status = xt_fail(diag, XT_ERR_RANGE, "a packet of %u words is longer than the board's %u", count,
			s->info.request_words);
	}
	if (status) {
		return status;
	}
	stream = xt_stream_of(s, card, unit);
	while (status == XT_OK && !reserved) {
		xt_frame_stream_t now;

		pthread_mutex_lock(&s->lock);
		reserved = xt_stream_room(s, stream) >= count + 1;
		if (reserved) {
			stream->put = (uint16_t)(stream->put + count + 1);
			s->counts.packets_sent++;
		}
		pthread_mutex_unlock(&s->lock);
		if (!reserved) {
			/* The answers under way tell of room as well; when they are all here, the board is asked. */
			status = xt_session_flush(s, diag);
			if (status == XT_OK) {
				status = xt_session_stream(s, card, unit, &now, diag);
			}
			pthread_mutex_lock(&s->lock);
			if (status == XT_OK) {
				xt_session_take_room(s, card, unit, now.taken);
			}
			if (status == XT_OK && xt_stream_room(s, stream) < count + 1) {
				if (xt_now_ms() >= end) {
					status = xt_fail(diag, XT_ERR_TIMEOUT,
						"NIC port %u of card %u takes no packets; load its tables, or look at "
						"its links",
						unit, card);
				} else {
					xt_session_idle(s, POLL_MS);
				}
			}
			pthread_mutex_unlock(&s->lock);
		}
	}
	return status ? status : xt_session_request(s, &frame, 0, NULL, &s->injects, diag);
}

void xt_session_pause(xt_session_t *s, int paused)
{
	pthread_mutex_lock(&s->lock);
	s->paused = paused;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

int xt_session_flush(xt_session_t *s, xt_diag_t *diag)
{
	return xt_session_wait(s, &s->injects, diag);
}

int xt_session_reset(xt_session_t *s, unsigned card, int together, xt_diag_t *diag)
{
	xt_frame_t frame = {.kind = XT_FRAME_RESET, .card = (uint8_t)card};
	xt_batch_t batch = XT_BATCH_EMPTY;
	int status = check_unit(s, card, 0, diag), waited;

	if (status) {
		return status;
	}
	status = xt_session_request(s, &frame, 0, NULL, &batch, diag);
	waited = xt_session_wait(s, &batch, status ? NULL : diag);

	if (status == XT_OK && waited == XT_OK) {
		const unsigned first = together ? 0 : card, end = together ? s->info.cards : card + 1;

		pthread_mutex_lock(&s->lock);
		for (unsigned i = first * s->info.nics; i < end * s->info.nics; i++) {
			s->streams[i].known = 0;
		}
		pthread_mutex_unlock(&s->lock);
	}
	return status ? status : waited;
}
