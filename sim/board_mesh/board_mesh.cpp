// SPDX-License-Identifier: Apache-2.0
#include "board_mesh.hpp"

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

BoardMesh::BoardMesh(const Options &options) : random_(options.seed)
{
	const unsigned nodes = options.width * options.height;

	if (Top::Links == 2 && options.height > 1) {
		throw std::runtime_error("these boards have links in one dimension: --nodes Wx1");
	}
	for (unsigned i = 0; i < nodes; i++) {
		boards_.push_back(std::make_unique<PinBoard>(i + 1, options.jitter ? options.jitter + i : 0));
	}
	for (unsigned i = 0; i < nodes; i++) {
		const unsigned x = i % options.width, y = i / options.width;

		for (unsigned link = 0; link < Top::Links; link++) {
			const unsigned radix = link < 2 ? options.width : options.height;
			const unsigned step = link % 2 ? 1 : radix - 1;
			const unsigned peer = link < 2 ? (x + step) % radix + options.width * y
						       : x + options.width * ((y + step) % radix);
			std::array<uint8_t, Cable::Lanes + 1> lag;

			if (radix == 1) {
				continue;
			}
			for (uint8_t &ticks : lag) {
				ticks = static_cast<uint8_t>(Cable::CycleTicks * (random_() % (options.skew + 1)));
			}
			connections_.push_back({i, link, peer, link ^ 1, Cable(lag)});
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
		if ((c.fromBoard == board && c.fromLink == link) || (c.toBoard == board && c.toLink == link)) {
			c.cable.pulled = pulled;
			found = true;
		}
	}
	return found;
}

uint8_t BoardMesh::flips()
{
	if (oneIn_ == 0) {
		return 0;
	}
	uint8_t flip = 0;

	for (unsigned lane = 0; lane < Cable::Lanes; lane++) {
		if (random_() % oneIn_ == 0) {
			flip = static_cast<uint8_t>(flip | 1u << lane);
			wrongBits_++;
		}
	}
	return flip;
}

void BoardMesh::tick()
{
	for (Connection &c : connections_) {
		boards_[c.toBoard]->hear(c.toLink, c.cable.heard(flips()));
	}
	for (std::unique_ptr<PinBoard> &board : boards_) {
		board->tick(ticks_);
	}
	for (Connection &c : connections_) {
		c.cable.drive(boards_[c.fromBoard]->pins(c.fromLink));
	}
	ticks_++;
}

void BoardMesh::run(unsigned cycles)
{
	for (unsigned i = 0; i < cycles * Cable::CycleTicks; i++) {
		tick();
	}
}
