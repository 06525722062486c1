/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "extorus/ranks.h"

/* Says why the command fails, and ends all ranks; `ranks` NULL: there are no others. Returns the exit status. */
int xt_ranks_give_up(const char *command, xt_ranks_t *ranks, int status, const xt_diag_t *diag);
