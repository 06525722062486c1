/* SPDX-License-Identifier: Apache-2.0
 *
 * The speed of the library's USB pipe, to or from a virtual board without RTL (`--stream KIND`).
 *   stream loop|sink|source MEGABYTES
 * Prints the rate in MB/s and checks every byte that comes back. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "board/pipe.h"

enum { CHUNK = 65536, TIMEOUT_MS = 20000, SLICE_MS = 100 };

typedef struct {
	xt_pipe_t *pipe;
	uint64_t send, receive; /* bytes */
	atomic_int sent;        /* all */
	int send_status, receive_status;
	xt_diag_t send_diag, receive_diag;
} streams_t;

/* Byte n of every stream. */
static void fill(uint8_t *bytes, uint64_t from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bytes[i] = (uint8_t)((from + i) ^ (from + i) >> 8);
	}
}

static void *send_all(void *argument)
{
	streams_t *s = argument;
	uint8_t bytes[CHUNK];

	/* The stream repeats itself after 65536 bytes. */
	fill(bytes, 0, CHUNK);
	for (uint64_t sent = 0; sent < s->send && !s->send_status; sent += CHUNK) {
		s->send_status = s->pipe->operations->send(s->pipe, bytes, CHUNK, TIMEOUT_MS, &s->send_diag);
	}
	s->sent = 1;
	return NULL;
}

/* Whoever receives also handles the events of what is sent, so this goes on until all is. */
static void receive_all(streams_t *s)
{
	uint8_t bytes[CHUNK], expected[2 * CHUNK];
	uint64_t got = 0, end = xt_now_ms() + TIMEOUT_MS;

	fill(expected, 0, 2 * CHUNK);
	while ((got < s->receive || !s->sent) && !s->receive_status) {
		size_t count;

		s->receive_status =
			s->pipe->operations->receive(s->pipe, bytes, CHUNK, SLICE_MS, &count, &s->receive_diag);
		if (!s->receive_status && memcmp(bytes, expected + got % CHUNK, count) != 0) {
			s->receive_status =
				xt_fail(&s->receive_diag, XT_ERR_MISMATCH, "a byte behind %" PRIu64 " is wrong", got);
		} else if (!s->receive_status && !count && got < s->receive && xt_now_ms() > end) {
			s->receive_status =
				xt_fail(&s->receive_diag, XT_ERR_TIMEOUT, "after %" PRIu64 " bytes nothing came", got);
		}
		end = count ? xt_now_ms() + TIMEOUT_MS : end;
		got += count;
	}
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc == 3 ? strtoull(argv[2], NULL, 10) << 20 : 0, begin;
	streams_t s = {0};
	pthread_t sender;

	if (!bytes) {
		fprintf(stderr, "usage: stream loop|sink|source MEGABYTES\n");
		return 2;
	}
	s.send = strcmp(argv[1], "source") != 0 ? bytes : 0;
	s.receive = strcmp(argv[1], "sink") != 0 ? bytes : 0;
	if (xt_pipe_open("usb", &(xt_pipe_place_t){.where = ""}, &s.pipe, &s.send_diag)) {
		fprintf(stderr, "stream: %s\n", s.send_diag.text);
		return 3;
	}
	begin = xt_now_ms();
	pthread_create(&sender, NULL, send_all, &s);
	receive_all(&s);
	pthread_join(sender, NULL);
	printf("%.1f\n", (double)bytes / 1e3 / (double)(xt_now_ms() - begin));
	s.pipe->operations->close(s.pipe);
	if (s.send_status || s.receive_status) {
		fprintf(stderr, "stream: %s\n", s.send_status ? s.send_diag.text : s.receive_diag.text);
	}
	return s.send_status || s.receive_status;
}
