/* SPDX-License-Identifier: Apache-2.0
 *
 * Published comparisons done again: what sim/experiments/reproductions/experiments.json lists. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "extorus/error.h"
#include "sweep.h"

enum { XT_MOST_CURVES = 16, XT_REPRODUCE_PATH = 3072 };

/* What is measured of a program. */
typedef enum {
	XT_PROGRAM_NETWORK,    /* mean latency of a packet in the network, cycles */
	XT_PROGRAM_END_TO_END, /* likewise from the begin of its send */
	XT_PROGRAM_UTILISATION,
	XT_PROGRAM_TIME, /* cycles */
	XT_PROGRAM_FIGURES,
} xt_program_figure_t;

/* A curve of a group: a sweep, or the figures of a program. */
typedef struct {
	const char *label;
	double width;      /* of its links, by that of the others: loads are scaled so */
	xt_sweep_t *sweep; /* one network, one pattern; NULL: a program */
	xt_mean_t program[XT_PROGRAM_FIGURES];
	unsigned runs;
	double analytic[XT_MOST_LOADS]; /* latency by the analytic model; not a number without one */
	int has_analytic;
} xt_curve_t;

typedef enum {
	XT_VERDICT_NONE, /* nothing is published */
	XT_VERDICT_AGREES,
	XT_VERDICT_NOISE, /* the difference is within the confidence of the means */
	XT_VERDICT_DISAGREES,
} xt_verdict_t;

/* A row of the table. */
typedef struct {
	char text[320], published[128], ours[320];
	xt_verdict_t verdict;
	double distance; /* percentage points from a published figure, not a number without one */
} xt_claim_t;

/* `is_claim`: with a published side; else it is only measured. What a claim of the list says; XT_ERR_FORMAT if it is
 * none. */
int xt_claim_describe(const json_t *claim, int is_claim, xt_claim_t *out, xt_diag_t *diag);
/* The same, with what was measured. */
int xt_claim_make(
	const json_t *claim, int is_claim, const xt_curve_t *curves, unsigned count, xt_claim_t *out, xt_diag_t *diag);
const char *xt_verdict_name(xt_verdict_t verdict);
/* What the rows come to, in one sentence. */
void xt_claims_sentence(const xt_claim_t *claims, unsigned count, char *text, unsigned size);

/* The network of a curve, from the first of the objects that has a setting: the curve, its group, the experiment, NULL.
 * "ties" says which way both-ways-alike goes, "in_transit_priority" false turns that off. */
int xt_reproduce_network(const json_t *const *objects, xt_sweep_network_t *network, xt_diag_t *diag);

/* All experiments, an array; NULL when out of memory. */
json_t *xt_experiments(void);
/* Where the published side is from: "STUDY: TABLE; TABLE". */
void xt_reproduce_source(const json_t *experiment, char *text, size_t size);
/* What --list --json says of one: source, what it was published for, claims, and what cannot be run. */
json_t *xt_reproduce_entry(const json_t *experiment);
/* What is asked for. */
typedef struct {
	int quick;
	const char
		*only; /* texts with commas between them, one of which the label of a group must have in it; or NULL */
	unsigned threads;
	xt_ranks_t *ranks; /* share the runs; only the first one writes files */
	/* Without a port buffer: that of the experiment, "port_buffer". An experiment with "switch" has that one only.
	 */
	xt_device_switch_t device_switch;
} xt_reproduce_options_t;

/* Writes what is published and under which conditions, and the conditions here; `quick`: what a quick run leaves out.
 */
void xt_reproduce_head(const json_t *experiment, const xt_reproduce_options_t *options, const char *quick, FILE *out);
/* Writes the claims that cannot be run, with what they need. */
void xt_reproduce_needs(const json_t *experiment, FILE *out);
/* Runs one into `folder`: results, pictures, table.md. *wrong counts runs in which something was wrong. */
int xt_reproduce(const json_t *experiment, const xt_reproduce_options_t *options, const char *folder, FILE *out,
	json_t **table, unsigned *wrong, xt_diag_t *diag);
/* The same for an experiment that has "rules" for collectives: no loads and pictures, but a row for each collective. */
int xt_reproduce_collectives(const json_t *experiment, const xt_reproduce_options_t *options, const char *folder,
	FILE *out, json_t **table, unsigned *wrong, xt_diag_t *diag);
/* Replays the "program" of a group on the networks of its curves, with results at `path`. Fills curves[0 .. *count - 1]
 * and adds to *wrong the runs in which something was wrong. */
int xt_reproduce_program(const json_t *experiment, const json_t *group, const xt_reproduce_options_t *options,
	const char *path, xt_curve_t *curves, unsigned *count, unsigned *wrong, xt_diag_t *diag);
/* The options with what the experiment says. */
xt_reproduce_options_t xt_reproduce_options_of(const xt_reproduce_options_t *options, const json_t *experiment);
/* Whether a group is among those that are asked for. */
int xt_reproduce_wants(const json_t *group, const xt_reproduce_options_t *options);
