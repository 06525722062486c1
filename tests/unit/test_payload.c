/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of packets: every bit is known, whatever the width of a cell. */
#include <stdlib.h>
#include <string.h>

#include "measure/payload.h"
#include "support.h"

enum { MOST_CELLS = 32 };

typedef struct {
	xt_profile_t profile;
	xt_topology_t *topology;
	xt_image_t *image;
	xt_payload_t payload;
} fixture_t;

/* The extoll card with cells of so many bits, without a link layer, whose CRC is not for the longest of them. */
static void open_with(fixture_t *f, unsigned cell_bits)
{
	f->profile = *xt_profile_find("extoll");
	f->profile.cell_bits = cell_bits;
	f->profile.replay_cells = 0;
	assert_int_equal(xt_topology_parse("torus:4x4", &f->profile, &f->topology, NULL), XT_OK);
	assert_int_equal(xt_image_create(f->topology, "dor", &f->image, NULL), XT_OK);
	xt_payload_set_up(&f->payload, f->image);
	assert_int_equal(f->payload.words, (cell_bits + 31) / 32);
}

static void close_it(fixture_t *f)
{
	xt_image_free(f->image);
	xt_topology_free(f->topology);
}

/* A part of a word, two words and more, with and without a rest. */
static const unsigned widths[] = {40, 56, 64, 72, 96, 104, 128, 136, 256, 1024};

enum { WIDTHS = sizeof(widths) / sizeof(widths[0]) };

static const xt_packet_t packet = {.source = 11, .sequence = 0x12345678, .destination = 6, .cells = 5, .tc = 3};

TEST(every_bit)
{
	for (unsigned i = 0; i < WIDTHS; i++) {
		uint32_t words[MOST_CELLS * XT_MAX_CELL_WORDS], one[XT_MAX_CELL_WORDS];
		fixture_t f;

		open_with(&f, widths[i]);
		xt_payload_make(&f.payload, &packet, words);
		assert_int_equal(xt_payload_intact(&f.payload, &packet, 1, 4, words + f.payload.words), 4);
		for (unsigned cell = 0; cell < packet.cells; cell++) {
			uint32_t *at = words + cell * f.payload.words;

			xt_payload_make_one(&f.payload, &packet, cell, one);
			assert_memory_equal(one, at, f.payload.words * sizeof(*one));
			for (unsigned bit = 0; bit < 32 * f.payload.words; bit++) {
				assert_false(bit >= widths[i] && (at[bit / 32] >> bit % 32 & 1));
				at[bit / 32] ^= UINT32_C(1) << bit % 32;
				assert_int_equal(xt_payload_intact(&f.payload, &packet, 1, 4, words + f.payload.words),
					cell ? cell - 1 : 4);
				assert_false(xt_payload_same(&f.payload, at, one));
				at[bit / 32] ^= UINT32_C(1) << bit % 32;
			}
		}
		close_it(&f);
	}
}

/* A head with the whole name tells all cells; another head does not. */
TEST(remade_from_the_head)
{
	unsigned remade = 0;

	for (unsigned i = 0; i < WIDTHS; i++) {
		uint32_t words[MOST_CELLS * XT_MAX_CELL_WORDS], made[MOST_CELLS * XT_MAX_CELL_WORDS] = {0};
		fixture_t f;

		open_with(&f, widths[i]);
		xt_payload_make(&f.payload, &packet, words);
		memcpy(made, words, f.payload.words * sizeof(*made));
		if (xt_payload_remake(&f.payload, made, packet.cells)) {
			assert_memory_equal(made, words, packet.cells * f.payload.words * sizeof(*made));
			made[f.payload.header.tag_lsb / 32] ^= UINT32_C(1) << f.payload.header.tag_lsb % 32;
			assert_true(xt_payload_remake(&f.payload, made, packet.cells));
			assert_int_equal(xt_payload_intact(&f.payload, &packet, 1, 4, made + f.payload.words), 0);
			remade++;
		}
		close_it(&f);
	}
	assert_in_range(remade, 1, WIDTHS - 1);
}

/* Cells that change places, in a packet or between packets, are not taken for each other. Heads may be alike where the
 * tag is narrow. */
TEST(no_two_alike)
{
	for (unsigned i = 0; i < WIDTHS; i++) {
		uint32_t words[8][MOST_CELLS * XT_MAX_CELL_WORDS];
		fixture_t f;

		open_with(&f, widths[i]);
		for (unsigned p = 0; p < 8; p++) {
			const xt_packet_t other = {
				.source = p % 2, .sequence = p / 2, .destination = 3, .cells = MOST_CELLS};

			xt_payload_make(&f.payload, &other, words[p]);
		}
		for (unsigned a = 0; a < 8 * MOST_CELLS; a++) {
			for (unsigned b = 0; b < a; b++) {
				if (a % MOST_CELLS == 0 || b % MOST_CELLS == 0) {
					continue;
				}
				assert_false(xt_payload_same(&f.payload,
					words[a / MOST_CELLS] + a % MOST_CELLS * f.payload.words,
					words[b / MOST_CELLS] + b % MOST_CELLS * f.payload.words));
			}
		}
		close_it(&f);
	}
}

TEST(head_says_so)
{
	for (unsigned i = 0; i < WIDTHS; i++) {
		uint32_t cell[XT_MAX_CELL_WORDS];
		const uint64_t name = (uint64_t)packet.source << 32 | packet.sequence;
		xt_head_t head;
		fixture_t f;

		open_with(&f, widths[i]);
		xt_payload_make_one(&f.payload, &packet, 0, cell);
		head = xt_payload_head(&f.payload, cell);
		assert_int_equal(head.destination, xt_image_pe_address(f.image, packet.destination));
		assert_int_equal(head.source, xt_image_pe_address(f.image, packet.source));
		assert_int_equal(head.tc, packet.tc);
		assert_true(head.name ==
			    (f.payload.name_bits < 64 ? name & ((UINT64_C(1) << f.payload.name_bits) - 1) : name));
		assert_int_equal(xt_payload_name_all(&f.payload), widths[i] >= 39 + 64);
		if (f.payload.header.tag_bits > 64) {
			assert_true(xt_payload_name_intact(&f.payload, cell));
			for (unsigned bit = f.payload.header.tag_lsb; bit < f.payload.header.tag_lsb + 64; bit++) {
				cell[bit / 32] ^= UINT32_C(1) << bit % 32;
				if (f.payload.header.tag_bits >= 64 + 25) {
					assert_false(xt_payload_name_intact(&f.payload, cell));
				}
				cell[bit / 32] ^= UINT32_C(1) << bit % 32;
			}
		}
		close_it(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bit),
		cmocka_unit_test(remade_from_the_head),
		cmocka_unit_test(no_two_alike),
		cmocka_unit_test(head_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
