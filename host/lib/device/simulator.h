/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens "sim:" and "model:". */
#pragma once

#include "extorus/device.h"

int xt_simulator_is_uri(const char *uri);
/* Of the options only `ranks` and `rank_cards`. */
int xt_simulator_open(const char *uri, const xt_open_options_t *options, xt_device_t **out, xt_diag_t *diag);
