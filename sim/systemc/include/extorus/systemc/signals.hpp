// SPDX-License-Identifier: Apache-2.0
//
// What the ports of a card carry: a value per clock cycle, valid or not.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <systemc>

#include "extorus/export.h"

namespace extorus
{

// Up to N words, least significant first. Only those in use are copied and compared.
template <unsigned N> class XT_API Words
{
      public:
	static constexpr unsigned Most = N;

	Words() = default;
	Words(const Words &other)
	{
		*this = other;
	}
	Words &operator=(const Words &other)
	{
		count_ = other.count_;
		std::copy_n(other.word_.begin(), count_, word_.begin());
		return *this;
	}
	bool operator==(const Words &other) const
	{
		return count_ == other.count_ && std::equal(word_.begin(), word_.begin() + count_, other.word_.begin());
	}

	unsigned count() const
	{
		return count_;
	}
	const uint32_t *data() const
	{
		return word_.data();
	}
	void assign(const uint32_t *words, unsigned count)
	{
		count_ = count;
		std::copy_n(words, count, word_.begin());
	}
	uint32_t operator[](unsigned index) const
	{
		return word_[index];
	}

      private:
	unsigned count_ = 0;
	std::array<uint32_t, N> word_{};
};

// A frame on a link.
struct XT_API Frame {
	bool valid = false;
	Words<36> words;

	bool operator==(const Frame &other) const
	{
		return valid == other.valid && (!valid || words == other.words);
	}
};

// A beat of an AXI4-Stream at a NIC: a cell. `user` with `last`, of a packet to the PE: it is incomplete.
struct XT_API Beat {
	bool valid = false, last = false, user = false;
	Words<32> cell;

	bool operator==(const Beat &other) const
	{
		return valid == other.valid &&
		       (!valid || (last == other.last && user == other.user && cell == other.cell));
	}
};

// The pins of AXI4-Lite, from the master and from the card. Writes are of whole words.
struct XT_API AxiRequest {
	bool awvalid = false, wvalid = false, bready = false, arvalid = false, rready = false;
	uint16_t awaddr = 0, araddr = 0;
	uint32_t wdata = 0;

	bool operator==(const AxiRequest &other) const
	{
		return awvalid == other.awvalid && wvalid == other.wvalid && bready == other.bready &&
		       arvalid == other.arvalid && rready == other.rready && awaddr == other.awaddr &&
		       araddr == other.araddr && wdata == other.wdata;
	}
};

struct XT_API AxiResponse {
	bool awready = false, wready = false, bvalid = false, arready = false, rvalid = false;
	uint8_t bresp = 0, rresp = 0;
	uint32_t rdata = 0;

	bool operator==(const AxiResponse &other) const
	{
		return awready == other.awready && wready == other.wready && bvalid == other.bvalid &&
		       arready == other.arready && rvalid == other.rvalid && bresp == other.bresp &&
		       rresp == other.rresp && rdata == other.rdata;
	}
};

XT_API std::ostream &operator<<(std::ostream &out, const Frame &frame);
XT_API std::ostream &operator<<(std::ostream &out, const Beat &beat);
XT_API std::ostream &operator<<(std::ostream &out, const AxiRequest &request);
XT_API std::ostream &operator<<(std::ostream &out, const AxiResponse &response);

// For waves: the valid bits and the first 256 bits of a frame or a cell.
XT_API void sc_trace(sc_core::sc_trace_file *file, const Frame &frame, const std::string &name);
XT_API void sc_trace(sc_core::sc_trace_file *file, const Beat &beat, const std::string &name);
XT_API void sc_trace(sc_core::sc_trace_file *file, const AxiRequest &request, const std::string &name);
XT_API void sc_trace(sc_core::sc_trace_file *file, const AxiResponse &response, const std::string &name);

} // namespace extorus
