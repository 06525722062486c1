/* SPDX-License-Identifier: Apache-2.0
 *
 * What the PEs send: one description for every engine. The same description and seed give the same
 * packets, cycle by cycle, whatever carries them. */
#ifndef EXTORUS_TRAFFIC_H
#define EXTORUS_TRAFFIC_H

#include <stdint.h>

#include "extorus/error.h"
#include "extorus/export.h"
#include "extorus/profile.h"

XT_BEGIN_C

struct xt_traffic_matrix;

typedef enum {
	XT_ARRIVALS_BERNOULLI, /* one chance per cycle */
	/* At random points of time that do not know of cycles: several packets in one cycle now and then. */
	XT_ARRIVALS_POISSON,
} xt_arrivals_t;

/* "bernoulli", "poisson". */
XT_API int xt_arrivals_parse(const char *name, xt_arrivals_t *arrivals, xt_diag_t *diag);
XT_API const char *xt_arrivals_name(xt_arrivals_t arrivals);

/* Cells per packet: uniform in min .. max, or, if min_share is not 0, of two lengths: min with this chance and
 * otherwise max. */
typedef struct {
	unsigned min, max;
	double min_share; /* 0 .. 1, not 1 */
} xt_lengths_t;

XT_API double xt_lengths_mean(const xt_lengths_t *lengths);

/* What a traffic class carries. */
typedef struct {
	unsigned tc;
	double share;        /* of the cells, in proportion to those of the other classes that the PE may use */
	const char *pattern; /* NULL: the traffic's */
	xt_lengths_t length; /* max 0: the traffic's */
} xt_tc_mix_t;

/* Every PE generates packets, keeps them in an unbounded source queue and sends them in order through its NIC. Packets
 * generated in the cycles warmup .. warmup + measure - 1 are measured. Generation goes on until all of them are
 * delivered, for at most `drain` cycles, then it stops and the network must empty itself.
 *
 * A PE that its pattern would have send to itself sends nothing in that class, and the offered load is so much less.
 *
 * New members come at the end, and 0 is their default. */
typedef struct {
	const char *pattern; /* name of a destination pattern; see xt_pattern_list */
	/* Of patterns zipf and zipf-common: the PE of rank r, from 1, gets packets with a probability like
	 * 1 / r^zipf_exponent, which for 0 is uniform. The seed ranks the PEs: with zipf for each sender in an order
	 * of its own, with zipf-common for all alike. */
	double zipf_exponent;
	/* Of pattern matrix: not owned, must have an end per PE. The PE that sends most has the load `load`. */
	const struct xt_traffic_matrix *matrix;
	double load; /* cells generated per cycle and PE: fraction of the NIC's bandwidth, 0 .. 1 */
	xt_arrivals_t arrivals;
	unsigned tc_mask; /* of the traffic classes that the image allows a PE, those used; bit per class */
	xt_lengths_t length;
	/* NULL: each class of tc_mask has the same share, this pattern and these lengths. Otherwise only the classes
	 * listed are used, and tc_mask says nothing. Not owned. */
	const xt_tc_mix_t *mix;
	unsigned mix_count;
	uint64_t warmup; /* cycles */
	/* The measurement begins when the network is found steady (lib/warmup.h), at `warmup` at the latest. */
	int detect_warmup;
	uint64_t measure;
	uint64_t drain;
	uint64_t seed;
} xt_traffic_t;

#define XT_MAX_ZIPF_EXPONENT 8.0

/* uniform, exponent 1, Bernoulli, all traffic classes, load 0.1, 1 .. packet_cells cells, 2000 + 5000 + 5000 cycles,
 * seed 1. */
XT_API xt_traffic_t xt_traffic_default(const xt_profile_t *profile);

/* XT_OK, or XT_ERR_INVALID / XT_ERR_RANGE with the entry and its limits in `diag`. Whether a pattern is defined for so
 * many PEs is known when the traffic is run. */
XT_API int xt_traffic_check(const xt_traffic_t *traffic, const xt_profile_t *profile, unsigned pes, xt_diag_t *diag);

/* "N" or "A-B" cells, or "A/B" or "A/B:P" for A with the chance P (0.5) and otherwise B. */
XT_API int xt_lengths_parse(const char *text, xt_lengths_t *lengths, xt_diag_t *diag);
/* Back to such a text. */
XT_API void xt_lengths_write(const xt_lengths_t *lengths, char *text, unsigned size);

/* "TC=SHARE", "TC=SHARE,PATTERN" or "TC=SHARE,PATTERN,LENGTHS". */
XT_API int xt_mix_parse(const char *text, xt_tc_mix_t *mix, xt_diag_t *diag);

/* Name and one-line summary of pattern `index`; NULL after the last. */
XT_API const char *xt_pattern_list(unsigned index, const char **summary);

XT_END_C
#endif
