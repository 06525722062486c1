/* SPDX-License-Identifier: Apache-2.0
 *
 * What the PEs send: one description for every engine. The same description and seed give the same
 * packets, cycle by cycle, whatever carries them. */
#ifndef EXTORUS_TRAFFIC_H
#define EXTORUS_TRAFFIC_H

#include <stdint.h>

#include "extorus/error.h"
#include "profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every PE generates packets by a Bernoulli process (one chance per cycle), keeps them in an unbounded
 * source queue and sends them in order through its NIC. Packets generated in the cycles
 * warmup .. warmup + measure - 1 are measured. Generation goes on until all of them are delivered, for
 * at most `drain` cycles, then it stops and the network must empty itself. */
typedef struct {
	const char *pattern; /* name of a destination pattern; see xt_pattern_list */
	/* Of pattern zipf: the PE of rank r, from 1, gets packets with a probability like 1 / r^zipf_exponent,
	 * which for 0 is uniform. The seed gives every PE its rank, the same for all senders. */
	double zipf_exponent;
	double load;         /* cells generated per cycle and PE: fraction of the NIC's bandwidth, 0 .. 1 */
	unsigned tc_mask;    /* of the traffic classes that the image allows a PE, those used; bit per class */
	unsigned packet_min; /* cells; lengths are uniform in packet_min .. packet_max */
	unsigned packet_max;
	uint64_t warmup; /* cycles */
	uint64_t measure;
	uint64_t drain;
	uint64_t seed;
} xt_traffic_t;

#define XT_MAX_ZIPF_EXPONENT 8.0

/* uniform, exponent 1, all traffic classes, load 0.1, 1 .. packet_cells cells, 2000 + 5000 + 5000 cycles, seed 1. */
xt_traffic_t xt_traffic_default(const xt_profile_t *profile);

/* XT_OK, or XT_ERR_INVALID / XT_ERR_RANGE with the entry and its limits in `diag`. */
int xt_traffic_check(const xt_traffic_t *traffic, const xt_profile_t *profile, unsigned pes, xt_diag_t *diag);

/* "N" or "A-B" cells. */
int xt_traffic_parse_packet(const char *text, unsigned *packet_min, unsigned *packet_max, xt_diag_t *diag);

/* Name and one-line summary of pattern `index`; NULL after the last. */
const char *xt_pattern_list(unsigned index, const char **summary);

#ifdef __cplusplus
}
#endif
#endif
