/* SPDX-License-Identifier: Apache-2.0
 *
 * The captured file of a rank, in memory, line by line. */
#pragma once

#include "workload/text.h"

typedef struct {
	xt_text_t text;
	char *path;
	void *map;
	size_t size;
	uint32_t rank, ranks;
	uint64_t run;
} xt_rank_file_t;

/* Reads the first line too. Ends with xt_rank_file_close in any case. */
int xt_rank_file_open(xt_rank_file_t *file, const char *folder, uint32_t rank, xt_diag_t *diag);
void xt_rank_file_close(xt_rank_file_t *file);

/* The next word as a number; -1 is UINT64_MAX. */
int xt_rank_file_number(xt_rank_file_t *file, const char *what, uint64_t most, uint64_t *value);
