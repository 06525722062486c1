/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of commands that send traffic: what the PEs send, and for how many cycles. */
#pragma once

#include <jansson.h>

#include "extorus/traffic.h"
#include "extorus/traffic_matrix.h"
#include "options.h"

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

/* A child of a syntax, for an xt_traffic_options_t that is set up with XT_TRAFFIC_OPTIONS. */
extern const xt_syntax_t xt_traffic_syntax;
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

/* "L,L,..." or "FIRST:LAST:STEP" into loads[0 .. most-1]; ends with a usage error if it is neither. */
unsigned xt_parse_loads(struct argp_state *state, const char *arg, double *loads, unsigned most);

/* Adds what the traffic is to an object. */
void xt_traffic_json(const xt_traffic_t *traffic, json_t *object);
