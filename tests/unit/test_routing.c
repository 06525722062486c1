/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures of known networks, compression into GRT and LRT, and what is refused. The routes themselves
 * are compared with an independent implementation in tests/oracle. */
#include <math.h>

#include "extorus/check.h"
#include "support.h"

static void assert_figures(const char *spec, unsigned pes, unsigned max_hops, double mean_hops)
{
	xt_image_t *image = make_image(spec, 0);
	xt_check_t *check;

	assert_int_equal(xt_check_image(image, &check, NULL), XT_OK);
	assert_int_equal(xt_image_pes(image), pes);
	assert_int_equal(check->unreachable, 0);
	assert_int_equal(check->cyclic_tcs, 0);
	assert_int_equal(check->max_hops, max_hops);
	assert_true(fabs(check->mean_hops - mean_hops) < 0.00005);
	xt_check_free(check);
	xt_image_free(image);
}

TEST(test_published_figures)
{
	assert_figures("twin:4x4x2x2x2", 256, 8, 4.4392);
	assert_figures("twin:3x2x4x2x3", 288, 8, 4.7666);
	assert_figures("torus:8x8x4", 256, 10, 5.0196);
}

/* Sizes at which the address has a global part, in either kind of network, and degenerate ones. */
TEST(test_all_sizes_are_delivered_and_acyclic)
{
	static const char *const specs[] = {"torus:1", "torus:1x1x1", "torus:2", "torus:1x2x1", "torus:33x32",
		"torus:5x60x4", "torus:300", "twin:1", "twin:2", "twin:1x1x1x1x1", "twin:1x4x1", "twin:20x20x2",
		"twin:8x8x9", "twin:3x5x4x3x4", "twin:2x200", "twin:4x4x4x4x4", "twin:1x3x1x3x1"};

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		xt_image_t *image = make_image(specs[i], 0);
		xt_check_t *check;
		xt_diag_t diag = {""};

		assert_int_equal(xt_check_image(image, &check, &diag), XT_OK);
		if (xt_check_verdict(image, check, &diag) != XT_OK) {
			fail_msg("%s: %s", specs[i], diag.text);
		}
		assert_int_equal(check->pairs, (uint64_t)xt_image_pes(image) * (xt_image_pes(image) - 1));
		xt_check_free(check);
		xt_image_free(image);
	}
}

TEST(test_addresses)
{
	xt_image_t *image = make_image("twin:20x20x2", 0); /* 2 * 20 * 20 = 800 local PEs, 2 global values */

	assert_int_equal(xt_image_pe_address(image, 799), 799);
	assert_int_equal(xt_image_pe_address(image, 800), 1 << 10);
	assert_int_equal(xt_image_pe_address(image, 1599), 1 << 10 | 799);
	for (unsigned pe = 0; pe < xt_image_pes(image); pe++) {
		assert_int_equal(xt_image_address_pe(image, xt_image_pe_address(image, pe)), pe);
		assert_int_equal(xt_image_pe_card(image, pe), pe);
	}
	assert_int_equal(xt_image_address_pe(image, 800), -1);
	assert_int_equal(xt_image_address_pe(image, 1u << 16), -1);
	assert_int_equal(xt_image_address_pe(image, UINT32_MAX), -1);
	xt_image_free(image);
}

TEST(test_tcs_of_the_sources)
{
	xt_image_t *twin = make_image("twin:2x2x2", 0), *torus = make_image("torus:2x2", 0);
	xt_image_t *single = make_image("twin:2x2x2", 1);

	assert_int_equal(xt_image_pe_tc_mask(twin, 0), 5);
	assert_int_equal(xt_image_pe_tc_mask(twin, 1), 10);
	assert_int_equal(xt_image_pe_tc_mask(torus, 3), 15);
	assert_int_equal(xt_image_pe_tc_mask(single, 0), 1);
	assert_int_equal(xt_image_pe_tc_mask(single, 1), 1);
	assert_string_equal(xt_image_algorithm(twin), "ts-dor-positive-ties");
	assert_string_equal(xt_image_algorithm(single), "ts-dor-single-tc-positive-ties");
	xt_image_free(twin);
	xt_image_free(torus);
	xt_image_free(single);
}

static void assert_refused(const char *spec, const xt_profile_t *profile, xt_algorithm_t algorithm, bool single_tc,
	int status, const char *says)
{
	xt_route_options_t options = {.size = sizeof(options), .algorithm = algorithm, .single_tc = single_tc};
	xt_topology_t *topology;
	xt_image_t *image;
	xt_diag_t diag = {""};

	assert_int_equal(xt_topology_parse(spec, profile, &topology, &diag), XT_OK);
	assert_int_equal(xt_route(topology, &options, &image, &diag), status);
	assert_null(image);
	assert_says(&diag, says);
	xt_topology_free(topology);
}

TEST(test_refusals)
{
	const xt_profile_t *extoll = xt_profile_find("extoll"), *mini = xt_profile_find("mini");
	xt_profile_t thin = *extoll;
	xt_algorithm_t algorithm;
	xt_diag_t diag = {""};

	assert_refused("torus:4x4", extoll, XT_ALGORITHM_TS_DOR, false, XT_ERR_UNSUPPORTED, "use dor");
	assert_refused("twin:4x4", extoll, XT_ALGORITHM_DOR, false, XT_ERR_UNSUPPORTED, "use ts-dor");
	assert_refused("torus:4x4", extoll, XT_ALGORITHM_DOR, true, XT_ERR_UNSUPPORTED, "variant of ts-dor");
	assert_refused("twin:2x2x2", mini, XT_ALGORITHM_TS_DOR, false, XT_ERR_UNSUPPORTED, "needs two TCs");
	assert_refused(
		"torus:1025x4", extoll, XT_ALGORITHM_DOR, false, XT_ERR_RANGE, "the GRT of profile extoll has 64");
	assert_refused("twin:600x2", extoll, XT_ALGORITHM_TS_DOR, false, XT_ERR_RANGE, "dimensions from 0 on");
	thin.tc[2].vc[1] = XT_VC_NONE;
	assert_refused("torus:4x4", &thin, XT_ALGORITHM_DOR, false, XT_ERR_UNSUPPORTED, "TC 2 of profile extoll has 1");
	assert_refused("torus:4x4", xt_profile_find("dort"), XT_ALGORITHM_DORT, false, XT_ERR_UNSUPPORTED,
		"dort routes a twin torus, not torus:4x4");
	assert_refused("twin:4x4", extoll, XT_ALGORITHM_DORT, false, XT_ERR_UNSUPPORTED,
		"dort needs 4 deterministic VCs in each TC; TC 0 of profile extoll has 2");
	assert_refused("torus:4x4", extoll, XT_ALGORITHM_BUBBLE, false, XT_ERR_UNSUPPORTED, "use profile bubble");
	assert_refused("twin:4x4,config=d0+d1+", xt_profile_find("bubble"), XT_ALGORITHM_BUBBLE, false,
		XT_ERR_UNSUPPORTED, "profile bubble has one for all VCs: use profile bubble4");
	assert_refused("twin:4x4x4,config=A", xt_profile_find("bubble"), XT_ALGORITHM_BUBBLE, false, XT_ERR_UNSUPPORTED,
		"use profile bubble4");
	thin = *xt_profile_find("bubble");
	thin.tc[1].vc[2] = XT_VC_NONE;
	assert_refused("twin:4x4", &thin, XT_ALGORITHM_BUBBLE, false, XT_ERR_UNSUPPORTED, "TC 1 of profile bubble");
	assert_refused("mesh:4x4", xt_profile_find("bubble"), XT_ALGORITHM_BUBBLE, false, XT_ERR_UNSUPPORTED,
		"use layered or updown");
	assert_refused("mesh:4x4~3", extoll, XT_ALGORITHM_DOR, false, XT_ERR_UNSUPPORTED,
		"dor routes a torus, a twisted torus or a mesh without failures, not mesh:4x4~3");
	assert_refused("manhattan:4x4", extoll, XT_ALGORITHM_DOR, false, XT_ERR_UNSUPPORTED,
		"dor needs links that go both ways, those of manhattan:4x4 are one-way; use layered");
	assert_refused("rtt:46x23", extoll, XT_ALGORITHM_DOR, false, XT_ERR_RANGE,
		"the twist couples the first 2 dimensions, which do not fit the 1024 LRT entries");
	assert_refused("rtt:8x4~3", extoll, XT_ALGORITHM_DOR, false, XT_ERR_UNSUPPORTED,
		"without failures, not rtt:8x4~3; use layered or updown");
	assert_refused("rtt:8x4", extoll, XT_ALGORITHM_TS_DOR, false, XT_ERR_UNSUPPORTED, "use dor or bubble");
	assert_refused("twin:4x4x4,config=A", extoll, XT_ALGORITHM_TS_DOR, false, XT_ERR_UNSUPPORTED,
		"at most one between them split, which twin:4x4x4,config=A has not");
	assert_int_equal(xt_algorithm_parse("dorx", &algorithm, &diag), XT_ERR_INVALID);
	assert_says(&diag, "dor (torus, twisted torus, mesh)");
	assert_int_equal(xt_algorithm_parse("dort", &algorithm, &diag), XT_OK);
	assert_string_equal(xt_algorithm_profile(algorithm), "dort");
	assert_int_equal(xt_algorithm_parse("ts-dor", &algorithm, &diag), XT_OK);
	assert_int_equal(algorithm, XT_ALGORITHM_TS_DOR);
}

TEST(test_adaptive_refusals)
{
	static const struct {
		const char *spec, *profile;
		xt_route_options_t options;
		const char *says;
	} cases[] = {
		{"torus:4x4", "mini",
			{.size = sizeof(xt_route_options_t), .algorithm = XT_ALGORITHM_DOR, .adaptive = true},
			"use profile extoll"},
		{"twin:4x4", "dort",
			{.size = sizeof(xt_route_options_t), .algorithm = XT_ALGORITHM_DORT, .adaptive = true},
			"use profile dort_adaptive"},
		{"twin:4x4", "bubble",
			{.size = sizeof(xt_route_options_t), .algorithm = XT_ALGORITHM_BUBBLE, .adaptive = true},
			"profile bubble has none: no profile has that and all else that the routes need"},
		{"twin:4x4", "extoll",
			{.size = sizeof(xt_route_options_t),
				.algorithm = XT_ALGORITHM_TS_DOR,
				.adaptive = true,
				.single_tc = true},
			"a single TC is not"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_topology_t *topology = make_topology(cases[i].spec, cases[i].profile);
		xt_image_t *image;
		xt_diag_t diag = {""};

		assert_int_equal(xt_route(topology, &cases[i].options, &image, &diag), XT_ERR_UNSUPPORTED);
		assert_null(image);
		assert_says(&diag, cases[i].says);
		xt_topology_free(topology);
	}
}

/* Four function units: the NIC is the lowest digit of the address, and leaves the cards as they were. */
TEST(test_function_units)
{
	xt_image_t *image = make_profile_image("twin:4x3x4x2x2", "extoll10", 0);
	xt_image_t *one = make_image("twin:4x3x4x2x2", 0);
	xt_check_t *check;
	xt_diag_t diag = {""};

	assert_int_equal(xt_image_pes(image), 4 * xt_image_cards(image));
	assert_int_equal(xt_image_pes(one), xt_image_cards(one));
	for (unsigned pe = 0; pe < xt_image_pes(image); pe++) {
		assert_int_equal(xt_image_pe_card(image, pe), pe / 4);
		assert_int_equal(xt_image_pe_unit(image, pe), pe % 4);
		assert_int_equal(xt_image_pe_address(image, pe) % 4, pe % 4);
		assert_int_equal(xt_image_address_pe(image, xt_image_pe_address(image, pe)), pe);
		assert_int_equal(xt_image_pe_tc_mask(image, pe), pe / 4 % 2 ? 10 : 5);
	}
	/* 768 PEs of 4 dimensions in the LRT, the last dimension in the GRT. */
	assert_int_equal(xt_image_pe_address(image, 767), 767);
	assert_int_equal(xt_image_pe_address(image, 768), 1 << 10);
	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		assert_int_equal(xt_image_card_address(image, card), xt_image_pe_address(image, 4 * card));
		for (unsigned pe = 0; pe < xt_image_pes(image); pe++) {
			xt_route_t a = xt_image_lookup(image, card, card % 2, xt_image_pe_address(image, pe));
			xt_route_t b = xt_image_lookup(one, card, card % 2, xt_image_pe_address(one, pe / 4));

			assert_int_equal(a.port, b.port == 6 ? 6 + pe % 4 : b.port);
			assert_int_equal(a.vc, b.vc);
			assert_int_equal(a.valid, 1);
		}
	}
	assert_int_equal(xt_check_image(image, &check, &diag), XT_OK);
	assert_int_equal(xt_check_verdict(image, check, &diag), XT_OK);
	xt_check_free(check);
	xt_image_free(image);
	xt_image_free(one);
}

/* A number of units that is no power of two leaves gaps in the addresses. */
TEST(test_three_function_units)
{
	xt_profile_t three = *xt_profile_find("extoll");
	xt_route_options_t options = {.size = sizeof(options), .algorithm = XT_ALGORITHM_DOR, .adaptive = true};
	xt_topology_t *topology;
	xt_image_t *image;
	xt_check_t *check;
	xt_diag_t diag = {""};

	three.nic_ports = 3;
	assert_int_equal(xt_topology_parse("torus:5x60x4", &three, &topology, &diag), XT_OK);
	assert_int_equal(xt_topology_pes(topology), 3600);
	assert_int_equal(xt_route(topology, &options, &image, &diag), XT_ERR_RANGE);
	xt_topology_free(topology);
	assert_int_equal(xt_topology_parse("torus:5x30x6", &three, &topology, &diag), XT_OK);
	assert_int_equal(xt_route(topology, &options, &image, &diag), XT_OK);
	assert_int_equal(xt_image_pe_address(image, 4), 5);
	assert_int_equal(xt_image_address_pe(image, 3), -1);
	assert_int_equal(xt_image_lookup(image, 0, 0, 3).valid, 0);
	assert_int_equal(xt_check_image(image, &check, &diag), XT_OK);
	if (xt_check_verdict(image, check, &diag) != XT_OK) {
		fail_msg("%s", diag.text);
	}
	assert_int_equal(check->pairs, 2700 * 2699);
	xt_check_free(check);
	xt_image_free(image);
	xt_topology_free(topology);
}

TEST(test_dort_bubble_and_adaptive_are_safe)
{
	static const struct {
		const char *spec, *profile;
		xt_algorithm_t algorithm;
		int adaptive;
	} cases[] = {
		{"twin:1", "dort", XT_ALGORITHM_DORT, 0},
		{"twin:8x8x9", "dort", XT_ALGORITHM_DORT, 0},
		{"twin:4x4x4x4x2", "dort", XT_ALGORITHM_DORT, 0},
		{"torus:1", "bubble", XT_ALGORITHM_BUBBLE, 0},
		{"torus:33x32", "bubble", XT_ALGORITHM_BUBBLE, 0},
		{"twin:8x8x9", "bubble", XT_ALGORITHM_BUBBLE, 0},
		{"twin:5x4x5x3", "bubble", XT_ALGORITHM_BUBBLE, 0},
		{"torus:33x32", "extoll", XT_ALGORITHM_DOR, 1},
		{"torus:16x4x12", "extoll", XT_ALGORITHM_DOR, 1},
		{"twin:8x8x9", "extoll", XT_ALGORITHM_TS_DOR, 1},
		{"twin:4x4x4x4x4", "extoll", XT_ALGORITHM_TS_DOR, 1},
		{"twin:6x5x4x3", "extoll", XT_ALGORITHM_TS_DOR, 1},
		{"twin:4x4x4x2x2", "extoll10", XT_ALGORITHM_TS_DOR, 1},
		{"twin:6x5x4x3", "extoll64", XT_ALGORITHM_TS_DOR, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_image_t *image =
			make_routed_image(cases[i].spec, cases[i].profile, cases[i].algorithm, cases[i].adaptive);
		xt_check_t *check;
		xt_diag_t diag = {""};

		assert_int_equal(xt_check_image(image, &check, &diag), XT_OK);
		if (xt_check_verdict(image, check, &diag) != XT_OK) {
			fail_msg("%s: %s", cases[i].spec, diag.text);
		}
		assert_int_equal(check->adaptive_candidates != 0, cases[i].adaptive);
		xt_check_free(check);
		xt_image_free(image);
	}
}

/* RING registers of a torus and of both cards of a twin torus, from the wiring by hand. */
TEST(test_rings)
{
	static const struct {
		const char *spec;
		unsigned card;
		uint32_t ring[6], vc_ring_from[6];
	} cases[] = {
		/* d0- d0+ d1- d1+ d2- d2+: each goes on from the opposite port of its dimension. */
		{"torus:4x3x1", 7, {0x111, 0x110, 0x113, 0x112, 0, 0}, {0}},
		/* d0- d0+ d1- int: d1- goes on from int VC 1, int VC 1 from d1-. */
		{"twin:4x4x4", 6, {0x111, 0x110, 0x213, 0x122, 0, 0}, {0}},
		/* d1+ d2- d2+ int */
		{"twin:4x4x4", 7, {0x213, 0x112, 0x111, 0x120, 0, 0}, {0}},
		{"twin:4x4", 0, {0x111, 0x110, 0, 0, 0, 0}, {0}},
		{"twin:4", 1, {0x211, 0x120, 0, 0, 0, 0}, {0}},
		/* d0+ d1+ d2+ int: each goes on from the VC of its dimension, which comes from its port. */
		{"twin:4x4x4,config=A", 6, {0x113, 0x213, 0x413, 0x170, 0, 0}, {0, 0, 0, 0x021, 0, 0}},
		/* d0+ d1+ int: card 1 has d0- d1- int. */
		{"twin:4x4,config=d0+d1+", 7, {0x112, 0x212, 0x130, 0, 0, 0}, {0, 0, 0x001, 0, 0, 0}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_image_t *image = make_routed_image(
			cases[i].spec, strstr(cases[i].spec, "config") ? "bubble4" : "bubble", XT_ALGORITHM_BUBBLE, 0);

		for (unsigned port = 0; port < 6; port++) {
			assert_int_equal(xt_image_ring(image, cases[i].card, port), cases[i].ring[port]);
			assert_int_equal(
				xt_image_vc_ring_from(image, cases[i].card, port), cases[i].vc_ring_from[port]);
		}
		xt_image_free(image);
	}
}

/* ADAPTIVE_PORTS: the internal link low, the split dimension's port high. */
TEST(test_adaptive_ports)
{
	static const struct {
		const char *spec;
		uint32_t side[2];
	} cases[] = {
		{"twin:4x4x4", {0x0408, 0x0108}},
		{"twin:2x2x2x2x2", {0x1020, 0x0120}},
		{"twin:4x4", {0x0004, 0x0004}},
		{"torus:4x4x4", {0, 0}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_image_t *image = make_image(cases[i].spec, 0);

		for (unsigned card = 0; card < xt_image_cards(image); card++) {
			assert_int_equal(xt_image_adaptive_ports(image, card), cases[i].side[card % 2]);
		}
		xt_image_free(image);
	}
}

TEST(test_mini_routes_a_torus)
{
	xt_topology_t *topology = make_topology("torus:8x4", "mini");
	xt_route_options_t options = {.size = sizeof(options), .algorithm = XT_ALGORITHM_DOR};
	xt_check_t *check;
	xt_image_t *image;

	assert_int_equal(xt_route(topology, &options, &image, NULL), XT_OK);
	assert_int_equal(xt_check_image(image, &check, NULL), XT_OK);
	assert_true(xt_check_passed(check));
	xt_check_free(check);
	xt_image_free(image);
	xt_topology_free(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_figures),
		cmocka_unit_test(test_all_sizes_are_delivered_and_acyclic),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_tcs_of_the_sources),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_adaptive_refusals),
		cmocka_unit_test(test_function_units),
		cmocka_unit_test(test_three_function_units),
		cmocka_unit_test(test_dort_bubble_and_adaptive_are_safe),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_adaptive_ports),
		cmocka_unit_test(test_mini_routes_a_torus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
