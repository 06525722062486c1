// SPDX-License-Identifier: Apache-2.0
//
// A run: by one thread cycle by cycle, by several threads and ranks epoch by epoch.
#include <algorithm>
#include <new>

#include "base/clock.h"
#include "cosim_network.hpp"

namespace
{

// Without a cell on any pin for so long, and none on a link, nothing will move again by itself.
constexpr unsigned StandingCycles = 200;
constexpr unsigned PartsPerThread = 4; // threads that are done help the others
constexpr uint32_t Elsewhere = UINT32_MAX;

} // namespace

int Network::begin(const xt_client_t &client, xt_diag_t *diag)
{
	if (client.pes != cosim_.cards.size() * Cosim::Nics) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "%u PEs do not fit %zu cards with %u NIC ports each",
			client.pes, cosim_.cards.size(), Cosim::Nics);
	}
	if (client.ranks && client.alike) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"engine rtl does not distribute a workload over ranks; use --threads, or --engine model");
	}
	if (client.ranks && cosim_.wave.isOpen()) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "waves are written by one process; start it without mpirun");
	}
	if (ranks_) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"the cards of other ranks have run without this one; close the device and open it again");
	}
	if (client.goes_on) {
		cosim_.stands = false;
	} else {
		int status = settle(diag);

		if (status != XT_OK) {
			return status;
		}
	}
	prepareLinks(client);
	std::fill(cosim_.portCells.begin(), cosim_.portCells.end(), 0);
	counts_ = {0, 0};
	moves_ = movesSeen_ = lastMove_ = announced_ = 0;
	status_ = XT_OK;
	failed_ = false;
	cosim_.cycle = 0;
	quiet_ = quiet();
	if (client.ranks) {
		ranks_ = std::make_unique<CosimRanks>(cosim_, client);
	}
	divide(client);
	return ranks_ ? beginTogether(diag) : XT_OK;
}

// The ranks have brought up other cards, in other times. Nothing depends on the cycle as long as nothing moves.
int Network::beginTogether(xt_diag_t *diag)
{
	uint64_t latest = cosim_.now;
	const int status = ranks_->latest(latest, diag);

	if (status == XT_OK && quiet_) {
		cosim_.now = latest;
	}
	return status;
}

// Into parts for the threads, of the cards of this rank.
void Network::divide(const xt_client_t &client)
{
	const uint32_t first = ranks_ ? ranks_->first() : 0;
	const uint32_t has = (ranks_ ? ranks_->end() : static_cast<uint32_t>(cosim_.cards.size())) - first;
	const unsigned threads = cosim_.wave.isOpen() ? 1 : std::max(client.threads, 1u);
	const uint32_t count = std::min(threads > 1 ? threads * PartsPerThread : 1, has);
	std::vector<std::unique_ptr<Part>> parts;

	std::fill(partOf_.begin(), partOf_.end(), Elsewhere);
	for (uint32_t p = 0; p < count; p++) {
		const auto from = static_cast<uint32_t>(first + static_cast<uint64_t>(has) * p / count);
		const auto to = static_cast<uint32_t>(first + static_cast<uint64_t>(has) * (p + 1) / count);

		parts.push_back(std::make_unique<Part>(cosim_, from, to));
		std::fill(partOf_.begin() + from, partOf_.begin() + to, p);
		for (const auto &before : parts_) {
			parts[p]->takeOver(*before);
		}
	}
	parts_ = std::move(parts);
	journals_.clear();
	if (threads > 1 || ranks_) {
		journals_.resize(count);
		workers_.reset(xt_worker_pool_open(threads, count, stepPart, this));
		if (!workers_) {
			throw std::bad_alloc();
		}
	}
}

int Network::run(const xt_client_t &client, xt_diag_t *diag)
{
	int status = begin(client, diag);

	if (status == XT_OK) {
		client_ = &client;
		status = ranks_ && !ranks_->leads() ? follow(client, diag) : lead(client, diag);
		client_ = nullptr;
	}
	workers_.reset();
	if (status == XT_OK && ranks_) {
		status = together_ ? XT_OK : restLinks(diag);
		ranks_->serves();
	}
	return status == XT_OK && ranks_ && !ranks_->leads() ? serve(diag) : status;
}

CosimRanks::Counts Network::own() const
{
	CosimRanks::Counts counts{0, 0};

	for (const auto &part : parts_) {
		counts.evaluated += part->evaluated;
		counts.errors += part->errors;
	}
	return counts;
}

// ---------------------------------------------------------------- an epoch

void Network::stepPart(void *context, unsigned number)
{
	auto *network = static_cast<Network *>(context);

	try {
		network->journals_[number].step(*network->parts_[number], *network->client_, network->epochCycles_);
	} catch (const std::bad_alloc &) {
		network->failed_ = true;
	}
}

// With the ranks that links lead to, and rank 0.
int Network::trade(const std::vector<Journal> &journals, unsigned cycles, xt_diag_t *diag)
{
	arrived_.clear();
	int status = ranks_->exchange(journals, cycles, arrived_, diag);

	for (const Part::Crossing &crossing : arrived_) {
		parts_[partOf_[crossing.card]]->arrive(crossing);
	}
	return status;
}

// All parts, without the client, which is told afterwards.
int Network::epoch(const xt_client_t &client, unsigned cycles, xt_diag_t *diag)
{
	const double start = xt_now_s();
	int status = XT_OK;

	epochCycles_ = cycles;
	xt_worker_pool_run(workers_.get(), [](void *) {});
	if (failed_) {
		return xt_fail(diag, XT_ERR_NOMEM, "co-simulation: out of memory in a run");
	}
	deliver();
	if (ranks_) {
		ranks_->times.stepping += xt_now_s() - start;
		status = trade(journals_, cycles, diag);
	}
	if (status == XT_OK && (!ranks_ || ranks_->leads())) {
		const double told = xt_now_s();

		tell(client, cycles);
		if (ranks_) {
			ranks_->times.telling += xt_now_s() - told;
		}
	}
	cosim_.now += cycles;
	cosim_.cycle += cycles;
	return status;
}

void Network::tellCycle(const xt_client_t &client, const std::vector<Journal *> &journals, unsigned cycle)
{
	for (Journal *journal : journals) {
		journal->tellPackets(client, cycle);
	}
	for (Journal *journal : journals) {
		journal->tellRest(client, cycle);
	}
	moves_ = 0;
	inTransit_ = 0;
	quiet_ = true;
	for (const Journal *journal : journals) {
		const Journal::Mark &mark = journal->mark(cycle);

		moves_ += mark.moves;
		inTransit_ += mark.inTransit;
		quiet_ = quiet_ && !mark.busy;
	}
	quiet_ = quiet_ && inTransit_ == 0;
}

void Network::tell(const xt_client_t &client, unsigned cycles)
{
	std::vector<Journal *> journals;

	for (Journal &journal : journals_) {
		journals.push_back(&journal);
	}
	if (ranks_) {
		for (std::vector<Journal> &of : ranks_->told()) {
			for (Journal &journal : of) {
				journals.push_back(&journal);
			}
		}
	}
	for (unsigned i = 0; i < cycles; i++) {
		const uint64_t cycle = cosim_.cycle + i;

		if (cycle != announced_) {
			const xt_engine_state_t state = {
				cycle, moves_, quiet_, cosim_.portCells.data(), nullptr, nullptr};

			// It has said that it does not look.
			(void)client.cycle(client.context, &state);
			if (moves_ != movesSeen_) {
				movesSeen_ = moves_;
				lastMove_ = cycle;
			}
			announced_ = cycle;
		}
		tellCycle(client, journals, i);
	}
}

// ---------------------------------------------------------------- rank 0, or the only one

void Network::settleRanks(xt_engine_t *engine)
{
	auto *network = reinterpret_cast<Network *>(engine);

	if (network->ranks_ && network->status_ == XT_OK) {
		network->status_ = network->ask(CosimRanks::Settle, &network->diag_);
	}
}

int Network::ask(CosimRanks::Kind kind, xt_diag_t *diag)
{
	int status = ranks_->command({kind, together_, cosim_.stands, 0, 0, 0, 0}, diag);

	counts_ = own();
	return status == XT_OK ? ranks_->takeCounts(counts_, client_->rank_times, diag) : status;
}

// The client looks at the state before a cycle. Whether it ends the run.
bool Network::look(const xt_client_t &client)
{
	const xt_engine_state_t state = {cosim_.cycle, moves_, quiet_, cosim_.portCells.data(), settleRanks,
		reinterpret_cast<xt_engine_t *>(this)};

	if (moves_ != movesSeen_) {
		movesSeen_ = moves_;
		lastMove_ = cosim_.cycle;
	}
	announced_ = cosim_.cycle;
	return client.cycle(client.context, &state);
}

int Network::stop(const xt_client_t &client, xt_diag_t *diag)
{
	const bool still = cosim_.cycle - lastMove_ > StandingCycles;

	cosim_.stands = !client.goes_on && !quiet_ && !keepalives_ && inTransit_ == 0 && still;
	together_ = ranks_ && !quiet_ && !cosim_.stands && !(keepalives_ && still);
	counts_ = own();
	return ranks_ ? ask(CosimRanks::Stop, diag) : XT_OK;
}

// At least up to the next cycle at which the client looks.
int Network::advance(const xt_client_t &client, xt_diag_t *diag)
{
	uint64_t until = beforeFaults(client.until(client.context));
	int status = XT_OK;

	if (ranks_) {
		status = ranks_->command({CosimRanks::Go, client.decision(client.context), 0, 0, 0, 0, until}, diag);
	}
	while (status == XT_OK && cosim_.cycle < until) {
		status = epoch(client,
			static_cast<unsigned>(std::min<uint64_t>(until - cosim_.cycle, cosim_.latency + 1)), diag);
		if (!ranks_) {
			until = std::max(until, beforeFaults(client.until(client.context)));
		}
	}
	return status;
}

int Network::lead(const xt_client_t &client, xt_diag_t *diag)
{
	int status = XT_OK;

	while (status == XT_OK && !look(client)) {
		if (status_ != XT_OK) {
			break;
		}
		startFaults();
		if (!journals_.empty()) {
			status = advance(client, diag);
			continue;
		}
		parts_[0]->step(&client);
		cosim_.now++;
		cosim_.cycle++;
		moves_ = parts_[0]->moves;
		inTransit_ = parts_[0]->inTransit;
		quiet_ = quiet();
	}
	if (status_ != XT_OK) {
		*diag = diag_;
		return status_;
	}
	return status == XT_OK ? stop(client, diag) : status;
}

// ---------------------------------------------------------------- the other ranks

int Network::follow(const xt_client_t &client, xt_diag_t *diag)
{
	CosimRanks::Command command{};
	std::vector<uint32_t> words;
	int status;

	while ((status = ranks_->takeCommand(command, words, diag)) == XT_OK) {
		if (command.kind == CosimRanks::Go) {
			client.decided(client.context, command.decision);
			startFaults();
			while (status == XT_OK && cosim_.cycle < command.until) {
				status = epoch(client,
					static_cast<unsigned>(
						std::min<uint64_t>(command.until - cosim_.cycle, cosim_.latency + 1)),
					diag);
			}
		} else {
			status = ranks_->sendCounts(own(), diag);
		}
		if (status != XT_OK || command.kind == CosimRanks::Stop) {
			break;
		}
	}
	cosim_.stands = command.stands;
	together_ = command.kind == CosimRanks::Stop && command.decision;
	return status;
}

int Network::serve(xt_diag_t *diag)
{
	CosimRanks::Command command{};
	std::vector<uint32_t> words;
	int status;

	while ((status = ranks_->takeCommand(command, words, diag)) == XT_OK && command.kind != CosimRanks::End) {
		const uint32_t card = command.card % static_cast<uint32_t>(partOf_.size());
		xt_diag_t why{};
		int said = XT_ERR_RANGE;

		if (together_ && !isOwn(card)) {
			status = keepPace(card, diag);
			if (status != XT_OK) {
				break;
			}
			continue;
		}
		if (!isOwn(card)) {
			(void)xt_fail(&why, XT_ERR_RANGE, "card %u is another rank's", card);
		} else if (command.kind == CosimRanks::Read) {
			words.resize(command.count);
			said = endAccess(readOwn(card, command.address, words.data(), words.size(), &why), &why);
		} else {
			said = endAccess(writeOwn(card, command.address, words.data(), words.size(), &why), &why);
			words.clear();
		}
		status = ranks_->answer(card, said, words, why, diag);
		if (status != XT_OK) {
			break;
		}
	}
	return status;
}
