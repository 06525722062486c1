// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "test_case.hpp"

namespace
{

// How many items of each dimension a register has.
void extent(xt_register_id_t id, unsigned &ports, unsigned &items)
{
	const Shape &s = shape();

	ports = items = 1;
	switch (xt_registers[id].shape) {
	case XT_SHAPE_SINGLE:
		break;
	case XT_SHAPE_PER_TC:
		items = s.tcs;
		break;
	case XT_SHAPE_PER_PORT:
		ports = s.ports;
		break;
	case XT_SHAPE_PER_LINK:
		ports = s.links;
		break;
	case XT_SHAPE_PER_NIC_BIN:
		ports = s.nics;
		items = XT_REG_LATENCY_BINS;
		break;
	case XT_SHAPE_PER_PORT_TC:
		ports = s.ports;
		items = s.tcs;
		break;
	case XT_SHAPE_PER_PORT_VC:
		ports = s.ports;
		items = s.vcs;
		break;
	case XT_SHAPE_GRT:
		items = s.grt_entries;
		break;
	case XT_SHAPE_LRT:
		items = s.lrt_entries;
		break;
	}
}

// Calls visit(id, port, item) for every register that the profile's cards have.
template <typename Visit> void each_register(Visit visit)
{
	for (unsigned i = 0; i < XT_REG_COUNT; i++) {
		xt_register_id_t id = static_cast<xt_register_id_t>(i);
		unsigned ports, items;

		if (!xt_register_present(id, shape().features)) {
			continue;
		}
		extent(id, ports, items);
		for (unsigned p = 0; p < ports; p++) {
			for (unsigned n = 0; n < items; n++) {
				visit(id, p, n);
			}
		}
	}
}

bool is_table(xt_register_id_t id)
{
	return id == XT_REG_GRT || id == XT_REG_LRT;
}

// Every byte address that holds a register, word aligned.
std::map<uint32_t, xt_register_id_t> mapped_addresses()
{
	std::map<uint32_t, xt_register_id_t> mapped;

	each_register([&](xt_register_id_t id, unsigned port, unsigned item) {
		uint32_t address = xt_register_address(id, port, item);

		mapped[address] = id;
		if (is_table(id)) {
			mapped[address + 4] = id;
		}
	});
	return mapped;
}

// What is written to the register can be read again: these bits. 0 where a write is an action.
uint32_t writable_bits(xt_register_id_t id)
{
	const Shape &s = shape();
	const uint32_t all_links = (1u << s.links) - 1;

	switch (id) {
	case XT_REG_CARD_ID:
	case XT_REG_MATCH_MASK:
		return (1u << s.profile->id_bits) - 1;
	case XT_REG_ROUTE_ORDER:
		return (1u << s.tcs) - 1;
	case XT_REG_TABLE_PORTS:
	case XT_REG_QUIESCE:
		return (1u << s.ports) - 1;
	case XT_REG_TABLE_READ_PORT:
		return (1u << xt_clog2(s.ports)) - 1;
	case XT_REG_ADAPTIVE_SELECT:
		return 3;
	case XT_REG_ADAPTIVE_PORTS:
		return all_links << XT_FIELD_ADAPTIVE_PORTS_INTERNAL_LSB |
		       all_links << XT_FIELD_ADAPTIVE_PORTS_MIDDLE_LSB;
	case XT_REG_INJECTION:
	case XT_REG_OWNER:
	case XT_REG_LOAD:
		return UINT32_MAX;
	case XT_REG_ADAPTIVE_PATIENCE:
	case XT_REG_STALL_TIMEOUT:
		return 0xffff;
	case XT_REG_LINK_TIMING:
		return 0xffffff;
	case XT_REG_LATENCY_CONTROL:
		return 1;
	case XT_REG_TABLE_FLIP:
		return 0x3f;
	case XT_REG_TC_WEIGHT:
		return 15;
	case XT_REG_RING:
	case XT_REG_VC_RING_FROM:
		return 0xfff;
	case XT_REG_ENTRANTS:
		return xt_profile_shared_cells(s.profile) ? all_links : 0;
	default:
		return 0;
	}
}

// A threshold may be held in as few bits as a number of credits needs.
bool is_threshold(xt_register_id_t id)
{
	return id == XT_REG_ADAPTIVE_THRESHOLDS;
}

// Links go down when these are written at random.
bool disturbs_links(xt_register_id_t id)
{
	return id == XT_REG_LINK_DISABLE || id == XT_REG_LINK_RETRAIN || id == XT_REG_LINK_KEEPALIVE;
}

std::string identity(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options, Bench::Routes::none);
	uint32_t expected_shape = s.links << XT_FIELD_SHAPE_LINK_PORTS_LSB | s.nics << XT_FIELD_SHAPE_NIC_PORTS_LSB |
				  s.tcs << XT_FIELD_SHAPE_TCS_LSB | s.vcs << XT_FIELD_SHAPE_VCS_LSB;
	struct {
		xt_register_id_t id;
		uint32_t expected;
	} expected[] = {
		{XT_REG_MAGIC, XT_REG_MAGIC_VALUE},
		{XT_REG_VERSION, XT_REG_MAP_VERSION},
		{XT_REG_PROFILE_HASH, s.hash},
		{XT_REG_SHAPE, expected_shape},
		{XT_REG_FEATURES, s.features},
	};
	unsigned long long ready_cycle = 0;
	uint64_t released = bench.now();

	if (bench.is_ready()) {
		fail("cycle %llu: STATUS.ready right after reset", as_ull(bench.now()));
	}
	if (bench.card.idle()) {
		fail("cycle %llu: idle_o before STATUS.ready", as_ull(bench.now()));
	}
	bench.wait_ready();
	ready_cycle = bench.now() - released;
	if (ready_cycle > std::max({s.lrt_entries, s.buffer_cells, 64 * s.ports}) + 64) {
		fail("ready %llu cycles after reset", ready_cycle);
	}
	for (const auto &e : expected) {
		uint32_t value = bench.read(e.id);

		if (value != e.expected) {
			fail("%s reads 0x%08x, expected 0x%08x", xt_registers[e.id].name, value, e.expected);
		}
	}
	return figure("profile hash 0x%08x, ready %llu cycles after reset", s.hash, ready_cycle);
}

std::string reset_values(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options, Bench::Routes::none);
	unsigned registers = 0, entries = 0;

	bench.wait_ready();
	bench.wait_links();
	bench.run(30);
	each_register([&](xt_register_id_t id, unsigned port, unsigned item) {
		uint32_t expected = 0;

		if (is_table(id) || id < XT_REG_CARD_ID || id == XT_REG_MATCH_MASK || id == XT_REG_TABLE_PORTS) {
			return;
		}
		// Chosen by the hardware's designer, or counted while the links came up.
		if (is_threshold(id) || id == XT_REG_ADAPTIVE_PATIENCE || id == XT_REG_LINK_TIMING ||
			id == XT_REG_RETRAINS) {
			return;
		}
		if (id == XT_REG_FREE_CELLS) {
			expected = s.buffer_cells;
		} else if (id == XT_REG_PORT_IDLE) {
			expected = (1u << s.ports) - 1;
		} else if (id == XT_REG_LINK_STATE) {
			expected = 1u << XT_FIELD_LINK_STATE_STATE_LSB;
		}
		uint32_t value = bench.read(id, port, item);

		if (value != expected) {
			fail("%s[%u][%u] is 0x%x after reset, expected 0x%x", xt_registers[id].name, port, item, value,
				expected);
		}
		registers++;
	});
	for (unsigned p = 0; p < s.ports; p++) {
		bench.write(XT_REG_TABLE_READ_PORT, p);
		for (xt_register_id_t table : {XT_REG_GRT, XT_REG_LRT}) {
			unsigned count = table == XT_REG_GRT ? s.grt_entries : s.lrt_entries;

			for (unsigned i = 0; i < count; i += p ? 1 + bench.random.below(32) : 1) {
				uint64_t entry = bench.read_entry(table, i);

				for (unsigned t = 0; t < s.tcs; t++) {
					if (entry >> (16 * t + XT_ENTRY_VALID_BIT) & 1) {
						fail("%s[%u] of port %u is valid for TC %u after reset: 0x%016llx",
							xt_registers[table].name, i, p, t, as_ull(entry));
					}
				}
				entries++;
			}
		}
	}
	return figure("%u registers, %u table entries", registers, entries);
}

AxiLite::Delays random_delays(Random &random)
{
	AxiLite::Delays d;

	d.aw = random.below(4);
	d.w = random.below(4);
	d.b = random.below(4);
	d.ar = random.below(4);
	d.r = random.below(4);
	return d;
}

std::string access(const Options &options)
{
	Bench bench(options, Bench::Routes::none);
	std::map<uint32_t, uint32_t> held; // address -> what an RW register should read
	unsigned accesses = 0;

	bench.wait_ready();
	bench.wait_links();
	bench.run(30);
	for (unsigned round = 0; round < 8; round++) {
		each_register([&](xt_register_id_t id, unsigned port, unsigned item) {
			if (is_table(id) || disturbs_links(id)) {
				return;
			}
			uint32_t address = xt_register_address(id, port, item);
			uint32_t before, after, value = static_cast<uint32_t>(bench.random.next());

			bench.axi_delays = random_delays(bench.random);
			before = bench.read(id, port, item);
			accesses++;
			if (xt_registers[id].access == XT_ACCESS_RO) {
				// A write to a read-only register may be refused; it must not change it.
				bench.write_address(address, value);
				after = bench.read(id, port, item);
				if (after != before) {
					fail("%s (0x%04x) is read only, but went from 0x%08x to 0x%08x",
						xt_registers[id].name, address, before, after);
				}
				return;
			}
			if (is_threshold(id)) {
				// Small numbers fit however few bits there are.
				value &= 0x000f000f;
				bench.write(id, value, port, item);
				after = bench.read(id, port, item);
				if (after != value) {
					fail("%s (0x%04x) reads 0x%08x, written 0x%08x", xt_registers[id].name, address,
						after, value);
				}
				return;
			}
			if (held.count(address) && before != held[address]) {
				fail("%s (0x%04x) reads 0x%08x, written 0x%08x", xt_registers[id].name, address, before,
					held[address]);
			}
			if (id == XT_REG_TABLE_READ_PORT) {
				value %= shape().ports;
			}
			value = round == 0 ? 0 : round == 1 && id != XT_REG_TABLE_READ_PORT ? 0xffffffff : value;
			bench.write(id, value, port, item);
			held[address] = value & writable_bits(id);
		});
	}
	return figure("%u accesses in every order of the AXI4-Lite channels", accesses);
}

std::string byte_strobes(const Options &options)
{
	Bench bench(options, Bench::Routes::none);
	uint32_t mask = writable_bits(XT_REG_CARD_ID);

	bench.wait_ready();
	for (unsigned strobe = 0; strobe < 16; strobe++) {
		uint32_t old = static_cast<uint32_t>(bench.random.next()) & mask;
		uint32_t value = static_cast<uint32_t>(bench.random.next());

		bench.write(XT_REG_CARD_ID, old);
		unsigned response = bench.write_address(xt_register_address(XT_REG_CARD_ID, 0, 0), value, strobe);

		uint32_t got = bench.read(XT_REG_CARD_ID);

		// A write of some bytes is refused. One of no byte is none.
		if (got != (strobe == 15 ? value & mask : old) ||
			response != (strobe == 0 || strobe == 15 ? AxiLite::Okay : AxiLite::Slverr)) {
			fail("CARD_ID 0x%04x, written 0x%08x with strobe %x (answer %u), reads 0x%08x", old, value,
				strobe, response, got);
		}
	}
	for (uint32_t address : {xt_register_address(XT_REG_MAGIC, 0, 0), 0xfcu}) {
		if (bench.write_address(address, 0, 0) != AxiLite::Okay) {
			fail("a write of no byte of 0x%04x is refused", address);
		}
	}
	return "16 strobes";
}

// A master that always asks for both: neither direction waits for more than one access of the other.
std::string held_requests(const Options &options)
{
	Bench bench(options, Bench::Routes::none);
	unsigned writes = 0, reads = 0;

	bench.wait_ready();
	for (unsigned n = 0; n < 3000; n++) {
		if (!bench.axi.writing()) {
			bench.axi.start_write(xt_register_address(XT_REG_CARD_ID, 0, 0), writes++, 15, {});
		}
		if (!bench.axi.reading()) {
			bench.axi.start_read(xt_register_address(XT_REG_CARD_ID, 0, 0), {});
			reads++;
		}
		if (writes > reads + 1 || reads > writes + 1) {
			fail("%u writes beside %u reads", writes, reads);
		}
		bench.step();
	}
	if (writes < 300) {
		fail("%u writes and %u reads in 3000 cycles", writes, reads);
	}
	return figure("%u writes, %u reads", writes, reads);
}

// A master that takes a response only once the other direction has its own.
std::string held_responses(const Options &options)
{
	Bench bench(options, Bench::Routes::none);
	uint32_t mask = writable_bits(XT_REG_CARD_ID);
	const unsigned rounds = 200;

	bench.wait_ready();
	for (unsigned n = 0; n < rounds; n++) {
		AxiLite::Delays delays = random_delays(bench.random);

		delays.b = n % 3 != 1 ? AxiLite::after_other : delays.b;
		delays.r = n % 3 != 2 ? AxiLite::after_other : delays.r;
		bench.axi.start_write(xt_register_address(XT_REG_CARD_ID, 0, 0), n, 15, delays);
		bench.axi.start_read(xt_register_address(XT_REG_MAGIC, 0, 0), delays);
		while (bench.axi.reading() || bench.axi.writing()) {
			bench.step();
		}
		if (bench.axi.read_data() != XT_REG_MAGIC_VALUE || bench.axi.read_response() ||
			bench.axi.write_response()) {
			fail("MAGIC reads 0x%08x (answer %u) beside a write (answer %u)", bench.axi.read_data(),
				bench.axi.read_response(), bench.axi.write_response());
		}
		if (bench.read(XT_REG_CARD_ID) != (n & mask)) {
			fail("CARD_ID was not written while read data waited");
		}
	}
	return figure("%u pairs", rounds);
}

// A read and a write under way at once.
std::string read_beside_write(const Options &options)
{
	Bench bench(options, Bench::Routes::none);
	uint32_t mask = writable_bits(XT_REG_CARD_ID), held = 0, value;
	const unsigned rounds = 300;

	bench.wait_ready();
	for (unsigned n = 0; n < rounds; n++) {
		value = static_cast<uint32_t>(bench.random.next()) & mask;
		bench.axi.start_write(
			xt_register_address(XT_REG_CARD_ID, 0, 0), value, 15, random_delays(bench.random));
		bench.axi.start_read(
			xt_register_address(n % 2 ? XT_REG_CARD_ID : XT_REG_MAGIC, 0, 0), random_delays(bench.random));
		while (bench.axi.reading() || bench.axi.writing()) {
			bench.step();
		}
		uint32_t got = bench.axi.read_data();

		if (bench.axi.read_response() || bench.axi.write_response()) {
			fail("read answered %u, write beside it %u", bench.axi.read_response(),
				bench.axi.write_response());
		}
		if (n % 2 ? got != held && got != value : got != XT_REG_MAGIC_VALUE) {
			fail("read of %s beside a write of 0x%x: 0x%x", n % 2 ? "CARD_ID" : "MAGIC", value, got);
		}
		held = value;
		if (bench.read(XT_REG_CARD_ID) != held) {
			fail("CARD_ID was not written beside a read");
		}
	}
	return figure("%u pairs", rounds);
}

std::string unmapped(const Options &options)
{
	Bench bench(options, Bench::Routes::none);
	std::map<uint32_t, xt_register_id_t> mapped = mapped_addresses();
	unsigned refused = 0, answered = 0;
	const uint32_t top = 1u << XT_REG_ADDRESS_BITS;

	bench.wait_ready();
	for (uint32_t address = 0; address < top; address += 4) {
		bool is_mapped = mapped.count(address) != 0;
		bool interesting = address < 0x2100 || mapped.count(address - 4) || mapped.count(address + 4) ||
				   (address & (address - 1)) == 0 || bench.random.below(32) == 0;
		uint32_t value;

		if (!interesting || (is_mapped && is_table(mapped[address]) && bench.random.below(16))) {
			continue;
		}
		unsigned response = bench.read_address(address, value);

		if (response != (is_mapped ? AxiLite::Okay : AxiLite::Slverr)) {
			fail("read of 0x%04x (%s) answered %u", address, is_mapped ? "mapped" : "unmapped", response);
		}
		if (!is_mapped) {
			response = bench.write_address(address, 0xffffffff);
			if (response != AxiLite::Slverr) {
				fail("write of 0x%04x (unmapped) answered %u", address, response);
			}
		}
		(is_mapped ? answered : refused)++;
	}
	// None of the refused writes may have hit a register.
	if (bench.read(XT_REG_CARD_ID) || bench.read(XT_REG_ROUTE_ORDER) || bench.read(XT_REG_TABLE_READ_PORT)) {
		fail("a write to an unmapped address changed a register");
	}
	return figure("%u unmapped addresses refused, %u mapped ones answered", refused, answered);
}

} // namespace

std::vector<TestCase> register_tests()
{
	return {
		{"identity", identity},
		{"reset-values", reset_values},
		{"register-access", access},
		{"byte-strobes", byte_strobes},
		{"held-requests", held_requests},
		{"held-responses", held_responses},
		{"read-beside-write", read_beside_write},
		{"unmapped-addresses", unmapped},
	};
}
