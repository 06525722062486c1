/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets sent through a device and checked as they come, for `extorus inject`. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "extorus/random.h"
#include "options/device_options.h"

typedef struct {
	xt_target_t target;
	uint64_t packets, cells, from, to, tc, seed, timeout_ms, in_flight;
	int one_from, one_to, one_way;
	const char *update; /* image, or NULL */
	unsigned update_flags;
} xt_inject_options_t;

/* A packet under way. */
typedef struct {
	uint64_t number;
	uint32_t source, destination; /* PEs */
	uint32_t cells;
	int busy;
} xt_outstanding_t;

/* A load beside the packets, in a thread of its own. */
typedef struct {
	pthread_t thread;
	xt_device_t *device;
	xt_image_t *image;
	unsigned flags;
	int begun;
	atomic_int over;
	xt_load_counts_t counts;
	int status;
	xt_diag_t diag;
	uint64_t packets; /* that arrived meanwhile */
} xt_injection_update_t;

typedef struct {
	const xt_inject_options_t *o;
	xt_injection_update_t update;
	xt_device_t *device;
	const xt_profile_t *profile;
	unsigned pes, words; /* of a cell */
	uint32_t *address;   /* of each PE */
	uint8_t *tc_of;      /* of each PE */
	xt_outstanding_t *outstanding;
	unsigned in_flight;
	uint64_t sent, received, wrong, cells;
	uint64_t leftover; /* packets of earlier runs, dropped */
	unsigned tag_bits, run_bits;
	uint32_t run;
	uint32_t *buffer, *expected;
	xt_random_t random;
	xt_diag_t first; /* what was wrong first */
} xt_injection_t;

/* Allocates what `j` needs, reads addresses and TCs of all PEs, and the image of --update. After a failure too,
 * xt_injection_end frees. */
int xt_injection_begin(xt_injection_t *j, const xt_inject_options_t *o, xt_diag_t *diag);
/* Sends and receives all packets, the update among them. */
int xt_injection_run(xt_injection_t *j, xt_diag_t *diag);
void xt_injection_end(xt_injection_t *j);
