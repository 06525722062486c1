/* SPDX-License-Identifier: Apache-2.0
 *
 * The registers LINK_PEER of a served network: every link of it is inside what the server shows as a board,
 * and a port without a link has pins without a cable. */
#pragma once

#include "device/device_internal.h"
#include "frame.h"

/* Answers a READ of nothing else into `words`; 0: the request is for other registers. */
int xt_server_read_peers(const xt_device_t *device, const xt_frame_t *request, uint32_t *words);
