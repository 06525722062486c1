// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <algorithm>

#include "verilated.h"
#include "Vutmi_board.h"

namespace
{
enum Lines : uint8_t { Se0 = 0, J = 1, K = 2 };
enum Speed : uint8_t { HighSpeed = 0, FullSpeed = 1 };
constexpr uint8_t Chirp = 2;           // op_mode
constexpr unsigned AnswerWithin = 200; // cycles
constexpr unsigned Patience = 2000;    // NAKs before a control transfer has failed
constexpr unsigned MostBytes = 1100;   // of a packet
constexpr unsigned Microsecond = 60;   // cycles, at high speed

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

struct Host::Model {
	VerilatedContext context;
	Vutmi_board top{&context, "utmi_board"};
};

Host::Host(bool high, unsigned seed) : random(seed), model_(std::make_unique<Model>()), high_(high)
{
	model_->top.rst_ni = 0;
	model_->top.utmi_line_state_i = Se0;
	idle(8);
	model_->top.rst_ni = 1;
	model_->top.utmi_line_state_i = J;
	idle(8);
}

Host::~Host()
{
	model_->top.final();
}

// Both clocks in turn: the bridge's may be any, here it is two of three edges of the core's.
void Host::tick()
{
	Vutmi_board &top = model_->top;

	top.usb_clk_i = 1;
	top.clk_i = cycles_ % 3 != 0;
	top.eval();
	top.usb_clk_i = 0;
	top.clk_i = 0;
	top.eval();
	cycles_++;
}

void Host::idle(unsigned cycles)
{
	for (unsigned i = 0; i < cycles; i++) {
		tick();
	}
}

bool Host::chance(unsigned of)
{
	return random() % of == 0;
}

unsigned Host::writes() const
{
	return model_->top.writes_o;
}

bool Host::atHighSpeed() const
{
	const Vutmi_board &top = model_->top;

	return top.utmi_xcvr_select_o == HighSpeed && top.utmi_term_select_o == 0 && top.utmi_op_mode_o == 0;
}

void Host::reset(bool answersChirp)
{
	Vutmi_board &top = model_->top;
	const unsigned settle = atHighSpeed() ? 3300 * Microsecond : 0; // a reset looks like idle for so long

	top.utmi_line_state_i = Se0;
	idle(settle + 20 * Microsecond);
	if (high_) {
		unsigned length = 0;

		require(top.utmi_op_mode_o == Chirp, "the device does not chirp");
		for (; top.utmi_tx_valid_o && length < 8000 * Microsecond; length++) {
			require(top.utmi_tx_data_o == 0, "its chirp is no K");
			top.utmi_line_state_i = K;
			tick();
		}
		require(length >= 1000 * Microsecond && length <= 7000 * Microsecond, "its chirp lasts 1 to 7 ms");
		top.utmi_line_state_i = Se0;
		idle(50 * Microsecond);
		for (unsigned i = 0; answersChirp && i < 8; i++) {
			top.utmi_line_state_i = i % 2 ? J : K;
			idle(50 * Microsecond);
		}
		top.utmi_line_state_i = Se0;
		idle(answersChirp ? 10 * Microsecond : 3000 * Microsecond);
	}
	if (!high_ || !answersChirp) {
		top.utmi_line_state_i = J;
	}
	idle(20);
	require(atHighSpeed() == (high_ && answersChirp), "the speed is not the one agreed");
	address = 0;
	outToggle = inToggle = Data0;
	lastFrame_ = cycles_;
}

// ---------------------------------------------------------------- packets
void Host::send(const Bytes &packet)
{
	Vutmi_board &top = model_->top;
	const bool fast = atHighSpeed();
	const uint8_t rest = top.utmi_line_state_i;

	idle(fast ? 12 : 8);
	top.utmi_rx_active_i = 1;
	top.utmi_line_state_i = K;
	idle(1 + random() % 3);
	for (uint8_t byte : packet) {
		idle(fast ? chance(16) : 7 + chance(8)); // a bit that was stuffed
		top.utmi_rx_valid_i = 1;
		top.utmi_rx_data_i = byte;
		tick();
		top.utmi_rx_valid_i = 0;
	}
	idle(1);
	top.utmi_rx_active_i = 0;
	if (!fast) {
		top.utmi_line_state_i = Se0;
		idle(2);
	}
	top.utmi_line_state_i = rest;
}

Bytes Host::receive()
{
	Vutmi_board &top = model_->top;
	const bool fast = atHighSpeed();
	Bytes packet;
	unsigned waited = 0;

	for (; !top.utmi_tx_valid_o; waited++) {
		if (waited == AnswerWithin) {
			return {};
		}
		tick();
	}
	slowest = std::max(slowest, waited);
	idle(fast ? 4 : 8); // SYNC
	while (top.utmi_tx_valid_o) {
		require(packet.size() < MostBytes, "a packet without end");
		idle(fast ? chance(16) : 7 + chance(8));
		top.utmi_tx_ready_i = 1;
		top.eval();
		packet.push_back(top.utmi_tx_data_o);
		tick();
		top.utmi_tx_ready_i = 0;
		top.eval();
	}
	return packet;
}

void Host::token(Pid pid, unsigned endpoint, bool spoiled)
{
	const uint16_t bits = static_cast<uint16_t>(address | endpoint << 7);
	const uint16_t all = static_cast<uint16_t>((bits | crc5(bits) << 11) ^ (spoiled ? 0x1000 : 0));

	frame();
	send({pid, static_cast<uint8_t>(all), static_cast<uint8_t>(all >> 8)});
}

// Start of a (micro)frame, when it is time.
void Host::frame()
{
	const unsigned period = atHighSpeed() ? 7500 : 12000;

	if (cycles_ - lastFrame_ < period) {
		return;
	}
	lastFrame_ = cycles_;
	frame_ = (frame_ + 1) & 0x7ff;
	const uint16_t all = static_cast<uint16_t>(frame_ | crc5(frame_) << 11);
	send({Sof, static_cast<uint8_t>(all), static_cast<uint8_t>(all >> 8)});
}

void Host::data(Pid pid, const Bytes &payload, bool spoiled)
{
	const uint16_t crc = static_cast<uint16_t>(crc16(payload) ^ (spoiled ? 0x0200 : 0));
	Bytes packet(payload.size() + 3);

	packet.front() = pid;
	std::copy(payload.begin(), payload.end(), packet.begin() + 1);
	packet[packet.size() - 2] = static_cast<uint8_t>(crc);
	packet[packet.size() - 1] = static_cast<uint8_t>(crc >> 8);
	send(packet);
}

// ---------------------------------------------------------------- transactions
uint8_t Host::setup(const Bytes &request)
{
	token(Setup, 0);
	data(Data0, request);
	const Bytes answer = receive();
	return answer.size() == 1 ? answer[0] : 0;
}

uint8_t Host::out(unsigned endpoint, Pid pid, const Bytes &payload, bool spoiled)
{
	token(Out, endpoint);
	data(pid, payload, spoiled);
	const Bytes answer = receive();
	require(answer.size() <= 1, "data instead of a handshake");
	naks += !answer.empty() && answer[0] == Nak;
	return answer.empty() ? 0 : answer[0];
}

uint8_t Host::ping(unsigned endpoint)
{
	token(Ping, endpoint);
	const Bytes answer = receive();
	pings++;
	return answer.size() == 1 ? answer[0] : 0;
}

Host::Came Host::in(unsigned endpoint, bool acknowledge)
{
	token(In, endpoint);
	const Bytes answer = receive();

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
	idle(200);
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
		for (unsigned tries = 0; atHighSpeed() && ping(1) != Ack; tries++) {
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
