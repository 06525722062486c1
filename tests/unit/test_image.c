/* SPDX-License-Identifier: Apache-2.0
 *
 * Lookup as the hardware does it, the file format, and files that are damaged in every way. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "support.h"

TEST(test_entry_fields)
{
	xt_route_t route = {.valid = 1, .port = 13, .vc = 2, .adaptive_mask = 0x2a};
	uint64_t entry = xt_entry_with_route(~0ull, 2, route);

	assert_true(entry == (0xffff0000ffffffffull | 0x8aadull << 32));
	assert_int_equal(xt_entry_route(entry, 2).port, 13);
	assert_int_equal(xt_entry_route(entry, 2).vc, 2);
	assert_int_equal(xt_entry_route(entry, 2).adaptive_mask, 0x2a);
	assert_int_equal(xt_entry_route(entry, 2).valid, 1);
	assert_int_equal(xt_entry_route(xt_entry_with_route(entry, 2, (xt_route_t){0}), 2).valid, 0);
}

/* VCs above 3 have their third bit apart; a card of a profile without such does not look at it. */
TEST(test_entry_of_a_high_vc)
{
	static const struct {
		const char *profile;
		unsigned vc;
	} cases[] = {{"dort8", 5}, {"dort7", 5}, {"dort", 1}, {"extoll", 1}};

	assert_true(xt_entry_with_route(0, 1, (xt_route_t){.vc = 5}) == 0x10100000u);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_topology_t *topology = make_topology("twin:2", cases[i].profile);
		xt_image_t *image;
		xt_diag_t diag = {""};

		assert_int_equal(xt_image_create(topology, "test", &image, &diag), XT_OK);
		xt_image_lrt_mutable(image, 0)[1] =
			xt_entry_with_route(0, 1, (xt_route_t){.valid = 1, .port = 1, .vc = 5});
		assert_int_equal(xt_image_lookup(image, 0, 1, 1).vc, cases[i].vc);
		xt_image_free(image);
		xt_topology_free(topology);
	}
}

/* Which table decides, for all combinations of order, own address and match mask. */
TEST(test_lookup_chooses_the_table)
{
	xt_topology_t *topology = make_topology("torus:2x2", "extoll");
	xt_image_t *image;
	const uint32_t own = 0; /* card 0 */
	static const struct {
		unsigned local_first;
		uint32_t mask, address;
		int global;
	} cases[] = {
		{0, 0xffff, 0x0000, 0}, /* own */
		{0, 0xffff, 0x0003, 0}, /* only the local part differs */
		{0, 0xffff, 0x0400, 1},
		{0, 0xffff, 0x0403, 1},
		{1, 0xffff, 0x0000, 0},
		{1, 0xffff, 0x0003, 0},
		{1, 0xffff, 0x0400, 1},
		{1, 0xffff, 0x0403, 0}, /* local first */
		{1, 0xfffe, 0x0401, 1}, /* the side is left out */
		{1, 0xfffe, 0x0402, 0},
		{1, 0xfffe, 0x0001, 0},
		{0, 0x03ff, 0x0403, 0}, /* global part left out */
		{1, 0x0000, 0x0403, 0},
	};

	assert_int_equal(xt_image_create(topology, "test", &image, NULL), XT_OK);
	assert_int_equal(xt_image_card_address(image, 0), own);
	for (unsigned i = 0; i < 64; i++) {
		xt_image_grt_mutable(image, 0)[i] = xt_entry_with_route(0, 1, (xt_route_t){.valid = 1, .port = 1});
	}
	for (unsigned i = 0; i < 1024; i++) {
		xt_image_lrt_mutable(image, 0)[i] = xt_entry_with_route(0, 1, (xt_route_t){.valid = 1, .port = 0});
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		xt_image_set_route_order(image, 0, cases[i].local_first << 1);
		xt_image_set_match_mask(image, 0, 1, cases[i].mask);
		assert_int_equal(xt_image_lookup(image, 0, 1, cases[i].address).port, cases[i].global);
	}
	xt_image_lrt_mutable(image, 0)[0] = xt_entry_with_route(0, 1, (xt_route_t){.valid = 1, .port = 7});
	assert_int_equal(xt_image_lookup(image, 0, 1, 0).valid, 0);
	assert_int_equal(xt_image_lookup(image, 0, 0, 0).valid, 0);
	xt_image_free(image);
	xt_topology_free(topology);
}

static void assert_same(const xt_image_t *a, const xt_image_t *b)
{
	assert_ptr_equal(xt_image_profile(a), xt_image_profile(b));
	assert_string_equal(xt_image_topology(a), xt_image_topology(b));
	assert_string_equal(xt_image_algorithm(a), xt_image_algorithm(b));
	assert_int_equal(xt_image_cards(a), xt_image_cards(b));
	assert_int_equal(xt_image_pes(a), xt_image_pes(b));
	for (unsigned pe = 0; pe < xt_image_pes(a); pe++) {
		assert_int_equal(xt_image_pe_address(a, pe), xt_image_pe_address(b, pe));
		assert_int_equal(xt_image_pe_tc_mask(a, pe), xt_image_pe_tc_mask(b, pe));
		assert_int_equal(xt_image_address_pe(b, xt_image_pe_address(a, pe)), pe);
	}
	for (unsigned card = 0; card < xt_image_cards(a); card++) {
		assert_int_equal(xt_image_route_order(a, card), xt_image_route_order(b, card));
		assert_memory_equal(xt_image_grt(a, card), xt_image_grt(b, card), 64 * 8);
		assert_memory_equal(xt_image_lrt(a, card), xt_image_lrt(b, card), 1024 * 8);
		for (unsigned tc = 0; tc < 4; tc++) {
			assert_int_equal(xt_image_match_mask(a, card, tc), xt_image_match_mask(b, card, tc));
		}
		for (unsigned port = 0; port < 7; port++) {
			assert_int_equal(xt_image_peer(a, card, port).card, xt_image_peer(b, card, port).card);
			assert_int_equal(xt_image_peer(a, card, port).port, xt_image_peer(b, card, port).port);
			assert_string_equal(xt_image_port_name(a, card, port), xt_image_port_name(b, card, port));
		}
		assert_int_equal(xt_image_adaptive_ports(a, card), xt_image_adaptive_ports(b, card));
		for (unsigned port = 0; port < 6; port++) {
			assert_int_equal(xt_image_ring(a, card, port), xt_image_ring(b, card, port));
		}
	}
}

TEST(test_round_trip)
{
	static const char *const specs[] = {"torus:1", "torus:33x32", "twin:3x2x4", "twin:8x8x9"};

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		xt_image_t *image = make_image(specs[i], 0), *again;
		uint8_t *bytes;
		size_t size;

		assert_int_equal(xt_image_encode(image, &bytes, &size, NULL), XT_OK);
		assert_int_equal(xt_image_decode(bytes, size, "test", &again, NULL), XT_OK);
		assert_same(image, again);
		free(bytes);
		xt_image_free(image);
		xt_image_free(again);
	}
}

/* Cards with the same table share it until one of them is changed. */
TEST(test_shared_tables)
{
	xt_topology_t *topology = make_topology("torus:3x2", "extoll");
	xt_image_t *image, *again;
	uint8_t *bytes;
	size_t size;

	assert_int_equal(xt_image_create(topology, "test", &image, NULL), XT_OK);
	for (unsigned card = 0; card < 6; card++) {
		xt_image_lrt_mutable(image, card)[7] =
			xt_entry_with_route(0, 1, (xt_route_t){.valid = 1, .port = card % 2});
	}
	assert_int_equal(xt_image_encode(image, &bytes, &size, NULL), XT_OK);
	assert_int_equal(xt_image_decode(bytes, size, "test", &again, NULL), XT_OK);
	assert_same(image, again);
	for (unsigned card = 0; card < 6; card++) {
		assert_ptr_equal(xt_image_grt(again, card), xt_image_grt(again, 0));
		assert_ptr_equal(xt_image_lrt(again, card), xt_image_lrt(again, card % 2));
	}
	/* Card 1 has the place that cards 3 and 5 share. */
	for (unsigned card = 0; card < 2; card++) {
		xt_image_lrt_mutable(again, 5 - 4 * card)[9] = xt_image_lrt_mutable(image, 5 - 4 * card)[9] = 13 + card;
		xt_image_grt_mutable(again, 2 * card)[3] = xt_image_grt_mutable(image, 2 * card)[3] = 17 + card;
		assert_same(image, again);
	}
	free(bytes);
	xt_image_free(again);
	xt_image_free(image);
	xt_topology_free(topology);
}

TEST(test_files)
{
	char folder[] = "/tmp/extorus-image-XXXXXX", path[128], elsewhere[128];
	xt_image_t *image = make_image("twin:2x2x2", 0), *again;
	xt_diag_t diag = {""};

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/image", folder);
	snprintf(elsewhere, sizeof(elsewhere), "%s/none/image", folder);
	assert_int_equal(xt_image_write(image, path, &diag), XT_OK);
	assert_int_equal(xt_image_write(image, path, &diag), XT_OK);
	assert_int_equal(xt_image_read(path, &again, &diag), XT_OK);
	assert_same(image, again);
	xt_image_free(again);
	assert_int_equal(xt_image_write(image, elsewhere, &diag), XT_ERR_IO);
	assert_says(&diag, "none/image: cannot write here");
	assert_int_equal(xt_image_write(image, folder, &diag), XT_ERR_IO);
	assert_says(&diag, "is a folder");
	assert_int_equal(xt_image_read(elsewhere, &again, &diag), XT_ERR_IO);
	assert_int_equal(xt_image_read(folder, &again, &diag), XT_ERR_IO);
	assert_says(&diag, "is a folder");
	assert_null(again);
	assert_int_equal(unlink(path), 0);
	/* Nothing but the image was left there. */
	assert_int_equal(rmdir(folder), 0);
	xt_image_free(image);
}

static void set_crc(uint8_t *bytes, size_t size)
{
	uint32_t crc = (uint32_t)crc32_z(0, bytes, size - 4);

	for (unsigned i = 0; i < 4; i++) {
		bytes[size - 4 + i] = (uint8_t)(crc >> (8 * i));
	}
}

/* Offsets of "twin:2x2x2" with profile extoll. */
enum {
	AT_VERSION = 8,
	AT_PROFILE = 12,
	AT_HASH = AT_PROFILE + 7,
	AT_SPEC = AT_HASH + 4,
	AT_CARDS = AT_SPEC + 11 + 21,
	AT_PES = AT_CARDS + 4,
	AT_ADDRESS = AT_PES + 4,
	AT_CARD = AT_ADDRESS + 16 * 5,
	AT_ADAPTIVE = AT_CARD + 5 * 4,
	AT_PEER = AT_ADAPTIVE + 2,
	AT_NAME = AT_PEER + 6 * 7,
	AT_GRT = AT_NAME + 4 + 4 + 4 + 4 + 3 + 3 + 4,
};

TEST(test_each_malformation_is_named)
{
	static const struct {
		size_t at;
		uint8_t value;
		const char *says;
	} cases[] = {
		{0, 'Y', "not a routing image"},
		{AT_VERSION, 9, "format version 9"},
		{AT_VERSION, 1, "format version 1, this build reads 2; make the image again"},
		{AT_PROFILE, 0, "name of a profile"},
		{AT_PROFILE, 200, "name of a profile"},
		{AT_PROFILE + 1, 'X', "does not have"},
		{AT_HASH, 0, "made for profile extoll with hash"},
		{AT_SPEC, 0, "name of a topology"},
		{AT_SPEC, 255, "name of a topology"},
		{AT_SPEC + 1, '"', "name of a topology"},
		{AT_SPEC + 12, '\n', "name of an algorithm"},
		{AT_CARDS, 0, "number of cards"},
		{AT_CARDS + 3, 1, "number of cards"},
		{AT_CARDS + 1, 0x10, "number of PEs"},
		{AT_PES, 17, "number of PEs"},
		{AT_PES, 0, "number of PEs"},
		{AT_ADDRESS + 2, 1, "more bits than"},
		{AT_ADDRESS, 1, "same address"},
		{AT_ADDRESS + 3, 0x80, "TC that the profile or the PE does not have"},
		{AT_ADDRESS + 4, 16, "TC that the profile"},
		{AT_ADAPTIVE, 0x40, "internal or middle port"},
		{AT_ADAPTIVE + 1, 0x80, "internal or middle port"},
		{AT_PEER + 5, 0x16, "a ring that continues"},
		{AT_PEER + 6, 0x10, "a ring that continues"},
		{AT_PEER + 1, 1, "card or port that does not exist"},
		{AT_PEER + 4, 6, "card or port that does not exist"},
		{AT_PEER + 4, 0, "does not lead back"},
		{AT_NAME, 16, "name of a port"},
		{AT_NAME + 1, ',', "name of a port"},
		{AT_GRT + 1, 1, "more table entries"},
		{AT_GRT, 1, "byte "},
	};
	xt_image_t *image = make_image("twin:2x2x2", 0), *again;
	uint8_t *bytes;
	size_t size;

	assert_int_equal(xt_image_encode(image, &bytes, &size, NULL), XT_OK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t kept = bytes[cases[i].at];
		xt_diag_t diag = {""};

		bytes[cases[i].at] = cases[i].value;
		set_crc(bytes, size);
		if (xt_image_decode(bytes, size, "FILE", &again, &diag) != XT_ERR_FORMAT) {
			fail_msg("case %zu was not refused", i);
		}
		assert_null(again);
		assert_says(&diag, "FILE: ");
		assert_says(&diag, cases[i].says);
		bytes[cases[i].at] = kept;
	}
	set_crc(bytes, size);
	assert_int_equal(xt_image_decode(bytes, size, "FILE", &again, NULL), XT_OK);
	xt_image_free(again);
	free(bytes);
	xt_image_free(image);
}

TEST(test_every_cut_and_every_bit_flip_is_found)
{
	xt_image_t *image = make_image("twin:1x2", 0), *again;
	uint8_t *bytes, *copy;
	size_t size;

	assert_int_equal(xt_image_encode(image, &bytes, &size, NULL), XT_OK);
	for (size_t cut = 0; cut < size; cut++) {
		/* A buffer of its own, so that a sanitizer sees reads behind it. */
		copy = malloc(cut ? cut : 1);
		assert_non_null(copy);
		memcpy(copy, bytes, cut);
		assert_int_equal(xt_image_decode(copy, cut, "cut", &again, NULL), XT_ERR_FORMAT);
		if (cut >= 12) {
			set_crc(copy, cut);
			assert_int_equal(xt_image_decode(copy, cut, "cut", &again, NULL), XT_ERR_FORMAT);
		}
		free(copy);
		bytes[cut] ^= (uint8_t)(1u << cut % 8);
		assert_int_equal(xt_image_decode(bytes, size, "flip", &again, NULL), XT_ERR_FORMAT);
		bytes[cut] ^= (uint8_t)(1u << cut % 8);
	}
	free(bytes);
	xt_image_free(image);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Random damage under a right CRC: refused, or an image that can be used without harm. */
TEST(test_random_damage_does_no_harm)
{
	xt_image_t *image = make_image("twin:3x2", 0), *again;
	uint32_t seed = 0x2545f491;
	uint8_t *bytes, *copy;
	unsigned accepted = 0;
	size_t size;

	assert_int_equal(xt_image_encode(image, &bytes, &size, NULL), XT_OK);
	copy = malloc(size);
	assert_non_null(copy);
	for (unsigned round = 0; round < 3000; round++) {
		size_t length = round % 3 ? size : 12 + next_random(&seed) % (size - 12);
		xt_diag_t diag = {""};

		memcpy(copy, bytes, size);
		for (unsigned n = next_random(&seed) % 4 + 1; n > 0; n--) {
			static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff};
			uint32_t r = next_random(&seed);

			/* Half of the damage in the fixed part, where the counts are. */
			copy[(r & 1 ? next_random(&seed) % 120 : next_random(&seed)) % length] =
				r & 2 ? (uint8_t)(r >> 8) : edges[(r >> 8) % 5];
		}
		set_crc(copy, length);
		if (xt_image_decode(copy, length, "fuzz", &again, &diag) != XT_OK) {
			assert_null(again);
			assert_true(strlen(diag.text) > 10);
			continue;
		}
		accepted++;
		for (unsigned card = 0; card < xt_image_cards(again); card++) {
			for (unsigned pe = 0; pe < xt_image_pes(again); pe++) {
				xt_image_lookup(again, card, card % 4, xt_image_pe_address(again, pe));
			}
		}
		xt_image_free(again);
	}
	assert_true(accepted > 10);
	free(copy);
	free(bytes);
	xt_image_free(image);
}

TEST(test_csv)
{
	xt_image_t *image = make_image("twin:2", 0); /* PE0: TC 0 and 2, PE1: TC 1 and 3 */
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(xt_image_write_csv(image, out, NULL), XT_OK);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(
		strncmp(text, "card,tc,dest,port,vc\n0,0,0,nic,0\n0,0,1,int,0\n0,0,2,d0-,0\n0,0,3,d0-,0\n0,1,0,", 72),
		0);
	assert_non_null(strstr(text, "\n1,1,3,d0+,0\n"));
	assert_non_null(strstr(text, "\n3,1,1,d0+,1\n"));
	free(text);
	xt_image_free(image);
}

TEST(test_csv_of_candidates)
{
	xt_image_t *image = make_routed_image("twin:2x2x2", "extoll", XT_ALGORITHM_TS_DOR, 1);
	xt_image_t *plain = make_image("twin:2x2x2", 0);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_true(xt_image_is_adaptive(image));
	assert_false(xt_image_is_adaptive(plain));
	assert_non_null(out);
	assert_int_equal(xt_image_write_csv(image, out, NULL), XT_OK);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strncmp(text, "card,tc,dest,port,vc,adaptive\n0,0,0,nic,0,\n0,0,1,int,0,int\n", 58), 0);
	/* Nodes (0,0,0) to (1,1,0): a tie both ways in dimension 0, d1- is the port of the middle one here. */
	assert_non_null(strstr(text, "\n0,0,6,d0+,0,d0- d0+ d1-\n"));
	/* The same packet one hop on by d1-: its first dimension is on the other card. */
	assert_non_null(strstr(text, "\n5,0,6,int,0,int\n"));
	/* TC 2 has no adaptive VC. */
	assert_non_null(strstr(text, "\n0,2,6,d0+,0,\n"));
	free(text);
	xt_image_free(image);
	xt_image_free(plain);
}

/* Addresses are the caller's: two bits are the GRT's of mini, six the LRT's. */
TEST(test_addresses_given)
{
	static const struct {
		uint32_t address[3];
		const char *says;
	} cases[] = {{{0, 1, 256}, "address 256 of PE 2 has more bits than the profile's ids"},
		{{0, 64, 64}, "address 64 of PE 2 is that of another PE"}};
	static const uint32_t good[] = {255, 64, 0};
	xt_topology_t *topology = make_topology("torus:3", "mini");
	xt_diag_t diag = {""};
	xt_image_t *image;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		image = (xt_image_t *)&cases;
		assert_int_equal(xt_image_create_at(topology, "own", cases[i].address, &image, &diag), XT_ERR_RANGE);
		assert_null(image);
		assert_says(&diag, cases[i].says);
	}
	assert_int_equal(xt_image_create_at(topology, "own", good, &image, &diag), XT_OK);
	assert_int_equal(xt_image_address_pe(image, 255), 0);
	assert_int_equal(xt_image_address_pe(image, 0), 2);
	xt_image_free(image);
	xt_topology_free(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entry_fields),
		cmocka_unit_test(test_entry_of_a_high_vc),
		cmocka_unit_test(test_lookup_chooses_the_table),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_shared_tables),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_each_malformation_is_named),
		cmocka_unit_test(test_every_cut_and_every_bit_flip_is_found),
		cmocka_unit_test(test_random_damage_does_no_harm),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_csv_of_candidates),
		cmocka_unit_test(test_addresses_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
