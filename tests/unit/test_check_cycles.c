/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker must find every cycle of channel dependencies, and must take no ring of bubble flow control for one. */
#include <stdio.h>
#include <stdlib.h>

#include "check_support.h"

/* Each channel of a cycle must lead to the card of the next one, and the walk of some packet must take
 * both one after the other. */
static void assert_cycle_is_real(const xt_image_t *image, const xt_check_t *check, unsigned tc)
{
	size_t length = check->cycle_length[tc];

	assert_true(length >= 2);
	for (size_t i = 0; i < length; i++) {
		const xt_channel_t *a = &check->cycle[tc][i], *b = &check->cycle[tc][(i + 1) % length];
		int taken = 0;

		assert_int_equal(xt_image_peer(image, a->card, a->port).card, b->card);
		for (unsigned dest = 0; dest < xt_image_pes(image); dest++) {
			uint32_t address = xt_image_pe_address(image, dest);
			xt_route_t here = xt_image_lookup(image, a->card, tc, address);
			xt_route_t there = xt_image_lookup(image, b->card, tc, address);

			taken |= here.valid && here.port == a->port && here.vc == a->vc && there.port == b->port &&
				 there.vc == b->vc;
		}
		assert_true(taken);
	}
}

TEST(test_single_tc_is_cyclic)
{
	static const char *const specs[] = {
		"twin:4x4x4", "twin:2x2x2x2x2", "twin:4x4", "twin:3x3x3", "twin:2x2x2", "twin:8x8x9", "twin:4x4x2x2x2"};

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		xt_image_t *image = make_image(specs[i], 1);
		xt_check_t *check = checked(image);

		assert_int_equal(check->unreachable, 0);
		assert_int_equal(check->cyclic_tcs, 1);
		assert_cycle_is_real(image, check, 0);
		assert_unsafe(image, check, "TC 0 can deadlock");
		xt_check_free(check);
		xt_image_free(image);
	}
}

/* A ring on one VC is the textbook cycle. */
TEST(test_ring_on_one_vc_is_cyclic)
{
	xt_image_t *image = make_image("torus:5", 0);
	xt_check_t *check;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (unsigned card = 0; card < 5; card++) {
		for (unsigned dest = 0; dest < 5; dest++) {
			xt_route_t route = xt_image_lookup(image, card, 1, dest);

			route.vc = 0;
			set_local(image, card, 1, dest, route);
		}
	}
	check = checked(image);
	assert_int_equal(check->unreachable, 0);
	assert_int_equal(check->cyclic_tcs, 1u << 1);
	assert_int_equal(check->cycle_length[1], 5);
	assert_cycle_is_real(image, check, 1);
	xt_check_print_cycles(image, check, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "TC 1: cycle of 5 channels"));
	assert_non_null(strstr(text, "VC 0\n"));
	free(text);
	xt_check_free(check);
	xt_image_free(image);
}

/* DORT with the four VCs of the internal link folded into two, in every way. */
TEST(test_folded_dort_is_cyclic)
{
	static const char *const specs[] = {"twin:4x4x4", "twin:2x2x4x2x2"};

	for (unsigned i = 0; i < 16; i++) {
		const unsigned upper = i % 8 << 1; /* VCs that become VC 1 */
		xt_image_t *image = make_routed_image(specs[i / 8], "dort", XT_ALGORITHM_DORT, 0);
		xt_check_t *check = checked(image);
		unsigned internal = i < 8 ? 3 : 5;

		assert_true(xt_check_passed(check));
		xt_check_free(check);
		for (unsigned card = 0; card < xt_image_cards(image); card++) {
			for (unsigned dest = 0; dest < xt_image_pes(image); dest++) {
				xt_route_t route = xt_image_lookup(image, card, 1, dest);

				if (route.port == internal) {
					route.vc = upper >> route.vc & 1;
					set_local(image, card, 1, dest, route);
				}
			}
		}
		check = checked(image);
		assert_int_equal(check->unreachable, 0);
		assert_int_equal(check->cyclic_tcs, 1u << 1);
		assert_cycle_is_real(image, check, 1);
		assert_unsafe(image, check, "TC 1 can deadlock");
		xt_check_free(check);
		xt_image_free(image);
	}
}

/* Rings of bubble flow control are safe as long as the cards know that they are rings. */
TEST(test_rings_need_their_registers)
{
	static const char *const specs[] = {"torus:4x5", "twin:4x4x4", "twin:5x4"};
	static const unsigned rings[] = {4 * 2 + 5, 3 * 4 * 4, 4 * 2 + 5};

	for (size_t i = 0; i < 3; i++) {
		xt_image_t *image = make_routed_image(specs[i], "bubble", XT_ALGORITHM_BUBBLE, 0);
		xt_check_t *check = checked(image);
		unsigned lost = 0;

		assert_true(xt_check_passed(check));
		assert_int_equal(check->cyclic_tcs, 0);
		assert_int_equal(check->rings[0], rings[i]);
		xt_check_free(check);
		/* One port of one ring is enough, from then on all of them. */
		for (unsigned card = 0; card < xt_image_cards(image); card++) {
			for (unsigned port = 0; port < 6; port++) {
				if (xt_image_ring(image, card, port) != 0) {
					xt_image_set_ring(image, card, port, 0);
					if (lost++ == 3 || card + 1 == xt_image_cards(image)) {
						check = checked(image);
						assert_int_equal(check->unreachable, 0);
						assert_int_equal(check->cyclic_tcs, 3);
						assert_cycle_is_real(image, check, 0);
						assert_unsafe(image, check, "TC 0 can deadlock");
						xt_check_free(check);
					}
				}
			}
		}
		xt_image_free(image);
	}
}

/* A packet that leaves a ring and enters it again is no part of it: RING of d0+ names the wrong input. */
TEST(test_ring_from_the_wrong_port)
{
	xt_image_t *image = make_routed_image("torus:4x4", "bubble", XT_ALGORITHM_BUBBLE, 0);
	xt_ring_t ring = xt_ring_unpack(xt_image_ring(image, 5, 1));
	xt_check_t *check;

	ring.from = 2;
	xt_image_set_ring(image, 5, 1, xt_ring_pack(ring));
	check = checked(image);
	assert_int_equal(check->cyclic_tcs, 3);
	assert_int_equal(check->cycle_length[0], 4);
	xt_check_free(check);
	xt_image_free(image);
}

/* Each dimension's rings come to the internal link on a VC of their own: another port at one of these, and its ring is
 * none. */
TEST(test_vc_ring_from_the_wrong_port)
{
	for (unsigned vc = 0; vc < 3; vc++) {
		xt_image_t *image = make_routed_image("twin:5x5x5,config=A", "bubble4", XT_ALGORITHM_BUBBLE, 0);
		const unsigned internal = 3;
		const uint32_t word = xt_image_ring(image, 4, internal),
			       from = xt_image_vc_ring_from(image, 4, internal);
		const unsigned right = xt_ring_from(word, from, vc);
		xt_ring_t ring = xt_ring_unpack(word);
		xt_check_t *check = checked(image);

		assert_true(xt_check_passed(check));
		assert_int_equal(check->rings[0], 3 * 5 * 5 * 2);
		xt_check_free(check);
		assert_true(xt_image_continues_ring(image, 4, internal, vc, right, 0));
		assert_false(xt_image_continues_ring(image, 4, internal, vc, right, 1));
		assert_false(xt_image_continues_ring(image, 4, internal, 3, right, 0));
		ring.from = vc ? ring.from : (right + 1) % 3;
		xt_image_set_ring(image, 4, internal, xt_ring_pack(ring));
		xt_image_set_vc_ring_from(image, 4, internal, xt_ring_from_with(from, vc, (right + 1) % 3));
		assert_false(xt_image_continues_ring(image, 4, internal, vc, right, 0));
		check = checked(image);
		assert_int_equal(check->cyclic_tcs, 3);
		assert_cycle_is_real(image, check, 0);
		xt_check_free(check);
		xt_image_free(image);
	}
}

/* Card 6 sends one destination's packets on another VC, and the next output takes both for its ring. */
TEST(test_two_rings_into_one)
{
	xt_image_t *image = make_routed_image("torus:7", "bubble", XT_ALGORITHM_BUBBLE, 0);
	xt_check_t *check;

	set_local(image, 6, 1, 1, (xt_route_t){.valid = 1, .port = 1, .vc = 1});
	check = checked(image);
	assert_int_equal(check->cyclic_tcs, 1u << 1);
	assert_int_equal(check->ring_merges, 0);
	xt_check_free(check);
	xt_image_set_ring(image, 6, 1, xt_ring_pack((xt_ring_t){.from = 0, .vcs = 3, .from_vcs = 1}));
	xt_image_set_ring(image, 0, 1, xt_ring_pack((xt_ring_t){.from = 0, .vcs = 1, .from_vcs = 3}));
	check = checked(image);
	assert_int_equal(check->cyclic_tcs, 0);
	assert_int_equal(check->ring_merges, 1);
	assert_unsafe(image, check,
		"TC 1 can deadlock: 1 channels continue more than one ring, so that packets enter without room for "
		"two, first: card 0 d0+ VC 0");
	xt_check_free(check);
	xt_image_free(image);
}

/* Back to card 0 for dimension 0 on the VC that crossings from card 1 to card 0 have elsewhere. */
TEST(test_escape_cycle)
{
	xt_image_t *image = make_routed_image("twin:4x4x4", "extoll", XT_ALGORITHM_TS_DOR, 1);
	xt_check_t *check = checked(image);

	assert_true(xt_check_passed(check));
	xt_check_free(check);
	for (unsigned card = 1; card < 128; card += 2) {
		for (unsigned dest = 0; dest < 128; dest++) {
			xt_route_t route = xt_entry_route(xt_image_lrt(image, card)[dest], 0);

			if (card / 2 % 4 != dest / 2 % 4) {
				assert_int_equal(route.port, 3);
				assert_int_equal(route.vc, 0);
				route.vc = 1;
				set_local(image, card, 0, dest, route);
			}
		}
	}
	check = checked(image);
	assert_int_equal(check->unreachable, 0);
	assert_int_equal(check->adaptive_faults, 0);
	assert_int_equal(check->cyclic_tcs, 1);
	assert_cycle_is_real(image, check, 0);
	assert_unsafe(image, check, "TC 0 can deadlock: its escape channel dependencies have a cycle");
	xt_check_free(check);
	/* Deterministic packets alone never cross there. */
	for (unsigned card = 0; card < 128; card++) {
		for (unsigned dest = 0; dest < 128; dest++) {
			set_mask(image, card, 0, dest, 0);
		}
	}
	check = checked(image);
	assert_true(xt_check_passed(check));
	xt_check_free(check);
	xt_image_free(image);
}

/* The drawing of an image; *arrows of all, *red of the cycle's. Freed by the caller. */
static char *draw_cdg(const xt_image_t *image, const xt_check_t *check, unsigned *arrows, unsigned *red)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	*arrows = *red = 0;
	assert_non_null(out);
	assert_int_equal(xt_check_write_cdg(image, check, out, NULL), XT_OK);
	assert_int_equal(fclose(out), 0);
	for (const char *c = text; (c = strstr(c, " -> ")); c++) {
		++*arrows;
		*red += strncmp(strpbrk(c + 4, " ;"), " [color=red", 11) == 0;
	}
	return text;
}

/* All dependencies of a small image, the cycle of a large one, classes of channels of a large acyclic one. */
TEST(test_graph_drawing)
{
	static const struct {
		const char *spec;
		int single_tc;
		unsigned arrows; /* 0: all dependencies of TC 0, which the other TCs share. torus:9x9, of each port VC 0
				  * and 1 to themselves and one to the other, and of 4 classes of d0 to 4 of d1 */
	} cases[] = {{"twin:2x2", 1, 0}, {"torus:4x4", 0, 0}, {"twin:4x4x4", 1, 6}, {"torus:9x9", 0, 3 * 4 + 4 * 4}};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_image_t *image = make_image(cases[i].spec, cases[i].single_tc);
		xt_check_t *check = checked(image);
		unsigned arrows, red;
		char *text = draw_cdg(image, check, &arrows, &red);

		assert_int_equal(arrows, cases[i].arrows ? cases[i].arrows : check->dependencies[0]);
		assert_int_equal(red, check->cycle_length[0]);
		free(text);
		xt_check_free(check);
		xt_image_free(image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_single_tc_is_cyclic),
		cmocka_unit_test(test_ring_on_one_vc_is_cyclic),
		cmocka_unit_test(test_folded_dort_is_cyclic),
		cmocka_unit_test(test_rings_need_their_registers),
		cmocka_unit_test(test_ring_from_the_wrong_port),
		cmocka_unit_test(test_vc_ring_from_the_wrong_port),
		cmocka_unit_test(test_two_rings_into_one),
		cmocka_unit_test(test_escape_cycle),
		cmocka_unit_test(test_graph_drawing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
