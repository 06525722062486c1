// SPDX-License-Identifier: Apache-2.0
//
// Bulk transfers of the USB device, and the faults that strike them.
#include <algorithm>

#include "usb_front.hpp"

void UsbFront::onBulk(uint64_t id, usb_redir_bulk_packet_header *header, uint8_t *data, int size)
{
	const uint32_t length = header->length | static_cast<uint32_t>(header->length_high) << 16;
	Transfer transfer = {id, length, {}};

	if (header->endpoint & DirectionIn) {
		in_.push_back(transfer);
		giveIn();
	} else {
		transfer.data.assign(data, data + size);
		out_.push_back(std::move(transfer));
		takeOut();
	}
}

// Whether one more batch of bytes sets off a fault that ends the transfer.
bool UsbFront::strikes(bool in, uint64_t bytes)
{
	for (size_t i = 0; i < faults_.size(); i++) {
		Fault &fault = faults_[i];

		if (fault.in != in) {
			continue;
		}
		if (fault.after >= bytes) {
			fault.after -= bytes;
			continue;
		}
		const Fault::Kind kind = fault.kind;
		faults_.erase(faults_.begin() + static_cast<ptrdiff_t>(i));
		switch (kind) {
		case Fault::Stall:
			halted_.insert(in ? In : Out);
			break;
		case Fault::Unplug:
			unplug();
			return true;
		case Fault::Short:
			shorten_ = 7;
			break;
		case Fault::Hold:
			hold_ = true;
			return true;
		case Fault::Corrupt:
			corrupt_ = true;
			break;
		default:
			break;
		}
		break;
	}
	return false;
}

// OUT: into the board as long as it has room; the host is answered when its bytes have a place.
void UsbFront::takeOut()
{
	while (plugged_ && !hold_ && !out_.empty() && board_.fromHost.size() < Board::Room) {
		if (strikes(false, out_.front().data.size())) {
			return;
		}
		const Transfer transfer = std::move(out_.front());

		out_.pop_front();
		if (halted_.count(Out)) {
			completeOut(transfer, usb_redir_stall);
			continue;
		}
		board_.fromHost.push(transfer.data.data(), transfer.data.size());
		completeOut(transfer, usb_redir_success);
	}
}

// IN: what there is, as soon as there is something.
void UsbFront::giveIn()
{
	while (plugged_ && !hold_ && !in_.empty() && (halted_.count(In) || !board_.toHost.empty())) {
		size_t size = std::min<size_t>(in_.front().length, board_.toHost.size());

		if (strikes(true, size)) {
			return;
		}
		const Transfer transfer = std::move(in_.front());

		in_.pop_front();
		if (halted_.count(In)) {
			completeIn(transfer, usb_redir_stall, 0);
			continue;
		}
		if (shorten_) {
			// What does not go now is lost.
			const size_t rest = size;
			size = std::min(size, shorten_);
			completeIn(transfer, usb_redir_success, size);
			board_.toHost.drop(std::min(board_.toHost.size(), rest - size));
			shorten_ = 0;
			continue;
		}
		completeIn(transfer, usb_redir_success, size);
	}
}

void UsbFront::completeOut(const Transfer &transfer, uint8_t status)
{
	usb_redir_bulk_packet_header reply = {};
	const uint32_t size = status == usb_redir_success ? static_cast<uint32_t>(transfer.data.size()) : 0;

	reply.endpoint = Out;
	reply.status = status;
	reply.length = static_cast<uint16_t>(size);
	reply.length_high = static_cast<uint16_t>(size >> 16);
	usbredirparser_send_bulk_packet(parser_, transfer.id, &reply, nullptr, 0);
}

void UsbFront::completeIn(const Transfer &transfer, uint8_t status, size_t size)
{
	usb_redir_bulk_packet_header reply = {};
	Transfer answered = {transfer.id, 0, {board_.toHost.data(), board_.toHost.data() + size}};

	reply.endpoint = In;
	reply.status = status;
	reply.length = static_cast<uint16_t>(size);
	reply.length_high = static_cast<uint16_t>(size >> 16);
	if (corrupt_ && size != 0) {
		answered.data[size / 2] ^= 0x10;
		corrupt_ = false;
	}
	usbredirparser_send_bulk_packet(
		parser_, transfer.id, &reply, size ? answered.data.data() : nullptr, static_cast<int>(size));
	board_.toHost.drop(size);
	answered_.push_back(std::move(answered));
	if (answered_.size() > Answered) {
		answered_.pop_front();
	}
}

void UsbFront::onCancel(uint64_t id)
{
	if (unplugOnCancel_) {
		unplugOnCancel_ = false;
		unplug();
		return;
	}
	for (std::deque<Transfer> *waiting : {&out_, &in_}) {
		for (auto transfer = waiting->begin(); transfer != waiting->end(); ++transfer) {
			if (transfer->id == id) {
				usb_redir_bulk_packet_header reply = {};

				reply.endpoint = waiting == &in_ ? In : Out;
				reply.status = usb_redir_cancelled;
				usbredirparser_send_bulk_packet(parser_, id, &reply, nullptr, 0);
				waiting->erase(transfer);
				return;
			}
		}
	}
	if (!answered_.empty() && answered_.back().id == id) {
		board_.toHost.pushBack(answered_.back().data);
		answered_.pop_back();
	}
}
