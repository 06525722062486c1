/* SPDX-License-Identifier: Apache-2.0
 *
 * A routing image's file, whose CRC is made right so that more than the CRC is tried. What is accepted must come out
 * the same once written and read, and the checker must finish, with the same result for destinations together as
 * one by one. */
#include <zlib.h>

#include "extorus/check.h"
#include "fuzz.h"

enum { CRC_SIZE = 4, MOST_CARDS = 64 };

static void assert_readable(const xt_image_t *image)
{
	uint8_t *once = NULL, *twice = NULL;
	size_t size_once = 0, size_twice = 0;
	xt_image_t *again = NULL;
	xt_diag_t diag = {""};

	FUZZ_ASSERT(fuzz_ok(xt_image_encode(image, &once, &size_once, &diag), &diag));
	FUZZ_ASSERT(fuzz_ok(xt_image_decode(once, size_once, "again", &again, &diag), &diag));
	FUZZ_ASSERT(fuzz_ok(xt_image_encode(again, &twice, &size_twice, &diag), &diag));
	FUZZ_ASSERT(size_once == size_twice && memcmp(once, twice, size_once) == 0);
	free(once);
	free(twice);
	xt_image_free(again);
}

static void assert_checkable(const xt_image_t *image)
{
	xt_check_t *together = NULL, *one_by_one = NULL;
	xt_diag_t diag = {""}, other = {""};

	FUZZ_ASSERT(fuzz_ok(xt_check_image(image, &together, &diag), &diag));
	FUZZ_ASSERT(fuzz_ok(xt_check_image_with(image,
				    &(xt_check_options_t){.size = sizeof(xt_check_options_t), .one_by_one = true},
				    &one_by_one, &diag),
		&diag));
	FUZZ_ASSERT(xt_check_verdict(image, together, &diag) == xt_check_verdict(image, one_by_one, &other));
	FUZZ_ASSERT(strcmp(diag.text, other.text) == 0);
	FUZZ_ASSERT(together->pairs == one_by_one->pairs && together->mean_hops == one_by_one->mean_hops &&
		    together->non_minimal == one_by_one->non_minimal && together->escapes == one_by_one->escapes &&
		    together->adaptive_max_hops == one_by_one->adaptive_max_hops);
	for (unsigned tc = 0; tc < together->tcs; tc++) {
		FUZZ_ASSERT(together->channels[tc] == one_by_one->channels[tc] &&
			    together->dependencies[tc] == one_by_one->dependencies[tc]);
	}
	xt_check_free(together);
	xt_check_free(one_by_one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = (uint8_t *)fuzz_text(data, size);
	xt_image_t *image = NULL;
	xt_diag_t diag = {""};

	if (size >= CRC_SIZE) {
		uint32_t crc = (uint32_t)crc32_z(0, bytes, size - CRC_SIZE);

		for (unsigned i = 0; i < CRC_SIZE; i++) {
			bytes[size - CRC_SIZE + i] = (uint8_t)(crc >> (8 * i));
		}
	}
	bytes = realloc(bytes, size + !size);
	FUZZ_ASSERT(bytes);
	if (fuzz_ok(xt_image_decode(bytes, size, "input", &image, &diag), &diag)) {
		assert_readable(image);
		if (xt_image_cards(image) <= MOST_CARDS) {
			assert_checkable(image);
		}
	}
	xt_image_free(image);
	free(bytes);
	return 0;
}
