/* SPDX-License-Identifier: Apache-2.0 */
#include "output_check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "extorus/atomic_file.h"

/* The path without detours, also of a file that is not there yet; false: its folder is not there. */
static bool resolve(const char *path, char *out)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".";
	size_t length = slash ? (size_t)(slash - path) : 0;

	if (realpath(path, out)) {
		return true;
	}
	if (length >= sizeof(folder) || strlen(path) >= sizeof(folder)) {
		return false;
	}
	if (slash) {
		memcpy(folder, length ? path : "/", length ? length : 1);
		folder[length ? length : 1] = '\0';
	}
	if (!realpath(folder, out) || strlen(out) + strlen(path) + 2 > PATH_MAX) {
		return false;
	}
	strcat(out, "/");
	strcat(out, slash ? slash + 1 : path);
	return true;
}

bool xt_is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

bool xt_is_same_file(const char *a, const char *b)
{
	char real_a[PATH_MAX], real_b[PATH_MAX];
	struct stat info_a, info_b;

	if (stat(a, &info_a) == 0 && stat(b, &info_b) == 0) {
		/* Two results may both be thrown away, or go to one terminal. */
		return S_ISREG(info_a.st_mode) && info_a.st_dev == info_b.st_dev && info_a.st_ino == info_b.st_ino;
	}
	return resolve(a, real_a) && resolve(b, real_b) && strcmp(real_a, real_b) == 0;
}

void xt_named_files_add(xt_named_files_t *files, const char *option, const char *path, bool writes)
{
	if (path && *path && files->count < XT_MOST_FILES) {
		files->files[files->count].option = option;
		files->files[files->count].path = path;
		files->files[files->count++].writes = writes;
	}
}

/* "file:net.json" and "model:net.img;latency=4" name a file too. */
static bool is_read(const char *name, const char *output)
{
	const char *colon = strchr(name, ':');
	char path[PATH_MAX];
	size_t length = colon ? strcspn(colon + 1, ";@") : 0;

	if (xt_is_same_file(name, output)) {
		return true;
	}
	if (length == 0 || length >= sizeof(path)) {
		return false;
	}
	memcpy(path, colon + 1, length);
	path[length] = '\0';
	return xt_is_same_file(path, output);
}

static void refuse(const char *command, const char *output, const char *path, const char *what, const char *option)
{
	fprintf(stderr, "%s: --%s would write %s, which is %s%s; name another file\n", command, output, path, what,
		option);
	exit(XT_EXIT_USAGE);
}

/* A file is made beside it and taken away. A pipe or a device is opened only to write. */
static void check_writable(const char *command, const char *path, bool makes_folder)
{
	xt_output_t *output;
	xt_diag_t diag;
	struct stat info;
	char real[PATH_MAX];

	if ((makes_folder && !resolve(path, real)) ||
		(stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))) {
		return;
	}
	if (xt_output_open(path, &output, &diag) != XT_OK) {
		fprintf(stderr, "%s: %s\n", command, diag.text);
		exit(XT_EXIT_USAGE);
	}
	xt_output_abort(output);
}

/* Of several processes one writes, which is not known yet. */
static bool is_alone(void)
{
	return !getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE") && !getenv("PMIX_RANK");
}

void xt_named_files_check(const xt_named_files_t *files, const char *command)
{
	for (unsigned i = 0; i < files->count; i++) {
		if (!files->files[i].writes || xt_is_stdout(files->files[i].path)) {
			continue;
		}
		for (unsigned j = 0; j < files->count; j++) {
			const char *option = files->files[j].option, *path = files->files[j].path;

			if (j == i || xt_is_stdout(path) || (files->files[j].writes && j > i)) {
				continue;
			}
			if (files->files[j].writes ? xt_is_same_file(path, files->files[i].path)
						   : is_read(path, files->files[i].path)) {
				refuse(command, files->files[i].option, files->files[i].path,
					option ? "the file of --" : "read", option ? option : "");
			}
		}
	}
	for (unsigned i = 0; i < files->count && is_alone(); i++) {
		if (files->files[i].writes && !xt_is_stdout(files->files[i].path)) {
			check_writable(command, files->files[i].path, files->makes_folder);
		}
	}
}
