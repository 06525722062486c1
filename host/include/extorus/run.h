/* SPDX-License-Identifier: Apache-2.0
 *
 * Running traffic through a device that is simulated, with every packet checked, and what came out. */
#ifndef EXTORUS_RUN_H
#define EXTORUS_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "extorus/device.h"
#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/fault.h"
#include "extorus/image.h"
#include "extorus/link_state.h"
#include "extorus/options_size.h"
#include "extorus/ranks.h"
#include "extorus/traffic.h"

XT_BEGIN_C

/* In cycles. count 0: mean and ci95 are not numbers. */
typedef struct {
	uint64_t count;
	double mean;
	double ci95; /* half of the 95 % confidence interval of the mean, by batch means */
	uint64_t p50, p95, p99, max;
} xt_latency_t;

/* What can be wrong with a run. The names of xt_finding_name are used in reports. */
typedef enum {
	XT_FINDING_LOST,       /* entered the network and never came out, and no killed link was in its way */
	XT_FINDING_DUPLICATED, /* came out twice, or was never sent */
	XT_FINDING_MISROUTED,  /* came out at another PE */
	/* Came out after a later packet of its (source, destination, TC). Not in a TC that the image routes
	 * adaptively. */
	XT_FINDING_REORDERED,
	XT_FINDING_CORRUPTED,     /* header, payload or length differ from what was sent */
	XT_FINDING_ILLEGAL_ROUTE, /* dropped by a card on an invalid table entry */
	XT_FINDING_FRAMING,       /* a NIC port saw a packet end elsewhere than its header said */
	XT_FINDING_CREDIT,        /* credits missing or in excess in the empty network */
	XT_FINDING_BUFFER,        /* buffer cells missing in the empty network */
	XT_FINDING_CONSERVATION,  /* the two ends of a link disagree on what crossed it */
	XT_FINDING_BUSY,          /* a card is not idle in the drained network */
	XT_FINDING_OFF_ROUTE,     /* a card sent a packet another way than its tables in the image say */
	XT_FINDING_POISONED,      /* came out incomplete, although no link was killed */
	XT_FINDING_LINK_DOWN,     /* a link is down that nobody killed or disabled */
	XT_FINDING_LIVELOCK,      /* a head made more hops than there are cards; see no_check too */
	XT_FINDING_STALL,         /* nothing moved while packets were in the network */
	XT_FINDINGS,
} xt_finding_t;

XT_API const char *xt_finding_name(xt_finding_t finding);

typedef struct {
	uint64_t packets_sent; /* whole run */
	uint64_t packets_delivered;
	uint64_t cells_delivered;
	uint64_t measured;   /* generated in the window and delivered */
	double network_mean; /* latency of the measured packets; not a number without any */
} xt_tc_result_t;

/* A link port that is connected and not up after the run. */
typedef struct {
	uint32_t card, port;
	uint32_t state, cause;
	int killed; /* on purpose, by XT_FAULT_KILL_LINK */
	/* Cycle of the run in which this end began to say so, by its first frame that does; UINT64_MAX: not in this
	 * run, or not known. */
	uint64_t since;
} xt_link_down_t;

/* Sums over all link ports since the cards' reset; all 0 without a link layer. */
typedef struct {
	uint64_t crc_errors, nacks, replays, timeouts, retrains;
	uint64_t swallowed; /* packets that a link port took and threw away because its link was not up */
} xt_link_totals_t;

/* Cells per cycle in the window. Of a link: what left a connected link port; of a switch: what left its connected
 * ports, by their number. */
typedef struct {
	double mean, max;
	uint32_t card, port; /* that has the most, the first of several; port of links only */
} xt_utilisation_t;

/* Of the whole network in the window, in picojoules per cycle, by the profile's coefficients; all 0 without these. */
typedef struct {
	double cell_hops, link_cells, idle_links, sleeping_links, buffered_cells;
	double total;
	double per_cell; /* total by the cells delivered per cycle, in picojoules; not a number without any */
	unsigned asleep; /* links that carried nothing in the window */
} xt_energy_t;

typedef struct {
	const char *engine; /* "rtl" */
	unsigned cards, pes;
	double offered_load;  /* generated in the window, fraction of the NICs' bandwidth */
	double accepted_load; /* delivered in the window, likewise */
	/* Accepted is below 0.95 of offered, and by more than three times what chance makes of it: cells pile up in
	 * the source queues. */
	int saturated;
	/* Jain's index of the cells delivered in the window, over the PEs that send: 1 if all get as much; not a number
	 * without any. */
	double fairness;
	uint64_t warmup;   /* cycles before the window */
	int warmup_steady; /* found so, where that was asked for */

	/* From the head's acceptance at the first switch to the tail's delivery at the last one's NIC; per
	 * cell: from its own acceptance to its own delivery. */
	xt_latency_t network_packet, network_cell;
	/* From the packet's generation to the delivery of its tail, or of the cell. */
	xt_latency_t end_to_end_packet, end_to_end_cell;

	xt_tc_result_t tc[XT_MAX_TCS];
	/* sent == delivered + poisoned + dropped + lost, if the network drained. */
	uint64_t packets_sent, packets_delivered;
	uint64_t packets_poisoned; /* delivered incomplete, and marked so: cut off by a link that died */
	uint64_t packets_dropped;  /* never came out; a killed link was in their way */
	uint64_t measured_packets; /* generated in the window */
	uint64_t measured_unsent;  /* of these, still in the source queues when generation stopped */

	uint64_t findings[XT_FINDINGS]; /* how many of each */
	char **reports; /* the first few of each kind, one line each; a stall's lines follow each other */
	unsigned report_count;
	int drained;             /* the network emptied itself */
	int hops_checked;        /* OFF_ROUTE was looked for */
	unsigned faults_waiting; /* faults that were asked for and never happened */

	/* Transmission errors and what the link layer did about them. */
	uint64_t errors_injected;
	xt_link_totals_t link_totals;
	xt_link_down_t *links_down;
	unsigned links_down_count;
	uint64_t lost_on_links; /* packets that left one end of a link that was killed and never reached the other */

	/* Cells per cycle that left (card, port) in the window, [card * ports + port]. */
	double *port_load;
	xt_utilisation_t link_utilisation, switch_utilisation;
	xt_energy_t energy;

	uint64_t cycles; /* simulated by the run */
	double wall_seconds;
	double card_cycles_per_second;  /* cards * cycles / wall_seconds, skipped idle cards included */
	uint64_t evaluated_card_cycles; /* card-cycles that were not skipped */

	unsigned rank_count; /* that have simulated the network together; 0: it was one process */
	xt_rank_times_t *ranks;
} xt_result_t;

#define XT_MAX_ERROR_RATE 0.5

typedef struct {
	size_t size; /* sizeof of this struct; see options_size.h */
	/* Cycles without any movement, with packets in the network, that make a stall; 0: 4000. */
	uint64_t watchdog;
	/* Every NIC port refuses cells in the first `nic_stall` of every `nic_period` cycles; 0, 0: never. */
	uint32_t nic_stall, nic_period;
	/* Chance that a frame on a link meets an error, up to XT_MAX_ERROR_RATE: a few bits flip, the frame is lost, or
	 * a burst spoils up to 32 bits, now and then of all frames in 1 to 4 cycles more. The same seed makes the same
	 * errors. Needs a link layer (XT_ERR_UNSUPPORTED otherwise). */
	double error_rate;
	uint64_t error_seed;
	/* That simulate the network together, with the same result; 0: one. An input-queued switch has one only
	 * (XT_ERR_UNSUPPORTED otherwise). The fast model goes on with one for packets without a route, and for faults
	 * of links that have no link layer. */
	unsigned threads;
	FILE *packet_log;       /* one CSV line per delivered packet; may be NULL */
	xt_progress_t progress; /* may be NULL */
	void *progress_context;
	/* Processes that simulate the network together, with the same result. All of them call xt_device_run alike, and
	 * only the first one gets a result. The others return when it has closed its device. Not for an input-queued
	 * switch, nor in the fast model for packets without a route and faults of links that have no link layer
	 * (XT_ERR_UNSUPPORTED otherwise). NULL: this process does all. */
	xt_ranks_t *ranks;
	/* The cards of rank r are those from rank_cards[r] to rank_cards[r + 1] - 1. NULL: about as much
	 * work for each, with few links between ranks. Rank 0 of the fast model has fewer cards, as it checks. */
	const uint32_t *rank_cards;
	double rank_timeout; /* seconds for which a rank waits for another one; 0: for ever */
	/* Every `checkpoint_every` cycles, at least 1, the state of the run takes the place of the file `checkpoint`.
	 * If that file is there at the begin, the run goes on from it, on any number of threads and ranks, with the
	 * same result. The file of another run is refused (XT_ERR_MISMATCH). It stays when the run is over. The packet
	 * log, if any, must then be a file with what the run has logged before, opened for reading and writing; what
	 * was logged after the checkpoint is cut off. Needs the fast model. NULL: no checkpoints. */
	const char *checkpoint;
	uint64_t checkpoint_every;
	/* Heads are not followed from card to card, which is faster. The numbers stay the same. OFF_ROUTE is not looked
	 * for. A stall and a lost packet do not tell where packets are. LIVELOCK comes later: no packet came out,
	 * while cells moved more often than all of them can in as many hops as there are cards. A run with killed links
	 * needs the checks (XT_ERR_UNSUPPORTED), as only hops tell which packets a killed link has cost. */
	int no_check;
} xt_run_options_t;

/* Runs `traffic` through the device, whose tables must be loaded with `image`. Returns XT_OK when the
 * run came to its end, with *out to be freed by xt_result_free; whether all was well is xt_result_ok.
 * `options` may be NULL. On a rank that is not the first one *out is NULL. */
XT_API int xt_device_run(xt_device_t *device, const xt_image_t *image, const xt_traffic_t *traffic,
	const xt_run_options_t *options, xt_result_t **out, xt_diag_t *diag);
/* Nothing found and the network drained. */
XT_API int xt_result_ok(const xt_result_t *result);
XT_API void xt_result_free(xt_result_t *result);

XT_END_C
#endif
