// SPDX-License-Identifier: Apache-2.0
//
// A host on a bus: tokens, data and handshakes, and transactions and transfers made of them. Written from the USB 2.0
// specification. The caller supplies the bytes of the bridge.
#pragma once

#include <memory>
#include <optional>

#include "bus.hpp"

enum Pid : uint8_t {
	Out = 0xe1,
	In = 0x69,
	Sof = 0xa5,
	Setup = 0x2d,
	Data0 = 0xc3,
	Data1 = 0x4b,
	Ack = 0xd2,
	Nak = 0x5a,
	Stall = 0x1e,
	Nyet = 0x96,
	Ping = 0xb4,
};

class Host
{
      public:
	explicit Host(bool high, unsigned seed = 1) : bus(makeBus(seed)), high_(high)
	{
	}

	// `answersChirp` false is a host that knows full speed only.
	void reset(bool answersChirp = true);

	// Start of a (micro)frame, when it is time; every token begins with it. Without frames a device goes to sleep.
	void frame();

	// Packet level. An answer that does not come is empty, as is a packet that is not well formed.
	void token(Pid pid, unsigned endpoint, bool spoiled = false);
	void data(Pid pid, const Bytes &payload, bool spoiled = false);
	void handshake(Pid pid)
	{
		bus->send({pid});
	}

	// Transactions. The pid of the handshake, or 0 if there was none.
	uint8_t setup(const Bytes &request);
	uint8_t out(unsigned endpoint, Pid pid, const Bytes &payload, bool spoiled = false);
	uint8_t ping(unsigned endpoint);
	// Data that came, with its pid; or the pid of the handshake alone.
	struct Came {
		uint8_t pid;
		Bytes payload;
	};
	Came in(unsigned endpoint, bool acknowledge = true);

	// Control transfers: nothing if the request was stalled.
	std::optional<Bytes> get(uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint16_t length);
	bool set(uint8_t type, uint8_t request, uint16_t value, uint16_t index = 0);
	std::optional<Bytes> descriptor(uint8_t type, uint8_t index, uint16_t length = 255);
	void enumerate(); // address 5, configuration 1

	// Bulk transfers on endpoint 1, with toggles, NAK and PING. A host's transfer ends with a short packet, or is
	// empty if there is nothing for a while.
	void bulkOut(const Bytes &bytes);
	Bytes bulkIn(unsigned patience = 40);

	// Since the times were cleared, SETUP, IN and OUT were answered, and each within the bounds of the bus.
	void requireTimes() const;

	unsigned packet() const // most bytes of a bulk packet
	{
		return high_ ? 512 : 64;
	}
	unsigned address = 0;
	Pid outToggle = Data0, inToggle = Data0;
	unsigned naks = 0, pings = 0, empties = 0; // handshakes seen, packets without data
	const std::unique_ptr<Bus> bus;

      private:
	Pid flip(Pid pid) const
	{
		return pid == Data0 ? Data1 : Data0;
	}

	bool high_;
	uint64_t lastFrame_ = 0;
	uint16_t frame_ = 0;
};
