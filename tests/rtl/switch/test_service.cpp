// SPDX-License-Identifier: Apache-2.0
//
// What software does to a card in service, and what the card tells it: quiescing, tables rewritten under
// traffic, stalls, high-water marks, latency.
#include <algorithm>
#include <cmath>

#include "test_case.hpp"

namespace
{

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

// The rate of the slowest output, but for those in `left_out`; `q` is the port that is or was quiesced.
double slowest_output(Bench &bench, const std::vector<unsigned> &left_out, unsigned q, const char *what)
{
	double slowest = 1;

	for (unsigned p = 0; p < shape().ports; p++) {
		double rate = bench.rate(p);

		if (std::count(left_out.begin(), left_out.end(), p)) {
			continue;
		}
		slowest = std::min(slowest, rate);
		if (rate < 0.99) {
			fail("port %u is %s, and output %u moves %.4f cells/cycle", q, what, p, rate);
		}
	}
	return slowest;
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
		slowest = std::min(slowest, slowest_output(bench, {q, after}, q, "quiesced"));
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
		slowest = std::min(slowest, slowest_output(bench, {}, q, "no longer quiesced"));
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
	for (unsigned p = 1; p < s.links; p++) {
		slowest = std::min(slowest, bench.rate(p));
	}
	if (slowest < 0.97) {
		fail("while tables are written an output moves %.4f cells/cycle", slowest);
	}
	bench.stop_generators();
	bench.drain();
	bench.check_home();
	return figure("%u entries changed and used, other traffic at %.4f cells/cycle at least", updates, slowest);
}

// One input has the output half of the time, and a packet that could start all of the time: the share of the cycles
// that STALLS_GRANT counts.
double grant_stalls(Bench &bench, uint64_t cycles)
{
	const Shape &s = shape();
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
	return share;
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
	double share = grant_stalls(bench, cycles);

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

		for (; room > static_cast<int>(s.left_over()); room--) {
			bench.send(bench.packet(filler, vc, out, vc, 1));
		}
		bench.drain_inside();
		bench.write(XT_REG_CLEAR, 1u << XT_FIELD_CLEAR_HIGH_WATER_LSB);
		for (unsigned p = 0; p < s.ports; p++) {
			unsigned cells = 0, packets = bench.random.between(0, (s.reserved - 4) / s.packet_cells + 2);

			packets = s.turns_back(p, out) ? 0 : packets;
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
	std::vector<TestCase> tests = {{"quiesce", quiesce}, {"table-updates", table_updates}};

	if (shape().has(XT_FEATURE_MONITORS)) {
		tests.push_back({"stalls", stalls});
		tests.push_back({"high-water", high_water});
	}
	if (shape().has(XT_FEATURE_LATENCY)) {
		tests.push_back({"latency", latency});
	}
	return tests;
}
