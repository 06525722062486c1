/* SPDX-License-Identifier: Apache-2.0
 *
 * A run's checkpoints: its own state, and what the back end adds. */
#pragma once

#include "run_client.h"

/* Reads the file, if there is one, and takes the state of the client from there. The rest is the back end's. */
int xt_run_resume(xt_run_t *run, xt_diag_t *diag);
/* What the back end calls. */
void xt_run_add_checkpoints(xt_run_t *run, xt_client_t *client);
