/* SPDX-License-Identifier: Apache-2.0
 *
 * Traffic classes are equal only if nothing that decides about their packets differs. */
#include "reroute/equal_tcs.h"

#include "extorus/profiles.h"
#include "support.h"

enum { TCS = 4, CARD = 5, DEST = 9 };

typedef void (*change_t)(xt_image_t *image, unsigned tc);

/* Inverts bits of one TC's route. */
static void change_route(xt_image_t *image, unsigned tc, xt_route_t bits)
{
	uint64_t *entry = &xt_image_lrt_mutable(image, CARD)[DEST];
	xt_route_t route = xt_entry_route(*entry, tc);

	route.port ^= bits.port;
	route.vc ^= bits.vc;
	route.valid ^= bits.valid;
	route.adaptive_mask ^= bits.adaptive_mask;
	*entry = xt_entry_with_route(*entry, tc, route);
}

static void change_port(xt_image_t *image, unsigned tc)
{
	change_route(image, tc, (xt_route_t){.port = 1});
}

static void change_vc(xt_image_t *image, unsigned tc)
{
	change_route(image, tc, (xt_route_t){.vc = 1});
}

static void change_validity(xt_image_t *image, unsigned tc)
{
	change_route(image, tc, (xt_route_t){.valid = 1});
}

static void change_candidates(xt_image_t *image, unsigned tc)
{
	change_route(image, tc, (xt_route_t){.adaptive_mask = 2});
}

static void change_global(xt_image_t *image, unsigned tc)
{
	uint64_t *entry = &xt_image_grt_mutable(image, CARD)[3];

	*entry = xt_entry_with_route(*entry, tc, (xt_route_t){.valid = 1, .port = 2});
}

static void change_order(xt_image_t *image, unsigned tc)
{
	xt_image_set_route_order(image, CARD, xt_image_route_order(image, CARD) ^ 1u << tc);
}

static void change_mask(xt_image_t *image, unsigned tc)
{
	xt_image_set_match_mask(image, CARD, tc, xt_image_match_mask(image, CARD, tc) ^ 4);
}

static void change_source(xt_image_t *image, unsigned tc)
{
	xt_image_set_pe_tc_mask(image, DEST, xt_image_pe_tc_mask(image, DEST) ^ 1u << tc);
}

static const change_t changes[] = {change_port, change_vc, change_validity, change_candidates, change_global,
	change_order, change_mask, change_source};

static void assert_same_as(const xt_image_t *before, const xt_image_t *after, const uint8_t *wanted)
{
	uint8_t same_as[XT_MAX_TCS];

	xt_equal_tcs_find(before, after, same_as);
	for (unsigned tc = 0; tc < TCS; tc++) {
		assert_int_equal(same_as[tc], wanted[tc]);
	}
}

TEST(test_no_change)
{
	xt_image_t *image = make_routed_image("torus:4x4", "extoll", XT_ALGORITHM_UPDOWN, 0);

	assert_same_as(image, image, (const uint8_t[TCS]){0, 0, 0, 0});
	xt_image_free(image);
}

/* Every change of one TC, in the old or the new image, sets that one apart; of two, both as one. */
TEST(test_each_change)
{
	xt_image_t *image = make_routed_image("torus:4x4", "extoll", XT_ALGORITHM_UPDOWN, 0);

	for (unsigned c = 0; c < sizeof(changes) / sizeof(changes[0]); c++) {
		for (unsigned tc = 0; tc < TCS; tc++) {
			xt_image_t *other = make_routed_image("torus:4x4", "extoll", XT_ALGORITHM_UPDOWN, 0);
			uint8_t wanted[TCS];

			for (unsigned k = 0; k < TCS; k++) {
				wanted[k] = (uint8_t)(k == tc ? k : tc == 0 ? 1 : 0);
			}
			changes[c](other, tc);
			assert_same_as(image, other, wanted);
			assert_same_as(other, image, wanted);
			xt_image_free(other);
		}
	}
	xt_image_free(image);
}

/* The same candidates mean something in a TC with an adaptive VC only. */
TEST(test_candidates)
{
	xt_image_t *image = make_routed_image("torus:4x4", "extoll", XT_ALGORITHM_UPDOWN, 0);
	const unsigned adaptive = xt_profile_adaptive_tcs(xt_image_profile(image));
	uint8_t wanted[TCS];
	unsigned first[2] = {TCS, TCS};

	assert_int_not_equal(adaptive, 0);
	assert_int_not_equal(adaptive, 15);
	for (unsigned tc = 0; tc < TCS; tc++) {
		unsigned *lowest = &first[adaptive >> tc & 1];

		*lowest = *lowest < tc ? *lowest : tc;
		wanted[tc] = (uint8_t)*lowest;
		change_candidates(image, tc);
	}
	assert_same_as(image, image, wanted);
	xt_image_free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_change),
		cmocka_unit_test(test_each_change),
		cmocka_unit_test(test_candidates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
