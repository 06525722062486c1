/* SPDX-License-Identifier: Apache-2.0
 *
 * The values that a load overwrites in the cards of a board, in a file until the load is over. The file restores
 * the old tables even if the program is killed or the board unplugged. */
#pragma once

#include <stdint.h>

#include "extorus/error.h"

enum { XT_JOURNAL_CARDS = 255 };

/* A register write of the way back, in order. */
typedef struct {
	uint32_t card, address, value;
} xt_journal_step_t;

typedef struct {
	uint64_t serial;
	uint32_t owner, generation; /* of the load, as the cards have them; 0: they have no such registers */
	uint32_t profile_hash;
	unsigned cards;
	int quiesced;                       /* the load quiesces all cards before it writes */
	uint32_t quiesce[XT_JOURNAL_CARDS]; /* the registers before */
	xt_journal_step_t *steps;
	unsigned count, room;
} xt_journal_t;

/* Adds a step; XT_ERR_NOMEM. */
int xt_journal_add(xt_journal_t *journal, uint32_t card, uint32_t address, uint32_t value);
void xt_journal_clear(xt_journal_t *journal); /* frees the steps */

/* The files are in $EXTORUS_STATE_DIR, else $XDG_STATE_HOME/extorus, else $HOME/.local/state/extorus. Two boards may
 * share a serial number; the owner tells their journals apart. Writing takes the place of what was there, at once. */
int xt_journal_exists(uint64_t serial, uint32_t owner);
int xt_journal_write(const xt_journal_t *journal, xt_diag_t *diag);
/* XT_ERR_RANGE: there is none. XT_ERR_FORMAT: it is damaged. */
int xt_journal_read(uint64_t serial, uint32_t owner, xt_journal_t *out, xt_diag_t *diag);
void xt_journal_remove(uint64_t serial, uint32_t owner);
