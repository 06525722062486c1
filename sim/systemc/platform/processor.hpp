// SPDX-License-Identifier: Apache-2.0
//
// A PE's processor: a list of stores and loads, and two ways to carry it out.
#pragma once

#include <deque>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>
#include <vector>

// What it does and what must come of it: each PE writes to a part of every memory that no other PE writes to, so the
// outcome does not depend on time.
struct Operation {
	bool store;
	uint64_t address;
	std::vector<unsigned char> data; // stored, or expected
	unsigned work;                   // ns before it
};

// Counts what was done, and holds loads against what was expected.
class Scoreboard
{
      public:
	void check(const char *who, const Operation &operation, const std::vector<unsigned char> &got, bool ok);

	unsigned stores = 0, loads = 0, errors = 0;
};

class Processor : public sc_core::sc_module
{
      public:
	tlm_utils::simple_initiator_socket<Processor> memory;

	Processor(sc_core::sc_module_name name, std::vector<Operation> program, Scoreboard &scoreboard)
	    : sc_module(name), memory("memory"), program_(std::move(program)), scoreboard_(scoreboard)
	{
		memory.register_nb_transport_bw(this, &Processor::answer);
	}

	bool done() const
	{
		return done_;
	}
	const sc_core::sc_event &doneEvent() const
	{
		return done_event_;
	}

      protected:
	virtual tlm::tlm_sync_enum answer(tlm::tlm_generic_payload &, tlm::tlm_phase &, sc_core::sc_time &)
	{
		return tlm::TLM_ACCEPTED;
	}
	void finish()
	{
		done_ = true;
		done_event_.notify(sc_core::SC_ZERO_TIME);
	}

	const std::vector<Operation> program_;
	Scoreboard &scoreboard_;

      private:
	bool done_ = false;
	sc_core::sc_event done_event_;
};

// Loosely timed: one access after the other by b_transport, ahead of time by up to a quantum.
class LooseProcessor : public Processor
{
      public:
	LooseProcessor(sc_core::sc_module_name name, std::vector<Operation> program, Scoreboard &scoreboard);

      private:
	SC_HAS_PROCESS(LooseProcessor);
	void run();

	tlm_utils::tlm_quantumkeeper keeper_;
};

// Approximately timed: up to `Open` accesses at once by the phases of the base protocol.
class ApproximateProcessor : public Processor
{
      public:
	ApproximateProcessor(sc_core::sc_module_name name, std::vector<Operation> program, Scoreboard &scoreboard);

      private:
	SC_HAS_PROCESS(ApproximateProcessor);
	static constexpr unsigned Open = 4;

	// It goes with its last release().
	struct Access : tlm::tlm_generic_payload, tlm::tlm_mm_interface {
		explicit Access(const Operation &of) : tlm_generic_payload(this), operation(of), data(of.data)
		{
		}
		void free(tlm::tlm_generic_payload *) override
		{
			delete this;
		}

		const Operation &operation;
		std::vector<unsigned char> data;
	};

	void run();
	void end(tlm::tlm_generic_payload &payload);
	tlm::tlm_sync_enum answer(
		tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override;

	unsigned open_ = 0;
	sc_core::sc_event answered_;
};
