// SPDX-License-Identifier: Apache-2.0
//
// A bus as a host's transceiver sees it, byte by byte: the signals of a UTMI from the wires' side.
#pragma once

#include "bus.hpp"

class UtmiBus : public Bus
{
      public:
	enum Lines : uint8_t { Se0 = 0, J = 1, K = 2 };

	UtmiBus(bool high, unsigned seed) : Bus(seed), high_(high)
	{
	}
	void reset(bool answersChirp) override;
	bool atHighSpeed() const override;
	void idle(unsigned cycles) override;
	uint64_t cycles() const override
	{
		return cycles_;
	}
	void send(const Bytes &packet) override;
	Bytes receive() override;
	// 8 to 192 bit times at high speed, 7.5 at full speed, and what UTMI lets the PHY take. At full speed the
	// way to the lines takes the least time.
	Allowed allowed() const override
	{
		return {high_, high_ ? 24u : 8u};
	}

      protected:
	struct Signals {
		uint8_t rxData, rxActive, rxValid, txData, txValid, txReady, lineState, xcvrSelect, opMode, termSelect;
	};
	static constexpr uint8_t Chirp = 2; // opMode
	// One cycle of the device's clock.
	virtual void clock() = 0;
	// What follows from the signals as they are, without a clock.
	virtual void settle() = 0;
	// Until the device knows that a packet to it is over.
	virtual void handOver()
	{
	}
	// From then to its answer; `waited` is how long the bus was at rest.
	virtual unsigned answerTime(unsigned waited) const
	{
		return waited;
	}
	// Whether edge `n` of the device's clock is one of the bridge's too: that clock may be any, here it has two of
	// three edges.
	static bool bridgeToo(uint64_t n)
	{
		return n % 3 != 0;
	}

	Signals signals_ = {};
	uint64_t cycles_ = 0;

      private:
	bool high_;
};
