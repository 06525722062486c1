// SPDX-License-Identifier: Apache-2.0
//
// Errors as SystemC reports, with the name of the object they are of.
#pragma once

#include <stdexcept>
#include <string>
#include <systemc>

namespace extorus
{

constexpr const char *BuildError = "/extorus/build";
constexpr const char *RegisterError = "/extorus/register";
constexpr const char *PacketError = "/extorus/packet";

// Returns if the handler of reports does not throw.
inline void report(const sc_core::sc_object &where, const char *type, const std::string &what)
{
	SC_REPORT_ERROR(type, (std::string(where.name()) + ": " + what).c_str());
}

// What nobody could go on after.
[[noreturn]] inline void fail(const sc_core::sc_object &where, const std::string &what)
{
	report(where, BuildError, what);
	throw std::runtime_error(std::string(where.name()) + ": " + what);
}

} // namespace extorus
