/* SPDX-License-Identifier: Apache-2.0
 *
 * What a shard of another rank has to tell rank 0's client. */
#pragma once

#include "base/byte_buffer.h"
#include "shard_mail.h"

/* Of an epoch of so many cycles. 0: out of memory, or a message that is cut off. */
int rank_tellings_pack(const sheet_t *sheet, unsigned cycles, xt_bytes_t *out);
/* Cells stay where they are in the message. */
int rank_tellings_unpack(sheet_t *sheet, unsigned cycles, xt_bytes_reader_t *reader);
