/* SPDX-License-Identifier: Apache-2.0
 *
 * One session used by many threads at once, against a board of this test's own. Each thread has some of its registers;
 * its queue gives every packet back. Also built with the thread sanitizer. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "board/pipe_fd.h"
#include "board/session.h"
#include "support.h"

enum { REGISTERS = 16384, QUEUE = 4096, THREADS = 4, ROUNDS = 60, BLOCK = 300, PACKETS = 400, PACKET_WORDS = 8 };

/* The board: serves one host, and loses every `lose`th request and every `lose_answers`th frame of its own. */
typedef struct {
	int listener, host;
	pthread_t thread;
	unsigned lose, lose_answers, seen, said;
	uint16_t expected;
	uint8_t statuses[16];
	uint32_t registers[REGISTERS];
	uint32_t ring[QUEUE];
	uint16_t acknowledged, sent, written, limit;
	xt_frame_decoder_t decoder;
	uint32_t words[XT_FRAME_MAX_WORDS];
} board_t;

static void say(board_t *b, const xt_frame_t *frame)
{
	uint8_t bytes[XT_FRAME_ENCODED_BYTES];
	size_t size = xt_frame_encode(frame, bytes), done = 0;

	if (b->lose_answers && ++b->said % b->lose_answers == 0) {
		return;
	}
	while (done < size) {
		ssize_t count = send(b->host, bytes + done, size - done, MSG_NOSIGNAL);

		if (count <= 0) {
			return;
		}
		done += (size_t)count;
	}
}

static void carry_out(board_t *b, const xt_frame_t *f, xt_frame_t *answer, int repeated)
{
	unsigned at = f->argument / 4;

	if (f->kind == XT_FRAME_READ) {
		answer->words = f->unit + 1u;
		memcpy(b->words, b->registers + at, answer->words * 4);
	} else if (f->kind == XT_FRAME_STREAM) {
		xt_frame_stream_pack(
			&(xt_frame_stream_t){b->written, QUEUE - 1, b->acknowledged, b->written}, b->words);
		answer->words = XT_FRAME_STREAM_WORDS;
	} else if (f->kind == XT_FRAME_WRITE && !repeated) {
		memcpy(b->registers + at, f->payload, f->words * 4);
	} else if (f->kind == XT_FRAME_INJECT) {
		if (!repeated) {
			b->ring[b->written++ % QUEUE] = f->words;
			for (unsigned i = 0; i < f->words; i++) {
				b->ring[b->written++ % QUEUE] = f->payload[i];
			}
		}
		/* Room is what the host has taken: the queue is one. */
		answer->argument = b->acknowledged;
	} else if (f->kind == XT_FRAME_RECEIVE && !repeated) {
		b->acknowledged = f->argument;
		b->limit = (uint16_t)f->payload[0];
		if (f->payload[0] & XT_FRAME_REWIND) {
			b->sent = b->acknowledged;
		}
	}
}

static void serve_frame(board_t *b, const xt_frame_t *f)
{
	const xt_frame_info_t info = {1, 1, 1, 1, 16, 0x1234, 64, 64, QUEUE - 1, QUEUE - 1, 7, 0, 0, "test", 0};
	xt_frame_t answer = {f->kind | XT_FRAME_FROM_BOARD, 0, f->sequence, f->card, f->unit, f->argument, 0, b->words};
	unsigned behind = (uint16_t)(b->expected - f->sequence);

	if (f->kind == XT_FRAME_INFO) {
		xt_frame_info_pack(&info, b->words);
		answer.words = XT_FRAME_INFO_WORDS;
	} else if (f->kind == XT_FRAME_SYNC) {
		b->expected = (uint16_t)(f->sequence + 1);
	} else if (b->lose && ++b->seen % b->lose == 0) {
		return;
	} else if (behind > 16) {
		answer.status = XT_FRAME_STATUS_SEQUENCE;
		answer.argument = b->expected;
	} else {
		carry_out(b, f, &answer, behind != 0);
		answer.status = behind ? XT_FRAME_REPEATED : 0;
		b->expected = (uint16_t)(b->expected + (behind == 0));
	}
	say(b, &answer);
	while (b->sent != b->written && xt_frame_distance(b->sent, b->limit) < 0) {
		xt_frame_t packet = {.kind = XT_FRAME_PACKET, .argument = b->sent, .payload = b->words};

		packet.words = b->ring[b->sent++ % QUEUE];
		for (unsigned i = 0; i < packet.words; i++) {
			b->words[i] = b->ring[b->sent++ % QUEUE];
		}
		say(b, &packet);
	}
}

static void *board_loop(void *argument)
{
	board_t *b = argument;
	xt_frame_t frame;
	uint8_t bytes[4096];
	ssize_t got;

	b->host = accept(b->listener, NULL, NULL);
	while ((got = recv(b->host, bytes, sizeof(bytes), 0)) > 0) {
		const uint8_t *data = bytes;
		size_t count = (size_t)got;

		while (xt_frame_decode(&b->decoder, &data, &count, &frame)) {
			serve_frame(b, &frame);
		}
	}
	close(b->host);
	return NULL;
}

static xt_session_t *open_session(board_t *b, unsigned lose, unsigned lose_answers)
{
	struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const xt_session_options_t options = {.timeout_ms = 100, .retries = 50};
	socklen_t size = sizeof(where);
	xt_session_t *session;
	xt_frame_info_t info;
	xt_pipe_t *pipe;
	xt_diag_t diag = {""};
	char text[40];

	memset(b, 0, sizeof(*b));
	b->lose = lose;
	b->lose_answers = lose_answers;
	xt_frame_decoder_begin(&b->decoder, 64);
	b->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(b->listener, (struct sockaddr *)&where, sizeof(where)), 0);
	assert_int_equal(listen(b->listener, 1), 0);
	assert_int_equal(getsockname(b->listener, (struct sockaddr *)&where, &size), 0);
	assert_int_equal(pthread_create(&b->thread, NULL, board_loop, b), 0);
	snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(where.sin_port));
	assert_int_equal(xt_pipe_open("tcp", &(xt_pipe_place_t){.where = text}, &pipe, &diag), XT_OK);
	if (xt_session_open(pipe, &options, &session, &info, &diag)) {
		fail_msg("%s", diag.text);
	}
	assert_int_equal(info.profile_hash, 0x1234);
	return session;
}

static void close_session(board_t *b, xt_session_t *session)
{
	xt_session_close(session);
	pthread_join(b->thread, NULL);
	close(b->listener);
}

typedef struct {
	xt_session_t *session;
	unsigned number;
	int status, wrong;
} user_t;

/* Blocks of registers of its own, written and read back. */
static void *use_registers(void *argument)
{
	user_t *u = argument;
	uint32_t out[BLOCK], in[BLOCK];
	xt_diag_t diag;

	for (unsigned round = 0; round < ROUNDS && !u->status; round++) {
		uint32_t address = 4 * BLOCK * u->number;

		for (unsigned i = 0; i < BLOCK; i++) {
			out[i] = u->number << 24 | round << 12 | i;
		}
		u->status = xt_session_write(u->session, 0, address, out, BLOCK, &diag);
		if (!u->status) {
			u->status = xt_session_read(u->session, 0, address, in, BLOCK, &diag);
		}
		u->wrong |= memcmp(out, in, sizeof(in)) != 0;
	}
	return NULL;
}

static void *send_packets(void *argument)
{
	user_t *u = argument;
	uint32_t words[PACKET_WORDS];
	xt_diag_t diag;

	for (uint32_t n = 0; n < PACKETS && !u->status; n++) {
		for (uint32_t i = 0; i < PACKET_WORDS; i++) {
			words[i] = n << 8 | i;
		}
		u->status = xt_session_inject(u->session, 0, 0, words, 1 + n % PACKET_WORDS, 20000, &diag);
	}
	return NULL;
}

/* All of them, once and in order. */
static void *receive_packets(void *argument)
{
	user_t *u = argument;
	uint32_t words[PACKET_WORDS];
	xt_diag_t diag;

	for (uint32_t n = 0; n < PACKETS && !u->status; n++) {
		unsigned count = 0;
		int poisoned;

		u->status = xt_session_receive(u->session, 0, 0, words, PACKET_WORDS, &count, &poisoned, 20000, &diag);
		u->wrong |= count != 1 + n % PACKET_WORDS || words[0] != n << 8 ||
			    words[count - 1] != (n << 8 | (count - 1));
		if (u->wrong) {
			return NULL;
		}
	}
	return NULL;
}

static void use_from_all_sides(unsigned lose)
{
	board_t *board = malloc(sizeof(*board));
	xt_session_t *session;
	user_t users[THREADS + 2];
	pthread_t threads[THREADS + 2];

	assert_non_null(board);
	session = open_session(board, lose, lose);
	for (unsigned i = 0; i < THREADS + 2; i++) {
		users[i] = (user_t){session, i, XT_OK, 0};
		assert_int_equal(pthread_create(&threads[i], NULL,
					 i < THREADS    ? use_registers
					 : i == THREADS ? send_packets
							: receive_packets,
					 &users[i]),
			0);
	}
	for (unsigned i = 0; i < THREADS + 2; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(users[i].status, XT_OK);
		assert_int_equal(users[i].wrong, 0);
	}
	close_session(board, session);
	free(board);
}

TEST(many_threads_share_a_session)
{
	use_from_all_sides(0);
}

TEST(losses_are_repaired_under_all_of_them)
{
	use_from_all_sides(37);
}

/* Of 16 requests, as many as the board takes at once, the first is lost whenever all are sent; likewise of answers. */
static void read_over_a_line_that_loses_one_of_a_window(unsigned lose, unsigned lose_answers)
{
	enum { WINDOW = 16, WORDS = 64, GREETINGS = 2 };
	const unsigned before = WINDOW - 1 - (lose_answers ? GREETINGS : 0);
	board_t *board = malloc(sizeof(*board));
	uint32_t values[WINDOW * WORDS];
	xt_session_counts_t counts;
	xt_session_t *session;
	xt_diag_t diag = {""};

	assert_non_null(board);
	session = open_session(board, lose, lose_answers);
	for (unsigned i = 0; i < before; i++) {
		assert_int_equal(xt_session_read(session, 0, 0, values, 1, &diag), XT_OK);
	}
	assert_int_equal(xt_session_read(session, 0, 0, values, WINDOW * WORDS, &diag), XT_OK);
	xt_session_counts(session, &counts);
	assert_in_range(counts.repeated, WINDOW, 3 * WINDOW);
	close_session(board, session);
	free(board);
}

TEST(a_loss_of_one_in_a_window_is_repaired)
{
	read_over_a_line_that_loses_one_of_a_window(16, 0);
	read_over_a_line_that_loses_one_of_a_window(0, 16);
}

/* The board hangs up while threads wait: all of them are told, and a session that is over stays over. */
TEST(everybody_learns_that_the_board_has_gone)
{
	board_t *board = malloc(sizeof(*board));
	xt_session_t *session;
	user_t users[THREADS];
	pthread_t threads[THREADS];
	uint32_t value;
	xt_diag_t diag = {""};

	assert_non_null(board);
	session = open_session(board, 0, 0);
	for (unsigned i = 0; i < THREADS; i++) {
		users[i] = (user_t){session, i, XT_OK, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, receive_packets, &users[i]), 0);
	}
	shutdown(board->host, SHUT_RDWR);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(users[i].status, XT_ERR_GONE);
	}
	assert_int_equal(xt_session_read(session, 0, 0, &value, 1, &diag), XT_ERR_GONE);
	assert_non_null(strstr(diag.text, "still there"));
	close_session(board, session);
	free(board);
}

static int slow = -1, full;

/* In place of the system's: the serial port `slow` takes a byte, and then none for 20 ms. */
ssize_t write(int fd, const void *bytes, size_t count)
{
	if (fd != slow) {
		return syscall(SYS_write, fd, bytes, count);
	}
	full = !full;
	usleep(full ? 20000 : 0);
	errno = EAGAIN;
	return full ? -1 : 1;
}

TEST(a_serial_port_that_takes_a_byte_now_and_then_is_given_up)
{
	enum { TIMEOUT_MS = 50 };
	const uint8_t bytes[300] = {0};
	const uint64_t begin = xt_now_ms();
	int ends[2];
	xt_pipe_t *pipe_out;
	xt_diag_t diag = {""};

	assert_int_equal(pipe(ends), 0);
	slow = ends[1];
	assert_int_equal(xt_pipe_wrap(slow, 0, "serial port", &pipe_out, &diag), XT_OK);
	assert_int_equal(pipe_out->operations->send(pipe_out, bytes, sizeof(bytes), TIMEOUT_MS, &diag), XT_ERR_TIMEOUT);
	assert_in_range(xt_now_ms() - begin, TIMEOUT_MS, 3000);
	slow = -1;
	pipe_out->operations->close(pipe_out);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_threads_share_a_session),
		cmocka_unit_test(losses_are_repaired_under_all_of_them),
		cmocka_unit_test(a_loss_of_one_in_a_window_is_repaired),
		cmocka_unit_test(a_serial_port_that_takes_a_byte_now_and_then_is_given_up),
		cmocka_unit_test(everybody_learns_that_the_board_has_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
