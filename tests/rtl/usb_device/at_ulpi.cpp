// SPDX-License-Identifier: Apache-2.0
//
// The bench of the way to a ULPI PHY: a model of the PHY, written from the ULPI specification. The model stands between
// the wires and the device, and checks every command of the device.
#include "utmi_bus.hpp"

#include "verilated.h"
#include "Vulpi_board.h"

namespace
{
enum Register : uint8_t { FunctionControl = 0x04, OtgControl = 0x0a };

class AtUlpi : public UtmiBus
{
      public:
	explicit AtUlpi(unsigned seed) : UtmiBus(true, seed)
	{
		constexpr unsigned Start = 100, Most = 80000, Settled = 150000; // cycles
		const char *arguments[] = {"at_ulpi"};

		context_.commandArgs(1, arguments); // a board asks for its serial number
		top_.rst_ni = 0;
		top_.ulpi_dir_i = 1; // until its clock is good
		idle(Start);
		top_.rst_ni = 1;
		for (unsigned i = 0; !signals_.termSelect; i++) {
			require(i < Most, "the device does not attach");
			idle(1);
		}
		require(signals_.xcvrSelect == 1 && signals_.opMode == 0,
			"the device attaches at another than full speed");
		signals_.lineState = J;
		for (unsigned i = 0; i < Settled; i++) { // a host waits longer before its first reset
			idle(1);
			require(signals_.termSelect && signals_.xcvrSelect == 1 && signals_.opMode == 0,
				"the device takes its own pull-up for a reset");
		}
		require((otg_ & 0x06) == 0, "the device pulls its lines down, as a host does");
	}
	~AtUlpi() override
	{
		top_.final();
	}
	unsigned writes() const override
	{
		return top_.writes_o;
	}
	// In clocks, from what tells the packet's end to the command. At full speed this is the line state J after SE0.
	// ULPI 1.1 gives a PHY 4 clocks before and 6 to 10 behind, so that the whole is 2 to 6.5 bits of 5 clocks.
	Allowed allowed() const override
	{
		return atHighSpeed() ? Allowed{1, 14} : Allowed{4, 18};
	}

      private:
	enum class State {
		Idle,
		Sends,   // the link has commanded it
		Waits,   // a register is to be written; not yet taken
		Takes,   // NXT: the command is taken
		Reads,   // NXT: the value is taken
		Written, // STP is due
	};

	void clock() override
	{
		const uint8_t said = top_.ulpi_data_o;
		const bool dir = top_.ulpi_dir_i, nxt = top_.ulpi_nxt_i, stp = top_.ulpi_stp_o;

		require(top_.ulpi_data_oe_o == !dir, "the device drives the data while the PHY does");
		top_.ulpi_clk_i = 1;
		top_.clk_i = bridgeIsSlow ? cycles_ % 32 == 0 : bridgeToo(cycles_);
		top_.eval();
		if (top_.rst_ni) {
			listen(said, nxt, stp, dir || dirBefore_);
			speak(dir);
		}
		dirBefore_ = dir;
		top_.ulpi_clk_i = 0;
		top_.clk_i = 0;
		settle();
	}
	void settle() override
	{
		if (state_ == State::Sends) {
			top_.ulpi_nxt_i = signals_.txReady || signals_.opMode == Chirp;
		}
		top_.eval();
		// In a chirp the bytes only count once the command is taken.
		signals_.txValid =
			state_ == State::Sends && !top_.ulpi_stp_o && (!command_ || signals_.opMode != Chirp);
		signals_.txData =
			command_ ? static_cast<uint8_t>((command_ & 15) | (~command_ & 15) << 4) : top_.ulpi_data_o;
		signals_.xcvrSelect = function_ & 3;
		signals_.termSelect = function_ >> 2 & 1;
		signals_.opMode = function_ >> 3 & 3;
	}
	void handOver() override
	{
		for (unsigned i = 0; top_.ulpi_dir_i || signals_.rxActive || signals_.lineState != reported_; i++) {
			require(i < 20, "the PHY keeps the bus");
			idle(1);
		}
	}

	unsigned answerTime(unsigned) const override
	{
		return static_cast<unsigned>(commanded_ - told_);
	}

	// Takes the bus signals of the link in the last cycle. A turn-around cycle does not count.
	void listen(uint8_t said, bool nxt, bool stp, bool turning)
	{
		switch (state_) {
		case State::Idle:
			require(!stp || turning, "STP without a command");
			if (turning || said == 0) {
				return;
			}
			require(said >> 6 == 1 || said >> 6 == 2, "a command that the PHY does not know");
			command_ = said;
			state_ = said >> 6 == 1 ? State::Sends : State::Waits;
			if (state_ == State::Sends) {
				commanded_ = cycles_;
				require((said == 0x40) == (signals_.opMode == Chirp),
					"a packet without PID, or a chirp with one");
			}
			wait_ = random() % 3;
			return;
		case State::Sends:
			if (stp) {
				require(!command_, "STP before the command is taken");
				require(said == 0 || signals_.opMode == Chirp, "the packet ends with an error");
				state_ = State::Idle;
			} else if (nxt) {
				command_ = 0;
			} else {
				require(!command_ || said == command_, "the command is not kept until NXT");
			}
			return;
		case State::Waits:
			require(said == command_, "the command is not kept until NXT");
			if (wait_ == 0) {
				state_ = State::Takes;
			} else {
				wait_--;
			}
			return;
		case State::Takes:
			require(said == command_ && !stp, "the command is not kept until NXT");
			state_ = State::Reads;
			return;
		case State::Reads:
			require(!stp, "STP before the value is taken");
			value_ = said;
			state_ = State::Written;
			return;
		case State::Written:
			require(stp, "no STP after a register was written");
			if ((command_ & 63) == FunctionControl) {
				function_ = value_;
			} else {
				require((command_ & 63) == OtgControl, "a register that is not the device's to write");
				otg_ = value_;
			}
			state_ = State::Idle;
			return;
		}
	}

	// Sets the bus signals of the PHY for the next cycle.
	void speak(bool dir)
	{
		const bool writes = state_ == State::Waits || state_ == State::Takes || state_ == State::Reads;
		const bool wants = signals_.rxActive || signals_.lineState != reported_ || (writes && chance(8));

		top_.ulpi_nxt_i = state_ == State::Takes || state_ == State::Reads;
		if (state_ == State::Sends || state_ == State::Written) {
			require(!signals_.rxActive, "the device sends while it receives");
			return;
		}
		if (wants && !dir) {
			state_ = State::Idle; // a command that is not through has to be said again
			top_.ulpi_dir_i = 1;
			top_.ulpi_nxt_i = signals_.rxActive;
			top_.ulpi_data_i = static_cast<uint8_t>(random());
		} else if (wants && signals_.rxActive && signals_.rxValid) {
			top_.ulpi_nxt_i = 1;
			top_.ulpi_data_i = signals_.rxData;
		} else if (wants || (dir && active_ && chance(2))) { // a packet's end is told, or seen by DIR
			constexpr uint8_t VbusValid = 3 << 2;

			// At high speed a packet ends as soon as it is not active, else when SE0 has ended.
			if (atHighSpeed() ? active_ && !signals_.rxActive
					  : reported_ == Se0 && signals_.lineState == J) {
				told_ = cycles_ + 1;
			}
			reported_ = signals_.lineState;
			active_ = signals_.rxActive;
			top_.ulpi_nxt_i = 0;
			top_.ulpi_data_i = static_cast<uint8_t>(reported_ | VbusValid | (active_ ? 1 << 4 : 0));
		} else {
			top_.ulpi_dir_i = 0;
			told_ = active_ ? cycles_ + 1 : told_;
			active_ = false;
		}
	}

	VerilatedContext context_;
	Vulpi_board top_{&context_, "ulpi_board"};
	State state_ = State::Idle;
	uint8_t command_ = 0; // not taken yet
	uint8_t value_ = 0;
	unsigned wait_ = 0;
	bool dirBefore_ = true, active_ = false; // told that a packet comes in
	uint64_t told_ = 0, commanded_ = 0;      // cycles: the last packet's end, and the link's command to send
	uint8_t reported_ = 0xff;                // lines
	uint8_t function_ = 0x41, otg_ = 0x06;   // as after reset
};
} // namespace

std::unique_ptr<Bus> makeBus(unsigned seed)
{
	return std::make_unique<AtUlpi>(seed);
}
