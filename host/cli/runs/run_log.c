/* SPDX-License-Identifier: Apache-2.0 */
#include "run_log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static int part_name(const char *path, char *name, size_t size, xt_diag_t *diag)
{
	return snprintf(name, size, "%s.part", path) < (int)size
		       ? XT_OK
		       : xt_fail(diag, XT_ERR_RANGE, "%.100s...: the name is too long", path);
}

int xt_run_log_open(xt_run_log_t *log, const char *path, const char *checkpoint, xt_diag_t *diag)
{
	char name[PATH_MAX];
	int status, fd;

	*log = (xt_run_log_t){.path = path};
	if (!path) {
		return XT_OK;
	}
	if (!checkpoint) {
		status = xt_output_open(path, &log->output, diag);
		log->stream = status == XT_OK ? xt_output_stream(log->output) : NULL;
		return status;
	}
	status = part_name(path, name, sizeof(name), diag);
	if (status != XT_OK) {
		return status;
	}
	if (access(checkpoint, F_OK) == 0 && access(name, F_OK) != 0) {
		/* The run was over, but its result was not out. */
		(void)rename(path, name);
	}
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	log->stream = fd < 0 ? NULL : fdopen(fd, "r+b");
	return log->stream ? XT_OK : xt_fail(diag, XT_ERR_IO, "%.300s: cannot write here: %s", name, strerror(errno));
}

int xt_run_log_close(xt_run_log_t *log, int status, xt_diag_t *diag)
{
	char name[PATH_MAX];
	int lost;

	if (!log->stream) {
		return status;
	}
	if (log->output && status != XT_OK) {
		xt_output_abort(log->output);
		return status;
	}
	if (log->output) {
		return xt_output_commit(log->output, diag);
	}
	lost = ferror(log->stream) != 0;
	lost |= fclose(log->stream) != 0;
	if (status != XT_OK) {
		return status;
	}
	status = part_name(log->path, name, sizeof(name), diag);
	if (status == XT_OK && (lost || rename(name, log->path) != 0)) {
		status = xt_fail(diag, XT_ERR_IO, "%.300s: writing failed: %s", log->path, strerror(errno));
	}
	return status;
}
