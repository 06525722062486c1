// SPDX-License-Identifier: Apache-2.0
#include "processor.hpp"

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace
{

void prepare(tlm_generic_payload &payload, const Operation &operation, std::vector<unsigned char> &data)
{
	const unsigned length = static_cast<unsigned>(data.size());

	payload.set_command(operation.store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
	payload.set_address(operation.address);
	payload.set_data_ptr(data.data());
	payload.set_data_length(length);
	payload.set_streaming_width(length);
	payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
	if (!operation.store) {
		std::fill(data.begin(), data.end(), 0);
	}
}

} // namespace

void Scoreboard::check(const char *who, const Operation &operation, const std::vector<unsigned char> &got, bool ok)
{
	(operation.store ? stores : loads)++;
	if (!ok || got != operation.data) {
		errors++;
		SC_REPORT_WARNING(
			"/platform/scoreboard", (std::string(who) + ": address " + std::to_string(operation.address) +
							(ok ? " reads other data than were stored" : " was refused"))
							.c_str());
	}
}

LooseProcessor::LooseProcessor(sc_core::sc_module_name name, std::vector<Operation> program, Scoreboard &scoreboard)
    : Processor(name, std::move(program), scoreboard)
{
	SC_THREAD(run);
}

void LooseProcessor::run()
{
	keeper_.reset();
	for (const Operation &operation : program_) {
		std::vector<unsigned char> data = operation.data;
		tlm_generic_payload payload;
		sc_time delay;

		keeper_.inc(sc_time(operation.work, sc_core::SC_NS));
		prepare(payload, operation, data);
		delay = keeper_.get_local_time();
		memory->b_transport(payload, delay);
		keeper_.set(delay);
		scoreboard_.check(name(), operation, data, payload.is_response_ok());
		if (keeper_.need_sync()) {
			keeper_.sync();
		}
	}
	keeper_.sync();
	finish();
}

ApproximateProcessor::ApproximateProcessor(
	sc_core::sc_module_name name, std::vector<Operation> program, Scoreboard &scoreboard)
    : Processor(name, std::move(program), scoreboard)
{
	SC_THREAD(run);
}

void ApproximateProcessor::run()
{
	for (const Operation &operation : program_) {
		wait(operation.work, sc_core::SC_NS);
		while (open_ == Open) {
			wait(answered_);
		}
		auto *access = new Access(operation);
		tlm_phase phase = tlm::BEGIN_REQ;
		sc_time delay = sc_core::SC_ZERO_TIME;

		access->acquire();
		prepare(*access, operation, access->data);
		open_++;
		if (memory->nb_transport_fw(*access, phase, delay) == tlm::TLM_COMPLETED) {
			wait(delay);
			end(*access);
		}
	}
	while (open_) {
		wait(answered_);
	}
	finish();
}

void ApproximateProcessor::end(tlm_generic_payload &payload)
{
	const Access &access = static_cast<Access &>(payload);

	scoreboard_.check(name(), access.operation, access.data, payload.is_response_ok());
	open_--;
	answered_.notify(sc_core::SC_ZERO_TIME);
	payload.release();
}

tlm_sync_enum ApproximateProcessor::answer(tlm_generic_payload &payload, tlm_phase &phase, sc_time &)
{
	if (phase != tlm::BEGIN_RESP) {
		return tlm::TLM_ACCEPTED;
	}
	end(payload);
	return tlm::TLM_COMPLETED;
}
