/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of the protocol between host and board, which host/protocol/README.md specifies to the byte. One table;
 * the SystemVerilog package, the C header and the Markdown list of the bridge are generated from it, and the library
 * uses it as it is. */
#ifndef EXTORUS_PROTOCOL_H
#define EXTORUS_PROTOCOL_H

#include <stdint.h>

#include "extorus/export.h"

XT_BEGIN_C

enum {
	XT_FRAME_VERSION = 1, /* of the protocol; the least version that this one still understands: */
	XT_FRAME_LEAST_VERSION = 1,
	XT_FRAME_MAGIC = 0x52425458, /* "XTBR", first byte lowest */

	XT_FRAME_FLAG = 0x7e,   /* between frames, and nowhere else */
	XT_FRAME_ESCAPE = 0x7d, /* the next byte was changed by: */
	XT_FRAME_ESCAPE_MASK = 0x20,

	XT_FRAME_HEADER_BYTES = 8,
	XT_FRAME_CRC_BYTES = 4,
	XT_FRAME_INFO_WORDS = 14,   /* payload of the answer to INFO, in this version */
	XT_FRAME_STREAM_WORDS = 2,  /* of the answer to STREAM */
	XT_FRAME_NAME_BYTES = 16,   /* of a profile's name in INFO */
	XT_FRAME_MAX_WINDOW = 64,   /* requests under way; a board's window is a power of two from 4 on */
	XT_FRAME_MAX_READ = 256,    /* words of one READ: their number less one is in a byte */
	XT_FRAME_MAX_WORDS = 1024,  /* payload of a frame, in either direction */
	XT_FRAME_LEAST_WORDS = 8,   /* what every board takes at least */
	XT_FRAME_FROM_BOARD = 0x80, /* bit of the kind: the frame comes from the board */
	XT_FRAME_REPEATED = 0x80,   /* bit of an answer's status: the request had been carried out before */
	XT_FRAME_POISONED = 0x01,   /* bit of a PACKET's status: the packet is incomplete */
	XT_FRAME_TRAFFIC_STRIDE = 0x80,
	XT_FRAME_TRAFFIC_LATENCY_ZERO = 0x1000, /* added to every latency, so that none is below zero */
	XT_FRAME_TRAFFIC_TABLE_STRIDE = 0x800,  /* and so many bytes has the largest table */
	XT_FRAME_PEER_TOLD = 31,                /* lowest bits of the fields of LINK_PEER */
	XT_FRAME_PEER_INSIDE = 30,
	XT_FRAME_PEER_PINS = 29,
	XT_FRAME_PEER_PORT = 16,
	XT_FRAME_REWIND = 0x10000, /* bit of RECEIVE's word: send again from the position */

	/* USB: the test ids of pid.codes, which are everybody's; a board is known by class, subclass and name. */
	XT_USB_VENDOR = 0x1209,
	XT_USB_PRODUCT = 0x0001,
	XT_USB_CLASS = 0xff,
	XT_USB_SUBCLASS = 0x58,
	XT_USB_OUT = 0x01,
	XT_USB_IN = 0x81,
};

#define XT_USB_INTERFACE_NAME "extorus bridge"
#define XT_USB_MAKER_NAME "extorus"
#define XT_USB_BOARD_NAME "extorus board"

/* X(id, SystemVerilog suffix, kind, what it does): the frames. Those from the host are answered by a frame whose kind
 * has XT_FRAME_FROM_BOARD set as well. */
#define XT_FRAME_KINDS(X)                                                                              \
	X(INFO, Info, 0x00, "asks what the board is; understood by every version")                     \
	X(SYNC, Sync, 0x01, "begins a session: the next request has the next sequence number")         \
	X(READ, Read, 0x02, "reads consecutive registers of a card")                                   \
	X(WRITE, Write, 0x03, "writes consecutive registers of a card")                                \
	X(INJECT, Inject, 0x04, "puts one packet into the queue of a NIC port")                        \
	X(RECEIVE, Receive, 0x05, "says what has been received from a NIC port and how much may come") \
	X(STREAM, Stream, 0x06, "asks for the state of a NIC port's two queues")                       \
	X(RESET, Reset, 0x07, "resets a card, empties its queues and waits until the reset is over")   \
	X(PACKET, Packet, 0xc0, "from the board: a packet that a NIC port has received")               \
	X(EVENT, Event, 0xc1, "from the board: something happened")

/* X(id, SystemVerilog suffix, status, what it means): status of an answer. Only BUS may have done a part of what was
 * asked, as its argument says; after all others but OK nothing was done. */
#define XT_FRAME_STATUSES(X)                                                                                    \
	X(OK, Ok, 0, "done")                                                                                    \
	X(BUS, Bus, 1, "the card refused the register whose address is the argument; those before it are done") \
	X(KIND, Kind, 2, "no such request in this version")                                                     \
	X(CARD, Card, 3, "there is no such card")                                                               \
	X(UNIT, Unit, 4, "the card has no such NIC port")                                                       \
	X(LENGTH, Length, 5, "the payload has not the length that the request needs")                           \
	X(BUSY, Busy, 6, "the queue has no room for the packet")                                                \
	X(SEQUENCE, Sequence, 7, "a request is missing: the argument is the sequence number that is expected")  \
	X(UNSYNCED, Unsynced, 8, "no SYNC since the board was reset")                                           \
	X(VERSION, Version, 9, "the host's version of the protocol is not among those of the board")

/* X(id, SystemVerilog suffix, number, what happened): argument of an EVENT. */
#define XT_FRAME_EVENTS(X)                                                                             \
	X(STARTED, Started, 1, "the board came out of reset; nothing is understood but INFO and SYNC") \
	X(ATTENTION, Attention, 2, "a link has come up or gone down, or an error has happened")        \
	X(WAITING, Waiting, 3, "packets wait at the NIC port that RECEIVE does not allow to be sent")

/* X(id, SystemVerilog suffix, address, what it holds): registers that a board has beside a card's own, at the card's
 * addresses from XT_FRAME_REG_WINDOW on. Those of the traffic generator of NIC n are XT_FRAME_TRAFFIC_STRIDE * n
 * further, its table XT_FRAME_TRAFFIC_TABLE_STRIDE * n. */
#define XT_FRAME_REGISTERS(X)                                                                                       \
	X(WINDOW, Window, 0xc000,                                                                                   \
		"bits 7:0 link ports that have pins, 15:8 NICs that have a traffic generator, "                     \
		"23:16 cycles of a frame on pins, 31:24 logarithm of the columns of a generator's table, 0: none")  \
	X(LINK_TEST, LinkTest, 0xc004, "bit per link port: no frames, only words of the bit error test")            \
	X(LINK_LOOP, LinkLoop, 0xc008, "bit per link port: hears itself instead of its pins")                       \
	X(LINK_PINS, LinkPins, 0xc00c, "bit per link port: 7:0 this end's lanes are aligned, 15:8 both ends' are")  \
	X(LINK_PHASE, LinkPhase, 0xc010,                                                                            \
		"of a board's first card: bits 7:0 where the phase of the clock to the other ends is to be, in "    \
		"steps from that after power-up, with a sign; 15:8 where the phase is; "                            \
		"23:16 steps of a period, 0: the phase is fixed")                                                   \
	X(LINK_WORDS, LinkWords, 0xc040, "idle words received; 8 further for each link port")                       \
	X(LINK_WRONG, LinkWrong, 0xc044, "their wrong bits, each wrong one on the way counting up to three times")  \
	X(LINK_PEER, LinkPeer, 0xc080,                                                                              \
		"where the link port leads; 4 further for each link port; bit 31 told, 30 to a port inside the "    \
		"board, 29 to pins; of an inner one 23:16 that port and 15:0 its card on the board; 0: not told")   \
	X(TRAFFIC_CONTROL, TrafficControl, 0xc100,                                                                  \
		"bit 0 send, 1 check what comes, 2 clear counters (reads 0), 3 destinations are uniform, "          \
		"4 they are drawn from the table, 11:8 traffic "                                                    \
		"class, 23:16 cells of a packet less one")                                                          \
	X(TRAFFIC_TO, TrafficTo, 0xc104, "destination, or with uniform ones their number: 0 up to it, not oneself") \
	X(TRAFFIC_FROM, TrafficFrom, 0xc108, "own address")                                                         \
	X(TRAFFIC_RATE, TrafficRate, 0xc10c, "cells in 65536 cycles")                                               \
	X(TRAFFIC_LIMIT, TrafficLimit, 0xc110, "packets to send; 0: no end")                                        \
	X(TRAFFIC_CLOCK, TrafficClock, 0xc114,                                                                      \
		"clock; what is written is added to it in place of that cycle's step; always 0: there is none")     \
	X(TRAFFIC_DRIFT, TrafficDrift, 0xc118,                                                                      \
		"what a cycle adds to the clock beside 1, in units of 2^-32: 24 bits and their sign")               \
	X(TRAFFIC_SENT, TrafficSent, 0xc120, "packets sent")                                                        \
	X(TRAFFIC_SENT_SUM, TrafficSentSum, 0xc124, "sum of their numbers")                                         \
	X(TRAFFIC_CAME, TrafficCame, 0xc128, "packets that came")                                                   \
	X(TRAFFIC_CAME_SUM, TrafficCameSum, 0xc12c, "sum of their numbers")                                         \
	X(TRAFFIC_WRONG, TrafficWrong, 0xc130, "of these, with a wrong payload or length, or incomplete")           \
	X(TRAFFIC_STRAY, TrafficStray, 0xc134, "of these, for another destination")                                 \
	X(TRAFFIC_CELLS, TrafficCells, 0xc138, "cells that came")                                                   \
	X(TRAFFIC_RANGE, TrafficRange, 0xc13c,                                                                      \
		"latency of what came, from header to last cell, by the clocks of both ends, plus 4096, modulo "    \
		"65536: bits 15:0 the least, 31:16 the greatest")                                                   \
	X(TRAFFIC_LATENCY, TrafficLatency, 0xc140, "sum of these latencies, bits 31:0")                             \
	X(TRAFFIC_LATENCY_HIGH, TrafficLatencyHigh, 0xc144, "bits 47:32 of the sum")                                \
	X(TRAFFIC_TABLE, TrafficTable, 0xd000,                                                                      \
		"written only: alias table of destinations, a word per column; of 65536 packets that draw a "       \
		"column as many as 31:16 say go to the column's number, the others to 15:0")

enum {
#define XT_FRAME_ENUM(id, sv, address, doc) XT_FRAME_REG_##id = address,
	XT_FRAME_REGISTERS(XT_FRAME_ENUM)
#undef XT_FRAME_ENUM
};

enum {
#define XT_FRAME_ENUM(id, sv, kind, doc) XT_FRAME_##id = kind,
	XT_FRAME_KINDS(XT_FRAME_ENUM)
#undef XT_FRAME_ENUM
};

enum {
#define XT_FRAME_ENUM(id, sv, status, doc) XT_FRAME_STATUS_##id = status,
	XT_FRAME_STATUSES(XT_FRAME_ENUM)
#undef XT_FRAME_ENUM
};

enum {
#define XT_FRAME_ENUM(id, sv, event, doc) XT_FRAME_EVENT_##id = event,
	XT_FRAME_EVENTS(XT_FRAME_ENUM)
#undef XT_FRAME_ENUM
};

/* A row of one of the lists; the last has no name. */
typedef struct {
	const char *name;    /* "READ" */
	const char *sv_name; /* "Read" */
	unsigned value;
	const char *doc;
} xt_frame_id_t;

XT_API extern const xt_frame_id_t xt_frame_kinds[];
XT_API extern const xt_frame_id_t xt_frame_statuses[];
XT_API extern const xt_frame_id_t xt_frame_events[];
XT_API extern const xt_frame_id_t xt_frame_registers[];

XT_END_C
#endif
