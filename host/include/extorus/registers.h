/* SPDX-License-Identifier: Apache-2.0
 *
 * The register map of a card: 32-bit registers behind AXI4-Lite. One table; the SystemVerilog
 * package, the C header and the Markdown map are generated from it, and the library uses it as it is. */
#ifndef EXTORUS_REGISTERS_H
#define EXTORUS_REGISTERS_H

#include <stdint.h>

#include "extorus/export.h"

enum {
	XT_REG_MAGIC_VALUE = 0x58544f52, /* "XTOR" */
	XT_REG_MAP_VERSION = 3,
	XT_REG_ADDRESS_BITS = 16,
	XT_REG_PORT_STRIDE = 0x100, /* between the registers of port p and port p + 1 */
	XT_REG_ITEM_STRIDE = 4,     /* between the registers of TC or VC i and i + 1 */
	XT_REG_ENTRY_STRIDE = 8,    /* between table entries in their windows */
	XT_REG_NIC_STRIDE = 0x40,   /* between the latency histograms of NIC n and n + 1 */
	XT_REG_LATENCY_BINS = 16,
};

typedef enum {
	XT_SHAPE_SINGLE,   /* one register */
	XT_SHAPE_PER_TC,   /* one per traffic class */
	XT_SHAPE_PER_PORT, /* one per port */
	XT_SHAPE_PER_LINK, /* one per link port */
	XT_SHAPE_PER_PORT_TC,
	XT_SHAPE_PER_PORT_VC, /* VC numbered through all traffic classes */
	XT_SHAPE_PER_NIC_BIN, /* one per NIC (0 is the first NIC port) and bin of its histogram */
	XT_SHAPE_GRT,         /* window: one 64-bit entry per GRT index */
	XT_SHAPE_LRT,         /* window: one 64-bit entry per LRT index */
} xt_register_shape_t;

typedef enum {
	XT_ACCESS_RO,
	XT_ACCESS_RW,
} xt_register_access_t;

/* Optional parts of a card: the bits of FEATURES. A register that belongs to a part which the card lacks is
 * not there. */
typedef enum {
	XT_FEATURE_CORE = 0, /* not optional */
	XT_FEATURE_ADAPTIVE = 1 << 0,
	XT_FEATURE_LINK_LAYER = 1 << 1,
	XT_FEATURE_TABLE_ECC = 1 << 2,
	XT_FEATURE_BUBBLE = 1 << 3,
	XT_FEATURE_QOS = 1 << 4,
	XT_FEATURE_LATENCY = 1 << 5,
	XT_FEATURE_MONITORS = 1 << 6,
	XT_FEATURE_VC_RINGS = 1 << 7,
} xt_feature_t;

/* What ERROR_SOURCE says of the error that was captured. ERROR_FLAGS has bit kind - 1. */
typedef enum {
	XT_ERROR_KIND_NONE,
	XT_ERROR_KIND_ILLEGAL,
	XT_ERROR_KIND_TIMEOUT,
	XT_ERROR_KIND_POISON,
	XT_ERROR_KIND_TABLE,
} xt_error_kind_t;

/* X(id, SystemVerilog suffix, offset, shape, access, feature it belongs to, what it holds) */
#define XT_REGISTERS(X)                                                                                                \
	X(MAGIC, Magic, 0x0000, SINGLE, RO, CORE, "0x58544f52, \"XTOR\"")                                              \
	X(VERSION, Version, 0x0004, SINGLE, RO, CORE, "version of this register map")                                  \
	X(PROFILE_HASH, ProfileHash, 0x0008, SINGLE, RO, CORE, "hash of the profile's C table")                        \
	X(SHAPE, Shape, 0x000c, SINGLE, RO, CORE, "how many ports, TCs and VCs the card has")                          \
	X(FEATURES, Features, 0x0010, SINGLE, RO, CORE, "one bit per optional feature that is present")                \
	X(STATUS, Status, 0x0014, SINGLE, RO, CORE, "state of the card")                                               \
	X(CARD_ID, CardId, 0x0018, SINGLE, RW, CORE, "address of this card's PE")                                      \
	X(ROUTE_ORDER, RouteOrder, 0x001c, SINGLE, RW, CORE, "bit per TC: 0 = global first, 1 = local first")          \
	X(MATCH_MASK, MatchMask, 0x0020, PER_TC, RW, CORE, "address bits that are compared with the card's own")       \
	X(TABLE_PORTS, TablePorts, 0x0040, SINGLE, RW, CORE, "bit per input port: whose tables a table write goes to") \
	X(TABLE_READ_PORT, TableReadPort, 0x0044, SINGLE, RW, CORE, "input port whose tables are read")                \
	X(ADAPTIVE_SELECT, AdaptiveSelect, 0x0048, SINGLE, RW, ADAPTIVE,                                               \
		"choice among adaptive candidates: 0 round robin, 1 never by an internal port, 2 internal ports "      \
		"last, 3 as 2, and middle ports next to last")                                                         \
	X(ADAPTIVE_THRESHOLDS, AdaptiveThresholds, 0x004c, SINGLE, RW, ADAPTIVE,                                       \
		"used credits of an adaptive VC from which it is not low any more, and not a candidate any more")      \
	X(ADAPTIVE_PORTS, AdaptivePorts, 0x0050, SINGLE, RW, ADAPTIVE,                                                 \
		"which link ports are internal, which are those of the middle dimension")                              \
	X(ADAPTIVE_PATIENCE, AdaptivePatience, 0x0054, SINGLE, RW, ADAPTIVE,                                           \
		"cycles after which a packet that waits for an adaptive VC takes its deterministic route, 16 bits")    \
	X(QUIESCE, Quiesce, 0x0058, SINGLE, RW, CORE, "bit per port: starts no new packet; a NIC port injects none")   \
	X(PORT_IDLE, PortIdle, 0x005c, SINGLE, RO, CORE, "bit per port: drained both ways")                            \
	X(LINK_DISABLE, LinkDisable, 0x0060, SINGLE, RW, LINK_LAYER, "bit per link port: held down")                   \
	X(LINK_RETRAIN, LinkRetrain, 0x0064, SINGLE, RW, LINK_LAYER,                                                   \
		"bit per link port: written 1, it is trained again; reads 0")                                          \
	X(LINK_TIMING, LinkTiming, 0x0068, SINGLE, RW, LINK_LAYER,                                                     \
		"when a link repeats what was not acknowledged, and when it gives up")                                 \
	X(LINK_KEEPALIVE, LinkKeepalive, 0x006c, SINGLE, RW, LINK_LAYER,                                               \
		"cycles after which an idle link sends a frame, 16 bits; a link that hears none for four times as "    \
		"long goes down; 0: off")                                                                              \
	X(STALL_TIMEOUT, StallTimeout, 0x0070, SINGLE, RW, MONITORS,                                                   \
		"cycles, 16 bits, for which an input may hold packets and serve none before its timeout flag is set; " \
		"0: off")                                                                                              \
	X(ERROR_SOURCE, ErrorSource, 0x0074, SINGLE, RO, MONITORS,                                                     \
		"the first error since the last CLEAR of it: which, and at which port")                                \
	X(ERROR_HEADER_LOW, ErrorHeaderLow, 0x0078, SINGLE, RO, MONITORS,                                              \
		"bits 31:0 of the header of the packet concerned")                                                     \
	X(ERROR_HEADER_HIGH, ErrorHeaderHigh, 0x007c, SINGLE, RO, MONITORS, "bits 63:32 of it")                        \
	X(CLEAR, Clear, 0x0080, SINGLE, RW, CORE, "written 1, a bit clears what it names; reads 0")                    \
	X(LATENCY_CONTROL, LatencyControl, 0x0084, SINGLE, RW, LATENCY, "how packets are timed")                       \
	X(TABLE_FLIP, TableFlip, 0x0088, SINGLE, RW, TABLE_ECC,                                                        \
		"for tests: one more than the bit that the next table write inverts in its word, 6 bits; 0: none; "    \
		"returns to 0 with that write; a word has two TCs, each of 16 bits with its code above")               \
	X(TABLE_ERRORS, TableErrors, 0x008c, SINGLE, RO, TABLE_ECC,                                                    \
		"words of table entries that were corrected when software read them")                                  \
	X(INJECTION, Injection, 0x0090, SINGLE, RW, CORE, "how packets from a NIC give way to packets from links")     \
	X(OWNER, Owner, 0x0094, SINGLE, RW, CORE, "software's: which load or session holds the card; 0: none")         \
	X(LOAD, Load, 0x0098, SINGLE, RW, CORE, "software's: how far the load of the card is")                         \
	X(FREE_CELLS, FreeCells, 0x1000, PER_PORT, RO, CORE, "free cells of the input buffer")                         \
	X(ILLEGAL_ROUTES, IllegalRoutes, 0x1004, PER_PORT, RO, CORE,                                                   \
		"packets dropped because their table entry was not valid")                                             \
	X(FRAMING_ERRORS, FramingErrors, 0x1008, PER_PORT, RO, CORE,                                                   \
		"NIC ports: packets whose AXI4-Stream last did not match the header's length")                         \
	X(HIGH_WATER, HighWater, 0x100c, PER_PORT, RO, MONITORS,                                                       \
		"most cells that the input buffer has held since the last CLEAR")                                      \
	X(RX_PACKETS, RxPackets, 0x1010, PER_PORT_TC, RO, CORE, "packets received")                                    \
	X(RX_CELLS, RxCells, 0x1020, PER_PORT_TC, RO, CORE, "cells received")                                          \
	X(TX_PACKETS, TxPackets, 0x1030, PER_PORT_TC, RO, CORE, "packets sent")                                        \
	X(TX_CELLS, TxCells, 0x1040, PER_PORT_TC, RO, CORE, "cells sent")                                              \
	X(STALLS_CREDIT, StallsCredit, 0x1050, PER_PORT_TC, RO, MONITORS,                                              \
		"cycles in which packets waited for credits")                                                          \
	X(STALLS_GRANT, StallsGrant, 0x1060, PER_PORT_TC, RO, MONITORS,                                                \
		"cycles in which packets that could start waited for their turn")                                      \
	X(ERROR_FLAGS, ErrorFlags, 0x1070, PER_PORT, RW, CORE,                                                         \
		"what has happened at the port; written 1, a bit is cleared")                                          \
	X(POISONED, Poisoned, 0x1074, PER_PORT, RO, CORE,                                                              \
		"packets that came in incomplete: at a link port finished with poison, at a NIC port delivered as "    \
		"poisoned")                                                                                            \
	X(DROPPED, Dropped, 0x1078, PER_PORT, RO, CORE, "packets swallowed because the link was down")                 \
	X(CREDITS_USED, CreditsUsed, 0x1080, PER_PORT_VC, RO, CORE,                                                    \
		"cells sent and not yet credited back; NIC ports: VC 0 stands for all")                                \
	X(LINK_STATE, LinkState, 0x10c0, PER_LINK, RO, LINK_LAYER, "state of the link")                                \
	X(CRC_ERRORS, CrcErrors, 0x10c4, PER_LINK, RO, LINK_LAYER, "frames received with a wrong check word")          \
	X(NACKS, Nacks, 0x10c8, PER_LINK, RO, LINK_LAYER, "requests sent to repeat frames")                            \
	X(REPLAYS, Replays, 0x10cc, PER_LINK, RO, LINK_LAYER, "times that frames were repeated")                       \
	X(TIMEOUTS, Timeouts, 0x10d0, PER_LINK, RO, LINK_LAYER, "of these, for want of an acknowledgement")            \
	X(RETRAINS, Retrains, 0x10d4, PER_LINK, RO, LINK_LAYER, "times that the link was trained")                     \
	X(TC_WEIGHT, TcWeight, 0x10e0, PER_PORT_TC, RW, QOS, "share of the TC at this output, 4 bits; 0: as 1")        \
	X(ENTRANTS, Entrants, 0x10f4, PER_LINK, RW, CORE,                                                              \
		"bit per link port: its packets enter a ring at this output and start only where INJECTION.ROOM is "   \
		"free; nothing is kept without shared cells")                                                          \
	X(RING, Ring, 0x10f0, PER_LINK, RW, BUBBLE, "the ring that this output is part of")                            \
	X(VC_RING_FROM, VcRingFrom, 0x10f8, PER_LINK, RW, VC_RINGS,                                                    \
		"input ports from which the rings of VC 1 to 3 of a TC come; that of VC 0 comes from RING.FROM")       \
	X(LATENCY, Latency, 0x2000, PER_NIC_BIN, RO, LATENCY,                                                          \
		"packets whose time from injection to delivery had its highest 1 in bit `bin`; the last bin has the "  \
		"rest")                                                                                                \
	X(GRT, Grt, 0x4000, GRT, RW, CORE, "global table: each word is written at once, its TCs at their bits")        \
	X(LRT, Lrt, 0x8000, LRT, RW, CORE, "local table: each word is written at once, its TCs at their bits")

/* X(register, field, lowest bit, bits, what it holds): the registers that are not one number. */
#define XT_REGISTER_FIELDS(X)                                                                                \
	X(SHAPE, LINK_PORTS, 0, 8, "link ports")                                                             \
	X(SHAPE, NIC_PORTS, 8, 8, "NIC ports")                                                               \
	X(SHAPE, TCS, 16, 8, "traffic classes")                                                              \
	X(SHAPE, VCS, 24, 8, "virtual channels of all traffic classes")                                      \
	X(FEATURES, ADAPTIVE, 0, 1, "adaptive routing")                                                      \
	X(FEATURES, LINK_LAYER, 1, 1, "links that detect errors and repeat frames")                          \
	X(FEATURES, TABLE_ECC, 2, 1, "table entries with an error-correcting code")                          \
	X(FEATURES, BUBBLE, 3, 1, "bubble flow control")                                                     \
	X(FEATURES, QOS, 4, 1, "weights of the TCs")                                                         \
	X(FEATURES, LATENCY, 5, 1, "latency histograms in the NICs")                                         \
	X(FEATURES, MONITORS, 6, 1, "stall counters and watchdogs, high-water marks, capture of errors")     \
	X(FEATURES, VC_RINGS, 7, 1, "a ring for each VC of an output")                                       \
	X(STATUS, READY, 0, 1, "tables and free lists are initialised")                                      \
	X(STATUS, IDLE, 1, 1, "no cell in the card")                                                         \
	X(ADAPTIVE_THRESHOLDS, LOW, 0, 16, "below it a VC is preferred")                                     \
	X(ADAPTIVE_THRESHOLDS, HIGH, 16, 16, "from it on a VC is not chosen")                                \
	X(INJECTION, WAIT, 0, 16, "cycles for which they give way, from then on as equals; 0: never")        \
	X(INJECTION, ROOM, 16, 16, "shared cells free behind a link below which they do not start")          \
	X(LOAD, PHASE, 0, 8, "0: no load under way")                                                         \
	X(LOAD, GENERATION, 8, 24, "loads that were completed")                                              \
	X(ADAPTIVE_PORTS, INTERNAL, 0, 8, "bit per link port: leads to the other card of the node")          \
	X(ADAPTIVE_PORTS, MIDDLE, 8, 8, "bit per link port: belongs to the split middle dimension")          \
	X(LINK_TIMING, TIMEOUT, 0, 16, "cycles without an acknowledgement after which frames are repeated")  \
	X(LINK_TIMING, RETRY_LIMIT, 16, 8, "repetitions without success after which the link is down")       \
	X(ERROR_SOURCE, VALID, 0, 1, "an error was captured")                                                \
	X(ERROR_SOURCE, KIND, 1, 3, "1 illegal route, 2 timeout, 3 poison, 4 table error")                   \
	X(ERROR_SOURCE, PORT, 4, 4, "port")                                                                  \
	X(CLEAR, HIGH_WATER, 0, 1, "high-water marks of all ports")                                          \
	X(CLEAR, LATENCY, 1, 1, "latency histograms of all NICs")                                            \
	X(CLEAR, ERROR, 2, 1, "the captured error")                                                          \
	X(LATENCY_CONTROL, STAMP, 0, 1,                                                                      \
		"NICs write the time of injection into the top 16 bits of the header, and histograms count") \
	X(ERROR_FLAGS, ILLEGAL, 0, 1, "a packet without a route")                                            \
	X(ERROR_FLAGS, TIMEOUT, 1, 1, "the input served nothing for STALL_TIMEOUT cycles")                   \
	X(ERROR_FLAGS, POISON, 2, 1, "an incomplete packet")                                                 \
	X(ERROR_FLAGS, TABLE, 3, 1, "a table entry with a bit error; its packet was dropped")                \
	X(ERROR_FLAGS, WRAPPED, 4, 1, "a counter of the port passed 2^32: no error")                         \
	X(LINK_STATE, STATE, 0, 2, "0 training, 1 up, 2 down")                                               \
	X(LINK_STATE, CAUSE, 2, 3,                                                                           \
		"why it is down: 0 none, 1 too many repetitions, 2 the other side, 3 no signal, 4 disabled") \
	X(RING, FROM, 0, 4, "input port from which the ring comes")                                          \
	X(RING, VCS, 4, 4, "bit per VC of a TC: it belongs to the ring")                                     \
	X(RING, FROM_VCS, 8, 4, "bit per VC of a TC at FROM: a packet from there is in the ring")            \
	X(VC_RING_FROM, VC1, 0, 4, "input port from which the ring of VC 1 comes")                           \
	X(VC_RING_FROM, VC2, 4, 4, "input port from which the ring of VC 2 comes")                           \
	X(VC_RING_FROM, VC3, 8, 4, "input port from which the ring of VC 3 comes")

typedef enum {
#define XT_REG_ENUM(id, sv, offset, shape, access, feature, doc) XT_REG_##id,
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
	xt_feature_t feature;
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
XT_API extern const xt_register_field_t xt_register_fields[];

/* Indexed by xt_register_id_t. */
XT_API extern const xt_register_t xt_registers[XT_REG_COUNT];

/* Whether a card whose FEATURES are `features` has the register. */
static inline int xt_register_present(xt_register_id_t id, uint32_t features)
{
	uint32_t feature = (uint32_t)xt_registers[id].feature;

	return (features & feature) == feature;
}

/* Byte address of a register; `port` (of PER_NIC_BIN: the number of the NIC) and `item` (TC, VC, bin or
 * table entry) are ignored where the shape has none. */
static inline uint32_t xt_register_address(xt_register_id_t id, unsigned port, unsigned item)
{
	const xt_register_t *r = &xt_registers[id];

	switch (r->shape) {
	case XT_SHAPE_PER_TC:
		return r->offset + item * XT_REG_ITEM_STRIDE;
	case XT_SHAPE_PER_PORT:
	case XT_SHAPE_PER_LINK:
		return r->offset + port * XT_REG_PORT_STRIDE;
	case XT_SHAPE_PER_PORT_TC:
	case XT_SHAPE_PER_PORT_VC:
		return r->offset + port * XT_REG_PORT_STRIDE + item * XT_REG_ITEM_STRIDE;
	case XT_SHAPE_PER_NIC_BIN:
		return r->offset + port * XT_REG_NIC_STRIDE + item * XT_REG_ITEM_STRIDE;
	case XT_SHAPE_GRT:
	case XT_SHAPE_LRT:
		return r->offset + item * XT_REG_ENTRY_STRIDE;
	case XT_SHAPE_SINGLE:
		break;
	}
	return r->offset;
}

#endif
