/* SPDX-License-Identifier: Apache-2.0
 *
 * A network of input-queued switches with one FIFO per VC. A cycle has four steps: cells and credits arrive, outputs
 * are allocated, granted packets move by a cell, and PEs take and give a cell. Cells of a packet follow each other
 * without gaps, because a packet starts only where its whole length fits. So a packet's place in a FIFO and the cycle
 * of its head tell where each of its cells is. */
#pragma once

#include "device/backend.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"

#define IQ_NONE UINT32_MAX

enum {
	IQ_NO_PORT = 0xff,
	IQ_REGISTER_BYTES = 0x2000, /* the registers below the windows of tables */
};

/* From its first cell at the NIC to its last one at the PE. */
typedef struct {
	uint32_t next_free;
	uint32_t destination; /* address */
	uint16_t cells;
	uint8_t tc;
} iq_packet_t;

/* A packet's place in the FIFO of an input; a packet that cuts through has several. */
typedef struct {
	uint32_t next; /* in the FIFO, or free */
	uint32_t packet;
	uint64_t head_at; /* cycle in which the head came */
	uint8_t vc;       /* of all VCs; at a NIC, its FIFO */
	/* The route here. */
	uint8_t port, route_vc, mask;
	uint8_t enters; /* a ring */
} iq_entry_t;

/* Fixed pools that grow; `free` heads the list of the free ones. */
typedef struct {
	iq_packet_t *packets;
	uint32_t *words; /* cells of a packet: [packet * packet_words] */
	uint32_t packet_count, free_packet;
	iq_entry_t *entries;
	uint32_t entry_count, free_entry;
	unsigned packet_words;
} iq_pool_t;

typedef struct {
	uint32_t entry;            /* that is granted */
	uint16_t sent;             /* cells */
	uint8_t output, output_vc; /* all ports: it is dropped */
} iq_stream_t;

/* A FIFO for each VC; at a NIC, for each injection queue of each traffic class. */
typedef struct {
	uint32_t first[XT_MAX_VCS], last[XT_MAX_VCS]; /* entries */
	iq_stream_t stream[XT_MAX_VCS];               /* by FIFO; without a crossbar input per VC one at a time */
	uint32_t held;                                /* cells */
	uint16_t waiting;                             /* FIFOs that are not empty */
	uint16_t streaming;                           /* FIFOs whose stream goes on */
	uint8_t next_vc;                              /* the choice among FIFOs begins there */
	uint8_t next_candidate;                       /* the choice among adaptive outputs begins there */
} iq_input_t;

typedef struct {
	uint16_t room[XT_MAX_VCS]; /* credits; a NIC has one buffer, of VC 0 */
	uint8_t busy;
	uint8_t next_input; /* stage 2 begins there */
} iq_output_t;

/* Between the switch and a PE: packets, each with the cycle in which its head left the switch. */
typedef struct {
	uint32_t *packets;
	uint64_t *since;
	uint32_t first, count;
	uint16_t taken; /* cells of the first */
} iq_eject_t;

typedef struct {
	uint32_t packet; /* or IQ_NONE */
	uint16_t sent;
	uint16_t room[XT_MAX_VCS]; /* in the FIFOs of the input */
} iq_inject_t;

/* What arrives in one cycle. */
typedef struct {
	uint64_t *items;
	uint32_t count, room;
} iq_slot_t;

typedef struct {
	uint32_t *words; /* registers, by address / 4; counters are kept there */
	uint64_t *grt, *lrt;
	uint32_t low; /* of an entry that is being written */
} iq_card_t;

struct xt_engine {
	const xt_profile_t *profile;
	unsigned cards, links, nics, ports, vcs, tcs, cell_words, latency, port_buffer;
	unsigned crossbar_per_vc, transit_first;
	unsigned injection_queues; /* of a NIC for each traffic class */
	unsigned fifos;            /* of an input at most */
	uint8_t first_vc[XT_MAX_TCS], vc_tc[XT_MAX_VCS];
	/* Bit per VC of all; at links other than internal ones. */
	uint16_t adaptive_vcs[XT_MAX_TCS], ring_adaptive_vcs[XT_MAX_TCS];
	xt_header_layout_t header;
	xt_peer_t *peers; /* [card * links + port] */
	iq_card_t *card;
	iq_input_t *inputs;   /* [card * ports + port] */
	iq_output_t *outputs; /* likewise */
	iq_eject_t *ejects;   /* [card * nics + nic] */
	iq_inject_t *injects;
	uint16_t *capacity; /* behind outputs: [port * XT_MAX_VCS + vc], the same in all cards */
	unsigned longest;   /* packet of the run, in cells */
	iq_pool_t pool;
	iq_slot_t *arrivals, *credits; /* [cycle % (latency + 1)] */
	uint64_t now;                  /* goes on from run to run */
	uint64_t run_start;
	uint64_t in_network; /* packets that a PE has begun to send and that are not delivered yet */
	uint64_t credits_under_way;
	uint64_t moves, evaluated;
	uint64_t *port_cells;
	int failed; /* out of memory */
};

/* Pool: numbers, or IQ_NONE without memory. */
uint32_t iq_packet_new(iq_pool_t *pool);
uint32_t iq_entry_new(iq_pool_t *pool);
void iq_packet_free(iq_pool_t *pool, uint32_t packet);
void iq_entry_free(iq_pool_t *pool, uint32_t entry);

static inline uint32_t *iq_packet_words(const iq_pool_t *pool, uint32_t packet)
{
	return pool->words + (size_t)packet * pool->packet_words;
}

static inline uint32_t *iq_register(
	const xt_engine_t *e, unsigned card, xt_register_id_t id, unsigned port, unsigned item)
{
	return &e->card[card].words[xt_register_address(id, port, item) / 4];
}

/* The first FIFO of a traffic class at a NIC. */
static inline unsigned iq_injection_fifo(const xt_engine_t *e, unsigned tc)
{
	return tc * e->injection_queues;
}

/* The adaptive VCs of a TC at a link. */
static inline unsigned iq_adaptive_vcs(const xt_engine_t *e, unsigned card, unsigned port, unsigned tc)
{
	const uint32_t ports = e->adaptive_vcs[tc] ? *iq_register(e, card, XT_REG_ADAPTIVE_PORTS, 0, 0) : 0;
	const unsigned internal = ports >> XT_FIELD_ADAPTIVE_PORTS_INTERNAL_LSB & 0xff;

	return internal >> port & 1 ? e->adaptive_vcs[tc] : e->ring_adaptive_vcs[tc];
}

/* Registers and tables, as of a card of the RTL; what this switch does not have reads as 0. */
int iq_read(xt_engine_t *e, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag);
int iq_write(xt_engine_t *e, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag);
int iq_set_tables(xt_engine_t *e, unsigned card, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *diag);
void iq_reset_registers(xt_engine_t *e, unsigned card);

/* Divides the buffers among the VCs that the tables use, for packets of a run; only of an empty network. */
int iq_divide(xt_engine_t *e, const xt_client_t *client, xt_diag_t *diag);

/* The route of the entry's packet at an input; a packet without one is dropped. */
void iq_route(xt_engine_t *e, unsigned card, unsigned port, iq_entry_t *entry);
/* Whether a packet that starts at a card may take adaptive VCs. */
int iq_is_adaptive(const xt_engine_t *e, unsigned card, const iq_packet_t *packet);
/* Both stages of one card. Granted entries become the streams of their inputs. */
void iq_allocate(xt_engine_t *e, unsigned card);

int iq_is_quiet(const xt_engine_t *e);
int iq_run(xt_engine_t *e, const xt_client_t *client, xt_diag_t *diag);
