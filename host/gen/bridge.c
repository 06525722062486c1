/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of the protocol between host and board, for the RTL of a bridge, for firmware and for people. */
#include <inttypes.h>
#include <string.h>

#include "extorus/protocol.h"
#include "generate.h"

/* X(name in C, name in SystemVerilog, number, what it is) */
#define CONSTANTS(X)                                                                                  \
	X(VERSION, Version, XT_FRAME_VERSION, "Version of the protocol.")                             \
	X(LEAST_VERSION, LeastVersion, XT_FRAME_LEAST_VERSION, "Lowest version that is also spoken.") \
	X(MAGIC, Magic, XT_FRAME_MAGIC, "Word 0 of INFO.")                                            \
	X(FLAG, Flag, XT_FRAME_FLAG, "Byte between frames.")                                          \
	X(ESCAPE, Escape, XT_FRAME_ESCAPE, "Byte before a byte that was changed.")                    \
	X(ESCAPE_MASK, EscapeMask, XT_FRAME_ESCAPE_MASK, "What it was changed by.")                   \
	X(HEADER_BYTES, HeaderBytes, XT_FRAME_HEADER_BYTES, "Header of a frame.")                     \
	X(CRC_BYTES, CrcBytes, XT_FRAME_CRC_BYTES, "CRC of a frame.")                                 \
	X(CRC_POLYNOMIAL, CrcPolynomial, 0xedb88320u, "CRC-32, reflected.")                           \
	X(CRC_RESIDUE, CrcResidue, 0xdebb20e3u, "CRC register after a whole frame.")                  \
	X(INFO_WORDS, InfoWords, XT_FRAME_INFO_WORDS, "Payload of the answer to INFO.")               \
	X(STREAM_WORDS, StreamWords, XT_FRAME_STREAM_WORDS, "Payload of the answer to STREAM.")       \
	X(MAX_WINDOW, MaxWindow, XT_FRAME_MAX_WINDOW, "Largest window.")                              \
	X(MAX_READ, MaxRead, XT_FRAME_MAX_READ, "Most words of a READ.")                              \
	X(MAX_WORDS, MaxWords, XT_FRAME_MAX_WORDS, "Most payload words of a frame.")                  \
	X(LEAST_WORDS, LeastWords, XT_FRAME_LEAST_WORDS, "Payload words that every board takes.")     \
	X(FROM_BOARD, FromBoard, XT_FRAME_FROM_BOARD, "Bit of the kind: from the board.")             \
	X(REPEATED, Repeated, XT_FRAME_REPEATED, "Bit of the status: carried out before.")            \
	X(POISONED, Poisoned, XT_FRAME_POISONED, "Bit of the status of PACKET: it is incomplete.")    \
	X(TRAFFIC_STRIDE, TrafficStride, XT_FRAME_TRAFFIC_STRIDE,                                     \
		"From the registers of a NIC's traffic generator to the next.")                       \
	X(TRAFFIC_LATENCY_ZERO, TrafficLatencyZero, XT_FRAME_TRAFFIC_LATENCY_ZERO,                    \
		"What the checker of a traffic generator adds to a latency.")                         \
	X(TRAFFIC_TABLE_STRIDE, TrafficTableStride, XT_FRAME_TRAFFIC_TABLE_STRIDE,                    \
		"From the table of a NIC's traffic generator to the next, and the largest one.")      \
	X(REWIND, Rewind, XT_FRAME_REWIND, "Bit of the word of RECEIVE: send again.")                 \
	X(USB_VENDOR, UsbVendor, XT_USB_VENDOR, "USB vendor id.")                                     \
	X(USB_PRODUCT, UsbProduct, XT_USB_PRODUCT, "USB product id.")                                 \
	X(USB_CLASS, UsbClass, XT_USB_CLASS, "Class of the interface.")                               \
	X(USB_SUBCLASS, UsbSubclass, XT_USB_SUBCLASS, "Subclass of the interface.")                   \
	X(USB_OUT, UsbOut, XT_USB_OUT, "Address of the bulk endpoint to the board.")                  \
	X(USB_IN, UsbIn, XT_USB_IN, "Address of the bulk endpoint from the board.")

static const xt_frame_id_t constants[] = {
#define ROW(id, sv, value, doc) {#id, #sv, value, doc},
	CONSTANTS(ROW)
#undef ROW
};

enum { CONSTANTS_COUNT = sizeof(constants) / sizeof(constants[0]) };

/* The lists: of frames, of statuses, of events, of registers. */
static const struct {
	const xt_frame_id_t *ids;
	const char *name, *sv_name, *title, *column;
	int digits; /* hexadecimal, of a number */
} lists[] = {
	{xt_frame_kinds, "KIND", "Kind", "Frames", "Kind", 2},
	{xt_frame_statuses, "STATUS", "Status", "Statuses", "Status", 2},
	{xt_frame_events, "EVENT", "Event", "Events", "Event", 2},
	{xt_frame_registers, "REG", "Reg", "Registers of a board", "Address", 4},
};

enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

/* Words that the name of the profile makes in INFO. */
static uint32_t name_word(const xt_profile_t *p, unsigned word)
{
	uint8_t name[XT_FRAME_NAME_BYTES] = {0};

	memcpy(name, p->name, strnlen(p->name, sizeof(name)));
	return name[4 * word] | (uint32_t)name[4 * word + 1] << 8 | (uint32_t)name[4 * word + 2] << 16 |
	       (uint32_t)name[4 * word + 3] << 24;
}

static unsigned cell_words(const xt_profile_t *p)
{
	return (p->cell_bits + 31) / 32;
}

/* Least payload that a board takes: a whole packet, or XT_FRAME_LEAST_WORDS. */
static unsigned least_payload(const xt_profile_t *p)
{
	unsigned words = p->packet_cells * cell_words(p);

	return words > XT_FRAME_LEAST_WORDS ? words : XT_FRAME_LEAST_WORDS;
}

void xt_generate_bridge_package(const xt_profile_t *p, FILE *out)
{
	fprintf(out,
		"// SPDX-License-Identifier: Apache-2.0\n"
		"// Generated by `extorus gen` from the tables of profile %s; not to be edited.\n"
		"`default_nettype none\n\n"
		"/// The protocol between host and board, host/protocol/README.md, for cards of profile %s.\n"
		"package xt_bridge_pkg;\n"
		"  // A package offers more than one design uses.\n"
		"  // verilator lint_off UNUSEDPARAM\n",
		p->name, p->name);
	for (unsigned i = 0; i < CONSTANTS_COUNT; i++) {
		fprintf(out, "  /// %s\n  localparam logic [31:0] %s = 32'h%08x;\n", constants[i].doc,
			constants[i].sv_name, constants[i].value);
	}
	for (unsigned l = 0; l < LISTS; l++) {
		for (const xt_frame_id_t *id = lists[l].ids; id->name; id++) {
			fprintf(out, "  /// %s: %s.\n  localparam logic [%d:0] %s%s = %d'h%0*x;\n", lists[l].column,
				id->doc, 4 * lists[l].digits - 1, lists[l].sv_name, id->sv_name, 4 * lists[l].digits,
				lists[l].digits, id->value);
		}
	}
	fprintf(out, "  /// Words of a cell.\n  localparam int CellWords = %u;\n", cell_words(p));
	fprintf(out,
		"  /// Payload words of a request that a board must take: its longest packet, or LeastWords.\n"
		"  localparam int LeastPayload = %u;\n",
		least_payload(p));
	fprintf(out,
		"  /// Words 10 to 13 of INFO: name of the profile, word 10 lowest.\n"
		"  localparam logic [127:0] ProfileName = 128'h%08" PRIx32 "%08" PRIx32 "%08" PRIx32 "%08" PRIx32 ";\n",
		name_word(p, 3), name_word(p, 2), name_word(p, 1), name_word(p, 0));
	fprintf(out, "  // verilator lint_on UNUSEDPARAM\nendpackage\n\n`default_nettype wire\n");
}

void xt_generate_bridge_header(const xt_profile_t *p, FILE *out)
{
	fprintf(out,
		"/* SPDX-License-Identifier: Apache-2.0\n"
		" * Generated by `extorus gen` from the tables of profile %s; not to be edited.\n"
		" *\n"
		" * The protocol between host and board, host/protocol/README.md. */\n"
		"#ifndef EXTORUS_XT_BRIDGE_H\n"
		"#define EXTORUS_XT_BRIDGE_H\n\n",
		p->name);
	for (unsigned i = 0; i < CONSTANTS_COUNT; i++) {
		fprintf(out, "#define EXTORUS_LINE_%s 0x%xu /* %s */\n", constants[i].name, constants[i].value,
			constants[i].doc);
	}
	for (unsigned l = 0; l < LISTS; l++) {
		fprintf(out, "\n");
		for (const xt_frame_id_t *id = lists[l].ids; id->name; id++) {
			fprintf(out, "#define EXTORUS_LINE_%s_%s 0x%0*xu /* %s */\n", lists[l].name, id->name,
				lists[l].digits, id->value, id->doc);
		}
	}
	fprintf(out, "\n#define EXTORUS_LINE_CELL_WORDS %uu\n#define EXTORUS_LINE_LEAST_PAYLOAD %uu\n", cell_words(p),
		least_payload(p));
	fprintf(out, "\n#endif\n");
}

void xt_generate_bridge_markdown(const xt_profile_t *p, FILE *out)
{
	fprintf(out,
		"<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
		"<!-- Generated by `extorus gen` from the tables of profile %s; not to be edited. -->\n\n"
		"# Numbers of the protocol\n\nWhat they mean is in host/protocol/README.md. A cell of profile %s has "
		"%u words, a request's payload at least %u.\n\n| Name | Number | |\n|---|---|---|\n",
		p->name, p->name, cell_words(p), least_payload(p));
	for (unsigned i = 0; i < CONSTANTS_COUNT; i++) {
		fprintf(out, "| %s | `0x%x` | %s |\n", constants[i].name, constants[i].value, constants[i].doc);
	}
	for (unsigned l = 0; l < LISTS; l++) {
		fprintf(out, "\n## %s\n\n| %s | Name | |\n|---|---|---|\n", lists[l].title, lists[l].column);
		for (const xt_frame_id_t *id = lists[l].ids; id->name; id++) {
			fprintf(out, "| `0x%0*x` | %s | %s |\n", lists[l].digits, id->value, id->name, id->doc);
		}
	}
}
