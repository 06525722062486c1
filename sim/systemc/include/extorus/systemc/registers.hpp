// SPDX-License-Identifier: Apache-2.0
//
// A TLM-2.0 target in front of a card's registers: an AXI4-Lite master.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "extorus/export.h"
#include "signals.hpp"

namespace extorus
{

// The socket need not be bound. A transaction is one or more aligned 32-bit words below 64 KiB, carried out one after
// the other, in as many cycles as the card takes. Responses: TLM_ADDRESS_ERROR_RESPONSE where the card has no such
// register, or refuses the access; TLM_BURST_ERROR_RESPONSE for lengths, addresses and streaming widths that are no
// whole words; TLM_BYTE_ENABLE_ERROR_RESPONSE for writes of parts of words, which the registers do not have. Each of
// these is an error /extorus/register too. There is no DMI: registers change by themselves, and reading them takes
// time. Nor is there debug access, as a card is read through its pins.
class XT_API Registers : public sc_core::sc_module
{
      public:
	sc_core::sc_in<bool> clk_i;
	sc_core::sc_out<AxiRequest> axil_o;
	sc_core::sc_in<AxiResponse> axil_i;
	tlm_utils::simple_target_socket_optional<Registers> socket;

	explicit Registers(sc_core::sc_module_name name);

	enum class Status { Ok, Refused, Silent };
	// One transfer, from within a thread.
	Status read(uint32_t address, uint32_t &value);
	Status write(uint32_t address, uint32_t value);

      private:
	SC_HAS_PROCESS(Registers);
	void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
	tlm::tlm_response_status check(const tlm::tlm_generic_payload &payload) const;
	tlm::tlm_response_status transfer(tlm::tlm_generic_payload &payload);
	template <typename Done> Status wait(AxiRequest &request, Done done);
	void show(const AxiRequest &request);
	void drive();

	sc_core::sc_mutex busy_; // one master at a time
	// The pins have one driver, whichever thread calls.
	AxiRequest request_;
	sc_core::sc_event request_event_;
};

} // namespace extorus
