/* SPDX-License-Identifier: Apache-2.0
 *
 * A switch profile: one const table from which the SystemVerilog package, the C header of registers
 * and the Markdown register map are generated. A profile is added by adding one file profile_NAME.c
 * that defines `const xt_profile_t xt_profile_NAME`; the build finds it by its name. */
#ifndef EXTORUS_PROFILE_H
#define EXTORUS_PROFILE_H

#include <stdint.h>

enum {
	XT_MAX_PORTS = 15,         /* a table entry names a port in 4 bits; 15 means "none" */
	XT_MAX_LINK_PORTS = 14,    /* of a profile for the model only */
	XT_MAX_RTL_LINK_PORTS = 6, /* of one that has RTL; an adaptive mask has 6 bits */
	XT_MAX_TCS = 4,
	XT_MAX_VCS_PER_TC = 8,     /* of a profile for the model only */
	XT_MAX_RTL_VCS_PER_TC = 4, /* of one that has RTL */
	XT_MAX_VCS = 16,
	XT_MAX_LENGTH_CLASSES = 8,
	XT_MAX_CELL_BITS = 1024,
	XT_MAX_LINK_LATENCY = 1024, /* cycles */
};

typedef enum {
	XT_VC_NONE = 0, /* ends the list of a traffic class */
	XT_VC_DETERMINISTIC,
	XT_VC_ADAPTIVE,
} xt_vc_kind_t;

/* The virtual channels of one traffic class, VC 0 first. */
typedef struct {
	xt_vc_kind_t vc[XT_MAX_VCS_PER_TC];
} xt_tc_params_t;

/* Energy in femtojoules, for the report of a run; a table of zeros: not known. Neither RTL nor images depend on it. */
typedef struct {
	unsigned cell_hop;      /* a cell through a switch: written to a buffer, read, across the crossbar */
	unsigned link_cell;     /* a cell over a link, both ends */
	unsigned idle_link;     /* of a link that carries none in a cycle, but did in the run */
	unsigned sleeping_link; /* a cycle of a link that carries none at all */
	unsigned buffered_cell; /* a cycle of a cell in a switch */
} xt_energy_params_t;

/* Not measured: round figures of one bit that fit transceivers of 5 pJ, which hardly save anything when idle. */
#define XT_ASSUMED_ENERGY(cell_bits)                                                                             \
	{                                                                                                        \
		.cell_hop = 500 * (cell_bits), .link_cell = 5000 * (cell_bits), .idle_link = 4000 * (cell_bits), \
		.sleeping_link = 200 * (cell_bits), .buffered_cell = 2 * (cell_bits)                             \
	}

typedef struct {
	const char *name;
	const char *summary; /* one line, shown by `extorus gen --list` */

	unsigned link_ports; /* ports 0 .. link_ports-1 */
	unsigned nic_ports;  /* ports link_ports .. link_ports+nic_ports-1 */

	unsigned tcs;
	xt_tc_params_t tc[XT_MAX_TCS];

	unsigned cell_bits;      /* payload of a cell: the width of a link and of the crossbar */
	unsigned packet_cells;   /* longest packet; a power of two */
	unsigned buffer_cells;   /* shared cell memory of one input; a power of two */
	unsigned reserved_cells; /* of these, owned by each VC */
	/* 1: bubble flow control. Packets that enter a ring need room for two longest packets, so every VC
	 * owns that much and nothing is shared. */
	unsigned bubble;
	/* 1: each VC of a link belongs to a ring of its own, that comes from a port of its own. 0: all to the same
	 * ring. */
	unsigned vc_rings;
	/* Buffer between the crossbar and the NIC's AXI4-Stream; a power of two up to buffer_cells. */
	unsigned eject_cells;

	/* Whole-packet credit checks round the packet length up to the next of these; strictly
	 * ascending, the last equals packet_cells. */
	unsigned length_classes;
	unsigned length_class[XT_MAX_LENGTH_CLASSES];

	unsigned id_bits;   /* destination PE address */
	unsigned grt_bits;  /* upper bits of the address: index into the GRT */
	unsigned lrt_bits;  /* lower bits of the address: index into the LRT; grt_bits + lrt_bits == id_bits */
	unsigned table_ecc; /* 1: each TC's field of a table entry has a code that corrects one bit and detects two */

	unsigned islip_iterations;
	unsigned link_latency; /* cycles, default of the co-simulation; at least 1 */
	unsigned replay_cells; /* replay buffer of a link, a power of two; 0: links without a link layer */
	/* 1: what a link sends comes out of the replay buffer, a cycle later, which takes a multiplexer and a register
	 * less for each bit of a cell. 0: it goes beside the buffer if nothing waits. */
	unsigned no_replay_bypass;
	/* 1: a register in front of the crossbar. A cell crosses a cycle later, and wires to the crossbar may be
	 * longer. */
	unsigned crossbar_register;

	/* 1: for a device whose only memories are small block RAMs with one write and one read port. The state
	 * of the queues is in registers, the cells of a packet are in consecutive words, and GRT and LRT share
	 * a memory that software reads when no cell arrives. */
	unsigned block_ram_only;
	/* 1: a packet never leaves by the link that it came in by. A route that says so is illegal. */
	unsigned no_u_turns;
	/* 1: a packet starts only if its VC's reserve or the shared cells alone have room for all of it. */
	unsigned no_credit_sums;
	unsigned monitors; /* 1: stall counters and watchdogs, high-water marks, capture of the first error */
	/* 1: there is no RTL, only the model. Then a TC may have XT_MAX_VCS_PER_TC VCs and several adaptive ones,
	 * bubble flow control may go with adaptive VCs, and the LRT may be larger. */
	unsigned model_only;
	unsigned ring_adaptive_vcs; /* without RTL: of a TC, at links other than the internal ones; 0: all */
	xt_energy_params_t energy;
} xt_profile_t;

#endif
