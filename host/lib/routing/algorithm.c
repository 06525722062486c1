/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of the algorithms and the profiles that they are for. */
#include <string.h>

#include "extorus/routing.h"

static const struct {
	const char *name, *profile;
} algorithms[] = {
	[XT_ALGORITHM_DOR] = {"dor", "extoll"},
	[XT_ALGORITHM_TS_DOR] = {"ts-dor", "extoll"},
	[XT_ALGORITHM_DORT] = {"dort", "dort"},
	[XT_ALGORITHM_BUBBLE] = {"bubble", "bubble"},
	[XT_ALGORITHM_UPDOWN] = {"updown", "extoll"},
	[XT_ALGORITHM_LAYERED] = {"layered", "extoll"},
};

int xt_algorithm_parse(const char *name, xt_algorithm_t *out, xt_diag_t *diag)
{
	for (unsigned i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		if (strcmp(name, algorithms[i].name) == 0) {
			*out = (xt_algorithm_t)i;
			return XT_OK;
		}
	}
	return xt_fail(diag, XT_ERR_INVALID,
		"algorithm \"%.40s\": unknown; use dor (torus, twisted torus), ts-dor or dort (twin), or bubble (any "
		"of "
		"these), or updown or layered (any network)",
		name);
}

const char *xt_algorithm_name(xt_algorithm_t algorithm)
{
	return algorithms[algorithm].name;
}

const char *xt_algorithm_profile(xt_algorithm_t algorithm)
{
	return algorithms[algorithm].profile;
}
