// SPDX-License-Identifier: Apache-2.0
#include "axi_lite.hpp"

#include "failure.hpp"

static const unsigned patience = 2000; // cycles until a transfer counts as lost

void AxiLite::start_write(uint32_t address, uint32_t data, unsigned strobe, const Delays &delays)
{
	writing_ = true;
	aw_done_ = w_done_ = b_seen_ = false;
	write_address_ = address;
	write_data_ = data;
	strobe_ = strobe;
	write_age_ = b_age_ = 0;
	write_delays_ = delays;
}

void AxiLite::start_read(uint32_t address, const Delays &delays)
{
	reading_ = true;
	ar_done_ = r_seen_ = false;
	read_address_ = address;
	read_age_ = r_age_ = 0;
	read_delays_ = delays;
}

void AxiLite::cycle(Card &card, uint64_t now)
{
	unsigned long long at = now;

	if (card.bvalid() && !(writing_ && aw_done_ && w_done_)) {
		fail("cycle %llu: AXI4-Lite: write response without a write", at);
	}
	if (card.rvalid() && !(reading_ && ar_done_)) {
		fail("cycle %llu: AXI4-Lite: read data without a read", at);
	}
	if (writing_) {
		// The response first: it belongs to handshakes of earlier cycles.
		if (b_seen_ && (!card.bvalid() || card.bresp() != write_response_)) {
			fail("cycle %llu: AXI4-Lite: write response changed while bready was low", at);
		}
		if (card.bvalid()) {
			b_seen_ = true;
			write_response_ = card.bresp();
		}
		if (b_seen_ && (write_delays_.b == after_other ? !reading_ || r_seen_ : b_age_++ >= write_delays_.b)) {
			card.drive_bready();
			writing_ = false;
		}
		if (!aw_done_ && write_age_ >= write_delays_.aw) {
			card.drive_aw(write_address_);
			aw_done_ = card.awready();
		}
		if (!w_done_ && write_age_ >= write_delays_.w) {
			card.drive_w(write_data_, strobe_);
			w_done_ = card.wready();
		}
		if (++write_age_ > patience) {
			fail("cycle %llu: AXI4-Lite: no answer to a write of 0x%04x", at, write_address_);
		}
	}
	if (reading_) {
		if (r_seen_ && (!card.rvalid() || card.rresp() != read_response_ || card.rdata() != read_data_)) {
			fail("cycle %llu: AXI4-Lite: read data changed while rready was low", at);
		}
		if (card.rvalid()) {
			r_seen_ = true;
			read_response_ = card.rresp();
			read_data_ = card.rdata();
		}
		if (r_seen_ && (read_delays_.r == after_other ? !writing_ || b_seen_ : r_age_++ >= read_delays_.r)) {
			card.drive_rready();
			reading_ = false;
		}
		if (!ar_done_ && read_age_ >= read_delays_.ar) {
			card.drive_ar(read_address_);
			ar_done_ = card.arready();
		}
		if (++read_age_ > patience) {
			fail("cycle %llu: AXI4-Lite: no answer to a read of 0x%04x", at, read_address_);
		}
	}
}
