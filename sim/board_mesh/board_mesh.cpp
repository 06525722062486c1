// SPDX-License-Identifier: Apache-2.0
#include "board_mesh.hpp"

#include <set>
#include <stdexcept>
#include <string>

#include XT_TOP
#include "Vtop__Dpi.h"

namespace
{
// The board under evaluation, for the functions that its model calls.
thread_local Board *speaking = nullptr;
} // namespace

int mesh_take(int front)
{
	if (front != Top::Front || !speaking || speaking->fromHost.empty()) {
		return -1;
	}
	const int value = *speaking->fromHost.data();

	speaking->fromHost.drop(1);
	return value;
}

void mesh_give(int front, int value)
{
	if (front == Top::Front && speaking) {
		speaking->toHost.push(static_cast<uint8_t>(value));
	}
}

// A board's top at its pins.
class PinBoard : public Board
{
      public:
	PinBoard(unsigned serial, unsigned jitter)
	    : top_(with(context_, serial)), jitterTicks_(jitter * Cable::CycleTicks)
	{
	}
	~PinBoard() override
	{
		top_.pins.final();
	}
	// The mesh advances all boards at once.
	bool run() override
	{
		return true;
	}
	void wait() override
	{
	}
	void restart() override
	{
		fromHost.clear();
	}

	void tick(uint64_t now)
	{
		speaking = this;
		Verilated::threadContextp(&context_); // whose serial number it is
		if (jitterTicks_ == 0 || now % jitterTicks_ >= Cable::CycleTicks) {
			top_.clock();
		}
		top_.pins.eval();
		speaking = nullptr;
	}
	uint8_t pins(unsigned link) const
	{
		return top_.said(link);
	}
	void hear(unsigned link, uint8_t pins)
	{
		top_.hear(link, pins);
	}
	bool press(bool pressed)
	{
		return top_.press(pressed);
	}

      private:
	static VerilatedContext *with(VerilatedContext &context, unsigned serial)
	{
		const std::string plus = "+serial=" + std::to_string(serial);
		const char *arguments[] = {"mesh", plus.c_str()};

		context.commandArgs(2, arguments);
		return &context;
	}

	VerilatedContext context_;
	Top top_;
	unsigned jitterTicks_; // 0: none
};

BoardMesh::BoardMesh(const Options &options) : random_(options.seed), blurred_(options.blurred)
{
	const unsigned count = options.boards ? options.boards : options.nodes[0] * options.nodes[1] * options.nodes[2];

	for (unsigned i = 0; i < count; i++) {
		boards_.push_back(std::make_unique<PinBoard>(i + 1, options.jitter ? options.jitter + i : 0));
	}
	if (options.boards) {
		wire(options);
	} else {
		wireTorus(options);
	}
}

// One direction; every lane has a lag of its own.
void BoardMesh::connect(End from, End to, unsigned skew)
{
	std::array<uint8_t, Cable::Lanes + 1> lag;

	for (uint8_t &ticks : lag) {
		ticks = static_cast<uint8_t>(Cable::CycleTicks * (random_() % (skew + 1)));
	}
	connections_.push_back({from, to, Cable(lag), 0});
}

void BoardMesh::wireTorus(const Options &options)
{
	unsigned stride = 1;

	for (unsigned dimension = 0; dimension < options.nodes.size(); dimension++) {
		const unsigned radix = options.nodes[dimension];

		if (radix > 1 && Top::Links > 0 && Top::Links < 2 * dimension + 2) {
			throw std::runtime_error("these boards have " + std::to_string(Top::Links) +
						 " links, two for each dimension of --nodes");
		}
		for (unsigned i = 0; radix > 1 && Top::Links > 0 && i < boards(); i++) {
			const unsigned at = i / stride % radix, first = i - at * stride;

			connect({i, 2 * dimension}, {first + (at + radix - 1) % radix * stride, 2 * dimension + 1},
				options.skew);
			connect({i, 2 * dimension + 1}, {first + (at + 1) % radix * stride, 2 * dimension},
				options.skew);
		}
		stride *= radix;
	}
}

void BoardMesh::wire(const Options &options)
{
	std::set<std::pair<unsigned, unsigned>> taken;

	for (const auto &[one, other] : options.cables) {
		const bool plug = one.board == other.board && one.link == other.link;

		for (unsigned i = 0; i < (plug ? 1u : 2u); i++) {
			const End &end = i == 0 ? one : other;

			if (end.board >= boards() || end.link >= Top::Links) {
				throw std::runtime_error("no link " + std::to_string(end.link) + " of board " +
							 std::to_string(end.board) + " for a cable");
			}
			if (!taken.insert({end.board, end.link}).second) {
				throw std::runtime_error("two cables at link " + std::to_string(end.link) +
							 " of board " + std::to_string(end.board));
			}
		}
		connect(one, other, options.skew);
		if (!plug) {
			connect(other, one, options.skew);
		}
	}
}

BoardMesh::~BoardMesh() = default;

unsigned BoardMesh::boards() const
{
	return static_cast<unsigned>(boards_.size());
}

Board &BoardMesh::board(unsigned index)
{
	return *boards_[index];
}

bool BoardMesh::pull(unsigned board, unsigned link, bool pulled)
{
	bool found = false;

	for (Connection &c : connections_) {
		if (c.at(board, link)) {
			c.cable.pulled = pulled;
			found = true;
		}
	}
	return found;
}

bool BoardMesh::press(unsigned board, bool pressed)
{
	return board < boards() && boards_[board]->press(pressed);
}

void BoardMesh::errors(uint32_t oneIn)
{
	for (Connection &c : connections_) {
		c.oneIn = oneIn;
	}
}

bool BoardMesh::errors(unsigned board, unsigned link, uint32_t oneIn)
{
	bool found = false;

	for (Connection &c : connections_) {
		if (c.at(board, link)) {
			c.oneIn = oneIn;
			found = true;
		}
	}
	return found;
}

bool BoardMesh::shift(unsigned board, unsigned link, unsigned ticks)
{
	bool found = false;

	for (Connection &c : connections_) {
		if (c.to.board == board && c.to.link == link && ticks < Cable::CycleTicks) {
			c.cable.shift = static_cast<uint8_t>(ticks);
			found = true;
		}
	}
	return found;
}

uint8_t BoardMesh::flips(uint32_t oneIn)
{
	if (oneIn == 0) {
		return 0;
	}
	uint8_t flip = 0;

	for (unsigned lane = 0; lane < Cable::Lanes; lane++) {
		if (random_() % oneIn == 0) {
			flip = static_cast<uint8_t>(flip | 1u << lane);
			wrongBits_++;
		}
	}
	return flip;
}

void BoardMesh::tick()
{
	for (Connection &c : connections_) {
		boards_[c.to.board]->hear(c.to.link,
			c.cable.heard(flips(c.oneIn), blurred_ ? static_cast<uint8_t>(random_() & 0xff) : 0));
	}
	for (std::unique_ptr<PinBoard> &board : boards_) {
		board->tick(ticks_);
	}
	for (Connection &c : connections_) {
		c.cable.drive(boards_[c.from.board]->pins(c.from.link));
	}
	ticks_++;
}

void BoardMesh::run(unsigned cycles)
{
	for (unsigned i = 0; i < cycles * Cable::CycleTicks; i++) {
		tick();
	}
}
