/* SPDX-License-Identifier: Apache-2.0
 *
 * Routes of networks from a file and with failures. An independent implementation in tests/oracle examines the routes
 * themselves. */
#include <stdlib.h>

#include "extorus/check.h"
#include "fake_network.h"
#include "traffic/packet_generator.h"

static void assert_passes(const xt_image_t *image, unsigned out_of_service)
{
	xt_check_t *check;
	xt_diag_t diag = {""};

	assert_int_equal(xt_check_image(image, &check, &diag), XT_OK);
	if (xt_check_verdict(image, check, &diag) != XT_OK) {
		fail_msg("%s: %s", xt_image_topology(image), diag.text);
	}
	assert_int_equal(check->out_of_service, out_of_service);
	xt_check_free(check);
}

static void assert_refused_by_check(const xt_image_t *image, const char *says)
{
	xt_check_t *check;
	xt_diag_t diag = {""};

	assert_int_equal(xt_check_image(image, &check, &diag), XT_OK);
	assert_int_equal(xt_check_verdict(image, check, &diag), XT_ERR_UNSAFE);
	assert_says(&diag, says);
	xt_check_free(check);
}

/* Every number of NIC ports and VCs; one card; a tree, which has no cycle to begin with. */
TEST(test_all_profiles)
{
	static const char *const profiles[] = {"extoll", "extoll10", "dort", "bubble", "mini"};
	static const struct {
		const char *spec;
		unsigned failed;
	} cases[] = {{"torus:1", 0}, {"torus:2~1", 1}, {"torus:5~4:d0+", 0}, {"torus:5x4~3~17:d1-", 1},
		{"twin:4x4~random=3:1", 0}, {"twin:3x3x3~5", 1}};

	for (unsigned i = 0; i < 5 * 6; i++) {
		const xt_profile_t *p = xt_profile_find(profiles[i / 6]);

		for (unsigned a = XT_ALGORITHM_UPDOWN; a <= XT_ALGORITHM_LAYERED; a++) {
			for (int adaptive = 0; adaptive <= (xt_profile_adaptive_tcs(p) != 0); adaptive++) {
				xt_image_t *image =
					make_routed_image(cases[i % 6].spec, p->name, (xt_algorithm_t)a, adaptive);

				assert_passes(image, cases[i % 6].failed * p->nic_ports);
				xt_image_free(image);
			}
		}
	}
}

/* One VC: the ways up and down the tree share it with all others. */
TEST(test_layered_on_one_vc)
{
	xt_profile_t one = *xt_profile_find("extoll");
	xt_topology_t *topology;
	xt_route_figures_t f;
	xt_route_options_t options = {.size = sizeof(options), .algorithm = XT_ALGORITHM_LAYERED, .figures = &f};
	xt_image_t *image;

	one.tc[3].vc[1] = XT_VC_NONE;
	assert_int_equal(xt_topology_parse("torus:8x8~3:d0+~4", &one, &topology, NULL), XT_OK);
	assert_int_equal(xt_route(topology, &options, &image, NULL), XT_OK);
	assert_int_equal(f.vcs, 1);
	assert_int_equal(f.destinations, 63);
	assert_int_equal(f.in_layer[0] + f.escape, 63);
	assert_true(f.mean_hops > f.mean_distance && f.mean_hops < 1.2 * f.mean_distance);
	assert_passes(image, 1);
	xt_image_free(image);
	xt_topology_free(topology);
}

/* Two VCs are too few here for shortest ways to all destinations; cards on the ways that the escape takes have to
 * change over to it. */
TEST(test_ways_left_to_updown)
{
	static const char *const specs[] = {
		"twin:8x8x8", "twin:8x8x8~random=40:8", "twin:16x16", "manhattan:8x8x8", "pruned-directed:8x8x8"};

	for (unsigned i = 0; i < 5; i++) {
		xt_topology_t *topology = make_topology(specs[i], "extoll");
		xt_route_figures_t f;
		xt_route_options_t options = {
			.size = sizeof(options), .algorithm = XT_ALGORITHM_LAYERED, .figures = &f};
		xt_image_t *image;

		assert_int_equal(xt_route(topology, &options, &image, NULL), XT_OK);
		assert_true(f.escape > 0);
		assert_int_equal(f.in_layer[0] + f.in_layer[1] + f.several + f.escape, xt_topology_cards(topology));
		assert_true(f.mean_hops < 1.08 * f.mean_distance);
		assert_passes(image, 0);
		xt_image_free(image);
		xt_topology_free(topology);
	}
}

/* Up and down need a VC each where links have one direction. */
TEST(test_one_way_networks_need_two_vcs)
{
	xt_profile_t thin = *xt_profile_find("extoll");
	xt_route_options_t options = {.size = sizeof(options), .algorithm = XT_ALGORITHM_LAYERED};
	xt_topology_t *topology;
	xt_image_t *image;
	xt_diag_t diag = {""};

	thin.tc[3].vc[1] = XT_VC_NONE;
	assert_int_equal(xt_topology_parse("manhattan:4x4", &thin, &topology, NULL), XT_OK);
	assert_int_equal(xt_route(topology, &options, &image, &diag), XT_ERR_UNSUPPORTED);
	assert_says(&diag, "layered needs 2 deterministic VCs in each TC; TC 3 of profile extoll has 1");
	xt_topology_free(topology);
}

/* One-way links: the file has them, and a device has a cable for each. */
TEST(test_one_way_image)
{
	xt_image_t *image = make_routed_image("pruned-directed:4x4x4", "mini", XT_ALGORITHM_LAYERED, 0), *again;
	unsigned sending = 0;
	uint8_t *bytes;
	size_t size;

	assert_int_equal(xt_image_encode(image, &bytes, &size, NULL), XT_OK);
	assert_int_equal(xt_image_decode(bytes, size, "test", &again, NULL), XT_OK);
	for (unsigned i = 0; i < 64 * 4; i++) {
		xt_peer_t peer = xt_image_peer(again, i / 4, i % 4);

		sending += peer.card != XT_NO_CARD;
		assert_true(peer.card == XT_NO_CARD || xt_image_peer(again, peer.card, peer.port).card == XT_NO_CARD);
	}
	assert_int_equal(sending, 64 * 2);
	assert_passes(again, 0);
	free(bytes);
	xt_image_free(image);
	xt_image_free(again);
}

TEST(test_refusals)
{
	static const struct {
		const char *spec;
		xt_algorithm_t algorithm;
		bool up_after_down;
		int status;
		const char *says;
	} cases[] = {
		{"torus:4x4~3", XT_ALGORITHM_DOR, false, XT_ERR_UNSUPPORTED, "use layered or updown"},
		{"twin:4x4~3", XT_ALGORITHM_TS_DOR, false, XT_ERR_UNSUPPORTED, "use layered or updown"},
		{"torus:4x4~3", XT_ALGORITHM_BUBBLE, false, XT_ERR_UNSUPPORTED, "use layered or updown"},
		{"torus:4x4", XT_ALGORITHM_LAYERED, true, XT_ERR_UNSUPPORTED, "not of layered"},
		{"torus:5~0:d0+", XT_ALGORITHM_UPDOWN, true, XT_ERR_UNSUPPORTED, "closes a cycle here"},
		{"manhattan:4x4", XT_ALGORITHM_UPDOWN, false, XT_ERR_UNSUPPORTED,
			"those of manhattan:4x4 are one-way; use layered"},
		{"torus:33x32", XT_ALGORITHM_UPDOWN, true, XT_ERR_UNSUPPORTED, "needs an LRT entry for each PE"},
		{"manhattan:34x32", XT_ALGORITHM_LAYERED, false, XT_ERR_UNSUPPORTED, "1088 PEs do not fit the 1024"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_topology_t *topology = make_topology(cases[i].spec, "extoll");
		xt_route_options_t options = {.size = sizeof(options),
			.algorithm = cases[i].algorithm,
			.up_after_down = cases[i].up_after_down};
		xt_image_t *image;
		xt_diag_t diag = {""};

		assert_int_equal(xt_route(topology, &options, &image, &diag), cases[i].status);
		assert_null(image);
		assert_says(&diag, cases[i].says);
		xt_topology_free(topology);
	}
}

TEST(test_up_after_down)
{
	for (uint64_t seed = 0; seed < 10; seed++) {
		xt_topology_t *topology = make_topology("twin:4x4x2~random=4:2", "extoll");
		xt_route_options_t options = {
			.size = sizeof(options), .algorithm = XT_ALGORITHM_UPDOWN, .up_after_down = true, .seed = seed};
		xt_image_t *image;

		assert_int_equal(xt_route(topology, &options, &image, NULL), XT_OK);
		assert_string_equal(xt_image_algorithm(image), "updown-up-after-down");
		assert_refused_by_check(image, "TC 0 can deadlock: its channel dependencies have a cycle");
		xt_image_free(image);
		xt_topology_free(topology);
	}
}

/* The check refuses an image of the whole torus on the damaged one: its wiring lacks the link. */
TEST(test_routes_over_a_failed_link)
{
	xt_image_t *damaged = make_routed_image("torus:4x4~5:d0+", "extoll", XT_ALGORITHM_UPDOWN, 0);
	xt_image_t *whole = make_routed_image("torus:4x4", "extoll", XT_ALGORITHM_UPDOWN, 0);

	assert_passes(damaged, 0);
	for (unsigned card = 0; card < 16; card++) {
		memcpy(xt_image_lrt_mutable(damaged, card), xt_image_lrt(whole, card), 1024 * sizeof(uint64_t));
	}
	assert_refused_by_check(damaged, "unconnected port at card");
	xt_image_free(damaged);
	xt_image_free(whole);
}

/* Only a card without links whose PEs send nothing is out of service. */
TEST(test_out_of_service)
{
	xt_image_t *image = make_routed_image("torus:4x4~5", "extoll", XT_ALGORITHM_LAYERED, 0);

	for (unsigned pe = 0; pe < 16; pe++) {
		assert_int_equal(xt_image_pe_in_service(image, pe), pe != 5);
	}
	xt_image_set_pe_tc_mask(image, 6, 0);
	assert_int_equal(xt_image_pe_in_service(image, 6), 1);
	assert_refused_by_check(image, "PE 6 to PE");
	xt_image_set_pe_tc_mask(image, 6, 15);
	assert_passes(image, 1);
	xt_image_set_pe_tc_mask(image, 5, 15);
	assert_refused_by_check(image, "30 of 240 pairs are not reached");
	xt_image_free(image);
}

TEST(test_traffic_leaves_failed_cards_out)
{
	static const char *const patterns[] = {"uniform", "zipf"};
	xt_image_t *image = make_routed_image("torus:4x4~5~10", "extoll", XT_ALGORITHM_LAYERED, 0);
	xt_image_t *pair = make_routed_image("torus:2~1", "extoll", XT_ALGORITHM_LAYERED, 0);
	xt_traffic_t traffic = xt_traffic_default(xt_image_profile(image));
	xt_source_t *source;
	xt_diag_t diag = {""};

	for (unsigned i = 0; i < 2; i++) {
		traffic.pattern = patterns[i];
		traffic.zipf_exponent = 4.0;
		assert_int_equal(xt_source_create(&traffic, image, &source, &diag), XT_OK);
		assert_true(xt_source_ready_at(source)[5] == UINT64_MAX);
		assert_true(xt_source_ready_at(source)[10] == UINT64_MAX);
		for (unsigned n = 0; n < 16000; n++) {
			xt_packet_t packet;

			if (n % 16 != 5 && n % 16 != 10) {
				xt_source_take(source, n % 16, &packet);
				assert_true(packet.destination < 16 && packet.destination != n % 16);
				assert_true(packet.destination != 5 && packet.destination != 10);
			}
		}
		xt_source_free(source);
	}
	assert_int_equal(xt_source_create(&traffic, pair, &source, &diag), XT_ERR_INVALID);
	assert_says(&diag, "1 of 2 PEs are out of service");
	xt_image_free(image);
	xt_image_free(pair);
}

/* The cables may still be there; what the image needs must be. */
TEST(test_loads_into_the_whole_network)
{
	xt_image_t *whole = make_image("torus:4x4", 0);
	xt_image_t *damaged = make_routed_image("torus:4x4~5:d0+~9", "extoll", XT_ALGORITHM_LAYERED, 0);
	xt_device_t *device = fake_open(whole);
	xt_diag_t diag = {""};

	assert_int_equal(xt_device_load(device, damaged, 0, NULL, NULL, &diag), XT_OK);
	assert_int_equal(xt_device_verify(device, damaged, NULL, NULL, &diag), XT_OK);
	fake_close(device);
	device = fake_open(damaged);
	assert_int_equal(xt_device_load(device, whole, 0, NULL, NULL, &diag), XT_ERR_MISMATCH);
	assert_says(&diag, "expects another wiring: card 5 port d0+");
	assert_int_equal(xt_device_load(device, damaged, 0, NULL, NULL, &diag), XT_OK);
	fake_close(device);
	xt_image_free(whole);
	xt_image_free(damaged);
}

TEST(test_names_survive_the_file)
{
	xt_image_t *image = make_routed_image(
		"torus:8x8~0:d0+~random=5:123456789~7~9:d1-~11:d1+~13:d0-", "extoll", XT_ALGORITHM_LAYERED, 0);
	xt_image_t *again;
	uint8_t *bytes;
	size_t size;

	assert_true(strlen(xt_image_topology(image)) > 40);
	assert_int_equal(xt_image_encode(image, &bytes, &size, NULL), XT_OK);
	assert_int_equal(xt_image_decode(bytes, size, "test", &again, NULL), XT_OK);
	assert_string_equal(xt_image_topology(again), xt_image_topology(image));
	assert_passes(again, 1);
	free(bytes);
	xt_image_free(image);
	xt_image_free(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_profiles),
		cmocka_unit_test(test_layered_on_one_vc),
		cmocka_unit_test(test_ways_left_to_updown),
		cmocka_unit_test(test_one_way_networks_need_two_vcs),
		cmocka_unit_test(test_one_way_image),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_up_after_down),
		cmocka_unit_test(test_routes_over_a_failed_link),
		cmocka_unit_test(test_out_of_service),
		cmocka_unit_test(test_traffic_leaves_failed_cards_out),
		cmocka_unit_test(test_loads_into_the_whole_network),
		cmocka_unit_test(test_names_survive_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
