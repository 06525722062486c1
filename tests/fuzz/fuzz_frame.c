/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes from a board: frames, and what INFO and STREAM say. */
#include "board/frame.h"

#include "fuzz.h"

static void check_frame(const xt_frame_t *frame)
{
	uint8_t *again = malloc(xt_frame_encoded_bytes(frame->words));
	xt_frame_decoder_t *decoder = malloc(sizeof(*decoder));
	xt_frame_t back;
	xt_frame_info_t info;
	xt_frame_stream_t stream;
	xt_diag_t diag = {""};
	const uint8_t *data = again;
	size_t size;

	FUZZ_ASSERT(again && decoder);
	size = xt_frame_encode(frame, again);
	FUZZ_ASSERT(size <= xt_frame_encoded_bytes(frame->words));
	xt_frame_decoder_begin(decoder, frame->words);
	FUZZ_ASSERT(xt_frame_decode(decoder, &data, &size, &back) == 1 && size == 0 && decoder->dropped == 0);
	FUZZ_ASSERT(back.kind == frame->kind && back.status == frame->status && back.sequence == frame->sequence);
	FUZZ_ASSERT(back.card == frame->card && back.unit == frame->unit && back.argument == frame->argument);
	FUZZ_ASSERT(back.words == frame->words && memcmp(back.payload, frame->payload, 4 * (size_t)frame->words) == 0);
	if (fuzz_ok(xt_frame_info_unpack(frame, &info, &diag), &diag)) {
		uint32_t words[XT_FRAME_INFO_WORDS];

		FUZZ_ASSERT(info.cards && info.window && strlen(info.profile) <= XT_FRAME_NAME_BYTES);
		xt_frame_info_pack(&info, words);
		FUZZ_ASSERT(memcmp(words, frame->payload, 8) == 0 && memcmp(words + 3, frame->payload + 3, 28) == 0);
	}
	fuzz_ok(xt_frame_stream_unpack(frame, &stream, &diag), &diag);
	free(decoder);
	free(again);
}

/* The same bytes one at a time are the same frames: `whole` has seen them at once, and found `frames`. */
static void check_pieces(const xt_frame_decoder_t *whole, uint64_t frames, const uint8_t *data, size_t size)
{
	xt_frame_decoder_t *decoder = malloc(sizeof(*decoder));
	xt_frame_t frame;

	FUZZ_ASSERT(decoder);
	xt_frame_decoder_begin(decoder, whole->room);
	for (size_t i = 0; i < size; i++) {
		const uint8_t *byte = data + i;
		size_t one = 1;

		frames -= (uint64_t)xt_frame_decode(decoder, &byte, &one, &frame);
		FUZZ_ASSERT(one == 0);
	}
	FUZZ_ASSERT(frames == 0 && decoder->dropped == whole->dropped);
	free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *text = (uint8_t *)fuzz_text(data, size);
	xt_frame_decoder_t *decoder = malloc(sizeof(*decoder));
	const uint8_t *rest = text + 1;
	xt_frame_t frame;

	FUZZ_ASSERT(decoder);
	if (size) {
		/* The first byte is the room of the receiver. */
		unsigned room = text[0] ? text[0] * 4u : XT_FRAME_MAX_WORDS;
		uint64_t frames = 0;

		size--;
		xt_frame_decoder_begin(decoder, room);
		while (xt_frame_decode(decoder, &rest, &size, &frame)) {
			FUZZ_ASSERT(frame.words <= room);
			check_frame(&frame);
			frames++;
		}
		FUZZ_ASSERT(size == 0);
		check_pieces(decoder, frames, text + 1, (size_t)(rest - text - 1));
	}
	free(decoder);
	free(text);
	return 0;
}
