// SPDX-License-Identifier: Apache-2.0
//
// The inside of a network.
#pragma once

#include <vector>

#include "extorus/systemc/network.hpp"
#include "traffic.hpp"

namespace extorus
{

// What is at a card's pins, but for clock and reset.
struct CardWires {
	CardWires(unsigned links, unsigned nics)
	    : link_i(links), link_o(links), nic_i(nics), nic_ready_o(nics), nic_o(nics), nic_ready_i(nics)
	{
	}

	// The pins of NICs without packet sockets are driven by whatever thread runs traffic.
	template <typename T> using Signal = sc_core::sc_signal<T, sc_core::SC_MANY_WRITERS>;
	template <typename T> struct Vector : sc_core::sc_vector<Signal<T>> {
		explicit Vector(unsigned count)
		    : sc_core::sc_vector<Signal<T>>(sc_core::sc_gen_unique_name("wire"), count)
		{
		}
	};

	Vector<Frame> link_i, link_o;
	Vector<Beat> nic_i;
	Vector<bool> nic_ready_o;
	Vector<Beat> nic_o;
	Vector<bool> nic_ready_i;
	sc_core::sc_signal<AxiRequest> axil_i;
	sc_core::sc_signal<AxiResponse> axil_o;
	sc_core::sc_signal<bool> idle_o;
};

struct Network::Impl {
	~Impl();

	xt_image_t *image = nullptr;
	const xt_profile_t *profile = nullptr;
	unsigned latency = 1, loadFlags = 0;
	std::vector<std::unique_ptr<CardWires>> wires;
	std::vector<std::unique_ptr<Card>> cards;
	std::vector<std::unique_ptr<Registers>> registers;
	std::vector<std::unique_ptr<Nic>> nics;
	std::vector<std::unique_ptr<Link>> links; // [card * link ports + port], null: nothing is connected
	std::vector<xt_peer_t> peers;             // likewise
	xt_device_t *device = nullptr;
	bool loaded = false;
	sc_core::sc_event loadedEvent;
	Traffic traffic{*this};
};

} // namespace extorus
