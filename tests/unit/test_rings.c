/* SPDX-License-Identifier: Apache-2.0
 *
 * The registers of bubble flow control in an image. */
#include "support.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void assert_round_trip_of_rings(const char *spec, const char *profile)
{
	xt_image_t *image = make_routed_image(spec, profile, XT_ALGORITHM_BUBBLE, 0), *again;
	unsigned vc_rings = 0;
	uint8_t *bytes;
	size_t size;

	assert_int_equal(xt_image_encode(image, &bytes, &size, NULL), XT_OK);
	assert_int_equal(xt_image_decode(bytes, size, "test", &again, NULL), XT_OK);
	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		assert_int_equal(xt_image_adaptive_ports(image, card), xt_image_adaptive_ports(again, card));
		for (unsigned port = 0; port < 6; port++) {
			assert_int_equal(xt_image_ring(image, card, port), xt_image_ring(again, card, port));
			assert_int_equal(
				xt_image_vc_ring_from(image, card, port), xt_image_vc_ring_from(again, card, port));
			vc_rings += xt_image_vc_ring_from(image, card, port) != 0;
		}
	}
	assert_int_not_equal(xt_image_ring(again, 5, 0), 0);
	assert_int_equal(vc_rings != 0, xt_image_profile(image)->vc_rings);
	free(bytes);
	xt_image_free(image);
	xt_image_free(again);
}

TEST(test_round_trip_of_rings)
{
	assert_round_trip_of_rings("twin:4x4x3", "bubble");
	assert_round_trip_of_rings("twin:4x5x3,config=B", "bubble4");
}

/* The ports of rings of VC 1 to 3, and where VC 0 has its own. */
TEST(test_ports_of_vc_rings)
{
	const uint32_t word = xt_ring_pack((xt_ring_t){.from = 5, .vcs = 0xb, .from_vcs = 2});
	uint32_t from = xt_ring_from_with(xt_ring_from_with(xt_ring_from_with(0, 3, 4), 1, 0x12), 0, 3);

	assert_int_equal(from, 0x402);
	assert_int_equal(xt_ring_from(word, from, 0), 5);
	assert_int_equal(xt_ring_from(word, from, 1), 2);
	assert_int_equal(xt_ring_from(word, from, 2), 0);
	assert_int_equal(xt_ring_from(word, from, 3), 4);
	assert_int_equal(xt_ring_from_with(from, 3, 1), 0x102);
}

/* An image of VC_RING_FROM `word` at an internal link is refused, for the reason that `says` tells. */
static void assert_malformed(uint32_t word, const char *says)
{
	static const uint8_t right[] = {0x70, 0x01, 0x21, 0x00}; /* RING, VC_RING_FROM */
	xt_image_t *image = make_routed_image("twin:4x4x4,config=A", "bubble4", XT_ALGORITHM_BUBBLE, 0), *again;
	xt_diag_t diag = {""};
	uint8_t *bytes, *at;
	uint32_t crc;
	size_t size;

	assert_int_equal(xt_image_encode(image, &bytes, &size, NULL), XT_OK);
	at = memmem(bytes, size, right, sizeof(right));
	assert_non_null(at);
	at[2] = (uint8_t)word;
	at[3] = (uint8_t)(word >> 8);
	crc = (uint32_t)crc32(0, bytes, (uInt)(size - 4));
	for (unsigned i = 0; i < 4; i++) {
		bytes[size - 4 + i] = (uint8_t)(crc >> 8 * i);
	}
	assert_int_equal(xt_image_decode(bytes, size, "test", &again, &diag), says ? XT_ERR_FORMAT : XT_OK);
	if (says) {
		assert_says(&diag, says);
	} else {
		xt_image_free(again);
	}
	free(bytes);
	xt_image_free(image);
}

TEST(test_malformed_ports_of_vc_rings)
{
	assert_malformed(0x021, NULL);
	assert_malformed(0x02f, "a ring of a VC that continues from a port that does not exist");
	assert_malformed(0x321, "a port of a ring that the VC is not part of");
	assert_malformed(0x1021, "a port of a ring that the VC is not part of");
}

/* Fields, a round trip, and what does not fit. */
TEST(test_ring_word)
{
	xt_ring_t ring = xt_ring_unpack(xt_ring_pack((xt_ring_t){.from = 5, .vcs = 1, .from_vcs = 2}));

	assert_int_equal(xt_ring_pack((xt_ring_t){.from = 5, .vcs = 1, .from_vcs = 2}), 0x215);
	assert_int_equal(ring.from, 5);
	assert_int_equal(ring.vcs, 1);
	assert_int_equal(ring.from_vcs, 2);
	assert_int_equal(xt_ring_pack((xt_ring_t){.from = 0x15, .vcs = 0x1f, .from_vcs = 0x10}), 0x0f5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip_of_rings),
		cmocka_unit_test(test_ports_of_vc_rings),
		cmocka_unit_test(test_malformed_ports_of_vc_rings),
		cmocka_unit_test(test_ring_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
