// SPDX-License-Identifier: Apache-2.0
//
// One Verilated card by itself, for who steps it: C functions around the class that the networks use.
#include "device/card_engine.h"

#include <new>

#include "pin_frame.hpp"
#include "pins.hpp"
#include "table_memories.hpp"
#include "Vxt_card.h"
#include "xt_registers.h"

struct xt_card {
	// Before a model there is nothing of the context but its settings.
	static VerilatedContext *singleThreaded(VerilatedContext &context)
	{
		context.threads(1);
		return &context;
	}

	VerilatedContext context;
	Vxt_card model{singleThreaded(context), "card"};
};

namespace
{

static_assert(Frame::Bits <= 32 * XT_PIN_FRAME_WORDS, "a frame fits the pins");

int openCard(xt_card_t **out, xt_diag_t *diag)
{
	*out = new (std::nothrow) xt_card;
	return *out ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "co-simulation: out of memory for a card");
}

void closeCard(xt_card_t *card)
{
	delete card;
}

void drive(Vxt_card &model, const xt_card_inputs_t &in)
{
	model.rst_ni = in.rst_n & 1;
	model.link_valid_i = static_cast<decltype(model.link_valid_i + 0)>(in.link_valid);
	for (uint32_t rest = in.link_valid; rest; rest &= rest - 1) {
		const unsigned port = static_cast<unsigned>(__builtin_ctz(rest));

		putField<Frame::Bits>(model.link_frame_i, port, in.link_frame[port]);
	}
	model.nic_tvalid_i = static_cast<decltype(model.nic_tvalid_i + 0)>(in.nic_valid);
	model.nic_tlast_i = static_cast<decltype(model.nic_tlast_i + 0)>(in.nic_last);
	model.nic_tready_i = static_cast<decltype(model.nic_tready_i + 0)>(in.nic_ready);
	for (uint32_t rest = in.nic_valid; rest; rest &= rest - 1) {
		const unsigned nic = static_cast<unsigned>(__builtin_ctz(rest));

		putField<EXTORUS_CELL_BITS>(model.nic_tdata_i, nic, in.nic_data[nic]);
	}
	model.axil_awvalid_i = in.awvalid & 1;
	model.axil_awaddr_i = static_cast<uint16_t>(in.awaddr);
	model.axil_wvalid_i = in.wvalid & 1;
	model.axil_wdata_i = in.wdata;
	model.axil_wstrb_i = 0xf;
	model.axil_bready_i = in.bready & 1;
	model.axil_arvalid_i = in.arvalid & 1;
	model.axil_araddr_i = static_cast<uint16_t>(in.araddr);
	model.axil_rready_i = in.rready & 1;
}

void collect(const Vxt_card &model, xt_card_outputs_t &out)
{
	out.link_valid = model.link_valid_o;
	for (uint32_t rest = out.link_valid; rest; rest &= rest - 1) {
		const unsigned port = static_cast<unsigned>(__builtin_ctz(rest));

		getField<Frame::Bits>(model.link_frame_o, port, out.link_frame[port]);
	}
	out.nic_ready = model.nic_tready_o;
	out.nic_valid = model.nic_tvalid_o;
	out.nic_last = model.nic_tlast_o;
	out.nic_user = model.nic_tuser_o;
	for (uint32_t rest = out.nic_valid; rest; rest &= rest - 1) {
		const unsigned nic = static_cast<unsigned>(__builtin_ctz(rest));

		getField<EXTORUS_CELL_BITS>(model.nic_tdata_o, nic, out.nic_data[nic]);
	}
	out.awready = model.axil_awready_o;
	out.wready = model.axil_wready_o;
	out.bvalid = model.axil_bvalid_o;
	out.bresp = model.axil_bresp_o;
	out.arready = model.axil_arready_o;
	out.rvalid = model.axil_rvalid_o;
	out.rresp = model.axil_rresp_o;
	out.rdata = model.axil_rdata_o;
	out.idle = model.idle_o;
}

int stepCard(xt_card_t *card, const xt_card_inputs_t *in, xt_card_outputs_t *out)
{
	drive(card->model, *in);
	card->model.clk_i = 0;
	card->model.eval();
	card->model.clk_i = 1;
	card->model.eval();
	collect(card->model, *out);
	return XT_OK;
}

void setCardTables(xt_card_t *card, const uint64_t *grt, const uint64_t *lrt)
{
	storeTables(*card->model.rootp, grt, lrt);
}

const xt_card_engine_t engine = {
	XT_CARD_ENGINE_ABI,
	sizeof(xt_card_engine_t),
	"rtl",
	EXTORUS_PROFILE_NAME,
	EXTORUS_PROFILE_HASH,
	openCard,
	closeCard,
	stepCard,
	setCardTables,
};

} // namespace

extern "C" const xt_card_engine_t *xt_card_entry(void);

extern "C" const xt_card_engine_t *xt_card_entry(void)
{
	return &engine;
}
