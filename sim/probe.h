/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of one card between two cycles, for comparing a simulator with another: every simulator exports
 * `void xt_backend_probe(const xt_engine_t *engine, unsigned card, xt_probe_t *probe)`. Only tests use it. All that is
 * not there, or does not matter in that cycle, is 0. */
#pragma once

#include <stdint.h>

#include "device/backend.h"
#include "extorus/export.h"

XT_BEGIN_C

enum { XT_PROBE_CELL_WORDS = 4 }; /* of a cell, the first ones */

/* What leaves by a link. Sequence number, VC and contents only where the frame carries a cell or a credit. */
typedef struct {
	uint32_t valid, ctrl;
	uint32_t cell_valid, cell_seq, vc, poison, cell[XT_PROBE_CELL_WORDS];
	uint32_t credit_valid, credit_seq, credit_vc;
	uint32_t cell_ack, cell_nack, credit_ack, credit_nack;
} xt_probe_link_t;

typedef struct {
	uint32_t accepts;                                          /* tready of the PE's stream into the card */
	uint32_t valid, last, poisoned, cell[XT_PROBE_CELL_WORDS]; /* of the stream to the PE */
} xt_probe_nic_t;

typedef struct {
	uint32_t idle;
	uint32_t quiet_cycles; /* without traffic, as far as they are counted; what STATUS tells as idle */
	xt_probe_link_t link[XT_MAX_LINK_PORTS];
	xt_probe_nic_t nic[XT_MAX_PORTS];
	uint32_t free_cells[XT_MAX_PORTS];       /* of the input buffer */
	uint32_t used[XT_MAX_PORTS][XT_MAX_VCS]; /* credits of the output; of a NIC port VC 0 stands for all */
	uint32_t stalls_credit[XT_MAX_PORTS], stalls_grant[XT_MAX_PORTS]; /* events for the counters, bit per TC */
} xt_probe_t;

typedef void (*xt_backend_probe_t)(const xt_engine_t *engine, unsigned card, xt_probe_t *probe);
XT_API void xt_backend_probe(const xt_engine_t *engine, unsigned card, xt_probe_t *probe);

XT_END_C
