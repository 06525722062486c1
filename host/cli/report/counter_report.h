/* SPDX-License-Identifier: Apache-2.0
 *
 * The traffic and error counters of all cards of a device. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "extorus/device.h"

/* An array with one object per card and port in use; NULL and `diag` if a card does not answer.
 * first_card .. end_card - 1. */
json_t *xt_counters_json(xt_device_t *device, unsigned first_card, unsigned end_card, xt_diag_t *diag);
/* The same as a table; ports that saw nothing are left out. A second table has the ports where anything went
 * wrong, if there are any. */
int xt_counters_print(const json_t *counters, FILE *out);
