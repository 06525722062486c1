/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a replay, and what is done before and after its run. */
#pragma once

#include "extorus/replay.h"
#include "measure/scoreboard.h"
#include "measure/statistics.h"
#include "schedule.h"
#include "workload/formats/stream.h"

/* What a PE has to send, in order. */
typedef struct {
	uint32_t first, last; /* sends, linked by `next` */
	uint32_t left;        /* cells of the first one that were not fetched */
	uint32_t sequence;
	uint8_t turn; /* of the traffic classes */
	/* As far as has been told, which may be later. */
	uint32_t cells;        /* of the packet that was fetched last, */
	uint32_t event;        /* its send, */
	uint32_t left_of_send; /* and cells of that which were not fetched */
	uint32_t waited;       /* cycles of the send behind others */
} xt_replay_queue_t;

typedef struct {
	xt_device_t *device;
	const xt_image_t *image;
	const xt_workload_t *w; /* of a stream: its window */
	const xt_replay_options_t *options;
	xt_stream_t *stream; /* NULL: the whole workload goes by the schedule */
	xt_schedule_t schedule;
	const uint64_t *begin; /* [event] */
	xt_scoreboard_t *scoreboard;
	xt_violations_t findings;
	xt_replay_result_t *result;
	xt_replay_queue_t *queues; /* [pe] */
	uint64_t *ready_at;        /* [pe] */
	uint32_t *next;            /* [event], of a send: the next one of its PE, then how long it was queued, cycles */
	uint32_t *missing;         /* [event], of a send: cells that have not arrived */
	unsigned cell_bytes, packet_cells, least_cells;
	xt_sample_t network_cell, end_to_end_cell, network_packet, end_to_end_packet;
	uint32_t *job_of; /* [rank], with jobs */
	struct {
		xt_sample_t network, end_to_end; /* of packets */
	} * job_samples;
	uint64_t arrived; /* messages */
	uint64_t total;
	uint64_t cycle;  /* of the program: the engine's and those jumped over */
	uint64_t jumped; /* cycles in which the network was at rest and nothing was due */
	/* Of the engine; held_cycle: the last one with a movement, or with nothing on its way. */
	uint64_t last_moves, last_move_cycle, held_cycle, watchdog;
	uint32_t keepalive;
	uint64_t *card_cells;
	uint32_t *addresses; /* of the PEs in service */
	unsigned address_count;
	uint32_t *rank_cards;        /* of several ranks of mpirun; NULL: this process does all */
	uint32_t own_first, own_end; /* its PEs */
	int status;
} xt_replay_t;

/* replay_queues.c: what the PEs send. A send goes to the end of its PE's queue; 1: it stays in the PE. */
int xt_replay_on_send(void *replay, uint32_t event, uint64_t cycle);
/* From the begin of a send to the cycle in which the card may have its first cell. */
uint64_t xt_replay_delay(const xt_replay_t *replay);
/* Of the back end. */
const uint32_t *xt_replay_on_make(void *replay, unsigned pe, uint64_t cycle, xt_packet_t *packet, unsigned *cells);
void xt_replay_on_begin(void *replay, const xt_packet_t *packet);
const uint32_t *xt_replay_on_fetch(void *replay, unsigned pe, uint64_t cycle, unsigned *cells);

/* Checks and makes room; the caller sets device, image, w, stream and options. Ends with xt_replay_clean_up in any
 * case. */
int xt_replay_prepare(xt_replay_t *r, int (*send)(void *context, uint32_t event, uint64_t cycle),
	xt_delivery_t delivered, xt_diag_t *diag);
/* With jobs: the room for their results, and the results. XT_ERR_NOMEM, XT_ERR_INVALID. */
int xt_replay_jobs_prepare(xt_replay_t *r, xt_diag_t *diag);
void xt_replay_jobs_summarise(xt_replay_t *r);
void xt_replay_jobs_clean_up(xt_replay_t *r);
void xt_replay_clean_up(xt_replay_t *r);
