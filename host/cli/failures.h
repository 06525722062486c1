/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that let links and cards of a topology fail. */
#ifndef EXTORUS_FAILURES_H
#define EXTORUS_FAILURES_H

#include <stdbool.h>
#include <stdint.h>

#include "extorus/topology.h"
#include "options.h"

enum { XT_KEY_FAIL_LINK = 0x3000, XT_KEY_FAIL_CARD, XT_KEY_FAIL_RANDOM, XT_KEY_SEED };

typedef struct {
	char text[XT_SPEC_SIZE]; /* what is appended to the spec, without those at random */
	size_t used;             /* characters, also those that did not fit */
	const char *random;      /* how many, or NULL */
	uint64_t seed;
	bool seeded;
} xt_failures_t;

/* For a subcommand's list of options. */
#define XT_OPTION_FAILURES                                                                                     \
	{"fail-link", XT_KEY_FAIL_LINK, "CARD:PORT", 0,                                                        \
		"This link has failed; a port has a name, like d0+, or a number. Can be repeated", 1},         \
		{"fail-card", XT_KEY_FAIL_CARD, "CARD", 0,                                                     \
			"This card has failed, with all its links. Can be repeated", 1},                       \
		{"fail-random", XT_KEY_FAIL_RANDOM, "N", 0, "N more links have failed", 1},                    \
	{                                                                                                      \
		"seed", XT_KEY_SEED, "S", 0, "What is drawn at random is drawn with this seed (default: 1)", 1 \
	}

/* For the parser: 0 if it took the option, else ARGP_ERR_UNKNOWN. */
error_t xt_take_failure(struct argp_state *state, int key, char *arg, xt_failures_t *failures);
/* The topology `spec` with the failures; xt_topology_parse. */
int xt_parse_with_failures(const char *spec, const xt_failures_t *failures, const xt_profile_t *profile,
	xt_topology_t **out, xt_diag_t *diag);

#endif
