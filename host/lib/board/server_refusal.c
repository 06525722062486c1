/* SPDX-License-Identifier: Apache-2.0
 *
 * What a host is told that comes while another has the board. */
#include <string.h>

#include "extorus/server.h"
#include "frame.h"

size_t xt_server_refuse(
	const uint8_t *bytes, size_t count, const char *who, uint64_t seconds, uint8_t *answer, size_t room)
{
	enum { MOST_WORDS = 16 };
	const uint8_t *last = memrchr(bytes, XT_FRAME_FLAG, count);
	uint32_t words[1 + MOST_WORDS] = {0};
	xt_frame_decoder_t decoder;
	xt_frame_t request, refusal;
	size_t whole = last ? (size_t)(last - bytes) + 1 : 0;

	xt_frame_decoder_begin(&decoder, XT_FRAME_LEAST_WORDS);
	while (xt_frame_decode(&decoder, &bytes, &whole, &request)) {
		if (request.kind == XT_FRAME_INFO && room >= xt_frame_encoded_bytes(1 + MOST_WORDS)) {
			words[0] = seconds < UINT32_MAX ? (uint32_t)seconds : UINT32_MAX;
			for (size_t i = 0; who[i] && i < 4 * MOST_WORDS; i++) {
				words[1 + i / 4] |= (uint32_t)(uint8_t)who[i] << i % 4 * 8;
			}
			refusal = request;
			refusal.kind |= XT_FRAME_FROM_BOARD;
			refusal.status = XT_FRAME_STATUS_BUSY;
			refusal.words = 1 + MOST_WORDS;
			refusal.payload = words;
			return xt_frame_encode(&refusal, answer);
		}
	}
	return 0;
}

int xt_server_is_asked(const uint8_t *bytes, size_t count)
{
	xt_frame_decoder_t decoder;
	xt_frame_t request;

	xt_frame_decoder_begin(&decoder, XT_FRAME_MAX_WORDS);
	return xt_frame_decode(&decoder, &bytes, &count, &request);
}
