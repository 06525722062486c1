// SPDX-License-Identifier: Apache-2.0
//
// What a platform can do wrong, one case a run: misuse CASE [argument]. The report must end the program as SystemC ends
// it, with status 1. The cases `...-response` let reports pass, and check the responses and that all goes on.
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "extorus/systemc.hpp"

namespace
{

using tlm::tlm_generic_payload;

unsigned failures;

void expect(bool holds, const char *what)
{
	if (!holds) {
		failures++;
		std::cerr << "not so: " << what << '\n';
	}
}

extorus::NetworkOptions modelOf(const char *profile)
{
	extorus::NetworkOptions options;

	options.engine = extorus::Engine::Model;
	options.profile = profile;
	return options;
}

// A network of two cards, and what is done to it once it is ready.
struct Bench : sc_core::sc_module {
	sc_core::sc_clock clock{"clock", 10, sc_core::SC_NS};
	sc_core::sc_signal<bool> reset{"reset"};
	extorus::Network network;
	tlm_utils::simple_initiator_socket<Bench> registers{"registers"};
	tlm_utils::simple_initiator_socket<Bench> send{"send"};
	tlm_utils::simple_target_socket<Bench> deliver{"deliver"};
	std::function<void(Bench &)> act;
	unsigned delivered = 0;
	bool done = false;

	SC_HAS_PROCESS(Bench);
	Bench(sc_core::sc_module_name name, const char *where, const extorus::NetworkOptions &options,
		std::function<void(Bench &)> what)
	    : sc_module(name), network("network", where, options), act(std::move(what))
	{
		network.clk_i(clock);
		network.rst_ni(reset);
		registers.bind(network.registers(0).socket);
		send.bind(network.nic(0).send);
		network.nic(1).deliver.bind(deliver);
		deliver.register_b_transport(this, &Bench::take);
		SC_THREAD(run);
		set_stack_size(extorus::Network::StackSize);
	}

	void run()
	{
		wait(4 * clock.period());
		reset = true;
		network.awaitReady();
		act(*this);
		wait(200 * clock.period());
		done = true;
		sc_core::sc_stop();
	}

	void take(tlm_generic_payload &packet, sc_core::sc_time &)
	{
		delivered++;
		packet.set_response_status(tlm::TLM_OK_RESPONSE);
	}

	tlm::tlm_response_status access(tlm::tlm_command command, uint64_t address, unsigned length = 4,
		unsigned char *enable = nullptr, unsigned width = 0)
	{
		unsigned char data[64] = {};
		tlm_generic_payload payload;
		sc_core::sc_time delay;

		payload.set_command(command);
		payload.set_address(address);
		payload.set_data_ptr(data);
		payload.set_data_length(length);
		payload.set_streaming_width(width ? width : length);
		payload.set_byte_enable_ptr(enable);
		payload.set_byte_enable_length(enable ? 4 : 0);
		registers->b_transport(payload, delay);
		return payload.get_response_status();
	}

	tlm::tlm_response_status packet(unsigned pe, unsigned bytes, unsigned tc = extorus::PacketInfo::AnyTc)
	{
		const std::vector<unsigned char> data(bytes + 1);
		extorus::PacketInfo info;
		sc_core::sc_time delay;

		info.tc = tc;

		tlm_generic_payload *payload = extorus::newPacket(pe, data.data(), bytes, info);

		send->b_transport(*payload, delay);

		const tlm::tlm_response_status status = payload->get_response_status();

		payload->release();
		return status;
	}
};

int simulate(const std::function<void(Bench &)> &act, const char *where = "torus:2",
	const extorus::NetworkOptions &options = modelOf("mini"))
{
	Bench bench("bench", where, options, act);

	sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
	expect(bench.done, "the run came to its end");
	return failures ? 2 : 0;
}

void unboundClock()
{
	sc_core::sc_signal<bool> reset;
	extorus::Network network("network", "torus:2", modelOf("mini"));

	network.rst_ni(reset);
	sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

// All of its ports but one link's.
void unboundLink()
{
	sc_core::sc_signal<bool> clock, reset, idle;
	sc_core::sc_signal<extorus::AxiRequest> request;
	sc_core::sc_signal<extorus::AxiResponse> response;
	extorus::Card card("card", "mini", extorus::Engine::Model);
	sc_core::sc_vector<sc_core::sc_signal<extorus::Frame>> in("in", 4), out("out", 4);
	sc_core::sc_vector<sc_core::sc_signal<extorus::Beat>> pe("pe", 1), nic("nic", 1);
	sc_core::sc_vector<sc_core::sc_signal<bool>> accepts("accepts", 1), takes("takes", 1);

	card.clk_i(clock);
	card.rst_ni(reset);
	for (unsigned p = 0; p < 3; p++) {
		card.link_i[p](in[p]);
	}
	card.link_o(out);
	card.nic_i(pe);
	card.nic_ready_o(accepts);
	card.nic_o(nic);
	card.nic_ready_i(takes);
	card.axil_i(request);
	card.axil_o(response);
	card.idle_o(idle);
	sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

int withoutReset()
{
	sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
	sc_core::sc_signal<bool> reset("reset", true);
	extorus::Network network("network", "torus:2", modelOf("mini"));

	network.clk_i(clock);
	network.rst_ni(reset);
	sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
	return network.ready() ? 2 : 0;
}

void registerResponses(Bench &bench)
{
	unsigned char part[4] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED, TLM_BYTE_ENABLED, TLM_BYTE_ENABLED};
	tlm_generic_payload payload;
	tlm::tlm_dmi dmi;

	expect(bench.access(tlm::TLM_READ_COMMAND, 0x10000) == tlm::TLM_ADDRESS_ERROR_RESPONSE, "beyond the map");
	expect(bench.access(tlm::TLM_READ_COMMAND, 0xfffc, 8) == tlm::TLM_ADDRESS_ERROR_RESPONSE, "over its end");
	expect(bench.access(tlm::TLM_READ_COMMAND, 0x0f00) == tlm::TLM_ADDRESS_ERROR_RESPONSE, "a hole in the map");
	expect(bench.access(tlm::TLM_WRITE_COMMAND, 0x0000) == tlm::TLM_ADDRESS_ERROR_RESPONSE, "a read-only register");
	expect(bench.access(tlm::TLM_READ_COMMAND, 0x0002) == tlm::TLM_BURST_ERROR_RESPONSE, "not aligned");
	expect(bench.access(tlm::TLM_READ_COMMAND, 0x0000, 3) == tlm::TLM_BURST_ERROR_RESPONSE, "not whole words");
	expect(bench.access(tlm::TLM_READ_COMMAND, 0x0000, 8, nullptr, 4) == tlm::TLM_BURST_ERROR_RESPONSE,
		"streaming");
	expect(bench.access(tlm::TLM_WRITE_COMMAND, 0x0018, 4, part) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
		"part of a word");
	expect(bench.access(tlm::TLM_READ_COMMAND, 0x0000, 4, part) == tlm::TLM_OK_RESPONSE, "some bytes of a word");
	expect(bench.access(tlm::TLM_READ_COMMAND, 0x0000, 16) == tlm::TLM_OK_RESPONSE, "four words");
	expect(bench.access(tlm::TLM_IGNORE_COMMAND, 0x0000) == tlm::TLM_OK_RESPONSE, "nothing");
	expect(!bench.registers->get_direct_mem_ptr(payload, dmi), "no direct access");
}

void packetResponses(Bench &bench)
{
	expect(bench.packet(1, 16) == tlm::TLM_BURST_ERROR_RESPONSE, "too long");
	expect(bench.packet(7, 4) == tlm::TLM_ADDRESS_ERROR_RESPONSE, "no such PE");
	expect(bench.packet(1, 4, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE, "no such TC");
	expect(bench.packet(1, 12) == tlm::TLM_OK_RESPONSE, "the longest");
	expect(bench.packet(1, 0) == tlm::TLM_OK_RESPONSE, "the shortest");
	sc_core::wait(100 * bench.clock.period());
	expect(bench.delivered == 2, "these two came");
}

void secondRequest(Bench &bench)
{
	for (unsigned i = 0; i < 4; i++) {
		tlm_generic_payload *payload = extorus::newPacket(1, "", 0);
		tlm::tlm_phase phase = tlm::BEGIN_REQ;
		sc_core::sc_time delay;

		bench.send->nb_transport_fw(*payload, phase, delay);
		payload->release();
	}
}

// The network's wiring, but none of its own.
void wrongWiring(const char *image)
{
	extorus::NetworkOptions options = modelOf("mini");

	options.profile = "extoll";
	extorus::Network network("network", image, options);
}

} // namespace

int sc_main(int argc, char **argv)
{
	const std::string name = argc > 1 ? argv[1] : "";
	const char *argument = argc > 2 ? argv[2] : "";
	const auto nothing = [](Bench &) {};
	const std::map<std::string, std::function<int()>> cases = {
		{"unbound-clock", [] { return unboundClock(), 0; }},
		{"unbound-link", [] { return unboundLink(), 0; }},
		{"image", [&] { return simulate(nothing, argument, modelOf("")); }},
		{"image-profile", [&] { return wrongWiring(argument), 0; }},
		{"profile", [&] { return simulate(nothing, "torus:2", modelOf(argument)); }},
		{"card-profile", [&] { return extorus::Card("card", argument, extorus::Engine::Rtl), 0; }},
		{"no-reset", withoutReset},
		{"link-latency", [] { return extorus::Link("link", 0), 0; }},
		{"no-card", [] { return simulate([](Bench &b) { b.network.card(2); }); }},
		{"no-pe", [] { return simulate([](Bench &b) { b.network.nic(2); }); }},
		{"no-port", [] { return simulate([](Bench &b) { b.network.link(0, 4); }); }},
		{"early",
			[] {
				extorus::Network network("network", "torus:2", modelOf("mini"));

				return network.device() ? 0 : 2;
			}},
		{"address", [] { return simulate([](Bench &b) { b.access(tlm::TLM_READ_COMMAND, 0x10000); }); }},
		{"long-packet", [] { return simulate([](Bench &b) { b.packet(1, 16); }); }},
		{"destination", [] { return simulate([](Bench &b) { b.packet(2, 4); }); }},
		{"tc", [] { return simulate([](Bench &b) { b.packet(1, 4, 1); }); }},
		{"second-request", [] { return simulate(secondRequest); }},
		{"nobody", [] { return simulate([](Bench &b) { b.packet(0, 4); }); }},
		{"register-response",
			[] {
				sc_core::sc_report_handler::set_actions("/extorus/register", sc_core::SC_DISPLAY);
				return simulate(registerResponses);
			}},
		{"packet-response",
			[] {
				sc_core::sc_report_handler::set_actions("/extorus/packet", sc_core::SC_DISPLAY);
				return simulate(packetResponses);
			}},
	};
	const auto found = cases.find(name);

	if (found == cases.end()) {
		std::cerr << "usage: " << argv[0] << " CASE [argument]; there are:";
		for (const auto &one : cases) {
			std::cerr << ' ' << one.first;
		}
		std::cerr << '\n';
		return 2;
	}
	sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
	return found->second();
}
