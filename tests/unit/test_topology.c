/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "extorus/port_assignment.h"
#include "support.h"

static const char *const shapes[] = {"torus:1", "torus:2", "torus:5", "torus:8x8x4", "torus:3x1x2", "torus:2x2x2",
	"twin:1", "twin:2", "twin:4", "twin:3x2", "twin:4x4", "twin:4x4x4", "twin:3x1x5", "twin:2x2x2x2",
	"twin:2x2x2x2x2", "twin:3x2x4x2x3", "twin:1x1x1x1x1", "twin:4x4x4,config=A", "twin:3x2x4,config=J",
	"twin:3x4,config=d0-d1+", "mesh:1", "mesh:5", "mesh:4x3x2", "rtt:2x1", "rtt:10x5", "ptt:6x3x3", "pdtt:8x4x4",
	"pruned:3x4", "pruned:4x5x3", "pruned:6x2x2x3", "manhattan:4x6", "manhattan:4x4x4", "pruned-directed:4x6x4",
	"pruned-directed:6x2x2x4"};

enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

TEST(test_malformed_specs_are_refused)
{
	static const struct {
		const char *spec;
		int status;
		const char *says;
	} cases[] = {
		{"", XT_ERR_INVALID, "unknown kind"},
		{"4x4", XT_ERR_INVALID, "unknown kind"},
		{"ring:4", XT_ERR_INVALID, "unknown kind"},
		{"Torus:4", XT_ERR_INVALID, "unknown kind"},
		{"tor:4", XT_ERR_INVALID, "unknown kind"},
		{"torus:", XT_ERR_INVALID, "character 7"},
		{"torus:x4", XT_ERR_INVALID, "character 7"},
		{"torus:4x", XT_ERR_INVALID, "character 9"},
		{"torus:4xx4", XT_ERR_INVALID, "character 9"},
		{"torus:4,4", XT_ERR_INVALID, "character 8"},
		{"torus:4 ", XT_ERR_INVALID, "character 8"},
		{"torus:-4", XT_ERR_INVALID, "character 7"},
		{"torus:4x0", XT_ERR_INVALID, "dimension 1 has radix 0"},
		{"torus:1x1x1x1x1x1x1x1", XT_ERR_RANGE, "more than 7 dimensions"},
		{"torus:2x2x2x2", XT_ERR_RANGE, "needs 8 link ports"},
		{"torus:65537", XT_ERR_RANGE, "more than 65536 cards"},
		{"torus:99999999999999999999", XT_ERR_RANGE, "more than 65536 cards"},
		{"torus:256x257", XT_ERR_RANGE, "more than 65536 cards"},
		{"twin:256x256", XT_ERR_RANGE, "more than 65536 cards"},
		{"mesh:", XT_ERR_INVALID, "character 6; write for example mesh:4x4x2"},
		{"mesh:4x0", XT_ERR_INVALID, "dimension 1 has radix 0"},
		{"mesh:2x2x2x2", XT_ERR_RANGE, "needs 8 link ports"},
		{"torus:4,config=A", XT_ERR_INVALID, "character 8"},
		{"twin:4x4x4,", XT_ERR_INVALID, "unknown option at character 12"},
		{"twin:4x4x4,card=A", XT_ERR_INVALID, "unknown option at character 12"},
		{"twin:4x4x4,config=", XT_ERR_INVALID, "names 0 ports of card 0"},
		{"twin:4x4x4,config=K", XT_ERR_INVALID, "a letter A to J"},
		{"twin:4x4x4,config=AB", XT_ERR_INVALID, "a letter A to J"},
		{"twin:4x4,config=A", XT_ERR_INVALID, "with three dimensions, a letter"},
		{"twin:4x4,config=d", XT_ERR_INVALID, "a list of different ports"},
		{"twin:4x4,config=d0", XT_ERR_INVALID, "a list of different ports"},
		{"twin:4x4,config=d0-d", XT_ERR_INVALID, "a list of different ports"},
		{"twin:4x4,config=d0-d0-", XT_ERR_INVALID, "a list of different ports"},
		{"twin:4x4,config=d0-d2-", XT_ERR_INVALID, "a list of different ports"},
		{"twin:4x4,config=d0-d0+d1-", XT_ERR_INVALID, "names 3 ports of card 0"},
		{"twin:4x4,config=d0-d0+d1-d0-d0+d1-d0-d0+d1-d0-d0+d1-d0-d0+d1-", XT_ERR_INVALID, "unknown option"},
		{"rtt:8x5", XT_ERR_INVALID, "the radices of rtt are 2a and a"},
		{"rtt:8x4x4", XT_ERR_INVALID, "write for example rtt:8x4"},
		{"ptt:8x4", XT_ERR_INVALID, "2a, a and a"},
		{"pdtt:4x4x4", XT_ERR_INVALID, "write for example pdtt:8x4x4"},
		{"pruned:4", XT_ERR_INVALID, "needs two dimensions or more"},
		{"pruned:5x4x4", XT_ERR_INVALID, "dimension 0 has radix 5; with 3 dimensions it is a multiple of 2"},
		{"manhattan:4x5", XT_ERR_INVALID, "dimension 1 has radix 5; the radices of manhattan are even"},
		{"manhattan:2x2x2x2", XT_ERR_RANGE, "needs 8 link ports"},
		{"pruned-directed:4x3x4", XT_ERR_INVALID, "dimension 1 has radix 3"},
		{"pruned-directed:4x4x4x4", XT_ERR_INVALID, "a multiple of 3"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_topology_t *topology = (xt_topology_t *)&cases;
		xt_diag_t diag = {""};

		assert_int_equal(
			xt_topology_parse(cases[i].spec, xt_profile_find("extoll"), &topology, &diag), cases[i].status);
		assert_null(topology);
		assert_says(&diag, cases[i].says);
		assert_null(strchr(diag.text, '\n'));
	}
}

TEST(test_limits_follow_the_profile)
{
	xt_topology_t *topology;
	xt_diag_t diag = {""};

	assert_int_equal(xt_topology_parse("torus:2x2x2", xt_profile_find("mini"), &topology, &diag), XT_ERR_RANGE);
	assert_says(&diag, "profile mini has 4");
	assert_int_equal(xt_topology_parse("torus:32x16", xt_profile_find("mini"), &topology, &diag), XT_ERR_RANGE);
	assert_says(&diag, "8 address bits");
	topology = make_topology("torus:008x04", "extoll");
	assert_string_equal(xt_topology_spec(topology), "torus:8x4");
	xt_topology_free(topology);
	xt_topology_free(NULL);
}

/* Whether a link of dimension `dimension` that goes up (or down) may lead from card to card; a wrap-around of a
 * twisted torus also changes dimension 0. */
static bool is_step(const xt_topology_t *t, unsigned card, unsigned peer, int dimension, bool up)
{
	xt_topology_kind_t kind = xt_topology_kind(t);
	bool twisted = kind == XT_TOPOLOGY_RTT || kind == XT_TOPOLOGY_PTT || kind == XT_TOPOLOGY_PDTT;

	for (unsigned d = 0; d < xt_topology_dimensions(t); d++) {
		unsigned here = xt_topology_coordinate(t, card, d), there = xt_topology_coordinate(t, peer, d);
		unsigned k = xt_topology_radix(t, d);

		if ((int)d == dimension) {
			if (there != (up ? (here + 1) % k : (here + k - 1) % k)) {
				return false;
			}
		} else if (here != there && !(twisted && d == 0 && (here + k / 2) % k == there)) {
			return false;
		}
	}
	return true;
}

/* What a port leads to is reached from there, and leads back unless links are one-way, along the same dimension in
 * the other direction. */
TEST(test_links_have_two_ends)
{
	for (unsigned i = 0; i < SHAPES; i++) {
		xt_topology_t *t = make_topology(shapes[i], "extoll");
		xt_topology_metrics_t m;
		unsigned sending = 0, receiving = 0;

		for (unsigned card = 0; card < xt_topology_cards(t); card++) {
			for (unsigned port = 0; port < 7; port++) {
				xt_peer_t peer = xt_topology_peer(t, card, port), back;
				xt_peer_t sender = xt_topology_sender(t, card, port);
				int dimension = xt_topology_port_dimension(t, card, port);

				receiving += sender.card != XT_NO_CARD;
				if (xt_topology_directed(t)) {
					assert_true(peer.card == XT_NO_CARD || sender.card == XT_NO_CARD);
				} else {
					assert_true(peer.card == sender.card && peer.port == sender.port);
				}
				if (peer.card == XT_NO_CARD) {
					continue;
				}
				sending++;
				back = xt_topology_sender(t, peer.card, peer.port);
				assert_int_equal(back.card, card);
				assert_int_equal(back.port, port);
				assert_int_equal(xt_topology_port_dimension(t, peer.card, peer.port), dimension);
				assert_true(is_step(
					t, card, peer.card, dimension, xt_topology_port_name(t, card, port)[2] == '+'));
				if (dimension >= 0) {
					assert_int_equal(
						xt_topology_port_name(t, card, port)[1], '0' + (char)dimension);
				}
			}
		}
		assert_int_equal(sending, receiving);
		assert_int_equal(xt_topology_metrics(t, &m, NULL), XT_OK);
		assert_int_equal(m.links, xt_topology_directed(t) ? sending : sending / 2);
		xt_topology_free(t);
	}
}

TEST(test_port_numbers)
{
	static const struct {
		const char *spec;
		unsigned card;
		const char *names;
	} cases[] = {
		{"torus:4x4", 0, "d0- d0+ d1- d1+ p4 p5 nic "},
		{"twin:4", 0, "d0- int p2 p3 p4 p5 nic "},
		{"twin:4", 1, "d0+ int p2 p3 p4 p5 nic "},
		{"twin:4x4", 0, "d0- d0+ int p3 p4 p5 nic "},
		{"twin:4x4", 1, "d1- d1+ int p3 p4 p5 nic "},
		{"twin:4x4x4", 0, "d0- d0+ d1- int p4 p5 nic "},
		{"twin:4x4x4", 1, "d1+ d2- d2+ int p4 p5 nic "},
		{"twin:4x4x4,config=D", 0, "d0- d0+ d1+ int p4 p5 nic "},
		{"twin:4x4x4,config=D", 1, "d1- d2- d2+ int p4 p5 nic "},
		{"twin:4x4,config=d1+d0-", 1, "d0+ d1- int p3 p4 p5 nic "},
		{"mesh:4x4", 0, "d0- d0+ d1- d1+ p4 p5 nic "},
		{"ptt:4x2x2", 0, "d0- d0+ d1- d1+ d2- d2+ nic "},
		{"pruned:4x4x4", 2, "d0- d0+ d1- d1+ p4 p5 nic "},
		{"pruned-directed:4x4x4", 3, "d0- d0+ d2- d2+ p4 p5 nic "},
		{"twin:2x2x2x2x2", 2, "d0- d0+ d1- d1+ d2- int nic "},
		{"twin:2x2x2x2x2", 3, "d2+ d3- d3+ d4- d4+ int nic "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_topology_t *t = make_topology(cases[i].spec, "extoll");
		char names[64] = "";

		for (unsigned port = 0; port < 7; port++) {
			strcat(strcat(names, xt_topology_port_name(t, cases[i].card, port)), " ");
		}
		assert_string_equal(names, cases[i].names);
		xt_topology_free(t);
	}
}

/* Floyd and Warshall over all cards, against the library's search from node 0 only. */
static void all_distances(const xt_topology_t *t, unsigned *diameter, double *sum)
{
	unsigned n = xt_topology_cards(t);
	unsigned *d = malloc((size_t)n * n * sizeof(*d));

	assert_non_null(d);
	for (size_t i = 0; i < (size_t)n * n; i++) {
		d[i] = i / n == i % n ? 0 : 10000;
	}
	for (unsigned card = 0; card < n; card++) {
		for (unsigned port = 0; port < 6; port++) {
			xt_peer_t peer = xt_topology_peer(t, card, port);

			if (peer.card != XT_NO_CARD && peer.card != card) {
				d[(size_t)card * n + peer.card] = 1;
			}
		}
	}
	for (unsigned k = 0; k < n; k++) {
		for (unsigned i = 0; i < n; i++) {
			for (unsigned j = 0; j < n; j++) {
				unsigned by_k = d[(size_t)i * n + k] + d[(size_t)k * n + j];

				if (by_k < d[(size_t)i * n + j]) {
					d[(size_t)i * n + j] = by_k;
				}
			}
		}
	}
	*diameter = 0;
	*sum = 0;
	for (size_t i = 0; i < (size_t)n * n; i++) {
		*diameter = d[i] > *diameter ? d[i] : *diameter;
		*sum += d[i];
	}
	free(d);
}

TEST(test_distances)
{
	for (unsigned i = 0; i < SHAPES; i++) {
		xt_topology_t *t = make_topology(shapes[i], "extoll");
		xt_topology_metrics_t m;
		unsigned diameter;
		double sum, n;

		assert_int_equal(xt_topology_metrics(t, &m, NULL), XT_OK);
		all_distances(t, &diameter, &sum);
		n = m.cards;
		assert_int_equal(m.diameter, diameter);
		assert_true(fabs(m.mean_distance_with_self - sum / (n * n)) < 1e-9);
		assert_true(n < 2 || fabs(m.mean_distance - sum / (n * (n - 1))) < 1e-9);
		if (xt_topology_kind(t) != XT_TOPOLOGY_TWIN) {
			double per_dimension = 0;

			for (unsigned d = 0; d < xt_topology_dimensions(t); d++) {
				per_dimension += m.dimension_distance[d];
			}
			assert_true(fabs(m.mean_distance_with_self - per_dimension) < 1e-9);
		}
		xt_topology_free(t);
	}
}

/* A mesh of more than 2048 cards is not searched: the same by its dimensions. */
TEST(test_distances_of_a_large_mesh)
{
	xt_topology_t *t = make_topology("mesh:47x44", "extoll");
	xt_topology_metrics_t m;
	double mean = (47.0 * 47 - 1) / (3 * 47) + (44.0 * 44 - 1) / (3 * 44);

	assert_int_equal(xt_topology_metrics(t, &m, NULL), XT_OK);
	assert_int_equal(m.diameter, 46 + 43);
	assert_true(fabs(m.mean_distance_with_self - mean) < 1e-9);
	assert_true(m.uniform_limit == 0 && m.link_balance == 0);
	xt_topology_free(t);
}

TEST(test_closed_forms_of_crossings_are_refused)
{
	assert_int_equal(xt_twin_crossings_closed_form(XT_TWIN_CONFIGS, 4), -1);
	assert_int_equal(xt_twin_crossings_closed_form(0, 1), -1);
	assert_int_equal(xt_twin_crossings_closed_form(0, 1025), -1);
}

/* Fewest links between equal halves of a few small networks, by trying all halves. */
TEST(test_bisection_by_force)
{
	static const char *const small[] = {"torus:2", "torus:4", "torus:6", "torus:4x2", "torus:4x4", "torus:2x2x2",
		"torus:4x3", "torus:5x3", "mesh:4x3", "mesh:3x5", "twin:3x2", "rtt:4x2", "pruned:2x2x2", "pruned:4x4",
		"manhattan:2x2x2", "manhattan:4x4", "pruned-directed:2x2x2", "pruned-directed:4x2x2"};

	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++) {
		xt_topology_t *t = make_topology(small[i], "extoll");
		unsigned n = xt_topology_cards(t);
		xt_topology_metrics_t m;
		unsigned fewest = UINT32_MAX;

		for (uint32_t half = 0; half < 1u << n; half++) {
			unsigned cut = 0;

			if ((unsigned)__builtin_popcount(half) != n / 2) {
				continue;
			}
			for (unsigned card = 0; card < n; card++) {
				for (unsigned port = 0; port < 6; port++) {
					xt_peer_t peer = xt_topology_peer(t, card, port);

					cut += peer.card != XT_NO_CARD && (half >> card & 1) &&
					       !(half >> peer.card & 1);
				}
			}
			fewest = cut < fewest ? cut : fewest;
		}
		assert_int_equal(xt_topology_metrics(t, &m, NULL), XT_OK);
		assert_int_equal(m.bisection, fewest);
		xt_topology_free(t);
	}
}

TEST(test_drawing_has_all_cards_and_links)
{
	for (unsigned i = 0; i < SHAPES; i++) {
		xt_topology_t *t = make_topology(shapes[i], "extoll");
		double *load = calloc((size_t)xt_topology_cards(t) * 6, sizeof(*load));
		xt_topology_metrics_t m;

		assert_non_null(load);
		assert_int_equal(xt_topology_metrics(t, &m, NULL), XT_OK);
		for (unsigned heat = 0; heat < 2; heat++) {
			char *text = NULL;
			size_t size = 0;
			FILE *out = open_memstream(&text, &size);
			unsigned cards = 0, edges = 0;

			assert_non_null(out);
			xt_topology_write_dot(t, heat ? load : NULL, out);
			assert_int_equal(fclose(out), 0);
			for (const char *c = text; (c = strstr(c, "\n\tc")); c++) {
				const char *end = strchr(c + 1, '\n');
				const char *dashes = strstr(c, " -- ");

				if (dashes && dashes < end) {
					edges++;
				} else {
					cards++;
				}
			}
			assert_int_equal(cards, m.cards);
			assert_int_equal(edges, heat && !xt_topology_directed(t) ? 2 * m.links : m.links);
			free(text);
		}
		free(load);
		xt_topology_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_malformed_specs_are_refused),
		cmocka_unit_test(test_limits_follow_the_profile),
		cmocka_unit_test(test_links_have_two_ends),
		cmocka_unit_test(test_port_numbers),
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_distances_of_a_large_mesh),
		cmocka_unit_test(test_closed_forms_of_crossings_are_refused),
		cmocka_unit_test(test_bisection_by_force),
		cmocka_unit_test(test_drawing_has_all_cards_and_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
