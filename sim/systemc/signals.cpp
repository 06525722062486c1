// SPDX-License-Identifier: Apache-2.0
#include "extorus/systemc/signals.hpp"

#include <iomanip>

namespace extorus
{

namespace
{

constexpr unsigned TracedWords = 8;

template <unsigned N> void print(std::ostream &out, const Words<N> &words)
{
	const std::ios_base::fmtflags flags = out.flags();

	for (unsigned w = words.count(); w > 0; w--) {
		out << std::hex << std::setw(8) << std::setfill('0') << words[w - 1];
	}
	out.flags(flags);
}

template <unsigned N> void trace(sc_core::sc_trace_file *file, const Words<N> &words, const std::string &name)
{
	for (unsigned w = 0; w < TracedWords; w++) {
		sc_core::sc_trace(file, words.data()[w], name + ".w" + std::to_string(w));
	}
}

} // namespace

std::ostream &operator<<(std::ostream &out, const Frame &frame)
{
	if (!frame.valid) {
		return out << "-";
	}
	print(out, frame.words);
	return out;
}

std::ostream &operator<<(std::ostream &out, const Beat &beat)
{
	if (!beat.valid) {
		return out << "-";
	}
	print(out, beat.cell);
	return out << (beat.last ? " last" : "") << (beat.user ? " user" : "");
}

std::ostream &operator<<(std::ostream &out, const AxiRequest &request)
{
	return out << (request.awvalid ? "aw " : "") << (request.wvalid ? "w " : "") << (request.arvalid ? "ar" : "");
}

std::ostream &operator<<(std::ostream &out, const AxiResponse &response)
{
	return out << (response.bvalid ? "b " : "") << (response.rvalid ? "r" : "");
}

void sc_trace(sc_core::sc_trace_file *file, const Frame &frame, const std::string &name)
{
	sc_core::sc_trace(file, frame.valid, name + ".valid");
	trace(file, frame.words, name);
}

void sc_trace(sc_core::sc_trace_file *file, const Beat &beat, const std::string &name)
{
	sc_core::sc_trace(file, beat.valid, name + ".valid");
	sc_core::sc_trace(file, beat.last, name + ".last");
	sc_core::sc_trace(file, beat.user, name + ".user");
	trace(file, beat.cell, name);
}

void sc_trace(sc_core::sc_trace_file *file, const AxiRequest &request, const std::string &name)
{
	sc_core::sc_trace(file, request.awvalid, name + ".awvalid");
	sc_core::sc_trace(file, request.awaddr, name + ".awaddr");
	sc_core::sc_trace(file, request.wvalid, name + ".wvalid");
	sc_core::sc_trace(file, request.wdata, name + ".wdata");
	sc_core::sc_trace(file, request.bready, name + ".bready");
	sc_core::sc_trace(file, request.arvalid, name + ".arvalid");
	sc_core::sc_trace(file, request.araddr, name + ".araddr");
	sc_core::sc_trace(file, request.rready, name + ".rready");
}

void sc_trace(sc_core::sc_trace_file *file, const AxiResponse &response, const std::string &name)
{
	sc_core::sc_trace(file, response.awready, name + ".awready");
	sc_core::sc_trace(file, response.wready, name + ".wready");
	sc_core::sc_trace(file, response.bvalid, name + ".bvalid");
	sc_core::sc_trace(file, response.bresp, name + ".bresp");
	sc_core::sc_trace(file, response.arready, name + ".arready");
	sc_core::sc_trace(file, response.rvalid, name + ".rvalid");
	sc_core::sc_trace(file, response.rresp, name + ".rresp");
	sc_core::sc_trace(file, response.rdata, name + ".rdata");
}

} // namespace extorus
