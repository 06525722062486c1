/* SPDX-License-Identifier: Apache-2.0
 *
 * Where `serve` can be reached. */
#pragma once

#include <stdbool.h>

#include "extorus/error.h"

enum { XT_MOST_LISTENERS = 8 };

typedef struct {
	int fd[XT_MOST_LISTENERS];
	unsigned count;
	bool terminal; /* fd[0] is one, and the host itself */
} xt_listener_t;

/* Opens "tcp:HOST:PORT" at every address of the host, or "pty", and prints the URI. An address that is not of this
 * machine alone is told on standard error. */
int xt_listener_open(const char *where, xt_listener_t *listener, xt_diag_t *diag);
/* Opens "PORT", of this machine alone, or "HOST:PORT", and prints the address of `path` there. */
int xt_listener_open_http(const char *where, const char *path, xt_listener_t *listener, xt_diag_t *diag);
void xt_listener_close(xt_listener_t *listener);
