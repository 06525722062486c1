// SPDX-License-Identifier: Apache-2.0
#include "extorus/systemc/nic.hpp"

#include <cstring>

#include "bits.hpp"
#include "extorus/profiles.h"
#include "report.hpp"

namespace extorus
{

using tlm::tlm_generic_payload;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace
{

constexpr unsigned QueuedPackets = 2; // the one that is going out counted

std::string number(uint64_t value)
{
	return std::to_string(value);
}

} // namespace

struct Nic::Layout : xt_header_layout_t {
};

Nic::Nic(sc_core::sc_module_name name, const xt_image_t *image, unsigned pe)
    : sc_module(name), clk_i("clk_i"), nic_o("nic_o"), nic_ready_i("nic_ready_i"), nic_i("nic_i"),
      nic_ready_o("nic_ready_o"), send("send"), deliver("deliver"), image_(image), profile_(xt_image_profile(image)),
      layout_(std::make_unique<Layout>(Layout{xt_profile_header(profile_)})), pe_(pe),
      cell_bytes_(profile_->cell_bits / 8), cell_words_((profile_->cell_bits + 31) / 32)
{
	send.register_b_transport(this, &Nic::blocking);
	send.register_nb_transport_fw(this, &Nic::forward);
	deliver.register_nb_transport_bw(this, &Nic::backward);
	SC_METHOD(step);
	sensitive << clk_i.pos();
}

Nic::~Nic() = default;

void Nic::start()
{
	started_ = true;
	kick_.notify(sc_core::SC_ZERO_TIME);
}

unsigned Nic::longestPayload() const
{
	return (profile_->packet_cells - 1) * cell_bytes_;
}

// ---------------------------------------------------------------- packets that are sent

bool Nic::room() const
{
	return queue_.size() < QueuedPackets;
}

// Sets the response if the packet cannot be sent, and says so.
bool Nic::check(tlm_generic_payload &payload)
{
	const PacketInfo *info = payload.get_extension<PacketInfo>();
	const unsigned tcs = xt_image_pe_tc_mask(image_, pe_);
	tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
	std::string what;

	if (!payload.is_write() || payload.get_byte_enable_ptr()) {
		status = payload.is_write() ? tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE;
		what = "a packet is a write without byte enables";
	} else if (payload.get_data_length() > longestPayload()) {
		status = tlm::TLM_BURST_ERROR_RESPONSE;
		what = "a packet of " + number(payload.get_data_length()) + " bytes is too long; profile " +
		       profile_->name + " carries " + number(longestPayload());
	} else if (payload.get_address() >= xt_image_pes(image_) ||
		   !xt_image_pe_in_service(image_, static_cast<unsigned>(payload.get_address()))) {
		status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
		what = "there is no PE " + number(payload.get_address()) + " in service, of " +
		       number(xt_image_pes(image_));
	} else if (info && info->tc != PacketInfo::AnyTc && (info->tc >= profile_->tcs || !(tcs >> info->tc & 1))) {
		status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
		what = "PE " + number(pe_) + " may not use TC " + number(info->tc);
	} else if (!tcs) {
		status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
		what = "PE " + number(pe_) + " is not in service";
	}
	payload.set_response_status(status);
	if (status != tlm::TLM_OK_RESPONSE) {
		report(*this, PacketError, what);
	}
	return status == tlm::TLM_OK_RESPONSE;
}

void Nic::enqueue(tlm_generic_payload &payload, bool answer, sc_core::sc_event *done)
{
	const PacketInfo *info = payload.get_extension<PacketInfo>();
	const unsigned length = payload.get_data_length();
	const bool any = !info || info->tc == PacketInfo::AnyTc;
	Sending packet;
	uint32_t *header;

	packet.count = 1 + (length + cell_bytes_ - 1) / cell_bytes_;
	packet.cells.resize(static_cast<size_t>(packet.count) * cell_words_);
	header = packet.cells.data();
	putBits(header, layout_->dest_lsb, layout_->dest_bits,
		xt_image_pe_address(image_, static_cast<unsigned>(payload.get_address())));
	putBits(header, layout_->src_lsb, layout_->src_bits, xt_image_pe_address(image_, pe_));
	putBits(header, layout_->len_lsb, layout_->len_bits, packet.count - 1);
	putBits(header, layout_->tc_lsb, layout_->tc_bits,
		any ? static_cast<unsigned>(__builtin_ctz(xt_image_pe_tc_mask(image_, pe_))) : info->tc);
	putBits(header, layout_->tag_lsb, std::min(layout_->tag_bits, 64u), info ? info->tag : 0);
	for (unsigned b = 0; b < length; b++) {
		const unsigned cell = 1 + b / cell_bytes_, bit = b % cell_bytes_ * 8;

		putBits(&packet.cells[static_cast<size_t>(cell) * cell_words_], bit, 8, payload.get_data_ptr()[b]);
	}
	packet.payload = answer ? &payload : nullptr;
	packet.done = done;
	packet.since = sc_core::sc_time_stamp();
	queue_.push_back(std::move(packet));
	kick_.notify(sc_core::SC_ZERO_TIME);
}

void Nic::blocking(tlm_generic_payload &payload, sc_core::sc_time &delay)
{
	sc_core::sc_event done;

	if (!check(payload)) {
		return;
	}
	sc_core::wait(delay);
	delay = sc_core::SC_ZERO_TIME;
	while (!room()) {
		sc_core::wait(room_event_);
	}
	enqueue(payload, false, &done);
	sc_core::wait(done);
}

tlm_sync_enum Nic::forward(tlm_generic_payload &payload, tlm_phase &phase, sc_core::sc_time &)
{
	if (phase == tlm::END_RESP) {
		if (&payload == responding_) {
			answered(payload);
		}
		return tlm::TLM_COMPLETED;
	}
	if (phase != tlm::BEGIN_REQ || waiting_) {
		report(*this, PacketError, "BEGIN_REQ while the packet before waits for END_REQ");
		payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
		return tlm::TLM_COMPLETED;
	}
	if (!check(payload)) {
		return tlm::TLM_COMPLETED;
	}
	payload.acquire();
	if (!room()) {
		waiting_ = &payload;
		return tlm::TLM_ACCEPTED;
	}
	enqueue(payload, true, nullptr);
	phase = tlm::END_REQ;
	return tlm::TLM_UPDATED;
}

// A packet waits for room and there is some.
void Nic::admit()
{
	tlm_generic_payload *payload = waiting_;
	tlm_phase phase = tlm::END_REQ;
	sc_core::sc_time delay = sc_core::SC_ZERO_TIME;

	waiting_ = nullptr;
	enqueue(*payload, true, nullptr);
	send->nb_transport_bw(*payload, phase, delay);
}

// One response after the other, each until it is taken.
void Nic::respond()
{
	tlm_generic_payload *payload = to_answer_.front();
	tlm_phase phase = tlm::BEGIN_RESP;
	sc_core::sc_time delay = sc_core::SC_ZERO_TIME;

	to_answer_.pop_front();
	responding_ = payload;

	const tlm_sync_enum status = send->nb_transport_bw(*payload, phase, delay);

	if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
		answered(*payload);
	}
}

void Nic::answered(tlm_generic_payload &payload)
{
	responding_ = nullptr;
	payload.release();
	if (!to_answer_.empty()) {
		kick_.notify(sc_core::SC_ZERO_TIME);
	}
}

// ---------------------------------------------------------------- packets that are delivered

// The packet that has arrived goes to the PE.
void Nic::hand()
{
	tlm_generic_payload *payload = arrived_;
	tlm_phase phase = tlm::BEGIN_REQ;
	sc_core::sc_time delay = sc_core::SC_ZERO_TIME;

	arrived_ = nullptr;
	if (deliver.size() == 0) {
		report(*this, PacketError,
			"a packet from PE " + number(payload->get_address()) +
				" came, and `deliver` is bound to nothing; bind it to whatever is to have the packets");
		payload->release();
		return;
	}
	delivering_ = payload;
	payload->acquire();

	const tlm_sync_enum status = deliver->nb_transport_fw(*payload, phase, delay);

	if (status == tlm::TLM_COMPLETED) {
		phase = tlm::BEGIN_RESP;
		backward(*payload, phase, delay);
	} else if (status == tlm::TLM_UPDATED && backward(*payload, phase, delay) == tlm::TLM_COMPLETED) {
		phase = tlm::END_RESP;
		deliver->nb_transport_fw(*payload, phase, delay);
	}
	payload->release();
}

// The PE may be given another one.
void Nic::taken(tlm_generic_payload &payload)
{
	if (&payload == delivering_) {
		delivering_ = nullptr;
		kick_.notify(sc_core::SC_ZERO_TIME);
	}
}

tlm_sync_enum Nic::backward(tlm_generic_payload &payload, tlm_phase &phase, sc_core::sc_time &)
{
	taken(payload);
	if (phase != tlm::BEGIN_RESP) {
		return tlm::TLM_ACCEPTED;
	}
	if (payload.is_response_error()) {
		report(*this, PacketError,
			"the PE refused a packet from PE " + number(payload.get_address()) + ": " +
				payload.get_response_string());
	}
	payload.release();
	return tlm::TLM_COMPLETED;
}

// ---------------------------------------------------------------- the pins

void Nic::sampleSent()
{
	if (!driving_ || !nic_ready_i.read()) {
		return;
	}
	Sending &packet = queue_.front();

	driving_ = false;
	if (++packet.next < packet.count) {
		return;
	}
	if (packet.done) {
		packet.done->notify(sc_core::SC_ZERO_TIME);
	}
	if (packet.payload) {
		to_answer_.push_back(packet.payload);
	}
	queue_.pop_front();
	room_event_.notify(sc_core::SC_ZERO_TIME);
}

void Nic::sampleDelivered()
{
	const Beat &beat = nic_i.read();

	if (!beat.valid || !ready_) {
		return;
	}
	arriving_.insert(arriving_.end(), beat.cell.data(), beat.cell.data() + cell_words_);
	if (!beat.last) {
		return;
	}
	const uint32_t *header = arriving_.data();
	const int source = xt_image_address_pe(
		image_, static_cast<uint32_t>(getBits(header, layout_->src_lsb, layout_->src_bits)));
	const unsigned cells = static_cast<unsigned>(arriving_.size()) / cell_words_;
	std::vector<unsigned char> data(static_cast<size_t>(cells - 1) * cell_bytes_);
	PacketInfo info;

	for (unsigned b = 0; b < data.size(); b++) {
		const unsigned cell = 1 + b / cell_bytes_, bit = b % cell_bytes_ * 8;

		data[b] = static_cast<unsigned char>(
			getBits(&arriving_[static_cast<size_t>(cell) * cell_words_], bit, 8));
	}
	info.tc = static_cast<unsigned>(getBits(header, layout_->tc_lsb, layout_->tc_bits));
	info.tag = getBits(header, layout_->tag_lsb, std::min(layout_->tag_bits, 64u));
	info.poisoned = beat.user;
	info.source = source < 0 ? UINT32_MAX : static_cast<unsigned>(source);
	info.destination = pe_;
	arrived_ = newPacket(info.source, data.data(), static_cast<unsigned>(data.size()), info);
	arriving_.clear();
}

void Nic::drive()
{
	if (!driving_ && started_ && !queue_.empty() && queue_.front().since < sc_core::sc_time_stamp()) {
		const Sending &packet = queue_.front();
		Beat beat;

		beat.valid = true;
		beat.last = packet.next + 1 == packet.count;
		beat.cell.assign(&packet.cells[static_cast<size_t>(packet.next) * cell_words_], cell_words_);
		nic_o.write(beat);
		driving_ = true;
	} else if (!driving_) {
		nic_o.write(Beat());
	}
	// Room for a packet that arrives, though the one before may not be taken yet.
	ready_ = !arrived_;
	nic_ready_o.write(ready_);
}

bool Nic::rests() const
{
	return !nic_i.read().valid && !arrived_ && (!started_ || queue_.empty()) && to_answer_.empty() && !waiting_;
}

void Nic::step()
{
	if (asleep_) {
		asleep_ = false;
		if (!clk_i.posedge()) {
			return;
		}
	}
	sampleSent();
	sampleDelivered();
	if (waiting_ && room()) {
		admit();
	}
	if (!responding_ && !to_answer_.empty()) {
		respond();
	}
	if (arrived_ && !delivering_) {
		hand();
	}
	drive();
	if (rests()) {
		asleep_ = true;
		next_trigger(nic_i.value_changed_event() | kick_);
	}
}

} // namespace extorus
