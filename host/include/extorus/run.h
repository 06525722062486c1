/* SPDX-License-Identifier: Apache-2.0
 *
 * Running traffic through a device that is simulated, with every packet checked, and what came out. */
#ifndef EXTORUS_RUN_H
#define EXTORUS_RUN_H

#include <stdint.h>
#include <stdio.h>

#include "extorus/device.h"
#include "extorus/error.h"
#include "extorus/image.h"
#include "extorus/traffic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In cycles. count 0: mean and ci95 are not numbers. */
typedef struct {
	uint64_t count;
	double mean;
	double ci95; /* half of the 95 % confidence interval of the mean, by batch means */
	uint64_t p50, p95, p99, max;
} xt_latency_t;

/* What can be wrong with a run. The names of xt_finding_name are used in reports. */
typedef enum {
	XT_FINDING_LOST,          /* entered the network and never came out */
	XT_FINDING_DUPLICATED,    /* came out twice, or was never sent */
	XT_FINDING_MISROUTED,     /* came out at another PE */
	XT_FINDING_REORDERED,     /* came out after a later packet of its (source, destination, TC) */
	XT_FINDING_CORRUPTED,     /* header, payload or length differ from what was sent */
	XT_FINDING_ILLEGAL_ROUTE, /* dropped by a card on an invalid table entry */
	XT_FINDING_FRAMING,       /* a NIC port saw a packet end elsewhere than its header said */
	XT_FINDING_CREDIT,        /* credits missing or in excess in the empty network */
	XT_FINDING_BUFFER,        /* buffer cells missing in the empty network */
	XT_FINDING_CONSERVATION,  /* the two ends of a link disagree on what crossed it */
	XT_FINDING_BUSY,          /* a card is not idle in the drained network */
	XT_FINDING_OFF_ROUTE,     /* a card sent a packet another way than its tables in the image say */
	XT_FINDING_LIVELOCK,      /* a head made more hops than there are cards */
	XT_FINDING_STALL,         /* nothing moved while packets were in the network */
	XT_FINDINGS,
} xt_finding_t;

const char *xt_finding_name(xt_finding_t finding);

typedef struct {
	uint64_t packets_sent; /* whole run */
	uint64_t packets_delivered;
	uint64_t cells_delivered;
	uint64_t measured;   /* generated in the window and delivered */
	double network_mean; /* latency of the measured packets; not a number without any */
} xt_tc_result_t;

typedef struct {
	const char *engine; /* "rtl" */
	unsigned cards, pes;
	double offered_load;  /* generated in the window, fraction of the NICs' bandwidth */
	double accepted_load; /* delivered in the window, likewise */

	/* From the head's acceptance at the first switch to the tail's delivery at the last one's NIC; per
	 * cell: from its own acceptance to its own delivery. */
	xt_latency_t network_packet, network_cell;
	/* From the packet's generation to the delivery of its tail, or of the cell. */
	xt_latency_t end_to_end_packet, end_to_end_cell;

	xt_tc_result_t tc[XT_MAX_TCS];
	uint64_t packets_sent, packets_delivered;
	uint64_t measured_packets; /* generated in the window */
	uint64_t measured_unsent;  /* of these, still in the source queues when generation stopped */

	uint64_t findings[XT_FINDINGS]; /* how many of each */
	char **reports; /* the first few of each kind, one line each; a stall's lines follow each other */
	unsigned report_count;
	int drained;             /* the network emptied itself */
	unsigned faults_waiting; /* faults that were asked for and never happened */

	/* Cells per cycle that left (card, port) in the window, [card * ports + port]. */
	double *port_load;

	uint64_t cycles; /* simulated by the run */
	double wall_seconds;
	double card_cycles_per_second;  /* cards * cycles / wall_seconds, skipped idle cards included */
	uint64_t evaluated_card_cycles; /* card-cycles that were not skipped */
} xt_result_t;

typedef struct {
	/* Cycles without any movement, with packets in the network, that make a stall; 0: 4000. */
	uint64_t watchdog;
	/* Every NIC port refuses cells in the first `nic_stall` of every `nic_period` cycles; 0, 0: never. */
	uint32_t nic_stall, nic_period;
	FILE *packet_log;       /* one CSV line per delivered packet; may be NULL */
	xt_progress_t progress; /* may be NULL */
	void *progress_context;
} xt_run_options_t;

/* Faults for proving that the checks see them. They take effect in the next run. */
typedef enum {
	XT_FAULT_DROP_CREDIT, /* the n-th credit (from 0) for cells that left card:port is lost */
	XT_FAULT_FLIP_BIT,    /* bit `bit` of the first cell leaving card:port at cycle >= n is inverted */
	XT_FAULT_BLOCK_NIC,   /* the PE at NIC port `port` of `card` accepts nothing from cycle n on */
	XT_FAULT_SWAP_ENTRY,  /* LRT entries a and b of `card` change places, at once and at every port */
} xt_fault_kind_t;

typedef struct {
	xt_fault_kind_t kind;
	uint32_t card, port;
	uint64_t n;
	uint32_t bit;
	uint32_t entry_a, entry_b;
} xt_fault_t;

/* "drop-credit:CARD,PORT,NTH", "flip-bit:CARD,PORT,CYCLE,BIT", "block-nic:CARD,PORT,CYCLE",
 * "swap-entry:CARD,A,B". */
int xt_fault_parse(const char *text, xt_fault_t *fault, xt_diag_t *diag);
/* Devices other than simulators: XT_ERR_UNSUPPORTED. */
int xt_device_fault(xt_device_t *device, const xt_fault_t *fault, xt_diag_t *diag);

/* Runs `traffic` through the device, whose tables must be loaded with `image`. Returns XT_OK when the
 * run came to its end, with *out to be freed by xt_result_free; whether all was well is xt_result_ok.
 * `options` may be NULL. */
int xt_device_run(xt_device_t *device, const xt_image_t *image, const xt_traffic_t *traffic,
	const xt_run_options_t *options, xt_result_t **out, xt_diag_t *diag);
/* Nothing found and the network drained. */
int xt_result_ok(const xt_result_t *result);
void xt_result_free(xt_result_t *result);

#ifdef __cplusplus
}
#endif
#endif
