/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/port_assignment.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"

static xt_traffic_matrix_t *make_uniform(unsigned ends)
{
	const xt_profile_t *profile = xt_profile_find("extoll");
	xt_traffic_t traffic = xt_traffic_default(profile);
	xt_traffic_matrix_t *matrix = NULL;

	assert_int_equal(xt_traffic_matrix_create(&traffic, profile, ends, &matrix, NULL), XT_OK);
	return matrix;
}

static xt_turns_t *make_turns(const xt_topology_t *t, xt_paths_t paths)
{
	xt_traffic_matrix_t *matrix = make_uniform(xt_topology_cards(t) / xt_topology_cards_per_node(t));
	xt_turns_t *turns = NULL;

	assert_int_equal(xt_turns_of_topology(t, paths, matrix, &turns, NULL), XT_OK);
	xt_traffic_matrix_free(matrix);
	return turns;
}

/* Closed forms of the configurations with fewest crossings for odd radices, published for n dimensions of radix k:
 * n even: (k^(n/2) - 1)^2; n odd: (k^((n-1)/2) - 1) (k^((n+1)/2) - 1) + (k - 1)(k - 3)/4 k^(n-1). They are those of
 * the default wiring, and no other has fewer, except at 3 x 3: nobody goes straight on in a ring of 3, so that 2
 * instead of 4 cross when each card has one port of each dimension. */
TEST(test_best_wiring)
{
	static const struct {
		const char *spec;
		double n, k;
	} cases[] = {{"twin:3", 1, 3}, {"twin:7", 1, 7}, {"twin:3x3", 2, 3}, {"twin:9x9", 2, 9}, {"twin:5x5x5", 3, 5},
		{"twin:7x7x7", 3, 7}, {"twin:3x3x3x3", 4, 3}, {"twin:5x5x5x5", 4, 5}, {"twin:3x3x3x3x3", 5, 3},
		{"twin:5x5x5x5x5", 5, 5}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_topology_t *t = make_topology(cases[i].spec, "extoll");
		double n = cases[i].n, k = cases[i].k, half = pow(k, floor(n / 2)) - 1, closed = half * half;
		xt_turns_t *turns = make_turns(t, XT_PATHS_DOR);
		xt_assignment_t best;

		if ((unsigned)n % 2 == 1) {
			closed = half * (pow(k, (n + 1) / 2) - 1) + (k - 1) * (k - 3) / 4 * pow(k, n - 1);
		}
		closed = lround(closed) * pow(k, n);
		assert_true(xt_turns_crossings(turns, XT_ALL_STAGES, xt_twin_card0(t)) == closed);
		xt_turns_best(turns, XT_ALL_STAGES, 1, &best);
		assert_true(best.optimal);
		assert_true(best.crossings == (strcmp(cases[i].spec, "twin:3x3") ? closed : 2 * 9));
		xt_turns_free(turns);
		xt_topology_free(t);
	}
}

/* The hops of a packet but the last end in a turn, whichever of the shortest paths it takes. */
TEST(test_all_hops_are_turns)
{
	static const char *const specs[] = {"torus:5x4x3", "torus:2x2x2", "mesh:4x3", "rtt:8x4", "pdtt:4x2x2",
		"pruned:4x3x5", "manhattan:4x4x4", "pruned-directed:4x6", "torus:4x4~5:d0+~7"};

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		xt_topology_t *t = make_topology(specs[i], "extoll");
		xt_turns_t *turns = make_turns(t, XT_PATHS_SHORTEST);
		double cards = xt_topology_cards(t) - xt_topology_failed_cards(t), hops;
		xt_topology_metrics_t m;

		assert_int_equal(xt_topology_metrics(t, &m, NULL), XT_OK);
		hops = m.mean_distance * cards * (cards - 1);
		assert_true(fabs(xt_turns_total(turns, 0) - (hops - cards * (cards - 1))) < 1e-6 * hops);
		xt_turns_free(turns);
		if (xt_turns_usual_paths(t) == XT_PATHS_DOR) {
			turns = make_turns(t, XT_PATHS_DOR);
			assert_true(fabs(xt_turns_total(turns, 0) - (hops - cards * (cards - 1))) < 1e-6 * hops);
			xt_turns_free(turns);
		}
		xt_topology_free(t);
	}
}

typedef struct {
	double least;
	unsigned count;
	uint64_t last;
} tried_t;

static void try(void *context, uint64_t card0, double crossings)
{
	tried_t *tried = context;

	assert_true(card0 & 1);
	assert_true(card0 != tried->last);
	tried->last = card0;
	tried->count++;
	tried->least = crossings < tried->least ? crossings : tried->least;
}

/* Beyond the exhaustive search: the pairs of ports down[i], up[i] carry what descends, and belong together. */
TEST(test_search_of_large_switches)
{
	static const xt_tree_t trees[] = {{15, 2}, {32, 2}, {16, 3}};
	xt_diag_t diag = {""};

	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		xt_traffic_matrix_t *matrix = make_uniform(xt_tree_ends(&trees[i]));
		uint64_t half = (UINT64_C(1) << trees[i].k / 2) - 1;
		xt_assignment_t best, again;
		xt_turns_t *turns;
		tried_t tried = {0};

		assert_int_equal(xt_turns_of_tree(&trees[i], matrix, &turns, NULL), XT_OK);
		assert_int_equal(xt_turns_ports(turns), 2 * trees[i].k);
		xt_turns_best(turns, XT_ALL_STAGES, 1, &best);
		xt_turns_best(turns, XT_ALL_STAGES, 7, &again);
		assert_false(best.optimal);
		assert_true(best.crossings == again.crossings);
		assert_true(best.crossings == xt_turns_crossings(turns, XT_ALL_STAGES, best.card0));
		assert_int_equal(__builtin_popcountll(best.card0), trees[i].k);
		if (trees[i].k % 2 == 0) {
			assert_true(
				best.crossings <= xt_turns_crossings(turns, XT_ALL_STAGES, half | half << trees[i].k));
		}
		assert_int_equal(xt_turns_each(turns, XT_ALL_STAGES, try, &tried, &diag), XT_ERR_RANGE);
		assert_says(&diag, "too many ways to list");
		xt_turns_free(turns);
		xt_traffic_matrix_free(matrix);
	}
}

TEST(test_assignments_are_counted)
{
	static const struct {
		unsigned k, count;
	} cases[] = {{2, 3}, {3, 10}, {5, 126}, {7, 1716}, {10, 92378}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_tree_t tree = {cases[i].k, 2};
		xt_traffic_matrix_t *matrix = make_uniform(xt_tree_ends(&tree));
		tried_t tried = {.least = INFINITY};
		xt_assignment_t best;
		xt_turns_t *turns;

		assert_int_equal(xt_turns_of_tree(&tree, matrix, &turns, NULL), XT_OK);
		assert_int_equal(xt_turns_each(turns, 1, try, &tried, NULL), XT_OK);
		assert_int_equal(tried.count, cases[i].count);
		xt_turns_best(turns, 1, 1, &best);
		assert_int_equal(best.assignments, cases[i].count);
		/* Only k of the 2k ports of the last stage are used. */
		assert_true(best.crossings == 0 && tried.least == 0);
		xt_turns_free(turns);
		xt_traffic_matrix_free(matrix);
	}
}

TEST(test_malformed_trees_are_refused)
{
	static const struct {
		const char *spec;
		int status;
		const char *says;
	} cases[] = {
		{"torus:4", XT_ERR_INVALID, "write for example tree:k=4,n=3"},
		{"tree:", XT_ERR_INVALID, "write for example"},
		{"tree:4,3", XT_ERR_INVALID, "write for example"},
		{"tree:k=4", XT_ERR_INVALID, "write for example"},
		{"tree:k=4,n=", XT_ERR_INVALID, "write for example"},
		{"tree:k=4,n=-3", XT_ERR_INVALID, "write for example"},
		{"tree:k=4,n=3x", XT_ERR_INVALID, "write for example"},
		{"tree:k=1,n=3", XT_ERR_RANGE, "k is from 2 to 32"},
		{"tree:k=33,n=1", XT_ERR_RANGE, "k is from 2 to 32"},
		{"tree:k=99999999999999999999,n=1", XT_ERR_RANGE, "k is from 2 to 32"},
		{"tree:k=4,n=0", XT_ERR_RANGE, "n from 1 to 12"},
		{"tree:k=2,n=13", XT_ERR_RANGE, "n from 1 to 12"},
		{"tree:k=17,n=3", XT_ERR_RANGE, "4913 ends, and 4096"},
	};
	xt_diag_t diag;
	xt_tree_t tree;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(xt_tree_parse(cases[i].spec, &tree, &diag), cases[i].status);
		assert_says(&diag, cases[i].says);
	}
	assert_int_equal(xt_tree_parse("tree:k=2,n=12", &tree, &diag), XT_OK);
	assert_int_equal(xt_tree_ends(&tree), 4096);
}

TEST(test_what_has_no_turns)
{
	static const struct {
		const char *spec;
		xt_paths_t paths;
		int status;
		const char *says;
	} cases[] = {
		{"rtt:8x4", XT_PATHS_DOR, XT_ERR_UNSUPPORTED, "only undamaged tori, meshes and twin tori have DOR"},
		{"torus:4x4~5", XT_PATHS_DOR, XT_ERR_UNSUPPORTED, "only undamaged tori"},
		{"twin:4x4~5", XT_PATHS_SHORTEST, XT_ERR_UNSUPPORTED, "damaged twin torus"},
		{"torus:4x4", XT_PATHS_DESTRO, XT_ERR_UNSUPPORTED, "only a tree has DESTRO"},
		{"torus:65x64", XT_PATHS_DOR, XT_ERR_RANGE, "more than 4096 nodes"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_topology_t *t = make_topology(cases[i].spec, "extoll");
		xt_traffic_matrix_t *matrix = make_uniform(xt_topology_cards(t) / xt_topology_cards_per_node(t));
		xt_turns_t *turns;
		xt_diag_t diag;

		assert_int_equal(xt_turns_of_topology(t, cases[i].paths, matrix, &turns, &diag), cases[i].status);
		assert_says(&diag, cases[i].says);
		assert_null(turns);
		xt_traffic_matrix_free(matrix);
		xt_topology_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_best_wiring),
		cmocka_unit_test(test_all_hops_are_turns),
		cmocka_unit_test(test_search_of_large_switches),
		cmocka_unit_test(test_assignments_are_counted),
		cmocka_unit_test(test_malformed_trees_are_refused),
		cmocka_unit_test(test_what_has_no_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
