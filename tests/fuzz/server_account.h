/* SPDX-License-Identifier: Apache-2.0
 *
 * What a host knows of `extorus serve` by the specification alone: sequence numbers, statuses, lengths, positions, and
 * the packets that must come. Whatever the server says is held against this account. */
#pragma once

#include "board/frame.h"
#include "extorus/protocol.h"
#include "extorus/server.h"

#include "fuzz.h"

enum {
	CARDS = 4,
	SEED_BYTES = 8,    /* an input of at most so many is a seed, and of so many is one of a long script */
	SEED_STEPS = 3000, /* of about 8 bytes each */
	CELLS = 4,         /* of the longest packet of `mini`, each a word */
	QUEUE = 1 << 14,
	MOST_OUTPUT = (1 << 16) + 8192,
	REG_TABLE_PORTS = 0x40,
	REG_QUIESCE = 0x58,
	GRT = 0x4000,
	LRT = 0x8000,
};

/* What the host knows of the queue from a NIC port. */
typedef struct {
	uint16_t acknowledged, sent, limit;
	uint8_t starts[65536 / 8]; /* bit per position: a packet was sent from there, since it was acknowledged */
	uint32_t words[65536];     /* what was sent, by position; the first one has the length */
} port_t;

typedef struct {
	const uint8_t *script;
	size_t left;
	uint64_t random; /* of a seed; 0: none */
	int honest;
	xt_device_t *device;
	xt_server_t *server;
	xt_frame_decoder_t decoder;
	int synced;
	uint16_t expected; /* sequence number */
	uint8_t statuses[XT_FRAME_MAX_WINDOW];
	port_t port[CARDS];
	uint32_t address[CARDS];
	uint16_t put[CARDS][CARDS], got[CARDS][CARDS]; /* numbers of the packets of each flow */
	uint64_t accepted, received;
	/* The answer that is awaited. */
	const xt_frame_t *request;
	int answered;
	xt_frame_t answer;
	uint32_t words[XT_FRAME_MAX_WORDS];
} host_t;

static unsigned next(host_t *h)
{
	if (!h->left) {
		return 0;
	}
	h->left--;
	if (h->random) {
		h->random ^= h->random << 13;
		h->random ^= h->random >> 7;
		h->random ^= h->random << 17;
		return (unsigned)(h->random >> 32) & 0xff;
	}
	return *h->script++;
}

static uint32_t next_word(host_t *h)
{
	uint32_t word = next(h);

	return word | next(h) << 8 | next(h) << 16 | next(h) << 24;
}

static int starts(const port_t *p, uint16_t position)
{
	return p->starts[position / 8] >> position % 8 & 1;
}

static void take_packet(host_t *h, const xt_frame_t *f)
{
	port_t *p = &h->port[f->card % CARDS];
	const uint32_t head = f->words | (uint32_t)f->status << 16;
	const int again = starts(p, f->argument);

	FUZZ_ASSERT(f->card < CARDS && f->unit == 0 && h->synced);
	FUZZ_ASSERT(f->words >= 1 && f->words <= CELLS && (f->status & ~XT_FRAME_POISONED) == 0);
	FUZZ_ASSERT(f->argument == p->sent && xt_frame_distance(f->argument, p->limit) < 0);
	FUZZ_ASSERT((uint16_t)(f->argument + f->words + 1 - p->acknowledged) <= QUEUE);
	p->starts[f->argument / 8] |= (uint8_t)(1 << f->argument % 8);
	FUZZ_ASSERT(!again || p->words[f->argument] == head);
	p->words[f->argument] = head;
	for (unsigned i = 0; i < f->words; i++) {
		const uint16_t at = (uint16_t)(f->argument + 1 + i);

		FUZZ_ASSERT(!again || p->words[at] == f->payload[i]);
		p->words[at] = f->payload[i];
	}
	p->sent = (uint16_t)(f->argument + f->words + 1);
	if (h->honest && !again) {
		const unsigned from = f->payload[0] >> 8 & 0xff;

		for (unsigned card = 0; card < CARDS; card++) {
			if (h->address[card] == from) {
				FUZZ_ASSERT((f->payload[0] & 0xff) == h->address[f->card] && !f->status);
				FUZZ_ASSERT(f->payload[0] >> 19 == (h->got[card][f->card]++ & 0x1fffu));
				h->received++;
				return;
			}
		}
		FUZZ_ASSERT(!"a packet from nowhere");
	}
}

static void take_answer(host_t *h, const xt_frame_t *f)
{
	const xt_frame_t *r = h->request;

	FUZZ_ASSERT(r && !h->answered);
	FUZZ_ASSERT(f->kind == (r->kind | XT_FRAME_FROM_BOARD) && f->sequence == r->sequence && f->card == r->card);
	FUZZ_ASSERT(f->unit == r->unit && f->words <= XT_FRAME_MAX_READ);
	h->answered = 1;
	h->answer = *f;
	h->answer.payload = h->words;
	memcpy(h->words, f->payload, f->words * sizeof(*h->words));
}

/* Takes what the server says. */
static void drain(host_t *h)
{
	xt_frame_t frame;
	size_t count;
	const uint8_t *bytes = xt_server_output(h->server, &count);
	const size_t whole = count;

	FUZZ_ASSERT(count <= MOST_OUTPUT);
	while (xt_frame_decode(&h->decoder, &bytes, &count, &frame)) {
		if (frame.kind == XT_FRAME_PACKET) {
			take_packet(h, &frame);
		} else if (frame.kind == XT_FRAME_EVENT) {
			FUZZ_ASSERT(frame.argument == XT_FRAME_EVENT_WAITING && !frame.words);
		} else {
			take_answer(h, &frame);
		}
	}
	FUZZ_ASSERT(h->decoder.dropped == 0);
	xt_server_sent(h->server, whole);
}

static void step(host_t *h, unsigned count)
{
	xt_server_work_t work = XT_SERVER_WORKS;
	xt_diag_t diag;

	for (unsigned i = 0; i <= count && work == XT_SERVER_WORKS; i++) {
		FUZZ_ASSERT(xt_server_step(h->server, &work, &diag) == XT_OK);
	}
	drain(h);
}

/* What the specification says to a request that is carried out: XT_FRAME_STATUS_, or -1: the card decides. */
static int status_of(const xt_frame_t *f)
{
	const unsigned last = f->argument + 4 * (f->kind == XT_FRAME_READ ? f->unit : f->words - 1u);

	if (f->kind < XT_FRAME_READ || f->kind > XT_FRAME_RESET) {
		return XT_FRAME_STATUS_KIND;
	}
	if (f->card >= CARDS) {
		return XT_FRAME_STATUS_CARD;
	}
	if (f->unit && (f->kind == XT_FRAME_INJECT || f->kind == XT_FRAME_RECEIVE || f->kind == XT_FRAME_STREAM)) {
		return XT_FRAME_STATUS_UNIT;
	}
	switch (f->kind) {
	case XT_FRAME_READ:
		return f->words ? XT_FRAME_STATUS_LENGTH : f->argument % 4 || last > 0xffff ? XT_FRAME_STATUS_BUS : -1;
	case XT_FRAME_WRITE:
		return !f->words ? XT_FRAME_STATUS_LENGTH : f->argument % 4 || last > 0xffff ? XT_FRAME_STATUS_BUS : -1;
	case XT_FRAME_INJECT:
		return f->words < 1 || f->words > CELLS ? XT_FRAME_STATUS_LENGTH : -1;
	case XT_FRAME_RECEIVE:
		return f->words != 1 ? XT_FRAME_STATUS_LENGTH : XT_FRAME_STATUS_OK;
	default:
		return f->kind == XT_FRAME_STREAM && f->words ? XT_FRAME_STATUS_LENGTH : XT_FRAME_STATUS_OK;
	}
}

static unsigned words_of(const xt_frame_t *f)
{
	return f->kind == XT_FRAME_INFO     ? XT_FRAME_INFO_WORDS
	       : f->kind == XT_FRAME_READ   ? f->unit + 1u
	       : f->kind == XT_FRAME_STREAM ? XT_FRAME_STREAM_WORDS
					    : 0;
}

static void forget(port_t *p, uint16_t from, uint16_t to)
{
	for (; from != to; from++) {
		p->starts[from / 8] &= (uint8_t) ~(1 << from % 8);
	}
}

/* The host's account of what was carried out. */
static void account(host_t *h, const xt_frame_t *f)
{
	port_t *p = &h->port[f->card % CARDS];

	if (f->kind == XT_FRAME_RECEIVE) {
		const int in = (uint16_t)(f->argument - p->acknowledged) <= (uint16_t)(p->sent - p->acknowledged);

		if (in && (f->argument == p->sent || starts(p, f->argument))) {
			forget(p, p->acknowledged, f->argument);
			p->acknowledged = f->argument;
		}
		FUZZ_ASSERT(h->answer.argument == p->acknowledged);
		p->limit = (uint16_t)f->payload[0];
		if (f->payload[0] & XT_FRAME_REWIND) {
			p->sent = p->acknowledged;
		}
	} else if (f->kind == XT_FRAME_STREAM) {
		FUZZ_ASSERT((h->words[1] & 0xffff) == p->acknowledged);
		FUZZ_ASSERT((uint16_t)((h->words[1] >> 16) - p->acknowledged) < QUEUE);
		FUZZ_ASSERT(h->words[0] >> 16 <= QUEUE);
	} else if (f->kind == XT_FRAME_RESET) {
		memset(h->port, 0, sizeof(h->port)); /* `mini` has no link layer: all cards are reset */
	}
}

static void rewind_all(host_t *h)
{
	for (unsigned i = 0; i < CARDS; i++) {
		h->port[i].sent = h->port[i].limit = h->port[i].acknowledged;
	}
}

static void check_answer(host_t *h, const xt_frame_t *f)
{
	const unsigned status = h->answer.status & ~(unsigned)XT_FRAME_REPEATED;
	const int repeated = (h->answer.status & XT_FRAME_REPEATED) != 0;
	const uint16_t behind = (uint16_t)(h->expected - f->sequence);
	const int wanted = status_of(f);

	FUZZ_ASSERT(status <= XT_FRAME_STATUS_VERSION);
	FUZZ_ASSERT(h->answer.words == (status == XT_FRAME_STATUS_OK ? words_of(f) : 0));
	if (f->kind == XT_FRAME_INFO) {
		FUZZ_ASSERT(status == XT_FRAME_STATUS_OK && !repeated);
	} else if (f->kind == XT_FRAME_SYNC) {
		FUZZ_ASSERT(
			!repeated && status == (f->words != 1                              ? XT_FRAME_STATUS_LENGTH
						       : f->payload[0] == XT_FRAME_VERSION ? XT_FRAME_STATUS_OK
											   : XT_FRAME_STATUS_VERSION));
		if (status == XT_FRAME_STATUS_OK) {
			h->synced = 1;
			h->expected = (uint16_t)(f->sequence + 1);
			memset(h->statuses, 0, sizeof(h->statuses));
			rewind_all(h);
		}
	} else if (!h->synced) {
		FUZZ_ASSERT(status == XT_FRAME_STATUS_UNSYNCED);
	} else if (behind == 0) {
		FUZZ_ASSERT(!repeated && (wanted < 0 ? status <= XT_FRAME_STATUS_BUSY : status == (unsigned)wanted));
		h->statuses[f->sequence % XT_FRAME_MAX_WINDOW] = (uint8_t)status;
		h->expected++;
		if (status == XT_FRAME_STATUS_OK) {
			h->accepted += f->kind == XT_FRAME_INJECT;
			account(h, f);
		}
	} else if (behind <= XT_FRAME_MAX_WINDOW) {
		const int fresh = f->kind == XT_FRAME_READ || f->kind == XT_FRAME_STREAM;

		FUZZ_ASSERT(repeated && (fresh || status == h->statuses[f->sequence % XT_FRAME_MAX_WINDOW]));
	} else {
		FUZZ_ASSERT(status == XT_FRAME_STATUS_SEQUENCE && h->answer.argument == h->expected);
	}
}

/* Sends a request, and returns the status of its answer. */
static unsigned ask(host_t *h, const xt_frame_t *f)
{
	uint8_t bytes[XT_FRAME_ENCODED_BYTES];
	const size_t size = xt_frame_encode(f, bytes);

	drain(h);
	h->request = f;
	h->answered = 0;
	xt_server_feed(h->server, bytes, size);
	drain(h);
	h->request = NULL;
	FUZZ_ASSERT(h->answered == (f->words <= 256));
	if (h->answered) {
		check_answer(h, f);
	}
	return h->answer.status;
}
