/* SPDX-License-Identifier: Apache-2.0
 *
 * How busy links and switches were. */
#pragma once

#include "extorus/device.h"
#include "extorus/run.h"

/* Fills in the utilisations from the result's port_load. */
void xt_utilisation(const xt_device_t *device, xt_result_t *result);
