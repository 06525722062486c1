/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole session with a board that answers anything. The input's first bytes choose what the host does. The others
 * choose the answer to each request, and the packets, events and stray bytes before the answer. Every call returns,
 * whatever comes. From a board that only loses and damages, the host reads and receives exactly the board's data. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "board/session.h"

#include "fuzz.h"

enum { STEPS = 12, REGISTERS = 600, ROOM = 64, TIMEOUT_MS = 1, MOST_LOST = 6, PENDING = 1 << 16 };

/* What the board does before or instead of the answer. */
enum { ANSWER, ANSWER_TOO, LIE, PACKET, EVENT, GARBAGE, LOSE, DAMAGE, ACTIONS };

typedef struct {
	xt_pipe_t pipe;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const uint8_t *script;
	size_t left;
	int woken, lied;
	unsigned lost;
	uint16_t acknowledged, position; /* of the packets */
	xt_frame_decoder_t decoder;
	uint32_t words[XT_FRAME_MAX_WORDS];
	uint8_t *out;
	size_t out_size;
} board_t;

static unsigned next(board_t *b)
{
	if (!b->left) {
		return 0;
	}
	b->left--;
	return *b->script++;
}

static uint32_t register_value(uint32_t address)
{
	return address * 0x9e3779b1u ^ address >> 3;
}

/* `damage`: which byte is another than it should be; 0: none. */
static void say(board_t *b, const xt_frame_t *frame, unsigned damage)
{
	uint8_t *at = b->out + b->out_size;

	if (b->out_size + xt_frame_encoded_bytes(frame->words) <= PENDING) {
		b->out_size += xt_frame_encode(frame, at);
		if (damage) {
			at[damage % (size_t)(b->out + b->out_size - at)] ^= (uint8_t)(1 + damage / 32);
		}
	}
}

static void answer_truly(board_t *b, const xt_frame_t *request, xt_frame_t *answer)
{
	const xt_frame_info_t info = {1, 1, 2, 2, 16, 0x1234, 64, 64, 4095, 4095, 7, 0, 0, "fuzz", 0};

	*answer = *request;
	answer->kind |= XT_FRAME_FROM_BOARD;
	answer->words = 0;
	answer->payload = b->words;
	memset(b->words, 0, sizeof(b->words));
	switch (request->kind) {
	case XT_FRAME_INFO:
		xt_frame_info_pack(&info, b->words);
		answer->words = XT_FRAME_INFO_WORDS;
		break;
	case XT_FRAME_READ:
		answer->words = request->unit + 1u;
		for (unsigned i = 0; i < answer->words; i++) {
			b->words[i] = register_value((request->argument + 4 * i) & 0xffff);
		}
		break;
	case XT_FRAME_STREAM:
		xt_frame_stream_pack(&(xt_frame_stream_t){0, 4095, b->acknowledged, b->acknowledged}, b->words);
		answer->words = XT_FRAME_STREAM_WORDS;
		break;
	case XT_FRAME_RECEIVE:
		b->acknowledged = request->argument;
		if (request->words && request->payload[0] & XT_FRAME_REWIND) {
			b->position = request->argument;
		}
		break;
	case XT_FRAME_INJECT:
		answer->argument = 0;
		break;
	default:
		break;
	}
}

/* A frame whose CRC is right and whose contents are the script's. */
static void lie(board_t *b, xt_frame_t *answer)
{
	unsigned which = next(b);

	b->lied = 1;
	answer->status ^= (uint8_t)(which & 1 ? next(b) : 0);
	answer->kind ^= (uint8_t)(which & 2 ? next(b) : 0);
	answer->sequence = (uint16_t)(answer->sequence + (which & 4 ? (int8_t)next(b) : 0));
	answer->card ^= (uint8_t)(which & 8 ? next(b) : 0);
	answer->unit ^= (uint8_t)(which & 16 ? next(b) : 0);
	answer->argument ^= (uint16_t)(which & 32 ? next(b) << 8 | next(b) : 0);
	if (which & 64) {
		answer->words = (answer->words + next(b) * 4) % (XT_FRAME_MAX_WORDS + 1);
	}
	for (unsigned count = which & 128 ? next(b) % 16 : 0; count; count--) {
		unsigned at = next(b);

		b->words[at] = next(b) | next(b) << 8 | next(b) << 16 | next(b) << 24;
	}
}

/* A packet whose first word is its position. */
static void send_packet(board_t *b)
{
	unsigned shape = next(b);
	xt_frame_t packet = {.kind = XT_FRAME_PACKET,
		.card = shape & 1,
		.unit = shape >> 1 & 1,
		.words = 1 + (shape >> 3) % 8,
		.payload = b->words};

	packet.argument = (uint16_t)(b->position + (shape & 4 ? (int8_t)next(b) : 0));
	if (shape >> 3 == 31) {
		packet.words = 4 * next(b);
		packet.status = (uint8_t)next(b);
		b->lied = 1;
	}
	b->words[0] = packet.argument;
	b->position = (uint16_t)(packet.argument + packet.words + 1);
	say(b, &packet, 0);
}

static void answer_request(board_t *b, const xt_frame_t *request)
{
	xt_frame_t answer;

	for (unsigned count = 0;; count++) {
		/* Where the script ends, the board is silent. */
		unsigned action = !b->left || count == 64 ? (unsigned)LOSE : next(b) % ACTIONS;

		if (action == PACKET) {
			send_packet(b);
		} else if (action == EVENT) {
			xt_frame_t event = {.kind = XT_FRAME_EVENT};

			event.argument = (uint16_t)next(b);
			event.card = (uint8_t)next(b);
			b->lied |= event.argument == XT_FRAME_EVENT_STARTED;
			say(b, &event, 0);
		} else if (action == GARBAGE) {
			for (unsigned bytes = next(b); bytes && b->left && b->out_size < PENDING; bytes--) {
				b->out[b->out_size++] = (uint8_t)next(b);
			}
		} else {
			answer_truly(b, request, &answer);
			if (action == LIE) {
				lie(b, &answer);
			}
			b->lost += action == LOSE;
			if (action != LOSE) {
				say(b, &answer, action == DAMAGE ? 1 + next(b) : 0);
			}
			return;
		}
	}
}

static int board_send(xt_pipe_t *pipe, const uint8_t *bytes, size_t count, unsigned timeout_ms, xt_diag_t *diag)
{
	board_t *b = (board_t *)pipe;
	xt_frame_t request;

	(void)timeout_ms;
	(void)diag;
	pthread_mutex_lock(&b->lock);
	while (xt_frame_decode(&b->decoder, &bytes, &count, &request)) {
		answer_request(b, &request);
	}
	FUZZ_ASSERT(b->decoder.dropped == 0);
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	return XT_OK;
}

static int board_receive(
	xt_pipe_t *pipe, uint8_t *bytes, size_t room, unsigned timeout_ms, size_t *count, xt_diag_t *diag)
{
	board_t *b = (board_t *)pipe;
	struct timespec end;
	int status = XT_OK;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += (long)timeout_ms * 1000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	pthread_mutex_lock(&b->lock);
	while (!b->out_size && !b->woken && b->left && b->lost < MOST_LOST &&
		pthread_cond_timedwait(&b->changed, &b->lock, &end) != ETIMEDOUT) {
	}
	*count = b->out_size < room ? b->out_size : room;
	memcpy(bytes, b->out, *count);
	memmove(b->out, b->out + *count, b->out_size - *count);
	b->out_size -= *count;
	b->woken = 0;
	if (!*count && (!b->left || b->lost >= MOST_LOST)) {
		status = xt_fail(diag, XT_ERR_GONE, "the script is over");
	}
	pthread_mutex_unlock(&b->lock);
	return status;
}

static void board_wake(xt_pipe_t *pipe)
{
	board_t *b = (board_t *)pipe;

	pthread_mutex_lock(&b->lock);
	b->woken = 1;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

static void board_close(xt_pipe_t *pipe)
{
	(void)pipe; /* the board outlives the session */
}

/* What the host knows it must get. */
typedef struct {
	board_t *board;
	xt_session_t *session;
	int begun[4];
	uint16_t expected[4]; /* position of the next packet of each NIC port */
} host_t;

static int honest(board_t *b)
{
	int lied;

	pthread_mutex_lock(&b->lock);
	lied = b->lied;
	pthread_mutex_unlock(&b->lock);
	return !lied;
}

static int receive_some(host_t *h, unsigned port, xt_diag_t *diag)
{
	uint32_t words[ROOM];
	unsigned count = 1;
	int status = XT_OK, poisoned;

	while (status == XT_OK && count) {
		status = xt_session_receive(h->session, port >> 1, port & 1, words, ROOM, &count, &poisoned, 0, diag);
		FUZZ_ASSERT(status == XT_ERR_RANGE || count <= ROOM);
		if (status == XT_OK && count && honest(h->board)) {
			FUZZ_ASSERT(!h->begun[port] || words[0] == h->expected[port]);
			h->begun[port] = 1;
			h->expected[port] = (uint16_t)(words[0] + count + 1);
		}
	}
	return status;
}

static int step(host_t *h, unsigned what, xt_diag_t *diag)
{
	unsigned port = what >> 3 & 3, count = 1 + (what >> 5) * 80;
	uint32_t values[REGISTERS] = {0};
	xt_frame_stream_t stream;
	int status = XT_OK;

	switch (what & 7) {
	case 0:
	case 1:
		status = xt_session_read(h->session, port >> 1, 0x4000, values, count, diag);
		for (unsigned i = 0; i < count && status == XT_OK && honest(h->board); i++) {
			FUZZ_ASSERT(values[i] == register_value(0x4000 + 4 * i));
		}
		return status;
	case 2:
		return xt_session_write(h->session, port >> 1, 0x8000, values, count, diag);
	case 3:
		return xt_session_stream(h->session, port >> 1, port & 1, &stream, diag);
	case 4:
		for (unsigned i = 0; i < 4 && status == XT_OK; i++) {
			status = xt_session_inject(h->session, port >> 1, port & 1, values, 1 + what % 60, 0, diag);
		}
		return status;
	case 5:
	case 6:
		return receive_some(h, port, diag);
	default:
		/* Positions begin anew. */
		pthread_mutex_lock(&h->board->lock);
		h->board->lied = 1;
		pthread_mutex_unlock(&h->board->lock);
		status = xt_session_reset(h->session, port >> 1, what & 1, diag);
		return status ? status : xt_session_flush(h->session, diag);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const xt_pipe_operations_t operations = {board_send, board_receive, board_wake, board_close};
	const xt_session_options_t options = {.timeout_ms = TIMEOUT_MS, .retries = 3};
	size_t steps = size < STEPS ? size : STEPS;
	board_t *b = calloc(1, sizeof(*b));
	host_t host = {.board = b};
	xt_session_counts_t counts;
	xt_frame_info_t info;
	xt_diag_t diag = {""};

	FUZZ_ASSERT(b && (b->out = malloc(PENDING)));
	b->pipe.operations = &operations;
	b->script = data + steps;
	b->left = size - steps;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	xt_frame_decoder_begin(&b->decoder, XT_FRAME_MAX_WORDS);
	if (fuzz_ok(xt_session_open(&b->pipe, &options, &host.session, &info, &diag), &diag)) {
		for (size_t i = 0; i < steps; i++) {
			diag.text[0] = '\0';
			fuzz_ok(step(&host, data[i], &diag), &diag);
		}
		xt_session_counts(host.session, &counts);
		FUZZ_ASSERT(counts.bytes_sent >= counts.requests);
		xt_session_close(host.session);
	} else {
		FUZZ_ASSERT(!host.session);
	}
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	free(b->out);
	free(b);
	return 0;
}
