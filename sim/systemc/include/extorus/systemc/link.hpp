// SPDX-License-Identifier: Apache-2.0
//
// One direction of a link: what is sent in a cycle arrives `latency` cycles later.
#pragma once

#include <systemc>
#include <vector>

#include "extorus/export.h"
#include "signals.hpp"

namespace extorus
{

class XT_API Link : public sc_core::sc_module
{
      public:
	sc_core::sc_in<bool> clk_i;
	sc_core::sc_in<Frame> in;
	sc_core::sc_out<Frame> out;

	// `latency` at least 1.
	Link(sc_core::sc_module_name name, unsigned latency);

	// From now on nothing passes.
	void cut();
	bool busy() const; // something is on its way, or at the far end's pins

      private:
	SC_HAS_PROCESS(Link);
	void step();

	std::vector<Frame> under_way_; // a ring, the next to leave after the place of the next to enter
	unsigned place_ = 0, count_ = 0;
	bool cut_ = false, asleep_ = false;
};

} // namespace extorus
