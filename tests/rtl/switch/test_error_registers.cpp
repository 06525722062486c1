// SPDX-License-Identifier: Apache-2.0
//
// What the card tells software of errors: flags, the first error with its header, counters.
#include "test_case.hpp"

namespace
{

// ERROR_SOURCE as it must be, with the header of `packet`; nullptr: any.
void check_source(Bench &bench, xt_error_kind_t kind, unsigned port, const Packet *packet)
{
	const Shape &s = shape();

	if (!s.has(XT_FEATURE_MONITORS)) {
		return;
	}
	uint32_t expected = kind == XT_ERROR_KIND_NONE
				    ? 0
				    : 1u << XT_FIELD_ERROR_SOURCE_VALID_LSB |
					      static_cast<uint32_t>(kind) << XT_FIELD_ERROR_SOURCE_KIND_LSB |
					      port << XT_FIELD_ERROR_SOURCE_PORT_LSB;
	uint32_t source = bench.read(XT_REG_ERROR_SOURCE);

	if ((source ^ expected) & (kind == XT_ERROR_KIND_NONE ? 1 : ~0u)) {
		fail("cycle %llu: ERROR_SOURCE is 0x%x, expected 0x%x", as_ull(bench.now()), source, expected);
	}
	if (packet) {
		Cell head = packet->cell(0);
		uint32_t low = bench.read(XT_REG_ERROR_HEADER_LOW), high = bench.read(XT_REG_ERROR_HEADER_HIGH);

		if (low != head[0] || high != (s.cell_words > 1 ? head[1] : 0)) {
			fail("cycle %llu: ERROR_HEADER is %08x_%08x, the packet's header is %s", as_ull(bench.now()),
				high, low, cell_text(head).c_str());
		}
	}
}

void check_flags(Bench &bench, unsigned port, uint32_t expected)
{
	uint32_t flags = bench.read(XT_REG_ERROR_FLAGS, port);

	if (flags != expected) {
		fail("cycle %llu: ERROR_FLAGS[%u] is 0x%x, expected 0x%x", as_ull(bench.now()), port, flags, expected);
	}
}

// Clears the flag and the captured error.
void clear_error(Bench &bench, unsigned port)
{
	for (uint32_t bit = 1; bit < 16; bit <<= 1) {
		uint32_t flags = bench.read(XT_REG_ERROR_FLAGS, port);

		bench.write(XT_REG_ERROR_FLAGS, bit, port);
		check_flags(bench, port, flags & ~bit);
	}
	bench.write(XT_REG_CLEAR, 1u << XT_FIELD_CLEAR_ERROR_LSB);
	check_source(bench, XT_ERROR_KIND_NONE, 0, nullptr);
}

std::string errors(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	unsigned seen = 0;

	check_source(bench, XT_ERROR_KIND_NONE, 0, nullptr);
	for (unsigned p = 0; p < s.ports; p++) {
		unsigned vc = s.first_vc[bench.random.below(s.tcs)], second = (p + 1) % s.ports;
		Packet packet = bench.illegal_packet(p, vc, bench.random.between(1, s.packet_cells));

		bench.send(packet);
		bench.drain();
		// The first one is kept.
		bench.send(bench.illegal_packet(second, vc, 1));
		bench.drain();
		check_flags(bench, p, 1u << XT_FIELD_ERROR_FLAGS_ILLEGAL_LSB);
		check_flags(bench, second, 1u << XT_FIELD_ERROR_FLAGS_ILLEGAL_LSB);
		check_source(bench, XT_ERROR_KIND_ILLEGAL, p, &packet);
		clear_error(bench, second);
		clear_error(bench, p);
		seen++;
	}
	if (!s.has(XT_FEATURE_MONITORS)) {
		bench.check_home();
		return figure("%u errors flagged and cleared", seen);
	}
	// An input that serves nothing: not before its time, and once.
	const unsigned limit = 700;

	bench.write(XT_REG_STALL_TIMEOUT, limit);
	for (unsigned p = 0; p < s.ports; p++) {
		unsigned out = (p + 1) % s.links, vc = s.first_vc[0], filler = (out + 1) % s.links;
		Packet packet = bench.packet(p, vc, out, vc, s.packet_cells);

		filler = filler == p ? (filler + 1) % s.links : filler;
		bench.link_sinks[out].withheld = ~0u;
		for (int room = bench.link_sinks[out].account().room(vc); room > static_cast<int>(s.left_over());
			room--) {
			bench.send(bench.packet(filler, vc, out, vc, 1));
		}
		bench.drain_inside();
		uint64_t start = bench.now();

		bench.send(packet);
		bench.run(limit - 100);
		check_flags(bench, p, 0);
		while (bench.now() < start + limit + s.packet_cells + 40) {
			bench.step();
		}
		check_flags(bench, p, 1u << XT_FIELD_ERROR_FLAGS_TIMEOUT_LSB);
		check_source(bench, XT_ERROR_KIND_TIMEOUT, p, &packet);
		clear_error(bench, p);
		bench.run(2 * limit);
		check_flags(bench, p, 0);
		bench.link_sinks[out].withheld = 0;
		bench.drain();
		seen++;
	}
	bench.write(XT_REG_STALL_TIMEOUT, 0);
	bench.check_home();
	return figure("%u errors flagged, captured with their header and cleared", seen);
}

// An entry of a table of one input, and where it leads.
struct Way {
	unsigned in_port, out_port, index;
	xt_register_id_t table;
	uint64_t entry;
};

Way random_way(Bench &bench)
{
	const Shape &s = shape();
	Way way = {bench.random.below(s.ports), bench.random.below(s.ports), 0, XT_REG_LRT, 0};

	while (s.turns_back(way.in_port, way.out_port)) {
		way.out_port = bench.random.below(s.ports);
	}
	way.table = bench.random.below(2) ? XT_REG_GRT : XT_REG_LRT;
	way.index = way.table == XT_REG_GRT ? 1 + bench.random.below(s.grt_entries - 1)
					    : bench.direct_entries() + bench.random.below(200);
	for (unsigned t = 0; t < s.tcs; t++) {
		way.entry |= static_cast<uint64_t>(entry_field(true, way.out_port, 0, bench.random.below(64)))
			     << (XT_ENTRY_TC_BITS * t);
	}
	return way;
}

// All bits of the address count: those above the LRT's differ from our own.
Packet packet_by(Bench &bench, const Way &way, unsigned tc)
{
	const Shape &s = shape();
	unsigned vc = s.first_vc[tc];
	Packet packet = bench.packet(way.in_port, vc, way.out_port, s.is_nic(way.out_port) ? 0 : vc,
		bench.random.between(1, s.packet_cells));

	bench.write(XT_REG_MATCH_MASK, way.table == XT_REG_GRT ? ~0u : 0, 0, tc);
	packet.dest = way.table == XT_REG_GRT ? way.index << s.profile->lrt_bits : way.index;
	return packet;
}

void write_damaged(Bench &bench, const Way &way, unsigned word, unsigned bit_of_word)
{
	bench.write(XT_REG_TABLE_PORTS, 1u << way.in_port);
	bench.write_entry(way.table, way.index, way.entry);
	bench.write(XT_REG_TABLE_FLIP, bit_of_word + 1);
	bench.write_half(way.table, way.index, word, static_cast<uint32_t>(way.entry >> (32 * word)));
	if (bench.read(XT_REG_TABLE_FLIP)) {
		fail("TABLE_FLIP is still set after a table write");
	}
}

void check_mended(Bench &bench, const Way &way, unsigned bit, uint32_t mended_before)
{
	uint64_t got;

	bench.write(XT_REG_TABLE_READ_PORT, way.in_port);
	if (bench.read(XT_REG_TABLE_ERRORS) != mended_before) {
		fail("TABLE_ERRORS is %u before software read the word, expected %u", bench.read(XT_REG_TABLE_ERRORS),
			mended_before);
	}
	got = bench.read_entry(way.table, way.index);
	if (got != way.entry) {
		fail("stored bit %u of an entry was inverted: it reads 0x%016llx, written 0x%016llx", bit, as_ull(got),
			as_ull(way.entry));
	}
	if (bench.read(XT_REG_TABLE_ERRORS) != mended_before + 1) {
		fail("TABLE_ERRORS is %u after %u words were mended", bench.read(XT_REG_TABLE_ERRORS),
			mended_before + 1);
	}
}

// Every stored bit of an entry inverted in turn: a packet of the TC whose field that is is dropped, one of another TC
// is delivered, and a read mends the field.
std::string damaged_entries(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	const unsigned field_bits = XT_ENTRY_TC_BITS + XT_ENTRY_CODE_BITS, bits = field_bits * s.tcs;

	for (unsigned bit = 0; bit < bits; bit++) {
		const unsigned tc = bit / field_bits, other = (tc + 1) % s.tcs, word = tc / XT_ENTRY_WORD_TCS;
		const Way way = random_way(bench);

		write_damaged(bench, way, word, bit - word * XT_ENTRY_WORD_TCS * field_bits);
		Packet packet = packet_by(bench, way, tc);

		packet.illegal = true;
		bench.send(packet);
		bench.drain();
		if (bench.board.inside()) {
			fail("bench: a packet to be dropped is expected");
		}
		check_flags(bench, way.in_port, 1u << XT_FIELD_ERROR_FLAGS_TABLE_LSB);
		check_source(bench, XT_ERROR_KIND_TABLE, way.in_port, &packet);
		clear_error(bench, way.in_port);
		if (other != tc) {
			bench.send(packet_by(bench, way, other));
			bench.drain();
			check_flags(bench, way.in_port, 0);
		}
		check_mended(bench, way, bit, bit);
		packet.illegal = false;
		packet.id = bench.fresh_id();
		bench.send(packet);
		bench.drain();
		check_flags(bench, way.in_port, 0);
		bench.write(XT_REG_MATCH_MASK, 0, 0, tc);
		bench.write(XT_REG_MATCH_MASK, 0, 0, other);
	}
	bench.check_home();
	return figure("each of %u bits inverted: the packet dropped and flagged, one of another TC delivered, the word "
		      "mended by a read, the next packet delivered",
		bits);
}

// Packets that come in incomplete stay marked, on links and to the NIC.
std::string poison(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	std::vector<uint32_t> delivered(s.ports);
	uint64_t marked = 0;

	for (unsigned n = 0; n < 120 * options.scale; n++) {
		unsigned in_port = bench.random.below(s.links), out = bench.random.below(s.ports);
		unsigned tc = bench.random.below(s.tcs), vc = bench.random_out_vc(in_port, tc);

		out = s.turns_back(in_port, out) ? (out + 1) % s.ports : out;
		Packet packet = bench.packet(
			in_port, vc, out, bench.random_out_vc(out, tc), bench.random.between(2, s.packet_cells));

		packet.whole = bench.random.below(3) ? bench.random.between(1, packet.cells - 1) : 0;
		delivered[out] += packet.whole && s.is_nic(out);
		bench.send(packet);
		if (bench.random.below(2)) {
			continue;
		}
		bench.drain();
		for (unsigned p = 0; p < s.ports; p++) {
			uint32_t count = bench.read(XT_REG_POISONED, p);

			if (count != delivered[p]) {
				fail("cycle %llu: POISONED[%u] is %u, expected %u", as_ull(bench.now()), p, count,
					delivered[p]);
			}
		}
	}
	bench.drain();
	bench.check_home();
	for (unsigned p = 0; p < s.ports; p++) {
		marked += bench.sink(p).window.poisoned;
		check_flags(bench, p, delivered[p] ? 1u << XT_FIELD_ERROR_FLAGS_POISON_LSB : 0);
		clear_error(bench, p);
	}
	// The header is that of the packet.
	Packet packet = bench.packet(0, s.first_vc[0], s.links, 0, s.packet_cells);

	packet.whole = 1;
	bench.send(packet);
	bench.drain();
	check_source(bench, XT_ERROR_KIND_POISON, s.links, &packet);
	return figure("%llu of %llu packets incomplete, each marked as it left and counted at the NIC", as_ull(marked),
		as_ull(bench.board.left()));
}

} // namespace

std::vector<TestCase> error_register_tests()
{
	std::vector<TestCase> tests = {{"errors", errors}};

	if (shape().has(XT_FEATURE_TABLE_ECC)) {
		tests.push_back({"damaged-entries", damaged_entries});
	}
	if (shape().frame.layer) {
		tests.push_back({"poison", poison});
	}
	return tests;
}
