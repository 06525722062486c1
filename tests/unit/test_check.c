/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker must find what is put in: each fault is seeded into an image that passed. */
#include "extorus/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "support.h"

static xt_check_t *checked(const xt_image_t *image)
{
	xt_check_t *check;
	xt_diag_t diag = {""};

	if (xt_check_image(image, &check, &diag) != XT_OK) {
		fail_msg("%s", diag.text);
	}
	return check;
}

static void set_local(xt_image_t *image, unsigned card, unsigned tc, unsigned index, xt_route_t route)
{
	uint64_t *entry = &xt_image_lrt_mutable(image, card)[index];

	*entry = xt_entry_with_route(*entry, tc, route);
}

static void assert_unsafe(const xt_image_t *image, const xt_check_t *check, const char *says)
{
	xt_diag_t diag = {""};

	assert_false(xt_check_passed(check));
	assert_int_equal(xt_check_verdict(image, check, &diag), XT_ERR_UNSAFE);
	assert_says(&diag, says);
}

static void test_good_image(void **state)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_check_t *check = checked(image);
	xt_diag_t diag = {""};

	(void)state;
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
static void test_illegal_route(void **state)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_check_t *check;

	(void)state;
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

static void test_unconnected_port(void **state)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_check_t *check;

	(void)state;
	set_local(image, 5, 0, 6, (xt_route_t){.valid = 1, .port = 5});
	check = checked(image);
	assert_int_equal(check->unconnected, 2);
	assert_unsafe(image, check, "unconnected port at card 5");
	xt_check_free(check);
	xt_image_free(image);
}

static void test_misdelivery(void **state)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_check_t *check;

	(void)state;
	set_local(image, 5, 0, 6, (xt_route_t){.valid = 1, .port = 6});
	check = checked(image);
	assert_int_equal(check->misdelivered, 2);
	assert_unsafe(image, check, "misdelivered at card 5");
	xt_check_free(check);
	xt_image_free(image);
}

/* Card 5 sends packets for PE 6 back to card 4, which sends them to 5. */
static void test_livelock(void **state)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_check_t *check;

	(void)state;
	set_local(image, 5, 3, 6, (xt_route_t){.valid = 1, .port = 0});
	check = checked(image);
	assert_int_equal(check->unreachable, 2);
	assert_int_equal(check->livelock, 2);
	assert_unsafe(image, check, "livelock");
	xt_check_free(check);
	xt_image_free(image);
}

/* Two entries of one card exchanged. */
static void test_swapped_entries(void **state)
{
	xt_image_t *image = make_image("twin:2x2x2x2x2", 0);
	uint64_t *lrt = xt_image_lrt_mutable(image, 10), kept = lrt[10];
	xt_check_t *check;

	(void)state;
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

static void test_single_tc_is_cyclic(void **state)
{
	static const char *const specs[] = {
		"twin:4x4x4", "twin:2x2x2x2x2", "twin:4x4", "twin:3x3x3", "twin:2x2x2", "twin:8x8x9", "twin:4x4x2x2x2"};

	(void)state;
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
static void test_ring_on_one_vc_is_cyclic(void **state)
{
	xt_image_t *image = make_image("torus:5", 0);
	xt_check_t *check;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
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

/* Tables of a ring of four in which every packet goes up: some ways are longer than needed. */
static void test_detours_are_counted(void **state)
{
	xt_image_t *image = make_image("torus:4", 0);
	xt_check_t *check;

	(void)state;
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

/* DORT with the four VCs of the internal link folded into two, in every way. */
static void test_folded_dort_is_cyclic(void **state)
{
	static const char *const specs[] = {"twin:4x4x4", "twin:2x2x4x2x2"};

	(void)state;
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
static void test_rings_need_their_registers(void **state)
{
	static const char *const specs[] = {"torus:4x5", "twin:4x4x4", "twin:5x4"};
	static const unsigned rings[] = {4 * 2 + 5, 4 * 4 * 2 * 2, 4 * 2 + 5};

	(void)state;
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
static void test_ring_from_the_wrong_port(void **state)
{
	xt_image_t *image = make_routed_image("torus:4x4", "bubble", XT_ALGORITHM_BUBBLE, 0);
	xt_ring_t ring = xt_ring_unpack(xt_image_ring(image, 5, 1));
	xt_check_t *check;

	(void)state;
	ring.from = 2;
	xt_image_set_ring(image, 5, 1, xt_ring_pack(ring));
	check = checked(image);
	assert_int_equal(check->cyclic_tcs, 3);
	assert_int_equal(check->cycle_length[0], 4);
	xt_check_free(check);
	xt_image_free(image);
}

/* Card 6 sends one destination's packets on another VC, and the next output takes both for its ring. */
static void test_two_rings_into_one(void **state)
{
	xt_image_t *image = make_routed_image("torus:7", "bubble", XT_ALGORITHM_BUBBLE, 0);
	xt_check_t *check;

	(void)state;
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

static void set_mask(xt_image_t *image, unsigned card, unsigned tc, unsigned index, unsigned mask)
{
	xt_route_t route = xt_entry_route(xt_image_lrt(image, card)[index], tc);

	route.adaptive_mask = (uint8_t)mask;
	set_local(image, card, tc, index, route);
}

static void test_good_adaptive_image(void **state)
{
	xt_image_t *image = make_routed_image("torus:4x4", "extoll", XT_ALGORITHM_DOR, 1);
	xt_image_t *plain = make_image("torus:4x4", 0);
	xt_check_t *check = checked(image), *without = checked(plain);

	(void)state;
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
static void test_candidate_without_escape(void **state)
{
	xt_image_t *image = make_routed_image("twin:2x2x2", "extoll", XT_ALGORITHM_TS_DOR, 1);
	xt_check_t *check = checked(image);
	xt_diag_t diag = {""};

	(void)state;
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

static void test_candidates_that_lead_round(void **state)
{
	xt_image_t *image = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 1);
	xt_check_t *check;

	(void)state;
	/* To PE 2: card 1 goes up; now also back to card 0, which goes up to 1. */
	set_mask(image, 1, 1, 2, 3);
	check = checked(image);
	assert_int_equal(check->unreachable, 0);
	assert_int_equal(check->adaptive_faults, 1);
	assert_int_equal(check->adaptive_failure.how, XT_ADAPTIVE_LIVELOCK);
	assert_int_equal(check->cyclic_tcs, 0);
	assert_unsafe(image, check, "first: TC 1 to PE 2: livelock, packets can go round by candidates, through card");
	xt_check_free(check);
	xt_image_free(image);
}

static void test_candidate_that_is_not_connected(void **state)
{
	xt_image_t *image = make_routed_image("torus:5", "extoll", XT_ALGORITHM_DOR, 1);
	xt_check_t *check;

	(void)state;
	set_mask(image, 1, 0, 2, 2 | 16);
	check = checked(image);
	assert_int_equal(check->adaptive_failure.how, XT_ADAPTIVE_UNCONNECTED);
	assert_unsafe(image, check, "TC 0 to PE 2: on card 1 the mask names port 4, which leads nowhere");
	xt_check_free(check);
	xt_image_free(image);
}

/* Back to card 0 for dimension 0 on the VC that crossings from card 1 to card 0 have elsewhere. */
static void test_escape_cycle(void **state)
{
	xt_image_t *image = make_routed_image("twin:4x4x4", "extoll", XT_ALGORITHM_TS_DOR, 1);
	xt_check_t *check = checked(image);

	(void)state;
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

static void test_source_without_tc(void **state)
{
	xt_image_t *image = make_image("torus:4", 0);
	xt_check_t *check;

	(void)state;
	xt_image_set_pe_tc_mask(image, 2, 0);
	check = checked(image);
	assert_int_equal(check->unreachable, 3);
	xt_check_free(check);
	xt_image_free(image);
}

static void test_wrong_identity(void **state)
{
	xt_image_t *image = make_image("torus:33x32", 0);
	xt_check_t *check;

	(void)state;
	/* Without the match mask the GRT is never used. */
	xt_image_set_match_mask(image, 40, 0, 0);
	check = checked(image);
	assert_true(check->unreachable > 0);
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
static void test_graph_drawing(void **state)
{
	static const struct {
		const char *spec;
		int single_tc;
		unsigned arrows; /* 0: all dependencies of TC 0, which the other TCs share. torus:9x9, of each port VC 0
				  * and 1 to themselves and one to the other, and of 4 classes of d0 to 4 of d1 */
	} cases[] = {{"twin:2x2", 1, 0}, {"torus:4x4", 0, 0}, {"twin:4x4x4", 1, 6}, {"torus:9x9", 0, 3 * 4 + 4 * 4}};

	(void)state;
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
		cmocka_unit_test(test_good_image),
		cmocka_unit_test(test_illegal_route),
		cmocka_unit_test(test_unconnected_port),
		cmocka_unit_test(test_misdelivery),
		cmocka_unit_test(test_livelock),
		cmocka_unit_test(test_swapped_entries),
		cmocka_unit_test(test_single_tc_is_cyclic),
		cmocka_unit_test(test_ring_on_one_vc_is_cyclic),
		cmocka_unit_test(test_detours_are_counted),
		cmocka_unit_test(test_folded_dort_is_cyclic),
		cmocka_unit_test(test_rings_need_their_registers),
		cmocka_unit_test(test_ring_from_the_wrong_port),
		cmocka_unit_test(test_two_rings_into_one),
		cmocka_unit_test(test_good_adaptive_image),
		cmocka_unit_test(test_candidate_without_escape),
		cmocka_unit_test(test_candidates_that_lead_round),
		cmocka_unit_test(test_candidate_that_is_not_connected),
		cmocka_unit_test(test_escape_cycle),
		cmocka_unit_test(test_source_without_tc),
		cmocka_unit_test(test_wrong_identity),
		cmocka_unit_test(test_graph_drawing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
