/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include "extorus/error.h"

/* So long may a pipe have no other end when it is opened. */
enum { XT_OTHER_END_MS = 5000 };
/* So long may the writer of a pipe be silent, if EXTORUS_WAIT_SECONDS does not say how long. */
enum { XT_SILENCE_SECONDS = 60 };

/* Opens a file to be read. What the writer of a pipe gives is waited for as above; a terminal may take its time. */
int xt_input_open(const char *path, FILE **out, xt_diag_t *diag);
/* Likewise for a reader of its own, which uses xt_input_read; *fd is the caller's. */
int xt_input_descriptor(const char *path, int *fd, xt_diag_t *diag);
/* What the errno of a failed read means. */
const char *xt_input_error(int error);
/* As read(2); ETIMEDOUT if the writer of a pipe was silent for too long. */
ssize_t xt_input_read(int fd, void *bytes, size_t room);
