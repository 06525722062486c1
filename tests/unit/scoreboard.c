/* SPDX-License-Identifier: Apache-2.0
 *
 * The scoreboard against networks that do everything wrong, one thing at a time. */
#include <stdlib.h>
#include <string.h>

#include "lib/scoreboard.h"
#include "support.h"

enum { MAX_WORDS = 4, MAX_CELLS = 32 };

/* A packet that the test holds between its PEs. */
typedef struct {
	xt_packet_t packet;
	uint32_t cells[MAX_CELLS][MAX_WORDS];
} carried_t;

typedef struct {
	xt_image_t *image;
	xt_scoreboard_t *scoreboard;
	xt_findings_t findings;
	unsigned words;
	unsigned longest; /* packet that these tests send, in cells */
	uint64_t cycle;
	uint32_t sequence[16];
	uint64_t cells, packets, latency; /* delivered */
	uint64_t cell_latencies;          /* their sum */
} fixture_t;

static void on_delivery(void *context, const xt_packet_t *packet, uint64_t head_sent, uint64_t sent, uint64_t delivered,
	unsigned count, int last)
{
	fixture_t *f = context;

	assert_true(head_sent <= sent && sent < delivered);
	assert_true(packet->generated <= head_sent);
	f->cells += count;
	f->cell_latencies += count * (delivered - sent);
	f->packets += (uint64_t)last;
	f->latency = delivered + count - 1 - head_sent;
}

static void create(fixture_t *f)
{
	assert_int_equal(xt_scoreboard_create(f->image, xt_image_peers(f->image, 0), &f->findings, on_delivery, f,
				 &f->scoreboard, NULL),
		XT_OK);
}

static void open_on(fixture_t *f, const char *profile)
{
	memset(f, 0, sizeof(*f));
	f->image = make_profile_image("torus:4x4", profile, 0);
	f->words = (xt_profile_find(profile)->cell_bits + 31) / 32;
	f->longest = xt_profile_find(profile)->packet_cells < 8 ? xt_profile_find(profile)->packet_cells : 8;
	f->cycle = 100;
	create(f);
}

static void close_it(fixture_t *f)
{
	xt_scoreboard_free(f->scoreboard);
	xt_findings_free(&f->findings);
	xt_image_free(f->image);
}

static carried_t send_in_tc(fixture_t *f, unsigned from, unsigned to, unsigned cells, unsigned tc)
{
	carried_t c = {.packet = {.generated = f->cycle,
			       .source = from,
			       .destination = to,
			       .cells = (uint16_t)cells,
			       .tc = (uint8_t)tc}};
	const uint32_t *words;

	c.packet.sequence = f->sequence[from]++;
	words = xt_scoreboard_send(f->scoreboard, &c.packet);
	assert_non_null(words);
	for (unsigned i = 0; i < cells; i++) {
		memcpy(c.cells[i], words + i * f->words, f->words * sizeof(*words));
		xt_scoreboard_sent(f->scoreboard, from, f->cycle++, i, 1);
	}
	return c;
}

static carried_t send(fixture_t *f, unsigned from, unsigned to, unsigned cells)
{
	return send_in_tc(f, from, to, cells, 0);
}

/* The head leaves the card by a link. */
static void hop(fixture_t *f, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	xt_scoreboard_hop(f->scoreboard, card, port, vc, cycle, cell);
	xt_scoreboard_settle(f->scoreboard);
}

static void deliver_marked(fixture_t *f, const carried_t *c, unsigned at, unsigned cells, int poisoned)
{
	for (unsigned i = 0; i < cells; i++) {
		xt_scoreboard_received(
			f->scoreboard, at, f->cycle++, c->cells[i], 1, i + 1 == cells, i + 1 == cells && poisoned);
	}
}

static void deliver_cells(fixture_t *f, const carried_t *c, unsigned at, unsigned cells)
{
	deliver_marked(f, c, at, cells, 0);
}

static void deliver(fixture_t *f, const carried_t *c, unsigned at)
{
	deliver_cells(f, c, at, c->packet.cells);
}

/* Exactly the findings named, each once; the report mentions `text`. */
static void expect(fixture_t *f, const xt_finding_t *kinds, unsigned count, const char *text)
{
	int told = count == 0;

	for (unsigned k = 0; k < XT_FINDINGS; k++) {
		uint64_t wanted = 0;

		for (unsigned i = 0; i < count; i++) {
			wanted += kinds[i] == k;
		}
		if (f->findings.counts[k] != wanted) {
			for (unsigned i = 0; i < f->findings.report_count; i++) {
				print_message("%s\n", f->findings.reports[i]);
			}
			fail_msg("%s: %u found, %u expected", xt_finding_name(k), (unsigned)f->findings.counts[k],
				(unsigned)wanted);
		}
	}
	for (unsigned i = 0; i < f->findings.report_count; i++) {
		told |= strstr(f->findings.reports[i], text) != NULL;
	}
	assert_true(told);
}

#define EXPECT(f, text, ...)                                              \
	do {                                                              \
		const xt_finding_t kinds[] = {__VA_ARGS__};               \
		expect(f, kinds, sizeof(kinds) / sizeof(kinds[0]), text); \
	} while (0)

static const char *const profile_names[] = {"extoll", "mini"};

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

static void told_at_once(void **state)
{
	(void)state;
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

static void all_well(void **state)
{
	fixture_t f;

	(void)state;
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

static void measures_cells(void **state)
{
	fixture_t f;
	carried_t c;

	(void)state;
	open_on(&f, "extoll");
	c = send(&f, 0, 1, 4);
	f.cycle += 10;
	deliver(&f, &c, 1);
	/* Sent in cycles 100 to 103, delivered in 114 to 117. */
	assert_int_equal(f.latency, 17);
	close_it(&f);
}

static void lost(void **state)
{
	fixture_t f;

	(void)state;
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

static void duplicated(void **state)
{
	fixture_t f;
	carried_t c, other;

	(void)state;
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

static void misrouted(void **state)
{
	fixture_t f;
	carried_t c;

	(void)state;
	for (unsigned p = 0; p < 2; p++) {
		open_on(&f, profile_names[p]);
		c = send(&f, 5, 9, 2);
		deliver(&f, &c, 10);
		xt_scoreboard_close(f.scoreboard);
		EXPECT(&f, "packet 5.0 (PE 5 to PE 9, TC 0, 2 cells) came out at PE 10", XT_FINDING_MISROUTED);
		close_it(&f);
	}
}

static void reordered(void **state)
{
	fixture_t f;
	carried_t a, b, c;

	(void)state;
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
static void every_bit(void **state)
{
	const unsigned bits = 128;
	fixture_t f;

	(void)state;
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

static void payload_bits_of_mini(void **state)
{
	fixture_t f;

	(void)state;
	open_on(&f, "mini");
	for (unsigned bit = 0; bit < 32; bit++) {
		carried_t a = send(&f, 5, 9, 2);

		a.cells[1][0] ^= UINT32_C(1) << bit;
		deliver(&f, &a, 9);
	}
	assert_int_equal(f.findings.counts[XT_FINDING_CORRUPTED], 32);
	close_it(&f);
}

static void wrong_length(void **state)
{
	fixture_t f;
	carried_t c;

	(void)state;
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
static void garbage(void **state)
{
	fixture_t f;

	(void)state;
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

static void where_is(void *context, const xt_flight_t *flight)
{
	*(xt_flight_t *)context = *flight;
}

static void follows_the_head(void **state)
{
	xt_flight_t flight = {0};
	fixture_t f;
	carried_t c;

	(void)state;
	open_on(&f, "extoll");
	c = send(&f, 5, 4, 4);
	xt_scoreboard_each(f.scoreboard, where_is, &flight);
	assert_int_equal(flight.card, 5);
	assert_int_equal(flight.port, 6);
	assert_int_equal(flight.vc, XT_NO_VC);
	assert_int_equal(flight.sent, 4);
	hop(&f, 5, 0, 1, 120, c.cells[0]);
	xt_scoreboard_each(f.scoreboard, where_is, &flight);
	assert_int_equal(flight.card, 4);
	assert_int_equal(flight.port, 1);
	assert_int_equal(flight.vc, 1);
	assert_int_equal(flight.since, 120);
	for (unsigned i = 0; i < 20; i++) {
		hop(&f, 5, 0, 1, 121 + i, c.cells[0]);
	}
	EXPECT(&f, "made 17 hops in a network of 16 cards", XT_FINDING_LIVELOCK);
	close_it(&f);
}

/* A head that leaves as the image says is no finding; by another port or VC it is one. */
static void off_route(void **state)
{
	fixture_t f;
	carried_t c;

	(void)state;
	open_on(&f, "extoll");
	c = send(&f, 0, 1, 1); /* TC 0; dimension 0, one step up */
	hop(&f, 0, 1, 0, 100, c.cells[0]);
	expect(&f, NULL, 0, "");
	hop(&f, 0, 0, 0, 101, c.cells[0]);
	EXPECT(&f, "left card 0 by port d0- VC 0 at cycle 101; for address 1 in TC", XT_FINDING_OFF_ROUTE);
	close_it(&f);
}

/* At the card to which the packet went as it should. */
static void off_route_later(void **state)
{
	fixture_t f;
	carried_t c;

	(void)state;
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
static void off_damaged_route(void **state)
{
	fixture_t f;
	carried_t c;

	(void)state;
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
static void hops_together(void **state)
{
	enum { HOPS = 150 };
	fixture_t f;

	(void)state;
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

/* The link between card 0 port d0+ and card 1 port d0- of torus:4x4 was killed. */
static int first_link(void *context, unsigned card, unsigned port)
{
	(void)context;
	return (card == 0 && port == 1) || (card == 1 && port == 0);
}

/* What comes out incomplete must be marked, and a link must have died. */
static void poisoned(void **state)
{
	fixture_t f;
	carried_t c;

	(void)state;
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
static void dropped(void **state)
{
	fixture_t f;
	carried_t c;

	(void)state;
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

static void adaptive_routes(void **state)
{
	const unsigned adaptive = 2;
	fixture_t f;

	(void)state;
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
static void escaped_for_good(void **state)
{
	const unsigned adaptive = 2;
	fixture_t f;
	carried_t c;

	(void)state;
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

/* Only the TC with candidates may deliver out of order. */
static void adaptive_order(void **state)
{
	fixture_t f;
	carried_t a, b;

	(void)state;
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
		cmocka_unit_test(all_well),
		cmocka_unit_test(off_route),
		cmocka_unit_test(off_route_later),
		cmocka_unit_test(off_damaged_route),
		cmocka_unit_test(hops_together),
		cmocka_unit_test(measures_cells),
		cmocka_unit_test(lost),
		cmocka_unit_test(duplicated),
		cmocka_unit_test(misrouted),
		cmocka_unit_test(reordered),
		cmocka_unit_test(every_bit),
		cmocka_unit_test(payload_bits_of_mini),
		cmocka_unit_test(wrong_length),
		cmocka_unit_test(garbage),
		cmocka_unit_test(follows_the_head),
		cmocka_unit_test(poisoned),
		cmocka_unit_test(dropped),
		cmocka_unit_test(told_at_once),
		cmocka_unit_test(adaptive_routes),
		cmocka_unit_test(escaped_for_good),
		cmocka_unit_test(adaptive_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
