// SPDX-License-Identifier: Apache-2.0
//
// A whole board with its USB core, as a USB device of QEMU. What QEMU asks for becomes packets at the PHY, by the host
// of tests/rtl/usb_device; only what the core answers goes back.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include "control_input.hpp"
#include "front.hpp"
#include "host.hpp"

namespace
{
enum Request : uint8_t { ClearFeature = 1, SetAddress = 5, SetConfiguration = 9 };
constexpr uint8_t ToEndpoint = 2, DirectionIn = 0x80;

class CoreBoard : public Board, public UsbDevice
{
      public:
	// A packet each way, if there is one.
	bool run() override
	{
		const bool moved = configured_ && (send() | receive());

		quiet_ = moved ? 0 : quiet_ + 1;
		if (!moved) {
			wait();
		}
		return quiet_ < Tries;
	}
	void wait() override
	{
		host_.bus->idle(Pause);
		host_.frame();
	}
	void restart() override
	{
		fromHost.clear();
		toHost.clear();
		quiet_ = 0;
	}

	void reset() override
	{
		if (fresh_) {
			return;
		}
		fresh_ = true;
		configured_ = full_ = false;
		host_.bus->bridgeIsSlow = true; // a kernel waits for 5 s, also on a busy machine
		host_.reset();
		host_.bus->bridgeIsSlow = false;
		require(host_.set(0, SetAddress, Address), "SET_ADDRESS is stalled");
		wait();
		host_.address = Address;
	}
	bool request(uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint16_t length,
		std::vector<uint8_t> &answer) override
	{
		fresh_ = false;
		if (type & DirectionIn) {
			const std::optional<Bytes> got = host_.get(type, request, value, index, length);

			answer = got.value_or(Bytes());
			return got.has_value();
		}
		if (!host_.set(type, request, value, index)) {
			return false;
		}
		if (type == 0 && request == SetConfiguration) {
			configured_ = value != 0;
			host_.outToggle = host_.inToggle = Data0;
		} else if (type == ToEndpoint && request == ClearFeature) {
			(index & DirectionIn ? host_.inToggle : host_.outToggle) = Data0;
		}
		return true;
	}

      private:
	static constexpr unsigned Address = 5;
	static constexpr unsigned Pause = 120; // cycles, 2 us
	static constexpr unsigned Tries = 200; // rounds without a packet before time passes slowly

	bool send()
	{
		if (fromHost.empty() || (full_ && host_.ping(1) != Ack)) {
			return false;
		}
		const size_t size = std::min<size_t>(host_.packet(), fromHost.size());
		const uint8_t answer = host_.out(1, host_.outToggle, Bytes(fromHost.data(), fromHost.data() + size));

		require(answer == Ack || answer == Nyet || answer == Nak, "a bulk packet is not answered");
		full_ = answer != Ack;
		if (answer != Nak) {
			host_.outToggle = host_.outToggle == Data0 ? Data1 : Data0;
			fromHost.drop(size);
		}
		return answer != Nak;
	}
	bool receive()
	{
		if (!toHost.empty()) {
			return false;
		}
		const Host::Came came = host_.in(1);

		if (came.pid == Nak) {
			return false;
		}
		require(came.pid == host_.inToggle, "an IN packet is not the next one");
		host_.inToggle = host_.inToggle == Data0 ? Data1 : Data0;
		toHost.push(came.payload.data(), came.payload.size());
		return true;
	}

	Host host_{true};
	bool configured_ = false;
	bool fresh_ = false; // nothing came after the last reset, so another one changes nothing
	bool full_ = false;  // the core has no room, so a PING comes first
	unsigned quiet_ = 0;
};

std::atomic<bool> stop{false};

// The end of standard input ends the process.
void readControl(Front &front, ControlInput &input)
{
	for (std::string line; input.next(line);) {
		std::cout << (front.control(line) ? "ok " : "unknown ") << line << std::endl;
	}
	stop = stop || input.over();
}
} // namespace

int main(int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], "--usb") != 0) {
		fprintf(stderr, "usage: %s --usb SOCKET [--control]\n", argv[0]);
		return 2;
	}
	signal(SIGTERM, [](int) { stop = true; });
	try {
		CoreBoard board;
		const std::unique_ptr<Front> front = usbFront(board, argv[2], 1, &board);
		ControlInput input;

		while (!stop) {
			const bool running = board.run();

			front->serve(running ? 0 : 5);
			if (!running) {
				board.wait();
			}
			if (argc > 3) {
				readControl(*front, input);
			}
		}
	} catch (const std::exception &failure) {
		fprintf(stderr, "%s: %s\n", argv[0], failure.what());
		return 1;
	}
	return 0;
}
