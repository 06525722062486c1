/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens "usb:", "ftdi:", "uart:" and "tcp:". */
#pragma once

#include "extorus/device.h"

int xt_board_is_uri(const char *uri);
int xt_board_open(const char *uri, const xt_open_options_t *options, xt_device_t **out, xt_diag_t *diag);
