// SPDX-License-Identifier: Apache-2.0
#include "card_under_test.hpp"

#include <verilated.h>
#if VM_TRACE
#include <verilated_fst_c.h>
#endif

#include "failure.hpp"
#include "Vxt_card.h"

namespace
{

// Bit fields of a pin, whatever type Verilator chose for its width.
template <typename T> void put(T &pin, unsigned lsb, unsigned width, uint32_t value)
{
	uint64_t mask = ((1ull << width) - 1) << lsb;

	pin = static_cast<T>((static_cast<uint64_t>(pin) & ~mask) | ((static_cast<uint64_t>(value) << lsb) & mask));
}

template <std::size_t N> void put(VlWide<N> &pin, unsigned lsb, unsigned width, uint32_t value)
{
	for (unsigned done = 0; done < width;) {
		unsigned at = (lsb + done) % 32, take = width - done < 32 - at ? width - done : 32 - at;
		uint32_t mask = (take == 32 ? ~0u : (1u << take) - 1) << at;

		pin[(lsb + done) / 32] = (pin[(lsb + done) / 32] & ~mask) | ((value >> done) << at & mask);
		done += take;
	}
}

template <typename T> uint32_t get(const T &pin, unsigned lsb, unsigned width)
{
	return static_cast<uint32_t>(static_cast<uint64_t>(pin) >> lsb & ((1ull << width) - 1));
}

template <std::size_t N> uint32_t get(const VlWide<N> &pin, unsigned lsb, unsigned width)
{
	uint32_t value = 0;

	for (unsigned done = 0; done < width;) {
		unsigned at = (lsb + done) % 32, take = width - done < 32 - at ? width - done : 32 - at;
		uint32_t part = pin[(lsb + done) / 32] >> at;

		value |= (take == 32 ? part : part & ((1u << take) - 1)) << done;
		done += take;
	}
	return value;
}

// Field `index` of a pin with fields of `bits` bits, as words.
template <typename T, typename Words> void put_words(T &pin, unsigned index, unsigned bits, const Words &words)
{
	for (unsigned done = 0; done < bits; done += 32) {
		put(pin, index * bits + done, bits - done < 32 ? bits - done : 32, words[done / 32]);
	}
}

template <typename Words, typename T> Words get_words(const T &pin, unsigned index, unsigned bits)
{
	Words words{};

	for (unsigned done = 0; done < bits; done += 32) {
		words[done / 32] = get(pin, index * bits + done, bits - done < 32 ? bits - done : 32);
	}
	return words;
}

template <typename T> void append(std::vector<uint32_t> &list, const T &pin)
{
	list.push_back(static_cast<uint32_t>(pin));
	list.push_back(static_cast<uint32_t>(static_cast<uint64_t>(pin) >> 32));
}

template <std::size_t N> void append(std::vector<uint32_t> &list, const VlWide<N> &pin)
{
	for (std::size_t i = 0; i < N; i++) {
		list.push_back(pin[i]);
	}
}

} // namespace

// An assertion in the RTL failed; its message has been printed. The test that runs fails, not the program.
// (The model is compiled with VL_USER_STOP.)
void vl_stop(const char *file, int line, const char *)
{
	fail("an assertion of the RTL failed at %s:%d (the line above names it)", file, line);
}

struct Card::Model {
	VerilatedContext context;
	Vxt_card top;
#if VM_TRACE
	VerilatedFstC trace;
#endif

	explicit Model(uint64_t seed) : top((prepare(context, seed), &context), "card")
	{
	}

	static void prepare(VerilatedContext &context, uint64_t seed)
	{
		context.randSeed(static_cast<int>(seed & 0x7fffffff) | 1);
		context.randReset(2);
	}
};

Card::Card(const std::string &wave, uint64_t seed)
{
#if VM_TRACE
	bool traced = !wave.empty();
#else
	if (!wave.empty()) {
		throw std::invalid_argument(
			"--wave: this binary was built without traces; build it with verilator --trace-fst");
	}
#endif
	model_ = std::make_unique<Model>(seed);
#if VM_TRACE
	if (traced) {
		model_->context.traceEverOn(true);
		model_->top.trace(&model_->trace, 99);
		model_->trace.open(wave.c_str());
		if (!model_->trace.isOpen()) {
			throw std::invalid_argument("--wave: cannot write " + wave);
		}
	}
#endif
}

Card::~Card()
{
	// A model leaves the context that its thread used last, which may be another card's.
	Verilated::threadContextp(&model_->context);
	model_->top.final();
#if VM_TRACE
	if (model_->trace.isOpen()) {
		model_->trace.close();
	}
#endif
}

void Card::reset(unsigned cycles)
{
	idle_inputs();
	model_->top.rst_ni = 0;
	for (unsigned i = 0; i < cycles; i++) {
		tick();
	}
	model_->top.rst_ni = 1;
}

void Card::tick()
{
	Vxt_card &t = model_->top;

	t.clk_i = 0;
	t.eval();
#if VM_TRACE
	if (model_->trace.isOpen()) {
		model_->trace.dump(2 * cycle_);
	}
#endif
	t.clk_i = 1;
	t.eval();
#if VM_TRACE
	if (model_->trace.isOpen()) {
		model_->trace.dump(2 * cycle_ + 1);
	}
#endif
	cycle_++;
}

void Card::settle()
{
	model_->top.clk_i = 0;
	model_->top.eval();
}

std::vector<uint32_t> Card::outputs() const
{
	const Vxt_card &t = model_->top;
	std::vector<uint32_t> list;

	append(list, t.link_valid_o);
	append(list, t.nic_tready_o);
	append(list, t.nic_tvalid_o);
	append(list, t.idle_o);
	append(list, t.axil_awready_o);
	append(list, t.axil_wready_o);
	append(list, t.axil_bvalid_o);
	append(list, t.axil_arready_o);
	append(list, t.axil_rvalid_o);
	// The rest means something only beside its valid.
	for (unsigned p = 0; p < shape().links; p++) {
		Frame frame = link_valid(p) ? link_frame(p) : Frame{};
		list.insert(list.end(), frame.begin(), frame.end());
	}
	for (unsigned n = 0; n < shape().nics; n++) {
		list.push_back(nic_valid(n) && nic_last(n));
		list.push_back(nic_valid(n) && nic_last(n) && nic_poisoned(n));
		Cell cell = nic_valid(n) ? nic_cell(n) : Cell{};
		list.insert(list.end(), cell.begin(), cell.end());
	}
	list.push_back(bvalid() ? bresp() : 0);
	list.push_back(rvalid() ? rresp() : 0);
	list.push_back(rvalid() ? rdata() : 0);
	return list;
}

void Card::idle_inputs()
{
	Vxt_card &t = model_->top;

	t.link_valid_i = 0;
	t.nic_tvalid_i = 0;
	t.nic_tready_i = 0;
	t.axil_awvalid_i = 0;
	t.axil_wvalid_i = 0;
	t.axil_wdata_i = ~t.axil_wdata_i; // means nothing now
	t.axil_bready_i = 0;
	t.axil_arvalid_i = 0;
	t.axil_rready_i = 0;
}

bool Card::any_input_valid() const
{
	const Vxt_card &t = model_->top;

	return t.link_valid_i || t.nic_tvalid_i || t.axil_awvalid_i || t.axil_wvalid_i || t.axil_arvalid_i;
}

void Card::drive_frame(unsigned port, const Frame &frame)
{
	Vxt_card &t = model_->top;

	put(t.link_valid_i, port, 1, 1);
	put_words(t.link_frame_i, port, shape().frame.bits, frame);
}

void Card::drive_nic(unsigned nic, const Cell &cell, bool last)
{
	Vxt_card &t = model_->top;

	put(t.nic_tvalid_i, nic, 1, 1);
	put(t.nic_tlast_i, nic, 1, last);
	put_words(t.nic_tdata_i, nic, shape().cell_bits, cell);
}

void Card::drive_nic_ready(unsigned nic)
{
	put(model_->top.nic_tready_i, nic, 1, 1);
}

bool Card::link_valid(unsigned port) const
{
	return get(model_->top.link_valid_o, port, 1);
}

Frame Card::link_frame(unsigned port) const
{
	return get_words<Frame>(model_->top.link_frame_o, port, shape().frame.bits);
}

bool Card::nic_ready(unsigned nic) const
{
	return get(model_->top.nic_tready_o, nic, 1);
}

bool Card::nic_valid(unsigned nic) const
{
	return get(model_->top.nic_tvalid_o, nic, 1);
}

bool Card::nic_last(unsigned nic) const
{
	return get(model_->top.nic_tlast_o, nic, 1);
}

bool Card::nic_poisoned(unsigned nic) const
{
	return get(model_->top.nic_tuser_o, nic, 1);
}

Cell Card::nic_cell(unsigned nic) const
{
	return get_words<Cell>(model_->top.nic_tdata_o, nic, shape().cell_bits);
}

bool Card::idle() const
{
	return model_->top.idle_o;
}

void Card::drive_aw(uint32_t address)
{
	model_->top.axil_awvalid_i = 1;
	model_->top.axil_awaddr_i = static_cast<decltype(model_->top.axil_awaddr_i + 0)>(address);
}

void Card::drive_w(uint32_t data, unsigned strobe)
{
	model_->top.axil_wvalid_i = 1;
	model_->top.axil_wdata_i = data;
	model_->top.axil_wstrb_i = static_cast<CData>(strobe);
}

void Card::drive_bready()
{
	model_->top.axil_bready_i = 1;
}

void Card::drive_ar(uint32_t address)
{
	model_->top.axil_arvalid_i = 1;
	model_->top.axil_araddr_i = static_cast<decltype(model_->top.axil_araddr_i + 0)>(address);
}

void Card::drive_rready()
{
	model_->top.axil_rready_i = 1;
}

bool Card::awready() const
{
	return model_->top.axil_awready_o;
}

bool Card::wready() const
{
	return model_->top.axil_wready_o;
}

bool Card::bvalid() const
{
	return model_->top.axil_bvalid_o;
}

unsigned Card::bresp() const
{
	return model_->top.axil_bresp_o;
}

bool Card::arready() const
{
	return model_->top.axil_arready_o;
}

bool Card::rvalid() const
{
	return model_->top.axil_rvalid_o;
}

uint32_t Card::rdata() const
{
	return model_->top.axil_rdata_o;
}

unsigned Card::rresp() const
{
	return model_->top.axil_rresp_o;
}
