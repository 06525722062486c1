// SPDX-License-Identifier: Apache-2.0
#include "extorus/systemc/registers.hpp"

#include <cstring>
#include <sstream>

#include "extorus/registers.h"
#include "report.hpp"

namespace extorus
{

namespace
{

constexpr unsigned Timeout = 1000; // cycles for one transfer
constexpr uint64_t MapBytes = uint64_t{1} << XT_REG_ADDRESS_BITS;

} // namespace

Registers::Registers(sc_core::sc_module_name name)
    : sc_module(name), clk_i("clk_i"), axil_o("axil_o"), axil_i("axil_i"), socket("socket"), busy_("busy")
{
	socket.register_b_transport(this, &Registers::transport);
	SC_METHOD(drive);
	sensitive << request_event_;
}

void Registers::drive()
{
	axil_o.write(request_);
}

void Registers::show(const AxiRequest &request)
{
	request_ = request;
	request_event_.notify(sc_core::SC_ZERO_TIME);
}

// Holds the request on the pins, edge after edge, until `done` says that the response has come; it takes off what was
// accepted.
template <typename Done> Registers::Status Registers::wait(AxiRequest &request, Done done)
{
	for (unsigned cycle = 0; cycle < Timeout; cycle++) {
		show(request);
		sc_core::wait(clk_i.posedge_event());
		if (done(axil_i.read())) {
			show(AxiRequest());
			return Status::Ok;
		}
	}
	show(AxiRequest());
	return Status::Silent;
}

Registers::Status Registers::read(uint32_t address, uint32_t &value)
{
	AxiRequest request;
	unsigned response = 0;

	request.arvalid = request.rready = true;
	request.araddr = static_cast<uint16_t>(address);

	const Status status = wait(request, [&](const AxiResponse &pins) {
		request.arvalid = request.arvalid && !pins.arready;
		response = pins.rresp;
		value = pins.rdata;
		return pins.rvalid;
	});

	return status == Status::Ok && response ? Status::Refused : status;
}

Registers::Status Registers::write(uint32_t address, uint32_t value)
{
	AxiRequest request;
	unsigned response = 0;

	request.awvalid = request.wvalid = request.bready = true;
	request.awaddr = static_cast<uint16_t>(address);
	request.wdata = value;

	const Status status = wait(request, [&](const AxiResponse &pins) {
		request.awvalid = request.awvalid && !pins.awready;
		request.wvalid = request.wvalid && !pins.wready;
		response = pins.bresp;
		return pins.bvalid;
	});

	return status == Status::Ok && response ? Status::Refused : status;
}

tlm::tlm_response_status Registers::check(const tlm::tlm_generic_payload &payload) const
{
	const uint64_t address = payload.get_address();
	const unsigned length = payload.get_data_length();

	if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
		return tlm::TLM_OK_RESPONSE;
	}
	if (length == 0 || length % 4 || address % 4 || payload.get_streaming_width() < length) {
		return tlm::TLM_BURST_ERROR_RESPONSE;
	}
	if (address >= MapBytes || length > MapBytes - address) {
		return tlm::TLM_ADDRESS_ERROR_RESPONSE;
	}
	if (payload.is_write() && payload.get_byte_enable_ptr()) {
		for (unsigned b = 0; b < payload.get_byte_enable_length(); b++) {
			if (payload.get_byte_enable_ptr()[b] != TLM_BYTE_ENABLED) {
				return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
			}
		}
	}
	return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status Registers::transfer(tlm::tlm_generic_payload &payload)
{
	const unsigned char *enable = payload.get_byte_enable_ptr();

	for (unsigned done = 0; done < payload.get_data_length(); done += 4) {
		const uint32_t address = static_cast<uint32_t>(payload.get_address() + done);
		unsigned char *data = payload.get_data_ptr() + done;
		uint32_t word = 0;
		Status status;

		if (payload.is_write()) {
			std::memcpy(&word, data, 4);
			status = write(address, word);
		} else {
			status = read(address, word);
		}
		if (status != Status::Ok) {
			return status == Status::Refused ? tlm::TLM_ADDRESS_ERROR_RESPONSE
							 : tlm::TLM_GENERIC_ERROR_RESPONSE;
		}
		for (unsigned b = 0; payload.is_read() && b < 4; b++) {
			if (!enable || enable[(done + b) % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED) {
				data[b] = static_cast<unsigned char>(word >> 8 * b);
			}
		}
	}
	return tlm::TLM_OK_RESPONSE;
}

void Registers::transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay)
{
	tlm::tlm_response_status status = check(payload);

	if (status == tlm::TLM_OK_RESPONSE && payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
		sc_core::wait(delay);
		delay = sc_core::SC_ZERO_TIME;
		busy_.lock();
		status = transfer(payload);
		busy_.unlock();
	}
	payload.set_response_status(status);
	if (status != tlm::TLM_OK_RESPONSE) {
		std::ostringstream what;

		what << (payload.is_write() ? "write" : "read") << " of " << payload.get_data_length()
		     << " bytes at address 0x" << std::hex << payload.get_address() << ": "
		     << payload.get_response_string() << "; the registers are whole 32-bit words below 0x" << MapBytes;
		report(*this, RegisterError, what.str());
	}
}

} // namespace extorus
