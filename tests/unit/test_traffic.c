/* SPDX-License-Identifier: Apache-2.0
 *
 * Traffic descriptions and the packets that come from them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "traffic/packet_generator.h"
#include "traffic/zipf_ranks.h"

TEST(parses_packet_lengths)
{
	xt_lengths_t lengths;

	assert_int_equal(xt_lengths_parse("8", &lengths, NULL), XT_OK);
	assert_int_equal(lengths.min, 8);
	assert_int_equal(lengths.max, 8);
	assert_int_equal(xt_lengths_parse("1-32", &lengths, NULL), XT_OK);
	assert_int_equal(lengths.min, 1);
	assert_int_equal(lengths.max, 32);
}

TEST(refuses_packet_lengths)
{
	static const char *const wrong[] = {
		"", "0", "-", "-3", "3-", "5-2", "1-32x", "1 - 2", "a", "99999999999999999999", "+3", "1--2"};
	xt_lengths_t lengths;
	xt_diag_t diag;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(xt_lengths_parse(wrong[i], &lengths, &diag), XT_ERR_INVALID);
		assert_says(&diag, "packet length");
	}
}

TEST(checks_descriptions)
{
	const xt_profile_t *profile = xt_profile_find("extoll");
	const xt_traffic_t good = xt_traffic_default(profile);
	xt_traffic_t bad;
	xt_diag_t diag;

	assert_int_equal(xt_traffic_check(&good, profile, 2, &diag), XT_OK);
	assert_int_equal(xt_traffic_check(&good, profile, 1, &diag), XT_ERR_INVALID);
	bad = good;
	bad.pattern = "circular";
	assert_int_equal(xt_traffic_check(&bad, profile, 2, &diag), XT_ERR_RANGE);
	assert_says(&diag, "circular");
	bad = good;
	bad.zipf_exponent = -1.0;
	assert_int_equal(xt_traffic_check(&bad, profile, 2, &diag), XT_ERR_RANGE);
	assert_says(&diag, "exponent");
	bad = good;
	bad.load = 1.01;
	assert_int_equal(xt_traffic_check(&bad, profile, 2, &diag), XT_ERR_RANGE);
	bad.load = strtod("nan", NULL);
	assert_int_equal(xt_traffic_check(&bad, profile, 2, &diag), XT_ERR_RANGE);
	bad = good;
	bad.length.max = profile->packet_cells + 1;
	assert_int_equal(xt_traffic_check(&bad, profile, 2, &diag), XT_ERR_RANGE);
	bad = good;
	bad.measure = 0;
	assert_int_equal(xt_traffic_check(&bad, profile, 2, &diag), XT_ERR_RANGE);
}

/* Takes everything up to cycle `end` and compares with what xt_source_offered foretold. */
TEST(generates_what_it_offers)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	xt_traffic_t traffic = xt_traffic_default(xt_image_profile(image));
	const uint64_t end = 20000;
	uint64_t packets = 0, cells = 0, offered_packets, offered_cells;
	uint32_t sequence[16] = {0};
	uint64_t from[16] = {0}, to[16] = {0};
	xt_source_t *source;
	double load;

	traffic.load = 0.4;
	assert_int_equal(xt_source_create(&traffic, image, &source, NULL), XT_OK);
	xt_source_offered(source, 1000, end, &offered_packets, &offered_cells);
	for (unsigned pe = 0; pe < 16; pe++) {
		uint64_t last = 0;

		while (xt_source_ready_at(source)[pe] < end) {
			xt_packet_t packet;

			xt_source_take(source, pe, &packet);
			assert_int_equal(packet.source, pe);
			assert_int_equal(packet.sequence, sequence[pe]++);
			assert_true(packet.destination < 16 && packet.destination != pe);
			assert_in_range(packet.cells, 1, 32);
			assert_true(xt_image_pe_tc_mask(image, pe) >> packet.tc & 1);
			assert_true(packet.sequence == 0 || packet.generated > last);
			last = packet.generated;
			from[pe]++;
			to[packet.destination]++;
			if (packet.generated >= 1000) {
				packets++;
				cells += packet.cells;
			}
		}
	}
	assert_int_equal(packets, offered_packets);
	assert_int_equal(cells, offered_cells);
	load = (double)cells / (16.0 * (double)(end - 1000));
	assert_true(load > 0.38 && load < 0.42);
	for (unsigned pe = 0; pe < 16; pe++) {
		/* 485 expected of each; five standard deviations. */
		assert_in_range(from[pe], 375, 595);
		assert_in_range(to[pe], 375, 595);
	}
	xt_source_stop(source);
	for (unsigned pe = 0; pe < 16; pe++) {
		assert_true(xt_source_ready_at(source)[pe] == UINT64_MAX);
	}
	xt_source_free(source);
	xt_image_free(image);
}

/* A PE's packets are the same whatever the others do. */
TEST(streams_are_independent)
{
	xt_image_t *image = make_image("twin:2x2", 0);
	xt_traffic_t traffic = xt_traffic_default(xt_image_profile(image));
	xt_source_t *a, *b;
	unsigned same = 0;

	assert_int_equal(xt_source_create(&traffic, image, &a, NULL), XT_OK);
	assert_int_equal(xt_source_create(&traffic, image, &b, NULL), XT_OK);
	for (unsigned i = 0; i < 100; i++) {
		xt_packet_t x, y, other;

		xt_source_take(a, 3, &x);
		xt_source_take(b, 5, &other);
		xt_source_take(b, 3, &y);
		assert_memory_equal(&x.generated, &y.generated, sizeof(x.generated));
		assert_int_equal(x.destination, y.destination);
		assert_int_equal(x.cells, y.cells);
		assert_int_equal(x.tc, y.tc);
		same += x.generated == other.generated;
		/* TS-DOR: the PEs of card 1 have TCs 1 and 3. */
		assert_int_equal(x.tc % 2, 1);
	}
	assert_true(same < 10);
	xt_source_free(a);
	xt_source_free(b);
	xt_image_free(image);
}

TEST(extreme_loads)
{
	xt_image_t *image = make_image("torus:2x2", 0);
	xt_traffic_t traffic = xt_traffic_default(xt_image_profile(image));
	xt_source_t *source;
	xt_packet_t packet;

	traffic.load = 0.0;
	assert_int_equal(xt_source_create(&traffic, image, &source, NULL), XT_OK);
	assert_true(xt_source_ready_at(source)[0] == UINT64_MAX);
	xt_source_free(source);

	/* One-cell packets at full load: one in every cycle. */
	traffic.load = 1.0;
	traffic.length.min = traffic.length.max = 1;
	assert_int_equal(xt_source_create(&traffic, image, &source, NULL), XT_OK);
	for (unsigned i = 0; i < 1000; i++) {
		xt_source_take(source, 1, &packet);
		assert_int_equal(packet.generated, i);
		assert_int_equal(packet.cells, 1);
	}
	xt_source_free(source);
	xt_image_free(image);
}

TEST(lists_patterns)
{
	const char *summary = NULL;

	assert_string_equal(xt_pattern_list(0, &summary), "uniform");
	assert_non_null(summary);
	assert_null(xt_pattern_list(1000, NULL));
}

static xt_source_t *make_zipf(const xt_image_t *image, const char *pattern, double exponent, uint64_t seed)
{
	xt_traffic_t traffic = xt_traffic_default(xt_image_profile(image));
	xt_source_t *source;

	traffic.pattern = pattern;
	traffic.zipf_exponent = exponent;
	traffic.seed = seed;
	assert_int_equal(xt_source_create(&traffic, image, &source, NULL), XT_OK);
	return source;
}

/* The frequencies of what one PE sends are those of the law, without its own rank. */
TEST(zipf_follows_its_law)
{
	enum { DRAWS = 200000 };
	xt_image_t *image = make_image("torus:4x4", 0);

	for (unsigned s = 0; s <= 2; s++) {
		xt_source_t *source = make_zipf(image, "zipf-common", s, 7);
		unsigned to[16] = {0}, rank[16], fits = 0;

		for (unsigned i = 0; i < DRAWS; i++) {
			xt_packet_t packet;

			xt_source_take(source, 0, &packet);
			assert_in_range(packet.destination, 1, 15);
			to[packet.destination]++;
		}
		for (unsigned pe = 1; pe < 16; pe++) {
			rank[pe] = 1;
			for (unsigned other = 1; other < 16; other++) {
				rank[pe] += to[other] > to[pe];
			}
		}
		/* With PE 0's own rank, whichever that is, left out, the law must give all counts. */
		for (unsigned own = 1; own <= 16; own++) {
			unsigned good = 1;
			double sum = 0.0;

			for (unsigned r = 1; r <= 16; r++) {
				sum += r == own ? 0.0 : pow(r, -(double)s);
			}
			for (unsigned pe = 1; pe < 16; pe++) {
				unsigned r = rank[pe] + (rank[pe] >= own);
				double expected = DRAWS * pow(r, -(double)s) / sum;

				good = good && fabs(to[pe] - expected) < 5.0 * sqrt(expected) + 0.01 * expected;
			}
			fits += good;
		}
		assert_true(s == 0 ? fits == 16 : fits >= 1);
		xt_source_free(source);
	}
	xt_image_free(image);
}

TEST(keeps_to_chosen_traffic_classes)
{
	xt_image_t *image = make_image("twin:2x2", 0);
	xt_traffic_t traffic = xt_traffic_default(xt_image_profile(image));
	xt_source_t *source;
	xt_diag_t diag;

	traffic.tc_mask = 3;
	assert_int_equal(xt_source_create(&traffic, image, &source, &diag), XT_OK);
	for (unsigned i = 0; i < 200; i++) {
		xt_packet_t packet;

		xt_source_take(source, i % 8, &packet);
		assert_int_equal(packet.tc, i % 2);
	}
	xt_source_free(source);
	/* The PEs of card 1 have TCs 1 and 3. */
	traffic.tc_mask = 5;
	assert_int_equal(xt_source_create(&traffic, image, &source, &diag), XT_ERR_INVALID);
	assert_says(&diag, "PE 1 no traffic class of those chosen");
	xt_image_free(image);
}

/* FNV-1a over the packets of every PE. */
static uint64_t hash_of(xt_source_t *source, unsigned pes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (unsigned pe = 0; pe < pes; pe++) {
		for (unsigned i = 0; i < 1000; i++) {
			xt_packet_t packet;

			xt_source_take(source, pe, &packet);
			for (unsigned b = 0; b < 32; b += 8) {
				hash = (hash ^ (packet.destination >> b & 0xff)) * UINT64_C(0x100000001b3);
			}
			hash = (hash ^ packet.cells) * UINT64_C(0x100000001b3);
		}
	}
	xt_source_free(source);
	return hash;
}

/* The same seed gives the same packets, on any machine and for ever. */
TEST(zipf_is_reproducible)
{
	xt_image_t *image = make_image("torus:4x4", 0);
	uint64_t one = hash_of(make_zipf(image, "zipf", 1.0, 1), 16);

	assert_true(one == hash_of(make_zipf(image, "zipf", 1.0, 1), 16));
	assert_true(one != hash_of(make_zipf(image, "zipf", 1.0, 2), 16));
	assert_true(one != hash_of(make_zipf(image, "zipf", 1.5, 1), 16));
	assert_true(one != hash_of(make_zipf(image, "zipf-common", 1.0, 1), 16));
	xt_image_free(image);
}

/* Each source has every rank once, and the sources differ in whom they have first; drawn is what is foretold. */
TEST(zipf_ranks_for_each_source)
{
	static const unsigned sizes[] = {2, 3, 5, 16, 17, 64, 100};

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned pes = sizes[i], first[128] = {0}, different = 0;
		xt_zipf_t *zipf = xt_zipf_create(pes, 2.0, 5, 1);
		xt_random_t random;

		assert_non_null(zipf);
		xt_random_seed(&random, 1, 1);
		for (unsigned pe = 0; pe < pes; pe++) {
			unsigned seen[128] = {0};
			double sum = 0.0, most = 0.0;

			for (unsigned dest = 0; dest < pes; dest++) {
				double chance = dest == pe ? 0.0 : xt_zipf_chance(zipf, pe, dest);

				sum += chance;
				first[pe] = chance > most ? dest : first[pe];
				most = fmax(most, chance);
				for (unsigned other = 0; other < dest; other++) {
					assert_true(
						other == pe || dest == pe || chance != xt_zipf_chance(zipf, pe, other));
				}
			}
			assert_true(fabs(sum - 1.0) < 1e-9);
			for (unsigned n = 0; n < 400; n++) {
				seen[xt_zipf_draw(zipf, &random, pe)]++;
			}
			assert_int_equal(seen[pe], 0);
			assert_true(fabs(seen[first[pe]] - 400.0 * most) < 5.0 * 10.0 + 1.0);
		}
		for (unsigned pe = 1; pe < pes; pe++) {
			different += first[pe] != first[0];
		}
		assert_true(pes < 5 || different > pes / 2);
		xt_zipf_free(zipf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_packet_lengths),
		cmocka_unit_test(refuses_packet_lengths),
		cmocka_unit_test(checks_descriptions),
		cmocka_unit_test(generates_what_it_offers),
		cmocka_unit_test(streams_are_independent),
		cmocka_unit_test(extreme_loads),
		cmocka_unit_test(lists_patterns),
		cmocka_unit_test(keeps_to_chosen_traffic_classes),
		cmocka_unit_test(zipf_follows_its_law),
		cmocka_unit_test(zipf_is_reproducible),
		cmocka_unit_test(zipf_ranks_for_each_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
