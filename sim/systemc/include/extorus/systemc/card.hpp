// SPDX-License-Identifier: Apache-2.0
//
// A card with its pins: the RTL (Verilated) or the C model of it, by an argument of the constructor. Both
// have the same bits in the same cycles, so cards of both kinds can be wired to each other.
#pragma once

#include <memory>
#include <string>
#include <systemc>

#include "extorus/export.h"
#include "extorus/image.h"
#include "signals.hpp"

namespace extorus
{

enum class XT_API Engine { Rtl, Model };

XT_API const char *engineName(Engine engine); // "rtl", "model"

// Outputs change after the rising edge of clk_i. While nothing is in the card and nothing comes, it sleeps: the
// process waits for an input to change instead of the clock.
class XT_API Card : public sc_core::sc_module
{
      public:
	sc_core::sc_in<bool> clk_i, rst_ni;
	sc_core::sc_vector<sc_core::sc_in<Frame>> link_i; // by link port
	sc_core::sc_vector<sc_core::sc_out<Frame>> link_o;
	sc_core::sc_vector<sc_core::sc_in<Beat>> nic_i; // by NIC port, from the PE
	sc_core::sc_vector<sc_core::sc_out<bool>> nic_ready_o;
	sc_core::sc_vector<sc_core::sc_out<Beat>> nic_o; // to the PE
	sc_core::sc_vector<sc_core::sc_in<bool>> nic_ready_i;
	sc_core::sc_in<AxiRequest> axil_i;
	sc_core::sc_out<AxiResponse> axil_o;
	sc_core::sc_out<bool> idle_o;

	// `profile` names a built-in profile; an unknown one, or a card that was not built for it, is an error
	// /extorus/build.
	Card(sc_core::sc_module_name name, const std::string &profile, Engine engine);
	~Card() override;

	const xt_profile_t &profile() const;
	Engine engine() const;
	// Whole tables past the registers, 1 << grt_bits and 1 << lrt_bits entries; once STATUS.ready is set.
	void setTables(const uint64_t *grt, const uint64_t *lrt);
	// Clock edges at which the card was evaluated.
	uint64_t evaluated() const;
	// Whether it may sleep; it may by default.
	void setSleep(bool allowed);

      private:
	struct Impl;

	SC_HAS_PROCESS(Card);
	void step();
	void drive();
	void show();
	bool rests() const;

	std::unique_ptr<Impl> impl_;
};

} // namespace extorus
