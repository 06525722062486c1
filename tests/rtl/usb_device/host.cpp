// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <cstdio>

#include <algorithm>

namespace
{
constexpr unsigned Patience = 2000; // NAKs before a control transfer has failed

uint8_t crc5(uint16_t bits)
{
	uint8_t crc = 0x1f;

	for (unsigned i = 0; i < 11; i++) {
		const bool one = ((bits >> i) & 1) != (crc & 1);
		crc = static_cast<uint8_t>(crc >> 1 ^ (one ? 0x14 : 0));
	}
	return crc ^ 0x1f;
}

uint16_t crc16(const Bytes &bytes)
{
	uint16_t crc = 0xffff;

	for (uint8_t byte : bytes) {
		for (unsigned i = 0; i < 8; i++) {
			const bool one = ((byte >> i) & 1) != (crc & 1);
			crc = static_cast<uint16_t>(crc >> 1 ^ (one ? 0xa001 : 0));
		}
	}
	return crc ^ 0xffff;
}

bool isData(uint8_t pid)
{
	return pid == Data0 || pid == Data1;
}
} // namespace

void require(bool holds, const std::string &what)
{
	if (!holds) {
		throw Failure(what);
	}
}

void Host::reset(bool answersChirp)
{
	bus->reset(answersChirp);
	address = 0;
	outToggle = inToggle = Data0;
	lastFrame_ = bus->cycles();
}

// ---------------------------------------------------------------- packets
void Host::token(Pid pid, unsigned endpoint, bool spoiled)
{
	const uint16_t bits = static_cast<uint16_t>(address | endpoint << 7);
	const uint16_t all = static_cast<uint16_t>((bits | crc5(bits) << 11) ^ (spoiled ? 0x1000 : 0));

	frame();
	bus->send({pid, static_cast<uint8_t>(all), static_cast<uint8_t>(all >> 8)});
}

void Host::frame()
{
	const unsigned period = bus->atHighSpeed() ? 7500 : 12000;

	if (bus->cycles() - lastFrame_ < period) {
		return;
	}
	lastFrame_ = bus->cycles();
	frame_ = (frame_ + 1) & 0x7ff;
	const uint16_t all = static_cast<uint16_t>(frame_ | crc5(frame_) << 11);
	bus->send({Sof, static_cast<uint8_t>(all), static_cast<uint8_t>(all >> 8)});
}

void Host::data(Pid pid, const Bytes &payload, bool spoiled)
{
	const uint16_t crc = static_cast<uint16_t>(crc16(payload) ^ (spoiled ? 0x0200 : 0));
	Bytes packet(payload.size() + 3);

	packet.front() = pid;
	std::copy(payload.begin(), payload.end(), packet.begin() + 1);
	packet[packet.size() - 2] = static_cast<uint8_t>(crc);
	packet[packet.size() - 1] = static_cast<uint8_t>(crc >> 8);
	bus->send(packet);
}

// ---------------------------------------------------------------- transactions
uint8_t Host::setup(const Bytes &request)
{
	bus->asked = "SETUP";
	token(Setup, 0);
	data(Data0, request);
	const Bytes answer = bus->receive();
	return answer.size() == 1 ? answer[0] : 0;
}

uint8_t Host::out(unsigned endpoint, Pid pid, const Bytes &payload, bool spoiled)
{
	bus->asked = "OUT";
	token(Out, endpoint);
	data(pid, payload, spoiled);
	const Bytes answer = bus->receive();
	require(answer.size() <= 1, "data instead of a handshake");
	naks += !answer.empty() && answer[0] == Nak;
	return answer.empty() ? 0 : answer[0];
}

uint8_t Host::ping(unsigned endpoint)
{
	bus->asked = "PING";
	token(Ping, endpoint);
	const Bytes answer = bus->receive();
	pings++;
	return answer.size() == 1 ? answer[0] : 0;
}

Host::Came Host::in(unsigned endpoint, bool acknowledge)
{
	bus->asked = "IN";
	token(In, endpoint);
	const Bytes answer = bus->receive();

	if (answer.size() <= 1) {
		return {answer.empty() ? uint8_t(0) : answer[0], {}};
	}
	require(isData(answer[0]) && answer.size() >= 3, "a packet that is neither data nor a handshake");
	const Bytes payload(answer.begin() + 1, answer.end() - 2);
	require(crc16(payload) == (answer[answer.size() - 2] | answer[answer.size() - 1] << 8),
		"CRC of the device's data");
	empties += payload.empty();
	if (acknowledge) {
		handshake(Ack);
	}
	return {answer[0], payload};
}

// ---------------------------------------------------------------- control transfers
std::optional<Bytes> Host::get(uint8_t type, uint8_t request, uint16_t value, uint16_t index, uint16_t length)
{
	constexpr size_t Most = 64;
	Bytes all;
	Pid toggle = Data1;
	const Bytes asked = {type, request, static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8),
		static_cast<uint8_t>(index), static_cast<uint8_t>(index >> 8), static_cast<uint8_t>(length),
		static_cast<uint8_t>(length >> 8)};

	require(setup(asked) == Ack, "SETUP is not acknowledged");
	for (unsigned tries = 0; tries < Patience && all.size() < length; tries++) {
		const Came came = in(0);

		if (came.pid == Stall) {
			return {};
		}
		if (came.pid == Nak) {
			continue;
		}
		require(came.pid == toggle, "wrong toggle in a control transfer");
		toggle = flip(toggle);
		all.insert(all.end(), came.payload.begin(), came.payload.end());
		if (came.payload.size() < Most) {
			break;
		}
	}
	require(all.size() <= length, "more than was asked for");
	for (unsigned tries = 0; tries < Patience; tries++) {
		const uint8_t answer = out(0, Data1, {});

		if (answer != Nak) {
			require(answer == Ack, "status stage of a control transfer");
			return all;
		}
	}
	throw Failure("NAK without end");
}

bool Host::set(uint8_t type, uint8_t request, uint16_t value, uint16_t index)
{
	require(setup({type, request, static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8),
			static_cast<uint8_t>(index), static_cast<uint8_t>(index >> 8), 0, 0}) == Ack,
		"SETUP is not acknowledged");
	for (unsigned tries = 0; tries < Patience; tries++) {
		const Came came = in(0);

		if (came.pid == Stall) {
			return false;
		}
		if (came.pid != Nak) {
			require(came.pid == Data1 && came.payload.empty(), "status stage of a control transfer");
			return true;
		}
	}
	throw Failure("NAK without end");
}

std::optional<Bytes> Host::descriptor(uint8_t type, uint8_t index, uint16_t length)
{
	constexpr uint8_t GetDescriptor = 6;

	return get(0x80, GetDescriptor, static_cast<uint16_t>(type << 8 | index), type == 3 ? 0x0409 : 0, length);
}

void Host::enumerate()
{
	constexpr uint8_t SetAddress = 5, SetConfiguration = 9;

	require(set(0x00, SetAddress, 5), "SET_ADDRESS is stalled");
	bus->idle(200);
	address = 5;
	require(set(0x00, SetConfiguration, 1), "SET_CONFIGURATION is stalled");
	outToggle = inToggle = Data0;
}

// ---------------------------------------------------------------- bulk transfers
void Host::bulkOut(const Bytes &bytes)
{
	for (size_t at = 0; at < bytes.size();) {
		const size_t size = std::min<size_t>(packet(), bytes.size() - at);
		const uint8_t answer = out(1, outToggle,
			Bytes(bytes.begin() + static_cast<ptrdiff_t>(at),
				bytes.begin() + static_cast<ptrdiff_t>(at + size)));

		if (answer == Ack || answer == Nyet) {
			outToggle = flip(outToggle);
			at += size;
			continue;
		}
		require(answer == Nak, "a bulk packet is not answered");
		for (unsigned tries = 0; bus->atHighSpeed() && ping(1) != Ack; tries++) {
			require(tries < Patience, "PING is refused without end");
		}
	}
}

Bytes Host::bulkIn(unsigned patience)
{
	Bytes all;

	for (unsigned idle = 0; idle < patience;) {
		const Came came = in(1);

		if (came.pid == Nak) {
			idle++;
			continue;
		}
		require(isData(came.pid), "a bulk packet that is no data");
		if (came.pid != inToggle) { // sent again: its acknowledgement was lost
			continue;
		}
		inToggle = flip(inToggle);
		all.insert(all.end(), came.payload.begin(), came.payload.end());
		if (came.payload.size() < packet()) {
			break;
		}
		idle = 0;
	}
	return all;
}

void Host::requireTimes() const
{
	const Bus::Allowed allowed = bus->allowed();

	for (const char *kind : {"SETUP", "IN", "OUT"}) {
		require(bus->times.count(kind) != 0, std::string("no answer to ") + kind);
	}
	for (const auto &[kind, time] : bus->times) {
		const std::string said = kind + " answered after " + std::to_string(time.quickest) + " to " +
					 std::to_string(time.slowest) + ", allowed are " +
					 std::to_string(allowed.least) + " to " + std::to_string(allowed.most);

		printf("# %s\n", said.c_str());
		require(time.quickest >= allowed.least && time.slowest <= allowed.most, said);
	}
}
