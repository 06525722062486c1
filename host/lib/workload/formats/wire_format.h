/* SPDX-License-Identifier: Apache-2.0
 *
 * The wire format of protocol buffers: a message is fields, each a number and a value. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
	const uint8_t *at, *end;
} xt_bytes_t;

typedef struct {
	uint64_t number;
	int is_bytes; /* a text, a message or a packed list, in `bytes`; otherwise `value` */
	uint64_t value;
	xt_bytes_t bytes;
} xt_field_t;

/* Each takes what it reads off the begin of `bytes`. 1; 0 at the end of the message; -1: not the wire format. */
int xt_wire_number(xt_bytes_t *bytes, uint64_t *value);
int xt_wire_field(xt_bytes_t *bytes, xt_field_t *field);
/* A message with its length before. */
int xt_wire_message(xt_bytes_t *bytes, xt_bytes_t *message);
