/* SPDX-License-Identifier: Apache-2.0
 *
 * Plug-ins: shared objects beside the shared library or the program, or where EXTORUS_PLUGIN_DIR says. */
#pragma once

#include <stddef.h>

#include "extorus/error.h"

enum { XT_PLUGIN_PATH = 2 * 4096 };

/* Where the shared object `name` is. */
int xt_plugin_find(const char *name, char *path, size_t size, xt_diag_t *diag);
/* Opens the shared object `name` and calls its function `symbol`, which returns a pointer; NULL if there is none.
 * `path`, of `size` characters, takes where the object is. */
int xt_plugin_enter(const char *name, const char *symbol, const void **out, void **library, char *path, size_t size,
	xt_diag_t *diag);
