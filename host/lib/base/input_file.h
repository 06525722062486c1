/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>

#include "extorus/error.h"

/* Opens a file to be read. Opening never waits for longer than XT_OTHER_END_MS: so long may a pipe have no other end.
 * What the writer of a pipe or a terminal gives is waited for like the disk. */
enum { XT_OTHER_END_MS = 5000 };
int xt_input_open(const char *path, FILE **out, xt_diag_t *diag);
/* Likewise for a reader of its own; *fd is the caller's. */
int xt_input_descriptor(const char *path, int *fd, xt_diag_t *diag);
