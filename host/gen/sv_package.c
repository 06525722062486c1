/* SPDX-License-Identifier: Apache-2.0
 *
 * The SystemVerilog package. Its subset is the one that Verilator 5.006, yosys 0.23 and Icarus 11 all accept.
 * Scalars are localparams of type int, because Icarus refuses int unsigned. Tables are flat vectors with 8 bits per
 * element, element 0 lowest. */
#include <inttypes.h>
#include <string.h>

#include "extorus/registers.h"
#include "generate.h"

static void number(FILE *out, const char *name, unsigned value, const char *doc)
{
	fprintf(out, "  /// %s\n  localparam int %s = %u;\n", doc, name, value);
}

static void word(FILE *out, const char *name, uint32_t value, const char *doc)
{
	fprintf(out, "  /// %s\n  localparam logic [31:0] %s = 32'h%08" PRIx32 ";\n", doc, name, value);
}

static void flat_table(FILE *out, const char *name, const unsigned *values, unsigned count, const char *doc)
{
	fprintf(out, "  /// %s\n  localparam logic [%u:0] %s = %u'h", doc, 8 * count - 1, name, 8 * count);
	for (unsigned i = count; i-- > 0;) {
		fprintf(out, "%02x", values[i]);
	}
	fprintf(out, ";\n");
}

static void vc_tables(const xt_profile_t *p, FILE *out)
{
	unsigned first[XT_MAX_TCS], count[XT_MAX_TCS], tc_of[XT_MAX_VCS], adaptive = 0;

	for (unsigned t = 0, v = 0; t < p->tcs; t++) {
		first[t] = v;
		count[t] = xt_profile_tc_vcs(p, t);
		for (unsigned i = 0; i < count[t]; i++) {
			adaptive |= (unsigned)(p->tc[t].vc[i] == XT_VC_ADAPTIVE) << v;
			tc_of[v++] = t;
		}
	}
	flat_table(out, "TcFirstVc", first, p->tcs, "8 bits per TC: number of its VC 0 among all VCs.");
	flat_table(out, "TcVcCount", count, p->tcs, "8 bits per TC: its VCs.");
	flat_table(out, "VcTc", tc_of, xt_profile_vcs(p), "8 bits per VC: the TC it belongs to.");
	fprintf(out, "  /// Bit per VC: it is adaptive.\n  localparam logic [%u:0] VcAdaptive = %u'h%x;\n",
		xt_profile_vcs(p) - 1, xt_profile_vcs(p), adaptive);
}

/* With bubble flow control the room for two longest packets is one more class. */
static void length_classes(const xt_profile_t *p, FILE *out)
{
	unsigned cells[XT_MAX_LENGTH_CLASSES + 1], classes = p->length_classes;

	memcpy(cells, p->length_class, sizeof(p->length_class));
	if (p->bubble) {
		cells[classes++] = 2 * p->packet_cells;
	}
	number(out, "PacketClasses", p->length_classes, "Steps to which credit checks round a packet length up.");
	number(out, "LengthClasses", classes, "These, and with Bubble one for two longest packets.");
	flat_table(out, "LengthClass", cells, classes, "8 bits per class: its length in cells.");
}

static void header(const xt_profile_t *p, FILE *out)
{
	xt_header_layout_t h = xt_profile_header(p);

	fprintf(out, "\n");
	number(out, "HdrDestLsb", h.dest_lsb, "Packet header, in the first cell: destination PE, IdBits wide.");
	number(out, "HdrSrcLsb", h.src_lsb, "Source PE, IdBits wide.");
	number(out, "HdrLenLsb", h.len_lsb, "Cells of the packet less one, LenBits wide.");
	number(out, "HdrTcLsb", h.tc_lsb, "Traffic class, TcBits wide.");
	number(out, "HdrTagLsb", h.tag_lsb, "Free for the user, HdrTagBits wide.");
	number(out, "HdrTagBits", h.tag_bits, "The rest of the cell.");
	number(out, "HdrStampLsb", h.stamp_lsb, "Over the top of the tag: time of injection, StampBits wide.");
	number(out, "StampBits", h.stamp_bits, "Width of the time of injection; 0: the header has no room for it.");
}

static void frame(const xt_profile_t *p, FILE *out)
{
	xt_frame_layout_t f = xt_profile_frame(p);

	fprintf(out, "\n");
	number(out, "ReplayCells", p->replay_cells, "Cells of a link's replay buffer; 0: no link layer.");
	number(out, "FrameLayer", f.layer, "1: frames with sequence numbers, acks and a check word; 0: plain ones.");
	number(out, "CellSeqBits", f.cell_seq_bits, "Width of a cell's sequence number.");
	number(out, "CreditSeqBits", f.credit_seq_bits, "Width of a credit's sequence number.");
	number(out, "CheckBits", f.check_bits, "Width of a frame's check word.");
	number(out, "FrameBits", f.bits, "A frame: what a link carries per cycle and direction.");
	number(out, "FrameCtrlLsb", f.ctrl_lsb, "Frame: 0 normal, 1 train, 2 train and heard, 3 down; 2 bits.");
	number(out, "FrameCtrlBits", f.ctrl_bits, "Width of the control field.");
	number(out, "FrameCellValidLsb", f.cell_valid_lsb, "The frame carries a cell.");
	number(out, "FrameCellSeqLsb", f.cell_seq_lsb, "Its sequence number.");
	number(out, "FrameVcLsb", f.vc_lsb, "Its VC.");
	number(out, "FramePoisonLsb", f.poison_lsb, "Its packet is incomplete.");
	number(out, "FrameCellLsb", f.cell_lsb, "The cell.");
	number(out, "FrameCreditValidLsb", f.credit_valid_lsb, "The frame carries a credit.");
	number(out, "FrameCreditSeqLsb", f.credit_seq_lsb, "Its sequence number.");
	number(out, "FrameCreditVcLsb", f.credit_vc_lsb, "Its VC.");
	number(out, "FrameCellAckLsb", f.cell_ack_lsb, "The next cell that is expected.");
	number(out, "FrameCellNackLsb", f.cell_nack_lsb, "Send again from there.");
	number(out, "FrameCreditAckLsb", f.credit_ack_lsb, "The next credit that is expected.");
	number(out, "FrameCreditNackLsb", f.credit_nack_lsb, "Send again from there.");
	number(out, "FrameCheckLsb", f.check_lsb, "Check word of all lower bits: see xt_link_check.");
}

static void table_entry(const xt_profile_t *p, FILE *out)
{
	const unsigned word_tcs = p->tcs < XT_ENTRY_WORD_TCS ? p->tcs : XT_ENTRY_WORD_TCS;
	const unsigned words = (p->tcs + word_tcs - 1) / word_tcs;
	const unsigned field_bits = XT_ENTRY_TC_BITS + (p->table_ecc ? XT_ENTRY_CODE_BITS : 0);
	unsigned columns[XT_ENTRY_TC_BITS];

	for (unsigned i = 0; i < XT_ENTRY_TC_BITS; i++) {
		columns[i] = xt_entry_column(i);
	}
	fprintf(out, "\n");
	number(out, "EntryTcBits", XT_ENTRY_TC_BITS, "Table entry: field of one TC, TC 0 lowest.");
	number(out, "EntryWords", words, "Words of a table entry, each of 32 bits at the registers.");
	number(out, "EntryWordTcs", word_tcs, "TCs of a word.");
	number(out, "EntryPortLsb", XT_ENTRY_PORT_LSB, "Within a TC's field: output port.");
	number(out, "EntryPortBits", XT_ENTRY_PORT_BITS, "Width of the output port.");
	number(out, "EntryVcLsb", XT_ENTRY_VC_LSB, "Deterministic VC within the TC.");
	number(out, "EntryVcBits", XT_ENTRY_VC_BITS, "Width of the VC.");
	number(out, "EntryMaskLsb", XT_ENTRY_MASK_LSB, "Adaptive mask: candidate link ports.");
	number(out, "EntryMaskBits", XT_ENTRY_MASK_BITS, "Width of the adaptive mask.");
	number(out, "EntryValidBit", XT_ENTRY_VALID_BIT, "Clear: there is no route.");
	number(out, "EntryCodeBits", XT_ENTRY_CODE_BITS, "Code of a field, stored above it with TableEcc.");
	number(out, "EntryFieldBits", field_bits, "Field as it is stored.");
	number(out, "EntryStoredBits", word_tcs * field_bits, "Word as it is stored.");
	number(out, "TableAddrBits", p->lrt_bits + xt_clog2(words), "Width of the address of a word in a table.");
	flat_table(out, "EntryColumns", columns, XT_ENTRY_TC_BITS,
		"8 bits per bit of a field: the bits of the code that it inverts.");
}

static void features(const xt_profile_t *p, FILE *out)
{
	uint32_t all = xt_profile_features(p);

	fprintf(out, "\n");
	word(out, "Features", all, "What RegFeatures reads.");
	number(out, "HasAdaptive", (all & XT_FEATURE_ADAPTIVE) != 0, "1: there are adaptive VCs.");
	number(out, "HasLinkLayer", (all & XT_FEATURE_LINK_LAYER) != 0, "1: links detect errors and repeat frames.");
	number(out, "TableEcc", (all & XT_FEATURE_TABLE_ECC) != 0, "1: table entries carry a code.");
	number(out, "HasBubble", (all & XT_FEATURE_BUBBLE) != 0, "1: bubble flow control.");
	number(out, "HasQos", (all & XT_FEATURE_QOS) != 0, "1: TCs have weights.");
	number(out, "HasLatency", (all & XT_FEATURE_LATENCY) != 0, "1: NICs have latency histograms.");
	number(out, "HasMonitors", (all & XT_FEATURE_MONITORS) != 0,
		"1: stalls, high-water marks and the first error are kept.");
	number(out, "HasVcRings", (all & XT_FEATURE_VC_RINGS) != 0, "1: each VC of an output has a ring of its own.");
	fprintf(out,
		"`ifdef XT_SYNTHESIS\n"
		"  /// 1: logic that nobody asks for is there all the same, as in hardware; a simulator skips it.\n"
		"  localparam int NoSkip = 1;\n"
		"`else\n"
		"  localparam int NoSkip = 0;\n"
		"`endif\n"
		"`ifdef XT_CLOCK_GATES\n"
		"  /// 1: parts of a card that rest have no clock (xt_clock_gate).\n"
		"  localparam int ClockGates = 1;\n"
		"`else\n"
		"  localparam int ClockGates = 0;\n"
		"`endif\n");
}

static void register_map(FILE *out)
{
	fprintf(out, "\n");
	word(out, "RegMagicValue", XT_REG_MAGIC_VALUE, "What RegMagic reads.");
	word(out, "RegMapVersion", XT_REG_MAP_VERSION, "What RegVersion reads.");
	number(out, "RegAddressBits", XT_REG_ADDRESS_BITS, "Width of the AXI4-Lite byte address.");
	number(out, "RegPortStride", XT_REG_PORT_STRIDE, "Bytes between the registers of port p and p + 1.");
	number(out, "RegItemStride", XT_REG_ITEM_STRIDE, "Bytes between the registers of TC or VC i and i + 1.");
	number(out, "RegEntryStride", XT_REG_ENTRY_STRIDE, "Bytes between table entries in their windows.");
	number(out, "RegNicStride", XT_REG_NIC_STRIDE, "Bytes between the histograms of NIC n and n + 1.");
	number(out, "LatencyBins", XT_REG_LATENCY_BINS, "Bins of a latency histogram.");
	for (unsigned i = 0; i < XT_REG_COUNT; i++) {
		fprintf(out, "  /// %s\n  localparam logic [15:0] Reg%s = 16'h%04" PRIx32 ";\n", xt_registers[i].doc,
			xt_registers[i].sv_name, xt_registers[i].offset);
	}
}

void xt_generate_sv_package(const xt_profile_t *p, FILE *out)
{
	fprintf(out,
		"// SPDX-License-Identifier: Apache-2.0\n"
		"// Generated by `extorus gen` from the tables of profile %s; not to be edited.\n"
		"`default_nettype none\n\n"
		"/// Profile %s: %s.\n"
		"package xt_pkg;\n"
		"  // A package offers more than one design uses.\n"
		"  // verilator lint_off UNUSEDPARAM\n",
		p->name, p->name, p->summary ? p->summary : "no summary");
	word(out, "ProfileHash", xt_profile_hash(p), "Hash of the profile's C table.");
	number(out, "LinkPorts", p->link_ports, "Ports 0 .. LinkPorts-1 lead to other cards.");
	number(out, "NicPorts", p->nic_ports, "Ports LinkPorts .. Ports-1 lead to the NIC.");
	number(out, "Ports", xt_profile_ports(p), "All ports.");
	number(out, "PortBits", xt_clog2(xt_profile_ports(p)), "Width of a port number.");
	number(out, "Tcs", p->tcs, "Traffic classes.");
	number(out, "TcBits", xt_profile_tc_bits(p), "Width of a TC number.");
	number(out, "Vcs", xt_profile_vcs(p), "Virtual channels of all TCs.");
	number(out, "VcBits", xt_profile_vc_bits(p), "Width of a VC number.");
	vc_tables(p, out);
	fprintf(out, "\n");
	number(out, "CellBits", p->cell_bits, "Width of a cell, a link and the crossbar.");
	number(out, "PacketCells", p->packet_cells, "Cells of the longest packet.");
	number(out, "LenBits", xt_profile_len_bits(p), "Width of a packet length less one.");
	number(out, "BufferCells", p->buffer_cells, "Cells of the shared buffer of one input.");
	number(out, "CellAddrBits", xt_clog2(p->buffer_cells), "Width of a buffer address.");
	number(out, "ReservedCells", p->reserved_cells, "Of BufferCells, those owned by each VC.");
	number(out, "SharedCells", xt_profile_shared_cells(p),
		"Of BufferCells, those that any VC may use beyond its own.");
	number(out, "Bubble", p->bubble, "1: bubble flow control, entering a ring needs room for two longest packets.");
	number(out, "EjectCells", p->eject_cells, "Cells of the buffer between crossbar and NIC.");
	length_classes(p, out);
	number(out, "IdBits", p->id_bits, "Width of a PE address.");
	number(out, "GrtBits", p->grt_bits, "Upper part of the PE address: index into the GRT.");
	number(out, "LrtBits", p->lrt_bits, "Lower part of the PE address: index into the LRT.");
	number(out, "IslipIterations", p->islip_iterations, "Iterations of the crossbar scheduler.");
	number(out, "LinkLatency", p->link_latency, "Cycles of a link, default of the co-simulation.");
	number(out, "UTurns", !p->no_u_turns, "1: a packet may leave by the link that it came in by.");
	number(out, "CreditSums", !p->no_credit_sums,
		"1: a packet may take what is left of its VC's reserve and shared cells together; 0: one of them has "
		"room.");
	number(out, "ReplayBypass", !p->no_replay_bypass,
		"1: what a link sends goes beside the replay buffer if nothing waits; 0: through it, a cycle later.");
	number(out, "CrossbarRegister", p->crossbar_register,
		"1: a register in front of the crossbar, so a cell crosses a cycle later.");
	number(out, "BlockRamOnly", p->block_ram_only, "1: the device has no memory but simple block RAMs.");
	number(out, "LookupCycles", xt_profile_lookup_cycles(p), "Cycles from a destination to its route.");
	header(p, out);
	frame(p, out);
	table_entry(p, out);
	features(p, out);
	register_map(out);
	fprintf(out, "  // verilator lint_on UNUSEDPARAM\nendpackage\n\n`default_nettype wire\n");
}
