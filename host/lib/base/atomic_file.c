/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/atomic_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "input_file.h"

struct xt_output {
	FILE *stream;
	bool is_stdout;
	char *temporary; /* the name until the output is whole; NULL where the path is written directly */
	bool unnamed;    /* not even that yet: nothing is left of a program that is killed */
	int lock;        /* held as long as the temporary file may have a name; -1: none */
	char path[];
};

static void remove_temporary(const xt_output_t *output)
{
	if (output->temporary && !output->unnamed) {
		unlink(output->temporary);
	}
}

static size_t name_size(const char *path)
{
	return strlen(path) + 56;
}

static void write_name(const xt_output_t *output, size_t size, unsigned attempt)
{
	snprintf(output->temporary, size, "%s.xt-%ld-%u.tmp", output->path, (long)getpid(), attempt);
}

static const char *skip_digits(const char *text)
{
	const char *end = text;

	while (isdigit((unsigned char)*end)) {
		end++;
	}
	return end == text ? "" : end;
}

/* Whether write_name gives such a name for the file `base`. */
static bool is_temporary_of(const char *name, const char *base)
{
	const size_t length = strlen(base);

	if (strncmp(name, base, length) != 0 || strncmp(name + length, ".xt-", 4) != 0) {
		return false;
	}
	name = skip_digits(name + length + 4);
	return *name == '-' && strcmp(skip_digits(name + 1), ".tmp") == 0;
}

/* Takes the lock of a temporary file. EWOULDBLOCK: another has it, or has removed the file. */
static bool take_lock(int fd)
{
	struct stat info;

	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || flock(fd, LOCK_EX | LOCK_NB) != 0 ||
		fstat(fd, &info) != 0) {
		return false;
	}
	errno = EWOULDBLOCK;
	return info.st_nlink > 0;
}

/* Whether the name is still that of the open file: its program may have put it in its place and begun another. */
static bool is_at(int folder, const char *name, int fd)
{
	struct stat there, here;

	return fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &here) == 0 &&
	       there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

/* Removes what killed programs left in the path's folder: their locks ended with them. */
static void remove_leftovers(const char *path)
{
	char *copy = strdup(path);
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	DIR *folder = copy ? opendir(dirname(copy)) : NULL;
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		int fd = is_temporary_of(entry->d_name, base)
				 ? openat(dirfd(folder), entry->d_name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
				 : -1;

		if (fd >= 0 && take_lock(fd) && is_at(dirfd(folder), entry->d_name, fd)) {
			(void)unlinkat(dirfd(folder), entry->d_name, 0);
		}
		if (fd >= 0) {
			close(fd);
		}
	}
	if (folder) {
		closedir(folder);
	}
	free(copy);
}

/* A file without a name in the path's folder; -1: this file system has none, or none could be named later. */
static int open_unnamed(const char *path)
{
	char *copy = strdup(path);
	int fd = copy && access("/proc/self/fd", X_OK) == 0
			 ? open(dirname(copy), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666)
			 : -1;

	free(copy);
	return fd;
}

/* Gives it the temporary name, since a link takes no other file's place. */
static int give_name(xt_output_t *output)
{
	const size_t size = name_size(output->path);
	char opened[40];
	int failed = -1;

	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fileno(output->stream));
	for (unsigned attempt = 0; attempt < 100 && failed; attempt++) {
		write_name(output, size, attempt);
		failed = linkat(AT_FDCWD, opened, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW);
		if (failed && errno != EEXIST) {
			break;
		}
	}
	output->unnamed = failed != 0;
	return failed;
}

/* A file that its owner keeps from others stays so when another takes its place. */
static void keep_mode(int fd, const struct stat *replaced)
{
	const bool same = fchown(fd, replaced->st_uid, replaced->st_gid) == 0;
	const mode_t mode = replaced->st_mode & (same ? 0777 : 0707);

	/* File systems without modes have none to keep. */
	(void)!fchmod(fd, mode);
}

/* A new file by the temporary name, and its lock; -1: `errno` tells why there is none. */
static int open_named(xt_output_t *output, size_t size, mode_t mode)
{
	int fd = -1;

	for (unsigned attempt = 0; attempt < 100 && fd < 0; attempt++) {
		write_name(output, size, attempt);
		fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST) {
			break;
		}
		/* Another program may take it for a leftover before it has a lock. Some file systems have no locks. */
		if (fd >= 0 && !take_lock(fd) && errno == EWOULDBLOCK) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

/* `replaced`: the file whose place it takes, or NULL. */
static int open_temporary(xt_output_t *output, const struct stat *replaced, xt_diag_t *diag)
{
	size_t size = name_size(output->path);
	int fd = -1;

	output->temporary = malloc(size);
	if (!output->temporary) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	remove_leftovers(output->path);
	fd = open_unnamed(output->path);
	output->unnamed = fd >= 0;
	if (output->unnamed) {
		(void)flock(fd, LOCK_EX | LOCK_NB);
	} else {
		fd = open_named(output, size, replaced ? 0600 : 0666);
	}
	/* The stream is closed before the file has its last name. */
	output->lock = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0 && replaced) {
		keep_mode(fd, replaced);
	}
	output->stream = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!output->stream) {
		int error = errno;

		if (fd >= 0) {
			close(fd);
			remove_temporary(output);
		}
		return xt_fail(diag, XT_ERR_IO, "%.300s: cannot write here: %s", output->path, strerror(error));
	}
	return XT_OK;
}

/* The reader of a pipe may come a little later. */
static FILE *open_special(const char *path)
{
	const uint64_t end = xt_now_ms() + XT_OTHER_END_MS;
	int fd;

	while ((fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) < 0 && errno == ENXIO &&
		xt_now_ms() < end) {
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	return fd >= 0 && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0 ? fdopen(fd, "wb") : NULL;
}

static void release(xt_output_t *output)
{
	if (output->lock >= 0) {
		close(output->lock);
	}
	free(output->temporary);
	free(output);
}

int xt_output_open(const char *path, xt_output_t **out, xt_diag_t *diag)
{
	/* Behind a symbolic link it is the file, not the link, that is replaced. */
	char *target = realpath(path, NULL);
	const char *name = target ? target : path;
	size_t length = strlen(name);
	xt_output_t *output = calloc(1, sizeof(*output) + length + 1);
	struct stat info;
	bool exists;
	int status = XT_OK;

	*out = NULL;
	if (output) {
		output->lock = -1;
		memcpy(output->path, name, length + 1);
	}
	free(target);
	if (!output) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	if (!*path) {
		status = xt_fail(diag, XT_ERR_IO, "the name of the file to write is empty");
	} else if (strcmp(path, "-") == 0) {
		output->is_stdout = true;
		output->stream = stdout;
	} else if ((exists = stat(path, &info) == 0) && !S_ISREG(info.st_mode)) {
		output->stream = S_ISDIR(info.st_mode) ? NULL : open_special(path);
		if (!output->stream) {
			status = xt_fail(diag, XT_ERR_IO, "%.300s: %s", path,
				S_ISDIR(info.st_mode) ? "is a folder; give the name of a file" : strerror(errno));
		}
	} else if (access(path, F_OK) == 0 && access(path, W_OK) != 0) {
		status = xt_fail(diag, XT_ERR_IO, "%.300s: cannot be written: %s", path, strerror(errno));
	} else {
		status = open_temporary(output, exists ? &info : NULL, diag);
	}
	if (status != XT_OK) {
		release(output);
		return status;
	}
	*out = output;
	return XT_OK;
}

FILE *xt_output_stream(xt_output_t *output)
{
	return output->stream;
}

int xt_output_commit(xt_output_t *output, xt_diag_t *diag)
{
	bool lost = ferror(output->stream) != 0;
	int error = EIO;
	int status = XT_OK;

	/* The stream does not keep the reason of an earlier failure; one more byte meets with the same. */
	if (lost && write(fileno(output->stream), "\n", 1) < 0) {
		error = errno;
	}
	if (fflush(output->stream) != 0 || (!lost && output->unnamed && give_name(output) != 0)) {
		error = lost ? error : errno;
		lost = true;
	}
	if (!output->is_stdout && fclose(output->stream) != 0) {
		error = lost ? error : errno;
		lost = true;
	}
	if (!lost && output->temporary && rename(output->temporary, output->path) != 0) {
		error = errno;
		lost = true;
	}
	if (lost) {
		status = xt_fail(diag, XT_ERR_IO, "%.300s: writing failed: %s",
			output->is_stdout ? "standard output" : output->path, strerror(error));
		remove_temporary(output);
	}
	release(output);
	return status;
}

void xt_output_abort(xt_output_t *output)
{
	if (!output) {
		return;
	}
	if (!output->is_stdout) {
		fclose(output->stream);
	}
	remove_temporary(output);
	release(output);
}

int xt_make_folder(const char *path, xt_diag_t *diag)
{
	char *copy = strdup(path);
	struct stat info;
	int status = XT_OK;

	if (!copy) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (char *c = copy; status == XT_OK; c++) {
		char kept = *c;

		if ((kept == '/' && c != copy) || kept == '\0') {
			*c = '\0';
			if (mkdir(copy, 0777) != 0 &&
				!(errno == EEXIST && stat(copy, &info) == 0 && S_ISDIR(info.st_mode))) {
				status = xt_fail(
					diag, XT_ERR_IO, "%.300s: cannot make this folder: %s", copy, strerror(errno));
			}
			*c = kept;
		}
		if (kept == '\0') {
			break;
		}
	}
	free(copy);
	return status;
}
