/* SPDX-License-Identifier: Apache-2.0
 *
 * The routes of destinations come and go: a cycle that is remembered is one that the routes would close. */
#include "reroute/dependencies.h"

#include "extorus/random.h"
#include "support.h"

enum { DESTS = 16, TC = 1, STEPS = 600 };

/* Adds the old or new routes of a destination if that closes no cycle. True if they were said to be blocked. */
static bool change(xt_dependencies_t *d, xt_old_new_hops_t *m, unsigned dest, xt_mix_t mix, bool *there)
{
	const bool blocked = xt_dependencies_blocked(d, dest, mix);

	*there = xt_dependencies_add_routes(d, m, TC, dest, mix);
	assert_false(blocked && *there);
	if (!*there) {
		assert_true(xt_dependencies_blocked(d, dest, mix));
	}
	return blocked;
}

/* Half the destinations go by shortest ways, which need a second VC; on one VC some of them close cycles. */
static void check_blocks(const char *spec, unsigned seed)
{
	xt_image_t *before = make_routed_image(spec, "extoll", XT_ALGORITHM_UPDOWN, 0);
	xt_image_t *after = make_routed_image(spec, "extoll", XT_ALGORITHM_DOR, 0);
	bool there[DESTS] = {false}, new[DESTS];
	unsigned refused = 0, blocked = 0, set_free = 0;
	bool was_blocked[DESTS] = {false};
	xt_dependencies_t *d;
	xt_old_new_hops_t m;
	xt_random_t random;

	for (unsigned card = 0; card < xt_image_cards(after); card++) {
		for (unsigned dest = 0; dest < DESTS; dest++) {
			uint64_t *entry = &xt_image_lrt_mutable(after, card)[dest];
			xt_route_t route = xt_entry_route(*entry, TC);

			route.vc = 0;
			*entry = xt_entry_with_route(*entry, TC, route);
		}
	}
	assert_int_equal(xt_old_new_hops_create(&m, before, after, NULL), XT_OK);
	d = xt_dependencies_create(after);
	assert_non_null(d);
	xt_random_seed(&random, seed, 0);
	for (unsigned step = 0; step < STEPS; step++) {
		const unsigned dest = xt_random_below(&random, DESTS);

		if (there[dest]) {
			xt_dependencies_remove_routes(d, &m, TC, dest, new[dest] ? XT_MIX_NEW : XT_MIX_OLD);
			there[dest] = false;
			continue;
		}
		new[dest] = xt_random_below(&random, 4) != 0;
		blocked += change(d, &m, dest, new[dest] ? XT_MIX_NEW : XT_MIX_OLD, &there[dest]);
		refused += !there[dest];
		set_free += there[dest] && new[dest] && was_blocked[dest];
		was_blocked[dest] = new[dest] ? !there[dest] : was_blocked[dest];
	}
	assert_true(refused > 20 && blocked > 5 && set_free > 5);
	/* With nothing else there, nothing is in the way. */
	for (unsigned dest = 0; dest < DESTS; dest++) {
		if (there[dest]) {
			xt_dependencies_remove_routes(d, &m, TC, dest, new[dest] ? XT_MIX_NEW : XT_MIX_OLD);
		}
	}
	for (unsigned dest = 0; dest < DESTS; dest++) {
		assert_false(xt_dependencies_blocked(d, dest, XT_MIX_NEW));
		assert_false(xt_dependencies_blocked(d, dest, XT_MIX_OLD));
		assert_false(change(d, &m, dest, XT_MIX_NEW, &there[dest]));
		assert_true(there[dest]);
		xt_dependencies_remove_routes(d, &m, TC, dest, XT_MIX_NEW);
	}
	xt_dependencies_free(d);
	xt_old_new_hops_free(&m);
	xt_image_free(before);
	xt_image_free(after);
}

TEST(test_blocks)
{
	for (unsigned seed = 1; seed <= 5; seed++) {
		check_blocks("torus:4x4", seed);
		check_blocks("torus:8x2", seed);
	}
	xt_dependencies_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
