/* SPDX-License-Identifier: Apache-2.0 */
#include "violations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *xt_finding_name(xt_finding_t finding)
{
	static const char *const names[XT_FINDINGS] = {
		[XT_FINDING_LOST] = "lost",
		[XT_FINDING_DUPLICATED] = "duplicated",
		[XT_FINDING_MISROUTED] = "misrouted",
		[XT_FINDING_REORDERED] = "reordered",
		[XT_FINDING_CORRUPTED] = "corrupted",
		[XT_FINDING_ILLEGAL_ROUTE] = "illegal_route",
		[XT_FINDING_FRAMING] = "framing",
		[XT_FINDING_CREDIT] = "credit",
		[XT_FINDING_BUFFER] = "buffer",
		[XT_FINDING_CONSERVATION] = "conservation",
		[XT_FINDING_BUSY] = "busy",
		[XT_FINDING_OFF_ROUTE] = "off_route",
		[XT_FINDING_POISONED] = "poisoned",
		[XT_FINDING_LINK_DOWN] = "link_down",
		[XT_FINDING_LIVELOCK] = "livelock",
		[XT_FINDING_STALL] = "stall",
	};

	return names[finding];
}

static void keep(xt_violations_t *violations, xt_finding_t kind, const char *format, va_list args)
{
	unsigned limit = kind == XT_FINDING_STALL ? XT_REPORTS_STALL : XT_REPORTS_PER_KIND;
	char line[512];
	char **reports;
	int used;

	if (violations->kept[kind] >= limit) {
		return;
	}
	used = snprintf(line, sizeof(line), "%s: ", xt_finding_name(kind));
	vsnprintf(line + used, sizeof(line) - (size_t)used, format, args);
	reports = realloc(violations->reports, (violations->report_count + 1) * sizeof(*reports));
	if (!reports) {
		return;
	}
	violations->reports = reports;
	reports[violations->report_count] = strdup(line);
	if (reports[violations->report_count]) {
		violations->report_count++;
		violations->kept[kind]++;
	}
}

void xt_violations_add(xt_violations_t *violations, xt_finding_t kind, const char *format, ...)
{
	va_list args;

	violations->counts[kind]++;
	va_start(args, format);
	keep(violations, kind, format, args);
	va_end(args);
}

void xt_violations_tell(xt_violations_t *violations, xt_finding_t kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep(violations, kind, format, args);
	va_end(args);
}

void xt_violations_free(xt_violations_t *violations)
{
	for (unsigned i = 0; violations->reports && i < violations->report_count; i++) {
		free(violations->reports[i]);
	}
	free(violations->reports);
	memset(violations, 0, sizeof(*violations));
}

int xt_violations_save(const xt_violations_t *violations, xt_bytes_t *out)
{
	int made = 1;

	for (unsigned i = 0; i < violations->report_count && made; i++) {
		const uint64_t size = strlen(violations->reports[i]) + 1;

		made = xt_bytes_add(out, &size, sizeof(size)) && xt_bytes_add(out, violations->reports[i], size);
	}
	return made;
}

int xt_violations_load(xt_violations_t *violations, xt_bytes_reader_t *in)
{
	const unsigned count = violations->report_count;
	int made;

	violations->report_count = 0;
	violations->reports = calloc(count + 1, sizeof(*violations->reports));
	made = violations->reports != NULL;
	for (unsigned i = 0; i < count && made; i++) {
		uint64_t size;

		made = xt_bytes_take(in, &size, sizeof(size)) && xt_bytes_take_array(in, &violations->reports[i], size);
		violations->report_count += (unsigned)made;
	}
	return made;
}
