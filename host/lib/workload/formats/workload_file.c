/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of workloads: which format they have. */
#include <stdlib.h>
#include <string.h>

#include "formats.h"

static int ends_with(const char *text, size_t length, const char *end)
{
	size_t tail = strlen(end);

	return length >= tail && memcmp(text + length - tail, end, tail) == 0;
}

/* By the name, without .gz, or by the begin of the file. */
static int is_vef(const char *path, FILE *file)
{
	size_t length = strlen(path);
	char begin[7] = "";
	size_t got;

	length -= ends_with(path, length, ".gz") ? 3 : 0;
	if (ends_with(path, length, ".vef") || ends_with(path, length, ".goal")) {
		return ends_with(path, length, ".vef");
	}
	got = fread(begin, 1, 6, file);
	for (size_t i = got; i > 0; i--) {
		ungetc((unsigned char)begin[i - 1], file);
	}
	return strncmp(begin, "VEF", 3) == 0 || strcmp(begin, "\xef\xbb\xbfVEF") == 0;
}

int xt_workload_read(FILE *file, const char *name, xt_workload_format_t format, xt_workload_t **out, xt_diag_t *diag)
{
	return (format == XT_FORMAT_VEF ? xt_vef_read : xt_goal_read)(file, name, out, diag);
}

int xt_workload_load(const char *path, xt_workload_t **out, xt_diag_t *diag)
{
	FILE *file;
	int vef, status;

	*out = NULL;
	if (ends_with(path, strlen(path), ".et")) {
		return xt_chakra_load(path, out, diag);
	}
	status = xt_trace_open(path, &file, diag);
	if (status != XT_OK) {
		return status;
	}
	vef = is_vef(path, file);
	status = xt_workload_read(file, path, vef ? XT_FORMAT_VEF : XT_FORMAT_GOAL, out, diag);
	if (ferror(file)) {
		xt_workload_free(*out);
		*out = NULL;
		status = xt_fail(diag, XT_ERR_IO,
			"%.200s: cannot be read to its end; it is cut off or damaged, or its pipe silent", path);
	}
	fclose(file);
	return status;
}
