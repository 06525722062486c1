/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker must find what is put in: each fault is seeded into an image that passed. */
#include "check_support.h"

TEST(test_good_image)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_check_t *check = checked(image);
	xt_diag_t diag = {""};

	assert_true(xt_check_passed(check));
	assert_int_equal(xt_check_verdict(image, check, &diag), XT_OK);
	assert_int_equal(check->pairs, 240);
	assert_int_equal(check->max_hops, 4);
	assert_int_equal(check->non_minimal, 0);
	assert_int_equal(check->cycle_length[0], 0);
	xt_check_free(check);
	xt_image_free(image);
}

/* A missing entry at card 5 for PE 6: from 5 itself, and from 4 whose packets come through 5 (4 -> 6 is
 * a tie, which goes up). */
TEST(test_illegal_route)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_check_t *check;

	set_local(image, 5, 2, 6, (xt_route_t){0});
	check = checked(image);
	assert_int_equal(check->unreachable, 2);
	assert_int_equal(check->illegal, 2);
	assert_int_equal(check->failure.how, XT_WALK_ILLEGAL);
	assert_int_equal(check->failure.tc, 2);
	assert_int_equal(check->failure.source, 4);
	assert_int_equal(check->failure.dest, 6);
	assert_int_equal(check->failure.card, 5);
	assert_unsafe(image, check, "TC 2, PE 4 to PE 6: illegal route at card 5");
	xt_check_free(check);
	/* A port that does not exist, and a VC that does not. */
	set_local(image, 5, 2, 6, (xt_route_t){.valid = 1, .port = 9});
	check = checked(image);
	assert_int_equal(check->illegal, 2);
	xt_check_free(check);
	set_local(image, 5, 2, 6, (xt_route_t){.valid = 1, .port = 1, .vc = 2});
	check = checked(image);
	assert_int_equal(check->illegal, 2);
	xt_check_free(check);
	xt_image_free(image);
}

TEST(test_unconnected_port)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_check_t *check;

	set_local(image, 5, 0, 6, (xt_route_t){.valid = 1, .port = 5});
	check = checked(image);
	assert_int_equal(check->unconnected, 2);
	assert_unsafe(image, check, "unconnected port at card 5");
	xt_check_free(check);
	xt_image_free(image);
}

TEST(test_misdelivery)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_check_t *check;

	set_local(image, 5, 0, 6, (xt_route_t){.valid = 1, .port = 6});
	check = checked(image);
	assert_int_equal(check->misdelivered, 2);
	assert_unsafe(image, check, "misdelivered at card 5");
	xt_check_free(check);
	xt_image_free(image);
}

/* Card 5 sends packets for PE 6 back to card 4, which sends them to 5. */
TEST(test_livelock)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_check_t *check;

	set_local(image, 5, 3, 6, (xt_route_t){.valid = 1, .port = 0});
	check = checked(image);
	assert_int_equal(check->unreachable, 2);
	assert_int_equal(check->livelock, 2);
	assert_unsafe(image, check, "livelock");
	xt_check_free(check);
	xt_image_free(image);
}

/* Two entries of one card exchanged. */
TEST(test_swapped_entries)
{
	xt_image_t *image = make_image("twin:2x2x2x2x2", 0);
	uint64_t *lrt = xt_image_lrt_mutable(image, 10), kept = lrt[10];
	xt_check_t *check;

	lrt[10] = lrt[12];
	lrt[12] = kept;
	check = checked(image);
	assert_true(check->unreachable > 0);
	assert_int_equal(
		check->unreachable, check->livelock + check->misdelivered + check->illegal + check->unconnected);
	assert_false(xt_check_passed(check));
	xt_check_free(check);
	xt_image_free(image);
}

/* Tables of a ring of four in which every packet goes up: some ways are longer than needed. */
TEST(test_detours_are_counted)
{
	xt_image_t *image = make_image("torus:4", 0);
	xt_check_t *check;

	for (unsigned card = 0; card < 4; card++) {
		for (unsigned dest = 0; dest < 4; dest++) {
			if (card != dest) {
				set_local(image, card, 0, dest, (xt_route_t){.valid = 1, .port = 1, .vc = dest < card});
			}
		}
	}
	check = checked(image);
	assert_int_equal(check->unreachable, 0);
	assert_int_equal(check->non_minimal, 4);
	assert_int_equal(check->max_hops, 3);
	assert_true(check->mean_hops > 1.99 && check->mean_hops < 2.01);
	xt_check_free(check);
	xt_image_free(image);
}

TEST(test_good_adaptive_image)
{
	xt_image_t *image = make_routed_image("torus:4x4", "extoll", XT_ALGORITHM_DOR, 1);
	xt_image_t *plain = make_image("torus:4x4", 0);
	xt_check_t *check = checked(image), *without = checked(plain);

	assert_true(xt_check_passed(check));
	assert_int_equal(check->adaptive_tcs, 3);
	assert_int_equal(check->adaptive_max_hops, 4);
	/* Per destination: of two coordinates, one candidate at distance 1 and two at distance 2. */
	assert_int_equal(check->adaptive_candidates, 2 * 16 * 2 * (2 + 2) * 4);
	/* All cards; packets from the destination's own card have another destination. */
	assert_int_equal(check->escapes, 2 * 16 * 16);
	assert_int_equal(check->max_hops, without->max_hops);
	assert_true(check->mean_hops == without->mean_hops);
	assert_int_equal(check->dependencies[0], without->dependencies[0]);
	assert_int_equal(without->adaptive_candidates, 0);
	xt_check_free(check);
	xt_check_free(without);
	/* TC 2 has no adaptive VC: the hardware does not look at its mask. */
	set_mask(image, 5, 2, 6, 0x3f);
	check = checked(image);
	assert_true(xt_check_passed(check));
	assert_int_equal(check->adaptive_tcs, 3);
	xt_check_free(check);
	xt_image_free(image);
	xt_image_free(plain);
}

/* From card 0 packets of TC 0 to PE 6 can take d1- to card 5, where no deterministic packet of TC 0 to
 * PE 6 comes by. */
TEST(test_candidate_without_escape)
{
	xt_image_t *image = make_routed_image("twin:2x2x2", "extoll", XT_ALGORITHM_TS_DOR, 1);
	xt_check_t *check = checked(image);
	xt_diag_t diag = {""};

	assert_true(xt_check_passed(check));
	xt_check_free(check);
	set_local(image, 5, 0, 6, (xt_route_t){0});
	check = checked(image);
	assert_int_equal(check->unreachable, 0);
	assert_int_equal(check->adaptive_faults, 1);
	assert_int_equal(check->adaptive_failure.how, XT_ADAPTIVE_NO_ESCAPE);
	assert_int_equal(check->adaptive_failure.card, 5);
	assert_int_equal(check->adaptive_failure.dest, 6);
	assert_unsafe(image, check,
		"1 faults of adaptive candidates, first: TC 0 to PE 6: no escape from card 5, to which candidates "
		"lead: illegal route at card 5");
	xt_check_free(check);
	/* Without the candidate nothing leads there. */
	for (unsigned card = 0; card < 16; card++) {
		set_mask(image, card, 0, 6, 0);
	}
	check = checked(image);
	assert_int_equal(xt_check_verdict(image, check, &diag), XT_OK);
	xt_check_free(check);
	xt_image_free(image);
}

TEST(test_candidates_that_lead_round)
{
	xt_image_t *image = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 1);
	xt_check_t *check;

	/* To PE 2: card 1 goes up; now also back to card 0, which goes up to 1, but not with a packet from there. */
	set_mask(image, 1, 1, 2, 3);
	check = checked(image);
	assert_true(xt_check_passed(check));
	xt_check_free(check);

	/* All cards either way, so that packets can go round the ring. */
	for (unsigned card = 0; card < 5; card++) {
		set_mask(image, card, 1, 2, 3);
	}
	check = checked(image);
	assert_int_equal(check->unreachable, 0);
	assert_true(check->adaptive_faults > 0);
	assert_int_equal(check->adaptive_failure.how, XT_ADAPTIVE_LIVELOCK);
	assert_int_equal(check->cyclic_tcs, 0);
	assert_unsafe(image, check, "first: TC 1 to PE 2: livelock, packets can go round by candidates, through card");
	xt_check_free(check);
	xt_image_free(image);
}

/* To PE 2 card 1 goes up; now also back to card 0, whose only way is up to 1. */
TEST(test_u_turn_behind_a_candidate)
{
	static xt_profile_t profile;

	for (unsigned no_u_turns = 0; no_u_turns < 2; no_u_turns++) {
		xt_route_options_t options = {.size = sizeof(options),
			.algorithm = XT_ALGORITHM_DOR,
			.ties = XT_TIES_POSITIVE,
			.adaptive = true};
		xt_diag_t diag = {""};
		xt_topology_t *topology;
		xt_image_t *image;
		xt_check_t *check;

		profile = *xt_profile_find("extoll");
		profile.no_u_turns = no_u_turns;
		assert_int_equal(xt_topology_parse("torus:5", &profile, &topology, &diag), XT_OK);
		image = route_topology(topology, &options);
		set_mask(image, 1, 1, 2, 3);
		set_mask(image, 0, 1, 2, 0);
		check = checked(image);
		assert_int_equal(check->unreachable, 0);
		assert_int_equal(check->adaptive_faults, no_u_turns);
		if (no_u_turns) {
			assert_int_equal(check->adaptive_failure.how, XT_ADAPTIVE_U_TURN);
			assert_unsafe(image, check,
				"first: TC 1 to PE 2: u-turn, the route behind the candidate leads back to card 1");
		}
		xt_check_free(check);
		xt_image_free(image);
	}
}

TEST(test_candidate_that_is_not_connected)
{
	xt_image_t *image = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 1);
	xt_check_t *check;

	set_mask(image, 1, 0, 2, 2 | 16);
	check = checked(image);
	assert_int_equal(check->adaptive_failure.how, XT_ADAPTIVE_UNCONNECTED);
	assert_unsafe(image, check, "TC 0 to PE 2: on card 1 the mask names port 4, which leads nowhere");
	xt_check_free(check);
	xt_image_free(image);
}

TEST(test_source_without_tc)
{
	xt_image_t *image = make_image("torus:4", 0);
	xt_check_t *check;

	xt_image_set_pe_tc_mask(image, 2, 0);
	check = checked(image);
	assert_int_equal(check->unreachable, 3);
	xt_check_free(check);
	xt_image_free(image);
}

TEST(test_wrong_identity)
{
	xt_image_t *image = make_image("torus:33x32", 0);
	xt_check_t *check;

	/* Without the match mask the GRT is never used. */
	xt_image_set_match_mask(image, 40, 0, 0);
	check = checked(image);
	assert_true(check->unreachable > 0);
	xt_check_free(check);
	xt_image_free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_image),
		cmocka_unit_test(test_illegal_route),
		cmocka_unit_test(test_unconnected_port),
		cmocka_unit_test(test_misdelivery),
		cmocka_unit_test(test_livelock),
		cmocka_unit_test(test_swapped_entries),
		cmocka_unit_test(test_detours_are_counted),
		cmocka_unit_test(test_good_adaptive_image),
		cmocka_unit_test(test_candidate_without_escape),
		cmocka_unit_test(test_candidates_that_lead_round),
		cmocka_unit_test(test_u_turn_behind_a_candidate),
		cmocka_unit_test(test_candidate_that_is_not_connected),
		cmocka_unit_test(test_source_without_tc),
		cmocka_unit_test(test_wrong_identity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
