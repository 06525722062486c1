/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that let links and cards of a topology fail. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "extorus/image.h"
#include "extorus/topology.h"
#include "options.h"

typedef struct {
	char text[XT_SPEC_SIZE]; /* what is appended to the spec, without those at random */
	size_t used;             /* characters, also those that did not fit */
	const char *random;      /* how many, or NULL */
	uint64_t seed;
	bool seeded;
} xt_failures_t;

/* Rows for an options struct whose `failures` are these. */
/* clang-format off */
#define XT_OPTION_FAILURES(options) \
	{"fail-link", "CARD:PORT", "This link has failed; a port has a name, like d0+, or a number. Can be repeated", \
		.value = XT_AT(options, failures), .take = xt_take_failed_link, .group = 1}, \
	{"fail-card", "CARD", "This card has failed, with all its links. Can be repeated", \
		.value = XT_AT(options, failures), .take = xt_take_failed_card}, \
	{"fail-random", "N", "N more links have failed", \
		.value = XT_AT(options, failures.random), .max = UINT32_MAX, .take = xt_take_failed_random}, \
	{"seed", "S", "What is drawn at random is drawn with this seed (default: 1)", \
		.value = XT_AT(options, failures.seed), .max = XT_MOST_SEED, .mark = XT_AT(options, failures.seeded)}
/* clang-format on */

/* Of these rows. */
void xt_take_failed_link(struct argp_state *state, const xt_option_t *option, char *arg, void *failures);
void xt_take_failed_card(struct argp_state *state, const xt_option_t *option, char *arg, void *failures);
void xt_take_failed_random(struct argp_state *state, const xt_option_t *option, char *arg, void *random);

/* The spec with the failures in it, for free(). */
int xt_spec_with_failures(const char *spec, const xt_failures_t *failures, char **whole, xt_diag_t *diag);
/* The topology `spec` with the failures; xt_topology_parse. */
int xt_parse_with_failures(const char *spec, const xt_failures_t *failures, const xt_profile_t *profile,
	xt_topology_t **out, xt_diag_t *diag);
/* Likewise the topology that an image was made for. */
int xt_image_with_failures(
	const xt_image_t *image, const xt_failures_t *failures, xt_topology_t **out, xt_diag_t *diag);
