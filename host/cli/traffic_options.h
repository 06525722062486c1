/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of commands that send traffic: what the PEs send, and for how many cycles. */
#ifndef EXTORUS_TRAFFIC_OPTIONS_H
#define EXTORUS_TRAFFIC_OPTIONS_H

#include <argp.h>
#include <jansson.h>

#include "extorus/traffic.h"
#include "extorus/traffic_matrix.h"

enum { XT_MOST_PATTERNS = 16 };

typedef struct {
	const char *patterns[XT_MOST_PATTERNS];
	unsigned pattern_count; /* 0: the default */
	char *pattern_words;    /* where the names are */
	const char *matrix_path;
	xt_traffic_matrix_t *matrix;
	double zipf_exponent;
	xt_arrivals_t arrivals;
	unsigned tc_mask;    /* 0: all */
	xt_lengths_t length; /* max 0: the profile's */
	xt_tc_mix_t mix[XT_MAX_TCS];
	unsigned mix_count;
	uint64_t warmup, measure, drain;
	int has_warmup, has_measure, has_drain, detect_warmup;
} xt_traffic_options_t;

/* For a command's list of children; its input is an xt_traffic_options_t, set up with XT_TRAFFIC_OPTIONS. */
extern const struct argp xt_traffic_argp;
#define XT_TRAFFIC_OPTIONS           \
	{                            \
		.zipf_exponent = 1.0 \
	}

/* Reads the file of --matrix, if there is one. */
int xt_traffic_options_read(xt_traffic_options_t *o, unsigned pes, xt_diag_t *diag);
void xt_traffic_options_free(xt_traffic_options_t *o);
/* `index` of the patterns. The traffic refers to `o`. */
xt_traffic_t xt_traffic_from_options(
	const xt_traffic_options_t *o, const xt_profile_t *profile, unsigned index, double load, uint64_t seed);

/* The value of --zipf-exponent; ends with a usage error if it is none. */
double xt_parse_zipf_exponent(struct argp_state *state, const char *arg);
/* "L,L,..." or "FIRST:LAST:STEP" into loads[0 .. most-1]; ends with a usage error if it is neither. */
unsigned xt_parse_loads(struct argp_state *state, const char *arg, double *loads, unsigned most);

/* Adds what the traffic is to an object. */
void xt_traffic_json(const xt_traffic_t *traffic, json_t *object);

#endif
