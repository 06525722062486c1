/* SPDX-License-Identifier: Apache-2.0
 *
 * A random case: a network, its settings, its traffic and what goes wrong in it. The same number makes the same case.
 */
#pragma once

#include "extorus/image.h"
#include "extorus/run.h"
#include "extorus/settings.h"
#include "extorus/traffic.h"

enum { CASE_MAX_FAULTS = 3, CASE_MAX_WRITES = 24 };

typedef struct {
	uint32_t card, address, value;
} case_write_t;

typedef struct {
	uint64_t number;
	char text[512]; /* what it is, in words */
	xt_image_t *image;
	unsigned latency;
	uint64_t cycles; /* of the run; then the registers of `inspected` are read, whatever is under way */
	uint64_t stop;   /* nothing is generated from that cycle on, so that the network may become quiet */
	uint32_t inspected;
	int inspect_tables;
	int one_port; /* of the registers of ports, those of one port only, another in each case */
	xt_traffic_t traffic;
	uint32_t nic_stall, nic_period;
	double error_rate;
	xt_fault_t faults[CASE_MAX_FAULTS];
	unsigned fault_count;
	case_write_t writes[CASE_MAX_WRITES]; /* to registers, before the run */
	unsigned write_count;
} case_t;

/* `profile` NULL: any. Exits with a message if there is no such case. */
void case_make(uint64_t number, const char *profile, case_t *out);
void case_free(case_t *c);
