/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames of the protocol: against bytes written by hand from its specification, and against damage. */
#include "board/frame.h"

#include <stdlib.h>

#include "support.h"

/* CRC-32 bit by bit, as the specification has it. */
static uint32_t slow_crc(const uint8_t *bytes, size_t count)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < count; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++) {
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		}
	}
	return crc;
}

static xt_frame_t decode_one(xt_frame_decoder_t *decoder, const uint8_t *bytes, size_t size)
{
	xt_frame_t frame;

	assert_int_equal(xt_frame_decode(decoder, &bytes, &size, &frame), 1);
	return frame;
}

TEST(bytes_are_those_of_the_specification)
{
	/* READ of 3 words from 0x1234 at card 1, number 0x7e05. */
	uint8_t plain[12] = {0x02, 0x00, 0x05, 0x7e, 0x01, 0x02, 0x34, 0x12};
	xt_frame_t frame = {.kind = XT_FRAME_READ, .sequence = 0x7e05, .card = 1, .unit = 2, .argument = 0x1234};
	uint32_t crc = ~slow_crc(plain, 8);
	uint8_t expected[64], out[64];
	size_t count = 0;

	for (int i = 0; i < 4; i++) {
		plain[8 + i] = (uint8_t)(crc >> 8 * i);
	}
	expected[count++] = 0x7e;
	for (int i = 0; i < 12; i++) {
		if (plain[i] == 0x7e || plain[i] == 0x7d) {
			expected[count++] = 0x7d;
			expected[count++] = plain[i] ^ 0x20;
		} else {
			expected[count++] = plain[i];
		}
	}
	expected[count++] = 0x7e;
	assert_int_equal(xt_frame_encode(&frame, out), count);
	assert_memory_equal(out, expected, count);
	assert_int_equal(slow_crc(plain, 12), 0xdebb20e3);
}

TEST(frames_survive)
{
	xt_frame_decoder_t *decoder = malloc(sizeof(*decoder));
	uint8_t *bytes = malloc(XT_FRAME_ENCODED_BYTES);
	uint32_t words[XT_FRAME_MAX_WORDS];

	assert_non_null(decoder);
	assert_non_null(bytes);
	for (unsigned i = 0; i < XT_FRAME_MAX_WORDS; i++) {
		words[i] = i % 3 ? 0x7e7d7e7du : i * 2654435761u;
	}
	xt_frame_decoder_begin(decoder, XT_FRAME_MAX_WORDS);
	for (unsigned count = 0; count <= XT_FRAME_MAX_WORDS; count += count < 20 ? 1 : 251) {
		xt_frame_t frame = {0xc0, 0x7d, 0x7e7e, 0x7d, 0x7e, 0x7d7e, count, words}, back;
		size_t size = xt_frame_encode(&frame, bytes);

		assert_true(size <= xt_frame_encoded_bytes(count));
		back = decode_one(decoder, bytes, size);
		assert_int_equal(back.kind, 0xc0);
		assert_int_equal(back.status, 0x7d);
		assert_int_equal(back.sequence, 0x7e7e);
		assert_int_equal(back.card, 0x7d);
		assert_int_equal(back.unit, 0x7e);
		assert_int_equal(back.argument, 0x7d7e);
		assert_int_equal(back.words, count);
		assert_memory_equal(back.payload, words, 4 * (size_t)count);
	}
	assert_int_equal(decoder->dropped, 0);
	free(bytes);
	free(decoder);
}

/* Any byte of a frame lost, doubled or changed: it is not taken, and the next one is. */
TEST(damage_is_found_and_ends_with_the_next_flag)
{
	xt_frame_decoder_t *decoder = malloc(sizeof(*decoder));
	const uint32_t words[3] = {0x01020304, 0x7e000000, 0xffffffff};
	xt_frame_t frame = {XT_FRAME_WRITE, 0, 77, 0, 0, 0x4000, 3, words},
		   good = {XT_FRAME_SYNC, 0, 5, 0, 0, 0, 0, NULL};
	uint8_t clean[64], dirty[160];
	size_t size = xt_frame_encode(&frame, clean);

	assert_non_null(decoder);
	for (size_t at = 1; at + 1 < size; at++) {
		for (int kind = 0; kind < 10; kind++) {
			size_t count = 0;
			const uint8_t *data = dirty;
			xt_frame_t got;

			for (size_t i = 0; i < size; i++) {
				if (i != at || kind == 9) {
					dirty[count++] = clean[i];
				}
				if (i == at && kind != 8) {
					dirty[count++] = kind == 9 ? clean[i] : clean[i] ^ (uint8_t)(1 << kind);
				}
			}
			count += xt_frame_encode(&good, dirty + count);
			xt_frame_decoder_begin(decoder, 8);
			assert_int_equal(xt_frame_decode(decoder, &data, &count, &got), 1);
			assert_int_equal(got.kind, XT_FRAME_SYNC);
			assert_int_equal(got.sequence, 5);
			assert_true(decoder->dropped >= 1);
		}
	}
	free(decoder);
}

TEST(too_much_is_dropped)
{
	xt_frame_decoder_t *decoder = malloc(sizeof(*decoder));
	const uint32_t words[9] = {0};
	xt_frame_t frame = {XT_FRAME_WRITE, 0, 1, 0, 0, 0, 9, words}, got;
	uint8_t bytes[256];
	const uint8_t *data = bytes;
	size_t size = xt_frame_encode(&frame, bytes);

	assert_non_null(decoder);
	frame.words = 8;
	size += xt_frame_encode(&frame, bytes + size);
	xt_frame_decoder_begin(decoder, 8);
	assert_int_equal(xt_frame_decode(decoder, &data, &size, &got), 1);
	assert_int_equal(got.words, 8);
	assert_int_equal(decoder->dropped, 1);
	free(decoder);
}

static xt_frame_info_t some_board(void)
{
	return (xt_frame_info_t){.version = XT_FRAME_VERSION,
		.least_version = XT_FRAME_VERSION,
		.cards = 2,
		.nics = 1,
		.window = 16,
		.profile_hash = 0x12345678,
		.request_words = 128,
		.read_words = 128,
		.inject_words = 512,
		.receive_words = 1024,
		.serial = 0x0123456789abcdef,
		.clock_khz = 80000,
		.build = 3,
		.profile = "extoll"};
}

TEST(info_says_what_the_board_is)
{
	xt_frame_info_t info = some_board(), back;
	uint32_t words[XT_FRAME_INFO_WORDS];
	xt_frame_t frame = {XT_FRAME_INFO | XT_FRAME_FROM_BOARD, 0, 0, 0, 0, 9, XT_FRAME_INFO_WORDS, words};
	xt_diag_t diag = {""};

	xt_frame_info_pack(&info, words);
	assert_int_equal(words[0], 0x52425458);
	assert_int_equal(words[2], 0x00100102);
	assert_int_equal(words[10], 0x6f747865); /* "exto" */
	assert_int_equal(xt_frame_info_unpack(&frame, &back, &diag), XT_OK);
	assert_string_equal(back.profile, "extoll");
	assert_int_equal(back.serial, info.serial);
	assert_int_equal(back.dropped, 9);
	assert_int_equal(back.receive_words, 1024);

	words[0]++;
	assert_int_equal(xt_frame_info_unpack(&frame, &back, &diag), XT_ERR_PROTOCOL);
	assert_says(&diag, "no extorus board");
	words[0]--;
	words[1] = 7 | 7 << 16;
	frame.words = 4;
	assert_int_equal(xt_frame_info_unpack(&frame, &back, &diag), XT_ERR_VERSION);
	assert_says(&diag, "version 7");
	assert_int_equal(back.profile_hash, 0x12345678);
	words[1] = 0;
	assert_int_equal(xt_frame_info_unpack(&frame, &back, &diag), XT_ERR_VERSION);
	assert_says(&diag, "newer bitstream");
	/* A newer board that still speaks this version. */
	words[1] = 9 | 1 << 16;
	frame.words = XT_FRAME_INFO_WORDS;
	assert_int_equal(xt_frame_info_unpack(&frame, &back, &diag), XT_OK);
	words[2] = 0x00110102; /* a window of 17 */
	assert_int_equal(xt_frame_info_unpack(&frame, &back, &diag), XT_ERR_PROTOCOL);
	assert_says(&diag, "impossible");
}

TEST(numbers_have_names)
{
	assert_string_equal(xt_frame_kind_name(XT_FRAME_READ | XT_FRAME_FROM_BOARD), "READ");
	assert_string_equal(xt_frame_kind_name(XT_FRAME_PACKET), "PACKET");
	assert_string_equal(xt_frame_kind_name(0x3f), "?");
	assert_string_equal(xt_frame_status_name(XT_FRAME_STATUS_BUSY), "BUSY");
	assert_string_equal(xt_frame_event_name(XT_FRAME_EVENT_STARTED), "STARTED");
	assert_int_equal(xt_frame_distance(2, 0xffff), 3);
	assert_int_equal(xt_frame_distance(0xffff, 2), -3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_those_of_the_specification),
		cmocka_unit_test(frames_survive),
		cmocka_unit_test(damage_is_found_and_ends_with_the_next_flag),
		cmocka_unit_test(too_much_is_dropped),
		cmocka_unit_test(info_says_what_the_board_is),
		cmocka_unit_test(numbers_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
