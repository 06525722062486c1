// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "virtual_board.hpp"

// The bus and endpoint 0 of a board whose RTL has a USB device.
class UsbDevice
{
      public:
	virtual ~UsbDevice() = default;
	// The host resets the bus, and gives the device an address.
	virtual void reset() = 0;
	// A control transfer with data to the host, or without data. False: the device stalls it.
	virtual bool request(uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint16_t length,
		std::vector<uint8_t> &answer) = 0;
};

// A way to the board from outside the process. Functions that fail throw std::runtime_error.
class Front
{
      public:
	virtual ~Front() = default;
	// Moves bytes between the board and whoever is there; waits for no longer than so many milliseconds.
	virtual void serve(int timeout) = 0;
	// A line of the control input; false: it is not known.
	virtual bool control(const std::string &line)
	{
		(void)line;
		return false;
	}
};

// Listens at a TCP port of this machine, 0: any that is free, and says on standard output which. One host at a time.
std::unique_ptr<Front> tcpFront(Board &board, unsigned port);
// A USB device for QEMU's usb-redir, at the Unix socket `path` or, if that begins with ':', at a TCP port of this
// machine. Connects again when QEMU goes. Without `device` the front itself answers for bus and endpoint 0.
std::unique_ptr<Front> usbFront(Board &board, const std::string &path, uint64_t serial, UsbDevice *device = nullptr);
