// SPDX-License-Identifier: Apache-2.0
//
// TLM-2.0 sockets for packets in front of a card's NIC port.
#pragma once

#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "extorus/export.h"
#include "extorus/image.h"
#include "packet.hpp"
#include "signals.hpp"

namespace extorus
{

// Packets are TLM writes with the base protocol. Of a packet to `send` the address is the PE it goes to and the data
// are its payload; the NIC puts a header in front, a cell, so that a payload has at most packet_cells - 1 cells. A
// part of a cell is filled up with zeros. Of a packet that comes out of `deliver` the address is the PE it comes from.
//
// Back pressure: BEGIN_REQ is answered with END_REQ at once while the NIC has room for a packet beside the one that is
// going out, otherwise later. BEGIN_RESP follows when the switch has taken the last cell; b_transport returns then. A
// PE that does not answer BEGIN_REQ on `deliver` with END_REQ or a response stops the stream when the next packet is
// there.
//
// Neither socket need be bound. A packet that cannot be sent, or that arrives where `deliver` is bound to nothing, is
// an error /extorus/packet.
class XT_API Nic : public sc_core::sc_module
{
      public:
	sc_core::sc_in<bool> clk_i;
	sc_core::sc_out<Beat> nic_o; // to the card
	sc_core::sc_in<bool> nic_ready_i;
	sc_core::sc_in<Beat> nic_i; // from the card
	sc_core::sc_out<bool> nic_ready_o;

	tlm_utils::simple_target_socket_optional<Nic> send;
	tlm_utils::simple_initiator_socket_optional<Nic> deliver;

	// `image`, which must live as long, says what the addresses of PEs are.
	Nic(sc_core::sc_module_name name, const xt_image_t *image, unsigned pe);
	~Nic() override;

	// Until then packets wait: the network is not ready.
	void start();
	unsigned pe() const
	{
		return pe_;
	}
	unsigned longestPayload() const; // in bytes

      private:
	struct Sending {
		std::vector<uint32_t> cells;
		unsigned count = 0, next = 0;
		tlm::tlm_generic_payload *payload = nullptr; // to be answered on the backward path
		sc_core::sc_event *done = nullptr;           // or a thread that waits in b_transport
		sc_core::sc_time since;
	};

	SC_HAS_PROCESS(Nic);
	void step();
	void sampleSent();
	void sampleDelivered();
	void drive();
	void hand();
	bool rests() const;
	bool room() const;
	void enqueue(tlm::tlm_generic_payload &payload, bool answer, sc_core::sc_event *done);
	bool check(tlm::tlm_generic_payload &payload);
	void respond();
	void admit();

	void blocking(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
	tlm::tlm_sync_enum forward(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
	tlm::tlm_sync_enum backward(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
	void taken(tlm::tlm_generic_payload &payload);
	void answered(tlm::tlm_generic_payload &payload);

	struct Layout; // of a header

	const xt_image_t *image_;
	const xt_profile_t *profile_;
	std::unique_ptr<Layout> layout_;
	unsigned pe_, cell_bytes_, cell_words_;
	bool started_ = false, asleep_ = false;
	sc_core::sc_event kick_;

	// Out.
	std::deque<Sending> queue_;
	bool driving_ = false;                        // a beat is on the pins
	tlm::tlm_generic_payload *waiting_ = nullptr; // for room
	std::deque<tlm::tlm_generic_payload *> to_answer_;
	tlm::tlm_generic_payload *responding_ = nullptr; // until END_RESP
	sc_core::sc_event room_event_;

	// In.
	bool ready_ = true; // as driven
	std::vector<uint32_t> arriving_;
	tlm::tlm_generic_payload *arrived_ = nullptr;    // complete, not handed over yet
	tlm::tlm_generic_payload *delivering_ = nullptr; // BEGIN_REQ without an answer
};

} // namespace extorus
