/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

#include "extorus/error.h"
#include "extorus/options_size.h"

/* Copies `given`, an options struct of any version or NULL, into `options`, this library's version of `size` bytes.
 * Members that were not given are 0. `who` begins the diagnostic. */
int xt_options_take(const void *given, void *options, size_t size, const char *who, xt_diag_t *diag);
