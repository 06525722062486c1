/* SPDX-License-Identifier: Apache-2.0
 *
 * What the unit tests of the toolkit share. */
#pragma once

/* cmocka.h wants these before it, in this order. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include <string.h>

#include "extorus/profiles.h"
#include "extorus/routing.h"

/* A test of cmocka that has no state. */
#define TEST(name) static void name(void **state __attribute__((unused)))

static inline xt_topology_t *make_topology(const char *spec, const char *profile)
{
	xt_topology_t *topology = NULL;
	xt_diag_t diag = {""};

	if (xt_topology_parse(spec, xt_profile_find(profile), &topology, &diag) != XT_OK) {
		fail_msg("%s", diag.text);
	}
	return topology;
}

/* Positive ones where there is a choice, so that what a test expects can be counted by hand. */
static inline xt_ties_t countable_ties(const xt_topology_t *topology, xt_algorithm_t algorithm)
{
	xt_topology_kind_t kind = xt_topology_kind(topology);

	return (kind == XT_TOPOLOGY_TORUS || kind == XT_TOPOLOGY_TWIN) && algorithm != XT_ALGORITHM_UPDOWN &&
			       algorithm != XT_ALGORITHM_LAYERED
		       ? XT_TIES_POSITIVE
		       : XT_TIES_DEFAULT;
}

/* Frees the topology. */
static inline xt_image_t *route_topology(xt_topology_t *topology, const xt_route_options_t *options)
{
	xt_image_t *image = NULL;
	xt_diag_t diag = {""};

	if (xt_route(topology, options, &image, &diag) != XT_OK) {
		fail_msg("%s", diag.text);
	}
	xt_topology_free(topology);
	return image;
}

/* DOR for a torus, TS-DOR for a twin torus. */
static inline xt_image_t *make_profile_image(const char *spec, const char *profile, int single_tc)
{
	xt_topology_t *topology = make_topology(spec, profile);
	xt_route_options_t options = {
		.size = sizeof(options),
		.algorithm = xt_topology_kind(topology) == XT_TOPOLOGY_TWIN ? XT_ALGORITHM_TS_DOR : XT_ALGORITHM_DOR,
		.ties = countable_ties(topology, XT_ALGORITHM_DOR),
		.single_tc = single_tc != 0,
	};

	return route_topology(topology, &options);
}

static inline xt_image_t *make_routed_image(
	const char *spec, const char *profile, xt_algorithm_t algorithm, int adaptive)
{
	xt_topology_t *topology = make_topology(spec, profile);
	xt_route_options_t options = {.size = sizeof(options),
		.algorithm = algorithm,
		.ties = countable_ties(topology, algorithm),
		.adaptive = adaptive != 0};

	return route_topology(topology, &options);
}

static inline xt_image_t *make_image(const char *spec, int single_tc)
{
	return make_profile_image(spec, "extoll", single_tc);
}

static inline void assert_says(const xt_diag_t *diag, const char *part)
{
	if (!strstr(diag->text, part)) {
		fail_msg("\"%s\" does not say \"%s\"", diag->text, part);
	}
}
