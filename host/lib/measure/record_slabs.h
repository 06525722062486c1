/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of one size, many of which come and go. Each is in as few cache lines as possible. */
#pragma once

#include <stddef.h>

typedef struct {
	size_t size;
	void *spare; /* free records, each of which begins with the address of the next */
	void *slabs; /* what was allocated, likewise */
} xt_record_slabs_t;

void xt_record_slabs_open(xt_record_slabs_t *slabs, size_t record_size);
/* Ends all records. */
void xt_record_slabs_close(xt_record_slabs_t *slabs);
/* A record, not set to anything; NULL: out of memory. */
void *xt_record_slabs_take(xt_record_slabs_t *slabs);
void xt_record_slabs_give_back(xt_record_slabs_t *slabs, void *record);
