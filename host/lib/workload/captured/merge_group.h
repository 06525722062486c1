/* SPDX-License-Identifier: Apache-2.0
 *
 * Communicators of a captured run. Ranks mean the same one by the same name: its key, and its ranks. */
#pragma once

#include <stdint.h>

typedef struct xt_call_of_all xt_call_of_all_t;
typedef struct xt_call_group xt_call_group_t;
struct xt_call_group {
	xt_call_group_t *next; /* of the bucket */
	char *name;
	uint32_t number; /* from 1 on */
	uint32_t *members, count;
	uint8_t *declared;      /* by place: the rank has said the name */
	uint64_t *calls;        /* by place: collectives that the rank has begun */
	uint64_t first;         /* the number of `open` among them */
	xt_call_of_all_t *open; /* collectives that not all ranks have begun */
};

enum { XT_GROUP_BUCKETS = 4096 };

typedef struct {
	uint32_t ranks, count;
	xt_call_group_t *bucket[XT_GROUP_BUCKETS];
} xt_groups_t;

/* *place in: that of the rank in its communicator; out: that in the group's members. NULL: the name is no group of this
 * rank, or out of memory. */
xt_call_group_t *xt_group_find(xt_groups_t *groups, const char *name, uint32_t rank, uint32_t *place);
void xt_groups_free(xt_groups_t *groups);
