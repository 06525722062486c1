// SPDX-License-Identifier: Apache-2.0
//
// The bench of the way to the lines of full speed: a host at D+ and D-, bit by bit, with a clock of its own.
// A bit is up to 0.25 % longer or shorter than the device's and begins anywhere between two samples. D- may
// change a little after D+.
#include "bus.hpp"

#include <cstdlib>

#include "verilated.h"
#include "Vpins_board.h"

namespace
{
enum Lines : uint8_t { Se0 = 0, K = 1, J = 2, Se1 = 3 }; // D+ is bit 1
constexpr int64_t Tick = 1000;                           // of time: a cycle of 48 MHz
constexpr unsigned BitTicks = 4;
constexpr unsigned OnesInARow = 6;

class AtPins : public Bus
{
      public:
	explicit AtPins(unsigned seed) : Bus(seed)
	{
		constexpr unsigned Most = 2000; // bits

		top_.rst_ni = 0;
		idle(8);
		top_.rst_ni = 1;
		for (unsigned i = 0; !top_.pull_up_o; i++) {
			require(i < Most, "the device does not pull D+ up");
			idle(1);
		}
		idle(20);
	}
	~AtPins() override
	{
		top_.final();
	}
	bool atHighSpeed() const override
	{
		return false;
	}
	uint64_t cycles() const override
	{
		return static_cast<uint64_t>(ticks_) / BitTicks;
	}
	unsigned writes() const override
	{
		return top_.writes_o;
	}
	// In ticks, from the end of SE0 to the first K: USB 2.0, 7.1.18.1, wants 2 to 6.5 bit times.
	Allowed allowed() const override
	{
		return {2 * BitTicks, 6 * BitTicks + BitTicks / 2};
	}
	void idle(unsigned cycles) override
	{
		for (unsigned i = 0; i < BitTicks * cycles; i++) {
			tick();
		}
	}
	void reset(bool) override
	{
		driven_ = true;
		level_ = Se0;
		idle(1200);
		driven_ = false;
		idle(20);
		require(top_.pull_up_o, "the device is gone after a reset");
	}

	void send(const Bytes &packet) override
	{
		unsigned ones = 0;

		idle(4 + random() % 8);
		// The host's time.
		bit_ = BitTicks * Tick + static_cast<int64_t>(random() % 21) - 10;
		edge_ = ticks_ * Tick + static_cast<int64_t>(random() % Tick);
		skew_ = static_cast<int64_t>(random() % 300);
		driven_ = true;
		level_ = J;
		hold(1);
		Bytes all = {0x80}; // SYNC
		all.insert(all.end(), packet.begin(), packet.end());
		for (uint8_t byte : all) {
			for (unsigned i = 0; i < 8; i++) {
				const bool one = byte >> i & 1;

				put(one);
				ones = one ? ones + 1 : 0;
				if (ones == OnesInARow) {
					put(false);
					ones = 0;
				}
			}
		}
		level(Se0);
		hold(2);
		level(J);
		ended_ = ticks_;
		hold(1);
		driven_ = false;
	}

	Bytes receive() override
	{
		constexpr int64_t AnswerWithin = 18 * BitTicks;
		std::vector<Lines> samples;

		while (!top_.lines_oe_o || seen() == J) {
			if (ticks_ - ended_ > AnswerWithin) {
				require(!top_.lines_oe_o, "the device drives the lines and says nothing");
				return {};
			}
			tick();
		}
		answeredAfter(static_cast<unsigned>(ticks_ - ended_));
		while (top_.lines_oe_o) {
			require(samples.size() < 10 * 8 * BitTicks * MostBytes / 8, "a packet without end");
			samples.push_back(seen());
			tick();
		}
		ended_ = ticks_;
		return decode(samples);
	}

      private:
	Lines seen() const
	{
		if (top_.lines_oe_o) {
			return static_cast<Lines>(top_.lines_o);
		}
		return driven_ ? level_ : top_.pull_up_o ? J : Se0;
	}
	void tick()
	{
		const int64_t now = ticks_ * Tick;
		uint8_t lines = seen();

		require(!driven_ || !top_.lines_oe_o, "the device and the host drive the lines");
		if (driven_ && now - edge_ < skew_) {
			lines = static_cast<uint8_t>((lines & 2) | (before_ & 1));
		}
		top_.lines_i = lines;
		top_.clk48_i = 1;
		top_.clk12_i = ticks_ % BitTicks < BitTicks / 2;
		top_.clk_i = ticks_ % 6 != 0; // 5 of 6 of its edges, 40 MHz
		top_.eval();
		top_.clk48_i = 0;
		top_.clk_i = 0;
		top_.eval();
		ticks_++;
	}

	// Host's side of a bit: how long a level lasts, and which is next.
	void hold(unsigned bits)
	{
		const int64_t until = edge_ + bits * bit_;

		while (ticks_ * Tick < until) {
			tick();
		}
		edge_ = until;
	}
	void level(Lines next)
	{
		before_ = level_;
		level_ = next;
	}
	void put(bool one)
	{
		level(one ? level_ : level_ == J ? K : J);
		hold(1);
	}

	// Bytes of the samples that the device drove. Each run of a level is a zero and ones. A zero after six ones
	// does not count. Two bits of SE0 and a bit of J end the packet.
	static Bytes decode(const std::vector<Lines> &samples)
	{
		std::vector<bool> bits;
		unsigned ones = 0;

		for (size_t at = 0; at < samples.size();) {
			size_t end = at;

			while (end < samples.size() && samples[end] == samples[at]) {
				end++;
			}
			const size_t length = (end - at + BitTicks / 2) / BitTicks;
			require(std::abs(static_cast<int>(end - at) - static_cast<int>(length * BitTicks)) <= 1,
				"a bit of the device is too long or too short");
			require(samples[at] != Se1, "both lines are high");
			if (samples[at] == Se0) {
				require(length == 2, "the end of the device's packet is not two bits long");
				require(samples.size() - end >= BitTicks - 1 && samples.size() - end <= BitTicks + 1 &&
						samples[end] == J,
					"the device leaves the lines before they are at rest");
				break;
			}
			for (size_t i = 0; i < length; i++) {
				const bool one = i > 0;

				if (ones == OnesInARow) {
					require(!one, "seven ones in a row");
					ones = 0;
					continue;
				}
				ones = one ? ones + 1 : 0;
				bits.push_back(one);
			}
			at = end;
			require(at < samples.size(), "a packet without an end");
		}
		require(bits.size() % 8 == 0 && bits.size() >= 16, "a packet is not whole bytes");
		Bytes bytes(bits.size() / 8);
		for (size_t i = 0; i < bits.size(); i++) {
			bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] | bits[i] << i % 8);
		}
		require(bytes[0] == 0x80, "a packet does not begin with SYNC");
		bytes.erase(bytes.begin());
		return bytes;
	}

	VerilatedContext context_;
	Vpins_board top_{&context_, "pins_board"};
	int64_t ticks_ = 0, ended_ = 0;
	int64_t bit_ = 0, edge_ = 0, skew_ = 0; // the host's: length of a bit, when the last began, how late D- is
	bool driven_ = false;
	Lines level_ = J, before_ = J;
};
} // namespace

std::unique_ptr<Bus> makeBus(unsigned seed)
{
	return std::make_unique<AtPins>(seed);
}
