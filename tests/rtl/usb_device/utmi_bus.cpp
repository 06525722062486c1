// SPDX-License-Identifier: Apache-2.0
#include "utmi_bus.hpp"

namespace
{
enum Speed : uint8_t { HighSpeed = 0, FullSpeed = 1 };
constexpr unsigned AnswerWithin = 200; // cycles
constexpr unsigned Microsecond = 60;   // cycles, at high speed
constexpr unsigned BitOfFullSpeed = 5; // cycles of the same clock
} // namespace

void UtmiBus::idle(unsigned cycles)
{
	for (unsigned i = 0; i < cycles; i++) {
		clock();
		cycles_++;
	}
}

bool UtmiBus::atHighSpeed() const
{
	return signals_.xcvrSelect == HighSpeed && signals_.termSelect == 0 && signals_.opMode == 0;
}

void UtmiBus::reset(bool answersChirp)
{
	const unsigned settles = atHighSpeed() ? 3300 * Microsecond : 0; // a reset looks like idle for so long

	signals_.lineState = Se0;
	idle(settles + 20 * Microsecond);
	if (high_) {
		unsigned length = 0;

		require(signals_.opMode == Chirp, "the device does not chirp");
		for (; signals_.txValid && length < 8000 * Microsecond; length++) {
			require(signals_.txData == 0, "its chirp is no K");
			signals_.lineState = K;
			idle(1);
		}
		require(length >= 1000 * Microsecond && length <= 7000 * Microsecond, "its chirp lasts 1 to 7 ms");
		signals_.lineState = Se0;
		idle(50 * Microsecond);
		for (unsigned i = 0; answersChirp && i < 8; i++) {
			signals_.lineState = i % 2 ? J : K;
			idle(50 * Microsecond);
		}
		signals_.lineState = Se0;
		idle(answersChirp ? 10 * Microsecond : 3000 * Microsecond);
	}
	if (!high_ || !answersChirp) {
		signals_.lineState = J;
	}
	idle(20);
	require(atHighSpeed() == (high_ && answersChirp), "the speed is not the one agreed");
}

void UtmiBus::send(const Bytes &packet)
{
	const bool fast = atHighSpeed();
	const unsigned bit = high_ ? BitOfFullSpeed : 1;
	const uint8_t rest = signals_.lineState;

	idle(fast ? 12 : 8 * bit);
	signals_.rxActive = 1;
	signals_.lineState = K;
	idle(1 + random() % 3);
	for (uint8_t byte : packet) {
		idle(fast ? chance(16) : 8 * bit - 1 + chance(8) * bit); // a bit that was stuffed
		signals_.rxValid = 1;
		signals_.rxData = byte;
		idle(1);
		signals_.rxValid = 0;
	}
	idle(1);
	// A PHY may tell the end of a packet at full speed when SE0 begins or when it ends.
	signals_.rxActive = !fast && high_ && chance(2);
	if (!fast) {
		signals_.lineState = Se0;
		idle(2 * bit);
	}
	signals_.rxActive = 0;
	signals_.lineState = rest;
}

Bytes UtmiBus::receive()
{
	const bool fast = atHighSpeed();
	const unsigned bit = high_ ? BitOfFullSpeed : 1;
	Bytes packet;
	unsigned waited = 0;

	handOver();
	for (; !signals_.txValid; waited++) {
		if (waited == AnswerWithin) {
			return {};
		}
		idle(1);
	}
	answeredAfter(answerTime(waited));
	idle(fast ? 4 : 8 * bit); // SYNC
	while (signals_.txValid) {
		require(packet.size() < MostBytes, "a packet without end");
		idle(fast ? chance(16) : 8 * bit - 1 + chance(8) * bit);
		signals_.txReady = 1;
		settle();
		packet.push_back(signals_.txData);
		idle(1);
		signals_.txReady = 0;
		settle();
	}
	return packet;
}
