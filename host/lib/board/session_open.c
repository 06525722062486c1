/* SPDX-License-Identifier: Apache-2.0
 *
 * The beginning of a session, INFO and SYNC without the receiving thread, and its end. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "session_internal.h"

/* Sends a request of the beginning and waits for the answer that bears its number. 1: it came, 0: it did not. */
static int ask(
	xt_session_t *s, const xt_frame_t *request, xt_frame_t *answer, uint64_t *heard, int *status, xt_diag_t *diag)
{
	uint8_t bytes[2 + 64];
	size_t size = 2 + xt_frame_encode(request, bytes + 2);
	uint64_t end = xt_now_ms() + s->options.timeout_ms;
	size_t count = 0;

	/* What was sent before by a host that died may be half a frame with an escape at the end. */
	bytes[0] = XT_FRAME_FLAG;
	bytes[1] = XT_FRAME_FLAG;
	*status = s->pipe->operations->send(s->pipe, bytes, size, s->options.timeout_ms, diag);
	for (uint64_t now = xt_now_ms(); *status == XT_OK && now < end; now = xt_now_ms()) {
		const uint8_t *data = s->buffer;

		*status = s->pipe->operations->receive(
			s->pipe, s->buffer, sizeof(s->buffer), (unsigned)(end - now), &count, diag);
		*heard += count;
		while (xt_frame_decode(&s->decoder, &data, &count, answer)) {
			/* A board that refuses one INFO refuses each, and then closes. */
			if (answer->kind == (request->kind | XT_FRAME_FROM_BOARD) &&
				(answer->sequence == request->sequence || answer->status == XT_FRAME_STATUS_BUSY)) {
				return 1;
			}
		}
	}
	return 0;
}

/* The answer to INFO of a board that another host has. */
static int refused(const xt_frame_t *answer, xt_diag_t *diag)
{
	char who[65] = "another host";
	unsigned long long seconds = answer->words ? answer->payload[0] : 0;

	for (unsigned i = 0; answer->words > 1 && i < sizeof(who); i++) {
		who[i] = i / 4 + 1 < answer->words ? (char)(answer->payload[1 + i / 4] >> i % 4 * 8) : '\0';
	}
	who[sizeof(who) - 1] = '\0';
	return xt_fail(
		diag, XT_ERR_BUSY, "the board is in use by %s, for %llu s; end that program first", who, seconds);
}

static int greet(xt_session_t *s, uint16_t number, xt_diag_t *diag)
{
	const uint32_t version = XT_FRAME_VERSION;
	xt_frame_t request = {.kind = XT_FRAME_INFO}, answer;
	uint64_t heard = 0;
	int status = XT_OK, answered = 0;

	for (unsigned i = 0; i <= s->options.retries && !answered && status == XT_OK; i++) {
		request.sequence = number++;
		answered = ask(s, &request, &answer, &heard, &status, diag);
	}
	if (status) {
		return status;
	}
	if (!answered) {
		return heard ? xt_fail(diag, XT_ERR_PROTOCOL,
				       "what answers does not speak the protocol (%llu bytes came, no frame was "
				       "whole); check "
				       "the port and the baud rate, or load an extorus bitstream into the board",
				       (unsigned long long)heard)
			     : xt_fail(diag, XT_ERR_TIMEOUT,
				       "the board does not answer; load an extorus bitstream into it, check the port, "
				       "or "
				       "reset it");
	}
	if (answer.status == XT_FRAME_STATUS_BUSY) {
		return refused(&answer, diag);
	}
	status = xt_frame_info_unpack(&answer, &s->info, diag);
	if (status) {
		return status;
	}
	request = (xt_frame_t){.kind = XT_FRAME_SYNC, .words = 1, .payload = &version};
	answered = 0;
	for (unsigned i = 0; i <= s->options.retries && !answered && status == XT_OK; i++) {
		request.sequence = number++;
		answered = ask(s, &request, &answer, &heard, &status, diag);
	}
	if (status == XT_OK && !answered) {
		status = xt_fail(diag, XT_ERR_TIMEOUT, "the board tells what it is, but begins no session; reset it");
	} else if (status == XT_OK && answer.status != XT_FRAME_STATUS_OK) {
		status = xt_fail(diag, XT_ERR_VERSION,
			"the board refuses version %d of the protocol (%s); load the bitstream "
			"that belongs to this program",
			XT_FRAME_VERSION, xt_frame_status_name(answer.status));
	}
	s->first = number;
	s->next = number;
	return status;
}

static int allocate(xt_session_t *s, xt_diag_t *diag)
{
	size_t size = xt_frame_encoded_bytes(s->info.request_words);

	s->streams = calloc((size_t)s->info.cards * s->info.nics, sizeof(*s->streams));
	for (unsigned i = 0; i < XT_FRAME_MAX_WINDOW; i++) {
		s->slots[i].bytes = malloc(size);
		if (!s->slots[i].bytes || !s->streams) {
			return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
		}
	}
	return XT_OK;
}

int xt_session_open(xt_pipe_t *pipe, const xt_session_options_t *options, xt_session_t **out, xt_frame_info_t *info,
	xt_diag_t *diag)
{
	xt_session_t *s = calloc(1, sizeof(*s));
	pthread_condattr_t attributes;
	struct timespec time;
	int status;

	*out = NULL;
	memset(info, 0, sizeof(*info));
	if (!s) {
		pipe->operations->close(pipe);
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	s->pipe = pipe;
	s->options = *options;
	if (!s->options.timeout_ms) {
		s->options.timeout_ms = XT_SESSION_TIMEOUT_MS;
	}
	pthread_mutex_init(&s->send_lock, NULL);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	xt_frame_decoder_begin(&s->decoder, XT_FRAME_MAX_WORDS);
	/* Any number that the session before did not just use. */
	clock_gettime(CLOCK_REALTIME, &time);
	status = greet(s, (uint16_t)(time.tv_nsec / 1000 ^ time.tv_sec * 31), diag);
	*info = s->info;
	if (status == XT_OK) {
		status = allocate(s, diag);
	}
	if (status == XT_OK && pthread_create(&s->receiver, NULL, xt_session_receive_loop, s) != 0) {
		status = xt_fail(diag, XT_ERR_NOMEM, "device: no thread");
	} else if (status == XT_OK) {
		s->receiving = 1;
	}
	if (status) {
		xt_session_close(s);
		return status;
	}
	*out = s;
	return XT_OK;
}

void xt_session_close(xt_session_t *s)
{
	if (!s) {
		return;
	}
	if (s->receiving) {
		pthread_mutex_lock(&s->lock);
		s->closing = 1;
		pthread_mutex_unlock(&s->lock);
		s->pipe->operations->wake(s->pipe);
		pthread_join(s->receiver, NULL);
	}
	s->pipe->operations->close(s->pipe);
	for (unsigned i = 0; i < XT_FRAME_MAX_WINDOW; i++) {
		free(s->slots[i].bytes);
	}
	for (unsigned i = 0; s->streams && i < s->info.cards * s->info.nics; i++) {
		free(s->streams[i].ring);
	}
	free(s->streams);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->send_lock);
	free(s);
}
