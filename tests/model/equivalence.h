/* SPDX-License-Identifier: Apache-2.0
 *
 * A run of one simulator through a case, and what it records. */
#pragma once

#include "case.h"
#include "device/backend.h"
#include "extorus/profiles.h"
#include "probe.h"
#include "traffic/packet_generator.h"

/* What is kept of a run. */
typedef struct {
	xt_probe_t *probes; /* [cycle * cards + card] */
	uint64_t *events;   /* [cycle + 1]: checksum of the calls of a cycle, whatever their order */
	uint64_t *state;    /* [cycle]: of what the simulator says of itself */
	uint64_t *moves;    /* [cycle]: likewise, of what it always knows */
	uint32_t *values;   /* of the registers that were read */
	unsigned value_count;
	uint64_t steps; /* probes, events and state that there are */
} record_t;

typedef struct {
	const case_t *c;
	xt_device_t *device;
	const xt_backend_t *backend;
	xt_engine_t *engine;
	xt_backend_probe_t probe;
	xt_source_t *source;
	xt_header_layout_t header;
	unsigned cards, words;
	uint32_t *cells; /* by PE, of its packet */
	record_t *record;
	const record_t *truth; /* NULL: this is the run that makes it */
	/* Of each link: the sequence number of the next cell that is no repetition; the contents of others are not
	 * kept by the model. */
	uint32_t *next_cell;
	uint32_t *addresses; /* by PE */
	unsigned threads;
	uint64_t looks; /* the cycle in which the state is looked at next */
	int differs;
} run_t;

/* The fields in which the states of a card differ. */
void difference_print(const run_t *run, uint64_t cycle, unsigned card, const xt_probe_t *rtl, const xt_probe_t *model);
/* The calls of the PEs, whose context is a run_t: packets are made, and every call is added to the record. */
void pe_calls_set(xt_client_t *client);
