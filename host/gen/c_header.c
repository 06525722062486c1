/* SPDX-License-Identifier: Apache-2.0
 *
 * The C header of registers, fields, packet header and table entry: for firmware and drivers that do
 * not link the library, so it needs nothing but the preprocessor. */
#include <inttypes.h>

#include "extorus/registers.h"
#include "generate.h"

static void define(FILE *out, const char *name, unsigned value)
{
	fprintf(out, "#define EXTORUS_%s %uu\n", name, value);
}

/* The adaptive VCs, bit per VC: of each TC the first `most`, or all if that is 0. */
static unsigned adaptive_vcs(const xt_profile_t *p, unsigned most)
{
	unsigned vcs = 0;

	for (unsigned t = 0; t < p->tcs; t++) {
		const unsigned first = xt_profile_deterministic_vcs(p, t), all = xt_profile_tc_vcs(p, t) - first;
		const unsigned count = most && most < all ? most : all;

		vcs |= ((1u << count) - 1) << (xt_profile_first_vc(p, t) + first);
	}
	return vcs;
}

/* Initialisers of arrays, by VC and by TC. */
static void channels(const xt_profile_t *p, FILE *out)
{
	unsigned vc = 0, most = 0;

	fprintf(out, "#define EXTORUS_VC_TCS {");
	for (unsigned t = 0; t < p->tcs; t++) {
		const unsigned count = xt_profile_tc_vcs(p, t), adaptive = count - xt_profile_deterministic_vcs(p, t);

		for (unsigned v = 0; v < count; v++, vc++) {
			fprintf(out, "%s%uu", vc ? ", " : "", t);
		}
		most = adaptive > most ? adaptive : most;
	}
	fprintf(out, "}\n#define EXTORUS_TC_FIRST_VCS {");
	for (unsigned t = 0; t < p->tcs; t++) {
		fprintf(out, "%s%uu", t ? ", " : "", xt_profile_first_vc(p, t));
	}
	fprintf(out, "}\n#define EXTORUS_VCS_ADAPTIVE 0x%xu\n", adaptive_vcs(p, 0));
	if (p->model_only) {
		define(out, "MOST_ADAPTIVE_VCS", most);
		fprintf(out, "#define EXTORUS_RING_VCS_ADAPTIVE 0x%xu\n", adaptive_vcs(p, p->ring_adaptive_vcs));
	}
}

/* Of the credit checks; with bubble flow control the last is that of packets which enter a ring. */
static void length_classes(const xt_profile_t *p, FILE *out)
{
	define(out, "BUBBLE", p->bubble);
	define(out, "PACKET_CLASSES", p->length_classes);
	define(out, "LENGTH_CLASSES", p->length_classes + p->bubble);
	fprintf(out, "#define EXTORUS_LENGTH_CLASS_CELLS {");
	for (unsigned i = 0; i < p->length_classes; i++) {
		fprintf(out, "%s%uu", i ? ", " : "", p->length_class[i]);
	}
	if (p->bubble) {
		fprintf(out, ", %uu", 2 * p->packet_cells);
	}
	fprintf(out, "}\n");
}

static void frame(const xt_profile_t *p, FILE *out)
{
	xt_frame_layout_t f = xt_profile_frame(p);

	fprintf(out, "\n/* Link frame; a field that these links do not have has 0 bits. */\n");
	define(out, "REPLAY_CELLS", p->replay_cells);
	define(out, "FRAME_LAYER", f.layer);
	define(out, "FRAME_BITS", f.bits);
#define FIELD(NAME, name)                                 \
	define(out, "FRAME_" #NAME "_LSB", f.name##_lsb); \
	define(out, "FRAME_" #NAME "_BITS", f.name##_bits)
	FIELD(CTRL, ctrl);
	FIELD(CELL_VALID, cell_valid);
	FIELD(CELL_SEQ, cell_seq);
	FIELD(VC, vc);
	FIELD(POISON, poison);
	FIELD(CELL, cell);
	FIELD(CREDIT_VALID, credit_valid);
	FIELD(CREDIT_SEQ, credit_seq);
	FIELD(CREDIT_VC, credit_vc);
	FIELD(CELL_ACK, cell_ack);
	FIELD(CELL_NACK, cell_nack);
	FIELD(CREDIT_ACK, credit_ack);
	FIELD(CREDIT_NACK, credit_nack);
	FIELD(CHECK, check);
#undef FIELD
}

static void registers(uint32_t features, FILE *out)
{
	static const char *const arguments[] = {
		[XT_SHAPE_SINGLE] = "",
		[XT_SHAPE_PER_TC] = "(tc)",
		[XT_SHAPE_PER_PORT] = "(port)",
		[XT_SHAPE_PER_LINK] = "(port)",
		[XT_SHAPE_PER_PORT_TC] = "(port, tc)",
		[XT_SHAPE_PER_PORT_VC] = "(port, vc)",
		[XT_SHAPE_PER_NIC_BIN] = "(nic, bin)",
		[XT_SHAPE_GRT] = "(index)",
		[XT_SHAPE_LRT] = "(index)",
	};
	static const char *const terms[] = {
		[XT_SHAPE_SINGLE] = "",
		[XT_SHAPE_PER_TC] = " + (tc) * EXTORUS_REG_ITEM_STRIDE",
		[XT_SHAPE_PER_PORT] = " + (port) * EXTORUS_REG_PORT_STRIDE",
		[XT_SHAPE_PER_LINK] = " + (port) * EXTORUS_REG_PORT_STRIDE",
		[XT_SHAPE_PER_PORT_TC] = " + (port) * EXTORUS_REG_PORT_STRIDE + (tc) * EXTORUS_REG_ITEM_STRIDE",
		[XT_SHAPE_PER_PORT_VC] = " + (port) * EXTORUS_REG_PORT_STRIDE + (vc) * EXTORUS_REG_ITEM_STRIDE",
		[XT_SHAPE_PER_NIC_BIN] = " + (nic) * EXTORUS_REG_NIC_STRIDE + (bin) * EXTORUS_REG_ITEM_STRIDE",
		[XT_SHAPE_GRT] = " + (index) * EXTORUS_REG_ENTRY_STRIDE",
		[XT_SHAPE_LRT] = " + (index) * EXTORUS_REG_ENTRY_STRIDE",
	};

	fprintf(out, "\n/* Byte addresses of the 32-bit registers. */\n");
	define(out, "REG_ADDRESS_BITS", XT_REG_ADDRESS_BITS);
	define(out, "REG_PORT_STRIDE", XT_REG_PORT_STRIDE);
	define(out, "REG_ITEM_STRIDE", XT_REG_ITEM_STRIDE);
	define(out, "REG_ENTRY_STRIDE", XT_REG_ENTRY_STRIDE);
	define(out, "REG_NIC_STRIDE", XT_REG_NIC_STRIDE);
	define(out, "LATENCY_BINS", XT_REG_LATENCY_BINS);
	for (unsigned i = 0; i < XT_REG_COUNT; i++) {
		const xt_register_t *r = &xt_registers[i];

		fprintf(out, "/* %s: %s%s */\n", r->access == XT_ACCESS_RO ? "read only" : "read and write", r->doc,
			xt_register_present((xt_register_id_t)i, features) ? "" : " (not in this profile)");
		if (r->shape == XT_SHAPE_SINGLE) {
			fprintf(out, "#define EXTORUS_REG_%s 0x%04" PRIx32 "u\n", r->name, r->offset);
		} else {
			fprintf(out, "#define EXTORUS_REG_%s%s (0x%04" PRIx32 "u%s)\n", r->name, arguments[r->shape],
				r->offset, terms[r->shape]);
		}
	}
	fprintf(out, "\n/* Fields of registers. */\n");
	for (const xt_register_field_t *f = xt_register_fields; f->name; f++) {
		const char *name = xt_registers[f->id].name;

		fprintf(out, "#define EXTORUS_%s_%s_LSB %uu /* %s */\n", name, f->name, f->lsb, f->doc);
		fprintf(out, "#define EXTORUS_%s_%s_MASK 0x%08" PRIx32 "u\n", name, f->name,
			(uint32_t)(((1ull << f->bits) - 1) << f->lsb));
	}
}

void xt_generate_c_header(const xt_profile_t *p, FILE *out)
{
	xt_header_layout_t h = xt_profile_header(p);

	fprintf(out,
		"/* SPDX-License-Identifier: Apache-2.0\n"
		" * Generated by `extorus gen` from the tables of profile %s; not to be edited.\n"
		" *\n"
		" * Profile %s: %s. */\n"
		"#ifndef EXTORUS_XT_REGISTERS_H\n"
		"#define EXTORUS_XT_REGISTERS_H\n\n",
		p->name, p->name, p->summary ? p->summary : "no summary");
	fprintf(out, "#define EXTORUS_PROFILE_NAME \"%s\"\n", p->name);
	fprintf(out, "#define EXTORUS_PROFILE_HASH 0x%08" PRIx32 "u\n", xt_profile_hash(p));
	fprintf(out, "#define EXTORUS_MAGIC_VALUE 0x%08" PRIx32 "u\n", (uint32_t)XT_REG_MAGIC_VALUE);
	define(out, "MAP_VERSION", XT_REG_MAP_VERSION);
	fprintf(out, "#define EXTORUS_FEATURES 0x%08" PRIx32 "u\n", xt_profile_features(p));
	define(out, "LINK_PORTS", p->link_ports);
	define(out, "NIC_PORTS", p->nic_ports);
	define(out, "PORTS", xt_profile_ports(p));
	define(out, "TCS", p->tcs);
	define(out, "VCS", xt_profile_vcs(p));
	for (unsigned t = 0; t < p->tcs; t++) {
		fprintf(out, "#define EXTORUS_TC%u_FIRST_VC %uu\n", t, xt_profile_first_vc(p, t));
		fprintf(out, "#define EXTORUS_TC%u_VCS %uu\n", t, xt_profile_tc_vcs(p, t));
	}
	channels(p, out);
	define(out, "CELL_BITS", p->cell_bits);
	define(out, "PACKET_CELLS", p->packet_cells);
	define(out, "BUFFER_CELLS", p->buffer_cells);
	define(out, "RESERVED_CELLS", p->reserved_cells);
	define(out, "SHARED_CELLS", xt_profile_shared_cells(p));
	define(out, "EJECT_CELLS", p->eject_cells);
	length_classes(p, out);
	define(out, "ISLIP_ITERATIONS", p->islip_iterations);
	define(out, "LOOKUP_CYCLES", xt_profile_lookup_cycles(p));
	define(out, "ID_BITS", p->id_bits);
	define(out, "GRT_BITS", p->grt_bits);
	define(out, "LRT_BITS", p->lrt_bits);
	define(out, "BLOCK_RAM_ONLY", p->block_ram_only);
	define(out, "U_TURNS", !p->no_u_turns);
	define(out, "CREDIT_SUMS", !p->no_credit_sums);
	define(out, "REPLAY_BYPASS", !p->no_replay_bypass);
	define(out, "CROSSBAR_REGISTER", p->crossbar_register);
	define(out, "GRT_ENTRIES", 1u << p->grt_bits);
	define(out, "LRT_ENTRIES", 1u << p->lrt_bits);
	registers(xt_profile_features(p), out);
	fprintf(out, "\n/* Packet header, in the first cell. */\n");
	define(out, "HEADER_DEST_LSB", h.dest_lsb);
	define(out, "HEADER_DEST_BITS", h.dest_bits);
	define(out, "HEADER_SRC_LSB", h.src_lsb);
	define(out, "HEADER_SRC_BITS", h.src_bits);
	define(out, "HEADER_LENGTH_LSB", h.len_lsb);
	define(out, "HEADER_LENGTH_BITS", h.len_bits);
	define(out, "HEADER_TC_LSB", h.tc_lsb);
	define(out, "HEADER_TC_BITS", h.tc_bits);
	define(out, "HEADER_TAG_LSB", h.tag_lsb);
	define(out, "HEADER_TAG_BITS", h.tag_bits);
	define(out, "HEADER_STAMP_LSB", h.stamp_lsb);
	define(out, "HEADER_STAMP_BITS", h.stamp_bits);
	frame(p, out);
	fprintf(out, "\n/* Table entry: a field of ENTRY_TC_BITS per traffic class, TC 0 lowest. */\n");
	define(out, "ENTRY_TC_BITS", XT_ENTRY_TC_BITS);
	define(out, "ENTRY_PORT_LSB", XT_ENTRY_PORT_LSB);
	define(out, "ENTRY_PORT_BITS", XT_ENTRY_PORT_BITS);
	define(out, "ENTRY_VC_LSB", XT_ENTRY_VC_LSB);
	define(out, "ENTRY_VC_BITS", XT_ENTRY_VC_BITS);
	define(out, "ENTRY_MASK_LSB", XT_ENTRY_MASK_LSB);
	define(out, "ENTRY_MASK_BITS", XT_ENTRY_MASK_BITS);
	define(out, "ENTRY_VALID_BIT", XT_ENTRY_VALID_BIT);
	fprintf(out, "\n#endif\n");
}
