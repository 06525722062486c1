/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of the algorithms and the profiles that they are for. */
#include <string.h>

#include "extorus/routing.h"

static const struct {
	const char *name, *profile, *adaptive_profile;
} algorithms[] = {
	[XT_ALGORITHM_DOR] = {"dor", "extoll", "extoll"},
	[XT_ALGORITHM_TS_DOR] = {"ts-dor", "extoll", "extoll"},
	[XT_ALGORITHM_DORT] = {"dort", "dort", "dort_adaptive"},
	[XT_ALGORITHM_BUBBLE] = {"bubble", "bubble", "bubble_adaptive"},
	[XT_ALGORITHM_UPDOWN] = {"updown", "extoll", "extoll"},
	[XT_ALGORITHM_LAYERED] = {"layered", "extoll", "extoll"},
	[XT_ALGORITHM_DESTRO] = {"destro", "extoll10", "extoll10"},
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
		"algorithm \"%.40s\": unknown; use dor (torus, twisted torus, mesh), ts-dor or dort (twin), or bubble "
		"(any of these but meshes), destro (tree), or updown or layered (any network)",
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

const char *xt_algorithm_adaptive_profile(xt_algorithm_t algorithm)
{
	return algorithms[algorithm].adaptive_profile;
}

static const char *const ties_names[] = {
	[XT_TIES_POSITIVE] = "positive", [XT_TIES_BY_COORDINATE] = "coordinate", [XT_TIES_BY_SOURCE] = "source"};

int xt_ties_parse(const char *name, xt_ties_t *out, xt_diag_t *diag)
{
	for (xt_ties_t ties = XT_TIES_POSITIVE; ties <= XT_TIES_BY_SOURCE; ties++) {
		if (strcmp(name, ties_names[ties]) == 0) {
			*out = ties;
			return XT_OK;
		}
	}
	return xt_fail(diag, XT_ERR_INVALID, "ties \"%.40s\": unknown; use positive, coordinate or source", name);
}

const char *xt_ties_name(xt_ties_t ties)
{
	return ties == XT_TIES_DEFAULT ? "default" : ties_names[ties];
}
