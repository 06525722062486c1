/* SPDX-License-Identifier: Apache-2.0
 *
 * A run under way, and its side of the back end's `run`: packets, window and end of the run. */
#pragma once

#include "checkpoint_file.h"
#include "device/backend.h"
#include "extorus/run.h"
#include "scoreboard.h"
#include "statistics.h"
#include "traffic/packet_generator.h"
#include "violations.h"
#include "warmup.h"

typedef enum {
	PHASE_GENERATE,
	PHASE_EMPTY, /* generation has stopped */
	PHASE_DONE,
} xt_run_phase_t;

typedef struct {
	xt_device_t *device;
	const xt_image_t *image;
	const xt_traffic_t *traffic;
	const xt_run_options_t *options;
	xt_source_t *source;
	xt_scoreboard_t *scoreboard;
	xt_violations_t violations;
	xt_result_t *result;

	xt_run_phase_t phase;
	uint64_t window_start, window_end; /* UINT64_MAX: not known yet */
	xt_warmup_t warmup;
	uint64_t cycle;      /* the one under way */
	uint64_t last_moves; /* of the engine, and when they last changed */
	uint64_t last_move_cycle;
	/* Without checks of hops: packets under way, and cycle and moves when one came out last. */
	uint64_t last_in_flight, last_out_cycle, last_out_moves;
	uint64_t watchdog;
	/* Cards whose links send keepalives are never idle: the run ends when nothing has moved for a while,
	 * and then STATUS tells whether the network is empty. */
	uint32_t keepalive;
	int kills;   /* links are killed in this run */
	int loses;   /* packets may get lost: how many are under way says nothing of the end */
	int settled; /* ended so */

	xt_sample_t network_packet, network_cell, end_to_end_packet, end_to_end_cell;
	uint64_t offered_packets, offered_cells; /* generated in the window */
	uint64_t measured_sent, measured_delivered;
	uint64_t window_cells;  /* delivered in the window */
	uint64_t *source_cells; /* likewise, by source */
	uint64_t tc_network_sum[XT_MAX_TCS];
	uint64_t *window_start_cells; /* port_cells at the start of the window */
	uint32_t *addresses;          /* of the PEs in service */
	unsigned address_count;
	unsigned card_ports;  /* cards * ports */
	uint32_t *rank_cards; /* of several ranks; NULL: this process does all */
	int status;           /* out of memory in a callback */

	xt_checkpoint_t checkpoint; /* the run goes on from it */
	xt_checkpoint_writer_t writer;
} xt_run_t;

/* What the back end calls. */
xt_client_t xt_run_client(xt_run_t *run);
/* What the scoreboard calls, an xt_delivery_t. */
void xt_run_on_delivery(void *run, const xt_packet_t *packet, uint64_t head_sent, uint64_t sent, uint64_t delivered,
	unsigned count, int last);
/* The measurement begins in cycle `start`. */
void xt_run_set_window(xt_run_t *run, uint64_t start);
