// SPDX-License-Identifier: Apache-2.0
#include "card.hpp"

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
	if (lsb % 32 == 0 && width == 32) {
		pin[lsb / 32] = value;
		return;
	}
	for (unsigned i = 0; i < width; i++) {
		uint32_t bit = 1u << ((lsb + i) % 32);

		pin[(lsb + i) / 32] = (pin[(lsb + i) / 32] & ~bit) | (value >> i & 1u ? bit : 0u);
	}
}

template <typename T> uint32_t get(const T &pin, unsigned lsb, unsigned width)
{
	return static_cast<uint32_t>(static_cast<uint64_t>(pin) >> lsb & ((1ull << width) - 1));
}

template <std::size_t N> uint32_t get(const VlWide<N> &pin, unsigned lsb, unsigned width)
{
	uint32_t value = 0;

	if (lsb % 32 == 0 && width == 32) {
		return pin[lsb / 32];
	}
	for (unsigned i = 0; i < width; i++) {
		value |= (pin[(lsb + i) / 32] >> ((lsb + i) % 32) & 1u) << i;
	}
	return value;
}

template <typename T> void put_cell(T &pin, unsigned index, const Cell &cell)
{
	const Shape &s = shape();

	for (unsigned w = 0, left = s.cell_bits; left; w++) {
		unsigned width = left < 32 ? left : 32;

		put(pin, index * s.cell_bits + w * 32, width, cell[w]);
		left -= width;
	}
}

template <typename T> Cell get_cell(const T &pin, unsigned index)
{
	const Shape &s = shape();
	Cell cell{};

	for (unsigned w = 0, left = s.cell_bits; left; w++) {
		unsigned width = left < 32 ? left : 32;

		cell[w] = get(pin, index * s.cell_bits + w * 32, width);
		left -= width;
	}
	return cell;
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

	append(list, t.credit_valid_o);
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
		list.push_back(credit_valid(p) ? credit_vc(p) : 0);
		list.push_back(link_valid(p) ? link_vc(p) : 0);
		Cell cell = link_valid(p) ? link_cell(p) : Cell{};
		list.insert(list.end(), cell.begin(), cell.end());
	}
	for (unsigned n = 0; n < shape().nics; n++) {
		list.push_back(nic_valid(n) && nic_last(n));
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
	t.credit_valid_i = 0;
	t.nic_tvalid_i = 0;
	t.nic_tready_i = 0;
	t.axil_awvalid_i = 0;
	t.axil_wvalid_i = 0;
	t.axil_bready_i = 0;
	t.axil_arvalid_i = 0;
	t.axil_rready_i = 0;
}

bool Card::any_input_valid() const
{
	const Vxt_card &t = model_->top;

	return t.link_valid_i || t.credit_valid_i || t.nic_tvalid_i || t.axil_awvalid_i || t.axil_wvalid_i ||
	       t.axil_arvalid_i;
}

void Card::drive_link(unsigned port, unsigned vc, const Cell &cell)
{
	Vxt_card &t = model_->top;

	put(t.link_valid_i, port, 1, 1);
	put(t.link_vc_i, port * shape().vc_bits, shape().vc_bits, vc);
	put_cell(t.link_cell_i, port, cell);
}

void Card::drive_credit(unsigned port, unsigned vc)
{
	Vxt_card &t = model_->top;

	put(t.credit_valid_i, port, 1, 1);
	put(t.credit_vc_i, port * shape().vc_bits, shape().vc_bits, vc);
}

void Card::drive_nic(unsigned nic, const Cell &cell, bool last)
{
	Vxt_card &t = model_->top;

	put(t.nic_tvalid_i, nic, 1, 1);
	put(t.nic_tlast_i, nic, 1, last);
	put_cell(t.nic_tdata_i, nic, cell);
}

void Card::drive_nic_ready(unsigned nic)
{
	put(model_->top.nic_tready_i, nic, 1, 1);
}

bool Card::link_valid(unsigned port) const
{
	return get(model_->top.link_valid_o, port, 1);
}

unsigned Card::link_vc(unsigned port) const
{
	return get(model_->top.link_vc_o, port * shape().vc_bits, shape().vc_bits);
}

Cell Card::link_cell(unsigned port) const
{
	return get_cell(model_->top.link_cell_o, port);
}

bool Card::credit_valid(unsigned port) const
{
	return get(model_->top.credit_valid_o, port, 1);
}

unsigned Card::credit_vc(unsigned port) const
{
	return get(model_->top.credit_vc_o, port * shape().vc_bits, shape().vc_bits);
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

Cell Card::nic_cell(unsigned nic) const
{
	return get_cell(model_->top.nic_tdata_o, nic);
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
