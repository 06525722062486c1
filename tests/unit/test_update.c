/* SPDX-License-Identifier: Apache-2.0
 *
 * New routes after failures and transitions, with pairs of images that are known to be unsafe in a mixture. The
 * figures are recomputed by an independent implementation in tests/oracle. */
#include <stdlib.h>

#include "extorus/update.h"
#include "support.h"

static xt_transition_t *examine(const xt_image_t *before, const xt_image_t *after)
{
	xt_transition_t *t = NULL;
	xt_diag_t diag = {""};

	if (xt_check_transition(before, after, &t, &diag) != XT_OK) {
		fail_msg("%s", diag.text);
	}
	return t;
}

static void assert_refused(const xt_image_t *before, const xt_image_t *after, int status, const char *says)
{
	xt_transition_t *t = (xt_transition_t *)&says;
	xt_diag_t diag = {""};

	assert_int_equal(xt_check_transition(before, after, &t, &diag), status);
	assert_null(t);
	assert_says(&diag, says);
}

static void assert_unsafe(const xt_image_t *after, const xt_transition_t *t, const char *says)
{
	xt_diag_t diag = {""};

	assert_int_equal(xt_transition_verdict(after, t, &diag), XT_ERR_UNSAFE);
	assert_says(&diag, says);
}

enum { ALL_TCS = 15 };

/* Sends packets of `tcs` to PE `dest` by another port, on VC `vc`. */
static void set_hop_of(xt_image_t *image, unsigned tcs, unsigned card, unsigned dest, unsigned port, unsigned vc)
{
	uint64_t *entry = &xt_image_lrt_mutable(image, card)[xt_image_pe_address(image, dest)];

	for (unsigned tc = 0; tc < xt_image_profile(image)->tcs; tc++) {
		if (tcs >> tc & 1) {
			*entry = xt_entry_with_route(
				*entry, tc, (xt_route_t){.valid = 1, .port = (uint8_t)port, .vc = (uint8_t)vc});
		}
	}
}

static void set_hop(xt_image_t *image, unsigned card, unsigned dest, unsigned port, unsigned vc)
{
	set_hop_of(image, ALL_TCS, card, dest, port, vc);
}

TEST(test_nothing_to_do)
{
	xt_image_t *image = make_routed_image("torus:4x4", "extoll", XT_ALGORITHM_LAYERED, 0);
	xt_transition_t *t = examine(image, image);

	assert_int_equal(t->how, XT_TRANSITION_ANY_ORDER);
	assert_int_equal(t->rewrites, 0);
	assert_int_equal(t->phases, 0);
	assert_int_equal(t->pairs, 16 * 15);
	assert_int_equal(t->rerouted + t->broken + t->exposed + t->loops + t->out_of_service, 0);
	assert_int_equal(xt_transition_verdict(image, t, NULL), XT_OK);
	xt_transition_free(t);
	xt_transition_free(NULL);
	xt_image_free(image);
}

/* Ring of five: cards 1 and 2 send to PE 0 downwards, then upwards. Card 1 new and card 2 old send to each other. */
TEST(test_known_loop)
{
	xt_image_t *before = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 0);
	xt_image_t *after = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 0);
	xt_transition_t *t;

	assert_int_equal(xt_image_lookup(before, 1, 0, 0).port, 0);
	assert_int_equal(xt_image_lookup(before, 2, 0, 0).port, 0);
	set_hop(after, 1, 0, 1, 1);
	set_hop(after, 2, 0, 1, 1);
	t = examine(before, after);
	assert_int_equal(t->loops, 4);
	assert_int_equal(t->loop.dest, 0);
	assert_int_equal(t->loop.length, 2);
	assert_int_equal(t->loop.card[0] + t->loop.card[1], 1 + 2);
	assert_unsafe(after, t, "packets of TC 0 to PE 0 can go round 2 cards");
	/* Backwards along the new way: card 2 first. */
	assert_int_equal(t->how, XT_TRANSITION_ORDERED);
	assert_int_equal(t->rewrites, 2);
	assert_int_equal(t->rewrite[0].card, 2);
	assert_int_equal(t->rewrite[0].step, 1);
	assert_int_equal(t->rewrite[1].card, 1);
	assert_int_equal(t->rewrite[1].step, 2);
	xt_transition_free(t);
	xt_image_free(before);
	xt_image_free(after);
}

/* The same ways on the other VC: either image has no cycle, but mixed each VC has that of the whole ring. */
TEST(test_known_cycle)
{
	xt_image_t *before = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 0);
	xt_image_t *after = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 0);
	xt_transition_t *t;

	for (unsigned card = 0; card < 5; card++) {
		for (unsigned dest = 0; dest < 5; dest++) {
			xt_route_t route = xt_image_lookup(before, card, 0, dest);

			if (card != dest) {
				set_hop(after, card, dest, route.port, !route.vc);
			}
		}
	}
	t = examine(before, after);
	assert_int_equal(t->loops + t->undelivered + t->exposed, 0);
	assert_int_equal(t->mixed->cyclic_tcs, 15);
	assert_true(t->mixed->cycle_length[0] > 1);
	assert_unsafe(after, t, "TC 0 can deadlock while old and new routes are mixed, in a cycle of");
	assert_int_not_equal(t->how, XT_TRANSITION_ANY_ORDER);
	assert_int_equal(t->entries, 20);
	xt_transition_free(t);
	xt_image_free(before);
	xt_image_free(after);
}

/* The loop and the cycle from above in some TCs only: those are found, and no others. */
TEST(test_each_class_apart)
{
	xt_image_t *before = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 0);

	for (unsigned tcs = 1; tcs <= ALL_TCS; tcs++) {
		xt_image_t *loop = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 0);
		xt_image_t *cycle = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 0);
		xt_transition_t *t;

		set_hop_of(loop, tcs, 1, 0, 1, 1);
		set_hop_of(loop, tcs, 2, 0, 1, 1);
		t = examine(before, loop);
		assert_int_equal(t->loops, __builtin_popcount(tcs));
		assert_int_equal(t->loop.tc, __builtin_ctz(tcs));
		assert_int_equal(t->how, XT_TRANSITION_ORDERED);
		xt_transition_free(t);
		for (unsigned end = 0; end < 5 * 5; end++) {
			const xt_route_t route = xt_image_lookup(before, end / 5, 0, end % 5);

			if (end / 5 != end % 5) {
				set_hop_of(cycle, tcs, end / 5, end % 5, route.port, !route.vc);
			}
		}
		t = examine(before, cycle);
		assert_int_equal(t->mixed->cyclic_tcs, tcs);
		assert_int_not_equal(t->how, XT_TRANSITION_ANY_ORDER);
		xt_transition_free(t);
		/* The same routes in all, but no packets in TC 0. */
		if (tcs == ALL_TCS) {
			xt_image_t *fewer = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 0);

			for (unsigned pe = 0; pe < 5; pe++) {
				xt_image_set_pe_tc_mask(fewer, pe, ALL_TCS & ~1);
				xt_image_set_pe_tc_mask(loop, pe, ALL_TCS & ~1);
			}
			t = examine(fewer, loop);
			assert_int_equal(t->loops, 3);
			assert_int_equal(t->loop.tc, 1);
			xt_transition_free(t);
			xt_image_free(fewer);
		}
		xt_image_free(loop);
		xt_image_free(cycle);
	}
	xt_image_free(before);
}

/* A neighbour with a hop of its own takes the place of the failed one, and nothing else changes. */
TEST(test_one_entry)
{
	xt_image_t *before = make_routed_image("torus:4x4", "extoll", XT_ALGORITHM_UPDOWN, 0), *after;
	xt_topology_t *damaged = make_topology("torus:4x4~5:d0+", "extoll");
	xt_update_figures_t f;
	xt_transition_t *t;

	assert_int_equal(xt_route_update(before, damaged, &after, &f, NULL), XT_OK);
	assert_string_equal(xt_image_topology(after), "torus:4x4~5:d0+");
	assert_string_equal(xt_image_algorithm(after), "updown-repaired");
	t = examine(before, after);
	assert_int_equal(f.how, XT_UPDATE_KEPT);
	assert_true(f.affected > 0 && f.must_change > 0 && f.must_change <= t->entries);
	for (size_t i = 0; i < t->rewrites; i++) {
		const xt_rewrite_t *r = &t->rewrite[i];

		assert_int_equal(r->word, XT_WORD_LRT);
		assert_true(xt_image_lrt(before, r->card)[r->index] == r->before);
		assert_true(xt_image_lrt(after, r->card)[r->index] == r->after);
	}
	assert_int_equal(t->out_of_service, 0);
	assert_true(t->broken > 0 && t->broken <= t->rerouted);
	xt_transition_free(t);
	xt_image_free(before);
	/* Once more: the name does not grow. */
	before = after;
	xt_topology_free(damaged);
	damaged = make_topology("torus:4x4~5:d0+~9", "extoll");
	assert_int_equal(xt_route_update(before, damaged, &after, NULL, NULL), XT_OK);
	assert_string_equal(xt_image_algorithm(after), "updown-repaired");
	assert_int_equal(xt_image_pe_in_service(after, 9), 0);
	xt_image_free(before);
	xt_image_free(after);
	xt_topology_free(damaged);
}

static unsigned entries_that_differ(const xt_image_t *a, const xt_image_t *b)
{
	unsigned count = 0;

	for (unsigned card = 0; card < xt_image_cards(a); card++) {
		for (unsigned i = 0; i < 1u << xt_image_profile(a)->lrt_bits; i++) {
			count += xt_image_lrt(a, card)[i] != xt_image_lrt(b, card)[i];
		}
	}
	return count;
}

/* Every algorithm and profile, adaptive too: what comes out passes the check (xt_check_transition refuses what does
 * not), failed cards are not rewritten, and an order is found. */
TEST(test_all_algorithms)
{
	static const struct {
		const char *spec, *damaged, *profile;
		xt_algorithm_t algorithm;
		int adaptive, whole;
	} cases[] = {
		{"torus:4x4", "torus:4x4~5:d0+~10", "extoll", XT_ALGORITHM_DOR, 0, 0},
		{"torus:4x4", "torus:4x4~5:d0+~10", "extoll", XT_ALGORITHM_DOR, 1, 0},
		{"torus:4x4x2", "torus:4x4x2~random=4:1", "extoll10", XT_ALGORITHM_DOR, 1, 0},
		{"torus:4x4", "torus:4x4~3", "mini", XT_ALGORITHM_DOR, 0, 0},
		{"twin:4x4", "twin:4x4~5:int", "extoll", XT_ALGORITHM_TS_DOR, 0, 0},
		{"twin:4x4", "twin:4x4~8", "extoll", XT_ALGORITHM_TS_DOR, 1, 0},
		{"twin:3x3x3", "twin:3x3x3~random=5:4", "extoll", XT_ALGORITHM_TS_DOR, 1, 0},
		{"twin:4x4", "twin:4x4~8~random=2:1", "dort", XT_ALGORITHM_DORT, 0, 0},
		{"twin:4x4", "twin:4x4~random=2:1", "bubble", XT_ALGORITHM_BUBBLE, 0, 1},
		{"torus:4x4", "torus:4x4~random=2:1", "bubble", XT_ALGORITHM_UPDOWN, 0, 0},
		{"twin:4x4x2", "twin:4x4x2~random=5:1~7", "extoll", XT_ALGORITHM_LAYERED, 1, 0},
		{"twin:4x4", "twin:4x4~random=3:2", "extoll10", XT_ALGORITHM_UPDOWN, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_image_t *before =
			make_routed_image(cases[i].spec, cases[i].profile, cases[i].algorithm, cases[i].adaptive);
		xt_topology_t *damaged = make_topology(cases[i].damaged, cases[i].profile);
		xt_image_t *after = NULL;
		xt_update_figures_t f;
		xt_transition_t *t;
		uint64_t listed = 0;

		assert_int_equal(xt_route_update(before, damaged, &after, &f, NULL), XT_OK);
		t = examine(before, after);
		assert_int_equal(t->entries, entries_that_differ(before, after));
		assert_true(f.must_change > 0 && f.must_change <= t->entries);
		assert_int_equal(f.how == XT_UPDATE_WHOLE, cases[i].whole);
		assert_int_equal(t->stops_all, cases[i].algorithm == XT_ALGORITHM_BUBBLE);
		assert_int_equal(xt_image_is_adaptive(after), cases[i].adaptive);
		for (size_t k = 0; k < t->rewrites; k++) {
			assert_false(xt_topology_card_failed(damaged, t->rewrite[k].card));
			assert_true(k == 0 || t->rewrite[k].step >= t->rewrite[k - 1].step);
		}
		for (size_t k = 0; k < t->phases; k++) {
			listed += t->phase[k].rewrites;
		}
		assert_int_equal(listed, t->rewrites);
		xt_transition_free(t);
		/* And back, when all is mended. */
		t = examine(after, before);
		assert_int_equal(t->broken + t->out_of_service, 0);
		xt_transition_free(t);
		xt_image_free(before);
		xt_image_free(after);
		xt_topology_free(damaged);
	}
}

static void test_refusals(void **state)
{
	xt_image_t *torus = make_image("torus:4x4", 0), *other = make_image("torus:8x2", 0);
	xt_image_t *mini = make_profile_image("torus:4x4", "mini", 0), *large = make_image("torus:64x32", 0);
	xt_image_t *unsafe = make_image("twin:4x4", 1), *after = (xt_image_t *)&state,
		   *good = make_image("twin:4x4", 0);
	static const struct {
		const char *damaged;
		int status;
		const char *says;
	} cases[] = {{"torus:8x2~5", XT_ERR_MISMATCH, "a link at card 0 port d0- that the image does not have"},
		{"torus:4x5", XT_ERR_MISMATCH, "is for 16 cards of profile extoll, not for the 20"}};
	xt_diag_t diag = {""};
	xt_topology_t *t;

	assert_refused(torus, other, XT_ERR_MISMATCH, "leads elsewhere");
	assert_refused(torus, mini, XT_ERR_MISMATCH, "of profile extoll to 16 of mini");
	assert_refused(good, unsafe, XT_ERR_UNSAFE, "can deadlock");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		t = make_topology(cases[i].damaged, "extoll");
		assert_int_equal(xt_route_update(torus, t, &after, NULL, &diag), cases[i].status);
		assert_null(after);
		assert_says(&diag, cases[i].says);
		xt_topology_free(t);
	}
	t = make_topology("torus:64x32~5~9", "extoll");
	assert_int_equal(xt_route_update(large, t, &after, NULL, &diag), XT_ERR_RANGE);
	assert_says(&diag, "cut a group of cards that share GRT entries apart");
	xt_topology_free(t);
	t = make_topology("twin:4x4~5:int", "extoll");
	assert_int_equal(xt_route_update(unsafe, t, &after, NULL, &diag), XT_ERR_UNSAFE);
	assert_says(&diag, "can deadlock");
	xt_topology_free(t);
	xt_image_free(torus);
	xt_image_free(other);
	xt_image_free(mini);
	xt_image_free(large);
	xt_image_free(unsafe);
	xt_image_free(good);
}

/* Two cards, the second in group 3, where two groups are the most that there can be. */
TEST(test_group_above_the_number_of_cards)
{
	static const uint32_t address[] = {0, 3 << 6};
	xt_topology_t *t = make_topology("mesh:2", "mini");
	unsigned nic = xt_topology_profile(t)->link_ports;
	xt_image_t *image, *after;
	xt_diag_t diag = {""};

	assert_int_equal(xt_image_create_at(t, "own", address, &image, &diag), XT_OK);
	for (unsigned card = 0; card < 2; card++) {
		unsigned port = 0;

		while (xt_topology_peer(t, card, port).card == XT_NO_CARD) {
			port++;
		}
		for (unsigned tc = 0; tc < xt_topology_profile(t)->tcs; tc++) {
			uint64_t *grt = &xt_image_grt_mutable(image, card)[card ? 0 : 3];
			uint64_t *lrt = xt_image_lrt_mutable(image, card);

			*grt = xt_entry_with_route(*grt, tc, (xt_route_t){.valid = 1, .port = (uint8_t)port});
			*lrt = xt_entry_with_route(*lrt, tc, (xt_route_t){.valid = 1, .port = (uint8_t)nic});
			xt_image_set_match_mask(image, card, tc, 3 << 6);
		}
	}
	assert_int_equal(xt_route_update(image, t, &after, NULL, &diag), XT_ERR_RANGE);
	assert_null(after);
	assert_says(&diag, "card 1 has address 192, of group 3");
	xt_image_free(image);
	xt_topology_free(t);
}

/* Registers are listed, too. This one decides nothing where each PE has an LRT entry. */
TEST(test_registers)
{
	xt_image_t *before = make_image("torus:4x4", 0), *after = make_image("torus:4x4", 0);
	xt_transition_t *t;

	xt_image_set_match_mask(after, 3, 1, 0);
	t = examine(before, after);
	assert_int_equal(t->how, XT_TRANSITION_ANY_ORDER);
	assert_int_equal(t->rewrites, 1);
	assert_int_equal(t->entries, 0);
	assert_string_equal(xt_word_name(t->rewrite[0].word), "MATCH_MASK");
	assert_int_equal(t->rewrite[0].index, 1);
	xt_transition_free(t);
	xt_image_free(before);
	xt_image_free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_to_do),
		cmocka_unit_test(test_known_loop),
		cmocka_unit_test(test_known_cycle),
		cmocka_unit_test(test_each_class_apart),
		cmocka_unit_test(test_one_entry),
		cmocka_unit_test(test_all_algorithms),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_group_above_the_number_of_cards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
