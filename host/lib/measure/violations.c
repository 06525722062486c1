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

static void keep(xt_findings_t *findings, xt_finding_t kind, const char *format, va_list args)
{
	unsigned limit = kind == XT_FINDING_STALL ? XT_REPORTS_STALL : XT_REPORTS_PER_KIND;
	char line[512];
	char **reports;
	int used;

	if (findings->kept[kind] >= limit) {
		return;
	}
	used = snprintf(line, sizeof(line), "%s: ", xt_finding_name(kind));
	vsnprintf(line + used, sizeof(line) - (size_t)used, format, args);
	reports = realloc(findings->reports, (findings->report_count + 1) * sizeof(*reports));
	if (!reports) {
		return;
	}
	findings->reports = reports;
	reports[findings->report_count] = strdup(line);
	if (reports[findings->report_count]) {
		findings->report_count++;
		findings->kept[kind]++;
	}
}

void xt_findings_add(xt_findings_t *findings, xt_finding_t kind, const char *format, ...)
{
	va_list args;

	findings->counts[kind]++;
	va_start(args, format);
	keep(findings, kind, format, args);
	va_end(args);
}

void xt_findings_tell(xt_findings_t *findings, xt_finding_t kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	keep(findings, kind, format, args);
	va_end(args);
}

void xt_findings_free(xt_findings_t *findings)
{
	for (unsigned i = 0; i < findings->report_count; i++) {
		free(findings->reports[i]);
	}
	free(findings->reports);
	memset(findings, 0, sizeof(*findings));
}
