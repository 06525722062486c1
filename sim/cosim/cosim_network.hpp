// SPDX-License-Identifier: Apache-2.0
//
// A network of Verilated cards, one instance each, stepped cycle by cycle.
//
// One thread steps all cards cycle by cycle. Several threads, and several ranks, step parts of the network in epochs of
// latency + 1 cycles, the soonest in which a frame reaches another part. The client is told between the epochs.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/worker_pool.h"
#include "cosim_ranks.hpp"
#include "network_part.hpp"
#include "part_journal.hpp"

class Network
{
      public:
	// Throws std::bad_alloc. The cards are in reset.
	explicit Network(const xt_network_t &network);

	// Out of reset, until every card has initialised its tables and buffers. Links may still be training.
	int reset(xt_diag_t *diag);
	// Opens the wave file, if one is wanted.
	int openWave(const xt_network_t &network, xt_diag_t *diag);

	// AXI4-Lite transfers, cycle by cycle; the network runs on meanwhile, its PEs take nothing. After a run on
	// ranks rank 0 asks the one that has the card.
	int read(unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag);
	int write(unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag);

	// All tables of a card, past its registers.
	int setTables(unsigned card, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *diag);

	// On a rank that is not the first one this returns when rank 0 lets it go.
	int run(const xt_client_t &client, xt_diag_t *diag);
	void addFault(const xt_fault_t &fault);
	// Faults that have not happened yet.
	unsigned faultsWaiting() const;

	// Card-cycles of the last run that were not skipped.
	uint64_t evaluated() const
	{
		return counts_.evaluated;
	}
	// Frames of the last run that met a random error.
	uint64_t errorsInjected() const
	{
		return counts_.errors;
	}
	// Cycle of the last run in which a link port first said that its link is down; UINT64_MAX: it did not.
	uint64_t downSince(unsigned card, unsigned port) const
	{
		return cosim_.cards[card].out[port].downSince;
	}
	// For tests.
	const Vxt_card &model(unsigned card) const
	{
		return *cosim_.cards[card].model;
	}

      private:
	struct CloseWorkers {
		void operator()(xt_worker_pool_t *workers) const
		{
			xt_worker_pool_close(workers);
		}
	};

	// A register of a card that may be another rank's, from rank 0.
	int beginAccess(const CosimRanks::Command &command, const uint32_t *given, xt_diag_t *diag);
	// On the rank that has the card.
	int endAccess(int status, xt_diag_t *diag);
	bool isOwn(unsigned card) const
	{
		return partOf_[card] < parts_.size();
	}

	bool quiet() const;
	// Until nothing of an earlier run is left in the cards.
	int settle(xt_diag_t *diag);
	// One cycle between the runs; where ranks go together, of the rank that sets the pace.
	void idle();
	void idleStep();
	// As many cycles as the rank that has the card needs.
	int keepPace(unsigned card, xt_diag_t *diag);
	int refuse(unsigned card, xt_diag_t *diag) const;
	int readOwn(unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag);
	int writeOwn(unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag);

	int begin(const xt_client_t &client, xt_diag_t *diag);
	int beginTogether(xt_diag_t *diag);
	void divide(const xt_client_t &client);
	void prepareLinks(const xt_client_t &client);
	void startFaults();
	uint64_t beforeFaults(uint64_t until) const;

	// Rank 0, or the only one.
	int lead(const xt_client_t &client, xt_diag_t *diag);
	bool look(const xt_client_t &client);
	int stop(const xt_client_t &client, xt_diag_t *diag);
	int advance(const xt_client_t &client, xt_diag_t *diag);
	// A rank that is not the first one does what that says, and then reads registers for it.
	int follow(const xt_client_t &client, xt_diag_t *diag);
	int serve(xt_diag_t *diag);
	int restLinks(xt_diag_t *diag);

	int epoch(const xt_client_t &client, unsigned cycles, xt_diag_t *diag);
	void tell(const xt_client_t &client, unsigned cycles);
	void tellCycle(const xt_client_t &client, const std::vector<Journal *> &journals, unsigned cycle);
	void deliver();
	int trade(const std::vector<Journal> &journals, unsigned cycles, xt_diag_t *diag);
	int ask(CosimRanks::Kind kind, xt_diag_t *diag);
	CosimRanks::Counts own() const;
	static void stepPart(void *network, unsigned part);
	static void settleRanks(xt_engine_t *engine);

	Cosim cosim_;
	std::vector<std::unique_ptr<Part>> parts_; // of this process
	std::vector<uint32_t> partOf_;             // by card: its number there
	std::vector<Journal> journals_;            // by part; none: the client is told at once
	std::unique_ptr<xt_worker_pool_t, CloseWorkers> workers_;
	std::unique_ptr<CosimRanks> ranks_;
	std::vector<Part::Crossing> arrived_;
	bool together_ = false;                // the run is over and frames still move, so all ranks step on together
	unsigned untold_ = 0, sinceTrade_ = 0; // cycles then: those the others have not heard of, and since an exchange

	// Of the run under way.
	const xt_client_t *client_ = nullptr;
	unsigned epochCycles_ = 0;
	std::atomic<bool> failed_{false};
	bool quiet_ = true;
	uint64_t moves_ = 0, movesSeen_ = 0, lastMove_ = 0, announced_ = 0;
	int64_t inTransit_ = 0;
	int status_ = 0; // of what the client had asked for, and of the cycles since
	xt_diag_t diag_{};

	unsigned keepalives_ = 0; // cards whose links have timers that run while it is quiet
	CosimRanks::Counts counts_{};
};
