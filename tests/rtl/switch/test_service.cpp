// SPDX-License-Identifier: Apache-2.0
//
// What software does to a card in service, and what the card tells it: quiescing, tables rewritten under
// traffic, stalls, high-water marks, errors, latency.
#include <algorithm>
#include <cmath>

#include "test_case.hpp"

namespace
{

unsigned long long as_ull(uint64_t x)
{
	return x;
}

// Every input sends the longest packets to the next port.
void rotate(Bench &bench)
{
	const Shape &s = shape();

	for (unsigned p = 0; p < s.ports; p++) {
		bench.source(p).generated_vcs = bench.source_vcs(p);
		bench.source(p).generator = [&bench, &s, p](unsigned vc) {
			unsigned out = (p + 1) % s.ports;

			return bench.packet(p, vc, out, bench.random_out_vc(out, s.vc_tc[vc]), s.packet_cells);
		};
	}
}

bool port_idle(Bench &bench, unsigned port)
{
	return bench.read(XT_REG_PORT_IDLE) >> port & 1;
}

std::string quiesce(const Options &options)
{
	const Shape &s = shape();
	const uint64_t cycles = 3000;
	double slowest = 1;

	for (unsigned q = 0; q < s.ports; q++) {
		Bench bench(options);
		unsigned before = (q + s.ports - 1) % s.ports, after = (q + 1) % s.ports;

		rotate(bench);
		bench.run(1500);
		bench.write(XT_REG_QUIESCE, 1u << q);
		// What was decided on, and a packet under way; a NIC's buffer empties.
		bench.run(4 * s.packet_cells + s.profile->eject_cells + 40);
		if (bench.sink(q).receiving()) {
			fail("output %u is quiesced, and a packet that had started does not end", q);
		}
		if (!s.is_nic(q) && port_idle(bench, q)) {
			fail("PORT_IDLE[%u] while packets still come in by that port", q);
		}
		if (s.is_nic(q)) {
			// The beats that the card has taken are those of packets under way.
			bench.source(q).window_cells = 0;
		} else {
			bench.source(q).generator = nullptr;
			bench.source(q).drop_queues();
			bench.run(4 * s.packet_cells + 600);
			if (!port_idle(bench, q)) {
				fail("port %u is quiesced and nothing comes in, and PORT_IDLE is 0x%x", q,
					bench.read(XT_REG_PORT_IDLE));
			}
		}
		bench.run(600);
		bench.clear_windows();
		bench.run(cycles);
		if (bench.sink(q).window.cells) {
			fail("output %u is quiesced, and %llu cells left by it", q, as_ull(bench.sink(q).window.cells));
		}
		if (s.is_nic(q) && (bench.source(q).window_cells || bench.sink(after).window.cells)) {
			fail("NIC %u is quiesced, and took %llu cells", q, as_ull(bench.source(q).window_cells));
		}
		for (unsigned p = 0; p < s.ports; p++) {
			double rate = static_cast<double>(bench.sink(p).window.cells) / static_cast<double>(cycles);

			if (p == q || p == after) {
				continue;
			}
			slowest = std::min(slowest, rate);
			if (rate < 0.99) {
				fail("port %u is quiesced, and output %u moves %.4f cells/cycle", q, p, rate);
			}
		}
		if (s.is_nic(q)) {
			bench.source(before).generator = nullptr;
			bench.source(before).drop_queues();
		}
		bench.run(100);
		if (s.is_nic(q) && !port_idle(bench, q)) {
			fail("NIC port %u is quiesced, and PORT_IDLE is 0x%x", q, bench.read(XT_REG_PORT_IDLE));
		}
		bench.write(XT_REG_QUIESCE, 0);
		rotate(bench);
		bench.run(1500);
		bench.clear_windows();
		bench.run(cycles);
		for (unsigned p = 0; p < s.ports; p++) {
			double rate = static_cast<double>(bench.sink(p).window.cells) / static_cast<double>(cycles);

			slowest = std::min(slowest, rate);
			if (rate < 0.99) {
				fail("port %u is no longer quiesced, and output %u moves %.4f cells/cycle", q, p, rate);
			}
		}
		bench.stop_generators();
		bench.drain();
		bench.check_home();
	}
	return figure(
		"every port in turn: idle, nothing starts, all others %.4f cells/cycle at least (wanted 0.99), and "
		"it resumes",
		slowest);
}

// Entries change while traffic flows by others, and each is used at once.
std::string table_updates(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	unsigned first = bench.direct_entries(), count = std::min(16u, s.lrt_entries - first), updates = 0;
	std::vector<Packet> sent;
	double slowest = 1;

	rotate(bench);
	for (NicSource &source : bench.nic_sources) {
		source.generator = nullptr;
	}
	bench.run(1500);
	bench.clear_windows();
	uint64_t start = bench.now();

	for (unsigned n = 0; n < 120 * options.scale; n++) {
		unsigned index = first + bench.random.below(count), out = bench.random.below(s.ports);
		unsigned nic = s.links + bench.random.below(s.nics), tc = bench.random.below(s.tcs);
		unsigned vc = bench.random.below(s.deterministic[tc]);
		uint64_t left = bench.board.left(), entry = 0;

		for (unsigned t = 0; t < s.tcs; t++) {
			entry |= static_cast<uint64_t>(entry_field(true, t == tc ? out : s.links, t == tc ? vc : 0))
				 << (16 * t);
		}
		// The NIC's table alone, or everybody's.
		bench.write(XT_REG_TABLE_PORTS, bench.random.below(2) ? 1u << nic : (1u << s.ports) - 1);
		bench.write_entry(XT_REG_LRT, index, entry);
		Packet packet = bench.packet(nic, s.first_vc[tc], out, s.is_nic(out) ? 0 : s.first_vc[tc] + vc, 1);

		packet.dest = bench.random.below(s.grt_entries) << s.profile->lrt_bits | index;
		bench.send(packet);
		bench.run_until(
			[&] {
				return bench.source(nic).queued() == 0 && !bench.source(nic).sending() &&
				       bench.board.left() > left;
			},
			2000, "a packet's start");
		bench.run(20);
		updates++;
	}
	uint64_t cycles = bench.now() - start;

	for (unsigned p = 1; p < s.links; p++) {
		slowest = std::min(
			slowest, static_cast<double>(bench.sink(p).window.cells) / static_cast<double>(cycles));
	}
	if (slowest < 0.97) {
		fail("while tables are written an output moves %.4f cells/cycle", slowest);
	}
	bench.stop_generators();
	bench.drain();
	bench.check_home();
	return figure("%u entries changed and used, other traffic at %.4f cells/cycle at least", updates, slowest);
}

// One queue has no room at its output; then two inputs take turns.
std::string stalls(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	const uint64_t cycles = 10000;
	double worst = 0;

	for (unsigned out = 0; out < s.ports; out++) {
		unsigned in_port = (out + 1) % s.links, tc = bench.random.below(s.tcs), vc = s.first_vc[tc];

		if (s.is_nic(out)) {
			bench.nic_sinks[out - s.links].stall = 1;
		} else {
			bench.link_sinks[out].withheld = ~0u;
		}
		for (unsigned n = 0; n < (s.reserved + s.pool + s.profile->eject_cells) / s.packet_cells + 1; n++) {
			bench.send(bench.packet(in_port, vc, out, s.is_nic(out) ? 0 : vc, s.packet_cells));
			bench.run(s.packet_cells + 20);
			if (bench.source(in_port).queued()) {
				break;
			}
		}
		bench.run(100);
		for (unsigned t = 0; t < s.tcs; t++) {
			uint64_t start = bench.now();
			uint32_t credit = bench.read(XT_REG_STALLS_CREDIT, in_port, t);
			uint32_t grant = bench.read(XT_REG_STALLS_GRANT, in_port, t);

			bench.run(cycles);
			credit = bench.read(XT_REG_STALLS_CREDIT, in_port, t) - credit;
			uint64_t expected = t == tc ? bench.now() - start : 0;

			grant = bench.read(XT_REG_STALLS_GRANT, in_port, t) - grant;
			double off = expected
					     ? std::abs(static_cast<double>(credit) / static_cast<double>(expected) - 1)
					     : credit;

			if (off > 0.02 || grant) {
				fail("output %u is blocked, TC %u of input %u waits for it: in %llu cycles "
				     "STALLS_CREDIT of TC %u grew by %u, STALLS_GRANT by %u",
					out, tc, in_port, as_ull(bench.now() - start), t, credit, grant);
			}
			worst = std::max(worst, off);
		}
		for (LinkSink &sink : bench.link_sinks) {
			sink.withheld = 0;
		}
		for (NicSink &sink : bench.nic_sinks) {
			sink.stall = 0;
		}
		for (Source *source : {&bench.source(in_port)}) {
			source->drop_queues();
		}
		bench.drain();
	}
	// One input has the output half of the time, and a packet that could start all of the time.
	unsigned tc = s.tcs - 1, out = 0;

	for (unsigned p : {1u, 2u}) {
		bench.source(p).generated_vcs = 1u << s.first_vc[tc];
		bench.source(p).generator = [&bench, &s, p, out](unsigned vc) {
			return bench.packet(p, vc, out, vc, s.packet_cells);
		};
	}
	bench.run(3000);
	bench.clear_windows();
	uint64_t start = bench.now();
	uint32_t grant = bench.read(XT_REG_STALLS_GRANT, 1, tc);

	bench.run(cycles);
	grant = bench.read(XT_REG_STALLS_GRANT, 1, tc) - grant;
	uint64_t starts = bench.sink(out).window.from_port[1] / s.packet_cells;
	double share = static_cast<double>(grant) / static_cast<double>(bench.now() - start - starts);

	if (std::abs(share - 1) > 0.02) {
		fail("input 1 has a packet that could start in each of %llu cycles, %llu start: STALLS_GRANT grew by "
		     "%u",
			as_ull(bench.now() - start), as_ull(starts), grant);
	}
	bench.stop_generators();
	bench.drain();
	bench.check_home();
	return figure("blocked outputs: one per cycle within %.1f %%; two inputs in turn: %.4f of the cycles",
		100 * worst, share);
}

std::string high_water(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	std::vector<uint32_t> most(s.ports);
	unsigned marks = 0;

	bench.write(XT_REG_CLEAR, 1u << XT_FIELD_CLEAR_HIGH_WATER_LSB);
	for (unsigned round = 0; round < 6; round++) {
		unsigned out = round % s.links;

		// A buffer that is full, so that everything else stays at its input.
		bench.link_sinks[out].withheld = ~0u;
		unsigned vc = s.first_vc[s.tcs - 1], filler = (out + 1) % s.links;
		int room = bench.link_sinks[out].account().room(vc);

		for (; room > 4; room--) {
			bench.send(bench.packet(filler, vc, out, vc, 1));
		}
		bench.drain_inside();
		bench.write(XT_REG_CLEAR, 1u << XT_FIELD_CLEAR_HIGH_WATER_LSB);
		for (unsigned p = 0; p < s.ports; p++) {
			unsigned cells = 0, packets = bench.random.between(0, (s.reserved - 4) / s.packet_cells + 2);

			for (unsigned n = 0; n < packets && cells + s.packet_cells + 4 <= s.reserved; n++) {
				Packet packet = bench.packet(p, s.is_nic(p) ? s.first_vc[s.tcs - 1] : vc, out, vc,
					bench.random.between(1, s.packet_cells));

				cells += packet.cells;
				bench.send(packet);
			}
			most[p] = cells;
		}
		bench.run(200 + 3 * s.packet_cells);
		for (unsigned pass = 0; pass < 2; pass++) {
			for (unsigned p = 0; p < s.ports; p++) {
				uint32_t mark = bench.read(XT_REG_HIGH_WATER, p);

				if (mark != most[p]) {
					fail("cycle %llu: HIGH_WATER[%u] is %u, %u cells wait there",
						as_ull(bench.now()), p, mark, most[p]);
				}
				marks++;
			}
			// They stay when the cells have gone.
			bench.link_sinks[out].withheld = 0;
			bench.drain();
		}
		bench.write(XT_REG_CLEAR, 1u << XT_FIELD_CLEAR_HIGH_WATER_LSB);
		for (unsigned p = 0; p < s.ports; p++) {
			if (bench.read(XT_REG_HIGH_WATER, p)) {
				fail("HIGH_WATER[%u] is not 0 after CLEAR", p);
			}
		}
	}
	bench.check_home();
	return figure("%u marks, each exact", marks);
}

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
		for (int room = bench.link_sinks[out].account().room(vc); room > 4; room--) {
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

// Every bit of an entry inverted in turn: a packet that meets it is dropped, a read mends it.
std::string damaged_entries(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	const unsigned bits = 16 * s.tcs + (s.tcs > 2 ? 8 : 7);
	unsigned damaged = 0;
	uint32_t mended = 0;

	for (unsigned bit = 0; bit < bits; bit++) {
		unsigned in_port = bench.random.below(s.ports), tc = bench.random.below(s.tcs);
		unsigned vc = s.first_vc[tc], out = bench.random.below(s.ports);
		bool global = bench.random.below(2);
		unsigned index = global ? 1 + bench.random.below(s.grt_entries - 1)
					: bench.direct_entries() + bench.random.below(200);
		uint64_t entry = 0, got;

		for (unsigned t = 0; t < s.tcs; t++) {
			entry |= static_cast<uint64_t>(entry_field(true, out, 0, bench.random.below(64))) << (16 * t);
		}
		// All bits of the address count: those above the LRT's differ from our own.
		bench.write(XT_REG_MATCH_MASK, global ? ~0u : 0, 0, tc);
		bench.write(XT_REG_TABLE_PORTS, 1u << in_port);
		bench.write(XT_REG_TABLE_FLIP, bit + 1);
		bench.write_entry(global ? XT_REG_GRT : XT_REG_LRT, index, entry);
		if (bench.read(XT_REG_TABLE_FLIP)) {
			fail("TABLE_FLIP is still set after a table write");
		}
		Packet packet =
			bench.packet(in_port, vc, out, s.is_nic(out) ? 0 : vc, bench.random.between(1, s.packet_cells));

		packet.dest = global ? index << s.profile->lrt_bits : index;
		packet.illegal = true;
		bench.send(packet);
		bench.drain();
		if (bench.board.inside()) {
			fail("bench: a packet to be dropped is expected");
		}
		check_flags(bench, in_port, 1u << XT_FIELD_ERROR_FLAGS_TABLE_LSB);
		check_source(bench, XT_ERROR_KIND_TABLE, in_port, &packet);
		clear_error(bench, in_port);
		bench.write(XT_REG_TABLE_READ_PORT, in_port);
		if (bench.read(XT_REG_TABLE_ERRORS) != mended) {
			fail("TABLE_ERRORS is %u before software read the entry, expected %u",
				bench.read(XT_REG_TABLE_ERRORS), mended);
		}
		got = bench.read_entry(global ? XT_REG_GRT : XT_REG_LRT, index);
		mended++;
		if (got != entry) {
			fail("bit %u of a stored entry was inverted: it reads 0x%016llx, written 0x%016llx", bit,
				as_ull(got), as_ull(entry));
		}
		if (bench.read(XT_REG_TABLE_ERRORS) != mended) {
			fail("TABLE_ERRORS is %u after %u entries were mended", bench.read(XT_REG_TABLE_ERRORS),
				mended);
		}
		packet.illegal = false;
		packet.id = bench.fresh_id();
		bench.send(packet);
		bench.drain();
		check_flags(bench, in_port, 0);
		bench.write(XT_REG_MATCH_MASK, 0, 0, tc);
		damaged++;
	}
	bench.check_home();
	return figure("each of %u bits inverted: the packet dropped and flagged, the entry mended by a read, the next "
		      "packet delivered",
		damaged);
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

// Packets from NIC to NIC whose time the bench knows to the cycle.
std::string latency(const Options &options)
{
	const Shape &s = shape();
	Bench bench(options);
	std::vector<std::vector<uint32_t>> bins(s.nics, std::vector<uint32_t>(XT_REG_LATENCY_BINS));
	unsigned packets = 0, last_bin = 0;
	auto check = [&] {
		for (unsigned n = 0; n < s.nics; n++) {
			for (unsigned b = 0; b < XT_REG_LATENCY_BINS; b++) {
				uint32_t count = bench.read(XT_REG_LATENCY, n, b);

				if (count != bins[n][b]) {
					fail("cycle %llu: LATENCY[%u][%u] is %u, expected %u", as_ull(bench.now()), n,
						b, count, bins[n][b]);
				}
			}
		}
	};

	check();
	bench.write(XT_REG_LATENCY_CONTROL, 1u << XT_FIELD_LATENCY_CONTROL_STAMP_LSB);
	bench.board.stamped = true;
	for (unsigned n = 0; n < 60; n++) {
		unsigned from = bench.random.below(s.nics), to = bench.random.below(s.nics);
		NicSink &sink = bench.nic_sinks[to];
		unsigned held = bench.random.below(2) ? 0 : bench.random.between(1, 1u << bench.random.between(3, 11));

		bench.clear_windows();
		sink.stall = held ? 1 : 0;
		bench.send(bench.packet(s.links + from, s.first_vc[bench.random.below(s.tcs)], s.links + to, 0,
			bench.random.between(1, s.packet_cells)));
		bench.run(held);
		sink.stall = 0;
		bench.drain();
		unsigned bin = 0;

		while (sink.window.last_duration >> (bin + 1)) {
			bin++;
		}
		bins[to][bin]++;
		last_bin = std::max(last_bin, bin);
		packets++;
		if (n % 10 == 9) {
			check();
		}
	}
	bench.write(XT_REG_CLEAR, 1u << XT_FIELD_CLEAR_LATENCY_LSB);
	for (auto &list : bins) {
		list.assign(list.size(), 0);
	}
	bench.run(XT_REG_LATENCY_BINS + 4);
	check();
	bench.write(XT_REG_LATENCY_CONTROL, 0);
	bench.board.stamped = false;
	bench.send(bench.packet(s.links, s.first_vc[0], s.links, 0, 1));
	bench.drain();
	check();
	bench.check_home();
	return figure("%u packets of known latency, each in its bin, up to bin %u", packets, last_bin);
}

} // namespace

std::vector<TestCase> service_tests()
{
	std::vector<TestCase> tests = {{"quiesce", quiesce}, {"table-updates", table_updates}, {"errors", errors}};

	if (shape().has(XT_FEATURE_MONITORS)) {
		tests.push_back({"stalls", stalls});
		tests.push_back({"high-water", high_water});
	}
	if (shape().has(XT_FEATURE_TABLE_ECC)) {
		tests.push_back({"damaged-entries", damaged_entries});
	}
	if (shape().frame.layer) {
		tests.push_back({"poison", poison});
	}
	if (shape().has(XT_FEATURE_LATENCY)) {
		tests.push_back({"latency", latency});
	}
	return tests;
}
