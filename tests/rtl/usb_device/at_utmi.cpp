// SPDX-License-Identifier: Apache-2.0
//
// The bench of the core, at its UTMI.
#include "utmi_bus.hpp"

#include "verilated.h"
#include "Vutmi_board.h"

namespace
{
class AtUtmi : public UtmiBus
{
      public:
	AtUtmi(bool high, unsigned seed) : UtmiBus(high, seed)
	{
		top_.rst_ni = 0;
		idle(8);
		top_.rst_ni = 1;
		signals_.lineState = J;
		idle(8);
	}
	~AtUtmi() override
	{
		top_.final();
	}
	unsigned writes() const override
	{
		return top_.writes_o;
	}

      private:
	void clock() override
	{
		drive();
		top_.usb_clk_i = 1;
		top_.clk_i = bridgeToo(cycles_);
		top_.eval();
		top_.usb_clk_i = 0;
		top_.clk_i = 0;
		top_.eval();
		sense();
	}
	void settle() override
	{
		drive();
		top_.eval();
		sense();
	}
	void drive()
	{
		top_.utmi_rx_data_i = signals_.rxData;
		top_.utmi_rx_active_i = signals_.rxActive;
		top_.utmi_rx_valid_i = signals_.rxValid;
		top_.utmi_tx_ready_i = signals_.txReady;
		top_.utmi_line_state_i = signals_.lineState;
	}
	void sense()
	{
		signals_.txData = top_.utmi_tx_data_o;
		signals_.txValid = top_.utmi_tx_valid_o;
		signals_.xcvrSelect = top_.utmi_xcvr_select_o;
		signals_.opMode = top_.utmi_op_mode_o;
		signals_.termSelect = top_.utmi_term_select_o;
	}

	VerilatedContext context_;
	Vutmi_board top_{&context_, "utmi_board"};
};
} // namespace

std::unique_ptr<Bus> makeBus(unsigned seed)
{
	return std::make_unique<AtUtmi>(HIGH_SPEED != 0, seed);
}
