// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include XT_TOP

// One direction of a cable: a clock (bit Lanes) and Lanes lanes of data, each with a lag of its own.
class Cable
{
      public:
	static constexpr unsigned Lanes = Top::Wires;
	// Ticks of a cycle of a board's clock; a bit on a lane takes half of them.
	static constexpr unsigned CycleTicks = Top::Ticks;

	// Lane i lags by lag[i] ticks, the clock by lag[Lanes].
	explicit Cable(const std::array<uint8_t, Lanes + 1> &lag) : lag_(lag)
	{
	}
	// Takes the sender's pins in this tick.
	void drive(uint8_t pins)
	{
		at_ = (at_ + 1) % past_.size();
		past_[at_] = pins;
	}
	// The receiver's pins; `flip`: lanes with a bit error. `late`: each lane that has a bit there lags by a tick
	// more.
	uint8_t heard(uint8_t flip, uint8_t late) const
	{
		uint8_t pins = 0;

		if (pulled) {
			return 0;
		}
		for (unsigned i = 0; i <= Lanes; i++) {
			const unsigned lag = lag_[i] + (i < Lanes ? shift + (late >> i & 1u) : 0);
			const size_t then = (at_ + past_.size() - lag) % past_.size();

			pins = static_cast<uint8_t>(pins | (past_[then] & (1u << i)));
		}
		return pins ^ flip;
	}

	bool pulled = false;
	uint8_t shift = 0; // ticks by which all lanes lag behind their clock, beside their own lags

      private:
	std::array<uint8_t, Lanes + 1> lag_;
	std::array<uint8_t, 256> past_ = {};
	size_t at_ = 0;
};
