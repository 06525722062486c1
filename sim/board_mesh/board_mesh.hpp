// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "cable.hpp"
#include "virtual_board/virtual_board.hpp"

class PinBoard;

// Boards of one kind, wired pin to pin as a torus of nodes, or by a list of cables. Node (x, y, z) of a torus is board
// x + width * (y + height * z). A dimension of one node has no cables. Boards without links have no cables at all.
class BoardMesh
{
      public:
	// A link of a board; two of them are the ends of a cable.
	struct End {
		unsigned board, link;
	};
	struct Options {
		std::array<unsigned, 3> nodes = {2, 2, 1};
		// With cables, the boards are that many, wired by these cables alone. A cable may lead from a link to
		// itself.
		unsigned boards = 0;
		std::vector<std::pair<End, End>> cables;
		unsigned skew = 3; // most cycles by which a lane lags behind another
		uint64_t seed = 1;
		// The clock of board i skips a cycle after every jitter + i; 0: never. Lanes that lag by cycles behind
		// their clock then have bit errors.
		unsigned jitter = 0;
		// Each bit of a lane comes up to a tick late, by chance.
		bool blurred = false;
	};
	// std::runtime_error if the boards have too few links, or a cable's end is not there or taken.
	explicit BoardMesh(const Options &options);
	~BoardMesh();
	BoardMesh(const BoardMesh &) = delete;
	BoardMesh &operator=(const BoardMesh &) = delete;

	unsigned boards() const;
	Board &board(unsigned index);
	// Runs all boards for this number of cycles.
	void run(unsigned cycles);
	// Pulls or plugs the cable at a link of a board, in both directions. False: no such cable.
	bool pull(unsigned board, unsigned link, bool pulled);
	// Presses or releases the reset button of a board. False: it has none.
	bool press(unsigned board, bool pressed);
	// One bit in `oneIn` on every lane is wrong; 0: none.
	void errors(uint32_t oneIn);
	// Likewise of the cable at a link of a board alone, in both directions. False: no such cable.
	bool errors(unsigned board, unsigned link, uint32_t oneIn);
	// So many ticks, less than a cycle's, is what every lane to a link of a board lags behind its clock. False: no
	// such cable, or more ticks.
	bool shift(unsigned board, unsigned link, unsigned ticks);
	uint64_t cycles() const
	{
		return ticks_ / Cable::CycleTicks;
	}
	uint64_t wrongBits() const
	{
		return wrongBits_;
	}

      private:
	struct Connection {
		End from, to;
		Cable cable;
		uint32_t oneIn = 0; // errors

		bool at(unsigned board, unsigned link) const
		{
			return (from.board == board && from.link == link) || (to.board == board && to.link == link);
		}
	};
	void connect(End from, End to, unsigned skew);
	void wireTorus(const Options &options);
	void wire(const Options &options);
	void tick();
	uint8_t flips(uint32_t oneIn);

	std::vector<std::unique_ptr<PinBoard>> boards_;
	std::vector<Connection> connections_;
	std::mt19937_64 random_;
	uint64_t ticks_ = 0, wrongBits_ = 0;
	bool blurred_;
};
