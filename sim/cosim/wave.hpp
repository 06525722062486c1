// SPDX-License-Identifier: Apache-2.0
//
// Waves of chosen cards and cycles in one FST file, if the cards were Verilated for it; otherwise every
// function does nothing. Beside it lie a save file of GTKWave and a folder of names (wave_view.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/backend.h"
#include "Vxt_card.h"

#if VM_TRACE
#include "verilated_fst_c.h"
#endif

class Wave
{
      public:
#if VM_TRACE
	static constexpr bool Available = true;

	Wave() = default;
	Wave(const Wave &) = delete;
	Wave &operator=(const Wave &) = delete;
	~Wave();

	// The file appears under its name when the object is destroyed, and then GTKWave's save file. A save file that
	// somebody else wrote stays.
	int open(const xt_network_t &network, const std::vector<Vxt_card *> &models, xt_diag_t *diag);
	// Whether cycle `cycle` is to be written; then every chosen card must be evaluated in it.
	bool wants(uint64_t cycle) const
	{
		return file_ && cycle >= from_ && cycle <= to_;
	}
	bool isOpen() const
	{
		return file_ != nullptr;
	}
	const std::vector<unsigned> &cards() const
	{
		return cards_;
	}
	// The packets' names need the addresses.
	void setAddress(unsigned card, uint32_t address)
	{
		if (card < addresses_.size()) {
			addresses_[card] = address;
		}
	}
	// Half a cycle each: after the rising edge, after the falling one.
	void dump(uint64_t cycle, bool high)
	{
		file_->dump(2 * cycle + (high ? 0 : 1));
	}

      private:
	int writeNames(xt_diag_t *diag) const;

	std::unique_ptr<VerilatedFstC> file_;
	const xt_profile_t *profile_ = nullptr;
	std::string path_, temporary_;
	std::vector<unsigned> cards_;
	std::vector<xt_peer_t> peers_;
	std::vector<uint32_t> addresses_;
	uint64_t from_ = 0, to_ = 0;
#else
	static constexpr bool Available = false;

	int open(const xt_network_t &network, const std::vector<Vxt_card *> &models, xt_diag_t *diag);
	bool isOpen() const
	{
		return false;
	}
	void setAddress(unsigned, uint32_t)
	{
	}
#endif
};
