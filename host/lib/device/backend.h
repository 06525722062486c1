/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device's back end implements. The library owns traffic, checking and measuring; a back end
 * only moves register words and, if it is a simulator, cells. A back end in a shared object exports
 * `const xt_backend_t *xt_backend_entry(void)`. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "extorus/board.h"
#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/fault.h"
#include "extorus/image.h"
#include "extorus/profile.h"
#include "extorus/ranks.h"
#include "traffic/packet_generator.h"

XT_BEGIN_C

enum { XT_BACKEND_ABI = 17 };

/* A back end's own state of one open network. */
typedef struct xt_engine xt_engine_t;

struct xt_load_job; /* load.h */

/* The network to open; copied by `open` as far as needed. */
typedef struct {
	const xt_profile_t *profile;
	unsigned cards;
	const xt_peer_t *peers; /* of link port p of card c: [c * link_ports + p] */
	unsigned link_latency;  /* cycles, at least 1 */
	int evaluate_all;       /* do not skip idle cards in runs */
	/* [card]: the card is there, in this process. The runs go over several ranks; each steps cards of its own, and
	 * has these and their neighbours. A back end may have the others too. NULL: all are there. */
	const uint8_t *present;

	/* Waves of the runs; wave_path NULL: none. Cycles count from the start of the run. */
	const char *wave_path;
	const uint32_t *wave_cards;
	unsigned wave_card_count;
	uint64_t wave_from, wave_to;

	/* Of an input-queued switch. */
	unsigned port_buffer;      /* flits per port */
	unsigned crossbar_per_vc;  /* 1: each VC of an input has a crossbar input of its own */
	unsigned transit_first;    /* 1: packets from links before those from NICs */
	unsigned injection_queues; /* of a NIC for each traffic class; 0: one */
} xt_network_t;

/* What a simulator tells the library about its state before each cycle of a run. */
typedef struct {
	uint64_t cycle; /* the one about to be simulated, from 0 */
	/* Cells that have crossed a link, for the first time, or a NIC port in either direction. */
	uint64_t moves;
	int quiet;                  /* every card is idle, nothing is under way on a link, no NIC is within a packet */
	const uint64_t *port_cells; /* cells that left [card * ports + port] */
	/* To be called with `engine` before port_cells is read, or where it matters that `received` has been called for
	 * all cells delivered so far; NULL: not needed. */
	void (*settle)(xt_engine_t *engine);
	xt_engine_t *engine;
} xt_engine_state_t;

/* The PEs and the checks behind a simulator's NICs and links. PE p is at NIC port p % n of card p / n,
 * n = pes / cards. A cell is (cell_bits + 31) / 32 words, least significant first, unused bits 0.
 * The order of calls within a cycle does not matter to the library, except that `cycle` is first. */
typedef struct {
	void *context;
	unsigned pes;
	/* By PE: from which cycle its next packet may be fetched. Read every cycle. */
	const uint64_t *ready_at;
	uint32_t nic_stall, nic_period; /* as in xt_run_options_t */
	double error_rate;              /* likewise */
	uint64_t error_seed;
	/* The run begins with the packets that the run before, of the same PEs, has left under way. */
	int goes_on;
	/* By PE: it accepts no cells in this run. NULL: all PEs do. */
	const uint8_t *deaf;

	/* Before every cycle. Nonzero ends the run, and the cycle is not simulated. */
	int (*cycle)(void *context, const xt_engine_state_t *state);
	/* The cells of the next packet of `pe`, valid until its next fetch. */
	const uint32_t *(*fetch)(void *context, unsigned pe, uint64_t cycle, unsigned *cells);
	/* The switch accepts cell `index` of the packet fetched last, and the following ones of `count` in the cycles
	 * after it: called in the cycle of the first. The last cell of a packet is told in its own cycle. */
	void (*sent)(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count);
	/* The switch has delivered `count` cells to `pe`, the first in `cycle`, the others in the cycles after it:
	 * called in the cycle of the last, when the run ends, or from xt_engine_state_t.settle. `last`: that ends the
	 * packet; `poisoned`: incomplete. */
	void (*received)(void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last,
		int poisoned);
	/* A packet's first cell left (card, port) on a link, on VC `vc` of all VCs: once, however often the
	 * link has to repeat it. NULL: nobody asks. */
	void (*hop)(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell);

	/* Threads for the run, of a back end that says that it can have several; with 0 or 1 the rest is not needed.
	 * Calls come from one thread, but for `make`. They may come late: those of one cycle before those of the next,
	 * but while the network is ahead of them, up to what `until` says. */
	unsigned threads;
	const uint32_t *addresses; /* packets are for no others */
	unsigned address_count;
	/* `fetch` in two halves. `make` may be called by several threads at a time, for different PEs: the cells of the
	 * next packet of `pe`, valid until the next one; what is known of it goes to *packet. Of that `begin` is told.
	 */
	const uint32_t *(*make)(void *context, unsigned pe, uint64_t cycle, xt_packet_t *packet, unsigned *cells);
	void (*begin)(void *context, const xt_packet_t *packet);
	/* `fetch` and `make` for an engine that keeps heads alone: of a packet that `remake` knows only the head need
	 * be there. NULL: these are as cheap. */
	const uint32_t *(*fetch_head)(void *context, unsigned pe, uint64_t cycle, unsigned *cells);
	const uint32_t *(*make_head)(void *context, unsigned pe, uint64_t cycle, xt_packet_t *packet, unsigned *cells);
	/* Makes the cells behind a packet's head, as `make` and `fetch` gave them. The head stands in `words`, which
	 * has room for `cells`, and stays. 0: the head does not tell. Several threads may call it at a time. NULL: it
	 * never does. */
	int (*remake)(void *context, uint32_t *words, unsigned cells);
	/* `received`, of a packet of which the engine has kept the head alone: `count` cells from `first` on, as they
	 * are made. NULL: they are made, and given to `received`. */
	void (*received_made)(void *context, unsigned pe, uint64_t cycle, const uint32_t *head, unsigned first,
		unsigned count, int last);
	/* The next cycle, after the one of which `cycle` was told last, of which it needs the state, or for which it
	 * may answer that the run is over, or change ready_at, whatever happens before. For those before that one
	 * `cycle` need not be called in time, and xt_engine_state_t.port_cells and settle mean nothing. */
	uint64_t (*until)(void *context);

	/* Several ranks do the run, of a back end that says that it can: each steps the cards from rank_cards[own] to
	 * rank_cards[own + 1] - 1. Calls are made on rank 0, but for `make` of own PEs. On the others `run` returns
	 * when rank 0 closes the engine or begins another run; meanwhile rank 0 reads their registers. */
	xt_ranks_t *ranks; /* NULL: this process does all */
	const uint32_t *rank_cards;
	double rank_timeout; /* seconds for which a rank waits for another one; 0: for ever */
	/* What rank 0 has decided in `cycle`, by `decision`, is told to the others, by `decided`: sources have stopped.
	 */
	unsigned (*decision)(void *context);
	void (*decided)(void *context, unsigned decision);
	/* [rank], of rank 0, by the end of the run. */
	xt_rank_times_t *rank_times;
	/* The clients of all ranks are told the same, in the same order, and do alike: what is delivered at one rank
	 * makes another one send. Before `until` nothing that the client is told may change what it makes. On one rank
	 * too nothing is made while the client is told. */
	int alike;

	/* Checkpoints, of a back end that says that it has them. After `cycle`, if that goes on and `due` says so, each
	 * rank makes a part: what `save` adds of its PEs, and then the engine's state. Rank 0 hands the parts to `keep`
	 * one by one. All ranks need the first `shared` bytes of each. */
	int (*due)(void *context, uint64_t cycle);
	int (*save)(void *context, unsigned first_pe, unsigned end_pe, xt_bytes_t *out); /* 0: out of memory */
	int (*keep)(
		void *context, unsigned part, unsigned parts, const xt_bytes_t *bytes, size_t shared, xt_diag_t *diag);
	/* The run goes on from a checkpoint in cycle resume_cycle: the engine's parts, which were made by any number of
	 * ranks and threads; of those without own cards what is shared. NULL: it begins. */
	const xt_bytes_t *resume;
	unsigned resume_parts;
	uint64_t resume_cycle;
	uint32_t resume_sum; /* tells the checkpoint from others */

	/* What a switch divides its buffers by: the classes of the packets, bit per TC, and the longest packet. 0: any
	 * of the profile. */
	unsigned tcs, packet_cells;
} xt_client_t;

typedef struct {
	uint32_t abi;  /* XT_BACKEND_ABI */
	uint32_t size; /* of this structure: a stale build is not called */
	const char *engine;
	/* The profile it was built for, and xt_profile_hash of it then. NULL: it serves any profile; the size of
	 * xt_profile_t then. */
	const char *profile;
	uint32_t profile_hash;
	int waves;          /* can write them */
	int tables_cleared; /* `open` leaves every table entry all zero */
	int threads;        /* can run one network on several */
	int goes_on;        /* knows xt_client_t.goes_on */
	int ranks;          /* and xt_client_t.ranks */
	int parts;          /* and xt_network_t.present */
	int checkpoints;    /* and xt_client_t.due and what follows */
	unsigned checks;    /* the client's work of a run, percent of the engine's; 0: nearly none */

	/* Cards are reset and initialised afterwards. */
	int (*open)(const xt_network_t *network, xt_engine_t **out, xt_diag_t *diag);
	void (*close)(xt_engine_t *engine);
	int (*read)(
		xt_engine_t *engine, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag);
	int (*write)(xt_engine_t *engine, unsigned card, uint32_t address, const uint32_t *values, size_t count,
		xt_diag_t *diag);

	/* Sets whole tables of a card at every input port, past the registers. NULL where there is no such
	 * door. grt has 1 << grt_bits entries, lrt 1 << lrt_bits. */
	int (*backdoor)(xt_engine_t *engine, unsigned card, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *diag);

	/* Simulators; NULL elsewhere. `run` returns when the client says so. */
	int (*run)(xt_engine_t *engine, const xt_client_t *client, xt_diag_t *diag);
	uint64_t (*evaluated)(const xt_engine_t *engine); /* card-cycles of the last run that were not skipped */
	uint64_t (*errors)(const xt_engine_t *engine);    /* frames of the last run that met a random error */
	int (*fault)(xt_engine_t *engine, const xt_fault_t *fault, xt_diag_t *diag);
	unsigned (*faults_waiting)(const xt_engine_t *engine); /* not happened yet */
	/* Cycle of the last run in which the link port sent its first frame that says that the link is down;
	 * UINT64_MAX: none. */
	uint64_t (*down_since)(const xt_engine_t *engine, unsigned card, unsigned port);

	/* Boards; NULL elsewhere. Packets are those of xt_device_inject, _flush and _receive at NIC port `nic`. */
	int (*inject)(xt_engine_t *engine, unsigned card, unsigned nic, const uint32_t *words, unsigned count,
		unsigned timeout_ms, xt_diag_t *diag);
	int (*flush)(xt_engine_t *engine, xt_diag_t *diag);
	int (*receive)(xt_engine_t *engine, unsigned card, unsigned nic, uint32_t *words, unsigned room,
		unsigned *count, int *poisoned, unsigned timeout_ms, xt_diag_t *diag);
	/* Resets a card, or with `together` the card names a board that resets all; returns before they are ready. */
	int (*reset)(xt_engine_t *engine, unsigned card, int together, xt_diag_t *diag);
	/* Loads an image that fits the device and is safe, all or nothing. */
	int (*load)(xt_engine_t *engine, struct xt_load_job *job, unsigned flags, xt_load_counts_t *counts);
	/* xt_device_recover and xt_device_interrupted. */
	int (*recover)(xt_device_t *device, int *recovered, xt_diag_t *diag);
	int (*interrupted)(xt_device_t *device);
	void (*describe)(xt_engine_t *engine, xt_board_info_t *info);
	/* `count` registers from one address of every card, values[card * count + i], without waiting for one card
	 * after the other. */
	int (*read_cards)(xt_engine_t *engine, uint32_t address, uint32_t *values, unsigned count, xt_diag_t *diag);
	int (*write_cards)(
		xt_engine_t *engine, uint32_t address, const uint32_t *values, unsigned count, xt_diag_t *diag);
} xt_backend_t;

typedef const xt_backend_t *(*xt_backend_entry_t)(void);

/* Opens the back end of `scheme` for `profile`, or if that is NULL the one for any profile, by loading its shared
 * object; *library is for dlclose after the engine is closed. `waves`: one that can write them. */
int xt_plugin_load(const char *scheme, const xt_profile_t *profile, int waves, const xt_backend_t **out, void **library,
	xt_diag_t *diag);

/* A device of an engine that is open already, whose cards are wired as `image` says and reset; it is closed with the
 * device, but remains the caller's if this fails. */
int xt_device_adopt(
	const xt_backend_t *backend, xt_engine_t *engine, const xt_image_t *image, xt_device_t **out, xt_diag_t *diag);

/* The device's back end and the wiring it was opened with, for the library's own use. */
const xt_backend_t *xt_device_backend(const xt_device_t *device, xt_engine_t **engine);
xt_peer_t xt_device_peer(const xt_device_t *device, unsigned card, unsigned port);
/* All of it; valid as long as the device. */
const xt_peer_t *xt_device_peers(const xt_device_t *device);
/* Cycles; 0: not known, of a board. */
unsigned xt_device_link_latency(const xt_device_t *device);

XT_END_C
