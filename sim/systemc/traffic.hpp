// SPDX-License-Identifier: Apache-2.0
//
// A SystemC network as a back end of the host library, for use from within a thread. The back end has the
// network's registers. In a network without packet sockets it also has the library's traffic, at the pins of
// the NICs.
#pragma once

#include <vector>

#include "device/backend.h"
#include "extorus/profiles.h"
#include "extorus/systemc/network.hpp"

namespace extorus
{

const xt_backend_t *trafficBackend();

class Traffic
{
      public:
	explicit Traffic(Network::Impl &impl) : impl_(impl)
	{
	}

	xt_engine_t *engine()
	{
		return reinterpret_cast<xt_engine_t *>(this);
	}
	static Traffic &of(xt_engine_t *engine)
	{
		return *reinterpret_cast<Traffic *>(engine);
	}

	int access(
		unsigned card, uint32_t address, uint32_t *read, const uint32_t *write, size_t count, xt_diag_t *diag);
	void setTables(unsigned card, const uint64_t *grt, const uint64_t *lrt);
	int run(const xt_client_t &client, xt_diag_t *diag);
	uint64_t evaluated() const;

	Network *network = nullptr;

      private:
	// A packet on its way into a NIC port.
	struct Sending {
		const uint32_t *cells = nullptr; // null: none
		unsigned count = 0, next = 0;
	};

	// What leaves a card by a link port.
	struct Outgoing {
		uint32_t nextCell = 0; // sequence number of the next that is no repetition
		unsigned toGo = 0;     // cells of the packet that is leaving
	};

	void prepare();
	int settle(xt_diag_t *diag);
	void nextCycle();
	bool quiet() const;
	void startPackets(const xt_client_t &client);
	void driveNic(const xt_client_t &client, unsigned pe);
	void collect(const xt_client_t &client);
	void watch(const xt_client_t &client, unsigned card, unsigned port, const Frame &frame);
	uint64_t stepsOfCards() const;

	Network::Impl &impl_;
	xt_frame_layout_t frame_{};
	unsigned cellWords_ = 0;
	uint64_t cycle_ = 0, moves_ = 0, evaluatedBefore_ = 0;
	std::vector<Sending> sending_;
	std::vector<Outgoing> outgoing_;
	std::vector<uint64_t> portCells_;
	std::vector<unsigned> sentIn_; // frames by cycle modulo its size: those that are on links
	bool cardsQuiet_ = false;
};

} // namespace extorus
