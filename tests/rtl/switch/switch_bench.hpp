// SPDX-License-Identifier: Apache-2.0
//
// One card with a peer at every port, stepped together.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "axi_lite.hpp"
#include "bench_packet.hpp"
#include "card_under_test.hpp"
#include "failure.hpp"
#include "peers.hpp"
#include "random.hpp"
#include "shape.hpp"

struct Options {
	uint64_t seed = 1;
	std::string wave;   // FST file, empty: none
	unsigned scale = 1; // multiplies the length of random tests
};

// A field of a table entry that routes to (port, vc within the TC); `valid` clear: no route.
uint32_t entry_field(bool valid, unsigned port, unsigned vc, unsigned mask = 0);

class Bench
{
      public:
	// Resets the card, waits until it is ready and, unless told otherwise, loads routes by which
	// address(port, vc) leads to each output and VC.
	enum class Routes { none, direct };
	explicit Bench(const Options &options, Routes routes = Routes::direct);

	Card card;
	Scoreboard board;
	Random random;
	AxiLite axi;
	AxiLite::Delays axi_delays;
	std::vector<LinkPort> links;
	std::vector<LinkSource> link_sources;
	std::vector<LinkSink> link_sinks;
	std::vector<NicSource> nic_sources;
	std::vector<NicSink> nic_sinks;

	Source &source(unsigned port);
	Sink &sink(unsigned port);

	uint64_t now() const
	{
		return card.cycle();
	}
	void step();
	void run(uint64_t cycles);
	// Steps until `done()`; a failure that names `what` after `limit` cycles.
	template <typename Done> void run_until(Done done, uint64_t limit, const char *what)
	{
		for (uint64_t end = now() + limit; !done();) {
			if (now() >= end) {
				time_out(limit, what);
			}
			step();
		}
	}
	// Resets the card and forgets everything that was in it, with fresh peers; then load routes again.
	void restart();
	void load_direct_routes();
	// Does not evaluate the card in cycles in which idle_o promises that nothing would change.
	bool skip_idle = false;
	uint64_t skipped = 0;
	// Compares the outputs before and after the inputs settle in every cycle (slow).
	bool check_registered_outputs = false;

	// Registers, while traffic goes on. read and write want an OKAY answer.
	uint32_t read(xt_register_id_t id, unsigned port = 0, unsigned item = 0);
	void write(xt_register_id_t id, uint32_t value, unsigned port = 0, unsigned item = 0);
	unsigned read_address(uint32_t address, uint32_t &value); // returns the AXI response
	unsigned write_address(uint32_t address, uint32_t value, unsigned strobe = 15);
	// One table entry, 64 bits, of the ports in TABLE_PORTS or the port in TABLE_READ_PORT.
	void write_entry(xt_register_id_t table, unsigned index, uint64_t entry);
	// Its low or its high word alone.
	void write_half(xt_register_id_t table, unsigned index, unsigned half, uint32_t word);
	uint64_t read_entry(xt_register_id_t table, unsigned index);

	// A destination that Routes::direct leads to `port` and the VC, counted within a TC. The bits
	// that choose no LRT entry are random.
	uint32_t address(unsigned port, unsigned vc_in_tc);
	// One whose entry is invalid for every TC, or names a port that does not exist.
	uint32_t address_without_route();
	uint32_t address_of_missing_port();
	// Number of LRT entries that these take.
	unsigned direct_entries() const;

	// A packet with a fresh id. in_vc and out_vc are numbered through all TCs and of the same TC; a
	// NIC has one in_vc per TC (nic_vc) and out_vc 0.
	Packet packet(unsigned in_port, unsigned in_vc, unsigned out_port, unsigned out_vc, unsigned cells);
	Packet illegal_packet(unsigned in_port, unsigned in_vc, unsigned cells);
	void send(const Packet &packet)
	{
		source(packet.in_port).push(packet);
	}

	// The VCs a source may use: every deterministic one at a link, the first of each TC at a NIC.
	uint32_t source_vcs(unsigned port) const;
	// A VC of `tc`, deterministic, at random; 0 for a NIC output.
	unsigned random_out_vc(unsigned out_port, unsigned tc);
	uint64_t fresh_id()
	{
		return ++last_id_;
	}

	void stop_generators();
	void clear_windows();
	// Since then: cells per cycle that a port's sink has got, and that its source has sent.
	double rate(unsigned port);
	double sent_rate(unsigned port);
	void set_credit_delays(unsigned delay); // of all links, both sides
	bool links_ready() const;               // all are up
	void wait_links();                      // until they are
	bool is_ready();                        // STATUS.ready
	void wait_ready();
	// Runs until every packet is out and all credits are home; a failure if nothing moves for long.
	void drain();
	// The link of a port has gone down: takes what was under way out of the books; the packets that the
	// card swallows. Then, to have it up again, retrain().
	std::deque<Packet> give_up(unsigned port);
	void retrain(unsigned port);
	// The same, but for credits that sinks withhold.
	void drain_inside();
	// Everything home, by pins, by registers and by the bench's own counts.
	void check_home();
	// What a stuck card looks like from outside.
	std::string state();

      private:
	void check_link(unsigned port);
	[[noreturn]] void time_out(uint64_t limit, const char *what);
	uint64_t seed_;
	uint64_t last_id_ = 0;
	uint64_t windows_from_ = 0; // the cycle in which they were cleared
};
