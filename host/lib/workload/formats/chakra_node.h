/* SPDX-License-Identifier: Apache-2.0
 *
 * A node of an execution trace of Chakra. */
#pragma once

#include "wire_format.h"

typedef enum {
	XT_CHAKRA_METADATA = 1,
	XT_CHAKRA_MEMORY_LOAD,
	XT_CHAKRA_MEMORY_STORE,
	XT_CHAKRA_COMPUTATION,
	XT_CHAKRA_SEND,
	XT_CHAKRA_RECEIVE,
	XT_CHAKRA_COLLECTIVE,
	XT_CHAKRA_TYPES,
} xt_chakra_type_t;

typedef struct {
	uint64_t id, type, micros, call, size, source, destination, tag;
	int host; /* computed by the processor, not by the accelerator */
	int played;
	char group[64];
	uint64_t place;      /* of the message in the file, for errors */
	xt_bytes_t message;  /* again, for its dependencies */
	uint32_t begin, end; /* events */
} xt_chakra_node_t;

/* 1; -1: not the wire format. */
int xt_chakra_node_read(xt_chakra_node_t *node, xt_bytes_t message);
