// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

// The descriptors of a board at high speed, as host/protocol/specification.md has them.
class UsbDescriptors
{
      public:
	static constexpr unsigned ControlPacket = 64, BulkPacket = 512;
	static constexpr uint16_t Release = 0x0100;

	explicit UsbDescriptors(uint64_t serial);
	// False: there is none of that type and index.
	bool get(uint8_t type, uint8_t index, std::vector<uint8_t> &descriptor) const;

      private:
	uint64_t serial_;
};
