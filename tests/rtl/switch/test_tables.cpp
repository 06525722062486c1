// SPDX-License-Identifier: Apache-2.0
//
// Routing tables written and read by software.
#include "test_case.hpp"

namespace
{

// What entry `index` of `table` at `port` is filled with; unused bits are 0.
uint64_t entry_pattern(uint64_t salt, xt_register_id_t table, unsigned port, unsigned index)
{
	uint64_t bits = mix(salt ^ static_cast<uint64_t>(table) << 40 ^ static_cast<uint64_t>(port) << 32 ^ index);

	bits &= 0x8fff8fff8fff8fffull;
	return shape().tcs < 4 ? bits & ((1ull << (16 * shape().tcs)) - 1) : bits;
}

std::string table_readback(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options, Bench::Routes::none);
	unsigned entries = 0;

	bench.wait_ready();
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned p = 0; p < s.ports; p++) {
			bench.write(XT_REG_TABLE_PORTS, 1u << p);
			for (xt_register_id_t table : {XT_REG_GRT, XT_REG_LRT}) {
				unsigned count = table == XT_REG_GRT ? s.grt_entries : s.lrt_entries;

				// The second pass changes a few only, so that neighbours are seen to stay.
				for (unsigned i = 0; i < count; i++) {
					if (pass == 0 || mix(i ^ p << 16) % 29 == 0) {
						bench.write_entry(table, i, entry_pattern(pass, table, p, i));
					}
				}
			}
		}
		for (unsigned p = 0; p < s.ports; p++) {
			bench.write(XT_REG_TABLE_READ_PORT, p);
			for (xt_register_id_t table : {XT_REG_GRT, XT_REG_LRT}) {
				unsigned count = table == XT_REG_GRT ? s.grt_entries : s.lrt_entries;

				for (unsigned i = 0; i < count; i++) {
					bool changed = mix(i ^ p << 16) % 29 == 0;
					uint64_t expected = entry_pattern(pass && changed, table, p, i), entry;

					if (pass && !changed && bench.random.below(8)) {
						continue;
					}
					entry = bench.read_entry(table, i);
					if (entry != expected) {
						fail("%s[%u] of port %u reads 0x%016llx, written 0x%016llx",
							xt_registers[table].name, i, p, as_ull(entry),
							as_ull(expected));
					}
					entries++;
				}
			}
		}
	}
	return figure("%u entries read back", entries);
}

std::string table_ports(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options, Bench::Routes::none);
	const unsigned rounds = 40;
	std::vector<std::vector<uint64_t>> grt(s.ports, std::vector<uint64_t>(4)), lrt = grt;

	bench.wait_ready();
	for (unsigned round = 0; round < rounds; round++) {
		unsigned ports = round == 0 ? (1u << s.ports) - 1 : bench.random.below(1u << s.ports);
		unsigned i = round == 0 ? 0 : bench.random.below(4);
		bool global = bench.random.below(2);
		uint64_t value = entry_pattern(round, XT_REG_GRT, 0, i);

		bench.write(XT_REG_TABLE_PORTS, ports);
		bench.write_entry(global ? XT_REG_GRT : XT_REG_LRT, i, value);
		for (unsigned p = 0; p < s.ports; p++) {
			if (ports >> p & 1) {
				(global ? grt : lrt)[p][i] = value;
			}
		}
		for (unsigned p = 0; p < s.ports; p++) {
			bench.write(XT_REG_TABLE_READ_PORT, p);
			uint64_t entry = bench.read_entry(global ? XT_REG_GRT : XT_REG_LRT, i);
			uint64_t expected = (global ? grt : lrt)[p][i];

			// Never written: only the valid bits are known to be 0.
			if (expected ? entry != expected : (entry & 0x8000800080008000ull) != 0) {
				fail("TABLE_PORTS 0x%x: %s[%u] of port %u reads 0x%016llx, expected 0x%016llx", ports,
					global ? "GRT" : "LRT", i, p, as_ull(entry), as_ull(expected));
			}
		}
	}
	return figure("%u masks", rounds);
}

} // namespace

std::vector<TestCase> table_tests()
{
	return {{"table-readback", table_readback}, {"table-ports", table_ports}};
}
