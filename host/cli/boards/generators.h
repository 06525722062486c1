/* SPDX-License-Identifier: Apache-2.0
 *
 * The traffic generators and checkers of boards, and what their counters say. */
#pragma once

#include "extorus/protocol.h"
#include "options/board_list.h"

/* Bits of XT_FRAME_REG_TRAFFIC_CONTROL, and places in it. */
enum {
	XT_GENERATOR_SEND = 1,
	XT_GENERATOR_CHECK = 2,
	XT_GENERATOR_CLEAR = 4,
	XT_GENERATOR_UNIFORM = 8,
	XT_GENERATOR_TABLE = 16,
	XT_GENERATOR_TC_LSB = 8,
	XT_GENERATOR_LENGTH_LSB = 16,
};

/* Without a packet: none comes any more. A simulated board on a busy machine may take seconds for a packet. */
enum { XT_GENERATOR_QUIET_MS = 5000 };

/* Since they were cleared, across the wraps of the registers at 2^32; `latency` at 2^48. The sums of numbers wrap. */
typedef struct {
	uint64_t sent, came, wrong, stray, cells, latency;
	uint32_t sent_sum, came_sum, range;
	int unsure; /* not read for so long that a register may have wrapped unseen */
} xt_generator_counts_t;

/* In the order of their registers, from XT_FRAME_REG_TRAFFIC_SENT on. */
typedef struct {
	uint32_t sent, sent_sum, came, came_sum, wrong, stray, cells, range, latency, latency_high;
} xt_generator_words_t;

enum {
	XT_GENERATOR_READ_MS = 10000, /* whoever counts for longer reads so often */
	XT_GENERATOR_WRAP_MS = 40000, /* a count in every cycle wraps after 43 s at 100 MHz */
};

typedef struct {
	xt_device_t *device;
	const char *uri;
	unsigned card, nic, address;
	unsigned columns; /* of its table of destinations; 0: it has none */
	int has_clock;
	uint32_t control;
	xt_generator_counts_t counts;
	xt_generator_words_t words; /* as last read */
	uint64_t read_ms;
} xt_generator_t;

typedef struct {
	xt_generator_t *all;
	unsigned count;
} xt_generators_t;

/* Those of open boards; one that has none is an error. generators->all is freed by the caller, after a failure too. */
int xt_generators_find(const xt_boards_t *boards, xt_generators_t *generators, xt_diag_t *diag);
int xt_generator_write(
	const xt_generator_t *generator, unsigned reg, const uint32_t *words, unsigned count, xt_diag_t *diag);
/* XT_GENERATOR_CLEAR in XT_FRAME_REG_TRAFFIC_CONTROL clears the counts too. */
int xt_generator_set(xt_generator_t *generator, unsigned reg, uint32_t value, xt_diag_t *diag);
/* Reads the registers, and adds what they gained to the counts. */
int xt_generator_read(xt_generator_t *generator, xt_diag_t *diag);

/* The least, mean and greatest of the latencies that a checker has counted, in cycles of clocks that agree. */
typedef struct {
	double least, mean, greatest;
} xt_generator_latency_t;
/* Something must have come. */
xt_generator_latency_t xt_generator_latency(const xt_generator_counts_t *counts);
