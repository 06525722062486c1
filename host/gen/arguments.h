/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of a run of the generator, of the program and of `extorus gen` alike. */
#pragma once

#include <argp.h>

#include "extorus/error.h"

typedef struct {
	const char *profile, *folder;
	const char *without, *name; /* both or none: another card needs a name of its own */
} xt_generate_arguments_t;

/* Reads --profile, --without, --name and -o into an xt_generate_arguments_t, its input. */
extern const struct argp xt_generate_argp;

/* Writes the profile, or the profile that remains when parts are left out. */
int xt_generate_as_told(const xt_generate_arguments_t *arguments, xt_diag_t *diag);
