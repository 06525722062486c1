/* SPDX-License-Identifier: Apache-2.0
 *
 * The scoreboard against networks that deliver everything wrong, one thing at a time. */
#include "carried_packets.h"

/* Packets that were sent with pauses, one of them with a wrong bit, come out in so many cells at a time. */
static void deliver_in_runs(const char *profile, unsigned run, fixture_t *f)
{
	open_on(f, profile);
	srand(7);
	for (unsigned i = 0; i < 200; i++) {
		const unsigned cells = 1 + (unsigned)rand() % f->longest, to = (unsigned)rand() % 16;
		uint32_t words[MAX_CELLS * MAX_WORDS];
		xt_packet_t packet = {
			.generated = f->cycle, .source = 5, .destination = to, .cells = (uint16_t)cells, .sequence = i};

		memcpy(words, xt_scoreboard_send(f->scoreboard, &packet), cells * f->words * sizeof(*words));
		for (unsigned k = 0; k < cells; k++) {
			f->cycle += 1 + (rand() % 4 == 0);
			xt_scoreboard_sent(f->scoreboard, 5, f->cycle, k, 1);
		}
		words[cells * f->words - 1] ^= i == 100 && cells > 1;
		f->cycle += 10;
		for (unsigned k = 0; k < cells; k += run) {
			const unsigned count = run < cells - k ? run : cells - k;

			xt_scoreboard_received(f->scoreboard, to, f->cycle, words + (size_t)k * f->words, count,
				k + count == cells, 0);
			f->cycle += count;
		}
	}
}

TEST(told_at_once)
{
	for (unsigned p = 0; p < sizeof(profile_names) / sizeof(profile_names[0]); p++) {
		fixture_t one;

		deliver_in_runs(profile_names[p], 1, &one);
		assert_true(one.cells > 400 && one.packets == 200);
		for (unsigned run = 2; run <= MAX_CELLS; run += 3) {
			fixture_t several;

			deliver_in_runs(profile_names[p], run, &several);
			assert_int_equal(several.cells, one.cells);
			assert_int_equal(several.packets, one.packets);
			assert_int_equal(several.latency, one.latency);
			assert_int_equal(several.cell_latencies, one.cell_latencies);
			assert_memory_equal(several.findings.counts, one.findings.counts, sizeof(one.findings.counts));
			for (unsigned r = 0; r < one.findings.report_count; r++) {
				assert_string_equal(several.findings.reports[r], one.findings.reports[r]);
			}
			close_it(&several);
		}
		close_it(&one);
	}
}

TEST(all_well)
{
	fixture_t f;

	for (unsigned p = 0; p < 2; p++) {
		open_on(&f, profile_names[p]);
		/* Far more than the tag of mini can count, several at a time. */
		for (unsigned round = 0; round < 3000; round++) {
			carried_t a = send(&f, 1, 2, 3), b = send(&f, 1, 3, 1), c = send(&f, 1, 2, f.longest);

			assert_int_equal(xt_scoreboard_in_flight(f.scoreboard), 3);
			deliver(&f, &b, 3);
			deliver(&f, &a, 2);
			deliver(&f, &c, 2);
		}
		xt_scoreboard_close(f.scoreboard);
		expect(&f, NULL, 0, "");
		assert_int_equal(xt_scoreboard_in_flight(f.scoreboard), 0);
		assert_int_equal(f.packets, 9000);
		assert_int_equal(f.cells, 3000 * (3 + 1 + f.longest));
		close_it(&f);
	}
}

TEST(measures_cells)
{
	fixture_t f;
	carried_t c;

	open_on(&f, "extoll");
	c = send(&f, 0, 1, 4);
	f.cycle += 10;
	deliver(&f, &c, 1);
	/* Sent in cycles 100 to 103, delivered in 114 to 117. */
	assert_int_equal(f.latency, 17);
	close_it(&f);
}

TEST(lost)
{
	fixture_t f;

	for (unsigned p = 0; p < 2; p++) {
		open_on(&f, profile_names[p]);
		send(&f, 5, 9, 2);
		for (unsigned i = 0; i < 5000; i++) {
			carried_t c = send(&f, 5, 9, 1);

			deliver(&f, &c, 9);
		}
		expect(&f, NULL, 0, "");
		xt_scoreboard_close(f.scoreboard);
		EXPECT(&f, "packet 5.0 (PE 5 to PE 9", XT_FINDING_LOST);
		close_it(&f);
	}
}

TEST(duplicated)
{
	fixture_t f;
	carried_t c, other;

	for (unsigned p = 0; p < 2; p++) {
		open_on(&f, profile_names[p]);
		c = send(&f, 5, 9, 2);
		other = send(&f, 5, 9, 2);
		deliver(&f, &c, 9);
		deliver(&f, &c, 9);
		deliver(&f, &other, 9);
		xt_scoreboard_close(f.scoreboard);
		EXPECT(&f, "PE 9 received", XT_FINDING_DUPLICATED);
		close_it(&f);
	}
}

TEST(misrouted)
{
	fixture_t f;
	carried_t c;

	for (unsigned p = 0; p < 2; p++) {
		open_on(&f, profile_names[p]);
		c = send(&f, 5, 9, 2);
		deliver(&f, &c, 10);
		xt_scoreboard_close(f.scoreboard);
		EXPECT(&f, "packet 5.0 (PE 5 to PE 9, TC 0, 2 cells) came out at PE 10", XT_FINDING_MISROUTED);
		close_it(&f);
	}
}

TEST(reordered)
{
	fixture_t f;
	carried_t a, b, c;

	for (unsigned p = 0; p < 2; p++) {
		open_on(&f, profile_names[p]);
		a = send(&f, 5, 9, 2);
		b = send(&f, 5, 9, 2);
		c = send(&f, 5, 9, 2);
		deliver(&f, &b, 9);
		deliver(&f, &a, 9);
		deliver(&f, &c, 9);
		xt_scoreboard_close(f.scoreboard);
		EXPECT(&f, "packet 5.0", XT_FINDING_REORDERED);
		close_it(&f);
	}
}

/* Every bit of every cell is watched, and a damaged packet is one finding, not a lost one and a
 * duplicated one besides. */
TEST(every_bit)
{
	const unsigned bits = 128;
	fixture_t f;

	open_on(&f, "extoll");
	for (unsigned bit = 0; bit < 3 * bits; bit++) {
		carried_t a = send(&f, 5, 9, 3), b = send(&f, 5, 9, 3);

		a.cells[bit / bits][bit % bits / 32] ^= UINT32_C(1) << bit % 32;
		deliver(&f, &a, 9);
		deliver(&f, &b, 9);
		assert_int_equal(f.findings.counts[XT_FINDING_CORRUPTED], bit + 1);
		assert_int_equal(xt_scoreboard_in_flight(f.scoreboard), 0);
	}
	assert_int_equal(f.findings.counts[XT_FINDING_DUPLICATED], 0);
	assert_int_equal(f.findings.counts[XT_FINDING_LOST], 0);
	assert_non_null(strstr(f.findings.reports[0], "cell 0 bit 0 is wrong"));
	assert_true(f.findings.report_count <= XT_REPORTS_PER_KIND);
	close_it(&f);
}

TEST(payload_bits_of_mini)
{
	fixture_t f;

	open_on(&f, "mini");
	for (unsigned bit = 0; bit < 32; bit++) {
		carried_t a = send(&f, 5, 9, 2);

		a.cells[1][0] ^= UINT32_C(1) << bit;
		deliver(&f, &a, 9);
	}
	assert_int_equal(f.findings.counts[XT_FINDING_CORRUPTED], 32);
	close_it(&f);
}

TEST(wrong_length)
{
	fixture_t f;
	carried_t c;

	open_on(&f, "extoll");
	c = send(&f, 5, 9, 4);
	deliver_cells(&f, &c, 9, 3);
	EXPECT(&f, "3 cells came out", XT_FINDING_CORRUPTED);
	c = send(&f, 5, 9, 4);
	deliver_cells(&f, &c, 9, 6);
	assert_int_equal(f.findings.counts[XT_FINDING_CORRUPTED], 2);
	assert_int_equal(xt_scoreboard_in_flight(f.scoreboard), 0);
	close_it(&f);
}

/* Nothing a network sends can bring it down. */
TEST(garbage)
{
	fixture_t f;

	srand(1);
	for (unsigned p = 0; p < 2; p++) {
		open_on(&f, profile_names[p]);
		for (unsigned i = 0; i < 2000; i++) {
			uint32_t cell[MAX_WORDS];

			if (i % 3 == 0) {
				send(&f, (unsigned)rand() % 16, (unsigned)rand() % 16,
					1 + (unsigned)rand() % f.longest);
			}
			for (unsigned w = 0; w < MAX_WORDS; w++) {
				cell[w] = (uint32_t)rand() ^ (uint32_t)rand() << 16;
			}
			hop(&f, (unsigned)rand() % 16, 0, 0, f.cycle, cell);
			xt_scoreboard_received(
				f.scoreboard, (unsigned)rand() % 16, f.cycle++, cell, 1, rand() % 2, rand() % 2);
		}
		xt_scoreboard_close(f.scoreboard);
		assert_true(f.findings.counts[XT_FINDING_LOST] > 0);
		assert_true(f.findings.counts[XT_FINDING_DUPLICATED] > 0);
		close_it(&f);
	}
}

/* The link between card 0 port d0+ and card 1 port d0- of torus:4x4 was killed. */
static int first_link(void *context, unsigned card, unsigned port)
{
	(void)context;
	return (card == 0 && port == 1) || (card == 1 && port == 0);
}

/* What comes out incomplete must be marked, and a link must have died. */
TEST(poisoned)
{
	fixture_t f;
	carried_t c;

	open_on(&f, "extoll");
	c = send(&f, 0, 1, 4);
	memset(c.cells[2], 0, 2 * sizeof(c.cells[2]));
	deliver_marked(&f, &c, 1, 4, 1);
	EXPECT(&f, "packet 0.0 (PE 0 to PE 1, TC 0, 4 cells) came out incomplete at PE 1", XT_FINDING_POISONED);
	assert_int_equal(f.packets, 0);
	close_it(&f);

	open_on(&f, "extoll");
	xt_scoreboard_set_killed(f.scoreboard, first_link, NULL);
	c = send(&f, 0, 1, 4);
	memset(c.cells[2], 0, 2 * sizeof(c.cells[2]));
	deliver_marked(&f, &c, 1, 4, 1);
	xt_scoreboard_close(f.scoreboard);
	expect(&f, NULL, 0, "");
	assert_int_equal(xt_scoreboard_poisoned(f.scoreboard), 1);
	assert_int_equal(xt_scoreboard_in_flight(f.scoreboard), 0);
	assert_int_equal(f.packets, 0);
	/* Cut, and not marked. */
	c = send(&f, 0, 1, 4);
	memset(c.cells[2], 0, 2 * sizeof(c.cells[2]));
	deliver(&f, &c, 1);
	EXPECT(&f, "cell 2 bit", XT_FINDING_CORRUPTED);
	/* Marked, but the head is wrong, which no cut explains. */
	c = send(&f, 0, 1, 4);
	c.cells[0][3] ^= 1;
	deliver_marked(&f, &c, 1, 4, 1);
	assert_int_equal(f.findings.counts[XT_FINDING_CORRUPTED], 2);
	/* Marked, but too short. */
	c = send(&f, 0, 1, 4);
	deliver_marked(&f, &c, 1, 3, 1);
	assert_int_equal(f.findings.counts[XT_FINDING_CORRUPTED], 3);
	close_it(&f);
}

/* A packet is missed if no killed link was in its way. */
TEST(dropped)
{
	fixture_t f;
	carried_t c;

	open_on(&f, "extoll");
	xt_scoreboard_set_killed(f.scoreboard, first_link, NULL);
	/* Over the link, either way. */
	c = send(&f, 0, 1, 1);
	hop(&f, 0, 1, 0, 120, c.cells[0]);
	c = send(&f, 1, 0, 1);
	hop(&f, 1, 0, 1, 120, c.cells[0]);
	/* Still at the card that has to send it there. */
	send(&f, 0, 1, 1);
	xt_scoreboard_close(f.scoreboard);
	expect(&f, NULL, 0, "");
	assert_int_equal(xt_scoreboard_dropped(f.scoreboard), 3);
	/* Elsewhere. */
	send(&f, 5, 6, 1);
	xt_scoreboard_close(f.scoreboard);
	EXPECT(&f, "packet 5.0 (PE 5 to PE 6", XT_FINDING_LOST);
	assert_int_equal(xt_scoreboard_dropped(f.scoreboard), 3);
	close_it(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_well),
		cmocka_unit_test(measures_cells),
		cmocka_unit_test(lost),
		cmocka_unit_test(duplicated),
		cmocka_unit_test(misrouted),
		cmocka_unit_test(reordered),
		cmocka_unit_test(every_bit),
		cmocka_unit_test(payload_bits_of_mini),
		cmocka_unit_test(wrong_length),
		cmocka_unit_test(garbage),
		cmocka_unit_test(poisoned),
		cmocka_unit_test(dropped),
		cmocka_unit_test(told_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
