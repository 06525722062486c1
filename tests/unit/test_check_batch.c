/* SPDX-License-Identifier: Apache-2.0
 *
 * Destinations checked together and one by one must give the same result, whatever the image. */
#include "extorus/check.h"

#include <stdlib.h>

#include "extorus/random.h"
#include "support.h"

/* Sanitizers look for errors that the shapes of the images bring out, and take ten times as long. */
enum {
#ifdef __SANITIZE_ADDRESS__
	ROUNDS = 1,
	LOOKUPS = 2000,
#else
	ROUNDS = 3,
	LOOKUPS = 20000,
#endif
};

static xt_check_t *checked(const xt_image_t *image, unsigned threads, bool one_by_one)
{
	xt_check_options_t options = {.size = sizeof(options), .threads = threads, .one_by_one = one_by_one};
	xt_check_t *check;
	xt_diag_t diag = {""};

	if (xt_check_image_with(image, &options, &check, &diag) != XT_OK) {
		fail_msg("%s", diag.text);
	}
	return check;
}

static void assert_same_tc(const xt_image_t *image, const xt_check_t *a, const xt_check_t *b, unsigned tc)
{
	size_t cards = xt_image_cards(image), vertices = cards * xt_image_profile(image)->link_ports * a->vc_stride;

	assert_int_equal(a->channels[tc], b->channels[tc]);
	assert_int_equal(a->dependencies[tc], b->dependencies[tc]);
	assert_int_equal(a->rings[tc], b->rings[tc]);
	assert_int_equal(a->cycle_length[tc], b->cycle_length[tc]);
	for (size_t i = 0; i < a->cycle_length[tc]; i++) {
		assert_int_equal(a->cycle[tc][i].card, b->cycle[tc][i].card);
		assert_int_equal(a->cycle[tc][i].port, b->cycle[tc][i].port);
		assert_int_equal(a->cycle[tc][i].vc, b->cycle[tc][i].vc);
	}
	assert_memory_equal(a->used[tc], b->used[tc], cards * sizeof(*a->used[tc]));
	assert_memory_equal(a->successors[tc], b->successors[tc], vertices * sizeof(*a->successors[tc]));
}

static void assert_same(const xt_image_t *image, const xt_check_t *a, const xt_check_t *b)
{
	xt_diag_t says_a = {""}, says_b = {""};

	assert_int_equal(a->out_of_service, b->out_of_service);
	assert_int_equal(a->pairs, b->pairs);
	assert_int_equal(a->unreachable, b->unreachable);
	assert_int_equal(a->livelock, b->livelock);
	assert_int_equal(a->misdelivered, b->misdelivered);
	assert_int_equal(a->illegal, b->illegal);
	assert_int_equal(a->unconnected, b->unconnected);
	assert_int_equal(a->max_hops, b->max_hops);
	assert_true(a->mean_hops == b->mean_hops);
	assert_int_equal(a->non_minimal, b->non_minimal);
	assert_int_equal(a->adaptive_tcs, b->adaptive_tcs);
	assert_int_equal(a->adaptive_candidates, b->adaptive_candidates);
	assert_int_equal(a->escapes, b->escapes);
	assert_int_equal(a->adaptive_faults, b->adaptive_faults);
	assert_int_equal(a->adaptive_max_hops, b->adaptive_max_hops);
	assert_int_equal(a->ring_merges, b->ring_merges);
	assert_int_equal(a->cyclic_tcs, b->cyclic_tcs);
	for (unsigned tc = 0; tc < a->tcs; tc++) {
		assert_same_tc(image, a, b, tc);
	}
	/* The first failure is in the verdict. */
	assert_int_equal(xt_check_verdict(image, a, &says_a), xt_check_verdict(image, b, &says_b));
	assert_string_equal(says_a.text, says_b.text);
}

/* True if the image passed. */
static bool compare_ways(const xt_image_t *image)
{
	xt_check_t *one_by_one = checked(image, 1, true);
	bool passed = xt_check_passed(one_by_one);

	for (unsigned threads = 1; threads <= 3; threads += 2) {
		xt_check_t *together = checked(image, threads, false);

		assert_same(image, together, one_by_one);
		xt_check_free(together);
	}
	xt_check_free(one_by_one);
	return passed;
}

static void damage_entry(xt_image_t *image, unsigned card, unsigned tc, xt_random_t *random)
{
	const xt_profile_t *p = xt_image_profile(image);
	uint32_t address = xt_image_pe_address(image, xt_random_below(random, xt_image_pes(image)));
	uint64_t *entry = xt_random_below(random, 2)
				  ? &xt_image_grt_mutable(image, card)[address >> p->lrt_bits]
				  : &xt_image_lrt_mutable(image, card)[address & ((1u << p->lrt_bits) - 1)];
	xt_route_t route = xt_entry_route(*entry, tc);

	switch (xt_random_below(random, 4)) {
	case 0:
		route.port = (uint8_t)xt_random_below(random, p->link_ports + p->nic_ports);
		break;
	case 1:
		route.vc ^= 1;
		break;
	case 2:
		route.adaptive_mask = (uint8_t)xt_random_below(random, 1u << p->link_ports);
		break;
	default:
		route.valid = 0;
	}
	*entry = xt_entry_with_route(*entry, tc, route);
}

static void damage(xt_image_t *image, xt_random_t *random)
{
	unsigned card = xt_random_below(random, xt_image_cards(image));
	unsigned tc = xt_random_below(random, xt_image_profile(image)->tcs);

	switch (xt_random_below(random, 8)) {
	case 0:
		xt_image_set_route_order(image, card, xt_image_route_order(image, card) ^ 1u << tc);
		break;
	case 1:
		xt_image_set_match_mask(image, card, tc, (uint32_t)(xt_random_next(random) & xt_random_next(random)));
		break;
	case 2:
		xt_image_set_pe_tc_mask(image, card, xt_random_below(random, 1u << xt_image_profile(image)->tcs));
		break;
	default:
		damage_entry(image, card, tc, random);
	}
}

static const struct {
	const char *spec, *profile;
	xt_algorithm_t algorithm;
	int adaptive;
} cases[] = {
	{"torus:5", "extoll", XT_ALGORITHM_DOR, 1},
	{"torus:4x3x2", "extoll10", XT_ALGORITHM_DOR, 1},
	{"twin:3x2x3", "extoll10", XT_ALGORITHM_TS_DOR, 1},
	{"torus:33x4", "mini", XT_ALGORITHM_DOR, 0}, /* digits in LRT and GRT from here on */
	{"torus:3x11x32", "extoll", XT_ALGORITHM_DOR, 1},
	{"twin:2x9x30", "extoll", XT_ALGORITHM_TS_DOR, 0},
	{"twin:3x6x29", "extoll", XT_ALGORITHM_TS_DOR, 1},
	{"twin:3x6x29", "dort", XT_ALGORITHM_DORT, 0},
	{"twin:19x3x9", "bubble", XT_ALGORITHM_BUBBLE, 0},
	{"torus:4x3~5~1:d0+", "extoll", XT_ALGORITHM_LAYERED, 1},
};

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static xt_image_t *image_of(unsigned i)
{
	return make_routed_image(cases[i].spec, cases[i].profile, cases[i].algorithm, cases[i].adaptive);
}

TEST(test_sound_images)
{
	for (unsigned i = 0; i < CASES; i++) {
		xt_image_t *image = image_of(i);

		assert_true(compare_ways(image));
		xt_image_free(image);
	}
}

TEST(test_damaged_images)
{
	unsigned refused = 0, images = 0;
	xt_random_t random;

	xt_random_seed(&random, 1, 0);
	for (unsigned i = 0; i < CASES; i++) {
		for (unsigned round = 3 - ROUNDS; round < 3; round++, images++) {
			xt_image_t *image = image_of(i);

			for (unsigned faults = 1u << 2 * round; faults > 0; faults--) {
				damage(image, &random);
			}
			refused += !compare_ways(image);
			xt_image_free(image);
		}
	}
	assert_in_range(refused, images / 2, images);
}

static void clear_candidates(xt_image_t *image)
{
	const xt_profile_t *p = xt_image_profile(image);
	uint64_t masks = 0;

	for (unsigned tc = 0; tc < p->tcs; tc++) {
		masks |= xt_entry_with_route(0, tc, (xt_route_t){.adaptive_mask = UINT8_MAX});
	}
	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		for (unsigned i = 0; i < 1u << p->grt_bits; i++) {
			xt_image_grt_mutable(image, card)[i] &= ~masks;
		}
		for (unsigned i = 0; i < 1u << p->lrt_bits; i++) {
			xt_image_lrt_mutable(image, card)[i] &= ~masks;
		}
	}
}

/* Candidates only, so that nothing else is wrong with the destination. */
TEST(test_damaged_candidates)
{
	unsigned refused = 0, images = 0;
	xt_random_t random;

	xt_random_seed(&random, 3, 0);
	for (unsigned i = 0; i < CASES; i++) {
		for (unsigned round = 3 - ROUNDS; round < 4 && cases[i].adaptive; round++, images++) {
			xt_image_t *image = image_of(i);
			const xt_profile_t *p = xt_image_profile(image);

			if (round == 3) {
				clear_candidates(image);
			}
			for (unsigned faults = 0; faults < 1u << round; faults++) {
				unsigned card = xt_random_below(&random, xt_image_cards(image));
				unsigned index =
					xt_random_below(&random, xt_image_pes(image)) & ((1u << p->lrt_bits) - 1);
				uint64_t *entry = &xt_image_lrt_mutable(image, card)[index];
				xt_route_t route = xt_entry_route(*entry, round % 2);

				route.adaptive_mask = (uint8_t)xt_random_below(&random, 1u << p->link_ports);
				*entry = xt_entry_with_route(*entry, round % 2, route);
			}
			refused += !compare_ways(image);
			xt_image_free(image);
		}
	}
	assert_in_range(refused, images / 4, images);
}

/* One card of many has lost an entry: exactly the packets that come by are lost. */
TEST(test_one_entry)
{
	xt_image_t *image = make_image("torus:32x32x4", 0);
	xt_check_t *check;
	xt_diag_t diag = {""};

	/* To local part 1: on card 0 with x = y = 0 a packet comes by from x = 30, 31, 0 and goes on to x = 1. The
	 * four planes have an entry in common. */
	xt_image_lrt_mutable(image, 0)[1] = 0;
	check = checked(image, 2, false);
	assert_int_equal(xt_check_verdict(image, check, &diag), XT_ERR_UNSAFE);
	assert_says(&diag, "TC 0, PE 0 to PE 1: illegal route at card 0");
	assert_int_equal(check->illegal, check->unreachable);
	/* x in {17, ..., 31} and 0 go up to 1 through 0 (17 is a tie), from plane 0 only, to 4 destinations. */
	assert_int_equal(check->unreachable, 16 * 4);
	xt_check_free(check);
	xt_image_free(image);
}

TEST(test_shared_entries)
{
	unsigned shared = 0, private = 0;
	xt_random_t random;

	xt_random_seed(&random, 2, 0);
	for (unsigned i = 0; i < CASES; i++) {
		xt_image_t *image = image_of(i);
		const xt_profile_t *p = xt_image_profile(image);

		for (unsigned round = 0; round < 20; round++) {
			damage(image, &random);
		}
		for (unsigned round = 0; round < LOOKUPS; round++) {
			uint32_t address = xt_image_pe_address(image, xt_random_below(&random, xt_image_pes(image)));
			uint32_t low = (1u << p->lrt_bits) - 1, all = (1u << p->id_bits) - 1;
			uint32_t varying = round % 2 ? low : all & ~low;
			unsigned card = xt_random_below(&random, xt_image_cards(image));
			unsigned tc = xt_random_below(&random, p->tcs);
			xt_route_t route = xt_image_lookup(image, card, tc, address);

			if (!xt_image_shares_entry(image, card, tc, address, varying)) {
				private++;
				continue;
			}
			shared++;
			for (unsigned again = 0; again < 16; again++) {
				uint32_t other = address ^ ((uint32_t)xt_random_next(&random) & varying);
				xt_route_t there = xt_image_lookup(image, card, tc, other);

				assert_memory_equal(&there, &route, sizeof(route));
			}
		}
		xt_image_free(image);
	}
	assert_true(shared > 1000 && private > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound_images),
		cmocka_unit_test(test_damaged_images),
		cmocka_unit_test(test_damaged_candidates),
		cmocka_unit_test(test_one_entry),
		cmocka_unit_test(test_shared_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
