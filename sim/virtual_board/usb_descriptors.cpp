// SPDX-License-Identifier: Apache-2.0
#include "usb_descriptors.hpp"

#include <cinttypes>
#include <cstdio>
#include <string>

#include "extorus/protocol.h"
#include "xt_bridge.h"

namespace
{
enum Type : uint8_t { Device = 1, Configuration = 2, String = 3, Interface = 4, Endpoint = 5, Qualifier = 6 };
enum Text : uint8_t { Languages = 0, Maker = 1, Product = 2, Serial = 3, InterfaceName = 4 };

constexpr uint8_t low(unsigned number)
{
	return static_cast<uint8_t>(number);
}
constexpr uint8_t high(unsigned number)
{
	return static_cast<uint8_t>(number >> 8);
}

std::vector<uint8_t> text(const std::string &ascii)
{
	std::vector<uint8_t> out = {low(static_cast<unsigned>(2 + 2 * ascii.size())), String};

	for (char c : ascii) {
		out.push_back(static_cast<uint8_t>(c));
		out.push_back(0);
	}
	return out;
}

const std::vector<uint8_t> device = {18, Device, 0x00, 0x02, 0, 0, 0, UsbDescriptors::ControlPacket,
	low(EXTORUS_LINE_USB_VENDOR), high(EXTORUS_LINE_USB_VENDOR), low(EXTORUS_LINE_USB_PRODUCT),
	high(EXTORUS_LINE_USB_PRODUCT), low(UsbDescriptors::Release), high(UsbDescriptors::Release), Maker, Product,
	Serial, 1};

// The same at full speed, without ids.
const std::vector<uint8_t> qualifier = {10, Qualifier, 0x00, 0x02, 0, 0, 0, UsbDescriptors::ControlPacket, 1, 0};

const std::vector<uint8_t> configuration = {9, Configuration, 32, 0, 1, 1, 0, 0x80, 250, // 500 mA from the bus
	9, Interface, 0, 0, 2, low(EXTORUS_LINE_USB_CLASS), low(EXTORUS_LINE_USB_SUBCLASS), 1, InterfaceName, //
	7, Endpoint, low(EXTORUS_LINE_USB_OUT), 2, low(UsbDescriptors::BulkPacket), high(UsbDescriptors::BulkPacket),
	0, //
	7, Endpoint, low(EXTORUS_LINE_USB_IN), 2, low(UsbDescriptors::BulkPacket), high(UsbDescriptors::BulkPacket), 0};
} // namespace

UsbDescriptors::UsbDescriptors(uint64_t serial) : serial_(serial)
{
}

bool UsbDescriptors::get(uint8_t type, uint8_t index, std::vector<uint8_t> &descriptor) const
{
	char serial[17];

	snprintf(serial, sizeof(serial), "%016" PRIx64, serial_);
	switch (type << 8 | index) {
	case Device << 8:
		descriptor = device;
		return true;
	case Qualifier << 8:
		descriptor = qualifier;
		return true;
	case Configuration << 8:
		descriptor = configuration;
		return true;
	case String << 8 | Languages:
		descriptor = {4, String, 0x09, 0x04};
		return true;
	case String << 8 | Maker:
		descriptor = text(XT_USB_MAKER_NAME);
		return true;
	case String << 8 | Product:
		descriptor = text("extorus virtual board");
		return true;
	case String << 8 | Serial:
		descriptor = text(serial);
		return true;
	case String << 8 | InterfaceName:
		descriptor = text(XT_USB_INTERFACE_NAME);
		return true;
	default:
		return false;
	}
}
