// SPDX-License-Identifier: Apache-2.0
//
// What `extorus sim` does, on SystemC: the library's traffic through a network of cards, with every packet checked. For
// tests and measurements; the settings are NAME=VALUE.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "extorus/run.h"
#include "extorus/systemc.hpp"

namespace
{

struct Settings {
	std::string where, log;
	std::string engine = "rtl"; // model; mixed: cards take turns
	extorus::NetworkOptions network;
	double load = 0.1;
	uint64_t seed = 1, measure = 2000;
	unsigned stall = 0, period = 0;
	int runs = 1;
};

// False: something is not as it should be, and said so.
bool take(Settings &s, const std::string &name, const std::string &value)
{
	const std::map<std::string, std::function<void()>> known = {
		{"engine", [&] { s.engine = value; }},
		{"profile", [&] { s.network.profile = value; }},
		{"algorithm", [&] { s.network.algorithm = value; }},
		{"latency", [&] { s.network.latency = static_cast<unsigned>(std::stoul(value)); }},
		{"load", [&] { s.load = std::stod(value); }},
		{"seed", [&] { s.seed = std::stoull(value); }},
		{"measure", [&] { s.measure = std::stoull(value); }},
		{"stall", [&] { s.stall = static_cast<unsigned>(std::stoul(value)); }},
		{"period", [&] { s.period = static_cast<unsigned>(std::stoul(value)); }},
		{"runs", [&] { s.runs = std::stoi(value); }},
		{"sleep", [&] { s.network.sleep = value != "no"; }},
		{"tables", [&] { s.network.byRegisters = value == "registers"; }},
		{"log", [&] { s.log = value; }},
	};
	const auto found = known.find(name);

	if (found == known.end()) {
		std::cerr << "unknown setting " << name << "; there are:";
		for (const auto &one : known) {
			std::cerr << ' ' << one.first;
		}
		std::cerr << '\n';
		return false;
	}
	try {
		found->second();
	} catch (const std::logic_error &) {
		std::cerr << name << ": \"" << value << "\" is not a number\n";
		return false;
	}
	return true;
}

SC_MODULE(Top)
{
	sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
	sc_core::sc_signal<bool> reset{"reset"};
	extorus::Network network;
	int status = 2;

	SC_HAS_PROCESS(Top);
	Top(sc_core::sc_module_name name, const Settings &s)
	    : sc_module(name), network("network", s.where, s.network), settings(s)
	{
		network.clk_i(clock);
		network.rst_ni(reset);
		SC_THREAD(run);
		set_stack_size(extorus::Network::StackSize);
	}

      private:
	void run()
	{
		wait(4 * clock.period());
		reset = true;
		network.awaitReady();
		for (int i = 0; i < settings.runs; i++) {
			status = oneRun();
		}
		sc_core::sc_stop();
	}

	int oneRun()
	{
		xt_traffic_t traffic = xt_traffic_default(xt_image_profile(network.image()));
		xt_run_options_t options = XT_OPTIONS_INIT(xt_run_options_t);
		xt_result_t *result;
		xt_diag_t diag;

		traffic.load = settings.load;
		traffic.seed = settings.seed;
		traffic.warmup = 0;
		traffic.measure = traffic.drain = settings.measure;
		options.nic_stall = settings.stall;
		options.nic_period = settings.period;
		if (!settings.log.empty()) {
			options.packet_log = std::fopen(settings.log.c_str(), "w");
		}

		const int done = xt_device_run(network.device(), network.image(), &traffic, &options, &result, &diag);

		if (options.packet_log) {
			std::fclose(options.packet_log);
		}
		if (done != XT_OK) {
			std::cerr << diag.text << '\n';
			return 2;
		}
		const int ok = xt_result_ok(result);

		std::printf("{\"engine\": \"%s\", \"ok\": %s, \"cycles\": %llu, \"packets_sent\": %llu, "
			    "\"packets_delivered\": %llu, \"accepted_load\": %.17g, "
			    "\"evaluated_card_cycles\": %llu, \"card_cycles_per_second\": %.17g}\n",
			settings.engine.c_str(), ok ? "true" : "false", static_cast<unsigned long long>(result->cycles),
			static_cast<unsigned long long>(result->packets_sent),
			static_cast<unsigned long long>(result->packets_delivered), result->accepted_load,
			static_cast<unsigned long long>(result->evaluated_card_cycles), result->card_cycles_per_second);
		for (unsigned r = 0; r < result->report_count; r++) {
			std::cerr << result->reports[r] << '\n';
		}
		xt_result_free(result);
		return ok ? 0 : 1;
	}

	const Settings &settings;
};

} // namespace

int sc_main(int argc, char **argv)
{
	Settings settings;

	if (argc < 2) {
		std::cerr << "usage: " << argv[0] << " TOPOLOGY|IMAGE [NAME=VALUE]...\n";
		return 2;
	}
	settings.where = argv[1];
	settings.network.packets = false;
	for (int i = 2; i < argc; i++) {
		const std::string word = argv[i];
		const size_t equals = word.find('=');

		if (!take(settings, word.substr(0, equals),
			    equals == std::string::npos ? "" : word.substr(equals + 1))) {
			return 2;
		}
	}
	settings.network.engine = settings.engine == "model" ? extorus::Engine::Model : extorus::Engine::Rtl;
	if (settings.engine == "mixed") {
		settings.network.engineOf = [](unsigned card) {
			return card % 2 ? extorus::Engine::Model : extorus::Engine::Rtl;
		};
	}
	sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);

	Top top("top", settings);

	sc_core::sc_start();
	return top.status;
}
