/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames of the protocol between host and board (host/protocol/README.md), written and read. No input or output
 * happens here. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "extorus/error.h"
#include "extorus/protocol.h"

/* A frame; words below XT_FRAME_MAX_WORDS + 1. */
typedef struct {
	uint8_t kind, status;
	uint16_t sequence;
	uint8_t card, unit;
	uint16_t argument;
	unsigned words;
	const uint32_t *payload; /* may be NULL if there are none */
} xt_frame_t;

enum {
	XT_FRAME_MAX_BYTES = XT_FRAME_HEADER_BYTES + 4 * XT_FRAME_MAX_WORDS + XT_FRAME_CRC_BYTES,
	/* What a frame can become at most: every byte escaped, a FLAG before and after. */
	XT_FRAME_ENCODED_BYTES = 2 * XT_FRAME_MAX_BYTES + 2,
};

/* Most bytes that a frame with so many payload words can take. */
static inline size_t xt_frame_encoded_bytes(unsigned words)
{
	return 2 * (XT_FRAME_HEADER_BYTES + 4 * (size_t)words + XT_FRAME_CRC_BYTES) + 2;
}

/* Writes the frame with a FLAG at either end; `out` has room for xt_frame_encoded_bytes(words). Returns the bytes
 * written. */
size_t xt_frame_encode(const xt_frame_t *frame, uint8_t *out);

/* A receiver of frames. */
typedef struct {
	unsigned room; /* payload words that it takes */
	size_t count;  /* bytes so far */
	int escaped, spoiled;
	uint64_t dropped; /* frames that were not good */
	uint8_t bytes[XT_FRAME_MAX_BYTES];
	uint32_t payload[XT_FRAME_MAX_WORDS];
} xt_frame_decoder_t;

/* `room` at most XT_FRAME_MAX_WORDS. */
void xt_frame_decoder_begin(xt_frame_decoder_t *decoder, unsigned room);
/* Takes bytes from *data on until a good frame is complete: 1, *data and *size are behind it, and its payload is
 * valid until the next call; or until all are taken: 0. Frames that are not good are counted and dropped. */
int xt_frame_decode(xt_frame_decoder_t *decoder, const uint8_t **data, size_t *size, xt_frame_t *frame);

/* What a board says of itself. */
typedef struct {
	unsigned version, least_version;
	unsigned cards, nics; /* NICs of each card */
	unsigned window;
	uint32_t profile_hash;
	unsigned request_words, read_words;
	unsigned inject_words, receive_words; /* of the queues of each NIC port */
	uint64_t serial;
	uint32_t clock_khz; /* 0: not known */
	uint32_t build;
	char profile[XT_FRAME_NAME_BYTES + 1];
	unsigned dropped; /* frames that the board has dropped, modulo 65536 */
} xt_frame_info_t;

void xt_frame_info_pack(const xt_frame_info_t *info, uint32_t words[XT_FRAME_INFO_WORDS]);
/* Reads the answer to INFO. XT_ERR_PROTOCOL: it is none, or its numbers cannot be. XT_ERR_VERSION: the version
 * of the protocol is another one; `version`, `least_version` and `profile_hash` are set then. */
int xt_frame_info_unpack(const xt_frame_t *frame, xt_frame_info_t *info, xt_diag_t *diag);

/* The queues of a NIC port, as STREAM tells them. */
typedef struct {
	uint16_t taken;        /* position up to which the card took packets */
	uint16_t free;         /* words */
	uint16_t acknowledged; /* position */
	uint16_t written;      /* position */
} xt_frame_stream_t;

void xt_frame_stream_pack(const xt_frame_stream_t *stream, uint32_t words[XT_FRAME_STREAM_WORDS]);
/* XT_ERR_PROTOCOL: it is no answer to STREAM. */
int xt_frame_stream_unpack(const xt_frame_t *frame, xt_frame_stream_t *stream, xt_diag_t *diag);

/* Names of numbers for messages: "READ", "BUS", "STARTED"; "?" for one that is not in the list. */
const char *xt_frame_kind_name(unsigned kind); /* of a request or its answer */
const char *xt_frame_status_name(unsigned status);
const char *xt_frame_status_text(unsigned status); /* what it means */
const char *xt_frame_event_name(unsigned event);

/* a - b of two sequence numbers or positions. */
static inline int xt_frame_distance(uint16_t a, uint16_t b)
{
	return (int16_t)(uint16_t)(a - b);
}
