// SPDX-License-Identifier: Apache-2.0
#include "extorus/systemc/packet.hpp"

#include <cstring>

namespace extorus
{

namespace
{

struct OwnedPacket : PacketInfo {
	std::vector<unsigned char> data;
};

struct Pool : tlm::tlm_mm_interface {
	void free(tlm::tlm_generic_payload *packet) override
	{
		delete packet; // and its extensions
	}
};

} // namespace

tlm::tlm_extension_base *PacketInfo::clone() const
{
	return new PacketInfo(*this);
}

void PacketInfo::copy_from(const tlm::tlm_extension_base &other)
{
	*this = static_cast<const PacketInfo &>(other);
}

tlm::tlm_generic_payload *newPacket(unsigned pe, const void *data, unsigned size, const PacketInfo &info)
{
	static Pool pool; // without a state
	auto *packet = new tlm::tlm_generic_payload(&pool);
	auto *owned = new OwnedPacket;

	static_cast<PacketInfo &>(*owned) = info;
	owned->data.resize(size ? size : 1);
	if (size) {
		std::memcpy(owned->data.data(), data, size);
	}
	packet->acquire();
	packet->set_command(tlm::TLM_WRITE_COMMAND);
	packet->set_address(pe);
	packet->set_data_ptr(owned->data.data());
	packet->set_data_length(size);
	packet->set_streaming_width(size);
	packet->set_extension<PacketInfo>(owned);
	return packet;
}

PacketInfo &infoOf(tlm::tlm_generic_payload &packet)
{
	return *packet.get_extension<PacketInfo>();
}

} // namespace extorus
