/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests and answers. Requests without an answer are kept encoded. The waiting thread repeats them when time is
 * over, or when the board reports a missing one. So the receiving thread never waits for the pipe to take bytes. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "session_internal.h"

static unsigned outstanding(const xt_session_t *s)
{
	return (uint16_t)(s->next - s->first);
}

static slot_t *slot_of(xt_session_t *s, uint16_t sequence)
{
	return &s->slots[sequence % XT_FRAME_MAX_WINDOW];
}

__attribute__((format(printf, 3, 4))) static void log_event(
	xt_session_t *s, xt_log_level_t level, const char *format, ...)
{
	char text[256];
	va_list args;

	if (s->options.log) {
		va_start(args, format);
		vsnprintf(text, sizeof(text), format, args);
		va_end(args);
		s->options.log(s->options.log_context, level, text);
	}
}

static void finish(slot_t *slot, int status)
{
	xt_batch_t *batch = slot->batch;

	assert(batch->waiting);
	batch->waiting--;
	if (status && !batch->status) {
		batch->status = status;
		batch->kind = slot->kind;
	}
}

static void die(xt_session_t *s, int status, const xt_diag_t *why)
{
	if (!s->dead) {
		s->dead = status;
		s->why = *why;
		log_event(s, XT_LOG_ERROR, "%s", why->text);
	}
	for (; s->first != s->next; s->first++) {
		finish(slot_of(s, s->first), s->dead);
	}
	pthread_cond_broadcast(&s->changed);
}

int xt_session_dead(const xt_session_t *s, xt_diag_t *diag)
{
	if (s->dead && diag) {
		*diag = s->why;
	}
	return s->dead;
}

static void die_of(xt_session_t *s, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void die_of(xt_session_t *s, int status, const char *format, ...)
{
	xt_diag_t why;
	va_list args;

	va_start(args, format);
	vsnprintf(why.text, sizeof(why.text), format, args);
	va_end(args);
	die(s, status, &why);
}

/* The answer to the oldest request. */
static void complete(xt_session_t *s, slot_t *slot, const xt_frame_t *f)
{
	unsigned status = f->status & ~(unsigned)XT_FRAME_REPEATED;
	int result = XT_OK;

	if (status == XT_FRAME_STATUS_OK && f->words != slot->words) {
		die_of(s, XT_ERR_PROTOCOL,
			"the board's answer to %s has %u words instead of %u; its bitstream does not keep to the "
			"protocol",
			xt_frame_kind_name(slot->kind), f->words, slot->words);
		return;
	}
	if (status == XT_FRAME_STATUS_OK && slot->words) {
		memcpy(slot->values, f->payload, slot->words * sizeof(*slot->values));
	}
	if (status != XT_FRAME_STATUS_OK) {
		result = status == XT_FRAME_STATUS_BUSY ? XT_ERR_TIMEOUT : XT_ERR_RANGE;
		if (!slot->batch->status) {
			slot->batch->answer = (uint8_t)status;
			slot->batch->address = f->argument;
		}
	}
	if (slot->kind == XT_FRAME_INJECT && (status == XT_FRAME_STATUS_OK || status == XT_FRAME_STATUS_BUSY)) {
		xt_session_take_room(s, slot->card, slot->unit, f->argument);
	}
	s->first++;
	s->attempts = 0;
	s->recovering = 0;
	if (s->partial && s->first == s->resent) {
		s->partial = 0;
		s->recover = outstanding(s) != 0;
	}
	s->progress_ms = xt_now_ms();
	finish(slot, result);
}

static void take_answer(xt_session_t *s, const xt_frame_t *f)
{
	unsigned status = f->status & ~(unsigned)XT_FRAME_REPEATED;
	int ahead = xt_frame_distance(f->sequence, s->first);
	slot_t *slot = slot_of(s, f->sequence);

	if (status == XT_FRAME_STATUS_UNSYNCED) {
		die_of(s, XT_ERR_RESET, "the board was reset; load its tables again");
		return;
	}
	if (ahead < 0 || (unsigned)ahead >= outstanding(s)) {
		return; /* of a request that was repeated and had an answer */
	}
	if (f->kind != (slot->kind | XT_FRAME_FROM_BOARD) || f->card != slot->card) {
		die_of(s, XT_ERR_PROTOCOL, "the board answers %s with %s; its bitstream does not keep to the protocol",
			xt_frame_kind_name(slot->kind), xt_frame_kind_name(f->kind));
	} else if (status == XT_FRAME_STATUS_SEQUENCE || ahead > 0) {
		if (!s->recovering && !s->recover) {
			log_event(s, XT_LOG_WARNING, "%s %u was lost", ahead ? "the answer to request" : "request",
				(unsigned)s->first);
			s->recover = 1;
		}
	} else {
		complete(s, slot, f);
	}
}

static void take_event(xt_session_t *s, const xt_frame_t *f)
{
	s->counts.events++;
	log_event(
		s, XT_LOG_INFO, "event %s of card %u, NIC port %u", xt_frame_event_name(f->argument), f->card, f->unit);
	if (f->argument == XT_FRAME_EVENT_STARTED) {
		die_of(s, XT_ERR_RESET, "the board was reset; load its tables again");
	}
}

static void take_frame(xt_session_t *s, const xt_frame_t *f)
{
	if (f->kind == XT_FRAME_PACKET) {
		xt_session_take_packet(s, f);
	} else if (f->kind == XT_FRAME_EVENT) {
		take_event(s, f);
	} else if (f->kind & XT_FRAME_FROM_BOARD) {
		take_answer(s, f);
	}
}

void *xt_session_receive_loop(void *argument)
{
	xt_session_t *s = argument;
	xt_frame_t frame;
	xt_diag_t diag = {""};
	int status = XT_OK, over = 0;

	while (!over) {
		const uint8_t *data = s->buffer;
		size_t count;

		status = s->pipe->operations->receive(s->pipe, s->buffer, sizeof(s->buffer), SLICE_MS, &count, &diag);
		pthread_mutex_lock(&s->lock);
		s->counts.bytes_received += count;
		while (xt_frame_decode(&s->decoder, &data, &count, &frame)) {
			take_frame(s, &frame);
		}
		s->counts.dropped = s->decoder.dropped;
		if (status) {
			die(s, status, &diag);
		}
		/* One broadcast for all that came. */
		pthread_cond_broadcast(&s->changed);
		over = s->closing || s->dead;
		pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

/* How many requests to send again: all, and at each attempt without an answer a quarter of those before. A line that
 * loses one frame in N would otherwise lose the first of N again and again. */
static unsigned share(const xt_session_t *s)
{
	unsigned count = outstanding(s);

	for (unsigned i = 0; i < s->attempts && count > 1; i++) {
		count = (count + 3) / 4;
	}
	return count;
}

/* Sends requests without an answer again. Neither lock is held. */
static void send_again(xt_session_t *s)
{
	xt_diag_t diag = {""};
	uint16_t at, end;
	int status = XT_OK;

	pthread_mutex_lock(&s->send_lock);
	pthread_mutex_lock(&s->lock);
	if (!s->recover || s->dead) {
		pthread_mutex_unlock(&s->lock);
		pthread_mutex_unlock(&s->send_lock);
		return;
	}
	s->recover = 0;
	s->recovering = 1;
	s->progress_ms = xt_now_ms();
	at = s->first;
	end = (uint16_t)(at + share(s));
	s->partial = end != s->next;
	s->resent = end;
	s->counts.repeated += (uint16_t)(end - at);
	if (s->attempts++ >= s->options.retries) {
		die_of(s, XT_ERR_TIMEOUT,
			"the board does not answer: %s %u was sent %u times without success; reset the board or plug "
			"it in "
			"again",
			xt_frame_kind_name(slot_of(s, at)->kind), (unsigned)at, s->attempts);
		end = at;
	}
	pthread_mutex_unlock(&s->lock);
	for (; at != end && status == XT_OK; at++) {
		slot_t *slot = slot_of(s, at);

		status = s->pipe->operations->send(s->pipe, slot->bytes, slot->size, s->options.timeout_ms, &diag);
	}
	pthread_mutex_unlock(&s->send_lock);
	if (status) {
		pthread_mutex_lock(&s->lock);
		die(s, status, &diag);
		pthread_mutex_unlock(&s->lock);
	}
}

void xt_session_idle(xt_session_t *s, unsigned ms)
{
	uint64_t now = xt_now_ms();
	struct timespec end;

	if (outstanding(s) && !s->recover && now - s->progress_ms >= s->options.timeout_ms) {
		log_event(s, XT_LOG_WARNING, "no answer to request %u for %u ms", (unsigned)s->first,
			s->options.timeout_ms);
		s->recover = 1;
	}
	if (s->recover && !s->dead) {
		pthread_mutex_unlock(&s->lock);
		send_again(s);
		pthread_mutex_lock(&s->lock);
		return;
	}
	if (outstanding(s) && s->progress_ms + s->options.timeout_ms - now < ms) {
		ms = (unsigned)(s->progress_ms + s->options.timeout_ms - now);
	}
	end = xt_deadline(ms);
	pthread_cond_timedwait(&s->changed, &s->lock, &end);
}

int xt_session_request(
	xt_session_t *s, const xt_frame_t *frame, unsigned words, uint32_t *values, xt_batch_t *batch, xt_diag_t *diag)
{
	xt_frame_t numbered = *frame;
	xt_diag_t why = {""};
	slot_t *slot;
	int status;

	pthread_mutex_lock(&s->send_lock);
	pthread_mutex_lock(&s->lock);
	while (!s->dead && outstanding(s) >= s->info.window) {
		/* Others may go on while this one waits, and whoever sends again needs the send lock. */
		pthread_mutex_unlock(&s->send_lock);
		xt_session_idle(s, SLICE_MS);
		pthread_mutex_unlock(&s->lock);
		pthread_mutex_lock(&s->send_lock);
		pthread_mutex_lock(&s->lock);
	}
	status = xt_session_dead(s, diag);
	if (status) {
		pthread_mutex_unlock(&s->lock);
		pthread_mutex_unlock(&s->send_lock);
		return status;
	}
	if (!outstanding(s)) {
		s->progress_ms = xt_now_ms();
	}
	/* The buffer of a slot holds the longest request. */
	assert(frame->words <= s->info.request_words);
	slot = slot_of(s, s->next);
	numbered.sequence = s->next++;
	slot->sequence = numbered.sequence;
	slot->kind = frame->kind;
	slot->card = frame->card;
	slot->unit = frame->unit;
	slot->argument = frame->argument;
	slot->words = words;
	slot->values = values;
	slot->batch = batch;
	slot->size = xt_frame_encode(&numbered, slot->bytes);
	batch->waiting++;
	s->counts.requests++;
	s->counts.bytes_sent += slot->size;
	pthread_mutex_unlock(&s->lock);
	status = s->pipe->operations->send(s->pipe, slot->bytes, slot->size, s->options.timeout_ms, &why);
	pthread_mutex_unlock(&s->send_lock);
	if (status) {
		pthread_mutex_lock(&s->lock);
		die(s, status, &why);
		status = xt_session_dead(s, diag);
		pthread_mutex_unlock(&s->lock);
	}
	return status;
}

int xt_session_wait(xt_session_t *s, xt_batch_t *batch, xt_diag_t *diag)
{
	int status;

	pthread_mutex_lock(&s->lock);
	while (batch->waiting) {
		xt_session_idle(s, SLICE_MS);
	}
	status = batch->status;
	if (status && s->dead) {
		status = xt_session_dead(s, diag);
	} else if (status && batch->answer == XT_FRAME_STATUS_BUS) {
		xt_fail(diag, status, "the card refuses to %s register 0x%04x; its profile has none there",
			batch->kind == XT_FRAME_READ ? "read" : "write", batch->address);
	} else if (status) {
		xt_fail(diag, status, "the board refuses %s: %s", xt_frame_kind_name(batch->kind),
			xt_frame_status_text(batch->answer));
	}
	*batch = XT_BATCH_EMPTY;
	pthread_mutex_unlock(&s->lock);
	return status;
}

int xt_session_fetch(xt_session_t *s, xt_batch_t *batch, unsigned card, uint32_t address, uint32_t *values,
	size_t count, xt_diag_t *diag)
{
	int status = XT_OK;

	while (count && status == XT_OK) {
		unsigned chunk = count < s->info.read_words ? (unsigned)count : s->info.read_words;
		xt_frame_t frame = {.kind = XT_FRAME_READ,
			.card = (uint8_t)card,
			.unit = (uint8_t)(chunk - 1),
			.argument = (uint16_t)address};

		status = xt_session_request(s, &frame, chunk, values, batch, diag);
		values += chunk;
		address += 4 * chunk;
		count -= chunk;
	}
	return status;
}

int xt_session_read(xt_session_t *s, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	xt_batch_t batch = XT_BATCH_EMPTY;
	int status = xt_session_fetch(s, &batch, card, address, values, count, diag);
	int waited = xt_session_wait(s, &batch, status ? NULL : diag);

	return status ? status : waited;
}

int xt_session_post(xt_session_t *s, xt_batch_t *batch, unsigned card, uint32_t address, const uint32_t *values,
	size_t count, xt_diag_t *diag)
{
	unsigned most = s->info.request_words & ~1u; /* the two words of a table entry stay together */
	int status = XT_OK;

	while (count && status == XT_OK) {
		unsigned chunk = count < most ? (unsigned)count : most;
		xt_frame_t frame = {.kind = XT_FRAME_WRITE,
			.card = (uint8_t)card,
			.argument = (uint16_t)address,
			.words = chunk,
			.payload = values};

		status = xt_session_request(s, &frame, 0, NULL, batch, diag);
		values += chunk;
		address += 4 * chunk;
		count -= chunk;
	}
	return status;
}

int xt_session_write(
	xt_session_t *s, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	xt_batch_t batch = XT_BATCH_EMPTY;
	int status = xt_session_post(s, &batch, card, address, values, count, diag);
	int waited = xt_session_wait(s, &batch, status ? NULL : diag);

	return status ? status : waited;
}

void xt_session_counts(xt_session_t *s, xt_session_counts_t *counts)
{
	pthread_mutex_lock(&s->lock);
	*counts = s->counts;
	pthread_mutex_unlock(&s->lock);
}
