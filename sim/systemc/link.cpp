// SPDX-License-Identifier: Apache-2.0
#include "extorus/systemc/link.hpp"

#include "report.hpp"

namespace extorus
{

Link::Link(sc_core::sc_module_name name, unsigned latency)
    : sc_module(name), clk_i("clk_i"), in("in"), out("out"), under_way_(latency)
{
	if (latency == 0) {
		fail(*this, "a link takes a cycle at least");
	}
	SC_METHOD(step);
	sensitive << clk_i.pos();
	dont_initialize();
}

void Link::cut()
{
	cut_ = true;
}

bool Link::busy() const
{
	return count_ || out.read().valid;
}

void Link::step()
{
	if (asleep_) {
		asleep_ = false;
		if (!clk_i.posedge()) {
			return;
		}
	}

	Frame &place = under_way_[place_];

	if (in.read().valid && !cut_) {
		place = in.read();
		count_++;
	} else {
		place.valid = false;
	}
	place_ = place_ + 1 == under_way_.size() ? 0 : place_ + 1;

	const Frame &leaves = under_way_[place_];
	const bool rests = !count_ && !in.read().valid;

	count_ -= leaves.valid;
	out.write(leaves);
	if (rests) {
		asleep_ = true;
		next_trigger(in.value_changed_event());
	}
}

} // namespace extorus
