/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include <stdio.h>

#include "extorus/profiles.h"
#include "generate.h"

enum { KEY_PROFILE = 0x3000, KEY_WITHOUT, KEY_NAME };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	xt_generate_arguments_t *a = state->input;

	switch (key) {
	case KEY_PROFILE:
		a->profile = arg;
		return 0;
	case KEY_WITHOUT:
		a->without = arg;
		return 0;
	case KEY_NAME:
		a->name = arg;
		return 0;
	case 'o':
		a->folder = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->without != !a->name) {
			argp_error(state, "--without and --name go together: another card needs a name of its own");
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_list[] = {
	{"profile", KEY_PROFILE, "NAME", 0, "Switch profile (default: extoll)", 0},
	{"output", 'o', "DIR", 0, "Folder for the packages, headers and lists", 0},
	{"without", KEY_WITHOUT, "PARTS", 0,
		"Leave out link, monitors, ecc, adaptive, u-turns, credit-sums, bypass, classes (joined by commas)", 0},
	{"name", KEY_NAME, "NAME", 0, "Name of the profile with parts left out", 0},
	{0},
};

const struct argp xt_generate_argp = {.options = option_list, .parser = parse};

int xt_generate_as_told(const xt_generate_arguments_t *a, xt_diag_t *diag)
{
	const xt_profile_t *profile;
	xt_profile_t rest;
	char summary[160];
	int status = xt_profile_require(a->profile ? a->profile : "extoll", &profile, diag);

	if (status != XT_OK || !a->without) {
		return status == XT_OK ? xt_generate(profile, a->folder, diag) : status;
	}
	if (xt_profile_find(a->name)) {
		return xt_fail(
			diag, XT_ERR_INVALID, "--name %.64s: a built-in profile has this name; take another", a->name);
	}
	rest = *profile;
	if ((status = xt_profile_without(&rest, a->without, diag)) != XT_OK) {
		return status;
	}
	snprintf(summary, sizeof(summary), "%.32s without %.64s", profile->name, a->without);
	rest.name = a->name;
	rest.summary = summary;
	return xt_generate(&rest, a->folder, diag);
}
