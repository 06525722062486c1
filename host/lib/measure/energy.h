/* SPDX-License-Identifier: Apache-2.0
 *
 * Energy of a run by the profile's coefficients. */
#pragma once

#include "extorus/device.h"
#include "extorus/run.h"

/* Fills in the energy from the result's port_load and network_cell. */
void xt_energy(const xt_device_t *device, xt_result_t *result);
