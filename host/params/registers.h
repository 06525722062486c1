/* SPDX-License-Identifier: Apache-2.0
 *
 * The register map of a card: 32-bit registers behind AXI4-Lite. One table; the SystemVerilog
 * package, the C header and the Markdown map are generated from it, and the library uses it as it is. */
#ifndef EXTORUS_REGISTERS_H
#define EXTORUS_REGISTERS_H

#include <stdint.h>

enum {
	XT_REG_MAGIC_VALUE = 0x58544f52, /* "XTOR" */
	XT_REG_MAP_VERSION = 1,
	XT_REG_ADDRESS_BITS = 16,
	XT_REG_PORT_STRIDE = 0x100, /* between the registers of port p and port p + 1 */
	XT_REG_ITEM_STRIDE = 4,     /* between the registers of TC or VC i and i + 1 */
	XT_REG_ENTRY_STRIDE = 8,    /* between table entries in their windows */
};

typedef enum {
	XT_SHAPE_SINGLE,   /* one register */
	XT_SHAPE_PER_TC,   /* one per traffic class */
	XT_SHAPE_PER_PORT, /* one per port */
	XT_SHAPE_PER_PORT_TC,
	XT_SHAPE_PER_PORT_VC, /* VC numbered through all traffic classes */
	XT_SHAPE_GRT,         /* window: one 64-bit entry per GRT index */
	XT_SHAPE_LRT,         /* window: one 64-bit entry per LRT index */
} xt_register_shape_t;

typedef enum {
	XT_ACCESS_RO,
	XT_ACCESS_RW,
} xt_register_access_t;

/* X(id, SystemVerilog suffix, offset, shape, access, what it holds) */
#define XT_REGISTERS(X)                                                                                                \
	X(MAGIC, Magic, 0x0000, SINGLE, RO, "0x58544f52, \"XTOR\"")                                                    \
	X(VERSION, Version, 0x0004, SINGLE, RO, "version of this register map")                                        \
	X(PROFILE_HASH, ProfileHash, 0x0008, SINGLE, RO, "hash of the profile's C table")                              \
	X(SHAPE, Shape, 0x000c, SINGLE, RO, "how many ports, TCs and VCs the card has")                                \
	X(FEATURES, Features, 0x0010, SINGLE, RO, "one bit per optional feature that is present; none is defined yet") \
	X(STATUS, Status, 0x0014, SINGLE, RO, "state of the card")                                                     \
	X(CARD_ID, CardId, 0x0018, SINGLE, RW, "address of this card's PE")                                            \
	X(ROUTE_ORDER, RouteOrder, 0x001c, SINGLE, RW, "bit per TC: 0 = global first, 1 = local first")                \
	X(MATCH_MASK, MatchMask, 0x0020, PER_TC, RW, "address bits that are compared with the card's own")             \
	X(TABLE_PORTS, TablePorts, 0x0040, SINGLE, RW, "bit per input port: whose tables a table write goes to")       \
	X(TABLE_READ_PORT, TableReadPort, 0x0044, SINGLE, RW, "input port whose tables are read")                      \
	X(FREE_CELLS, FreeCells, 0x1000, PER_PORT, RO, "free cells of the input buffer")                               \
	X(ILLEGAL_ROUTES, IllegalRoutes, 0x1004, PER_PORT, RO,                                                         \
		"packets dropped because their table entry was not valid")                                             \
	X(FRAMING_ERRORS, FramingErrors, 0x1008, PER_PORT, RO,                                                         \
		"NIC ports: packets whose AXI4-Stream last did not match the header's length")                         \
	X(RX_PACKETS, RxPackets, 0x1010, PER_PORT_TC, RO, "packets received")                                          \
	X(RX_CELLS, RxCells, 0x1020, PER_PORT_TC, RO, "cells received")                                                \
	X(TX_PACKETS, TxPackets, 0x1030, PER_PORT_TC, RO, "packets sent")                                              \
	X(TX_CELLS, TxCells, 0x1040, PER_PORT_TC, RO, "cells sent")                                                    \
	X(CREDITS_USED, CreditsUsed, 0x1080, PER_PORT_VC, RO,                                                          \
		"cells sent and not yet credited back; NIC ports: VC 0 stands for all")                                \
	X(GRT, Grt, 0x4000, GRT, RW, "global table: the low word is held, the high word commits the entry")            \
	X(LRT, Lrt, 0x8000, LRT, RW, "local table: the low word is held, the high word commits the entry")

/* X(register, field, lowest bit, bits, what it holds): the registers that are not one number. */
#define XT_REGISTER_FIELDS(X)                                           \
	X(SHAPE, LINK_PORTS, 0, 8, "link ports")                        \
	X(SHAPE, NIC_PORTS, 8, 8, "NIC ports")                          \
	X(SHAPE, TCS, 16, 8, "traffic classes")                         \
	X(SHAPE, VCS, 24, 8, "virtual channels of all traffic classes") \
	X(STATUS, READY, 0, 1, "tables and free lists are initialised") \
	X(STATUS, IDLE, 1, 1, "no cell in the card")

typedef enum {
#define XT_REG_ENUM(id, sv, offset, shape, access, doc) XT_REG_##id,
	XT_REGISTERS(XT_REG_ENUM)
#undef XT_REG_ENUM
		XT_REG_COUNT,
} xt_register_id_t;

typedef struct {
	const char *name;    /* "FREE_CELLS" */
	const char *sv_name; /* "FreeCells" */
	uint32_t offset;
	xt_register_shape_t shape;
	xt_register_access_t access;
	const char *doc;
} xt_register_t;

/* XT_FIELD_STATUS_READY_LSB, XT_FIELD_STATUS_READY_BITS, ... */
enum {
#define XT_REG_FIELD(id, field, lsb, bits, doc) \
	XT_FIELD_##id##_##field##_LSB = lsb, XT_FIELD_##id##_##field##_BITS = bits,
	XT_REGISTER_FIELDS(XT_REG_FIELD)
#undef XT_REG_FIELD
};

typedef struct {
	xt_register_id_t id;
	const char *name; /* "READY" */
	unsigned lsb, bits;
	const char *doc;
} xt_register_field_t;

/* Ordered like the registers, lowest field first; ended by an entry whose name is NULL. */
extern const xt_register_field_t xt_register_fields[];

/* Indexed by xt_register_id_t. */
extern const xt_register_t xt_registers[XT_REG_COUNT];

/* Byte address of a register; `port` and `item` (TC, VC or table entry) are ignored where the shape
 * has none. */
static inline uint32_t xt_register_address(xt_register_id_t id, unsigned port, unsigned item)
{
	const xt_register_t *r = &xt_registers[id];

	switch (r->shape) {
	case XT_SHAPE_PER_TC:
		return r->offset + item * XT_REG_ITEM_STRIDE;
	case XT_SHAPE_PER_PORT:
		return r->offset + port * XT_REG_PORT_STRIDE;
	case XT_SHAPE_PER_PORT_TC:
	case XT_SHAPE_PER_PORT_VC:
		return r->offset + port * XT_REG_PORT_STRIDE + item * XT_REG_ITEM_STRIDE;
	case XT_SHAPE_GRT:
	case XT_SHAPE_LRT:
		return r->offset + item * XT_REG_ENTRY_STRIDE;
	case XT_SHAPE_SINGLE:
		break;
	}
	return r->offset;
}

#endif
