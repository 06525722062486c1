// SPDX-License-Identifier: Apache-2.0
//
// Another project's program: every PE of a 3D torus sends a packet to every other and counts what comes.
#include <extorus/systemc.hpp>
#include <iostream>
#include <memory>

struct Pe : sc_core::sc_module {
	tlm_utils::simple_initiator_socket<Pe> send{"send"};
	tlm_utils::simple_target_socket<Pe> deliver{"deliver"};
	unsigned self, pes, came = 0;

	SC_HAS_PROCESS(Pe);
	Pe(sc_core::sc_module_name name, extorus::Network &network, unsigned pe)
	    : sc_module(name), self(pe), pes(network.pes())
	{
		send.bind(network.nic(pe).send);
		network.nic(pe).deliver.bind(deliver);
		deliver.register_b_transport(this, &Pe::take);
		SC_THREAD(run);
	}
	void run()
	{
		for (unsigned i = 1; i < pes; i++) {
			const std::string text = "from " + std::to_string(self);
			auto *packet = extorus::newPacket((self + i) % pes, text.data(), text.size());
			sc_core::sc_time delay;
			send->b_transport(*packet, delay);
			packet->release();
		}
	}
	void take(tlm::tlm_generic_payload &packet, sc_core::sc_time &)
	{
		const std::string from = "from " + std::to_string(packet.get_address());
		came += from.compare(reinterpret_cast<char *>(packet.get_data_ptr())) == 0; // filled up with zeros
		packet.set_response_status(tlm::TLM_OK_RESPONSE);
	}
};

int sc_main(int argc, char **argv)
{
	sc_core::sc_clock clock("clock", 10, sc_core::SC_NS);
	sc_core::sc_signal<bool> reset("reset");
	const bool rtl = argc > 1 && argv[1] == std::string("rtl");
	extorus::Network network("network", "torus:3x2x2", {rtl ? extorus::Engine::Rtl : extorus::Engine::Model});
	std::vector<std::unique_ptr<Pe>> pes;
	network.clk_i(clock);
	network.rst_ni(reset);
	for (unsigned pe = 0; pe < network.pes(); pe++) {
		pes.push_back(std::make_unique<Pe>(("pe" + std::to_string(pe)).c_str(), network, pe));
	}
	sc_core::sc_start(100, sc_core::SC_NS);
	reset = true;
	sc_core::sc_start(500, sc_core::SC_US);
	unsigned came = 0;
	for (const auto &pe : pes) {
		came += pe->came;
	}
	std::cout << came << " packets of " << pes.size() * (pes.size() - 1) << '\n';
	return came == pes.size() * (pes.size() - 1) ? 0 : 1;
}
