/* SPDX-License-Identifier: Apache-2.0
 *
 * Which cards of a network are whose, where several ranks simulate the network. */
#pragma once

#include "extorus/device.h"

/* (*out)[count + 1], to be freed: a copy of `given`, or where that is NULL ranges of about the same work between which
 * few links lead. `checks`: rank 0's checks, percent of the work of all cards' steps. */
int xt_rank_partition(const xt_device_t *device, unsigned count, unsigned checks, const uint32_t *given, uint32_t **out,
	xt_diag_t *diag);
