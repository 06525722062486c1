/* SPDX-License-Identifier: Apache-2.0
 *
 * Every way in which a profile's table can be illegal is refused by name, and the derived numbers. */
#include "extorus/registers.h"
#include "support.h"

typedef void (*spoil_t)(xt_profile_t *p);

#define SPOIL(name, statement)            \
	static void name(xt_profile_t *p) \
	{                                 \
		statement;                \
	}

SPOIL(no_name, p->name = NULL)
SPOIL(odd_name, p->name = "Ex toll")
SPOIL(no_links, p->link_ports = 0)
SPOIL(too_many_links, p->link_ports = 7)
SPOIL(no_nic, p->nic_ports = 0)
SPOIL(too_many_ports, p->nic_ports = 10)
SPOIL(huge_nic_count, p->nic_ports = UINT32_MAX)
SPOIL(no_tc, p->tcs = 0)
SPOIL(too_many_tcs, p->tcs = 5)
SPOIL(zero_vcs, p->tc[1].vc[0] = p->tc[1].vc[1] = p->tc[1].vc[2] = XT_VC_NONE)
SPOIL(vc_gap, p->tc[2].vc[3] = XT_VC_DETERMINISTIC)
SPOIL(no_escape, p->tc[2].vc[0] = p->tc[2].vc[1] = XT_VC_ADAPTIVE)
SPOIL(late_deterministic, p->tc[0].vc[1] = XT_VC_ADAPTIVE; p->tc[0].vc[2] = XT_VC_DETERMINISTIC)
SPOIL(unknown_kind, p->tc[0].vc[0] = (xt_vc_kind_t)9)
SPOIL(unused_tc, p->tcs = 3)
SPOIL(ragged_cell, p->cell_bits = 127)
SPOIL(no_cell, p->cell_bits = 0)
SPOIL(wide_cell, p->cell_bits = 2048)
SPOIL(short_packet, p->packet_cells = 1)
SPOIL(long_packet, p->packet_cells = 256)
SPOIL(odd_buffer, p->buffer_cells = 500)
SPOIL(no_buffer, p->buffer_cells = 0)
SPOIL(huge_buffer, p->buffer_cells = 1u << 31)
SPOIL(small_reserve, p->reserved_cells = 36)
SPOIL(large_reserve, p->reserved_cells = 52)
SPOIL(odd_bubble, p->bubble = 2)
SPOIL(bubble_reserve, p->bubble = 1)
SPOIL(bubble_packet, p->bubble = 1; p->packet_cells = 128; p->length_class[3] = 128)
SPOIL(overflowing_reserve, p->reserved_cells = 0x80000000u)
SPOIL(small_eject, p->eject_cells = 36)
SPOIL(huge_eject, p->eject_cells = 1u << 20)
SPOIL(no_classes, p->length_classes = 0)
SPOIL(too_many_classes, p->length_classes = 9)
SPOIL(zero_class, p->length_class[0] = 0)
SPOIL(falling_class, p->length_class[2] = 4)
SPOIL(last_class, p->length_class[3] = 31)
SPOIL(spare_class, p->length_class[4] = 64)
SPOIL(id_sum, p->id_bits = 15)
SPOIL(no_grt, p->grt_bits = 0)
SPOIL(large_grt, p->grt_bits = 12)
SPOIL(no_lrt, p->lrt_bits = 0)
SPOIL(large_lrt, p->lrt_bits = 13)
SPOIL(narrow_cell, p->cell_bits = 32)
SPOIL(exact_cell, p->cell_bits = 8; p->id_bits = 2; p->grt_bits = 1; p->lrt_bits = 1)
SPOIL(odd_ecc, p->table_ecc = 2)
SPOIL(no_iteration, p->islip_iterations = 0)
SPOIL(many_iterations, p->islip_iterations = 8)
SPOIL(no_latency, p->link_latency = 0)
SPOIL(long_latency, p->link_latency = 5000)
SPOIL(odd_replay, p->replay_cells = 100)
SPOIL(small_replay, p->replay_cells = 64)
SPOIL(far_replay, p->link_latency = 25)
SPOIL(huge_replay, p->replay_cells = 1u << 16)
SPOIL(odd_block_ram, p->block_ram_only = 2)
SPOIL(odd_monitors, p->monitors = 2)
SPOIL(block_ram_links, p->block_ram_only = 1)
SPOIL(block_ram_ecc, p->block_ram_only = 1; p->replay_cells = 0)

static const struct {
	spoil_t spoil;
	const char *entry;
	const char *reason;
} refusals[] = {
	{no_name, "name:", "missing"},
	{odd_name, "name:", "character"},
	{no_links, "link_ports:", "0 is not in 1 .. 6"},
	{too_many_links, "link_ports:", "7 is not in 1 .. 6"},
	{no_nic, "nic_ports:", "no NIC port"},
	{too_many_ports, "nic_ports:", "more than 15"},
	{huge_nic_count, "nic_ports:", "more than 15"},
	{no_tc, "tcs:", "no traffic class"},
	{too_many_tcs, "tcs:", "5 is not in 1 .. 4"},
	{zero_vcs, "tc[1]:", "has no VC"},
	{vc_gap, "tc[2].vc[3]:", "without gaps"},
	{no_escape, "tc[2]:", "no escape"},
	{late_deterministic, "tc[0].vc[2]:", "list it first"},
	{unknown_kind, "tc[0].vc[0]:", "not a kind"},
	{unused_tc, "tc[3].vc[0]:", "only 3 traffic classes"},
	{ragged_cell, "cell_bits:", "multiple of 8"},
	{no_cell, "cell_bits:", "0 is not in"},
	{wide_cell, "cell_bits:", "2048 is not in"},
	{short_packet, "packet_cells:", "1 is not in"},
	{long_packet, "packet_cells:", "256 is not in"},
	{odd_buffer, "buffer_cells:", "power of two"},
	{no_buffer, "buffer_cells:", "power of two"},
	{huge_buffer, "buffer_cells:", "is not in"},
	{small_reserve, "reserved_cells:", "set 37 or more"},
	{odd_bubble, "bubble:", "2 is not in 0 .. 1"},
	{bubble_reserve, "reserved_cells:", "set 69 or more"},
	{bubble_packet, "packet_cells:", "two longest packets"},
	{large_reserve, "reserved_cells:", "exceed the buffer of 512"},
	{overflowing_reserve, "reserved_cells:", "exceed the buffer of 512"},
	{small_eject, "eject_cells:", "set 37 or more"},
	{huge_eject, "eject_cells:", "is not in"},
	{no_classes, "length_classes:", "0 is not in"},
	{too_many_classes, "length_classes:", "9 is not in"},
	{zero_class, "length_class[0]:", "ascending"},
	{falling_class, "length_class[2]:", "ascending"},
	{last_class, "length_class[3]:", "packet_cells"},
	{spare_class, "length_class[4]:", "length_classes is 4"},
	{id_sum, "id_bits:", "grt_bits + lrt_bits"},
	{no_grt, "grt_bits:", "0 is not in"},
	{large_grt, "grt_bits:", "12 is not in"},
	{no_lrt, "lrt_bits:", "0 is not in"},
	{large_lrt, "lrt_bits:", "13 is not in"},
	{narrow_cell, "cell_bits:", "header does not fit"},
	{exact_cell, "cell_bits:", "need 12 bits"},
	{odd_ecc, "table_ecc:", "neither 0 nor 1"},
	{no_iteration, "islip_iterations:", "0 is not in 1 .. 7"},
	{many_iterations, "islip_iterations:", "8 is not in 1 .. 7"},
	{no_latency, "link_latency:", "at least 1"},
	{long_latency, "link_latency:", "5000 is not in"},
	{odd_replay, "replay_cells:", "neither 0 nor a power of two"},
	{small_replay, "replay_cells:", "set 84 or more"},
	{far_replay, "replay_cells:", "set 130 or more"},
	{huge_replay, "replay_cells:", "65536 is not in"},
	{odd_block_ram, "block_ram_only:", "2 is not in 0 .. 1"},
	{odd_monitors, "monitors:", "2 is not in 0 .. 1"},
	{block_ram_links, "block_ram_only:", "set replay_cells to 0"},
	{block_ram_ecc, "block_ram_only:", "set table_ecc to 0"},
};

static void test_built_in_profiles_are_legal(void **state)
{
	xt_diag_t diag = {""};

	(void)state;
	for (unsigned i = 0; xt_profiles[i]; i++) {
		if (xt_profile_check(xt_profiles[i], &diag) != XT_OK) {
			fail_msg("%s", diag.text);
		}
	}
	assert_non_null(xt_profile_find("extoll"));
	assert_non_null(xt_profile_find("mini"));
	assert_null(xt_profile_find("nothing"));
}

static void test_each_illegal_table_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		xt_profile_t p = *xt_profile_find("extoll");
		xt_diag_t diag = {""};

		refusals[i].spoil(&p);
		if (xt_profile_check(&p, &diag) != XT_ERR_INVALID) {
			fail_msg("case %zu (%s) was not refused: %s", i, refusals[i].entry, diag.text);
		}
		assert_says(&diag, "profile ");
		assert_says(&diag, refusals[i].entry);
		assert_says(&diag, refusals[i].reason);
	}
	assert_int_equal(xt_profile_check(NULL, NULL), XT_ERR_INVALID);
}

static void test_missing_profile_names_the_known_ones(void **state)
{
	const xt_profile_t *p;
	xt_diag_t diag = {""};

	(void)state;
	assert_int_equal(xt_profile_require("nothing", &p, &diag), XT_ERR_RANGE);
	assert_says(&diag, "bubble, dort, extoll, extoll10, mini");
}

static void test_derived_numbers(void **state)
{
	const xt_profile_t *extoll = xt_profile_find("extoll"), *mini = xt_profile_find("mini");
	xt_header_layout_t h = xt_profile_header(extoll);

	(void)state;
	assert_int_equal(xt_profile_vcs(extoll), 10);
	assert_int_equal(xt_profile_first_vc(extoll, 2), 6);
	assert_int_equal(xt_profile_tc_vcs(extoll, 1), 3);
	assert_int_equal(xt_profile_deterministic_vcs(extoll, 1), 2);
	assert_int_equal(xt_profile_adaptive_tcs(extoll), 3);
	assert_int_equal(xt_profile_adaptive_tcs(mini), 0);
	assert_int_equal(xt_profile_shared_cells(extoll), 142);
	assert_int_equal(xt_profile_shared_cells(xt_profile_find("bubble")), 0);
	assert_int_equal(h.src_lsb, 16);
	assert_int_equal(h.len_lsb, 32);
	assert_int_equal(h.tc_lsb, 37);
	assert_int_equal(h.tag_lsb, 39);
	assert_int_equal(h.tag_bits, 89);
	assert_int_equal(h.stamp_lsb, 112);
	assert_int_equal(h.stamp_bits, 16);
	h = xt_profile_header(mini);
	assert_int_equal(h.tc_lsb, 18);
	assert_int_equal(h.tag_lsb, 19);
	assert_int_equal(h.stamp_bits, 0);
	assert_int_equal(xt_profile_features(extoll), XT_FEATURE_ADAPTIVE | XT_FEATURE_LINK_LAYER |
							      XT_FEATURE_TABLE_ECC | XT_FEATURE_QOS |
							      XT_FEATURE_LATENCY | XT_FEATURE_MONITORS);
	assert_int_equal(xt_profile_features(mini), XT_FEATURE_CORE);
	assert_int_equal(xt_profile_features(xt_profile_find("bubble")) & XT_FEATURE_BUBBLE, XT_FEATURE_BUBBLE);
	assert_int_equal(xt_clog2(0), 0);
	assert_int_equal(xt_clog2(1), 0);
	assert_int_equal(xt_clog2(7), 3);
	assert_int_equal(xt_clog2(8), 3);
	assert_int_equal(xt_clog2(UINT32_MAX), 32);
}

static void test_frame_holds_its_fields_without_gaps(void **state)
{
	xt_profile_t p = *xt_profile_find("extoll");
	xt_frame_layout_t f = xt_profile_frame(&p);

	(void)state;
	assert_int_equal(f.layer, 1);
	assert_int_equal(f.ctrl_lsb, 0);
	assert_int_equal(f.cell_valid_lsb, 2);
	assert_int_equal(f.cell_seq_lsb, 3);
	assert_int_equal(f.cell_seq_bits, 8); /* 128 cells */
	assert_int_equal(f.vc_lsb, 11);
	assert_int_equal(f.poison_lsb, 15);
	assert_int_equal(f.cell_lsb, 16);
	assert_int_equal(f.credit_valid_lsb, 144);
	assert_int_equal(f.credit_seq_lsb, 145);
	assert_int_equal(f.credit_seq_bits, 10); /* 512 credits at most */
	assert_int_equal(f.credit_vc_lsb, 155);
	assert_int_equal(f.cell_ack_lsb, 159);
	assert_int_equal(f.cell_nack_lsb, 167);
	assert_int_equal(f.credit_ack_lsb, 168);
	assert_int_equal(f.credit_nack_lsb, 178);
	assert_int_equal(f.crc_lsb, 179);
	assert_int_equal(f.bits, 179 + 32);

	p.replay_cells = 0;
	f = xt_profile_frame(&p);
	assert_int_equal(f.layer, 0);
	assert_int_equal(f.ctrl_bits + f.cell_seq_bits + f.poison_bits + f.cell_ack_bits + f.crc_bits, 0);
	assert_int_equal(f.cell_valid_lsb, 0);
	assert_int_equal(f.vc_lsb, 1);
	assert_int_equal(f.cell_lsb, 5);
	assert_int_equal(f.credit_valid_lsb, 133);
	assert_int_equal(f.credit_vc_lsb, 134);
	assert_int_equal(f.bits, 138);
}

static void test_plain_links_are_legal(void **state)
{
	xt_profile_t p = *xt_profile_find("extoll");

	(void)state;
	p.replay_cells = 0;
	assert_int_equal(xt_profile_check(&p, NULL), XT_OK);
}

static void test_parts_are_left_out(void **state)
{
	const xt_profile_t *extoll = xt_profile_find("extoll");
	xt_profile_t p = *extoll;
	xt_diag_t diag;

	(void)state;
	assert_int_equal(xt_profile_without(&p, "link", &diag), XT_OK);
	assert_int_equal(xt_profile_features(extoll) & ~xt_profile_features(&p), XT_FEATURE_LINK_LAYER);
	assert_int_equal(xt_profile_without(&p, "adaptive,ecc,monitors", &diag), XT_OK);
	assert_int_equal(xt_profile_features(extoll) & ~xt_profile_features(&p),
		XT_FEATURE_LINK_LAYER | XT_FEATURE_ADAPTIVE | XT_FEATURE_TABLE_ECC | XT_FEATURE_MONITORS);
	assert_int_equal(xt_profile_vcs(&p), xt_profile_vcs(extoll));
	assert_int_equal(xt_profile_check(&p, &diag), XT_OK);

	assert_int_equal(xt_profile_without(&p, "ecc", &diag), XT_ERR_INVALID);
	assert_string_equal(diag.text, "profile extoll has no part \"ecc\" to leave out");
	p = *extoll;
	assert_int_equal(xt_profile_without(&p, "ecc,", &diag), XT_ERR_RANGE);
	assert_int_equal(xt_profile_without(&p, "a word longer than any part", &diag), XT_ERR_RANGE);
	assert_int_equal(xt_profile_without(&p, "ecclesiastic", NULL), XT_ERR_RANGE);
}

static void test_hash_follows_every_number(void **state)
{
	const xt_profile_t *extoll = xt_profile_find("extoll");
	xt_profile_t p = *extoll;

	(void)state;
	p.name = "other";
	p.summary = NULL;
	assert_int_equal(xt_profile_hash(&p), xt_profile_hash(extoll));
	assert_int_not_equal(xt_profile_hash(extoll), xt_profile_hash(xt_profile_find("mini")));
	/* From no_links on, each case changes a number. */
	for (size_t i = 2; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		p = *extoll;
		refusals[i].spoil(&p);
		assert_int_not_equal(xt_profile_hash(&p), xt_profile_hash(extoll));
	}
}

static void test_entry_code_corrects_one_bit(void **state)
{
	unsigned seen[256] = {0};

	(void)state;
	for (unsigned bit = 0; bit < XT_ENTRY_MAX_BITS; bit++) {
		unsigned column = xt_entry_column(bit), ones = 0;

		for (unsigned c = 0; c < XT_ENTRY_CODE_BITS; c++) {
			ones += column >> c & 1;
		}
		assert_true(ones >= 3 && ones % 2 == 1);
		assert_int_equal(seen[column]++, 0);
		assert_int_equal(xt_entry_code(1ull << bit), column);
	}
	assert_int_equal(xt_entry_code(0), 0);
	assert_int_equal(xt_entry_code(5), xt_entry_column(0) ^ xt_entry_column(2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built_in_profiles_are_legal),
		cmocka_unit_test(test_each_illegal_table_is_refused),
		cmocka_unit_test(test_missing_profile_names_the_known_ones),
		cmocka_unit_test(test_derived_numbers),
		cmocka_unit_test(test_frame_holds_its_fields_without_gaps),
		cmocka_unit_test(test_plain_links_are_legal),
		cmocka_unit_test(test_parts_are_left_out),
		cmocka_unit_test(test_hash_follows_every_number),
		cmocka_unit_test(test_entry_code_corrects_one_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
