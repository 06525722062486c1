// SPDX-License-Identifier: Apache-2.0
#include "switch_bench.hpp"

#include <algorithm>

uint32_t entry_field(bool valid, unsigned port, unsigned vc, unsigned mask)
{
	return (valid ? 1u << XT_ENTRY_VALID_BIT : 0u) | port << XT_ENTRY_PORT_LSB | vc << XT_ENTRY_VC_LSB |
	       mask << XT_ENTRY_MASK_LSB;
}

Bench::Bench(const Options &options, Routes routes)
    : card(options.wave, options.seed), random(options.seed * 77), seed_(options.seed)
{
	restart();
	if (routes == Routes::direct) {
		load_direct_routes();
	}
}

void Bench::restart()
{
	const Shape &s = shape();

	board = Scoreboard();
	axi = AxiLite();
	links.clear();
	link_sources.clear();
	link_sinks.clear();
	nic_sources.clear();
	nic_sinks.clear();
	for (unsigned p = 0; p < s.links; p++) {
		links.emplace_back(p, seed_ * 1000 + 400 + p);
		link_sources.emplace_back(p, board, seed_ * 1000 + p);
		link_sinks.emplace_back(p, board, seed_ * 1000 + 100 + p);
	}
	for (unsigned n = 0; n < s.nics; n++) {
		nic_sources.emplace_back(s.links + n, board, seed_ * 1000 + 200 + n);
		nic_sinks.emplace_back(s.links + n, board, seed_ * 1000 + 300 + n);
	}
	set_credit_delays(2 * s.profile->link_latency + 1 + (s.frame.layer ? 4 : 0));
	card.reset(5);
}

Source &Bench::source(unsigned port)
{
	if (shape().is_nic(port)) {
		return nic_sources[port - shape().links];
	}
	return link_sources[port];
}

Sink &Bench::sink(unsigned port)
{
	if (shape().is_nic(port)) {
		return nic_sinks[port - shape().links];
	}
	return link_sinks[port];
}

void Bench::step()
{
	std::vector<uint32_t> before;

	card.idle_inputs();
	for (unsigned p = 0; p < shape().links; p++) {
		links[p].receive(card, now());
		link_sinks[p].cycle(links[p], now());
	}
	for (NicSink &sink : nic_sinks) {
		sink.cycle(card, now());
	}
	for (unsigned p = 0; p < shape().links; p++) {
		link_sources[p].cycle(links[p], now());
		links[p].transmit(card, now());
	}
	for (NicSource &source : nic_sources) {
		source.cycle(card, now());
	}
	axi.cycle(card, now());
	if (check_registered_outputs) {
		before = card.outputs();
		card.settle();
		if (card.outputs() != before) {
			fail("cycle %llu: an output pin follows an input within the cycle", as_ull(now()));
		}
	}
	if (skip_idle && card.idle() && !card.any_input_valid()) {
		card.skip();
		skipped++;
	} else {
		card.tick();
	}
}

void Bench::run(uint64_t cycles)
{
	for (uint64_t i = 0; i < cycles; i++) {
		step();
	}
}

void Bench::time_out(uint64_t limit, const char *what)
{
	fail("cycle %llu: %s not reached in %llu cycles; %s", as_ull(now()), what, as_ull(limit), state().c_str());
}

unsigned Bench::read_address(uint32_t address, uint32_t &value)
{
	axi.start_read(address, axi_delays);
	while (axi.reading()) {
		step();
	}
	value = axi.read_data();
	return axi.read_response();
}

unsigned Bench::write_address(uint32_t address, uint32_t value, unsigned strobe)
{
	axi.start_write(address, value, strobe, axi_delays);
	while (axi.writing()) {
		step();
	}
	return axi.write_response();
}

uint32_t Bench::read(xt_register_id_t id, unsigned port, unsigned item)
{
	uint32_t address = xt_register_address(id, port, item), value;
	unsigned response = read_address(address, value);

	if (response != AxiLite::Okay) {
		fail("cycle %llu: read of %s (0x%04x) answered %u", as_ull(now()), xt_registers[id].name, address,
			response);
	}
	return value;
}

void Bench::write(xt_register_id_t id, uint32_t value, unsigned port, unsigned item)
{
	uint32_t address = xt_register_address(id, port, item);
	unsigned response = write_address(address, value);

	if (response != AxiLite::Okay) {
		fail("cycle %llu: write of %s (0x%04x) answered %u", as_ull(now()), xt_registers[id].name, address,
			response);
	}
}

void Bench::write_entry(xt_register_id_t table, unsigned index, uint64_t entry)
{
	for (unsigned half = 0; half < 2; half++) {
		write_half(table, index, half, static_cast<uint32_t>(entry >> (32 * half)));
	}
}

void Bench::write_half(xt_register_id_t table, unsigned index, unsigned half, uint32_t word)
{
	uint32_t address = xt_register_address(table, 0, index) + 4 * half;
	unsigned response = write_address(address, word);

	if (response != AxiLite::Okay) {
		fail("cycle %llu: write of %s[%u] (0x%04x) answered %u", as_ull(now()), xt_registers[table].name, index,
			address, response);
	}
}

uint64_t Bench::read_entry(xt_register_id_t table, unsigned index)
{
	uint32_t address = xt_register_address(table, 0, index);
	uint64_t entry = 0;

	for (unsigned half = 0; half < 2; half++) {
		uint32_t value;
		unsigned response = read_address(address + 4 * half, value);

		if (response != AxiLite::Okay) {
			fail("cycle %llu: read of %s[%u] (0x%04x) answered %u", as_ull(now()), xt_registers[table].name,
				index, address + 4 * half, response);
		}
		entry |= static_cast<uint64_t>(value) << (32 * half);
	}
	return entry;
}

bool Bench::is_ready()
{
	return read(XT_REG_STATUS) >> XT_FIELD_STATUS_READY_LSB & 1;
}

void Bench::wait_ready()
{
	while (!is_ready()) {
		if (now() > 100000) {
			fail("cycle %llu: STATUS.ready never came", as_ull(now()));
		}
	}
}

void Bench::wait_links()
{
	run_until([&] { return links_ready(); }, 1000, "the links' training");
}

// LRT entry port + Ports * vc leads to the port and VC of whatever TC; the two after the last are the
// ones without a route. A match mask of 0 keeps every packet in the LRT.
void Bench::load_direct_routes()
{
	const Shape &s = shape();
	unsigned entries = direct_entries() - 2;

	if (entries + 2 > s.lrt_entries) {
		fail("bench: %u routes do not fit the LRT", entries + 2);
	}
	wait_ready();
	// Every packet goes by the VC that its entry names, also if that is an adaptive one: nothing is
	// chosen, and nothing is moved to its escape.
	if (s.features & XT_FEATURE_ADAPTIVE) {
		write(XT_REG_ADAPTIVE_THRESHOLDS, 0);
		write(XT_REG_ADAPTIVE_PATIENCE, 0xffff);
	}
	wait_links();
	write(XT_REG_CARD_ID, 0);
	write(XT_REG_ROUTE_ORDER, 0);
	for (unsigned t = 0; t < s.tcs; t++) {
		write(XT_REG_MATCH_MASK, 0, 0, t);
	}
	write(XT_REG_TABLE_PORTS, (1u << s.ports) - 1);
	for (unsigned i = 0; i < entries + 2; i++) {
		uint64_t entry = 0;

		for (unsigned t = 0; t < s.tcs; t++) {
			uint64_t field = entry_field(true, i % s.ports, std::min(i / s.ports, s.vc_count[t] - 1));

			if (i == entries) {
				field = entry_field(false, 0, 0);
			} else if (i == entries + 1) {
				field = entry_field(true, 15, 0);
			}
			entry |= field << (16 * t);
		}
		write_entry(XT_REG_LRT, i, entry);
	}
	clear_windows();
}

unsigned Bench::direct_entries() const
{
	const Shape &s = shape();

	return *std::max_element(s.vc_count, s.vc_count + s.tcs) * s.ports + 2;
}

uint32_t Bench::address(unsigned port, unsigned vc_in_tc)
{
	const Shape &s = shape();

	return random.below(s.grt_entries) << s.profile->lrt_bits | (port + s.ports * vc_in_tc);
}

uint32_t Bench::address_without_route()
{
	return direct_entries() - 2;
}

uint32_t Bench::address_of_missing_port()
{
	return address_without_route() + 1;
}

Packet Bench::packet(unsigned in_port, unsigned in_vc, unsigned out_port, unsigned out_vc, unsigned cells)
{
	const Shape &s = shape();
	Packet p;

	p.id = fresh_id();
	p.cells = cells;
	p.in_port = in_port;
	p.in_vc = in_vc;
	p.out_port = out_port;
	p.out_vc = s.is_nic(out_port) ? 0 : out_vc;
	p.dest = address(out_port, s.is_nic(out_port) ? 0 : s.vc_in_tc(out_vc));
	p.illegal = s.turns_back(in_port, out_port);
	if (!s.is_nic(out_port) && s.vc_tc[out_vc] != s.vc_tc[in_vc]) {
		fail("bench: packet of VC %u cannot leave on VC %u, another TC", in_vc, out_vc);
	}
	return p;
}

Packet Bench::illegal_packet(unsigned in_port, unsigned in_vc, unsigned cells)
{
	Packet p = packet(in_port, in_vc, shape().links, 0, cells);

	p.illegal = true;
	p.dest = random.below(2) ? address_without_route() : address_of_missing_port();
	return p;
}

uint32_t Bench::source_vcs(unsigned port) const
{
	const Shape &s = shape();
	uint32_t set = 0;

	for (unsigned t = 0; t < s.tcs; t++) {
		unsigned n = s.is_nic(port) ? 1 : s.deterministic[t];

		for (unsigned v = 0; v < n; v++) {
			set |= 1u << (s.first_vc[t] + v);
		}
	}
	return set;
}

unsigned Bench::random_out_vc(unsigned out_port, unsigned tc)
{
	const Shape &s = shape();

	return s.is_nic(out_port) ? 0 : s.first_vc[tc] + random.below(s.deterministic[tc]);
}

void Bench::stop_generators()
{
	for (unsigned p = 0; p < shape().ports; p++) {
		source(p).generator = nullptr;
		source(p).drop_queues();
	}
}

void Bench::clear_windows()
{
	for (unsigned p = 0; p < shape().ports; p++) {
		source(p).window_cells = 0;
		sink(p).window = Sink::Window();
	}
	windows_from_ = now();
}

double Bench::rate(unsigned port)
{
	return static_cast<double>(sink(port).window.cells) / static_cast<double>(now() - windows_from_);
}

double Bench::sent_rate(unsigned port)
{
	return static_cast<double>(source(port).window_cells) / static_cast<double>(now() - windows_from_);
}

void Bench::set_credit_delays(unsigned delay)
{
	for (LinkSource &source : link_sources) {
		source.credit_delay = delay;
	}
	for (LinkSink &sink : link_sinks) {
		sink.return_delay = delay;
	}
}

bool Bench::links_ready() const
{
	for (const LinkPort &link : links) {
		if (!link.ready(card.cycle())) {
			return false;
		}
	}
	return true;
}
