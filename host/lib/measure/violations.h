/* SPDX-License-Identifier: Apache-2.0
 *
 * What was found wrong: counted, and the first few of each kind kept as a line of text. */
#pragma once

#include <stdarg.h>
#include <stdint.h>

#include "base/byte_buffer.h"
#include "extorus/run.h"

enum {
	XT_REPORTS_PER_KIND = 8,
	XT_REPORTS_STALL = 64, /* a stall is told packet by packet */
};

/* All zero is an empty one; ends with xt_violations_free. */
typedef struct {
	uint64_t counts[XT_FINDINGS];
	unsigned kept[XT_FINDINGS];
	char **reports;
	unsigned report_count;
} xt_violations_t;

/* Counts one and keeps its text, "KIND: ...". */
void xt_violations_add(xt_violations_t *violations, xt_finding_t kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Keeps a further line about the last one of this kind. */
void xt_violations_tell(xt_violations_t *violations, xt_finding_t kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void xt_violations_free(xt_violations_t *violations);
/* As of a sample. */
int xt_violations_save(const xt_violations_t *violations, xt_bytes_t *out);
int xt_violations_load(xt_violations_t *violations, xt_bytes_reader_t *in);
