/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "extorus/registers.h"
#include "gen/generate.h"
#include "support.h"

static char *generated(void (*generate)(const xt_profile_t *, FILE *), const char *profile)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	generate(xt_profile_find(profile), out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part)) {
		fail_msg("\"%s\" is missing", part);
	}
}

TEST(test_package_holds_the_table)
{
	char *text = generated(xt_generate_sv_package, "extoll");
	char line[80];

	snprintf(line, sizeof(line), "ProfileHash = 32'h%08x;", (unsigned)xt_profile_hash(xt_profile_find("extoll")));
	assert_contains(text, line);
	assert_contains(text, "int LinkPorts = 6;");
	assert_contains(text, "int Ports = 7;");
	assert_contains(text, "int PortBits = 3;");
	assert_contains(text, "int VcBits = 4;");
	assert_contains(text, "[31:0] TcFirstVc = 32'h08060300;");
	assert_contains(text, "[31:0] TcVcCount = 32'h02020303;");
	assert_contains(text, "[79:0] VcTc = 80'h03030202010101000000;");
	assert_contains(text, "[31:0] LengthClass = 32'h20100401;");
	assert_contains(text, "int PacketClasses = 4;");
	assert_contains(text, "int SharedCells = 142;");
	assert_contains(text, "int Bubble = 0;");
	assert_contains(text, "int HdrTagLsb = 39;");
	assert_contains(text, "int EntryStoredBits = 44;");
	assert_contains(text, "int ReplayCells = 128;");
	assert_contains(text, "int FrameLayer = 1;");
	assert_contains(text, "int CellSeqBits = 8;");
	assert_contains(text, "int CreditSeqBits = 10;");
	assert_contains(text, "int FrameCellLsb = 16;");
	assert_contains(text, "int FrameCheckLsb = 179;");
	assert_contains(text, "int FrameBits = 211;");
	for (unsigned i = 0; i < XT_REG_COUNT; i++) {
		snprintf(line, sizeof(line), " Reg%s = 16'h%04x;", xt_registers[i].sv_name,
			(unsigned)xt_registers[i].offset);
		assert_contains(text, line);
	}
	free(text);
}

TEST(test_bubble_package_has_room_for_two_packets)
{
	char *text = generated(xt_generate_sv_package, "bubble");

	assert_contains(text, "int Bubble = 1;");
	assert_contains(text, "int SharedCells = 0;");
	assert_contains(text, "int PacketClasses = 4;");
	assert_contains(text, "int LengthClasses = 5;");
	assert_contains(text, "[39:0] LengthClass = 40'h4020100401;");
	free(text);
}

TEST(test_header_and_map_hold_every_register)
{
	char *header = generated(xt_generate_c_header, "mini"), *map = generated(xt_generate_markdown, "mini");
	uint32_t features = xt_profile_features(xt_profile_find("mini"));
	char part[80];

	for (unsigned i = 0; i < XT_REG_COUNT; i++) {
		snprintf(part, sizeof(part), "#define EXTORUS_REG_%s", xt_registers[i].name);
		assert_contains(header, part);
		snprintf(part, sizeof(part), "| %s | %s |", xt_registers[i].name,
			xt_registers[i].access == XT_ACCESS_RO ? "RO" : "RW");
		if (xt_register_present((xt_register_id_t)i, features)) {
			assert_contains(map, part);
		} else {
			assert_null(strstr(map, part));
		}
	}
	assert_contains(header, "#define EXTORUS_STATUS_READY_MASK 0x00000001u");
	assert_contains(header, "#define EXTORUS_REG_LATENCY(nic, bin) (0x2000u");
	assert_contains(header, "(not in this profile) */\n#define EXTORUS_REG_ADAPTIVE_SELECT 0x0048u");
	assert_null(strstr(map, "### ADAPTIVE_THRESHOLDS"));
	assert_contains(map, "### ERROR_FLAGS");
	assert_contains(header, "#define EXTORUS_SHAPE_VCS_MASK 0xff000000u");
	assert_contains(header, "#define EXTORUS_HEADER_TAG_LSB 19u");
	assert_contains(map, "| 31:19 | tag");
	assert_contains(header, "#define EXTORUS_FRAME_LAYER 0u");
	assert_contains(header, "#define EXTORUS_FRAME_CELL_LSB 2u");
	assert_contains(header, "#define EXTORUS_FRAME_CELL_BITS 32u");
	assert_contains(header, "#define EXTORUS_FRAME_CHECK_BITS 0u");
	assert_contains(header, "#define EXTORUS_FRAME_BITS 36u");
	assert_contains(map, "| 33:2 | the cell");
	free(header);
	free(map);
}

TEST(test_registers_do_not_overlap)
{
	static uint8_t used[4 << XT_REG_ADDRESS_BITS];

	for (unsigned p = 0; xt_profiles[p]; p++) {
		const xt_profile_t *profile = xt_profiles[p];

		const uint32_t end = 1u << xt_profile_address_bits(profile);

		assert_true(end <= sizeof(used));
		assert_true(profile->model_only || end == 1u << XT_REG_ADDRESS_BITS);
		memset(used, 0, sizeof(used));
		for (unsigned id = 0; id < XT_REG_COUNT; id++) {
			const unsigned ports[] = {
				[XT_SHAPE_SINGLE] = 1,
				[XT_SHAPE_PER_TC] = 1,
				[XT_SHAPE_PER_PORT] = xt_profile_ports(profile),
				[XT_SHAPE_PER_LINK] = profile->link_ports,
				[XT_SHAPE_PER_PORT_TC] = xt_profile_ports(profile),
				[XT_SHAPE_PER_PORT_VC] = xt_profile_ports(profile),
				[XT_SHAPE_PER_NIC_BIN] = profile->nic_ports,
				[XT_SHAPE_GRT] = 1,
				[XT_SHAPE_LRT] = 1,
			};
			const unsigned items[] = {
				[XT_SHAPE_SINGLE] = 1,
				[XT_SHAPE_PER_TC] = profile->tcs,
				[XT_SHAPE_PER_PORT] = 1,
				[XT_SHAPE_PER_LINK] = 1,
				[XT_SHAPE_PER_PORT_TC] = profile->tcs,
				[XT_SHAPE_PER_PORT_VC] = xt_profile_vcs(profile),
				[XT_SHAPE_PER_NIC_BIN] = XT_REG_LATENCY_BINS,
				[XT_SHAPE_GRT] = 1u << profile->grt_bits,
				[XT_SHAPE_LRT] = 1u << profile->lrt_bits,
			};
			xt_register_shape_t shape = xt_registers[id].shape;
			unsigned bytes = shape == XT_SHAPE_GRT || shape == XT_SHAPE_LRT ? XT_REG_ENTRY_STRIDE : 4;

			for (unsigned port = 0; port < ports[shape]; port++) {
				for (unsigned item = 0; item < items[shape]; item++) {
					uint32_t address = xt_register_address((xt_register_id_t)id, port, item);

					for (unsigned b = 0; b < bytes; b++) {
						assert_true(address + b < end);
						assert_int_equal(used[address + b]++, 0);
					}
				}
			}
		}
	}
}

TEST(test_files_appear_or_the_reason_does)
{
	char folder[] = "/tmp/extorus-generator-XXXXXX", path[128];
	static const char *const names[] = {"xt_pkg.sv", "xt_registers.h", "registers.md", "registers.rdl",
		"registers.xml", "xt_bridge_pkg.sv", "xt_bridge.h", "bridge.md"};
	xt_profile_t illegal = *xt_profile_find("extoll");
	xt_diag_t diag = {""};

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a/b", folder);
	assert_int_equal(xt_generate(xt_profile_find("extoll"), path, &diag), XT_OK);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/a/b/%s", folder, names[i]);
		assert_int_equal(access(path, R_OK), 0);
		/* A file where a folder should be. */
		if (i == 0) {
			assert_int_equal(xt_generate(xt_profile_find("extoll"), path, &diag), XT_ERR_IO);
			assert_says(&diag, "xt_pkg.sv");
		}
		assert_int_equal(unlink(path), 0);
	}
	/* Of a profile without RTL, the header of the model only. */
	snprintf(path, sizeof(path), "%s/m", folder);
	assert_int_equal(xt_generate(xt_profile_find("bubble_adaptive"), path, &diag), XT_OK);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/m/%s", folder, names[i]);
		assert_int_equal(access(path, F_OK), strcmp(names[i], "xt_registers.h") == 0 ? 0 : -1);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/m", folder);
	assert_int_equal(rmdir(path), 0);
	illegal.reserved_cells = 100;
	snprintf(path, sizeof(path), "%s/c", folder);
	assert_int_equal(xt_generate(&illegal, path, &diag), XT_ERR_INVALID);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof(path), "%s/a/b", folder);
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/a", folder);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_package_holds_the_table),
		cmocka_unit_test(test_bubble_package_has_room_for_two_packets),
		cmocka_unit_test(test_header_and_map_hold_every_register),
		cmocka_unit_test(test_registers_do_not_overlap),
		cmocka_unit_test(test_files_appear_or_the_reason_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
