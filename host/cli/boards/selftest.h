/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of `extorus selftest` share. */
#pragma once

#include "extorus/board.h"
#include "options/options.h"

/* What a test has found. */
typedef struct {
	unsigned card;
	const char *test;    /* NULL: it is not about a test, but about the card before or after them */
	const char *problem; /* NULL: it passed */
	const char *remedy;  /* or NULL */
	const char *found;   /* what a test that passed has measured, or NULL */
} xt_selftest_said_t;

typedef struct {
	const char *uri;
	xt_device_t *device;
	void (*tell)(void *context, const xt_selftest_said_t *said); /* said lives until it returns */
	void *context;
	/* The rest is zero at first. */
	const xt_profile_t *profile;
	unsigned entries;
	uint64_t *kept, *read; /* of all ports of the card whose tables were tested last, and of one */
	int kept_whole;        /* `kept` has all tables of the card under test */
	uint64_t words;        /* moved */
	int failed;
	int unrestored; /* a card is not as it was */
	int over;       /* the caller wants the end, or the device is gone */
	unsigned port;  /* of xt_selftest_plug */
	unsigned plugs; /* links at pins that were tested */
	char found[96]; /* what a test that passed has measured, or empty */
	xt_diag_t diag;
} selftest_t;

/* Tests all cards of t->device, and tells each result. It fails only where nothing is tested; t->failed says whether a
 * test did. `plugs`: loop-back plugs are at all links with pins. */
int xt_selftest(selftest_t *t, int plugs, xt_diag_t *diag);

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
/* The clock of the card's traffic generators against the host's. Of a card behind tcp:, which may be simulated, the
 * rate is told and not judged. */
int xt_selftest_clock(selftest_t *t, unsigned card);
/* Bytes there and back, how fast, and whether frames were damaged or lost. Changes nothing. */
int xt_selftest_way(selftest_t *t, unsigned card);
/* "usb", "ftdi", "uart" or "tcp". */
const char *xt_selftest_way_name(const selftest_t *t);
