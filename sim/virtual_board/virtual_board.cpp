// SPDX-License-Identifier: Apache-2.0
#include "virtual_board.hpp"

#include <utility>
#include <vector>

#include "verilated.h"
#include "Vxt_board.h"
#include "xt_bridge.h"

namespace
{
// Cycles at once between two looks at the front end.
constexpr unsigned Slice = 128;
// After so many cycles without a byte, what still moves is links in training and such, and time may pass slowly.
constexpr unsigned Settled = 20000;
constexpr unsigned ResetCycles = 8;
} // namespace

struct RtlBoard::Model {
	VerilatedContext context;
	Vxt_board top{&context, "xt_board"};
};

RtlBoard::RtlBoard(uint64_t serial) : model_(std::make_unique<Model>())
{
	Vxt_board &top = model_->top;

	top.serial_i = serial;
	top.restart_i = 0;
	top.rx_valid_i = 0;
	top.rx_byte_i = 0;
	top.tx_ready_i = 0;
	top.clk_i = 0;
	top.rst_ni = 0;
	for (unsigned i = 0; i < ResetCycles; i++) {
		cycle();
	}
	top.rst_ni = 1;
	counts_ = {};
}

RtlBoard::~RtlBoard()
{
	model_->top.final();
}

void RtlBoard::cycle()
{
	Vxt_board &top = model_->top;
	const bool offered = !fromHost.empty();

	top.rx_valid_i = offered;
	if (offered) {
		top.rx_byte_i = *fromHost.data();
	}
	top.tx_ready_i = toHost.size() < Room;
	top.eval(); // what follows from the pins of this cycle
	const bool taken = offered && top.rx_ready_o && top.rst_ni;
	const bool given = top.tx_valid_o && top.tx_ready_i;
	counts_.paused += top.tx_ready_i && !given && counts_.sent != 0 && last_ != EXTORUS_LINE_FLAG;
	if (given) {
		last_ = top.tx_byte_o;
		toHost.push(last_);
	}
	top.clk_i = 1;
	top.eval();
	top.clk_i = 0;
	if (taken) {
		fromHost.drop(1);
	}
	counts_.cycles++;
	counts_.received += taken;
	counts_.refused += offered && !taken;
	counts_.sent += given;
	quiet_ = taken || given ? 0 : quiet_ + 1;
}

bool RtlBoard::run()
{
	if (quiet_ >= Settled && fromHost.empty()) {
		return false;
	}
	for (unsigned i = 0; i < Slice; i++) {
		cycle();
	}
	return true;
}

void RtlBoard::wait()
{
	if (!model_->top.idle_o) {
		for (unsigned i = 0; i < Slice; i++) {
			cycle();
		}
	}
}

void RtlBoard::restart()
{
	fromHost.clear();
	model_->top.restart_i = 1;
	cycle();
	model_->top.restart_i = 0;
}

bool StreamBoard::find(const std::string &name, Kind &kind)
{
	constexpr std::pair<const char *, Kind> kinds[] = {{"loop", Loop}, {"sink", Sink}, {"source", Source}};

	for (const auto &[known, value] : kinds) {
		if (name == known) {
			kind = value;
			return true;
		}
	}
	return false;
}

bool StreamBoard::control(const std::string &line)
{
	if (!find(line, kind_)) {
		return false;
	}
	restart();
	return true;
}

bool StreamBoard::run()
{
	bool some = !fromHost.empty();

	if (kind_ == Loop) {
		some = some && toHost.size() < Room;
		if (some) {
			toHost.push(fromHost.data(), fromHost.size());
		}
	}
	if (kind_ == Source && toHost.size() < Room / 2) {
		std::vector<uint8_t> bytes(Room / 2);

		for (uint8_t &byte : bytes) {
			byte = static_cast<uint8_t>(given_ ^ given_ >> 8);
			given_++;
		}
		toHost.push(bytes.data(), bytes.size());
		some = true;
	}
	if (kind_ != Loop || some) {
		fromHost.clear();
	}
	return some;
}

void StreamBoard::restart()
{
	fromHost.clear();
	toHost.clear();
	given_ = 0;
}
