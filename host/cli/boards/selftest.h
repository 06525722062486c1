/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of `extorus selftest` share. */
#pragma once

#include "extorus/board.h"
#include "options/options.h"

typedef struct {
	const char *where; /* for messages */
	xt_device_t *device;
	const xt_profile_t *profile;
	unsigned entries;
	uint64_t *kept, *read; /* of all ports of the card whose tables were tested last, and of one */
	json_t *list;
	uint64_t words; /* moved */
	int failed;
	int unrestored; /* a card is not as it was */
	int over;       /* the caller wants the end, or the device is gone */
	unsigned port;  /* of xt_selftest_plug */
	unsigned plugs; /* links at pins that were tested */
	char found[80]; /* what a test that passed has measured, or empty */
	xt_diag_t diag;
} selftest_t;

int xt_selftest_write(selftest_t *t, unsigned card, uint32_t address, uint32_t value);
int xt_selftest_read(selftest_t *t, unsigned card, uint32_t address, uint32_t *value);
/* Writes whole tables at the input ports that `ports` has bits of. */
int xt_selftest_write_tables(selftest_t *t, unsigned card, uint32_t ports, const uint64_t *values);
/* Writes the tables back that t->kept holds. */
int xt_selftest_restore_tables(selftest_t *t, unsigned card);

/* What was changed is put back between these two, in spite of an interrupt. The second returns the first status that is
 * not XT_OK. */
void xt_selftest_begin_restoring(selftest_t *t);
int xt_selftest_end_restoring(selftest_t *t, int status, int restored);

/* Whether there is more to test than registers and tables: traffic generators, links at pins. */
int xt_selftest_has_board(selftest_t *t, unsigned card);
/* Tests of these, after that of the tables: bit errors of cables, each link hearing itself, packets at line rate. */
int xt_selftest_bits(selftest_t *t, unsigned card);
int xt_selftest_loops(selftest_t *t, unsigned card);
int xt_selftest_traffic(selftest_t *t, unsigned card);
/* Of the link at t->port, whose loop-back plug leads its pins back to themselves: wrong bits, and packets at line rate.
 * The tables stay as they are then. */
int xt_selftest_plug(selftest_t *t, unsigned card);
/* Bit per link port that has pins. */
uint32_t xt_selftest_pins(selftest_t *t, unsigned card);
