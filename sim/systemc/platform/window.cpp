// SPDX-License-Identifier: Apache-2.0
#include "window.hpp"

#include <cstring>

using sc_core::sc_time;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace
{

const sc_time MemoryLatency(60, sc_core::SC_NS);

} // namespace

Window::Window(sc_core::sc_module_name name, unsigned pe, unsigned pes, unsigned tcs, size_t memoryBytes)
    : sc_module(name), processor("processor"), send("send"), deliver("deliver"), pe_(pe), pes_(pes),
      request_tc_(static_cast<unsigned>(__builtin_ctz(tcs))),
      answer_tc_(31 - static_cast<unsigned>(__builtin_clz(tcs))), memory_(memoryBytes)
{
	processor.register_b_transport(this, &Window::block);
	processor.register_nb_transport_fw(this, &Window::access);
	send.register_nb_transport_bw(this, &Window::sent);
	deliver.register_nb_transport_fw(this, &Window::arrive);
	SC_METHOD(push);
	sensitive << push_event_;
	dont_initialize();
	SC_METHOD(serve);
	sensitive << serve_event_;
	dont_initialize();
}

// ---------------------------------------------------------------- the processor's side

// An access to the PE's own memory, or one that is wrong, is over at once.
bool Window::here(tlm_generic_payload &payload)
{
	const uint64_t pe = payload.get_address() >> OffsetBits;
	const uint64_t offset = payload.get_address() & ((1u << OffsetBits) - 1);

	if (pe >= pes_ || offset + payload.get_data_length() > memory_.size()) {
		payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
		return true;
	}
	if (pe != pe_) {
		return false;
	}
	if (payload.is_write()) {
		std::memcpy(&memory_[offset], payload.get_data_ptr(), payload.get_data_length());
	} else {
		std::memcpy(payload.get_data_ptr(), &memory_[offset], payload.get_data_length());
	}
	payload.set_response_status(tlm::TLM_OK_RESPONSE);
	return true;
}

// Loosely timed: what the processor is ahead of time passes before anything leaves.
void Window::block(tlm_generic_payload &payload, sc_time &delay)
{
	if (here(payload)) {
		delay += MemoryLatency;
		return;
	}
	sc_core::sc_event done;

	wait(delay);
	delay = sc_core::SC_ZERO_TIME;
	request(payload, &done);
	wait(done);
}

// Approximately timed: several accesses may be open.
tlm_sync_enum Window::access(tlm_generic_payload &payload, tlm_phase &phase, sc_time &delay)
{
	if (phase != tlm::BEGIN_REQ) {
		return tlm::TLM_ACCEPTED;
	}
	if (here(payload)) {
		delay += MemoryLatency;
		return tlm::TLM_COMPLETED;
	}
	payload.acquire();
	request(payload, nullptr);
	phase = tlm::END_REQ;
	return tlm::TLM_UPDATED;
}

void Window::request(tlm_generic_payload &payload, sc_core::sc_event *done)
{
	const Message message = {payload.is_write() ? Store : Load, next_id_++,
		static_cast<uint32_t>(payload.get_address() & ((1u << OffsetBits) - 1)), payload.get_data_length()};

	open_[message.id] = {&payload, done};
	post(static_cast<unsigned>(payload.get_address() >> OffsetBits), message,
		payload.is_write() ? payload.get_data_ptr() : nullptr, request_tc_);
}

void Window::answer(const Message &message, const unsigned char *data)
{
	const Access access = open_.at(message.id);

	open_.erase(message.id);
	if (message.kind == LoadDone) {
		std::memcpy(access.payload->get_data_ptr(), data, message.length);
	}
	access.payload->set_response_status(tlm::TLM_OK_RESPONSE);
	if (access.done) {
		access.done->notify();
		return;
	}
	tlm_phase phase = tlm::BEGIN_RESP;
	sc_time delay = sc_core::SC_ZERO_TIME;

	processor->nb_transport_bw(*access.payload, phase, delay);
	access.payload->release();
}

// ---------------------------------------------------------------- packets to the NIC

void Window::post(unsigned pe, const Message &message, const unsigned char *data, unsigned tc)
{
	std::vector<unsigned char> payload(sizeof(message) + (data ? message.length : 0));
	extorus::PacketInfo info;

	std::memcpy(payload.data(), &message, sizeof(message));
	if (data) {
		std::memcpy(payload.data() + sizeof(message), data, message.length);
	}
	info.tc = tc;
	outgoing_.push_back(extorus::newPacket(pe, payload.data(), static_cast<unsigned>(payload.size()), info));
	push_event_.notify(sc_core::SC_ZERO_TIME);
}

void Window::push()
{
	while (!offered_ && !outgoing_.empty()) {
		tlm_generic_payload *packet = outgoing_.front();
		tlm_phase phase = tlm::BEGIN_REQ;
		sc_time delay = sc_core::SC_ZERO_TIME;

		outgoing_.pop_front();
		offered_ = send->nb_transport_fw(*packet, phase, delay) == tlm::TLM_ACCEPTED;
		packet->release();
	}
}

tlm_sync_enum Window::sent(tlm_generic_payload &, tlm_phase &phase, sc_time &)
{
	if (phase == tlm::END_REQ) {
		offered_ = false;
		push_event_.notify(sc_core::SC_ZERO_TIME);
		return tlm::TLM_ACCEPTED;
	}
	return tlm::TLM_COMPLETED;
}

// ---------------------------------------------------------------- packets from the NIC

// One after the other; the NIC holds the next back meanwhile.
tlm_sync_enum Window::arrive(tlm_generic_payload &packet, tlm_phase &phase, sc_time &)
{
	if (phase == tlm::BEGIN_REQ) {
		packet.acquire();
		arrived_ = &packet;
		serve_event_.notify(MemoryLatency);
	}
	return tlm::TLM_ACCEPTED;
}

void Window::serve()
{
	tlm_generic_payload *packet = arrived_;
	tlm_phase phase = tlm::BEGIN_RESP;
	sc_time delay = sc_core::SC_ZERO_TIME;
	Message message;
	const unsigned char *data = packet->get_data_ptr() + sizeof(message);
	const unsigned from = static_cast<unsigned>(packet->get_address());

	std::memcpy(&message, packet->get_data_ptr(), sizeof(message));
	switch (message.kind) {
	case Store:
		std::memcpy(&memory_[message.offset], data, message.length);
		message.kind = StoreDone;
		post(from, message, nullptr, answer_tc_);
		break;
	case Load:
		message.kind = LoadDone;
		post(from, message, &memory_[message.offset], answer_tc_);
		break;
	default:
		answer(message, data);
		break;
	}
	packet->set_response_status(tlm::TLM_OK_RESPONSE);
	arrived_ = nullptr;
	deliver->nb_transport_bw(*packet, phase, delay);
	packet->release();
}
