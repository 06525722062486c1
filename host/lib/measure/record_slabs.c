/* SPDX-License-Identifier: Apache-2.0 */
#include "record_slabs.h"

#include <stdlib.h>

enum {
	LINE = 64,
	RECORDS = 64, /* allocated at a time */
};

void xt_record_slabs_open(xt_record_slabs_t *slabs, size_t record_size)
{
	*slabs = (xt_record_slabs_t){.size = (record_size + LINE - 1) / LINE * LINE};
}

static void *pop(void **first)
{
	void *item = *first;

	*first = *(void **)item;
	return item;
}

static void push(void **first, void *item)
{
	*(void **)item = *first;
	*first = item;
}

void xt_record_slabs_close(xt_record_slabs_t *slabs)
{
	while (slabs->slabs) {
		free(pop(&slabs->slabs));
	}
}

void *xt_record_slabs_take(xt_record_slabs_t *slabs)
{
	if (!slabs->spare) {
		char *slab = aligned_alloc(LINE, LINE + RECORDS * slabs->size);

		if (!slab) {
			return NULL;
		}
		push(&slabs->slabs, slab);
		for (unsigned i = 0; i < RECORDS; i++) {
			push(&slabs->spare, slab + LINE + i * slabs->size);
		}
	}
	return pop(&slabs->spare);
}

void xt_record_slabs_give_back(xt_record_slabs_t *slabs, void *record)
{
	push(&slabs->spare, record);
}
