// SPDX-License-Identifier: Apache-2.0
//
// The native USB front ends and the bridge behind them, packet by packet. Prints TAP. A case's name as argument runs
// this case only; --list prints all names.
#include <cstdio>
#include <cstring>
#include <deque>

#include "host.hpp"
#include "usb_descriptors.hpp"
#include "xt_bridge.h"

namespace
{
constexpr bool High = HIGH_SPEED != 0;
constexpr uint64_t Serial = 0x0123456789abcdef;
constexpr uint8_t DeviceType = 1, ConfigurationType = 2, StringType = 3, QualifierType = 6;

// ---------------------------------------------------------------- frames of the bridge
uint32_t crc32(const Bytes &bytes)
{
	uint32_t crc = ~UINT32_C(0);

	for (uint8_t byte : bytes) {
		crc ^= byte;
		for (unsigned i = 0; i < 8; i++) {
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
		}
	}
	return ~crc;
}

Bytes encode(Bytes body)
{
	const uint32_t crc = crc32(body);
	Bytes out = {0x7e};

	for (unsigned i = 0; i < 4; i++) {
		body.push_back(static_cast<uint8_t>(crc >> 8 * i));
	}
	for (uint8_t byte : body) {
		if (byte == 0x7e || byte == 0x7d) {
			out.push_back(0x7d);
			byte ^= 0x20;
		}
		out.push_back(byte);
	}
	out.push_back(0x7e);
	return out;
}

Bytes request(uint8_t kind, uint16_t sequence, uint8_t unit = 0, uint16_t argument = 0, const Bytes &payload = {})
{
	Bytes body = {kind, 0, static_cast<uint8_t>(sequence), static_cast<uint8_t>(sequence >> 8), 0, unit,
		static_cast<uint8_t>(argument), static_cast<uint8_t>(argument >> 8)};

	body.insert(body.end(), payload.begin(), payload.end());
	return encode(body);
}

// The bodies of whole frames among these bytes; what is begun stays in `rest`.
std::deque<Bytes> decode(const Bytes &bytes, Bytes &rest)
{
	std::deque<Bytes> frames;

	for (uint8_t byte : bytes) {
		if (byte != 0x7e) {
			rest.push_back(byte);
			continue;
		}
		Bytes body;
		for (size_t i = 0; i < rest.size(); i++) {
			body.push_back(rest[i] == 0x7d && i + 1 < rest.size() ? rest[++i] ^ 0x20 : rest[i]);
		}
		rest.clear();
		if (body.empty()) {
			continue;
		}
		require(body.size() >= 12 && body.size() % 4 == 0, "length of a frame");
		const Bytes tail(body.end() - 4, body.end());
		body.resize(body.size() - 4);
		const uint32_t crc = crc32(body);
		for (unsigned i = 0; i < 4; i++) {
			require(tail[i] == static_cast<uint8_t>(crc >> 8 * i), "CRC of a frame");
		}
		if (body[0] != EXTORUS_LINE_KIND_EVENT) {
			frames.push_back(body);
		}
	}
	return frames;
}

unsigned number(const Bytes &frame)
{
	return frame[2] | frame[3] << 8;
}

uint32_t word(const Bytes &frame, unsigned n)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < 4; i++) {
		value |= static_cast<uint32_t>(frame.at(8 + 4 * n + i)) << 8 * i;
	}
	return value;
}

// Answers to what is on its way, in order, until there is nothing for a while.
std::deque<Bytes> answers(Host &host)
{
	std::deque<Bytes> all;
	Bytes rest;

	for (;;) {
		const Bytes bytes = host.bulkIn();
		if (bytes.empty()) {
			return all;
		}
		for (Bytes &frame : decode(bytes, rest)) {
			all.push_back(std::move(frame));
		}
	}
}

Bytes ask(Host &host, const Bytes &bytes)
{
	host.bulkOut(bytes);
	const std::deque<Bytes> all = answers(host);
	require(all.size() == 1, std::to_string(all.size()) + " answers instead of one");
	return all[0];
}

Bytes info(uint16_t sequence)
{
	return request(EXTORUS_LINE_KIND_INFO, sequence);
}

void requireInfo(const Bytes &frame, unsigned sequence)
{
	require(frame[0] == (EXTORUS_LINE_KIND_INFO | 0x80) && number(frame) == sequence && frame.size() == 8 + 4 * 14,
		"no answer to INFO " + std::to_string(sequence));
	require(word(frame, 0) == EXTORUS_LINE_MAGIC && word(frame, 6) == (Serial & UINT32_MAX) &&
			word(frame, 7) == Serial >> 32,
		"what INFO says");
}

void open(Host &host)
{
	host.reset();
	host.enumerate();
}

void sync(Host &host, uint16_t sequence)
{
	const Bytes answer = ask(host, request(EXTORUS_LINE_KIND_SYNC, sequence, 0, 0, {1, 0, 0, 0}));
	require(answer[1] == EXTORUS_LINE_STATUS_OK, "SYNC");
}

// ---------------------------------------------------------------- cases
// A chirp of 1 to 7 ms; high speed if the host answers it, else full speed; then a second reset.
void resets(Host &host)
{
	host.reset();
	host.reset();
}

// A host for full speed only.
void fallsBack(Host &host)
{
	host.reset(false);
	require(!host.bus->atHighSpeed(), "high speed without the host's chirp");
	for (unsigned i = 0; i < 20; i++) {
		require(host.descriptor(DeviceType, 0).has_value(), "no descriptor at full speed");
	}
	host.requireTimes();
}

// What the virtual board says, which a stock kernel has enumerated, but for the name and the size of packets.
Bytes expected(const UsbDescriptors &model, uint8_t type, uint8_t index)
{
	constexpr uint8_t Product = 2;
	Bytes bytes;

	require(model.get(type, index, bytes), "the virtual board has no such descriptor");
	if (type == StringType && index == Product) {
		bytes = {0, StringType};
		for (const char *c = "extorus board"; *c; c++) {
			bytes.push_back(static_cast<uint8_t>(*c));
			bytes.push_back(0);
		}
		bytes[0] = static_cast<uint8_t>(bytes.size());
	}
	if (type == ConfigurationType && !High) {
		bytes[22] = bytes[29] = 64;
		bytes[23] = bytes[30] = 0;
	}
	return bytes;
}

// Every descriptor is that of the virtual board (sim/virtual_board), which a kernel has enumerated.
void enumerates(Host &host)
{
	const UsbDescriptors model(Serial);

	host.reset();
	const Bytes device = expected(model, DeviceType, 0);
	require(host.descriptor(DeviceType, 0, 8) == Bytes(device.begin(), device.begin() + 8), "first 8 bytes");
	host.enumerate();
	require(host.descriptor(DeviceType, 0) == device, "device descriptor");
	const Bytes configuration = expected(model, ConfigurationType, 0);
	require(host.descriptor(ConfigurationType, 0, 9) == Bytes(configuration.begin(), configuration.begin() + 9),
		"first 9 bytes of the configuration");
	require(host.descriptor(ConfigurationType, 0) == configuration, "configuration descriptor");
	for (uint8_t i = 0; i <= 4; i++) {
		require(host.descriptor(StringType, i) == expected(model, StringType, i),
			"string " + std::to_string(i));
	}
	const Bytes serial = expected(model, StringType, 3);
	for (uint16_t length = 1; length < serial.size(); length++) {
		require(host.descriptor(StringType, 3, length) == Bytes(serial.begin(), serial.begin() + length),
			"a part of the serial number");
	}
	if (High) {
		require(host.descriptor(QualifierType, 0) == expected(model, QualifierType, 0), "qualifier");
	} else {
		require(!host.descriptor(QualifierType, 0), "a qualifier without high speed");
	}
	require(host.get(0x80, 8, 0, 0, 1) == Bytes{1}, "GET_CONFIGURATION");
	require(host.get(0x80, 0, 0, 0, 2).has_value(), "GET_STATUS");
}

// An unknown request is stalled, and the next request is answered.
void stallsTheUnknown(Host &host)
{
	open(host);
	require(!host.descriptor(0x21, 0), "an unknown descriptor is there");
	require(!host.descriptor(StringType, 9), "an unknown string is there");
	require(!host.get(0xc0, 0x51, 0, 0, 8), "a vendor's request is answered");
	require(!host.set(0x40, 0x51, 0), "a vendor's request is carried out");
	require(host.descriptor(DeviceType, 0).has_value(), "the stall does not end");
}

// Other addresses and endpoints, the old address, and tokens with a wrong CRC get no answer.
void ignoresOthers(Host &host)
{
	open(host);
	host.address = 6;
	require(host.in(1).pid == 0 && host.out(1, Data0, info(1)) == 0 && host.in(0).pid == 0, "answers for another");
	host.address = 0;
	require(host.in(0).pid == 0, "answers at address 0");
	host.address = 5;
	host.token(In, 1, true);
	require(host.bus->receive().empty(), "answers a token with a wrong CRC");
	host.token(In, 3);
	require(host.bus->receive().empty(), "answers for an endpoint that is not there");
	requireInfo(ask(host, info(2)), 2);
}

// INFO goes through the bridge and back.
void informs(Host &host)
{
	open(host);
	requireInfo(ask(host, info(0x1234)), 0x1234);
}

// Answers of all lengths end their transfer, with an empty packet where the last packet is full.
void transfersEnd(Host &host)
{
	constexpr uint16_t address = 0x7e00; // each word has a byte that is escaped: 64 bytes can be filled
	unsigned whole = 0;

	open(host);
	sync(host, 0xffff);
	host.empties = 0;
	for (unsigned count = 1; count <= 64; count++) {
		host.bulkOut(request(EXTORUS_LINE_KIND_READ, static_cast<uint16_t>(count - 1),
			static_cast<uint8_t>(count - 1), address));
		Bytes rest, bytes;
		while (bytes.empty()) {
			bytes = host.bulkIn();
		}
		const std::deque<Bytes> frames = decode(bytes, rest);
		require(frames.size() == 1 && rest.empty(), "a transfer is not an answer");
		require(frames[0][1] == EXTORUS_LINE_STATUS_OK && frames[0].size() == 8 + 4 * count, "answer to READ");
		for (unsigned i = 0; i < count; i++) {
			require(word(frames[0], i) == (0xda7a0000 | (address + 4 * i)), "what was read");
		}
		whole += bytes.size() % host.packet() == 0;
	}
	require(host.empties == whole, "empty packets");
	require(High || whole > 0, "no answer fills its packets");
}

// OUT with the same toggle is acknowledged and dropped.
void repeatsAreNotDelivered(Host &host)
{
	open(host);
	require(host.out(1, Data0, info(1)) == Ack, "not taken");
	require(host.out(1, Data0, info(1)) == Ack, "a repetition is not acknowledged");
	require(host.out(1, Data1, info(2)) == Ack, "not taken");
	const std::deque<Bytes> all = answers(host);
	require(all.size() == 2, std::to_string(all.size()) + " answers to two requests, one of which was repeated");
	requireInfo(all[0], 1);
	requireInfo(all[1], 2);
}

// OUT with a wrong CRC gets no handshake and is not delivered.
void spoiledIsNotAnswered(Host &host)
{
	open(host);
	require(host.out(1, Data0, info(1), true) == 0, "a packet with a wrong CRC is answered");
	require(host.out(1, Data0, info(2)) == Ack, "not taken after that");
	const std::deque<Bytes> all = answers(host);
	require(all.size() == 1, "the spoiled packet was delivered");
	requireInfo(all[0], 2);
}

// IN without ACK sends the same packet again.
void sendsAgain(Host &host)
{
	Host::Came first, again;

	open(host);
	host.bulkOut(info(7));
	do {
		first = host.in(1, false);
	} while (first.pid == Nak);
	again = host.in(1, false);
	require(first.pid == Data0 && again.pid == first.pid && again.payload == first.payload, "not the same again");
	Bytes rest, bytes;
	for (Bytes part = host.bulkIn(); !part.empty(); part = host.bulkIn()) {
		bytes.insert(bytes.end(), part.begin(), part.end());
	}
	const std::deque<Bytes> frames = decode(bytes, rest);
	require(frames.size() == 1, "not one answer");
	requireInfo(frames[0], 7);
	requireInfo(ask(host, info(8)), 8);
}

// A host does not read: NAK, and PING is refused. Later every answer arrives once.
void holdsBack(Host &host)
{
	constexpr unsigned Count = 400; // more answers than there is room for
	unsigned sent = 0, got = 0;
	uint8_t answer = Ack;

	open(host);
	while (sent < Count && answer != Nak) {
		answer = host.out(1, host.outToggle, info(static_cast<uint16_t>(sent)));
		if (answer != Nak) {
			require(answer == Ack, "neither taken nor refused");
			host.outToggle = host.outToggle == Data0 ? Data1 : Data0;
			sent++;
		}
	}
	require(answer == Nak, "never refuses");
	if (High) {
		require(host.ping(1) == Nak, "PING says that there is room");
	}
	for (const Bytes &frame : answers(host)) {
		requireInfo(frame, got++);
	}
	require(got == sent, std::to_string(got) + " answers to " + std::to_string(sent) + " requests");
	if (High) {
		require(host.ping(1) == Ack, "PING says that there is no room");
	}
	requireInfo(ask(host, info(99)), 99);
}

// After SET_CONFIGURATION and after a reset the toggle is DATA0, and half a frame is dropped.
void startsAnew(Host &host)
{
	open(host);
	requireInfo(ask(host, info(1)), 1);
	const Bytes half = info(2), flagless = info(3);
	host.bulkOut(Bytes(half.begin(), half.begin() + 7));
	host.bulkOut({0x11});
	require(host.set(0, 9, 1), "SET_CONFIGURATION");
	host.outToggle = host.inToggle = Data0;
	requireInfo(ask(host, Bytes(flagless.begin() + 1, flagless.end())), 3);
	host.bulkOut(half);
	host.bulkOut(info(4));
	require(answers(host).size() == 2, "not two answers");
	host.bulkOut({0x7e, 0x7e});
	host.reset();
	require(host.get(0x80, 8, 0, 0, 1) == Bytes{0}, "configured after a reset");
	host.enumerate();
	requireInfo(ask(host, info(5)), 5);
}

// Of 200 writes, the bus disturbs three of four. Each write happens once.
void appliesOnce(Host &host)
{
	constexpr unsigned Count = 200;
	unsigned applied = 0;

	open(host);
	sync(host, 0xffff);
	for (unsigned i = 0; i < Count; i++) {
		const Bytes frame = request(EXTORUS_LINE_KIND_WRITE, static_cast<uint16_t>(i), 0,
			i % 7 ? 0x100 : 0x8000, {static_cast<uint8_t>(i), 0x7e, 0x7d, 0});
		const unsigned luck = host.bus->random() % 4;

		if (luck == 0) { // spoiled on the way
			require(host.out(1, host.outToggle, frame, true) == 0, "a packet with a wrong CRC is answered");
		}
		if (luck == 1) { // its acknowledgement is lost
			require(host.out(1, host.outToggle, frame) == Ack, "not taken");
		}
		host.bulkOut(frame);
		applied += i % 7 != 0;
		if (luck == 2) { // the answer's acknowledgement is lost
			while (host.in(1, false).pid == Nak) {
			}
		}
		const std::deque<Bytes> all = answers(host);
		require(all.size() == 1 && number(all[0]) == i, "not one answer to request " + std::to_string(i));
		require(all[0][1] == (i % 7 ? EXTORUS_LINE_STATUS_OK : EXTORUS_LINE_STATUS_BUS), "status of a write");
		require(host.bus->writes() == applied, "words written");
	}
}

void answersInTime(Host &host)
{
	open(host);
	host.bus->times.clear();
	for (unsigned i = 0; i < 20; i++) {
		requireInfo(ask(host, info(static_cast<uint16_t>(i))), i);
		require(host.descriptor(DeviceType, 0).has_value(), "no descriptor");
	}
	require(!High || host.ping(1) == Ack, "PING says that there is no room");
	host.requireTimes();
}

struct Case {
	const char *name;
	void (*run)(Host &);
};
const Case cases[] = {
	{"resets", resets},
	{"enumerates", enumerates},
	{"stalls-the-unknown", stallsTheUnknown},
	{"ignores-others", ignoresOthers},
	{"informs", informs},
	{"transfers-end", transfersEnd},
	{"repeats-are-not-delivered", repeatsAreNotDelivered},
	{"spoiled-is-not-answered", spoiledIsNotAnswered},
	{"sends-again", sendsAgain},
	{"holds-back", holdsBack},
	{"starts-anew", startsAnew},
	{"applies-once", appliesOnce},
	{"answers-in-time", answersInTime},
};
// Of a core for high speed only.
const Case highCases[] = {{"falls-back", fallsBack}};

std::vector<Case> all()
{
	std::vector<Case> found(std::begin(cases), std::end(cases));

	if (High) {
		found.insert(found.end(), std::begin(highCases), std::end(highCases));
	}
	return found;
}
} // namespace

int main(int argc, char **argv)
{
	unsigned number = 0, failed = 0;

	for (const Case &test : all()) {
		if (argc > 1 && !strcmp(argv[1], "--list")) {
			puts(test.name);
			continue;
		}
		if (argc > 1 && strcmp(argv[1], test.name) != 0) {
			continue;
		}
		std::unique_ptr<Host> host;
		const auto cycles = [&host] { return host ? static_cast<unsigned long long>(host->bus->cycles()) : 0; };

		number++;
		try {
			host = std::make_unique<Host>(High);
			test.run(*host);
			printf("ok %u - %s (%llu cycles)\n", number, test.name, cycles());
		} catch (const Failure &failure) {
			failed++;
			printf("not ok %u - %s: %s (cycle %llu)\n", number, test.name, failure.what(), cycles());
		}
		fflush(stdout);
	}
	if (argc > 1 && strcmp(argv[1], "--list") != 0 && number == 0) {
		fprintf(stderr, "no case \"%s\"; --list names them\n", argv[1]);
		return 2;
	}
	return failed != 0;
}
