/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/byte_buffer.h"
#include "saved_state.h"

/* The state of the own cards goes behind `out`; what all ranks need ends at *shared. `quiet`: as the client was told.
 * 0: out of memory. */
int checkpoint_save(xt_engine_t *network, const xt_client_t *client, int quiet, xt_bytes_t *out, size_t *shared);
