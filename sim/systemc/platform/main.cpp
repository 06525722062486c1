// SPDX-License-Identifier: Apache-2.0
//
// A small virtual platform: on every card of a network a processor and a memory, which store to and load from each
// other's memories. Prints what came of it as JSON.
//
//   platform TOPOLOGY|IMAGE rtl|model loose|approximate [VCD file without its suffix]
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "extorus/registers.h"
#include "extorus/systemc.hpp"
#include "processor.hpp"
#include "window.hpp"

namespace
{

constexpr unsigned Operations = 24, SliceBytes = 512;

// The same numbers on every machine.
class Dice
{
      public:
	explicit Dice(uint64_t seed) : state_(seed * 2 + 1)
	{
	}
	unsigned below(unsigned n)
	{
		state_ = state_ * 6364136223846793005u + 1442695040888963407u;
		return static_cast<unsigned>(state_ >> 33) % n;
	}

      private:
	uint64_t state_;
};

// `memories`: what is to be in each at the end.
std::vector<Operation> makeProgram(unsigned pe, std::vector<std::vector<unsigned char>> &memories, unsigned longest)
{
	std::vector<Operation> program;
	Dice dice(pe);

	for (unsigned i = 0; i < Operations; i++) {
		const unsigned target = dice.below(static_cast<unsigned>(memories.size()));
		const unsigned length = 4 * (1 + dice.below(longest / 4));
		const unsigned offset = pe * SliceBytes + 4 * dice.below((SliceBytes - length) / 4 + 1);
		unsigned char *at = &memories[target][offset];
		Operation operation;

		operation.store = dice.below(2);
		operation.address = addressOf(target, offset);
		operation.work = 10 * dice.below(20);
		for (unsigned b = 0; operation.store && b < length; b++) {
			at[b] = static_cast<unsigned char>(dice.below(256));
		}
		operation.data.assign(at, at + length);
		program.push_back(std::move(operation));
	}
	return program;
}

SC_MODULE(Platform)
{
	sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
	sc_core::sc_signal<bool> reset{"reset"};
	extorus::Network network;
	Scoreboard scoreboard;
	sc_core::sc_time begin, end;

	SC_HAS_PROCESS(Platform);
	Platform(sc_core::sc_module_name name, const std::string &where, const extorus::NetworkOptions &options,
		bool loose)
	    : sc_module(name), network("network", where, options)
	{
		const unsigned pes = network.pes();
		const unsigned longest =
			std::min(SliceBytes / 2, network.nic(0).longestPayload() - static_cast<unsigned>(HeaderBytes));

		network.clk_i(clock);
		network.rst_ni(reset);
		expected_.assign(pes, std::vector<unsigned char>(static_cast<size_t>(pes) * SliceBytes));
		for (unsigned pe = 0; pe < pes; pe++) {
			const std::string number = std::to_string(pe);
			std::vector<Operation> program = makeProgram(pe, expected_, longest);
			extorus::Nic &nic = network.nic(pe);

			windows_.push_back(std::make_unique<Window>(("window" + number).c_str(), pe, pes,
				xt_image_pe_tc_mask(network.image(), pe), expected_[pe].size()));
			if (loose) {
				processors_.push_back(std::make_unique<LooseProcessor>(
					("processor" + number).c_str(), std::move(program), scoreboard));
			} else {
				processors_.push_back(std::make_unique<ApproximateProcessor>(
					("processor" + number).c_str(), std::move(program), scoreboard));
			}
			processors_[pe]->memory.bind(windows_[pe]->processor);
			windows_[pe]->send.bind(nic.send);
			nic.deliver.bind(windows_[pe]->deliver);
		}
		for (unsigned card = 0; card < network.cards(); card++) {
			registers_.push_back(
				std::make_unique<RegisterSocket>(("registers" + std::to_string(card)).c_str()));
			registers_[card]->bind(network.registers(card).socket);
		}
		SC_THREAD(run);
	}

	// Of all memories: a 64-bit FNV-1a. Differences from what was expected are the scoreboard's errors.
	uint64_t digest()
	{
		uint64_t sum = 14695981039346656037u;

		for (size_t pe = 0; pe < windows_.size(); pe++) {
			scoreboard.errors += windows_[pe]->memory() != expected_[pe];
			for (unsigned char byte : windows_[pe]->memory()) {
				sum = (sum ^ byte) * 1099511628211u;
			}
		}
		return sum;
	}

	uint64_t cellsInto(unsigned card)
	{
		const xt_profile_t *profile = xt_image_profile(network.image());
		uint64_t cells = 0;

		for (unsigned tc = 0; tc < profile->tcs; tc++) {
			cells += counters_[card * profile->tcs + tc];
		}
		return cells;
	}

	bool finished = false;

      private:
	using RegisterSocket = tlm_utils::simple_initiator_socket<Platform>;

	static constexpr unsigned HeaderBytes = 16;

	void run()
	{
		wait(4 * clock.period());
		reset = true;
		network.awaitReady();
		begin = sc_core::sc_time_stamp();
		for (const auto &processor : processors_) {
			if (!processor->done()) {
				wait(processor->doneEvent());
			}
		}
		end = sc_core::sc_time_stamp();
		readCounters();
		finished = true;
		sc_core::sc_stop();
	}

	// As software would: what each card delivered to its PE.
	void readCounters()
	{
		const xt_profile_t *profile = xt_image_profile(network.image());

		for (unsigned card = 0; card < network.cards(); card++) {
			for (unsigned tc = 0; tc < profile->tcs; tc++) {
				uint32_t value = 0;
				sc_core::sc_time delay;
				tlm::tlm_generic_payload payload;

				payload.set_read();
				payload.set_address(xt_register_address(XT_REG_TX_CELLS, profile->link_ports, tc));
				payload.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
				payload.set_data_length(sizeof(value));
				payload.set_streaming_width(sizeof(value));
				(*registers_[card])->b_transport(payload, delay);
				counters_.push_back(value);
			}
		}
	}

	std::vector<std::unique_ptr<RegisterSocket>> registers_;
	std::vector<std::unique_ptr<Window>> windows_;
	std::vector<std::unique_ptr<Processor>> processors_;
	std::vector<std::vector<unsigned char>> expected_;
	std::vector<uint32_t> counters_;
};

} // namespace

int sc_main(int argc, char **argv)
{
	const std::string engine = argc > 2 ? argv[2] : "", style = argc > 3 ? argv[3] : "";

	if (argc < 4 || argc > 5 || (engine != "rtl" && engine != "model") ||
		(style != "loose" && style != "approximate")) {
		std::cerr << "usage: " << argv[0] << " TOPOLOGY|IMAGE rtl|model loose|approximate [VCD]\n";
		return 2;
	}
	extorus::NetworkOptions options;

	options.engine = engine == "rtl" ? extorus::Engine::Rtl : extorus::Engine::Model;
	sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
	tlm_utils::tlm_quantumkeeper::set_global_quantum(sc_core::sc_time(1, sc_core::SC_US));

	Platform platform("platform", argv[1], options, style == "loose");
	sc_core::sc_trace_file *waves = argc > 4 ? sc_core::sc_create_vcd_trace_file(argv[4]) : nullptr;

	if (waves) {
		sc_core::sc_trace(waves, platform.clock, platform.clock.name());
		platform.network.trace(waves, 0);
	}
	sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_MS));
	if (waves) {
		sc_core::sc_close_vcd_trace_file(waves);
	}
	const uint64_t digest = platform.digest();
	uint64_t cells = 0;

	for (unsigned card = 0; platform.finished && card < platform.network.cards(); card++) {
		cells += platform.cellsInto(card);
	}
	std::printf("{\"cards\": %u, \"engine\": \"%s\", \"timing\": \"%s\", \"finished\": %s, \"stores\": %u, "
		    "\"loads\": %u, "
		    "\"errors\": %u, \"memories\": \"%016llx\", \"cells\": %llu, \"cycles\": %.0f}\n",
		platform.network.cards(), engine.c_str(), style.c_str(), platform.finished ? "true" : "false",
		platform.scoreboard.stores, platform.scoreboard.loads, platform.scoreboard.errors,
		static_cast<unsigned long long>(digest), static_cast<unsigned long long>(cells),
		(platform.end - platform.begin) / platform.clock.period());
	return platform.finished && !platform.scoreboard.errors ? 0 : 1;
}
