/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace must end as the checker says that the packet does, also where the tables are wrong. */
#include "extorus/trace.h"

#include <stdlib.h>

#include "extorus/check.h"
#include "extorus/profiles.h"
#include "extorus/random.h"
#include "support.h"

/* The first packet that the checker misses, traced. Returns how it ends; XT_WALK_DELIVERED if the image is whole. */
static xt_walk_t trace_failure(const xt_image_t *image)
{
	xt_check_t *check;
	xt_trace_set_t set;
	xt_walk_t how;
	bool found = false;

	assert_int_equal(xt_check_image(image, &check, NULL), XT_OK);
	how = check->failure.how;
	if (check->unreachable == 0) {
		xt_check_free(check);
		return XT_WALK_DELIVERED;
	}
	assert_int_equal(xt_trace_pair(image, check->failure.source, check->failure.dest, &set, NULL), XT_OK);
	for (unsigned i = 0; i < set.traces; i++) {
		const xt_trace_t *t = &set.trace[i];

		if (t->tc == check->failure.tc) {
			found = true;
			assert_int_equal(t->how, how);
			if (how != XT_WALK_LIVELOCK) {
				assert_int_equal(t->hop[t->hops - 1].card, check->failure.card);
			}
		}
	}
	assert_true(found);
	xt_trace_free(&set);
	xt_check_free(check);
	return how;
}

/* Overwrites an entry that is used by one that is as random as it can be. */
static void spoil(xt_image_t *image, xt_random_t *random)
{
	const xt_profile_t *p = xt_image_profile(image);
	unsigned card = xt_random_below(random, xt_image_cards(image));
	unsigned pe = xt_random_below(random, xt_image_pes(image));
	unsigned tc = xt_random_below(random, p->tcs);
	uint64_t *entry = &xt_image_lrt_mutable(image, card)[xt_image_pe_address(image, pe)];
	xt_route_t route = {.valid = 1,
		.port = (uint8_t)xt_random_below(random, 9), /* two that do not exist */
		.vc = (uint8_t)xt_random_below(random, 3)};

	*entry = xt_entry_with_route(*entry, tc, route);
}

TEST(test_ends_as_the_checker_says)
{
	static const char *const specs[] = {"torus:4x4", "torus:3", "twin:2x2x2"};
	unsigned seen[XT_WALK_UNCONNECTED + 1] = {0};
	xt_random_t random;

	xt_random_seed(&random, 7, 0);
	for (unsigned i = 0; i < 300; i++) {
		xt_image_t *image = make_image(specs[i % 3], 0);

		for (unsigned n = 0; n < 1 + i % 4; n++) {
			spoil(image, &random);
		}
		seen[trace_failure(image)]++;
		xt_image_free(image);
	}
	/* Every way to fail has been met; to be delivered all the same is met where the entry was not used. */
	for (unsigned how = 0; how <= XT_WALK_UNCONNECTED; how++) {
		assert_true(seen[how] > 0);
	}
}

static bool is_channel(const xt_hop_t *hop, const xt_channel_t *c)
{
	return hop->card == c->card && hop->route.port == c->port && hop->route.vc == c->vc;
}

/* Whether the packet may be sent and goes from one channel of the cycle to the next. */
static bool makes_step(const xt_image_t *image, const xt_check_t *check, size_t i, unsigned source, unsigned dest)
{
	const xt_channel_t *cycle = check->cycle[0];
	xt_trace_set_t set;
	bool found = false;

	assert_int_equal(xt_trace_pair(image, source, dest, &set, NULL), XT_OK);
	for (unsigned h = 0; set.traces && h + 1 < set.trace[0].hops; h++) {
		found = found ||
			(is_channel(&set.trace[0].hop[h], &cycle[i]) &&
				is_channel(&set.trace[0].hop[h + 1], &cycle[(i + 1) % check->cycle_length[0]]));
	}
	xt_trace_free(&set);
	return found;
}

/* The packets named beside a cycle make it, also where the PEs on it may send nothing. */
TEST(test_packets_beside_a_cycle)
{
	xt_image_t *image = make_image("twin:4x4x4", 1);
	unsigned steps = 0, from_elsewhere = 0;
	xt_random_t random;

	xt_random_seed(&random, 3, 0);
	for (unsigned round = 0; round < 40; round++) {
		xt_check_t *check;
		char *text = NULL;
		size_t size = 0, i;
		unsigned source, dest;
		FILE *out = open_memstream(&text, &size);

		xt_image_set_pe_tc_mask(image, xt_random_below(&random, xt_image_pes(image)), 0);
		assert_int_equal(xt_check_image(image, &check, NULL), XT_OK);
		assert_int_equal(xt_check_write_cdg(image, check, out, NULL), XT_OK);
		assert_int_equal(fclose(out), 0);
		for (const char *c = text; (c = strstr(c, "\tpair0_")); c++) {
			assert_int_equal(sscanf(c, "\tpair0_%zu", &i), 1);
			assert_int_equal(sscanf(strstr(c, "label="), "label=\"PE %u to %u", &source, &dest), 2);
			assert_true(makes_step(image, check, i, source, dest));
			from_elsewhere += source != check->cycle[0][i].card;
			steps++;
		}
		assert_true(check->cycle_length[0] > 0);
		free(text);
		xt_check_free(check);
	}
	assert_true(steps >= 40 * 4);
	assert_true(from_elsewhere > 0);
	xt_image_free(image);
}

TEST(test_pes_that_are_not_there)
{
	xt_image_t *image = make_image("torus:4", 0);
	xt_trace_set_t set;
	xt_diag_t diag = {""};

	assert_int_equal(xt_trace_pair(image, 4, 0, &set, &diag), XT_ERR_RANGE);
	assert_says(&diag, "there is no PE 4, only 0 to 3");
	assert_int_equal(xt_trace_pair(image, 0, 4, &set, &diag), XT_ERR_RANGE);
	assert_int_equal(set.traces, 0);
	xt_trace_free(&set);
	xt_image_free(image);
}

TEST(test_to_itself)
{
	xt_image_t *image = make_image("torus:4", 0);
	xt_trace_set_t set;

	assert_int_equal(xt_trace_pair(image, 2, 2, &set, NULL), XT_OK);
	assert_int_equal(set.traces, 4);
	assert_int_equal(set.trace[0].how, XT_WALK_DELIVERED);
	assert_int_equal(set.trace[0].hops, 1);
	assert_true(xt_trace_equal(&set.trace[0], &set.trace[3]));
	xt_trace_free(&set);
	xt_image_free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends_as_the_checker_says),
		cmocka_unit_test(test_packets_beside_a_cycle),
		cmocka_unit_test(test_pes_that_are_not_there),
		cmocka_unit_test(test_to_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
