// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "byte_queue.hpp"

// What a front end speaks to: a board with a pipe of bytes each way.
class Board
{
      public:
	virtual ~Board() = default;
	// Some bytes on; false: nothing will happen before a byte comes or some time has passed.
	virtual bool run() = 0;
	// Time passes in which nothing comes.
	virtual void wait() = 0;
	// The host configures the interface.
	virtual void restart() = 0;

	ByteQueue fromHost, toHost;
	// Bytes that wait in either queue before the other side is stopped.
	static constexpr size_t Room = 1 << 20;
};

// Counts of a board of RTL since it was made.
struct BoardCounts {
	uint64_t cycles;
	uint64_t received; // bytes from the host
	uint64_t refused;  // cycles in which a byte from the host was there and was not taken
	uint64_t sent;     // bytes to the host
};

// The RTL with its cards.
class RtlBoard : public Board
{
      public:
	explicit RtlBoard(uint64_t serial);
	~RtlBoard() override;
	bool run() override;
	void wait() override;
	void restart() override;
	void cycle();
	const BoardCounts &counts() const
	{
		return counts_;
	}

      private:
	struct Model;
	std::unique_ptr<Model> model_;
	BoardCounts counts_ = {};
	unsigned quiet_ = 0; // cycles since a byte went either way
};

// Gives back what it gets: for the speed of a front end.
class LoopBoard : public Board
{
      public:
	bool run() override;
	void wait() override
	{
	}
	void restart() override
	{
	}
};
