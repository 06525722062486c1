/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds of a trace in either format that the reader accepts. */
#pragma once

#include "extorus/workload_file.h"
#include "fuzz.h"

enum { FUZZ_MOST_RANKS = 256 }; /* that are looked at further: it is the reader that is tried */

static inline int fuzz_read(const char *text, size_t size, xt_workload_format_t format, xt_workload_t **out)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
	xt_diag_t diag = {""};
	int ok;

	FUZZ_ASSERT(file);
	ok = fuzz_ok(xt_workload_read(file, "trace", format, out, &diag), &diag);
	FUZZ_ASSERT(ok == (*out != NULL));
	/* What a file says wrong has its line. */
	FUZZ_ASSERT(ok || strncmp(diag.text, "trace:", 6) == 0);
	fclose(file);
	return ok;
}

/* The text of a workload; NULL if the format cannot say it. Freed by the caller. */
static inline char *fuzz_write(const xt_workload_t *workload, xt_workload_format_t format, size_t *size)
{
	xt_diag_t diag = {""};
	char *text = NULL;
	FILE *file = open_memstream(&text, size);
	int ok;

	FUZZ_ASSERT(file);
	ok = fuzz_ok(format == XT_FORMAT_VEF ? xt_workload_write_vef(workload, file, NULL, &diag)
					     : xt_workload_write_goal(workload, file, &diag),
		&diag);
	fclose(file);
	FUZZ_ASSERT(ok || format == XT_FORMAT_VEF);
	if (!ok) {
		free(text);
		return NULL;
	}
	return text;
}

/* Written and read, it is the same workload, and written once more the same text. */
static inline void fuzz_round_trip(const xt_workload_t *workload, xt_workload_format_t format)
{
	xt_workload_statistics_t here, there;
	xt_diag_t diag = {""};
	size_t size, size_again;
	char *text = fuzz_write(workload, format, &size), *again;
	xt_workload_t *copy = NULL;

	if (!text) {
		return;
	}
	FUZZ_ASSERT(fuzz_read(text, size, format, &copy));
	FUZZ_ASSERT(fuzz_ok(xt_workload_statistics(workload, &here, &diag), &diag));
	FUZZ_ASSERT(fuzz_ok(xt_workload_statistics(copy, &there, &diag), &diag));
	FUZZ_ASSERT(here.messages == there.messages && here.bytes == there.bytes && here.pairs == there.pairs &&
		    here.longest_chain == there.longest_chain);
	FUZZ_ASSERT(format == XT_FORMAT_VEF || here.calculation_ns == there.calculation_ns);
	again = fuzz_write(copy, format, &size_again);
	FUZZ_ASSERT(again && size == size_again && memcmp(text, again, size) == 0);
	xt_workload_free(copy);
	free(again);
	free(text);
}

/* Every workload is a VEF trace of the same messages if each may wait for less. */
static inline void fuzz_one_dependency(const xt_workload_t *workload)
{
	xt_workload_statistics_t here, there;
	xt_diag_t diag = {""};
	size_t size;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size);
	xt_workload_t *copy = NULL;
	uint64_t less = 0;

	FUZZ_ASSERT(file);
	FUZZ_ASSERT(fuzz_ok(xt_workload_write_vef(workload, file, &less, &diag), &diag));
	fclose(file);
	FUZZ_ASSERT(fuzz_read(text, size, XT_FORMAT_VEF, &copy));
	FUZZ_ASSERT(fuzz_ok(xt_workload_statistics(workload, &here, &diag), &diag));
	FUZZ_ASSERT(fuzz_ok(xt_workload_statistics(copy, &there, &diag), &diag));
	FUZZ_ASSERT(here.messages == there.messages && here.bytes == there.bytes && here.pairs == there.pairs &&
		    here.longest_chain >= there.longest_chain && less <= here.messages);
	xt_workload_free(copy);
	free(text);
}

static inline void fuzz_accepted(const xt_workload_t *workload)
{
	if (xt_workload_ranks(workload) <= FUZZ_MOST_RANKS) {
		fuzz_round_trip(workload, XT_FORMAT_GOAL);
		fuzz_round_trip(workload, XT_FORMAT_VEF);
		fuzz_one_dependency(workload);
	}
}

static inline void fuzz_workload(const uint8_t *data, size_t size, xt_workload_format_t format)
{
	char *text = fuzz_text(data, size);
	xt_workload_t *workload = NULL;

	if (size && fuzz_read(text, size, format, &workload)) {
		fuzz_accepted(workload);
	}
	xt_workload_free(workload);
	free(text);
}
