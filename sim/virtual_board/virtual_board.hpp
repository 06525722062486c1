// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

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
	// A line of the control input; false: it is not known.
	virtual bool control(const std::string &line)
	{
		(void)line;
		return false;
	}

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
	uint64_t paused;   // cycles within a frame to the host that had no byte for it
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
	uint8_t last_ = 0;   // byte to the host
	unsigned quiet_ = 0; // cycles since a byte went either way
};

// No RTL: for the speed of a front end.
class StreamBoard : public Board
{
      public:
	enum Kind {
		Loop,  // gives back every byte
		Sink,  // takes what comes
		Source // takes what comes and gives bytes without end: byte n is n xor n / 256, modulo 256
	};
	// The kind of that name: "loop", "sink", "source"; false: there is none.
	static bool find(const std::string &name, Kind &kind);
	explicit StreamBoard(Kind kind) : kind_(kind)
	{
	}
	bool run() override;
	void wait() override
	{
	}
	void restart() override;
	bool control(const std::string &line) override;

      private:
	Kind kind_;
	uint64_t given_ = 0; // bytes of a source
};
