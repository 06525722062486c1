/* SPDX-License-Identifier: Apache-2.0 */
#include "failures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void append(xt_failures_t *failures, const char *arg)
{
	failures->used += (size_t)snprintf(failures->used < XT_SPEC_SIZE ? failures->text + failures->used : NULL,
		failures->used < XT_SPEC_SIZE ? XT_SPEC_SIZE - failures->used : 0, "~%s", arg);
}

void xt_take_failed_link(struct argp_state *state, const xt_option_t *option, char *arg, void *failures)
{
	if (!*arg || strchr(arg, '~') || !strchr(arg, ':')) {
		argp_error(state, "--%s %s: write CARD:PORT, for example 5:d0+ or 5:1", option->name, arg);
	}
	append(failures, arg);
}

void xt_take_failed_card(struct argp_state *state, const xt_option_t *option, char *arg, void *failures)
{
	if (!*arg || strchr(arg, '~') || strchr(arg, ':')) {
		argp_error(state, "--%s %s: write the number of a card", option->name, arg);
	}
	append(failures, arg);
}

void xt_take_failed_random(struct argp_state *state, const xt_option_t *option, char *arg, void *random)
{
	xt_parse_number(state, option->name, arg, option->min, option->max);
	*(const char **)random = arg;
}

int xt_parse_with_failures(const char *spec, const xt_failures_t *failures, const xt_profile_t *profile,
	xt_topology_t **out, xt_diag_t *diag)
{
	char text[4096 + 2 * XT_SPEC_SIZE];
	unsigned long long seed = failures->seeded ? failures->seed : 1;

	*out = NULL;
	if (failures->used >= XT_SPEC_SIZE || strlen(spec) > 4096) {
		return xt_fail(diag, XT_ERR_RANGE,
			"topology \"%.80s\": more failures than an image can name; use --fail-random, or describe what "
			"is left in a file",
			spec);
	}
	if (failures->random) {
		snprintf(text, sizeof(text), "%s%s~random=%s:%llu", spec, failures->text, failures->random, seed);
	} else {
		snprintf(text, sizeof(text), "%s%s", spec, failures->text);
	}
	return xt_topology_parse(text, profile, out, diag);
}
