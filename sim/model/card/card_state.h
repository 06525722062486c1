/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of one card: what the registers of the RTL hold, and lists where it has memories. Names follow the RTL;
 * a comment says what a name does not. */
#pragma once

#include "credits.h"
#include "link.h"
#include "packet_pool.h"
#include "route_tables.h"

/* Bits of queues, per output; index DROP_OUTPUT is the queue of packets without a route. */
typedef uint16_t queue_mask_t;

/* What changes with every packet comes first: so many parts of so many cards do not stay in a cache. */
typedef struct {
	/* Cycle 0: what arrives. */
	uint8_t in_packet, left;
	uint8_t written;   /* a cell was written in the last cycle, of `arriving` or, if that is 0, of a whole packet */
	uint8_t received;  /* likewise; the counters' register */
	uint32_t arriving; /* the packet whose cell came last, 0 before any */

	/* What makes more of a cycle than the stream under way: all of it is 0 if there is nothing else. */
	struct {
		uint8_t head;   /* cycle 1: a head was written in the last cycle */
		uint8_t serve;  /* stage S: a queue is served */
		uint8_t follow; /* the length of a queue's new head is known from now on */
		uint8_t own;    /* a queue goes without a match */
		uint8_t requeue_waits, requeue_pending, ageing;
		uint8_t insists; /* nothing but the watched output is asked for */
	} busy_with;

	uint64_t header; /* of the last head, as far as 64 bits hold */
	uint32_t e_packet;
	uint32_t stream;
	token_t x_cell;
	uint32_t again;

	uint16_t outputs;     /* that have packets, bit DROP_OUTPUT too */
	uint16_t request;     /* outputs that are asked for */
	uint16_t wants;       /* outputs that might be */
	uint16_t may_be_long; /* outputs of which a request may be for more than a cell */
	uint16_t free;
	uint16_t gives_way; /* cycles left for which packets that enter the network or a ring give way */
	uint8_t e_output, e_queue;

	/* Stage S: what is served, and the stream. */
	uint8_t serve_from, serve_queue; /* the queue's output and number there */
	uint8_t serve_requeue;
	uint8_t serve_output; /* where it goes, on the VC of the queue's number; both held */
	uint8_t own_output, own_queue, own_requeue;
	uint8_t dropped; /* a packet without a route left, behind it is another, and no match has been served since */
	uint8_t busy;
	uint8_t more;
	uint8_t stream_index;

	/* Stage X. */
	uint8_t x_valid; /* the cell leaves the buffer, and is credited */
	uint8_t x_first, x_output, x_vc, x_len, x_credit_vc;

	uint8_t follow_output, follow_queue;
	/* Adaptive routing. */
	uint8_t candidate_above;
	uint8_t requeue_fresh, held_off;
	uint8_t escape_output;    /* of the queue that escaped last */
	queue_mask_t escape_done; /* up to this queue: those of its output that wait for a turn of all others */

	/* Queues of packets, and which of their heads have room. */
	queue_mask_t eligible[PORTS];
	queue_mask_t nonempty[PORTS + 1], several[PORTS + 1], single[PORTS + 1];
	queue_mask_t of_class[CLASSES][PORTS + 1]; /* length class of the head, at least */
	queue_mask_t waited[LINKS], must[LINKS];
	uint8_t wanted[PORTS]; /* TCs */
	/* The output that is watched, whether a packet could start there, and the longer packets that have passed to
	 * others: behind PATIENCE cycles in which none may start. */
	uint8_t watched, watched_waited, passed;

	/* Choice of queues. */
	queue_mask_t queue_above[LINKS];
	uint8_t class_above[LINKS], tc_above[NICS];
	/* The pointers of the queue that was chosen last, as the choice of the next cycle still sees them. */
	queue_mask_t queue_before;
	uint8_t class_before;

	uint32_t last[QUEUES]; /* of several, its `next` is the first */
} input_t;

typedef struct {
	/* The beat that waits. */
	uint8_t beat, last;
	token_t data;
	uint8_t in_packet, pad, discard, left, vc;
	credits_t credits;
} inject_t;

typedef struct {
	token_t cells[EXTORUS_EJECT_CELLS];
	uint16_t write, read; /* one bit more than an address */
	uint8_t valid, credit, in_packet, left, delivered, poisoned;
	uint64_t header;
	uint16_t stamp;
} eject_t;

typedef struct {
	uint32_t bins[EXTORUS_LATENCY_BINS];
	uint16_t latency;
	uint8_t late, count, bin, clear, clear_bin;
} histogram_t;

/* Without anything that moves, then a card is idle. */
enum { QUIET_CYCLES = 16 };

enum { COUNTER_STEP = TCS > 2 ? 4 : TCS };
enum {
	COUNT_RX_PACKETS = 0,
	COUNT_RX_CELLS = COUNTER_STEP,
	COUNT_TX_PACKETS = 2 * COUNTER_STEP,
	COUNT_TX_CELLS = 3 * COUNTER_STEP,
	COUNT_STALLS_CREDIT = 4 * COUNTER_STEP,
	COUNT_STALLS_GRANT = 5 * COUNTER_STEP,
	COUNT_ILLEGAL = (MONITORS ? 6 : 4) * COUNTER_STEP,
	COUNT_FRAMING, /* at NIC ports; at links packets that were dropped */
	COUNT_POISONED,
	COUNT_CRC_ERRORS,
	COUNT_NACKS,
	COUNT_REPLAYS,
	COUNT_TIMEOUTS,
	COUNT_RETRAINS,
	COUNTERS = LINK_LAYER ? COUNT_RETRAINS + 1 : COUNT_POISONED,
};

/* xt_counter_bank's visits, which say how long a read takes; what it counts is in the card. */
typedef struct {
	uint64_t end;       /* cycle in which the next visit can start */
	uint64_t answer_at; /* cycle in which the value is there */
	uint32_t value;
	uint8_t moved, asked, read_last, reading;
	uint8_t read_bank, read_index;
} counter_bank_t;

/* An error of a port. */
typedef struct {
	uint8_t valid, port, kind;
	uint64_t header;
} failure_t;

/* AXI4-Lite pins and the registers behind them. */
typedef struct {
	uint8_t awvalid, wvalid, bready, arvalid, rready;
	uint32_t awaddr, araddr, wdata;
	uint8_t awready, wready, bvalid, bresp, arready, rvalid, rresp;
	uint32_t rdata;

	uint32_t addr, wdata_q;
	uint8_t write, ask, read, wrote;
	uint8_t single_hit, other_hit, is_counter;
	uint32_t single, port, latency;
	uint16_t port_word[PORTS];
	uint32_t word; /* read from a table */
	uint16_t codes;
	uint8_t scrub;
	uint8_t flip;
	uint16_t table_errors;
	uint16_t table_ports;
	uint8_t table_read_port;
	uint32_t owner, load; /* software's words */
	uint16_t grt_we, lrt_we;
	uint32_t written_word;
	uint16_t written_codes;
	uint8_t clear_high_water, clear_latency, clear_error;

	uint8_t flags[PORTS];
	failure_t error, failed; /* captured, and the first of the cycle before */
} registers_t;

typedef struct {
	uint32_t own;
	uint8_t order;
	uint32_t mask[TCS];
} address_t;

typedef struct {
	uint8_t select;
	uint16_t low, high, patience;
	uint8_t internal, middle;
	uint16_t quiesce;
	uint16_t link_disable, link_retrain;
	uint16_t link_timeout, link_keepalive, stall_timeout;
	uint8_t link_retry_limit;
	uint8_t weight[PORTS][TCS];
	uint8_t weights_set; /* they were written */
	uint16_t inject_wait, inject_room;
	uint16_t enters[LINKS]; /* per input: outputs at which its packets enter a ring */
	uint16_t ring[LINKS];
	uint16_t vc_ring_from[VC_RINGS ? LINKS : 1];
	uint8_t stamp;
	address_t address;
} settings_t;

typedef struct {
	uint8_t weighted;
	uint8_t blocked; /* block_o; block_q is in the card */
	uint8_t wanted;  /* TCs, and a start, on their way here */
	uint8_t start_tc, start_cells;
	int16_t share[TCS]; /* at most two quanta, and a debt of two longest packets */
} weights_t;

_Static_assert(EXTORUS_HEADER_LENGTH_BITS <= 6, "a quantum is at most 256 longest packets");

enum { ERROR_ILLEGAL = 1, ERROR_TIMEOUT = 2, ERROR_POISON = 4, ERROR_TABLE = 8 };

typedef struct {
	/* What every packet changes or needs. Parts that are not at rest, by port: */
	uint16_t stirring, monitors_stirring;
	uint16_t output_busy;
	uint16_t crowded; /* links behind which too little shared room was left, in the cycle before */
	/* Between links and NICs, and the switch: registers. */
	uint16_t in_valid;
	token_t in_cell[PORTS];
	uint8_t in_vc[PORTS];
	uint8_t counted; /* events of the cycle before, which the counters see now */
	uint8_t errors;
	uint8_t error[PORTS]; /* events of the cycle before */
	uint16_t high_water[PORTS], high_water_used[PORTS];
	uint16_t stalled[PORTS], stall_said;
	uint16_t stalls[PORTS]; /* of the cycle before: bit per TC, for credits, and from bit 8 on for their turn */
	/* Scheduler. */
	uint16_t grant_above[PORTS];  /* inputs */
	uint16_t accept_below[PORTS]; /* outputs */
	uint8_t matchings;            /* since the pointers stayed last */
	uint8_t block[PORTS];         /* TCs */
	address_t lookup;             /* as packets see it that arrive now */
	table_t *tables[PORTS];

	input_t input[PORTS];
	credits_t credits[PORTS];
	link_t *link; /* [LINKS] */
	inject_t inject[NICS];
	eject_t eject[NICS];
	histogram_t histogram[NICS];
	weights_t weights[PORTS];

	/* In front of the crossbar, where cards have a register there. */
	uint16_t crossing_valid, crossing_first;
	uint8_t crossing_vc[PORTS];
	token_t crossing_cell[PORTS];
	/* Between the switch, and links and NICs: registers. */
	uint16_t out_valid;
	uint8_t out_vc[PORTS];
	token_t out_cell[PORTS];
	/* A plain link whose routes are looked up for two cycles: the cell before it is in in_cell. */
	uint16_t early_valid;
	uint8_t early_vc[LOOKUP_CYCLES == 2 ? LINKS : 1];
	token_t early_cell[LOOKUP_CYCLES == 2 ? LINKS : 1];

	/* Links that are up and make no errors need no protocol: what leaves is known to arrive (see fast_links_t), and
	 * `link` is out of date. Of the others, those that are not at rest. */
	uint16_t fast, link_stirring;                /* bit per link, as below */
	uint16_t link_hold, link_down, link_restart; /* what the links say */
	uint16_t came_credits;                       /* credits that come back by links, in this cycle */
	uint8_t came_credit_vc[LINKS];
	/* What the fast links have taken in the last cycle, and how often so far. */
	uint16_t sent_cells, sent_credits;
	uint8_t sent_vc[LINKS], sent_credit_vc[LINKS];
	token_t sent_cell[LINKS];
	/* What they took SEEN_CYCLES ago: these cells are seen to leave. */
	uint16_t leaving_cells, leaving_credits;
	uint8_t leaving_vc[LINKS];
	token_t leaving_cell[LINKS];
	uint16_t pushed_cells[LINKS], pushed_credits[LINKS];
	uint64_t pushed_at[LINKS];                     /* cycle of the last of them */
	uint64_t links_busy_until, links_active_until; /* cycles in which acks are still under way */

	/* What adaptive routing knows of the links. */
	uint8_t usable[TCS], low[TCS];           /* links, whose adaptive VC is not too full, and rather empty */
	uint8_t next_usable[TCS], next_low[TCS]; /* a cycle later */
	/* The adaptive VC behind a link with most room, where a TC has several. */
	uint8_t roomiest[SEVERAL_ADAPTIVE ? TCS : 1][LINKS], next_roomiest[SEVERAL_ADAPTIVE ? TCS : 1][LINKS];
	uint16_t group[3];
	uint16_t patience;
	uint8_t tick;

	uint32_t counter[PORTS][COUNTERS];
	counter_bank_t bank;
	settings_t settings;
	registers_t registers;

	uint16_t init; /* cycles left */
	uint16_t time;
	uint8_t traffic_quiet, quiet; /* cycles */
	uint8_t rest;                 /* cycles without anything but accesses to registers; 0: not known */
	/* Parts that are not at rest, and credits whose number has just changed. */
	uint16_t credits_stirring, credits_moved;
	uint8_t inject_stirring, eject_stirring, histogram_stirring, registers_awake;
	uint8_t settings_changed;
	uint16_t port_idle; /* what its register says */
} card_t;

/* Frames that reach a card in a cycle. */
typedef struct {
	uint16_t frames; /* bit per link */
	frame_t frame[LINKS];
} arrivals_t;

/* What a NIC's PE does in a cycle. */
typedef struct {
	uint8_t valid, last, ready; /* tvalid and tlast of a beat, tready */
	token_t cell;
} pe_pins_t;

/* Writes to addresses and tables that lookups do not see yet: a packet's lookup begins some cycles before the switch
 * gets it. */
typedef struct {
	uint64_t when;
	uint32_t card;
	uint8_t is_table;
	uint16_t ports, index, word;
	address_t address;
} late_write_t;

enum { LATE_WRITES = 8 };

/* What the cards of a network share. */
typedef struct {
	unsigned latency;
	uint32_t addressed; /* card whose registers are accessed */
	packets_t packets;
	route_words_t route_words;
	late_write_t late[LATE_WRITES];
	unsigned late_count;
	uint64_t now;
	const uint16_t *lonely; /* [card] links without a peer, bit per link; NULL: not known */
} common_t;

/* How the cells behind a port are divided. */
static inline division_t division_of_output(unsigned port)
{
	division_t link = {VCS, EXTORUS_RESERVED_CELLS, EXTORUS_SHARED_CELLS}, nic = {1, EXTORUS_EJECT_CELLS, 0};

	return port < LINKS ? link : nic;
}
static inline division_t division_of_inject(void)
{
	const unsigned reserved = TCS == 1 && !BUBBLE ? BUFFER_CELLS : EXTORUS_RESERVED_CELLS;
	division_t d = {TCS, reserved, BUBBLE ? 0 : BUFFER_CELLS - TCS * reserved};

	return d;
}

/* Shared cells free behind a link below which packets that give way do not start. */
static inline unsigned room_to_enter(const card_t *card)
{
	return card->settings.inject_wait ? card->settings.inject_room : 0;
}
