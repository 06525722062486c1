/* SPDX-License-Identifier: Apache-2.0
 *
 * The scoreboard and the ways that heads go: where each is, and those that the image does not allow. */
#include "carried_packets.h"

static void where_is(void *out, const xt_packet_state_t *state)
{
	*(xt_packet_state_t *)out = *state;
}

TEST(follows_the_head)
{
	xt_packet_state_t seen = {0};
	fixture_t f;
	carried_t c;

	open_on(&f, "extoll");
	c = send(&f, 5, 4, 4);
	xt_scoreboard_each(f.scoreboard, where_is, &seen);
	assert_int_equal(seen.card, 5);
	assert_int_equal(seen.port, 6);
	assert_int_equal(seen.vc, XT_NO_VC);
	assert_int_equal(seen.sent, 4);
	hop(&f, 5, 0, 1, 120, c.cells[0]);
	xt_scoreboard_each(f.scoreboard, where_is, &seen);
	assert_int_equal(seen.card, 4);
	assert_int_equal(seen.port, 1);
	assert_int_equal(seen.vc, 1);
	assert_int_equal(seen.since, 120);
	for (unsigned i = 0; i < 20; i++) {
		hop(&f, 5, 0, 1, 121 + i, c.cells[0]);
	}
	EXPECT(&f, "made 17 hops in a network of 16 cards", XT_FINDING_LIVELOCK);
	close_it(&f);
}

/* A head that leaves as the image says is no finding; by another port or VC it is one. */
TEST(off_route)
{
	fixture_t f;
	carried_t c;

	open_on(&f, "extoll");
	c = send(&f, 0, 1, 1); /* TC 0; dimension 0, one step up */
	hop(&f, 0, 1, 0, 100, c.cells[0]);
	expect(&f, NULL, 0, "");
	hop(&f, 0, 0, 0, 101, c.cells[0]);
	EXPECT(&f, "left card 0 by port d0- VC 0 at cycle 101; for address 1 in TC", XT_FINDING_OFF_ROUTE);
	close_it(&f);
}

/* At the card to which the packet went as it should. */
TEST(off_route_later)
{
	fixture_t f;
	carried_t c;

	for (unsigned p = 0; p < 2; p++) {
		open_on(&f, profile_names[p]);
		c = send(&f, 0, 5, 1); /* one step up in either dimension */
		hop(&f, 0, 1, 0, 100, c.cells[0]);
		hop(&f, 1, 3, 0, 101, c.cells[0]);
		expect(&f, NULL, 0, "");
		c = send(&f, 0, 5, 1);
		hop(&f, 0, 1, 0, 102, c.cells[0]);
		hop(&f, 1, 1, 0, 103, c.cells[0]);
		EXPECT(&f,
			"packet 0.1 (PE 0 to PE 5, TC 0, 1 cell) left card 1 by port d0+ VC 0 at cycle 103; for "
			"address 5",
			XT_FINDING_OFF_ROUTE);
		c = send(&f, 0, 5, 1);
		hop(&f, 0, 1, 0, 104, c.cells[0]);
		hop(&f, 1, 3, 1, 105, c.cells[0]);
		assert_int_equal(f.findings.counts[XT_FINDING_OFF_ROUTE], 2);
		close_it(&f);
	}
}

/* A card goes by the destination that it is told, and is held to it. */
TEST(off_damaged_route)
{
	fixture_t f;
	carried_t c;

	open_on(&f, "extoll");
	c = send(&f, 0, 1, 1);
	c.cells[0][0] ^= 1 ^ 4; /* to PE 4: dimension 1, one step up */
	hop(&f, 0, 3, 0, 100, c.cells[0]);
	expect(&f, NULL, 0, "");
	c = send(&f, 0, 1, 1);
	c.cells[0][0] ^= 1 ^ 4;
	hop(&f, 0, 1, 0, 101, c.cells[0]);
	EXPECT(&f,
		"packet 0.1 (PE 0 to PE 1, TC 0, 1 cell) left card 0 by port d0+ VC 0 at cycle 101; for address 4 in "
		"TC 0",
		XT_FINDING_OFF_ROUTE);
	close_it(&f);
}

/* Hops that are told together are checked one by one. */
TEST(hops_together)
{
	enum { HOPS = 150 };
	fixture_t f;

	open_on(&f, "extoll");
	for (unsigned i = 0; i < HOPS; i++) {
		carried_t c = send(&f, 0, 1, 1);
		const unsigned port = i % 50 == 49 ? 0 : 1;

		xt_scoreboard_hop(f.scoreboard, 0, port, 0, i, c.cells[0]);
	}
	xt_scoreboard_settle(f.scoreboard);
	assert_int_equal(f.findings.counts[XT_FINDING_OFF_ROUTE], 3);
	assert_non_null(strstr(f.findings.reports[0], "packet 0.49 "));
	assert_non_null(strstr(f.findings.reports[2], "packet 0.149 "));
	close_it(&f);
}

/* DOR with candidates in every minimal direction of TC 0, for packets from card 0 to PE 5 (one step in either
 * dimension). */
static void open_adaptive(fixture_t *f)
{
	open_on(f, "extoll");
	xt_scoreboard_free(f->scoreboard);
	for (unsigned card = 0; card < 2; card++) {
		uint64_t *entry = &xt_image_lrt_mutable(f->image, card)[5];
		xt_route_t route = xt_entry_route(*entry, 0);

		route.adaptive_mask = card == 0 ? 1 << 1 | 1 << 3 : 1 << 3;
		*entry = xt_entry_with_route(*entry, 0, route);
	}
	create(f);
}

/* A packet from PE 0 to PE 5 leaves its first card. */
static void first_hop(fixture_t *f, unsigned port, unsigned vc, uint64_t cycle)
{
	carried_t c = send(f, 0, 5, 1);

	hop(f, 0, port, vc, cycle, c.cells[0]);
}

TEST(adaptive_routes)
{
	const unsigned adaptive = 2;
	fixture_t f;

	open_adaptive(&f);
	/* The deterministic route, and the adaptive VC of either candidate. */
	first_hop(&f, 1, 0, 100);
	first_hop(&f, 1, adaptive, 100);
	first_hop(&f, 3, adaptive, 100);
	expect(&f, NULL, 0, "");
	/* No candidate; and a candidate on a VC that is not adaptive. */
	first_hop(&f, 2, adaptive, 101);
	EXPECT(&f,
		"left card 0 by port d1- VC 2 at cycle 101; for address 5 in TC 0 the image has port d0+ VC 0, or an "
		"adaptive VC of d0+ d1+",
		XT_FINDING_OFF_ROUTE);
	first_hop(&f, 3, 0, 102);
	assert_int_equal(f.findings.counts[XT_FINDING_OFF_ROUTE], 2);
	close_it(&f);
}

/* Once on a deterministic VC of a link always on these. */
TEST(escaped_for_good)
{
	const unsigned adaptive = 2;
	fixture_t f;
	carried_t c;

	open_adaptive(&f);
	c = send(&f, 0, 5, 1);
	hop(&f, 0, 1, adaptive, 100, c.cells[0]);
	hop(&f, 1, 3, adaptive, 101, c.cells[0]);
	expect(&f, NULL, 0, "");
	hop(&f, 0, 1, 0, 102, c.cells[0]);
	hop(&f, 1, 3, 0, 103, c.cells[0]);
	expect(&f, NULL, 0, "");
	hop(&f, 1, 3, adaptive, 104, c.cells[0]);
	EXPECT(&f, "although it had escaped", XT_FINDING_OFF_ROUTE);
	close_it(&f);
}

/* A candidate may be the link by which a packet came, but not for this packet. */
TEST(never_back_by_a_candidate)
{
	const unsigned adaptive = 2;
	xt_route_t route;
	uint64_t *entry;
	fixture_t f;
	carried_t c;

	open_adaptive(&f);
	xt_scoreboard_free(f.scoreboard);
	entry = &xt_image_lrt_mutable(f.image, 1)[5];
	route = xt_entry_route(*entry, 0);
	route.adaptive_mask = 1 << 0 | 1 << 3;
	*entry = xt_entry_with_route(*entry, 0, route);
	create(&f);
	c = send(&f, 0, 5, 1);
	hop(&f, 0, 1, adaptive, 100, c.cells[0]);
	hop(&f, 1, 0, adaptive, 101, c.cells[0]);
	EXPECT(&f, "left card 1 by port d0- VC 2 at cycle 101, although it had come by that link",
		XT_FINDING_OFF_ROUTE);
	c = send(&f, 1, 5, 1);
	hop(&f, 1, 0, adaptive, 102, c.cells[0]);
	assert_int_equal(f.findings.counts[XT_FINDING_OFF_ROUTE], 1);
	close_it(&f);
}

/* Only the TC with candidates may deliver out of order. */
TEST(adaptive_order)
{
	fixture_t f;
	carried_t a, b;

	open_adaptive(&f);
	a = send(&f, 0, 5, 2);
	b = send(&f, 0, 5, 2);
	deliver(&f, &b, 5);
	deliver(&f, &a, 5);
	expect(&f, NULL, 0, "");
	a = send_in_tc(&f, 0, 5, 2, 1);
	b = send_in_tc(&f, 0, 5, 2, 1);
	deliver(&f, &b, 5);
	deliver(&f, &a, 5);
	EXPECT(&f, "TC 1", XT_FINDING_REORDERED);
	close_it(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_head),
		cmocka_unit_test(off_route),
		cmocka_unit_test(off_route_later),
		cmocka_unit_test(off_damaged_route),
		cmocka_unit_test(hops_together),
		cmocka_unit_test(adaptive_routes),
		cmocka_unit_test(escaped_for_good),
		cmocka_unit_test(never_back_by_a_candidate),
		cmocka_unit_test(adaptive_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
