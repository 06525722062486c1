// SPDX-License-Identifier: Apache-2.0
//
// A whole network: cards, links, register and packet sockets, built from a topology or an image, and loaded.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>

#include "card.hpp"
#include "extorus/device.h"
#include "extorus/export.h"
#include "link.hpp"
#include "nic.hpp"
#include "registers.hpp"

namespace extorus
{

struct XT_API NetworkOptions {
	Engine engine = Engine::Rtl;
	std::string profile;           // of a topology: extoll if empty; an image names its own, and no other is taken
	std::string algorithm = "dor"; // for a topology: a name that xt_algorithm_parse of extorus/routing.h knows
	unsigned latency = 0;          // cycles of every link; 0: the profile's
	bool byRegisters = false;      // tables are written by registers, not past them: slower
	// Packet sockets at the NICs; otherwise their pins are for xt_device_run, which sends the library's traffic.
	bool packets = true;
	bool sleep = true; // idle cards may
	// Overrides `engine` for single cards, so that a network has both kinds; may be empty.
	std::function<Engine(unsigned card)> engineOf;
};

// Wants a reset, rst_ni low, of a cycle at least. Then the network waits until the cards are ready and their links are
// up, and loads the tables; PEs may begin to send at any time, but what they send waits until that is done.
class XT_API Network : public sc_core::sc_module
{
      public:
	sc_core::sc_in<bool> clk_i, rst_ni;

	// `where`: a topology ("torus:4x4x4"), which is routed by `options.algorithm`, or the file of an image. What
	// cannot be built is an error /extorus/build.
	Network(sc_core::sc_module_name name, const std::string &where, const NetworkOptions &options = {});
	~Network() override;

	unsigned cards() const;
	unsigned pes() const;
	const xt_image_t *image() const;

	// Unknown numbers are an error /extorus/build.
	Card &card(unsigned card);
	Registers &registers(unsigned card);
	Nic &nic(unsigned pe);
	Link *link(unsigned card, unsigned port); // away from there; null: nothing is connected

	bool ready() const;
	const sc_core::sc_event &readyEvent() const;
	void awaitReady(); // from within a thread

	// The library's device for it, to be used from within threads (with a stack of StackSize), once it is ready:
	// registers, counters, tables; and xt_device_run in a network without packet sockets.
	xt_device_t *device();
	static constexpr size_t StackSize = 1 << 20;

	// Adds links and NICs of a card to waves; beside the one of SystemC, which adds an object.
	using sc_core::sc_module::trace;
	void trace(sc_core::sc_trace_file *file, unsigned card);

	struct Impl;

      private:
	SC_HAS_PROCESS(Network);
	void boot();
	void build(const NetworkOptions &options);

	std::unique_ptr<Impl> impl_;
};

} // namespace extorus
