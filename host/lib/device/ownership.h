/* SPDX-License-Identifier: Apache-2.0
 *
 * Who holds the cards of a device, as the cards themselves say: registers OWNER, LOAD and QUIESCE. None of these
 * functions heeds an interrupt. */
#pragma once

#include "device_internal.h"

/* LOAD.PHASE. A load goes through them in this order, all cards together. */
typedef enum {
	XT_PHASE_IDLE,
	XT_PHASE_HELD,    /* tables as before the load; ports may be quiesced */
	XT_PHASE_WRITING, /* tables may be mixed */
	XT_PHASE_WRITTEN, /* tables are the new ones on all cards; ports may be quiesced */
	XT_PHASE_TEST,    /* a test of this card: tables and registers may be anything */
	XT_PHASE_RESET,   /* this card waits for a reset of all: others may have empty tables */
} xt_phase_t;

typedef struct {
	uint32_t owner, phase, generation;
	uint32_t quiesce;
} xt_ownership_t;

/* All cards of a device. */
typedef struct {
	int known;           /* the cards have OWNER and LOAD */
	int interrupted;     /* a phase is not idle */
	int mixed;           /* tables may be neither old nor new ones */
	int reset;           /* a reset of all cards came to some only */
	int written;         /* a card says that all tables are new */
	int held;            /* every card says the same owner and generation, and is not idle */
	uint32_t owner;      /* of the first card that is not idle */
	uint32_t generation; /* the highest */
	unsigned cards_quiesced, first_quiesced;
	uint32_t quiesce; /* of card `first_quiesced` */
} xt_ownership_summary_t;

/* Random, never 0. */
uint32_t xt_ownership_make_id(void);
/* Of all cards, [card]; to be freed, NULL after a failure. */
int xt_ownership_read_all(xt_device_t *device, xt_ownership_t **ownership, xt_diag_t *diag);
int xt_ownership_summarise(xt_device_t *device, xt_ownership_summary_t *summary, xt_diag_t *diag);
/* `values`: of each card. */
int xt_ownership_write_quiesce(xt_device_t *device, const uint32_t *values, xt_diag_t *diag);
/* Writes OWNER and LOAD of all cards; if they have none, nothing. */
int xt_ownership_write_all(xt_device_t *device, uint32_t owner, xt_phase_t phase, uint32_t generation, xt_diag_t *diag);
