/* SPDX-License-Identifier: Apache-2.0
 *
 * Every way in which a profile's table can be illegal is refused by name, and the derived numbers. */
#include "extorus/registers.h"
#include "support.h"

/* A case: its name, how it spoils a legal table, the entry that is refused, and the reason. From no_links on, each case
 * changes a number. */
#define REFUSALS(X)                                                                                                   \
	X(no_name, p->name = NULL, "name:", "missing")                                                                \
	X(odd_name, p->name = "Ex toll", "name:", "character")                                                        \
	X(no_links, p->link_ports = 0, "link_ports:", "0 is not in 1 .. 14")                                          \
	X(too_many_links, p->link_ports = 15, "link_ports:", "15 is not in 1 .. 14")                                  \
	X(links_of_rtl, p->link_ports = 7, "link_ports:", "7 are more than the 6 of RTL")                             \
	X(links_of_masks, p->link_ports = 7; p->model_only = 1, "link_ports:", "the 6 of an adaptive mask")           \
	X(many_channels, p->model_only = 1; p->link_ports = 9; p->tc[0].vc[2] = p->tc[1].vc[2] = XT_VC_DETERMINISTIC; \
		p->tc[3].vc[2] = p->tc[3].vc[3] = p->tc[3].vc[4] = XT_VC_DETERMINISTIC,                               \
		"link_ports:", "9 with 8 channels each")                                                              \
	X(no_nic, p->nic_ports = 0, "nic_ports:", "no NIC port")                                                      \
	X(too_many_ports, p->nic_ports = 10, "nic_ports:", "more than 15")                                            \
	X(huge_nic_count, p->nic_ports = UINT32_MAX, "nic_ports:", "more than 15")                                    \
	X(no_tc, p->tcs = 0, "tcs:", "no traffic class")                                                              \
	X(too_many_tcs, p->tcs = 5, "tcs:", "5 is not in 1 .. 4")                                                     \
	X(zero_vcs, p->tc[1].vc[0] = p->tc[1].vc[1] = p->tc[1].vc[2] = XT_VC_NONE, "tc[1]:", "has no VC")             \
	X(vc_gap, p->tc[2].vc[3] = XT_VC_DETERMINISTIC, "tc[2].vc[3]:", "without gaps")                               \
	X(no_escape, p->tc[2].vc[0] = p->tc[2].vc[1] = XT_VC_ADAPTIVE, "tc[2]:", "no escape")                         \
	X(five_vcs, p->tc[2].vc[2] = p->tc[2].vc[3] = p->tc[2].vc[4] = XT_VC_DETERMINISTIC, "tc[2]:", "has 5 VCs")    \
	X(two_adaptive, p->tc[0].vc[3] = XT_VC_ADAPTIVE, "tc[0]:", "has 2 adaptive VCs")                              \
	X(late_deterministic, p->tc[0].vc[1] = XT_VC_ADAPTIVE;                                                        \
		p->tc[0].vc[2] = XT_VC_DETERMINISTIC, "tc[0].vc[2]:", "list it first")                                \
	X(unknown_kind, p->tc[0].vc[0] = (xt_vc_kind_t)9, "tc[0].vc[0]:", "not a kind")                               \
	X(unused_tc, p->tcs = 3, "tc[3].vc[0]:", "only 3 traffic classes")                                            \
	X(ragged_cell, p->cell_bits = 127, "cell_bits:", "multiple of 8")                                             \
	X(no_cell, p->cell_bits = 0, "cell_bits:", "0 is not in")                                                     \
	X(wide_cell, p->cell_bits = 2048, "cell_bits:", "2048 is not in")                                             \
	X(short_packet, p->packet_cells = 1, "packet_cells:", "1 is not in")                                          \
	X(long_packet, p->packet_cells = 256, "packet_cells:", "256 is not in")                                       \
	X(odd_packet, p->packet_cells = 24; p->length_class[3] = 24, "packet_cells:", "24 is not a power of two")     \
	X(odd_buffer, p->buffer_cells = 500, "buffer_cells:", "power of two")                                         \
	X(no_buffer, p->buffer_cells = 0, "buffer_cells:", "power of two")                                            \
	X(huge_buffer, p->buffer_cells = 1u << 31, "buffer_cells:", "is not in")                                      \
	X(small_reserve, p->reserved_cells = 36, "reserved_cells:", "set 37 or more")                                 \
	X(odd_bubble, p->bubble = 2, "bubble:", "2 is not in 0 .. 1")                                                 \
	X(bubble_reserve, p->bubble = 1, "reserved_cells:", "set 69 or more")                                         \
	X(bubble_adaptive, p->bubble = 1; p->reserved_cells = 69; p->buffer_cells = 1024;                             \
		p->eject_cells = 128, "bubble:", "no adaptive VCs")                                                   \
	X(bubble_of_eight, p->bubble = p->model_only = 1; p->reserved_cells = 69; p->buffer_cells = 1024;             \
		p->eject_cells = 128;                                                                                 \
		p->tc[3].vc[2] = p->tc[3].vc[3] = p->tc[3].vc[4] = XT_VC_DETERMINISTIC, "bubble:", "VCs 0 to 3 only") \
	X(vc_rings_alone, p->vc_rings = 1, "vc_rings:", "without bubble flow control")                                \
	X(odd_vc_rings, p->bubble = 1; p->vc_rings = 2; p->reserved_cells = 69; p->buffer_cells = 1024;               \
		p->eject_cells = 128, "vc_rings:", "2 is not in 0 .. 1")                                              \
	X(bubble_packet, p->bubble = 1; p->packet_cells = 128;                                                        \
		p->length_class[3] = 128, "packet_cells:", "two longest packets")                                     \
	X(large_reserve, p->reserved_cells = 52, "reserved_cells:", "exceed the buffer of 512")                       \
	X(overflowing_reserve, p->reserved_cells = 0x80000000u, "reserved_cells:", "exceed the buffer of 512")        \
	X(small_eject, p->eject_cells = 36, "eject_cells:", "set 37 or more")                                         \
	X(huge_eject, p->eject_cells = 1u << 20, "eject_cells:", "is not in")                                         \
	X(large_eject, p->eject_cells = 1024, "eject_cells:", "1024 exceed the buffer of 512")                        \
	X(odd_eject, p->eject_cells = 48, "eject_cells:", "48 is not a power of two")                                 \
	X(no_classes, p->length_classes = 0, "length_classes:", "0 is not in")                                        \
	X(too_many_classes, p->length_classes = 9, "length_classes:", "9 is not in")                                  \
	X(zero_class, p->length_class[0] = 0, "length_class[0]:", "ascending")                                        \
	X(falling_class, p->length_class[2] = 4, "length_class[2]:", "ascending")                                     \
	X(last_class, p->length_class[3] = 31, "length_class[3]:", "packet_cells")                                    \
	X(spare_class, p->length_class[4] = 64, "length_class[4]:", "length_classes is 4")                            \
	X(id_sum, p->id_bits = 15, "id_bits:", "grt_bits + lrt_bits")                                                 \
	X(no_grt, p->grt_bits = 0, "grt_bits:", "0 is not in")                                                        \
	X(large_grt, p->grt_bits = 12, "grt_bits:", "12 is not in")                                                   \
	X(grt_above_lrt, p->grt_bits = 9; p->lrt_bits = 7, "grt_bits:", "9 is above lrt_bits (7)")                    \
	X(no_lrt, p->lrt_bits = 0, "lrt_bits:", "0 is not in")                                                        \
	X(large_lrt, p->lrt_bits = 13, "lrt_bits:", "13 is not in")                                                   \
	X(narrow_cell, p->cell_bits = 32, "cell_bits:", "header does not fit")                                        \
	X(exact_cell, p->cell_bits = 8; p->id_bits = 2; p->grt_bits = 1;                                              \
		p->lrt_bits = 1, "cell_bits:", "need 12 bits")                                                        \
	X(odd_ecc, p->table_ecc = 2, "table_ecc:", "neither 0 nor 1")                                                 \
	X(no_iteration, p->islip_iterations = 0, "islip_iterations:", "0 is not in 1 .. 7")                           \
	X(many_iterations, p->islip_iterations = 8, "islip_iterations:", "8 is not in 1 .. 7")                        \
	X(no_latency, p->link_latency = 0, "link_latency:", "at least 1")                                             \
	X(long_latency, p->link_latency = 5000, "link_latency:", "5000 is not in")                                    \
	X(odd_replay, p->replay_cells = 100, "replay_cells:", "neither 0 nor a power of two")                         \
	X(small_replay, p->replay_cells = 64, "replay_cells:", "set 84 or more")                                      \
	X(far_replay, p->link_latency = 25, "replay_cells:", "set 130 or more")                                       \
	X(huge_replay, p->replay_cells = 1u << 16, "replay_cells:", "65536 is not in")                                \
	X(odd_block_ram, p->block_ram_only = 2, "block_ram_only:", "2 is not in 0 .. 1")                              \
	X(odd_u_turns, p->no_u_turns = 2, "no_u_turns:", "2 is not in 0 .. 1")                                        \
	X(odd_credit_sums, p->no_credit_sums = 2, "no_credit_sums:", "2 is not in 0 .. 1")                            \
	X(odd_replay_bypass, p->no_replay_bypass = 2, "no_replay_bypass:", "2 is not in 0 .. 1")                      \
	X(odd_crossbar_register, p->crossbar_register = 2, "crossbar_register:", "2 is not in 0 .. 1")                \
	X(odd_model_only, p->model_only = 2, "model_only:", "2 is not in 0 .. 1")                                     \
	X(larger_lrt, p->model_only = 1; p->lrt_bits = 15, "lrt_bits:", "15 is not in 1 .. 14")                       \
	X(ring_adaptive, p->ring_adaptive_vcs = 1, "ring_adaptive_vcs:", "no RTL has")                                \
	X(odd_monitors, p->monitors = 2, "monitors:", "2 is not in 0 .. 1")                                           \
	X(block_ram_links, p->block_ram_only = 1, "block_ram_only:", "set replay_cells to 0")                         \
	X(block_ram_ecc, p->block_ram_only = 1; p->replay_cells = 0, "block_ram_only:", "set table_ecc to 0")         \
	X(block_ram_grt, p->block_ram_only = 1; p->replay_cells = p->table_ecc = 0; p->id_bits = 16;                  \
		p->grt_bits = p->lrt_bits = 8, "block_ram_only:", "set grt_bits below lrt_bits (8)")                  \
	X(long_frame, p->cell_bits = 256, "cell_bits:", "its check word protects 270: set 216 or less")

#define SPOIL(name, statement, entry, reason) \
	static void name(xt_profile_t *p)     \
	{                                     \
		statement;                    \
	}
REFUSALS(SPOIL)

#define ROW(name, statement, entry, reason) {name, entry, reason},
static const struct {
	void (*spoil)(xt_profile_t *p);
	const char *entry;
	const char *reason;
} refusals[] = {REFUSALS(ROW)};

TEST(test_built_in_profiles_are_legal)
{
	xt_diag_t diag = {""};

	for (unsigned i = 0; xt_profiles[i]; i++) {
		if (xt_profile_check(xt_profiles[i], &diag) != XT_OK) {
			fail_msg("%s", diag.text);
		}
	}
	assert_non_null(xt_profile_find("extoll"));
	assert_non_null(xt_profile_find("mini"));
	assert_null(xt_profile_find("nothing"));
}

TEST(test_each_illegal_table_is_refused)
{
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

TEST(test_missing_profile_names_the_known_ones)
{
	const xt_profile_t *p;
	xt_diag_t diag = {""};

	assert_int_equal(xt_profile_require("nothing", &p, &diag), XT_ERR_RANGE);
	assert_says(&diag, "bubble, bubble4, bubble_adaptive, dort, dort7, dort8, dort_adaptive, extoll, "
			   "extoll10, extoll64, extoll_linked, extoll_small, large, links10, links14, links8, mini");
}

TEST(test_derived_numbers)
{
	const xt_profile_t *extoll = xt_profile_find("extoll"), *mini = xt_profile_find("mini");
	xt_header_layout_t h = xt_profile_header(extoll);

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
	assert_int_equal(xt_profile_features(xt_profile_find("bubble")) & XT_FEATURE_VC_RINGS, 0);
	assert_int_equal(xt_profile_features(xt_profile_find("bubble4")) & XT_FEATURE_VC_RINGS, XT_FEATURE_VC_RINGS);
	assert_int_equal(xt_clog2(0), 0);
	assert_int_equal(xt_clog2(1), 0);
	assert_int_equal(xt_clog2(7), 3);
	assert_int_equal(xt_clog2(8), 3);
	assert_int_equal(xt_clog2(UINT32_MAX), 32);
}

TEST(test_frame_holds_its_fields_without_gaps)
{
	xt_profile_t p = *xt_profile_find("extoll");
	xt_frame_layout_t f = xt_profile_frame(&p);

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
	assert_int_equal(f.check_lsb, 179);
	assert_int_equal(f.bits, 179 + 32);

	p.replay_cells = 0;
	f = xt_profile_frame(&p);
	assert_int_equal(f.layer, 0);
	assert_int_equal(f.ctrl_bits + f.cell_seq_bits + f.poison_bits + f.cell_ack_bits + f.check_bits, 0);
	assert_int_equal(f.cell_valid_lsb, 0);
	assert_int_equal(f.vc_lsb, 1);
	assert_int_equal(f.cell_lsb, 5);
	assert_int_equal(f.credit_valid_lsb, 133);
	assert_int_equal(f.credit_vc_lsb, 134);
	assert_int_equal(f.bits, 138);
}

TEST(test_plain_links_are_legal)
{
	xt_profile_t p = *xt_profile_find("extoll");

	p.replay_cells = 0;
	assert_int_equal(xt_profile_check(&p, NULL), XT_OK);
}

TEST(test_parts_are_left_out)
{
	const xt_profile_t *extoll = xt_profile_find("extoll");
	xt_profile_t p = *extoll;
	xt_diag_t diag;

	assert_int_equal(xt_profile_without(&p, "link", &diag), XT_OK);
	assert_int_equal(xt_profile_features(extoll) & ~xt_profile_features(&p), XT_FEATURE_LINK_LAYER);
	assert_int_equal(xt_profile_without(&p, "adaptive,ecc,monitors", &diag), XT_OK);
	assert_int_equal(xt_profile_features(extoll) & ~xt_profile_features(&p),
		XT_FEATURE_LINK_LAYER | XT_FEATURE_ADAPTIVE | XT_FEATURE_TABLE_ECC | XT_FEATURE_MONITORS);
	assert_int_equal(xt_profile_vcs(&p), xt_profile_vcs(extoll));
	assert_int_equal(xt_profile_check(&p, &diag), XT_OK);
	assert_int_equal(xt_profile_without(&p, "classes", &diag), XT_OK);
	assert_int_equal(p.length_classes, 1);
	assert_int_equal(p.length_class[0], extoll->packet_cells);
	assert_int_equal(xt_profile_check(&p, &diag), XT_OK);

	assert_int_equal(xt_profile_without(&p, "credit-sums", &diag), XT_OK);
	assert_int_equal(p.no_credit_sums, 1);
	assert_int_equal(xt_profile_without(&p, "bypass", &diag), XT_ERR_INVALID);
	assert_int_equal(xt_profile_check(&p, &diag), XT_OK);

	assert_int_equal(xt_profile_without(&p, "classes", NULL), XT_ERR_INVALID);
	assert_int_equal(xt_profile_without(&p, "ecc", &diag), XT_ERR_INVALID);
	assert_string_equal(diag.text, "profile extoll has no part \"ecc\" to leave out");
	p = *extoll;
	assert_int_equal(xt_profile_without(&p, "bypass", &diag), XT_OK);
	assert_int_equal(p.no_replay_bypass, 1);
	assert_int_equal(xt_profile_check(&p, &diag), XT_OK);
	p = *extoll;
	assert_int_equal(xt_profile_without(&p, "ecc,", &diag), XT_ERR_RANGE);
	assert_int_equal(xt_profile_without(&p, "a word longer than any part", &diag), XT_ERR_RANGE);
	assert_int_equal(xt_profile_without(&p, "ecclesiastic", NULL), XT_ERR_RANGE);
}

TEST(test_hash_follows_every_number)
{
	const xt_profile_t *extoll = xt_profile_find("extoll");
	xt_profile_t p = *extoll;

	p.name = "other";
	p.summary = NULL;
	assert_int_equal(xt_profile_hash(&p), xt_profile_hash(extoll));
	assert_int_not_equal(xt_profile_hash(extoll), xt_profile_hash(xt_profile_find("mini")));
	/* From no_links on. */
	for (size_t i = 2; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		p = *extoll;
		refusals[i].spoil(&p);
		assert_int_not_equal(xt_profile_hash(&p), xt_profile_hash(extoll));
	}
}

TEST(test_entry_code_corrects_one_bit)
{
	unsigned seen[1 << XT_ENTRY_CODE_BITS] = {0}, inverting[XT_ENTRY_CODE_BITS] = {0};

	for (unsigned bit = 0; bit < XT_ENTRY_TC_BITS; bit++) {
		unsigned column = xt_entry_column(bit), ones = 0;

		for (unsigned c = 0; c < XT_ENTRY_CODE_BITS; c++) {
			ones += column >> c & 1;
			inverting[c] += column >> c & 1;
		}
		assert_true(column < 1 << XT_ENTRY_CODE_BITS);
		assert_true(ones >= 3 && ones % 2 == 1);
		assert_int_equal(seen[column]++, 0);
		assert_int_equal(xt_entry_code((uint16_t)(1u << bit)), column);
	}
	/* No bit of the code is later than another. */
	for (unsigned c = 0; c < XT_ENTRY_CODE_BITS; c++) {
		assert_int_equal(inverting[c], 8);
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
