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

/* "~5:d0+~random=3:1" */
static int write_failures(const char *spec, const xt_failures_t *failures, char *text, size_t size, xt_diag_t *diag)
{
	unsigned long long seed = failures->seeded ? failures->seed : 1;

	if (failures->used >= XT_SPEC_SIZE) {
		return xt_fail(diag, XT_ERR_RANGE,
			"topology \"%.80s\": more failures than an image can name; use --fail-random, or describe what "
			"is left in a file",
			spec);
	}
	if (failures->random) {
		snprintf(text, size, "%s~random=%s:%llu", failures->text, failures->random, seed);
	} else {
		snprintf(text, size, "%s", failures->text);
	}
	return XT_OK;
}

int xt_spec_with_failures(const char *spec, const xt_failures_t *failures, char **whole, xt_diag_t *diag)
{
	char text[2 * XT_SPEC_SIZE];
	int status = write_failures(spec, failures, text, sizeof(text), diag);

	if (status == XT_OK && asprintf(whole, "%s%s", spec, text) < 0) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	if (status != XT_OK) {
		*whole = NULL;
	}
	return status;
}

int xt_parse_with_failures(const char *spec, const xt_failures_t *failures, const xt_profile_t *profile,
	xt_topology_t **out, xt_diag_t *diag)
{
	char *whole;
	int status = xt_spec_with_failures(spec, failures, &whole, diag);

	*out = NULL;
	if (status == XT_OK) {
		status = xt_topology_parse(whole, profile, out, diag);
	}
	free(whole);
	return status;
}

int xt_image_with_failures(const xt_image_t *image, const xt_failures_t *failures, xt_topology_t **out, xt_diag_t *diag)
{
	char text[2 * XT_SPEC_SIZE];
	int status = write_failures(xt_image_topology(image), failures, text, sizeof(text), diag);

	*out = NULL;
	return status == XT_OK ? xt_image_parse_damaged(image, text, out, diag) : status;
}
