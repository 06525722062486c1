// SPDX-License-Identifier: Apache-2.0
//
// The state of a Verilated card for tests: its pins, and registers by the names of the RTL's hierarchy; if these
// change, this file no longer compiles.
#include "probe.h"

#include <algorithm>
#include <cstring>

#include "cosim_network.hpp"
#include "pins.hpp"
#include "Vxt_card___024root.h"

namespace
{

template <typename Vector> uint32_t field(const Vector &vector, unsigned lsb, unsigned bits)
{
	return bits ? static_cast<uint32_t>(loadPair(vector, lsb / 32) >> lsb % 32 & ((uint64_t{1} << bits) - 1)) : 0;
}

#define XT_FRAME_FIELD(name) field(frame.word, EXTORUS_FRAME_##name##_LSB, EXTORUS_FRAME_##name##_BITS)

void probeLink(const Vxt_card &model, unsigned port, xt_probe_link_t &link)
{
	Frame frame;

	link.valid = model.link_valid_o >> port & 1;
	if (!link.valid) {
		return;
	}
	getField<Frame::Bits>(model.link_frame_o, port, frame.word);
	link.ctrl = XT_FRAME_FIELD(CTRL);
	link.cell_valid = XT_FRAME_FIELD(CELL_VALID);
	if (link.cell_valid) {
		uint32_t cell[(EXTORUS_CELL_BITS + 31) / 32];

		link.cell_seq = XT_FRAME_FIELD(CELL_SEQ);
		link.vc = XT_FRAME_FIELD(VC);
		link.poison = XT_FRAME_FIELD(POISON);
		frame.cell(cell);
		std::copy_n(cell, std::min<size_t>(std::size(cell), XT_PROBE_CELL_WORDS), link.cell);
	}
	link.credit_valid = XT_FRAME_FIELD(CREDIT_VALID);
	if (link.credit_valid) {
		link.credit_seq = XT_FRAME_FIELD(CREDIT_SEQ);
		link.credit_vc = XT_FRAME_FIELD(CREDIT_VC);
	}
	link.cell_ack = XT_FRAME_FIELD(CELL_ACK);
	link.cell_nack = XT_FRAME_FIELD(CELL_NACK);
	link.credit_ack = XT_FRAME_FIELD(CREDIT_ACK);
	link.credit_nack = XT_FRAME_FIELD(CREDIT_NACK);
}

void probeNic(const Vxt_card &model, unsigned n, xt_probe_nic_t &nic)
{
	nic.accepts = model.nic_tready_o >> n & 1;
	nic.valid = model.nic_tvalid_o >> n & 1;
	if (nic.valid) {
		uint32_t cell[(EXTORUS_CELL_BITS + 31) / 32];

		nic.last = model.nic_tlast_o >> n & 1;
		nic.poisoned = model.nic_tuser_o >> n & 1;
		getField<EXTORUS_CELL_BITS>(model.nic_tdata_o, n, cell);
		std::copy_n(cell, std::min<size_t>(std::size(cell), XT_PROBE_CELL_WORDS), nic.cell);
	}
}

constexpr unsigned bitsFor(unsigned most)
{
	return most ? 1 + bitsFor(most / 2) : 0;
}

} // namespace

#if EXTORUS_LINK_PORTS == 2 && EXTORUS_NIC_PORTS == 1
#define XT_EACH_LINK(f) f(0) f(1)
#define XT_EACH_NIC(f) f(2)
#elif EXTORUS_LINK_PORTS == 4 && EXTORUS_NIC_PORTS == 1
#define XT_EACH_LINK(f) f(0) f(1) f(2) f(3)
#define XT_EACH_NIC(f) f(4)
#elif EXTORUS_LINK_PORTS == 6 && EXTORUS_NIC_PORTS == 1
#define XT_EACH_LINK(f) f(0) f(1) f(2) f(3) f(4) f(5)
#define XT_EACH_NIC(f) f(6)
#elif EXTORUS_LINK_PORTS == 6 && EXTORUS_NIC_PORTS == 4
#define XT_EACH_LINK(f) f(0) f(1) f(2) f(3) f(4) f(5)
#define XT_EACH_NIC(f) f(6) f(7) f(8) f(9)
#else
#error name the ports of this profile
#endif

#define XT_INPUT(p, name) root.xt_card__DOT__i_switch__DOT__g_input__BRA__##p##__KET____DOT__i_input_unit__DOT__##name
#define XT_CREDITS(p, kind, name) \
	root.xt_card__DOT__i_switch__DOT__g_output__BRA__##p##__KET____DOT__i_output_unit__DOT__##kind##__DOT__i_credits__DOT__##name

#if EXTORUS_BLOCK_RAM_ONLY
#define XT_FREE(p) probe->free_cells[p] = XT_INPUT(p, i_buffer__DOT__g_slotted__DOT__i_cells__DOT__free_q);
#else
#define XT_FREE(p) \
	probe->free_cells[p] = XT_INPUT(p, i_buffer__DOT__g_linked__DOT__i_cells__DOT__i_free_list__DOT__count_q);
#endif

// Of many VCs what was charged less what was returned; without shared cells what is left of each VC's reserve.
#if EXTORUS_SHARED_CELLS
#define XT_USAGE(p, name) XT_CREDITS(p, g_link, g_counter__DOT__i_credit_counter__DOT__i_usage__DOT__##name)
#if EXTORUS_VCS <= 4
#define XT_USED_BY(p, v) field(XT_USAGE(p, g_registers__DOT__used_q), v *Bits, Bits)
#else
#define XT_USED_BY(p, v)                                                                                               \
	(XT_USAGE(p, g_memories__DOT__some_q) >> v & 1 ? XT_USAGE(p, g_memories__DOT__i_charged__DOT__mem)[v] -        \
								 XT_USAGE(p, g_memories__DOT__i_returned__DOT__mem)[v] \
						       : 0)
#endif
#define XT_USED(p)                                                                                \
	for (unsigned v = 0; v < EXTORUS_VCS; v++) {                                              \
		constexpr unsigned Bits = bitsFor(EXTORUS_RESERVED_CELLS + EXTORUS_SHARED_CELLS); \
		probe->used[p][v] = static_cast<uint16_t>(XT_USED_BY(p, v) & ((1u << Bits) - 1)); \
	}
#else
#define XT_USED(p)                                                                                                 \
	for (unsigned v = 0; v < EXTORUS_VCS; v++) {                                                               \
		constexpr unsigned Bits = bitsFor(EXTORUS_RESERVED_CELLS);                                         \
		/* As the model counts: a credit that came for a VC without one in use leaves less than nothing in \
		 * use. */                                                                                         \
		probe->used[p][v] = static_cast<uint16_t>(                                                         \
			EXTORUS_RESERVED_CELLS -                                                                   \
			field(XT_CREDITS(p, g_link, g_reserves__DOT__i_credit_reserves__DOT__left_q), v * Bits,    \
				Bits));                                                                            \
	}
#endif
#define XT_USED_NIC(p) \
	probe->used[p][0] = EXTORUS_EJECT_CELLS - XT_CREDITS(p, g_nic, g_reserves__DOT__i_credit_reserves__DOT__left_q);

#if EXTORUS_FEATURES & EXTORUS_FEATURES_MONITORS_MASK
#define XT_STALLS(p)                                                                                    \
	probe->stalls_credit[p] = field(root.xt_card__DOT__stall_credit, p * EXTORUS_TCS, EXTORUS_TCS); \
	probe->stalls_grant[p] = field(root.xt_card__DOT__stall_grant, p * EXTORUS_TCS, EXTORUS_TCS);
#else
#define XT_STALLS(p)
#endif

void xt_backend_probe(const xt_engine_t *engine, unsigned card, xt_probe_t *probe)
{
	const Vxt_card &model = reinterpret_cast<const Network *>(engine)->model(card);
	const Vxt_card___024root &root = *model.rootp;

	std::memset(probe, 0, sizeof(*probe));
	probe->idle = model.idle_o;
	/* The cycle before is not counted yet. */
	probe->quiet_cycles = root.xt_card__DOT__i_idle_detector__DOT__traffic_q
				      ? 0
				      : root.xt_card__DOT__i_idle_detector__DOT__traffic_quiet_q + 1;
	for (unsigned port = 0; port < EXTORUS_LINK_PORTS; port++) {
		probeLink(model, port, probe->link[port]);
	}
	for (unsigned n = 0; n < EXTORUS_NIC_PORTS; n++) {
		probeNic(model, n, probe->nic[n]);
	}
	XT_EACH_LINK(XT_FREE)
	XT_EACH_NIC(XT_FREE)
	XT_EACH_LINK(XT_USED)
	XT_EACH_NIC(XT_USED_NIC)
	XT_EACH_LINK(XT_STALLS)
	XT_EACH_NIC(XT_STALLS)
}
