// SPDX-License-Identifier: Apache-2.0
//
// A packet as a TLM-2.0 transaction: a write, whose data are the payload.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "extorus/export.h"

namespace extorus
{

// What a header says beyond the address. A packet that is sent needs none: then the lowest TC is taken that its PE may
// use, and tag 0.
struct XT_API PacketInfo : tlm::tlm_extension<PacketInfo> {
	static constexpr unsigned AnyTc = UINT32_MAX;

	unsigned tc = AnyTc;
	uint64_t tag = 0;         // as many low bits as the header has room for
	bool poisoned = false;    // delivered incomplete
	unsigned source = 0;      // PEs; set on delivery
	unsigned destination = 0; // likewise

	tlm::tlm_extension_base *clone() const override;
	void copy_from(const tlm::tlm_extension_base &other) override;
};

// A packet with memory of its own; it goes with its last release(). The caller has acquired it once.
XT_API tlm::tlm_generic_payload *newPacket(unsigned pe, const void *data, unsigned size, const PacketInfo &info = {});
XT_API PacketInfo &infoOf(tlm::tlm_generic_payload &packet); // of one made by newPacket, or delivered

} // namespace extorus
