/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of a checkpoint: the state of the client, and a part of each process. A checkpoint takes the place of the
 * one before only when all of it is on the disk. */
#pragma once

#include <stdint.h>

#include "base/byte_buffer.h"
#include "extorus/atomic_file.h"

typedef struct {
	uint64_t cycle;
	uint32_t key;  /* of the run: network, traffic, options */
	uint32_t size; /* of the client's structs */
	uint32_t parts;
	uint32_t phase;
} xt_checkpoint_head_t;

/* What a file holds; ends with xt_checkpoint_close. `memory` NULL: there is no such file. */
typedef struct {
	void **memory; /* of the client and of the parts */
	xt_checkpoint_head_t head;
	uint32_t sum;
	xt_bytes_t client;
	xt_bytes_t *parts; /* [head.parts] */
} xt_checkpoint_t;

/* `leads`: all of it. Otherwise nothing of the client, and of the parts without PEs from `first_pe` to `end_pe` - 1
 * only what all processes need: the rest is neither read nor checked. XT_ERR_INVALID: the file is no checkpoint, or
 * damaged.
 */
int xt_checkpoint_read(
	const char *path, int leads, uint32_t first_pe, uint32_t end_pe, xt_checkpoint_t *checkpoint, xt_diag_t *diag);
/* What was read makes no sense, or, as errno says, which was 0 before: memory does not suffice. */
int xt_checkpoint_refuse(const char *path, xt_diag_t *diag);
void xt_checkpoint_close(xt_checkpoint_t *checkpoint);

/* Of a part: whose PEs' state it has, and how many of its bytes all processes need. */
typedef struct {
	size_t shared;
	uint32_t first_pe, end_pe;
} xt_checkpoint_share_t;

/* One that is being written: `head.parts` parts behind its begin. */
typedef struct {
	xt_output_t *output;
	unsigned long sum;
} xt_checkpoint_writer_t; /* output NULL: closed */

int xt_checkpoint_begin(xt_checkpoint_writer_t *writer, const char *path, const xt_checkpoint_head_t *head,
	const xt_bytes_t *client, xt_diag_t *diag);
/* XT_ERR_IO: the file is as before, and the writer is closed. */
int xt_checkpoint_add(
	xt_checkpoint_writer_t *writer, const xt_bytes_t *part, const xt_checkpoint_share_t *share, xt_diag_t *diag);
int xt_checkpoint_end(xt_checkpoint_writer_t *writer, xt_diag_t *diag);
/* It is given up, unless it has ended. */
void xt_checkpoint_abort(xt_checkpoint_writer_t *writer);
