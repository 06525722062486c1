// SPDX-License-Identifier: Apache-2.0
//
// The memory of a PE, and its window to the memories of all others. A store or load at an address of the
// window goes as a packet to the PE that has the address. That PE answers with another packet.
#pragma once

#include <deque>
#include <map>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "extorus/systemc.hpp"

// Addresses: the PE above the byte in its memory.
constexpr unsigned OffsetBits = 20;

inline uint64_t addressOf(unsigned pe, uint32_t offset)
{
	return static_cast<uint64_t>(pe) << OffsetBits | offset;
}

class Window : public sc_core::sc_module
{
      public:
	tlm_utils::simple_target_socket<Window> processor; // loosely or approximately timed
	tlm_utils::simple_initiator_socket<Window> send;   // packets, to the NIC
	tlm_utils::simple_target_socket<Window> deliver;   // and from it

	// `tcs`: bit per TC that the PE may use. Requests take the lowest, answers the highest.
	Window(sc_core::sc_module_name name, unsigned pe, unsigned pes, unsigned tcs, size_t memoryBytes);

	const std::vector<unsigned char> &memory() const
	{
		return memory_;
	}

      private:
	SC_HAS_PROCESS(Window);

	enum Kind : uint32_t { Store, StoreDone, Load, LoadDone };
	// The first cell of a payload, before the data.
	struct Message {
		uint32_t kind, id, offset, length;
	};
	// Of the processor, until its answer is there.
	struct Access {
		tlm::tlm_generic_payload *payload;
		sc_core::sc_event *done; // null: the answer goes by the backward path
	};

	void block(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
	tlm::tlm_sync_enum access(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
	tlm::tlm_sync_enum arrive(tlm::tlm_generic_payload &packet, tlm::tlm_phase &phase, sc_core::sc_time &delay);
	tlm::tlm_sync_enum sent(tlm::tlm_generic_payload &packet, tlm::tlm_phase &phase, sc_core::sc_time &delay);
	bool here(tlm::tlm_generic_payload &payload);
	void request(tlm::tlm_generic_payload &payload, sc_core::sc_event *done);
	void post(unsigned pe, const Message &message, const unsigned char *data, unsigned tc);
	void push();
	void serve();
	void answer(const Message &message, const unsigned char *data);

	const unsigned pe_, pes_, request_tc_, answer_tc_;
	std::vector<unsigned char> memory_;
	std::map<uint32_t, Access> open_;
	uint32_t next_id_ = 0;
	std::deque<tlm::tlm_generic_payload *> outgoing_;
	bool offered_ = false;                        // the NIC has not said END_REQ
	tlm::tlm_generic_payload *arrived_ = nullptr; // being served
	sc_core::sc_event push_event_, serve_event_;
};
