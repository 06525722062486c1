// SPDX-License-Identifier: Apache-2.0
//
// The board as a USB device that QEMU's usb-redir takes for one on another machine's bus.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <usbredirparser.h>
#include <vector>

#include "front.hpp"
#include "usb_descriptors.hpp"
#include "xt_bridge.h"

constexpr unsigned In = EXTORUS_LINE_USB_IN, Out = EXTORUS_LINE_USB_OUT;
constexpr uint8_t DirectionIn = 0x80;

// A transfer of the host that waits.
struct Transfer {
	uint64_t id;
	uint32_t length;           // IN: what it takes
	std::vector<uint8_t> data; // OUT
};

// What goes wrong when so many more bytes have come from the host or gone to it.
struct Fault {
	enum Kind { None, Stall, Unplug, Short, Hold, Corrupt } kind = None;
	bool in = false; // counts bytes to the host
	uint64_t after = 0;
};

class UsbFront : public Front
{
      public:
	UsbFront(Board &board, const std::string &path, uint64_t serial, UsbDevice *device);
	~UsbFront() override
	{
		hangUp();
	}

	void serve(int timeout) override;
	bool control(const std::string &line) override;

      private:
	void connect();
	void hangUp();
	void plug();
	void unplug();
	void forget();
	void onReset();
	void onHello();
	void onControl(uint64_t id, usb_redir_control_packet_header *header, uint8_t *data, int size);
	void onBulk(uint64_t id, usb_redir_bulk_packet_header *header, uint8_t *data, int size);
	void onCancel(uint64_t id);
	void onSetConfiguration(uint64_t id, uint8_t value);
	bool answer(uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint16_t length,
		std::vector<uint8_t> &data);
	void takeOut();
	void giveIn();
	void completeOut(const Transfer &transfer, uint8_t status);
	void completeIn(const Transfer &transfer, uint8_t status, size_t size);
	bool strikes(bool in, uint64_t bytes);

	static UsbFront &self(void *priv)
	{
		return *static_cast<UsbFront *>(priv);
	}
	static int readSocket(void *priv, uint8_t *data, int count);
	static int writeSocket(void *priv, uint8_t *data, int count);

	Board &board_;
	UsbDevice *const device_; // null: there is none
	const std::string path_;
	const UsbDescriptors descriptors_;
	int socket_ = -1;
	usbredirparser *parser_ = nullptr;
	bool greeted_ = false, plugged_ = false, wanted_ = true, gone_ = false;
	uint8_t configuration_ = 0;
	std::set<unsigned> halted_; // endpoints
	std::deque<Transfer> out_, in_;
	// IN transfers answered last: QEMU may have given up one of them meanwhile, and its bytes with it.
	std::deque<Transfer> answered_;
	static constexpr size_t Answered = 32;
	std::vector<Fault> faults_;
	bool hold_ = false;  // answers no bulk transfer
	size_t shorten_ = 0; // most bytes of the next IN transfer; 0: as it is
	bool unplugOnCancel_ = false;
	bool corrupt_ = false; // spoil a byte of the next IN transfer
};
