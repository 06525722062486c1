/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "pipe.h"

/* A pipe of a file descriptor, which is taken over, after a failure too. `what`: for messages. */
int xt_pipe_wrap(int fd, int is_socket, const char *what, xt_pipe_t **out, xt_diag_t *diag);
